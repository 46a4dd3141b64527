//! Waits for changes in folders.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use anyhow::{Error, Result, anyhow};
use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

/// Editors write several times: how long nothing more must come.
const MOMENT: Duration = Duration::from_millis(200);
/// The longest wait for such a moment, where something is written all the time.
const PATIENCE: Duration = Duration::from_secs(2);

/// Tells when something in folders may have changed.
pub(super) struct Follower {
    watcher: RecommendedWatcher,
    events: Receiver<notify::Result<Event>>,
    /// Each by itself, without the folders in it.
    folders: BTreeSet<PathBuf>,
}

impl Follower {
    /// # Errors
    /// When the system gives no more of these.
    pub(super) fn new() -> Result<Self> {
        let (tell, events) = mpsc::channel();
        Ok(Self {
            watcher: notify::recommended_watcher(tell).map_err(explained)?,
            events,
            folders: BTreeSet::new(),
        })
    }

    /// Follows these folders and no others; true when one of them was not followed before.
    ///
    /// # Errors
    /// When the system allows no more folders.
    pub(super) fn follow(&mut self, folders: &BTreeSet<PathBuf>) -> Result<bool> {
        let stale: Vec<_> = self.folders.difference(folders).cloned().collect();
        stale.iter().for_each(|folder| self.leave(folder));
        let before = self.folders.len();
        for folder in folders {
            if self.folders.contains(folder) {
                continue;
            }
            match self.watcher.watch(folder, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.folders.insert(folder.clone());
                }
                // Gone by now, or nothing in it can be read: what is above it tells when that changes.
                Err(error) if is_out_of_reach(&error) => {}
                Err(error) => return Err(explained(error)),
            }
        }
        Ok(self.folders.len() > before)
    }

    /// Waits until something may have changed, and then until nothing more comes for a moment.
    ///
    /// # Errors
    /// When changes can no longer be followed.
    pub(super) fn wait(&mut self) -> Result<()> {
        while !self.note(self.events.recv()?)? {}
        let first = Instant::now();
        let mut quiet = first + MOMENT;
        loop {
            let until = quiet.min(first + PATIENCE);
            let left = until.saturating_duration_since(Instant::now());
            let Ok(event) = self.events.recv_timeout(left) else {
                return Ok(());
            };
            if self.note(event)? {
                quiet = Instant::now() + MOMENT;
            }
        }
    }

    /// True for what is no mere look at a file: such are our own.
    fn note(&mut self, event: notify::Result<Event>) -> Result<bool> {
        let Event { kind, paths, .. } = event.map_err(explained)?;
        let written = AccessKind::Close(AccessMode::Write);
        if matches!(kind, EventKind::Access(access) if access != written) {
            return Ok(false);
        }
        if matches!(
            kind,
            EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))
        ) {
            // Whatever has the name next is another folder.
            let gone = |folder: &&PathBuf| paths.iter().any(|path| folder.starts_with(path));
            let gone: Vec<_> = self.folders.iter().filter(gone).cloned().collect();
            gone.iter().for_each(|folder| self.leave(folder));
        }
        Ok(true)
    }

    fn leave(&mut self, folder: &PathBuf) {
        self.folders.remove(folder);
        // The system has often dropped it by itself.
        let _ = self.watcher.unwatch(folder);
    }
}

fn is_out_of_reach(error: &notify::Error) -> bool {
    use std::io::ErrorKind as Io;
    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(io) => matches!(io.kind(), Io::NotFound | Io::PermissionDenied),
        _ => false,
    }
}

/// An error with what to do about it.
fn explained(error: notify::Error) -> Error {
    /// "Too many open files", where Linux says so.
    const EMFILE: i32 = 24;
    let limit = match &error.kind {
        ErrorKind::MaxFilesWatch => "max_user_watches",
        ErrorKind::Io(io) if io.raw_os_error() == Some(EMFILE) => "max_user_instances",
        _ => return Error::from(error).context("cannot watch files"),
    };
    anyhow!(
        "cannot watch files: other programs use all that the system allows; end some of them, or raise the limit: \
        `sudo sysctl fs.inotify.{limit}=N` (`sysctl fs.inotify` shows it)"
    )
}
