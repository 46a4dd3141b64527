//! The only module that writes to disk.
//!
//! One service folder is the unit: it is written beside its place and exchanged by rename, so that a failed
//! build changes nothing and nobody ever sees half of one. A manifest names what is ours; files of other
//! people in the folder are carried over.

mod exchange;
mod manifest;
mod replace;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use exchange::{remove, write};
pub use manifest::MANIFEST;
pub use replace::{ReplaceError, replace_file};

use crate::target::OutFile;

/// Something on disk that is not as it should be.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// Reading or writing failed.
    #[error("{}: {source}", .path.display())]
    Io {
        /// What was read or written.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
    /// A manifest that we did not write.
    #[error("{}: this is no manifest of ours: {why}", .path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A path that would leave the output folder.
    #[error("`{0}` would leave the output folder")]
    Escape(String),
    /// Somebody else's file stands where one of ours must go.
    #[error("{}: this file is not ours; move it away, or build somewhere else", .0.display())]
    Foreign(PathBuf),
}

impl OutputError {
    fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }
}

/// What a build is to leave in one service folder.
#[derive(Debug)]
pub struct Folder {
    /// Name of the service.
    pub service: String,
    /// All files of ours, by path.
    pub files: BTreeMap<String, String>,
    /// Target folders that this build does not touch, because only others were asked for.
    pub kept: Vec<String>,
}

impl Folder {
    /// Gathers generated files.
    ///
    /// # Errors
    /// When a path would leave the folder.
    pub fn new(service: &str, files: Vec<OutFile>, kept: Vec<String>) -> Result<Self, OutputError> {
        let mut all = BTreeMap::new();
        for file in files {
            check_inside(&file.path)?;
            all.insert(file.path, file.text);
        }
        check_inside(service)?;
        Ok(Self {
            service: service.to_owned(),
            files: all,
            kept,
        })
    }
}

/// Paths are made from names that were checked; this is the wall behind that.
fn check_inside(path: &str) -> Result<(), OutputError> {
    let fine = |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains('\\');
    if path.split('/').all(fine) {
        Ok(())
    } else {
        Err(OutputError::Escape(path.to_owned()))
    }
}

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

/// All differences between a service folder on disk and what it should be.
///
/// # Errors
/// When the folder cannot be read, or somebody else's file stands in the way.
pub fn changes(out: &Path, folder: &Folder) -> Result<BTreeMap<String, Change>, OutputError> {
    let root = out.join(&folder.service);
    let ours = manifest::read(&root)?;
    let mut changes = BTreeMap::new();
    for (path, text) in &folder.files {
        match read(&root.join(path))? {
            None => {
                changes.insert(path.clone(), Change::Added);
            }
            Some(found) if found == *text => {}
            Some(_) if !ours.contains(path) => {
                return Err(OutputError::Foreign(root.join(path)));
            }
            Some(found) => {
                changes.insert(path.clone(), Change::Modified(found));
            }
        }
    }
    let kept = |path: &str| {
        folder
            .kept
            .iter()
            .any(|k| path.starts_with(&format!("{k}/")))
    };
    for path in ours
        .iter()
        .filter(|p| !folder.files.contains_key(*p) && !kept(p))
    {
        if let Some(found) = read(&root.join(path))? {
            changes.insert(path.clone(), Change::Removed(found));
        }
    }
    let listed = manifest::text(&manifest::paths(folder, &ours));
    if read(&root.join(MANIFEST))?.as_deref() != Some(&listed) && changes.is_empty() {
        changes.insert(MANIFEST.into(), Change::Added);
    }
    Ok(changes)
}

/// Service folders of ours that no spec asks for any more.
///
/// # Errors
/// When the output folder cannot be read.
pub fn stale_services(out: &Path, wanted: &[&str]) -> Result<Vec<String>, OutputError> {
    let mut stale = Vec::new();
    let entries = match std::fs::read_dir(out) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(stale),
        Err(error) => return Err(OutputError::io(out)(error)),
    };
    for entry in entries {
        let entry = entry.map_err(OutputError::io(out))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let ours = entry.path().join(MANIFEST).is_file();
        if ours && !name.starts_with('.') && !wanted.contains(&name.as_str()) {
            stale.push(name);
        }
    }
    stale.sort();
    Ok(stale)
}

/// The text of a file; `None` when there is none.
fn read(path: &Path) -> Result<Option<String>, OutputError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(OutputError::io(path)(error)),
    }
}
