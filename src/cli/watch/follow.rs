//! Watches folders for changes.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use anyhow::{Error, Result, anyhow};
use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

/// Editors write several times: the pause that ends a series of changes.
const MOMENT: Duration = Duration::from_millis(200);
/// The longest wait for a pause, if changes never stop.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) struct Follower {
    watcher: RecommendedWatcher,
    events: Receiver<notify::Result<Event>>,
    /// Each by itself, without the folders in it.
    folders: BTreeSet<PathBuf>,
}

impl Follower {
    pub(super) fn new() -> Result<Self> {
        let (tell, events) = mpsc::channel();
        Ok(Self {
            watcher: notify::recommended_watcher(tell).map_err(explained)?,
            events,
            folders: BTreeSet::new(),
        })
    }

    /// Follows these folders and no others; true when one of them was not followed before.
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
                // Removed or unreadable: the parent folder is watched, too.
                Err(error) if is_out_of_reach(&error) => {}
                Err(error) => return Err(explained(error)),
            }
        }
        Ok(self.folders.len() > before)
    }

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

    /// True for changes; false for read access, such as our own.
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
            // A new folder with this name is another folder.
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

fn explained(error: notify::Error) -> Error {
    /// "Too many open files", where Linux says so.
    const EMFILE: i32 = 24;
    let limit = match &error.kind {
        ErrorKind::MaxFilesWatch => "max_user_watches",
        ErrorKind::Io(io) if io.raw_os_error() == Some(EMFILE) => "max_user_instances",
        _ => return Error::from(error).context("cannot watch files"),
    };
    anyhow!(
        "cannot watch files: other programs use all inotify watches of the system; stop some of them, or raise the limit: \
        `sudo sysctl fs.inotify.{limit}=N` (`sysctl fs.inotify` shows it)"
    )
}
