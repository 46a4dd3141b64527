//! Files that are written beside the one they will replace.
//!
//! Each is locked for as long as it is written, so one without a lock was left by a run that was killed.

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Result};
use std::path::{Path, PathBuf};

use super::exists;
use super::temporary::{is_one, unused};

/// How their names begin.
const NEW: &str = ".slosmith-new-";

pub(super) struct Beside(PathBuf);

impl Beside {
    /// Makes one; a private one is at first readable by its owner alone.
    pub(super) fn create(folder: &Path, private: bool) -> Result<(Self, File)> {
        unused(folder, NEW, |path| {
            let file = options(private).open(path)?;
            let fresh = Self(path.to_owned());
            // Another run may have taken it for a leftover before it was locked.
            let swept = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
            match !swept && exists(path) {
                true => Ok((fresh, file)),
                false => Err(ErrorKind::AlreadyExists.into()),
            }
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn rename(mut self, target: &Path) -> Result<()> {
        fs::rename(&self.0, target)?;
        // Forgets the name, so that the file is not removed.
        self.0.clear();
        Ok(())
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if !self.0.as_os_str().is_empty() {
            // The next run removes a leftover.
            let _ = fs::remove_file(&self.0);
        }
    }
}

fn options(private: bool) -> fs::OpenOptions {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = private;
    options
}

pub(super) fn sweep(folder: &Path) {
    // A folder that cannot be listed is no reason not to write a file in it.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file && is_one(&entry.file_name().to_string_lossy(), NEW) {
            remove_unlocked(&entry.path());
        }
    }
}

fn remove_unlocked(path: &Path) {
    let Ok(file) = File::options().write(true).open(path) else {
        return;
    };
    if file.try_lock().is_ok() {
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_leftovers_of_runs_that_are_over_are_swept() {
        let folder = tempfile::tempdir().expect("a folder");
        let (live, _file) = Beside::create(folder.path(), true).expect("made");
        let leftover = folder.path().join(".slosmith-new-1-0");
        let others = [
            "a.yaml",
            ".slosmith-new-1",
            ".slosmith-new-1-x",
            ".slosmith-new-",
        ];
        let others = others.map(|name| folder.path().join(name));
        for path in others.iter().chain([&leftover]) {
            fs::write(path, "text").expect("a file");
        }
        let inner = folder.path().join(".slosmith-new-2-0");
        fs::create_dir(&inner).expect("a folder");
        sweep(folder.path());
        assert!(!leftover.exists());
        for path in others.iter().chain([&inner, &live.0]) {
            assert!(path.exists(), "{}", path.display());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_private_file_is_nobody_elses_from_the_start() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let (_fresh, file) = Beside::create(folder.path(), true).expect("made");
        let mode = file.metadata().expect("metadata").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
