//! The only module that writes to disk.
//!
//! One service folder is the unit: it is written beside its place and exchanged by rename, so that nobody
//! ever sees half of one. All folders of a build are staged before the first is exchanged, so that a full
//! disk changes nothing. No file that somebody can see is ever opened for writing. A manifest names what is
//! ours; files of other people are linked into the new folder, or moved.
//!
//! ```text
//! generated/checkout/                           live
//! generated/.slosmith-staging-4711-0/1.checkout/draft    being written     ([`stage`])
//! generated/.slosmith-staging-4711-0/1.checkout/new      to be exchanged   ([`exchange`])
//! generated/.slosmith-trash-4711-0/                      being removed     ([`leftover`])
//! ```
//!
//! Files are not flushed to the medium: after a power cut, build again; the manifest shows which are not whole.
//! People's own files are flushed ([`replace`]).

mod beside;
mod changes;
mod digest;
mod exchange;
mod leftover;
mod manifest;
mod replace;
mod stage;
mod staging;
mod temporary;

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

pub use changes::{Change, Changes, built_from, changes, intact, stale_services};
pub use digest::Digest;
pub use manifest::{MANIFEST, ManifestError};
pub use replace::{ReplaceError, Writer};
pub use staging::{Staging, lock_for_reading};

use crate::input;
use crate::target::OutFile;

/// Something on disk that is not as it should be.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// Reading or writing failed.
    #[error("{}", .path.display())]
    Io {
        /// What was read or written.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
    /// A manifest that we did not write.
    #[error("{}: this is not one of our manifests: {why}", .path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong with it.
        why: ManifestError,
    },
    /// A path that would leave the output folder.
    #[error("`{0}` would leave the output folder")]
    Escape(String),
    /// Two generated files want the same path.
    #[error("`{0}` would be written twice")]
    Twice(String),
    /// A file that slosmith did not write is where a generated one must go.
    #[error("{}: this file is not ours; move it away, or build somewhere else", .0.display())]
    Foreign(PathBuf),
    /// Something in a staging folder that no build puts there.
    #[error("{}: no build put this into a staging folder; move it away", .0.display())]
    NotOurs(PathBuf),
    /// Something that is no folder, or a link to one, is where a service folder must go.
    #[error("{}: this is not a folder; move it away, or build somewhere else", .0.display())]
    NotAFolder(PathBuf),
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
    /// All generated files, by path.
    pub files: BTreeMap<String, String>,
    /// Fingerprint of all that the files follow from, when they are all that follows from it.
    pub inputs: Option<Digest>,
    /// Target folders that this build does not touch, because only others were asked for.
    kept: Vec<String>,
}

impl Folder {
    /// Gathers generated files; `kept` names the target folders that stay as they are.
    ///
    /// # Errors
    /// When a path would leave the folder or appears twice.
    pub fn new(service: &str, files: Vec<OutFile>, kept: Vec<String>) -> Result<Self, OutputError> {
        check_inside(service)?;
        let mut all = BTreeMap::new();
        for file in files {
            check_inside(&file.path)?;
            if all.contains_key(&file.path) {
                return Err(OutputError::Twice(file.path));
            }
            all.insert(file.path, file.text);
        }
        Ok(Self {
            service: service.to_owned(),
            files: all,
            inputs: None,
            kept,
        })
    }

    /// A service that no spec asks for: none of our files is to be left.
    ///
    /// # Errors
    /// When the name would leave the output folder.
    pub fn gone(service: &str) -> Result<Self, OutputError> {
        Self::new(service, Vec::new(), Vec::new())
    }

    /// True for a generated file that another build made and this one leaves alone.
    fn keeps(&self, path: &str) -> bool {
        let target = path.split('/').next().unwrap_or_default();
        self.kept.iter().any(|k| k == target)
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

/// The bytes of a file; `None` when there is none.
fn read(path: &Path) -> Result<Option<Vec<u8>>, OutputError> {
    match input::read(path, input::RESULT) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(OutputError::io(path)(error)),
    }
}

/// True when something is at the path, be it a link to nowhere, or something that cannot be looked at.
fn exists(path: &Path) -> bool {
    use ErrorKind::{NotADirectory, NotFound};
    let found = path.symlink_metadata();
    !found.is_err_and(|error| matches!(error.kind(), NotFound | NotADirectory))
}
