//! Applying fixes until nothing is left to fix.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::input::Loaded;
use slosmith_lint::lint::rules::invalid_promql;
use slosmith_render::output::{ReplaceError, Writer};
use slosmith_text::diag::render::place;
use slosmith_text::diag::{Diagnostic, fix, one_line};

const PASSES: usize = 10;

pub(in crate::cli) struct Fixed {
    pub(in crate::cli) loaded: Loaded,
    pub(in crate::cli) found: Vec<Diagnostic>,
    changed: BTreeMap<PathBuf, Changed>,
    fixed: usize,
}

#[derive(Default)]
struct Changed {
    old: String,
    new: String,
    fixed: usize,
}

pub(in crate::cli) struct Written {
    pub(in crate::cli) fixed: usize,
    /// Files that were not changed, with their text and the reason: changed by another process, not writable, or the disk
    /// is full.
    pub(in crate::cli) kept: BTreeMap<PathBuf, (String, ReplaceError)>,
}

/// Applies fixes and checks again, until a pass changes nothing.
///
/// Skips a file if its fixes would make it unreadable, or add an invalid query.
pub(in crate::cli) fn apply_all(
    mut loaded: Loaded,
    mut found: Vec<Diagnostic>,
    unsafe_too: bool,
    check: impl Fn(&Loaded) -> Vec<Diagnostic>,
) -> Fixed {
    let mut changed: BTreeMap<PathBuf, Changed> = BTreeMap::new();
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
        let left = check(&next);
        let broken = broken(&found, &loaded, &left, &next);
        if !broken.is_empty() {
            given_up.extend(broken);
            continue;
        }
        for (id, file) in &outcome.files {
            let source = loaded.sources.get(*id);
            let entry = changed.entry(source.path().to_owned());
            let entry = entry.or_insert_with(|| Changed {
                old: source.text().to_owned(),
                ..Changed::default()
            });
            entry.new.clone_from(&file.text);
            entry.fixed += file.findings.len();
        }
        fixed += outcome.fixed().len();
        (loaded, found) = (next, left);
    }
    Fixed {
        loaded,
        found,
        changed,
        fixed,
    }
}

/// Files with more unreadable parts or queries than before, and files without any content left.
fn broken(
    before: &[Diagnostic],
    old: &Loaded,
    after: &[Diagnostic],
    new: &Loaded,
) -> BTreeSet<PathBuf> {
    let faults = |found: &[Diagnostic], loaded: &Loaded| {
        let mut count: BTreeMap<PathBuf, usize> = BTreeMap::new();
        let unread = loaded.faults.iter();
        let invalid = found
            .iter()
            .filter(|d| d.code == invalid_promql::RULE.info.name);
        for d in unread.chain(invalid) {
            let path = loaded.sources.get(d.span.file).path().to_owned();
            *count.entry(path).or_default() += 1;
        }
        count
    };
    let before = faults(before, old);
    let after = faults(after, new).into_iter();
    let worse = after.filter(|(path, n)| *n > before.get(path).copied().unwrap_or(0));
    let paths = |loaded: &Loaded| -> BTreeSet<PathBuf> {
        let files = loaded.artifacts.iter().map(|a| loaded.sources.get(a.file));
        files.map(|source| source.path().to_owned()).collect()
    };
    let lost = &paths(old) - &paths(new);
    worse.map(|(path, _)| path).chain(lost).collect()
}

impl Fixed {
    pub(in crate::cli) fn count(&self) -> usize {
        self.fixed
    }

    pub(in crate::cli) fn diff(&self, here: &Path) -> String {
        let files = self.changed.iter();
        let one = |(path, file): (&PathBuf, &Changed)| {
            fix::diff(
                &one_line(&place::path(path, Some(here))),
                &file.old,
                &file.new,
            )
        };
        files.map(one).collect()
    }

    pub(in crate::cli) fn write(&self, writer: &Writer) -> Written {
        for (_, source) in self.loaded.sources.iter() {
            writer.sweep(source.path().parent().unwrap_or(Path::new("")));
        }
        let mut done = Written {
            fixed: self.fixed,
            kept: BTreeMap::new(),
        };
        for (path, file) in &self.changed {
            if let Err(why) = writer.replace(path, Some(&file.old), &file.new) {
                done.fixed = done.fixed.saturating_sub(file.fixed);
                done.kept.insert(path.clone(), (file.old.clone(), why));
            }
        }
        done
    }
}
