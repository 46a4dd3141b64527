//! The list of our files in a service folder.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Folder, OutputError, check_inside};

/// Name of the manifest.
pub const MANIFEST: &str = ".slosmith-manifest";

const HEADER: &str =
    "# Files that slosmith wrote here; it replaces and removes these and no others.";

/// Our files in a folder.
pub(super) fn read(root: &Path) -> Result<BTreeSet<String>, OutputError> {
    let path = root.join(MANIFEST);
    let Some(bytes) = super::read(&path)? else {
        return Ok(BTreeSet::new());
    };
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text.lines();
    if lines.next() != Some(HEADER) {
        let why = "its first line is another".to_owned();
        return Err(OutputError::Manifest { path, why });
    }
    let files: BTreeSet<String> = lines.map(str::to_owned).collect();
    match files.iter().find(|f| check_inside(f).is_err()) {
        None => Ok(files),
        Some(file) => {
            let why = format!("`{file}` leaves the folder");
            Err(OutputError::Manifest { path, why })
        }
    }
}

/// What will be ours: what is written now, and what targets that were not asked for left.
pub(super) fn paths(folder: &Folder, before: &BTreeSet<String>) -> BTreeSet<String> {
    let kept = before.iter().filter(|path| folder.keeps(path)).cloned();
    folder.files.keys().cloned().chain(kept).collect()
}

pub(super) fn text(paths: &BTreeSet<String>) -> String {
    let mut text = format!("{HEADER}\n");
    for path in paths {
        text.push_str(path);
        text.push('\n');
    }
    text
}
