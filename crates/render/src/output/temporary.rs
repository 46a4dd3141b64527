//! Names of files and folders that a run makes for itself: `PREFIX-PID-N`.
//!
//! N is drawn by chance. Names that were used again would let one writer remove or rename the file of another: of two
//! threads, or of two containers that share a folder and both have process 1.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{ErrorKind, Result};
use std::path::Path;

/// Tries names in a folder until `take` succeeds with an unused one.
pub(super) fn unused<T>(
    folder: &Path,
    prefix: &str,
    mut take: impl FnMut(&Path) -> Result<T>,
) -> Result<T> {
    loop {
        // The keys of a hasher are the random numbers that the standard library has.
        let number = RandomState::new().build_hasher().finish();
        let path = folder.join(format!("{prefix}{}-{number}", std::process::id()));
        match take(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_not_used_again() {
        let name = || unused(Path::new("out"), ".new-", |path| Ok(path.to_owned()));
        let (one, other) = (name().expect("a name"), name().expect("a name"));
        assert_ne!(one, other);
        let text = one
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        assert!(is_one(&text, ".new-"), "{text}");
    }
}
