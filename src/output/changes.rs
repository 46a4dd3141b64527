//! How a service folder on disk differs from what it should be. Nothing is written here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::{Folder, MANIFEST, OutputError, manifest, read};

/// How one file differs from what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is missing.
    Added,
    /// It says something else: the text on disk.
    Modified(String),
    /// It should not be there any more: the text on disk.
    Removed(String),
}

/// All differences between a service folder on disk and what it should be, by path.
///
/// # Errors
/// When the folder cannot be read, or something of somebody else's stands in the way.
pub fn changes(out: &Path, folder: &Folder) -> Result<BTreeMap<String, Change>, OutputError> {
    if out.exists() && !out.is_dir() {
        return Err(OutputError::NotAFolder(out.to_owned()));
    }
    let root = out.join(&folder.service);
    if root
        .symlink_metadata()
        .is_err_and(|e| e.kind() == ErrorKind::NotFound)
    {
        let all = folder.files.keys().cloned();
        return Ok(all.map(|path| (path, Change::Added)).collect());
    }
    for path in folders(&root, folder) {
        check_folder(&path)?;
    }
    let ours = manifest::read(&root)?;
    let mut changes = BTreeMap::new();
    for (path, text) in &folder.files {
        if let Some(change) = change(&root.join(path), text, ours.contains(path))? {
            changes.insert(path.clone(), change);
        }
    }
    let wanted = manifest::paths(folder, &ours);
    for path in ours.difference(&wanted) {
        if let Some(found) = read(&root.join(path))? {
            changes.insert(path.clone(), Change::Removed(lossy(found)));
        }
    }
    if changes.is_empty()
        && let Some(change) = manifest_change(&root, &wanted)?
    {
        changes.insert(MANIFEST.to_owned(), change);
    }
    Ok(changes)
}

/// One file of ours; a stranger's may only stand in its place when it says the same.
fn change(path: &Path, text: &str, ours: bool) -> Result<Option<Change>, OutputError> {
    match read(path) {
        Ok(None) => Ok(Some(Change::Added)),
        Ok(Some(found)) if found == text.as_bytes() => Ok(None),
        Ok(Some(found)) if ours => Ok(Some(Change::Modified(lossy(found)))),
        Ok(Some(_)) => Err(OutputError::Foreign(path.to_owned())),
        Err(_) if path.is_dir() => Err(OutputError::Foreign(path.to_owned())),
        Err(error) => Err(error),
    }
}

/// The manifest alone differs: files were deleted by hand, or it was.
fn manifest_change(root: &Path, wanted: &BTreeSet<String>) -> Result<Option<Change>, OutputError> {
    let found = read(&root.join(MANIFEST))?.map(lossy);
    let wanted = (!wanted.is_empty()).then(|| manifest::text(wanted));
    Ok(match found {
        found if found == wanted => None,
        None => Some(Change::Added),
        Some(found) if wanted.is_some() => Some(Change::Modified(found)),
        Some(found) => Some(Change::Removed(found)),
    })
}

/// For showing: bytes that are no text are nobody's generated file.
fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

/// Every folder that our files go through, outermost first.
fn folders(root: &Path, folder: &Folder) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::from([root.to_owned()]);
    for path in folder.files.keys() {
        for (at, _) in path.match_indices('/') {
            found.insert(root.join(&path[..at]));
        }
    }
    found
}

/// A folder of ours is a folder, or nothing yet. A link is refused below the output folder: what it leads
/// to would be left behind, or be written through.
fn check_folder(path: &Path) -> Result<(), OutputError> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(OutputError::NotAFolder(path.to_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(OutputError::io(path)(error)),
    }
}

/// Service folders of ours that no spec asks for any more, sorted.
///
/// # Errors
/// When the output folder cannot be read.
pub fn stale_services(out: &Path, wanted: &BTreeSet<&str>) -> Result<Vec<String>, OutputError> {
    let mut stale = Vec::new();
    let entries = match fs::read_dir(out) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(stale),
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            return Err(OutputError::NotAFolder(out.to_owned()));
        }
        Err(error) => return Err(OutputError::io(out)(error)),
    };
    for entry in entries {
        let entry = entry.map_err(OutputError::io(out))?;
        // Services have plain names: whatever does not is somebody else's, or ours half-way.
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let ours = entry.path().join(MANIFEST).is_file();
        if ours && !name.starts_with('.') && !wanted.contains(name.as_str()) {
            stale.push(name);
        }
    }
    stale.sort();
    Ok(stale)
}
