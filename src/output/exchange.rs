//! Putting staged folders in their places by rename.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::{Folder, OutputError, stage};

/// Ending of a folder that is being written.
const NEW: &str = ".slosmith-new";
/// Ending of a folder that was moved out of the way.
const OLD: &str = ".slosmith-old";

/// Service folders on their way to disk: all are staged before any is exchanged. Dropped, it changes nothing.
#[derive(Debug)]
pub struct Staging {
    out: PathBuf,
    opened: Mutex<Option<Opened>>,
    staged: Mutex<Vec<(String, Temporary)>>,
}

/// What is done once, before the first folder is staged.
#[derive(Debug)]
struct Opened {
    /// Held until the end.
    _alone: Option<File>,
    /// True when there was no output folder before.
    made: bool,
}

impl Staging {
    /// Starts with nothing; the disk is not touched before there is something to stage.
    pub fn new(out: &Path) -> Self {
        Self {
            out: out.to_owned(),
            opened: Mutex::default(),
            staged: Mutex::default(),
        }
    }

    /// Writes a folder beside its place; may be called from several threads for different services.
    ///
    /// # Errors
    /// When the disk refuses, or something of somebody else's stands in the way.
    pub fn add(&self, folder: &Folder) -> Result<(), OutputError> {
        self.open()?;
        let fresh = Temporary(self.out.join(format!(".{}{NEW}", folder.service)));
        stage::fill(&self.out, folder, &fresh.0)?;
        let mut staged = self.staged.lock().unwrap_or_else(PoisonError::into_inner);
        staged.push((folder.service.clone(), fresh));
        Ok(())
    }

    fn open(&self) -> Result<(), OutputError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if opened.is_some() {
            return Ok(());
        }
        let made = !self.out.exists();
        fs::create_dir_all(&self.out).map_err(OutputError::io(&self.out))?;
        *opened = Some(Opened {
            _alone: lock(&self.out),
            made,
        });
        recover(&self.out)
    }

    /// Puts all staged folders in their places.
    ///
    /// # Errors
    /// When the disk refuses; folders that were not exchanged by then are as they were.
    pub fn commit(self) -> Result<(), OutputError> {
        let mut staged = self.staged.lock().unwrap_or_else(PoisonError::into_inner);
        staged.sort_by(|a, b| a.0.cmp(&b.0));
        for (service, fresh) in staged.drain(..) {
            swap(&self.out, &service, &fresh.0)?;
        }
        Ok(())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let staged = self
            .staged
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        staged.clear();
        let opened = self
            .opened
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        if opened.as_ref().is_some_and(|o| o.made) {
            // Goes only when it is empty, that is when nothing was exchanged.
            let _ = fs::remove_dir(&self.out);
        }
    }
}

/// Waits until no other build writes here. Some file systems have no locks: two builds at once may then
/// fail, but each folder is still exchanged whole.
fn lock(out: &Path) -> Option<File> {
    let folder = File::open(out).ok()?;
    folder.lock().ok()?;
    Some(folder)
}

/// A folder that is gone at the end: what was not exchanged, or the old one that was.
#[derive(Debug)]
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // A leftover is harmless, and the next build removes it; what led here matters more.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Clears away what a killed build left. A folder that it had moved out of the way and not replaced goes back.
fn recover(out: &Path) -> Result<(), OutputError> {
    for entry in fs::read_dir(out).map_err(OutputError::io(out))? {
        let entry = entry.map_err(OutputError::io(out))?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let path = entry.path();
        let service = |ending: &str| Some(name.strip_prefix('.')?.strip_suffix(ending)?.to_owned());
        let home = service(OLD).map(|s| out.join(s)).filter(|h| !h.exists());
        match home {
            Some(home) => fs::rename(&path, &home).map_err(OutputError::io(&path))?,
            None if service(NEW).or(service(OLD)).is_some() => {
                fs::remove_dir_all(&path).map_err(OutputError::io(&path))?;
            }
            None => {}
        }
    }
    Ok(())
}

/// Puts `fresh` in the place of the service's folder; the old one stands in place of `fresh`, or is gone.
fn swap(out: &Path, service: &str, fresh: &Path) -> Result<(), OutputError> {
    let root = out.join(service);
    let error = OutputError::io(&root);
    let is_empty = fs::read_dir(fresh).is_ok_and(|mut entries| entries.next().is_none());
    match (root.exists(), is_empty) {
        (false, true) => Ok(()),
        (false, false) => fs::rename(fresh, &root).map_err(error),
        (true, false) if at_once(fresh, &root) => Ok(()),
        (true, is_empty) => {
            let old = Temporary(out.join(format!(".{service}{OLD}")));
            fs::rename(&root, &old.0).map_err(OutputError::io(&root))?;
            let replaced = if is_empty {
                Ok(())
            } else {
                fs::rename(fresh, &root)
            };
            // A failed build changes nothing: back with the old folder. It must not be cleared away if that fails.
            if replaced.is_err() && fs::rename(&old.0, &root).is_err() {
                std::mem::forget(old);
            }
            replaced.map_err(error)
        }
    }
}

/// Exchanges two folders in one step, where the system can.
#[cfg(target_os = "linux")]
fn at_once(a: &Path, b: &Path) -> bool {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).is_ok()
}

/// Exchanges two folders in one step, where the system can.
#[cfg(not(target_os = "linux"))]
fn at_once(_: &Path, _: &Path) -> bool {
    false
}
