//! Runs of the binary in which one system call fails, or kills it: every one in turn.
//!
//! Between two calls that change the disk nothing on it changes, so a kill at each of them is a kill at every
//! moment. The kernel kills before it carries the call out.

use std::cell::Cell;
use std::fmt;
use std::process::Command;

use libtest_mimic::Trial;

use crate::project::{Project, Ran};
use crate::trial::{Needs, in_ci, slow};

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
/// wrong.
pub(crate) fn faults(
    calls: &[&str],
    faults: &[Fault],
    mut one: impl FnMut(&Injection<'_>),
) -> usize {
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
                told(&injection, || one(&injection));
                if !injection.hit() {
                    break;
                }
                hits += 1;
                assert!(number < 10_000, "{injection}: there is no end");
            }
        }
    }
    hits
}

/// A part of all that can go wrong.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Share {
    /// Kills at every change of the disk.
    Kills,
    /// Full disks and tables, looks that fail, files that may not be opened.
    Errors,
}

impl Share {
    /// Calls `one` with each of its faults, as [`faults`] does.
    pub(crate) fn each(self, mut one: impl FnMut(&Injection<'_>)) {
        use Fault::{Error, Kill};
        // Where nothing can go wrong nothing is tested.
        match self {
            Self::Kills => assert!(faults(CHANGES, &[Kill], one) > 15),
            Self::Errors => {
                assert!(faults(CHANGES, &[Error("ENOSPC")], &mut one) > 15);
                assert!(faults(LOOKS, &[Error("EIO")], &mut one) > 20);
                assert!(faults(&["openat"], &[Error("EMFILE"), Error("EPERM")], one) > 5);
            }
        }
    }
}

/// A test under both shares: `.ci/run` has the first one, the second one runs on request.
pub(crate) fn both(name: &str, run: fn(Share)) -> [Trial; 2] {
    let kills = move || run(Share::Kills);
    [
        in_ci(name, Needs::Strace, kills),
        slow(format!("{name}::errors"), Needs::Strace, move || {
            run(Share::Errors)
        }),
    ]
}

/// Says at which call it went wrong when `one` panics.
fn told(injection: &Injection<'_>, one: impl FnOnce()) {
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(one));
    if let Err(panic) = done {
        let why = panic.downcast_ref::<String>().map_or("", String::as_str);
        panic!("{injection}: {why}");
    }
}
