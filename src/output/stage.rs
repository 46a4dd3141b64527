//! A service folder as it is to be, written beside its place.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Folder, MANIFEST, OutputError, changes, manifest, read};

/// Writes everything that `folder` is to hold into `fresh`, and carries over what is not ours.
///
/// # Errors
/// When the disk refuses, or something of somebody else's stands in the way.
pub(super) fn fill(out: &Path, folder: &Folder, fresh: &Path) -> Result<(), OutputError> {
    let root = out.join(&folder.service);
    let exists = root.symlink_metadata().is_ok();
    let before = if exists {
        // Asked again, now that nobody else writes here: what was in nobody's way before may be by now.
        changes(out, folder)?;
        manifest::read(&root)?
    } else {
        BTreeSet::new()
    };
    let ours = manifest::paths(folder, &before);
    make_folders(fresh, folder)?;
    let put = |path: &str, text: &str| {
        let old = exists.then(|| root.join(path));
        put(old.as_deref(), &fresh.join(path), text)
    };
    for (path, text) in &folder.files {
        put(path, text)?;
    }
    if !ours.is_empty() {
        put(MANIFEST, &manifest::text(&ours))?;
    }
    if exists {
        carry_rest(&root, fresh, folder, &Owned { before, ours })?;
    }
    Ok(())
}

/// Each folder once: asking for every file again would take as long as writing it.
fn make_folders(fresh: &Path, folder: &Folder) -> Result<(), OutputError> {
    let parent = |path: &String| Some(path.rsplit_once('/')?.0.to_owned());
    let inner: BTreeSet<String> = folder.files.keys().filter_map(parent).collect();
    let all = std::iter::once(fresh.to_owned()).chain(inner.iter().map(|path| fresh.join(path)));
    for path in all {
        fs::create_dir_all(&path).map_err(OutputError::io(&path))?;
    }
    Ok(())
}

/// Our files: those of the last build, and those that will be.
struct Owned {
    before: BTreeSet<String>,
    ours: BTreeSet<String>,
}

impl Owned {
    /// True for a file that this build writes or drops.
    fn decides(&self, path: &str, folder: &Folder) -> bool {
        let dropped = self.before.contains(path) && !self.ours.contains(path);
        path == MANIFEST || dropped || folder.files.contains_key(path)
    }

    /// True for a folder that exists only because files of ours were in it.
    fn made(&self, path: &str) -> bool {
        let inside = format!("{path}/");
        let next = self.before.range(inside.clone()..).next();
        next.is_some_and(|p| p.starts_with(&inside))
    }
}

fn carry_rest(
    root: &Path,
    fresh: &Path,
    folder: &Folder,
    owned: &Owned,
) -> Result<(), OutputError> {
    let mut folders = Vec::new();
    for entry in walkdir::WalkDir::new(root).sort_by_file_name() {
        let entry = entry.map_err(|e| OutputError::io(root)(e.into()))?;
        let path = entry.path().strip_prefix(root).unwrap_or(entry.path());
        let (old, new) = (entry.path(), fresh.join(path));
        // A name that is not UTF-8 is none of ours.
        let name = path.to_str().map(|p| p.replace('\\', "/"));
        if entry.file_type().is_dir() {
            if !name.is_some_and(|n| owned.made(&n)) {
                fs::create_dir_all(&new).map_err(OutputError::io(&new))?;
            }
            folders.push((old.to_owned(), new));
        } else if !name.is_some_and(|n| owned.decides(&n, folder)) {
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

/// A file that stays the same stays the same file, times and all.
fn put(old: Option<&Path>, new: &Path, text: &str) -> Result<(), OutputError> {
    match old {
        Some(old) if read(old)?.is_some_and(|found| found == text.as_bytes()) => carry(old, new),
        _ => fs::write(new, text).map_err(OutputError::io(new)),
    }
}

fn make_parent(path: &Path) -> Result<(), OutputError> {
    let parent = path.parent().map(PathBuf::from).unwrap_or_default();
    fs::create_dir_all(&parent).map_err(OutputError::io(&parent))
}

/// A hard link keeps times, permissions and what a symbolic link says; where there are none, a copy does.
fn carry(from: &Path, to: &Path) -> Result<(), OutputError> {
    fs::hard_link(from, to)
        .or_else(|_| fs::copy(from, to).map(drop))
        .map_err(OutputError::io(from))
}
