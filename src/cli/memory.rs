//! The size of memory pages.

use super::Command;

/// Memory comes in pages of the usual size, except where huge ones of 2 MiB are worth their room.
///
/// `lint` and `drift` may read a large file into many small values, and take a tenth less time with huge pages. A build
/// takes no less time with them, and half as much memory again: it works on many services, with little of each.
pub(super) struct Pages {
    may_be_huge: bool,
}

impl Pages {
    pub(super) fn usual() -> Self {
        Self {
            may_be_huge: may_be_huge() && set_huge(false),
        }
    }

    /// Selects huge pages for commands that gain by them, unless the parent process has disabled them.
    pub(super) fn suit(&self, command: &Command) {
        let reads_much = matches!(command, Command::Lint(_) | Command::Drift(_));
        if self.may_be_huge && reads_much {
            set_huge(true);
        }
    }
}

#[cfg(target_os = "linux")]
fn may_be_huge() -> bool {
    rustix::thread::transparent_huge_pages_are_disabled() == Ok(false)
}

/// True on success.
#[cfg(target_os = "linux")]
fn set_huge(huge: bool) -> bool {
    rustix::thread::disable_transparent_huge_pages(!huge).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn may_be_huge() -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
fn set_huge(_: bool) -> bool {
    false
}
