//! Applying fixes until nothing is left to fix.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::input::Loaded;
use crate::diag::render::place;
use crate::diag::{Diagnostic, fix, one_line};
use crate::output::{self, ReplaceError};

/// More passes than any chain of renames needs.
const PASSES: usize = 10;

/// Files after their fixes, not yet written.
pub(super) struct Mended {
    /// The files with their new texts.
    pub(super) loaded: Loaded,
    /// What is left to find in them.
    pub(super) found: Vec<Diagnostic>,
    /// Path → text before and after.
    changed: BTreeMap<PathBuf, (String, String)>,
    fixed: usize,
}

/// Applies fixes and looks again, until a pass changes nothing.
///
/// A file whose fixes would make it unreadable, or add a query that is no PromQL, stays as it is.
pub(super) fn mend(
    mut loaded: Loaded,
    mut found: Vec<Diagnostic>,
    unsafe_too: bool,
    judge: impl Fn(&Loaded) -> Vec<Diagnostic>,
) -> Mended {
    let mut changed: BTreeMap<PathBuf, (String, String)> = BTreeMap::new();
    let mut given_up: BTreeSet<PathBuf> = BTreeSet::new();
    let mut fixed = 0;
    for _ in 0..PASSES {
        let wanted: Vec<_> = found
            .iter()
            .filter(|d| !given_up.contains(loaded.sources.get(d.span.file).path()))
            .cloned()
            .collect();
        let outcome = fix::apply(&loaded.sources, &wanted, unsafe_too);
        if outcome.files.is_empty() {
            break;
        }
        let next = loaded.again(|id| outcome.files.get(&id).map(|file| file.text.clone()));
        let left = judge(&next);
        let broken = broken(&found, &loaded, &left, &next);
        if !broken.is_empty() {
            given_up.extend(broken);
            continue;
        }
        for id in outcome.files.keys() {
            let path = loaded.sources.get(*id).path().to_owned();
            let old = loaded.sources.get(*id).text().to_owned();
            let new = outcome.files[id].text.clone();
            let entry = changed.entry(path).or_insert((old, String::new()));
            entry.1 = new;
        }
        fixed += outcome.fixed().len();
        (loaded, found) = (next, left);
    }
    Mended {
        loaded,
        found,
        changed,
        fixed,
    }
}

/// Files with more queries, or more of the file, that cannot be read than before.
fn broken(
    before: &[Diagnostic],
    old: &Loaded,
    after: &[Diagnostic],
    new: &Loaded,
) -> BTreeSet<PathBuf> {
    let faults = |found: &[Diagnostic], loaded: &Loaded| {
        let mut count: BTreeMap<PathBuf, usize> = BTreeMap::new();
        let unread = loaded.faults.iter();
        let invalid = found.iter().filter(|d| d.code == "invalid-promql");
        for d in unread.chain(invalid) {
            let path = loaded.sources.get(d.span.file).path().to_owned();
            *count.entry(path).or_default() += 1;
        }
        count
    };
    let before = faults(before, old);
    let after = faults(after, new).into_iter();
    let worse = after.filter(|(path, n)| *n > before.get(path).copied().unwrap_or(0));
    worse.map(|(path, _)| path).collect()
}

impl Mended {
    /// How many findings were mended.
    pub(super) fn count(&self) -> usize {
        self.fixed
    }

    /// All changes as unified diffs.
    pub(super) fn diff(&self, here: &Path) -> String {
        let files = self.changed.iter();
        let one = |(path, (old, new)): (&PathBuf, &(String, String))| {
            fix::diff(&one_line(&place::path(path, Some(here))), old, new)
        };
        files.map(one).collect()
    }

    /// Writes the changed files.
    ///
    /// Gives back why some stay as they were: they changed meanwhile, may not be written, or the disk refuses.
    pub(super) fn write(&self) -> Vec<ReplaceError> {
        let files = self.changed.iter();
        let written = files.map(|(path, (old, new))| output::replace_file(path, Some(old), new));
        written.filter_map(Result::err).collect()
    }
}
