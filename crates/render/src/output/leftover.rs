//! Staging folders that are done with: our own at the end, and those of killed builds.
//!
//! A staging folder is `.slosmith-staging-PID-N` in the output folder. It holds a slot `N.SERVICE` for each service
//! ([`super::exchange`]). A file in one that slosmith did not write and that is not in the live folder is the only copy:
//! it goes back first. Then the staging folder becomes `.slosmith-trash-PID-N`, of which nothing is wanted any more.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::exchange::Slot;
use super::manifest::Manifest;
use super::temporary::{is_one, unused};
use super::{OutputError, exists};

const STAGING: &str = ".slosmith-staging-";
const TRASH: &str = ".slosmith-trash-";

pub(super) fn new_staging(out: &Path) -> Result<PathBuf, OutputError> {
    let made = unused(out, STAGING, |path| {
        fs::create_dir(path).map(|()| path.to_owned())
    });
    made.map_err(OutputError::io(out))
}

fn rename(out: &Path, from: &Path, prefix: &str) -> Result<PathBuf, OutputError> {
    let renamed = unused(out, prefix, |to| match exists(to) {
        true => Err(ErrorKind::AlreadyExists.into()),
        false => fs::rename(from, to).map(|()| to.to_owned()),
    });
    renamed.map_err(OutputError::io(from))
}

/// Clears away what killed builds left, and returns what could not be: it does no harm where it is.
pub(super) fn clear(out: &Path) -> Result<Vec<OutputError>, OutputError> {
    let mut left = Vec::new();
    for entry in fs::read_dir(out).map_err(OutputError::io(out))? {
        let path = entry.map_err(OutputError::io(out))?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let done = match name.filter(|_| is_folder(&path)) {
            Some(name) if is_one(name, STAGING) => take_over(out, &path),
            Some(name) if is_one(name, TRASH) => slots(out, &path).and_then(|_| remove(&path)),
            _ => Ok(()),
        };
        left.extend(done.err());
    }
    Ok(left)
}

fn take_over(out: &Path, staging: &Path) -> Result<(), OutputError> {
    slots(out, staging)?;
    // Where builds cannot lock each other out, the owner of one that is in use finds it gone, and fails.
    let staging = rename(out, staging, STAGING)?;
    recover(out, &staging)?;
    discard(out, &staging)
}

/// Brings back what a build had not finished with.
///
/// # Errors
/// When reading or writing fails; the rest is where the error says, and a later build tries again.
pub(super) fn recover(out: &Path, staging: &Path) -> Result<(), OutputError> {
    slots(out, staging)?.iter().try_for_each(Slot::recover)
}

/// Removes a staging folder of which nothing is wanted any more.
///
/// # Errors
/// When reading or writing fails; the rest does no harm, and a later build tries again.
pub(super) fn discard(out: &Path, staging: &Path) -> Result<(), OutputError> {
    remove(&rename(out, staging, TRASH)?)
}

fn slots(out: &Path, staging: &Path) -> Result<Vec<Slot>, OutputError> {
    let mut slots = Vec::new();
    for entry in fs::read_dir(staging).map_err(OutputError::io(staging))? {
        let path = entry.map_err(OutputError::io(staging))?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let service = name
            .and_then(|name| name.split_once('.'))
            .filter(|(number, _)| number.parse::<usize>().is_ok())
            .map(|(_, service)| service);
        match service.filter(|service| super::check_inside(service).is_ok()) {
            Some(service) if is_folder(&path) => slots.push(Slot {
                live: out.join(service),
                path,
            }),
            _ => return Err(OutputError::NotOurs(path)),
        }
    }
    Ok(slots)
}

impl Slot {
    fn recover(&self) -> Result<(), OutputError> {
        let aside = self.aside();
        if exists(&aside) && !exists(&self.live) {
            return fs::rename(&aside, &self.live).map_err(OutputError::io(&aside));
        }
        for old in [aside, self.fresh()] {
            if exists(&old) && exists(&self.live) {
                rescue(&old, &self.live, newer)?;
            }
        }
        Ok(())
    }
}

/// Moves what is not ours from a folder that was live to the one that is, unless it is there already: what had
/// no hard link, and what was written during the build. Of two different files `wins` decides.
///
/// # Errors
/// When reading or writing fails, or a generated file is in the way; the rest is where the error says.
pub(super) fn rescue(
    old: &Path,
    live: &Path,
    wins: fn(&Metadata, &Metadata) -> bool,
) -> Result<(), OutputError> {
    let (before, now) = (Manifest::read(old)?, Manifest::read(live)?);
    for entry in walkdir::WalkDir::new(old).sort_by_file_name() {
        let entry = entry.map_err(|e| OutputError::io(old)(e.into()))?;
        let path = entry.path().strip_prefix(old).unwrap_or(entry.path());
        let owned = |by: &Manifest| {
            path.to_str()
                .is_some_and(|p| by.owns(&p.replace('\\', "/")))
        };
        if entry.file_type().is_dir() || owned(&before) {
            continue;
        }
        let (from, to) = (entry.path(), live.join(path));
        let found = fs::symlink_metadata(from).map_err(OutputError::io(from))?;
        match fs::symlink_metadata(&to) {
            Ok(there) if same(&found, &there) => {}
            Ok(_) if owned(&now) => return Err(OutputError::Foreign(from.to_owned())),
            Ok(there) if !wins(&found, &there) => {}
            _ => bring(from, &to)?,
        }
    }
    Ok(())
}

fn bring(from: &Path, to: &Path) -> Result<(), OutputError> {
    let parent = to.parent().unwrap_or(to);
    let moved = fs::create_dir_all(parent).and_then(|()| fs::rename(from, to));
    moved.map_err(OutputError::io(from))
}

/// For files of killed builds: the one that was written last.
fn newer(old: &Metadata, live: &Metadata) -> bool {
    matches!((old.modified(), live.modified()), (Ok(old), Ok(live)) if old > live)
}

#[cfg(unix)]
fn same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// True for two links to one file, as far as is known here.
#[cfg(not(unix))]
fn same(a: &Metadata, b: &Metadata) -> bool {
    (a.len(), a.modified().ok()) == (b.len(), b.modified().ok())
}

/// True for a folder, false for a link to one.
fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_dir())
}

/// Removes a folder and all in it, also below folders that may not be written to: their like is in the live
/// folder.
fn remove(path: &Path) -> Result<(), OutputError> {
    let removed = fs::remove_dir_all(path).or_else(|error| match error.kind() {
        ErrorKind::PermissionDenied => open(path).and_then(|()| fs::remove_dir_all(path)),
        _ => Err(error),
    });
    removed.map_err(OutputError::io(path))
}

/// Lets us write to a folder and to all folders below it.
#[cfg(unix)]
fn open(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            open(&entry.path())?;
        }
    }
    Ok(())
}

/// Here, folders have no permissions that keep one from removing them.
#[cfg(not(unix))]
fn open(_: &Path) -> std::io::Result<()> {
    Ok(())
}
