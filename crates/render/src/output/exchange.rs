//! Exchanging a staged folder with the live one, and back.

use std::fs;
use std::path::{Path, PathBuf};

use super::{OutputError, exists};

/// One service on its way: its live folder, and the slot of the staging folder that it was written in.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) live: PathBuf,
    /// Below the staging folder; holds the folders that the methods name.
    pub(super) path: PathBuf,
}

/// What was done to bring a staged folder to its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exchanged {
    /// There was nothing before, and nothing is to be.
    Nothing,
    Placed,
    /// The folders changed places in one step: the old one is where the new one was.
    AtOnce,
    /// The old folder was moved aside, then the new one to its place.
    InTwoSteps,
    Removed,
}

impl Slot {
    pub(super) fn draft(&self) -> PathBuf {
        self.path.join("draft")
    }

    pub(super) fn fresh(&self) -> PathBuf {
        self.path.join("new")
    }

    /// Where a folder is moved that cannot be exchanged in one step.
    pub(super) fn aside(&self) -> PathBuf {
        self.path.join("old")
    }

    pub(super) fn old(&self, done: Exchanged) -> Option<PathBuf> {
        match done {
            Exchanged::Nothing | Exchanged::Placed => None,
            Exchanged::AtOnce => Some(self.fresh()),
            Exchanged::InTwoSteps | Exchanged::Removed => Some(self.aside()),
        }
    }

    /// Puts the staged folder in its place; an empty one means that there is to be none.
    ///
    /// # Errors
    /// When reading or writing fails; the live folder is then as it was, unless the error says where it is.
    pub(super) fn exchange(&self) -> Result<Exchanged, OutputError> {
        let (live, fresh, aside) = (&self.live, self.fresh(), self.aside());
        let empty = fs::read_dir(&fresh).map_err(OutputError::io(&fresh))?;
        let empty = empty.count() == 0;
        match (exists(live), empty) {
            (false, true) => Ok(Exchanged::Nothing),
            (false, false) => rename(&fresh, live).map(|()| Exchanged::Placed),
            (true, true) => rename(live, &aside).map(|()| Exchanged::Removed),
            (true, false) if at_once(&fresh, live) => Ok(Exchanged::AtOnce),
            (true, false) => {
                rename(live, &aside)?;
                let placed = rename(&fresh, live);
                if placed.is_err() {
                    rename(&aside, live)?;
                }
                placed.map(|()| Exchanged::InTwoSteps)
            }
        }
    }

    /// Takes an exchange back.
    ///
    /// # Errors
    /// When reading or writing fails; the folder that was live is then where the error says.
    pub(super) fn undo(&self, done: Exchanged) -> Result<(), OutputError> {
        let (live, fresh, aside) = (&self.live, self.fresh(), self.aside());
        match done {
            Exchanged::Nothing => Ok(()),
            Exchanged::Placed => rename(live, &fresh),
            Exchanged::AtOnce if at_once(&fresh, live) => Ok(()),
            Exchanged::Removed => rename(&aside, live),
            Exchanged::AtOnce => {
                rename(live, &aside)?;
                rename(&fresh, live)
            }
            Exchanged::InTwoSteps => {
                rename(live, &fresh)?;
                rename(&aside, live)
            }
        }
    }
}

fn rename(from: &Path, to: &Path) -> Result<(), OutputError> {
    fs::rename(from, to).map_err(OutputError::io(from))
}

#[cfg(target_os = "linux")]
fn at_once(a: &Path, b: &Path) -> bool {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn at_once(_: &Path, _: &Path) -> bool {
    false
}
