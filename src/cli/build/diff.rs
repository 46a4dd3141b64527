//! The changes that a build would make.

use std::collections::BTreeMap;
use std::path::Path;

use similar::TextDiff;

use crate::diag::one_line;
use crate::output::{Change, Folder, MANIFEST};

/// The files on disk against the generated ones, as a unified diff.
pub(super) fn unified(out: &Path, folder: &Folder, changes: &BTreeMap<String, Change>) -> String {
    let mut all = String::new();
    for (path, change) in changes {
        let name = out.join(&folder.service).join(path);
        let name = one_line(&name.to_string_lossy()).into_owned();
        if path == MANIFEST {
            all.push_str(&format!("{name}: the manifest is out of date\n"));
            continue;
        }
        let wanted = folder.files.get(path).map_or("", String::as_str);
        let none = "/dev/null";
        let (found, old, new) = match change {
            Change::Added => ("", none, name.as_str()),
            Change::Modified(text) => (text.as_str(), name.as_str(), name.as_str()),
            Change::Removed(text) => (text.as_str(), name.as_str(), none),
        };
        let diff = TextDiff::from_lines(found, wanted);
        all.push_str(&diff.unified_diff().header(old, new).to_string());
    }
    all
}
