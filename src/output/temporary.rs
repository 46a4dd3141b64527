//! Names of files and folders that a run makes for itself: `PREFIX-PID-N`.

use std::io::{ErrorKind, Result};
use std::path::Path;

/// Tries names in a folder until `take` gets one that nobody has.
///
/// # Errors
/// What `take` fails with, other than that the name is taken.
pub(super) fn unused<T>(
    folder: &Path,
    prefix: &str,
    mut take: impl FnMut(&Path) -> Result<T>,
) -> Result<T> {
    let mut number = 0_u32;
    loop {
        let path = folder.join(format!("{prefix}{}-{number}", std::process::id()));
        match take(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
            done => return done,
        }
    }
}

/// True for a name that [`unused`] makes, in any process.
pub(super) fn is_one(name: &str, prefix: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let parts = name
        .strip_prefix(prefix)
        .and_then(|rest| rest.split_once('-'));
    parts.is_some_and(|(process, n)| number(process) && number(n))
}
