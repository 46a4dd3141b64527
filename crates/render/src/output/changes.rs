//! How a service folder on disk differs from what it should be. Nothing is written here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::manifest::Manifest;
use super::{Claims, Digest, Folder, MANIFEST, OutputError, memory, read};
use slosmith_text::input;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Added,
    /// It says something else: the text on disk.
    Modified(String),
    /// It should not be there any more: the text on disk.
    Removed(String),
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changes {
    pub files: BTreeMap<String, Change>,
    /// True when no file differs, and the manifest has no fingerprint of inputs yet.
    pub inputs_only: bool,
    /// The slosmith that last changed a file of the folder, if its manifest names it.
    pub version: Option<String>,
    /// True where nothing differs, and the manifest has the fingerprint of other inputs.
    pub later_inputs: bool,
}

impl Changes {
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && !self.inputs_only
    }
}

/// All differences between a service folder on disk and what it should be.
pub fn changes(out: &Path, folder: &Folder) -> Result<Changes, OutputError> {
    if out.exists() && !out.is_dir() {
        return Err(OutputError::NotAFolder(out.to_owned()));
    }
    let root = out.join(&folder.service);
    if !super::exists(&root) {
        let all = folder.files.keys().cloned();
        return Ok(Changes {
            files: all.map(|path| (path, Change::Added)).collect(),
            ..Changes::default()
        });
    }
    for path in folders(&root, folder.files.keys()) {
        check_folder(&path)?;
    }
    let before = Manifest::read(&root)?;
    let wanted = Manifest::of(folder, &before);
    let mut files = file_changes(&root, folder, &before, &wanted)?;
    let mut inputs_only = false;
    if files.is_empty() {
        let found = read(&root.join(MANIFEST))?.map(lossy);
        match manifest_change(found, &before, &wanted) {
            Some(change) => drop(files.insert(MANIFEST.to_owned(), change)),
            None => inputs_only = wanted.inputs.is_some() && before.inputs.is_none(),
        }
    }
    let same = files.is_empty() && !inputs_only && wanted.claims == before.claims;
    Ok(Changes {
        files,
        inputs_only,
        later_inputs: same && wanted.inputs.is_some() && wanted.inputs != before.inputs,
        version: before.version,
    })
}

fn file_changes(
    root: &Path,
    folder: &Folder,
    before: &Manifest,
    wanted: &Manifest,
) -> Result<BTreeMap<String, Change>, OutputError> {
    let mut changes = BTreeMap::new();
    for (path, text) in &folder.files {
        if let Some(change) = change(&root.join(path), text, before.files.contains_key(path))? {
            changes.insert(path.clone(), change);
        }
    }
    for path in before.files.keys().filter(|path| !wanted.owns(path)) {
        if let Some(found) = read(&root.join(path))? {
            changes.insert(path.clone(), Change::Removed(lossy(found)));
        }
    }
    Ok(changes)
}

/// One generated file; another file at its place may only be replaced when it is equal.
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

/// The manifest alone lists other files or other fingerprints: files were deleted by hand, or it was edited.
fn manifest_change(found: Option<String>, before: &Manifest, wanted: &Manifest) -> Option<Change> {
    match found {
        None => (!wanted.files.is_empty()).then_some(Change::Added),
        Some(text) if wanted.files.is_empty() => Some(Change::Removed(text)),
        Some(text) => (before.files != wanted.files).then_some(Change::Modified(text)),
    }
}

/// Text to show; bytes that are not text are not a generated file.
fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

/// Every folder that files go through, outermost first.
fn folders<'a>(root: &Path, files: impl Iterator<Item = &'a String>) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::from([root.to_owned()]);
    for path in files {
        for (at, _) in path.match_indices('/') {
            found.insert(root.join(&path[..at]));
        }
    }
    found
}

/// A service folder is a folder, or nothing yet. A link is rejected below the output folder: what it leads
/// to would be left behind, or be written through.
fn check_folder(path: &Path) -> Result<(), OutputError> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(OutputError::NotAFolder(path.to_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(OutputError::io(path)(error)),
    }
}

/// A service that an earlier build wrote.
#[derive(Debug)]
pub struct Earlier {
    pub service: String,
    pub claims: Claims,
}

/// Which service folder was built from which inputs.
///
/// # Errors
/// When the output folder cannot be read. A manifest that cannot be read is reported when its service is built.
pub fn built_from(out: &Path) -> Result<BTreeMap<Digest, Earlier>, OutputError> {
    let mut found = BTreeMap::new();
    let known = memory::known(out);
    for service in services(out)? {
        let manifest = Manifest::read(&out.join(&service)).unwrap_or_default();
        let later = known.get(&service).copied();
        for inputs in manifest.inputs.into_iter().chain(later) {
            let (service, claims) = (service.clone(), manifest.claims.clone());
            found.insert(inputs, Earlier { service, claims });
        }
    }
    Ok(found)
}

/// Number of files of a service folder in which every generated file is as the manifest lists it; `None` when
/// one is not, or nothing is known of one.
pub fn intact(out: &Path, service: &str) -> Option<usize> {
    let root = out.join(service);
    let manifest = Manifest::read(&root).ok()?;
    for path in folders(&root, manifest.files.keys()) {
        check_folder(&path).ok()?;
    }
    let as_listed = |(path, digest): (&String, &Option<Digest>)| {
        let found = read(&root.join(path)).ok().flatten();
        found.is_some_and(|bytes| Some(Digest::of(&bytes)) == *digest)
    };
    let all = manifest.files.iter().all(as_listed);
    all.then_some(manifest.files.len())
}

/// Generated service folders that no spec asks for any more, sorted.
pub fn stale_services(out: &Path, wanted: &BTreeSet<&str>) -> Result<Vec<String>, OutputError> {
    let mut stale = services(out)?;
    stale.retain(|name| !wanted.contains(name.as_str()));
    Ok(stale)
}

fn services(out: &Path) -> Result<Vec<String>, OutputError> {
    let mut found = Vec::new();
    let entries = match fs::read_dir(out) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(found),
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            return Err(OutputError::NotAFolder(out.to_owned()));
        }
        Err(error) => return Err(OutputError::io(out)(error)),
    };
    for entry in entries {
        let entry = entry.map_err(OutputError::io(out))?;
        // Services have plain names: any other folder is not ours, or an unfinished one of ours.
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        if !name.starts_with('.') && input::is_file(&entry.path().join(MANIFEST)) {
            found.push(name);
        }
    }
    found.sort();
    Ok(found)
}
