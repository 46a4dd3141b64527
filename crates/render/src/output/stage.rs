//! A service folder as it is to be, written beside its place.
//!
//! Every file here is new, or a further link to a live one: no file that is already visible is opened for writing.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::manifest::Manifest;
use super::{Folder, MANIFEST, OutputError, changes, exists, read};

/// Writes everything that `folder` is to hold into `fresh`, which is there and empty, and links what is not ours.
pub(super) fn fill(out: &Path, folder: &Folder, fresh: &Path) -> Result<(), OutputError> {
    let root = out.join(&folder.service);
    let live = exists(&root).then_some(root.as_path());
    let before = match live {
        Some(root) => {
            // Checked again under the lock: a file may have come in the way since the first check.
            changes(out, folder)?;
            Manifest::read(root)?
        }
        None => Manifest::default(),
    };
    let put = |path: &str, text: &str| put(live.map(|l| l.join(path)), &fresh.join(path), text);
    let wanted = Manifest::of(folder, &before);
    if !wanted.files.is_empty() {
        put(MANIFEST, &wanted.text())?;
    }
    make_folders(fresh, folder)?;
    for (path, text) in &folder.files {
        put(path, text)?;
    }
    match live {
        Some(root) => carry_rest(root, fresh, folder, &before),
        None => Ok(()),
    }
}

/// Each folder once: asking for every file again would take as long as writing it.
fn make_folders(fresh: &Path, folder: &Folder) -> Result<(), OutputError> {
    let parent = |path: &String| Some(path.rsplit_once('/')?.0.to_owned());
    let inner: BTreeSet<String> = folder.files.keys().filter_map(parent).collect();
    for path in inner.iter().map(|path| fresh.join(path)) {
        fs::create_dir_all(&path).map_err(OutputError::io(&path))?;
    }
    Ok(())
}

/// Links what this build does not decide about: files of other people, and of targets that were not asked for.
fn carry_rest(
    root: &Path,
    fresh: &Path,
    folder: &Folder,
    before: &Manifest,
) -> Result<(), OutputError> {
    let mut folders = Vec::new();
    for entry in walkdir::WalkDir::new(root).sort_by_file_name() {
        let entry = entry.map_err(|e| OutputError::io(root)(e.into()))?;
        let path = entry.path().strip_prefix(root).unwrap_or(entry.path());
        let (old, new) = (entry.path(), fresh.join(path));
        // No generated file has a name that is not UTF-8.
        let name = path.to_str().map(|p| p.replace('\\', "/"));
        if entry.file_type().is_dir() {
            if !name.is_some_and(|n| before.made(&n)) {
                fs::create_dir_all(&new).map_err(OutputError::io(&new))?;
            }
            folders.push((old.to_owned(), new));
        } else if !name.is_some_and(|n| decided(&n, folder, before)) {
            make_parent(&new)?;
            carry(old, &new)?;
        }
    }
    // Inner folders first: one that may not be written to must be full by then.
    for (old, new) in folders.into_iter().rev().filter(|(_, new)| new.exists()) {
        let mode = fs::metadata(&old).map_err(OutputError::io(&old))?;
        fs::set_permissions(&new, mode.permissions()).map_err(OutputError::io(&new))?;
    }
    Ok(())
}

fn decided(path: &str, folder: &Folder, before: &Manifest) -> bool {
    folder.files.contains_key(path) || (before.owns(path) && !folder.keeps(path))
}

/// A file that stays the same stays the same file, times and all, where the file system has hard links.
fn put(old: Option<PathBuf>, new: &Path, text: &str) -> Result<(), OutputError> {
    let same = match &old {
        Some(old) => read(old)?.is_some_and(|found| found == text.as_bytes()),
        None => false,
    };
    match old {
        Some(old) if same && fs::hard_link(&old, new).is_ok() => Ok(()),
        _ => write(new, text),
    }
}

/// A new file: what is at the path already is never written to.
fn write(path: &Path, text: &str) -> Result<(), OutputError> {
    let written = File::create_new(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(OutputError::io(path))
}

/// A hard link keeps times, permissions and what a symbolic link says. A file that cannot have one is moved when
/// the folders have been exchanged.
fn carry(from: &Path, to: &Path) -> Result<(), OutputError> {
    match fs::hard_link(from, to) {
        Err(error) if !cannot_be_linked(error.kind()) => Err(OutputError::io(from)(error)),
        _ => Ok(()),
    }
}

fn cannot_be_linked(why: ErrorKind) -> bool {
    use ErrorKind::{PermissionDenied, TooManyLinks, Unsupported};
    matches!(why, PermissionDenied | TooManyLinks | Unsupported)
}

fn make_parent(path: &Path) -> Result<(), OutputError> {
    let parent = path.parent().unwrap_or(path);
    fs::create_dir_all(parent).map_err(OutputError::io(parent))
}
