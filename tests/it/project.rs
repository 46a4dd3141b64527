//! A folder with specs in it, and what a run of the command did to it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::SystemTime;

use tempfile::TempDir;

/// A folder that goes away with the test.
pub(crate) struct Project {
    folder: TempDir,
}

/// What a run said.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// Wants an exit code; shows what was said otherwise.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.out, self.err);
        self
    }

    /// Wants words on stderr.
    #[track_caller]
    pub(crate) fn says(self, words: &str) -> Self {
        assert!(self.err.contains(words), "no `{words}` in:\n{}", self.err);
        self
    }
}

/// What is at a path: bytes of a file, target of a link, or nothing for a folder.
#[derive(Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) bytes: Vec<u8>,
    pub(crate) modified: SystemTime,
    mode: u32,
}

/// Short, so that a failed comparison of two folders can be read.
impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let age = self.modified.duration_since(SystemTime::UNIX_EPOCH);
        let age = age.unwrap_or_default().as_nanos();
        write!(f, "{} bytes, {age}, {:o}", self.bytes.len(), self.mode)
    }
}

impl Project {
    /// A folder with nothing in it.
    pub(crate) fn empty() -> Self {
        let folder = tempfile::Builder::new().prefix("slo smith ").tempdir();
        Self {
            folder: folder.expect("a folder"),
        }
    }

    /// A folder with one spec: `svc`.
    pub(crate) fn new() -> Self {
        let project = Self::empty();
        project.write("specs/svc.yaml", &spec("svc"));
        project
    }

    /// The same, built once.
    pub(crate) fn built() -> Self {
        let project = Self::new();
        project.run(&["build"]).exits(0);
        project
    }

    /// A folder with the same files.
    pub(crate) fn copy(&self) -> Self {
        let copy = Self::empty();
        for file in self.files(".") {
            copy.write(&file, &self.read(&file));
        }
        copy
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().expect("below the folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path(path)).expect(path)
    }

    pub(crate) fn remove(&self, path: &str) {
        std::fs::remove_file(self.path(path)).expect(path);
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        self.path(path).symlink_metadata().is_ok()
    }

    /// Replaces text in a file; it must be there.
    pub(crate) fn edit(&self, path: &str, from: &str, to: &str) {
        let text = self.read(path);
        assert!(text.contains(from), "no `{from}` in {path}");
        self.write(path, &text.replace(from, to));
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.run_in("", args)
    }

    /// Runs the command in a folder of the project.
    pub(crate) fn run_in(&self, folder: &str, args: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_slosmith"));
        let command = command.args(args).current_dir(self.path(folder));
        let done = command.env("XDG_CACHE_HOME", self.path(".cache")).output();
        let done = done.expect("the binary runs");
        let text = |bytes| String::from_utf8(bytes).expect("text");
        Ran {
            code: done.status.code(),
            out: text(done.stdout),
            err: text(done.stderr),
        }
    }

    /// Everything under a path, with times and permissions; times of folders left out.
    pub(crate) fn snapshot(&self, path: &str) -> BTreeMap<PathBuf, Entry> {
        let root = self.path(path);
        let entries = walkdir::WalkDir::new(&root).sort_by_file_name();
        let entry = |entry: walkdir::DirEntry| {
            let path = entry.path().strip_prefix(&root).expect("below").to_owned();
            (path, look(entry.path()))
        };
        entries
            .into_iter()
            .map(|e| entry(e.expect("an entry")))
            .collect()
    }

    /// Paths of all files under a path.
    pub(crate) fn files(&self, path: &str) -> Vec<String> {
        let root = self.path(path);
        let entries = walkdir::WalkDir::new(&root).sort_by_file_name();
        let files = entries.into_iter().map(|e| e.expect("an entry"));
        let files = files.filter(|e| !e.file_type().is_dir());
        let name = |e: walkdir::DirEntry| {
            let path = e.path().strip_prefix(&root).expect("below");
            path.to_str().expect("UTF-8").to_owned()
        };
        files.map(name).collect()
    }
}

fn look(path: &Path) -> Entry {
    let found = path.symlink_metadata().expect("an entry");
    let modified = found.modified().expect("a time");
    let (bytes, modified) = if found.is_dir() {
        (Vec::new(), SystemTime::UNIX_EPOCH)
    } else if found.is_symlink() {
        let target = std::fs::read_link(path).expect("a link");
        (target.into_os_string().into_encoded_bytes(), modified)
    } else {
        (std::fs::read(path).expect("a file"), modified)
    };
    #[cfg(unix)]
    let mode = std::os::unix::fs::PermissionsExt::mode(&found.permissions());
    #[cfg(not(unix))]
    let mode = u32::from(found.permissions().readonly());
    Entry {
        bytes,
        modified,
        mode,
    }
}

/// A small spec that uses all kinds of output.
pub(crate) fn spec(name: &str) -> String {
    include_str!("build/spec.yaml").replace("NAME", name)
}

/// One rule file with one alert per expression, whose runbook is elsewhere.
pub(crate) fn alerts(expressions: &[&str]) -> String {
    let mut text = "groups:\n  - name: vllm\n    rules:\n".to_owned();
    for (i, expr) in expressions.iter().enumerate() {
        text.push_str(&format!(
            "      - alert: A{i}\n        expr: {expr}\n        annotations:\n          runbook_url: https://wiki.example/a\n"
        ));
    }
    text
}

/// Builds a spec of a folder.
pub(crate) fn build(folder: &Path, spec: &str, out: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_slosmith"))
        .args(["build", spec, "--out"])
        .arg(out)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .expect("the command runs")
}
