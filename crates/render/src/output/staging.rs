//! All service folders of a build on their way to disk.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::exchange::{Exchanged, Slot};
use super::{Folder, OutputError, exists, leftover, stage};

/// Service folders on their way to disk: all are staged before any is exchanged. Dropped, it changes nothing.
#[derive(Debug)]
pub struct Staging {
    out: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// True once the output folder is ours to write to.
    entered: bool,
    lock: Option<File>,
    /// Folders that were not there before, outermost first.
    made: Vec<PathBuf>,
    /// The staging folder, once there is something to stage.
    root: Option<PathBuf>,
    slots: usize,
    staged: Vec<Slot>,
    /// True when all of them are in their places, and what is left in the staging folder is not wanted.
    committed: bool,
    left: Vec<OutputError>,
}

impl Staging {
    /// Waits until no other build writes to `out`, and clears away what killed ones left. `wait` is called when
    /// there is another build.
    pub fn open(out: &Path, wait: impl FnOnce()) -> Result<Self, OutputError> {
        let mut state = State::default();
        if out.is_dir() {
            state.enter(out, wait)?;
        }
        Ok(Self {
            out: out.to_owned(),
            state: Mutex::new(state),
        })
    }

    /// Writes a folder beside its place; may be called from several threads for different services.
    ///
    /// # Errors
    /// When reading or writing fails, or a file that slosmith did not write is in the way.
    pub fn add(&self, folder: &Folder) -> Result<(), OutputError> {
        let slot = self.slot(&folder.service)?;
        let (draft, fresh) = (slot.draft(), slot.fresh());
        for made in [&slot.path, &draft] {
            fs::create_dir(made).map_err(OutputError::io(made))?;
        }
        stage::fill(&self.out, folder, &draft)?;
        fs::rename(&draft, &fresh).map_err(OutputError::io(&draft))?;
        self.state().staged.push(slot);
        Ok(())
    }

    fn slot(&self, service: &str) -> Result<Slot, OutputError> {
        let mut state = self.state();
        let root = state.root(&self.out)?;
        state.slots += 1;
        Ok(Slot {
            live: self.out.join(service),
            path: root.join(format!("{}.{service}", state.slots)),
        })
    }

    /// Puts all staged folders in their places.
    ///
    /// # Errors
    /// When reading or writing fails; once this is closed, all folders are as they were, or it says where they are.
    pub fn commit(&self) -> Result<(), OutputError> {
        let mut state = self.state();
        state.staged.sort_by(|a, b| a.live.cmp(&b.live));
        let mut done = Vec::new();
        for slot in &state.staged {
            match slot.exchange() {
                Ok(exchanged) => done.push((slot, exchanged)),
                Err(error) => {
                    undo(&done)?;
                    return Err(error);
                }
            }
        }
        // What fails here is tried again when this is closed, which reports what fails there.
        let mut old = done.into_iter();
        let rescued = old.try_for_each(|(slot, exchanged)| match slot.old(exchanged) {
            Some(old) => leftover::rescue(&old, &slot.live, |_, _| true),
            None => Ok(()),
        });
        state.committed = rescued.is_ok();
        Ok(())
    }

    /// Clears away what is not in its place, and returns what could not be: it does no harm where it is.
    ///
    /// # Errors
    /// When files of other people are where the error says, and could not be brought back.
    pub fn close(self) -> Result<Vec<OutputError>, OutputError> {
        let mut state = self.state();
        state.close(&self.out)?;
        Ok(std::mem::take(&mut state.left))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // Nobody would read an error here; the next build tries again.
        let _ = self.state().close(&self.out);
    }
}

impl State {
    fn enter(&mut self, out: &Path, wait: impl FnOnce()) -> Result<(), OutputError> {
        self.lock = lock(out, wait);
        self.entered = true;
        self.left = leftover::clear(out)?;
        Ok(())
    }

    fn root(&mut self, out: &Path) -> Result<PathBuf, OutputError> {
        if let Some(root) = &self.root {
            return Ok(root.clone());
        }
        if !self.entered {
            // Another build may have made it by now, and be in it.
            self.made = make(out)?;
            self.enter(out, || ())?;
        }
        let root = leftover::new_staging(out)?;
        self.root = Some(root.clone());
        Ok(root)
    }

    fn close(&mut self, out: &Path) -> Result<(), OutputError> {
        if let Some(root) = self.root.take() {
            if !self.committed {
                leftover::recover(out, &root)?;
            }
            self.left.extend(leftover::discard(out, &root).err());
        }
        for folder in std::mem::take(&mut self.made).iter().rev() {
            // Stays when there is something in it.
            let _ = fs::remove_dir(folder);
        }
        Ok(())
    }
}

fn undo(done: &[(&Slot, Exchanged)]) -> Result<(), OutputError> {
    for (slot, exchanged) in done.iter().rev() {
        slot.undo(*exchanged)?;
    }
    Ok(())
}

fn make(out: &Path) -> Result<Vec<PathBuf>, OutputError> {
    let missing = out
        .ancestors()
        .take_while(|path| !path.as_os_str().is_empty() && !exists(path));
    let mut missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
    missing.reverse();
    for path in &missing {
        match fs::create_dir(path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                return Err(OutputError::io(path)(error));
            }
            _ => {}
        }
    }
    Ok(missing)
}

/// Waits until no other build writes here. Some file systems have no locks: of two builds at once, one may then
/// fail, but each folder is still exchanged whole.
fn lock(out: &Path, wait: impl FnOnce()) -> Option<File> {
    let folder = File::open(out).ok()?;
    if let Err(fs::TryLockError::WouldBlock) = folder.try_lock() {
        wait();
        folder.lock().ok()?;
    }
    Some(folder)
}

/// Keeps builds from writing to the output folder while it is read, where the file system has locks.
pub fn lock_for_reading(out: &Path) -> Option<File> {
    let folder = File::open(out).ok()?;
    folder.lock_shared().ok()?;
    Some(folder)
}
