//! Equal findings of a file.

use std::collections::BTreeMap;

use super::Report;
use crate::diag::Diagnostic;

/// Places that are named; more are counted.
const NAMED: usize = 5;

/// Each finding with those of the same file that say the same, at the place of the first.
pub(super) fn folded(all: &[Diagnostic]) -> Vec<(&Diagnostic, Vec<&Diagnostic>)> {
    let mut folded: Vec<(&Diagnostic, Vec<&Diagnostic>)> = Vec::new();
    let mut seen = BTreeMap::new();
    for d in all {
        let same = (
            d.span.file,
            d.code,
            d.severity,
            &d.message,
            &d.help,
            &d.details.notes,
        );
        let index = *seen.entry(same).or_insert(folded.len());
        match folded.get_mut(index) {
            Some((_, others)) => others.push(d),
            None => folded.push((d, Vec::new())),
        }
    }
    folded
}

/// `also at 12:5, 20:5 and 30 more places`
pub(super) fn places(others: &[&Diagnostic], report: &Report<'_>) -> Option<String> {
    let place = |d: &&Diagnostic| {
        let file = report.sources.get(d.span.file);
        let at = file.line_col(d.span.start as usize);
        format!("{}:{}", at.line, at.col)
    };
    let (named, more) = others.split_at(others.len().min(NAMED));
    let mut named: Vec<_> = named.iter().map(place).collect();
    let last = match more.len() {
        0 => named.pop()?,
        1 => "1 more place".to_owned(),
        n => format!("{n} more places"),
    };
    Some(match named.is_empty() {
        true => format!("also at {last}"),
        false => format!("also at {} and {last}", named.join(", ")),
    })
}
