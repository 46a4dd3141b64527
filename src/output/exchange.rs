//! Writing a service folder beside its place, and exchanging the two by rename.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Change, Folder, MANIFEST, OutputError, changes, manifest};

/// Brings a service folder up to date; says what changed. Nothing is touched when nothing changed.
///
/// # Errors
/// When the disk refuses; the folder is then as it was.
pub fn write(
    out: &Path,
    folder: &Folder,
) -> Result<std::collections::BTreeMap<String, Change>, OutputError> {
    let changed = changes(out, folder)?;
    if changed.is_empty() {
        return Ok(changed);
    }
    fs::create_dir_all(out).map_err(OutputError::io(out))?;
    let root = out.join(&folder.service);
    let fresh = Temporary::new(out, &folder.service, "new")?;
    let result = fill(&root, &fresh.0, folder).and_then(|()| swap(out, &root, &fresh.0, folder));
    result.map(|()| changed)
}

/// Removes a service folder's files of ours, and the folder if nothing else is in it.
///
/// # Errors
/// When the disk refuses.
pub fn remove(out: &Path, service: &str) -> Result<(), OutputError> {
    let empty = Folder::new(service, Vec::new(), Vec::new())?;
    write(out, &empty)?;
    let root = out.join(service);
    let left = root.join(MANIFEST);
    fs::remove_file(&left).map_err(OutputError::io(&left))?;
    if is_empty(&root)? {
        fs::remove_dir(&root).map_err(OutputError::io(&root))?;
    }
    Ok(())
}

/// A folder that goes away when the build fails half-way.
struct Temporary(PathBuf);

impl Temporary {
    fn new(out: &Path, service: &str, what: &str) -> Result<Self, OutputError> {
        let path = out.join(format!(".{service}.{what}.{}", std::process::id()));
        if path.exists() {
            fs::remove_dir_all(&path).map_err(OutputError::io(&path))?;
        }
        Ok(Self(path))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if self.0.exists() {
            // A leftover is ugly but harmless; the error that led here matters more.
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}

/// Writes our files, and carries over everything else that stands in the old folder.
fn fill(root: &Path, fresh: &Path, folder: &Folder) -> Result<(), OutputError> {
    fs::create_dir_all(fresh).map_err(OutputError::io(fresh))?;
    let ours = manifest::read(root)?;
    let paths = manifest::paths(folder, &ours);
    for (path, text) in &folder.files {
        put(&fresh.join(path), text)?;
    }
    put(&fresh.join(MANIFEST), &manifest::text(&paths))?;
    if !root.exists() {
        return Ok(());
    }
    for entry in walkdir::WalkDir::new(root).min_depth(1).sort_by_file_name() {
        let entry = entry.map_err(|e| OutputError::io(root)(e.into()))?;
        let path = entry.path().strip_prefix(root).unwrap_or(entry.path());
        let name = path.to_string_lossy().replace('\\', "/");
        let dropped = ours.contains(&name) && !paths.contains(&name);
        if entry.file_type().is_dir()
            || dropped
            || name == MANIFEST
            || folder.files.contains_key(&name)
        {
            continue;
        }
        carry(entry.path(), &fresh.join(path))?;
    }
    Ok(())
}

fn put(path: &Path, text: &str) -> Result<(), OutputError> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(OutputError::io(parent))?;
    }
    fs::write(path, text).map_err(OutputError::io(path))
}

fn carry(from: &Path, to: &Path) -> Result<(), OutputError> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).map_err(OutputError::io(parent))?;
    }
    // A hard link keeps times and permissions; where there are none, a copy does.
    fs::hard_link(from, to)
        .or_else(|_| fs::copy(from, to).map(drop))
        .map_err(OutputError::io(from))
}

fn swap(out: &Path, root: &Path, fresh: &Path, folder: &Folder) -> Result<(), OutputError> {
    if !root.exists() {
        return fs::rename(fresh, root).map_err(OutputError::io(root));
    }
    let old = Temporary::new(out, &folder.service, "old")?;
    fs::rename(root, &old.0).map_err(OutputError::io(root))?;
    if let Err(error) = fs::rename(fresh, root) {
        // Put the old folder back: a failed build changes nothing.
        let _ = fs::rename(&old.0, root);
        return Err(OutputError::io(root)(error));
    }
    Ok(())
}

fn is_empty(folder: &Path) -> Result<bool, OutputError> {
    let mut entries = fs::read_dir(folder).map_err(OutputError::io(folder))?;
    Ok(entries.next().is_none())
}
