//! The state before: a folder, or a revision that Git writes to a temporary one.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, anyhow, bail};
use tempfile::TempDir;

use crate::cli::build::BuildArgs;
use crate::cli::inventory;
use crate::output::MANIFEST;

pub(super) struct Base {
    folder: PathBuf,
    /// Removed at the end.
    _written: Option<TempDir>,
}

impl Base {
    /// # Errors
    /// When the name is neither a folder nor a revision.
    pub(super) fn open(name: &str, project: &Path) -> Result<Self> {
        if Path::new(name).is_dir() {
            return Ok(Self {
                folder: name.into(),
                _written: None,
            });
        }
        let git = Git { project };
        let revision = format!("{name}^{{commit}}");
        let commit = git.run(&["rev-parse", "--verify", "--end-of-options", &revision]);
        let commit = commit.map_err(|why| {
            anyhow!("`{name}` is neither a folder nor a revision of this Git repository: {why:#}")
        })?;
        let written = tempfile::tempdir().context("cannot create a temporary folder")?;
        let prefix = git.run(&["rev-parse", "--show-prefix"])?;
        git.write(&commit, written.path())?;
        Ok(Self {
            folder: written.path().join("tree").join(prefix),
            _written: Some(written),
        })
    }

    /// What to read of it; `None` of a revision without specs.
    pub(super) fn specs(&self) -> Option<BuildArgs> {
        self.folder
            .is_dir()
            .then(|| inventory::project(&self.folder))
    }
}

struct Git<'a> {
    project: &'a Path,
}

impl Git<'_> {
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.current_dir(self.project).args(args);
        command
    }

    fn run(&self, args: &[&str]) -> Result<String> {
        let said = output(&mut self.command(args), None)?;
        let text = String::from_utf8(said).context("git: the answer is not UTF-8 text")?;
        Ok(text.trim_end_matches('\n').to_owned())
    }

    /// Writes the files of a revision below the project, except generated ones.
    fn write(&self, commit: &str, to: &Path) -> Result<()> {
        let names = output(
            &mut self.command(&["ls-tree", "-r", "-z", "--name-only", commit]),
            None,
        )?;
        let names: Vec<&[u8]> = names.split(|byte| *byte == 0).collect();
        let ending = format!("/{MANIFEST}");
        let generated = names
            .iter()
            .filter_map(|name| name.strip_suffix(ending.as_bytes()));
        let generated: std::collections::BTreeSet<&[u8]> = generated.collect();
        let is_generated = |name: &[u8]| {
            let mut ends = name.iter().enumerate().filter(|(_, byte)| **byte == b'/');
            ends.any(|(end, _)| generated.contains(&name[..end]))
        };
        let mut wanted = Vec::new();
        for name in names
            .into_iter()
            .filter(|name| !name.is_empty() && !is_generated(name))
        {
            wanted.extend_from_slice(name);
            wanted.push(0);
        }
        let index = to.join("index");
        let mut prefix = to.join("tree").into_os_string();
        prefix.push("/");
        let mut read = self.command(&["read-tree", commit]);
        output(read.env("GIT_INDEX_FILE", &index), None)?;
        let mut checkout = self.command(&["checkout-index", "--quiet", "-z", "--stdin"]);
        let mut option = OsStr::new("--prefix=").to_owned();
        option.push(prefix);
        output(
            checkout.arg(option).env("GIT_INDEX_FILE", &index),
            Some(&wanted),
        )?;
        Ok(())
    }
}

/// What a command says.
///
/// # Errors
/// When it cannot be started or fails, with what it says then.
fn output(command: &mut Command, input: Option<&[u8]>) -> Result<Vec<u8>> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.stdin(input.map_or_else(Stdio::null, |_| Stdio::piped()));
    let mut child = command.spawn().context("cannot run git")?;
    if let (Some(input), Some(mut to)) = (input, child.stdin.take()) {
        // It says nothing before it has read all.
        to.write_all(input).context("git stopped reading")?;
    }
    let done = child.wait_with_output().context("cannot run git")?;
    if !done.status.success() {
        let why = String::from_utf8_lossy(&done.stderr);
        bail!("git: {}", why.trim());
    }
    Ok(done.stdout)
}
