//! A command that runs until it is dropped.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use crate::project::Project;

/// How long a busy machine may take for one line.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Watched {
    pub(crate) child: Child,
    out: Receiver<String>,
    err: Receiver<String>,
}

impl Watched {
    pub(crate) fn start(project: &Project, args: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_slosmith"));
        Self::run(command.args(args).current_dir(project.path("")))
    }

    /// Any command.
    pub(crate) fn run(command: &mut Command) -> Self {
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the command runs");
        let out = lines(child.stdout.take().expect("a pipe"));
        let err = lines(child.stderr.take().expect("a pipe"));
        Self { child, out, err }
    }

    /// The next line on stdout.
    #[track_caller]
    pub(crate) fn prints(&self) -> String {
        self.out.recv_timeout(PATIENCE).expect("a line on stdout")
    }

    /// The next line on stderr.
    #[track_caller]
    pub(crate) fn next(&self) -> String {
        self.err.recv_timeout(PATIENCE).expect("a line on stderr")
    }

    /// Wants nothing on stderr for much longer than a change takes to be seen.
    #[track_caller]
    pub(crate) fn is_silent(&self) {
        let line = self.err.recv_timeout(Duration::from_secs(1));
        assert!(line.is_err(), "{line:?}");
    }

    /// The lines on stderr up to one with these words.
    #[track_caller]
    pub(crate) fn until(&self, words: &str) -> Vec<String> {
        let mut said = Vec::new();
        loop {
            match self.err.recv_timeout(PATIENCE) {
                Ok(line) => said.push(line),
                Err(_) => panic!("no `{words}` in {said:#?}"),
            }
            if said.last().is_some_and(|line| line.contains(words)) {
                return said;
            }
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines(from: impl Read + Send + 'static) -> Receiver<String> {
    let (tell, lines) = mpsc::channel();
    thread::spawn(move || {
        let lines = BufReader::new(from).lines().map_while(Result::ok);
        lines.for_each(|line| drop(tell.send(line)));
    });
    lines
}
