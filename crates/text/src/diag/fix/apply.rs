//! Applying the fixes of many findings at once.

use std::collections::{BTreeMap, BTreeSet};

use super::{Applicability, Edit, Fix};
use crate::diag::Diagnostic;
use crate::source::{FileId, Sources, mark_len};

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    pub files: BTreeMap<FileId, Fixed>,
    /// Findings with a fix that was not applied: their index, and why. Sorted by index.
    pub left: Vec<(usize, Left)>,
}

impl Outcome {
    pub fn fixed(&self) -> BTreeSet<usize> {
        let all = self.files.values().flat_map(|file| &file.findings);
        all.copied().collect()
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Fixed {
    pub text: String,
    /// The findings whose fixes changed this file, by their index.
    pub findings: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// It changes what an earlier finding's fix changes; the next pass may apply it.
    Overlaps,
    Unsafe,
    /// It edits bytes that are not there, cuts a character in two, contradicts itself or changes nothing:
    /// a fault in the rule.
    Unusable,
}

/// Applies the fixes of `diagnostics` to the texts they were found in.
///
/// A finding's edits are applied together or not at all. Where two findings' edits touch the same bytes,
/// or insert at the same place, the earlier finding wins and the later one is left for another pass; the
/// same fix of two findings is applied once and fixes both.
pub fn apply(sources: &Sources, diagnostics: &[Diagnostic], unsafe_too: bool) -> Outcome {
    let mut plan = Plan::default();
    let mut left = Vec::new();
    for (index, d) in diagnostics.iter().enumerate() {
        let Some(fix) = &d.details.fix else { continue };
        if let Err(why) = plan.take(index, fix, sources, unsafe_too) {
            left.push((index, why));
        }
    }
    Outcome {
        files: plan.carry_out(sources),
        left,
    }
}

/// Edits that were accepted: by file and start, none touching another.
#[derive(Default)]
struct Plan<'a> {
    edits: BTreeMap<FileId, BTreeMap<(u32, u32), &'a Edit>>,
    findings: BTreeMap<FileId, Vec<usize>>,
    fixes: BTreeSet<&'a [Edit]>,
}

impl<'a> Plan<'a> {
    fn take(
        &mut self,
        index: usize,
        fix: &'a Fix,
        sources: &Sources,
        unsafe_too: bool,
    ) -> Result<(), Left> {
        if fix.applicability == Applicability::Unsafe && !unsafe_too {
            return Err(Left::Unsafe);
        }
        if !usable(fix, sources) {
            return Err(Left::Unusable);
        }
        let known = self.fixes.contains(fix.edits.as_slice());
        if !known && fix.edits.iter().any(|edit| self.is_taken(edit)) {
            return Err(Left::Overlaps);
        }
        let files: BTreeSet<_> = fix.edits.iter().map(|edit| edit.span.file).collect();
        for file in files {
            self.findings.entry(file).or_default().push(index);
        }
        if self.fixes.insert(&fix.edits) {
            for edit in &fix.edits {
                let place = (edit.span.start, edit.span.end);
                let file = self.edits.entry(edit.span.file).or_default();
                file.insert(place, edit);
            }
        }
        Ok(())
    }

    /// Accepted edits are sorted by start and by end at once, so the search ends at the first one that
    /// lies wholly before.
    fn is_taken(&self, edit: &Edit) -> bool {
        let Some(file) = self.edits.get(&edit.span.file) else {
            return false;
        };
        let before = file.range(..=(edit.span.end, u32::MAX)).rev();
        before
            .take_while(|(place, _)| place.1 >= edit.span.start)
            .any(|(_, other)| touch(other, edit))
    }

    fn carry_out(self, sources: &Sources) -> BTreeMap<FileId, Fixed> {
        let mut findings = self.findings;
        let mend = |(file, edits): (FileId, BTreeMap<_, &Edit>)| {
            let text = splice(sources.get(file).text(), edits.into_values());
            let findings = findings.remove(&file).unwrap_or_default();
            (file, Fixed { text, findings })
        };
        self.edits.into_iter().map(mend).collect()
    }
}

/// True when the order of two edits would matter. Two replacements side by side do not disturb each other.
fn touch(a: &Edit, b: &Edit) -> bool {
    let (a, b) = (a.span, b.span);
    let overlap = a.start < b.end && b.start < a.end;
    let insertion = a.start == a.end || b.start == b.end;
    overlap || insertion && a.start <= b.end && b.start <= a.end
}

/// True when the edits fit the files, leave characters whole, do not touch each other and change something.
fn usable(fix: &Fix, sources: &Sources) -> bool {
    let fits = |edit: &Edit| {
        let text = sources.get(edit.span.file).text();
        text.get(edit.span.range()).map(|old| old != edit.text)
    };
    let changes: Option<Vec<bool>> = fix.edits.iter().map(fits).collect();
    let apart = |(i, a): (usize, &Edit)| {
        let mut others = fix.edits[..i].iter();
        !others.any(|b| a.span.file == b.span.file && touch(a, b))
    };
    changes.is_some_and(|changes| changes.contains(&true))
        && fix.edits.iter().enumerate().all(apart)
}

/// The text with all edits made; they are sorted and do not touch. A byte order mark stays in front.
fn splice<'a>(text: &str, edits: impl Iterator<Item = &'a Edit>) -> String {
    let mut out = String::with_capacity(text.len());
    let first = mark_len(text);
    let mut done = 0;
    for edit in edits {
        let range = edit.span.range();
        out.push_str(&text[done..range.start.max(first)]);
        out.push_str(&edit.text);
        done = range.end.max(first);
    }
    out.push_str(&text[done..]);
    out
}
