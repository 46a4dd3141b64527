//! Runs of the binary in which one system call fails, or kills it: every one in turn.
//!
//! Between two calls that change the disk nothing on it changes, so a kill at each of them is a kill at every
//! moment. The kernel kills before it carries the call out.

use std::cell::Cell;
use std::fmt;
use std::process::Command;

use crate::project::{Project, Ran};

/// Calls that change the disk.
pub(crate) const CHANGES: &[&str] = &[
    "open",
    "openat",
    "creat",
    "write",
    "writev",
    "pwrite64",
    "copy_file_range",
    "sendfile",
    "ftruncate",
    "fsync",
    "fdatasync",
    "mkdir",
    "mkdirat",
    "rmdir",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "symlink",
    "symlinkat",
    "unlink",
    "unlinkat",
    "chmod",
    "fchmod",
    "fchmodat",
    "utimensat",
    "flock",
];

/// Calls that look at the disk.
pub(crate) const LOOKS: &[&str] = &[
    "read",
    "pread64",
    "readv",
    "stat",
    "lstat",
    "fstat",
    "statx",
    "newfstatat",
    "getdents64",
    "readlink",
    "readlinkat",
    "getcwd",
];

/// What a call does in place of its work.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// The process ends before the call.
    Kill,
    /// The call fails with this error, such as `ENOSPC`.
    Error(&'static str),
}

/// One call that goes wrong.
#[derive(Debug)]
pub(crate) struct Injection<'a> {
    call: &'a str,
    fault: Fault,
    number: usize,
    hit: Cell<bool>,
}

impl fmt::Display for Injection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fault = match self.fault {
            Fault::Kill => "a kill",
            Fault::Error(error) => error,
        };
        write!(f, "{fault} at {} {}", self.call, self.number)
    }
}

impl Injection<'_> {
    /// Runs the binary in a project; the call of this number goes wrong in it, counted in each thread.
    pub(crate) fn run(&self, project: &Project, args: &[&str]) -> Ran {
        let logs = tempfile::tempdir().expect("a folder");
        let log = logs.path().join("calls");
        let fault = match self.fault {
            Fault::Kill => "signal=KILL".to_owned(),
            Fault::Error(error) => format!("error={error}"),
        };
        // Faster, but counts wrong where a signal is injected: only the first call is ever hit.
        let filter = match self.fault {
            Fault::Kill => None,
            Fault::Error(_) => Some("--seccomp-bpf"),
        };
        let (call, number) = (self.call, self.number);
        let done = Command::new("strace")
            .arg("-f")
            .args(filter)
            .arg("-e")
            .arg(format!("inject=?{call}:{fault}:when={number}"))
            .args(["-e", &format!("trace=?{call}"), "-o"])
            .arg(&log)
            .arg(env!("CARGO_BIN_EXE_slosmith"))
            .args(args)
            .current_dir(project.path("."))
            // Cargo's folders: the loader looks for each library in each of them.
            .env_remove("LD_LIBRARY_PATH")
            .output()
            .expect("strace runs");
        let log = std::fs::read(log).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        self.hit.set(match self.fault {
            Fault::Kill => done.status.code().is_none() && log.contains("killed by SIGKILL"),
            Fault::Error(_) => log.contains("(INJECTED)"),
        });
        Ran {
            code: done.status.code(),
            out: String::from_utf8_lossy(&done.stdout).into_owned(),
            err: String::from_utf8_lossy(&done.stderr).into_owned(),
        }
    }

    /// True when the last run came to the call.
    pub(crate) fn hit(&self) -> bool {
        self.hit.get()
    }
}

/// Calls `one` with each fault at the first, the second, ... of each call, until nothing goes wrong any more.
/// `one` makes a project and runs the command in it by [`Injection::run`], once. Gives back how many runs went
/// wrong; without strace, `None`.
pub(crate) fn faults(
    calls: &[&str],
    faults: &[Fault],
    mut one: impl FnMut(&Injection<'_>),
) -> Option<usize> {
    if !is_usable() {
        return None;
    }
    let mut hits = 0;
    for &call in calls {
        for &fault in faults {
            for number in 1.. {
                let injection = Injection {
                    call,
                    fault,
                    number,
                    hit: Cell::new(false),
                };
                one(&injection);
                if !injection.hit() {
                    break;
                }
                hits += 1;
                assert!(number < 10_000, "{injection}: there is no end");
            }
        }
    }
    Some(hits)
}

/// Kills at every change of the disk, full disks and tables, and looks that fail.
pub(crate) fn all_faults(mut one: impl FnMut(&Injection<'_>)) {
    use Fault::{Error, Kill};
    let changes = faults(CHANGES, &[Kill, Error("ENOSPC")], &mut one);
    let looks = faults(LOOKS, &[Error("EIO")], &mut one);
    let opens = faults(&["openat"], &[Error("EMFILE"), Error("EPERM")], &mut one);
    let all = [changes, looks, opens].into_iter().flatten().sum::<usize>();
    println!("{all} runs that went wrong");
    // Where nothing can go wrong nothing is tested.
    assert!(changes.is_none_or(|n| n > 30), "{changes:?}");
    assert!(looks.is_none_or(|n| n > 20), "{looks:?}");
    assert!(opens.is_none_or(|n| n > 10), "{opens:?}");
}

/// False where strace is not installed, or may not trace: then nothing is tested, and that is said.
pub(crate) fn is_usable() -> bool {
    let tried = Command::new("strace")
        .args(["-f", "--seccomp-bpf", "-o", "/dev/null", "true"])
        .output();
    let usable = tried.is_ok_and(|done| done.status.success());
    if !usable {
        println!("no strace here: not tested");
    }
    usable
}
