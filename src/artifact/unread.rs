//! What cannot be read: whole files, and parts of others.

use std::ops::Range;

use super::raw::HOLE;
use super::rules::asked;
use super::{Artifact, code};
use crate::diag::Diagnostic;
use crate::yaml::Filler;

/// Why nothing of a file is read.
#[derive(Clone, Debug)]
pub struct Unread {
    /// What is wrong, at its place.
    pub fault: Diagnostic,
    /// The program that fills in the file, when it has to be rendered first.
    pub template: Option<Filler>,
}

impl From<Diagnostic> for Unread {
    fn from(fault: Diagnostic) -> Self {
        Self {
            fault,
            template: None,
        }
    }
}

/// The first place where a file asks for a metric outside of all that was read of its `text`.
pub fn first_unread(artifact: &Artifact, text: &str) -> Option<usize> {
    let mut pieces = code::pieces(text).peekable();
    pieces.peek()?;
    let mut read = Vec::new();
    for part in artifact.readings() {
        let known = part.queries.iter().filter(|query| query.text != HOLE);
        read.extend(known.map(|query| query.span().range()));
        let pairs = part
            .alerts
            .iter()
            .flat_map(|alert| alert.annotations.iter().chain(&alert.labels));
        let prose = pairs.filter(|pair| !asked::may_ask(&pair.value.value));
        read.extend(prose.map(|pair| pair.value.span().range()));
        // Beside their queries, dashboards keep copies of them that Grafana only shows.
        read.extend(part.dashboards.iter().map(|board| board.span.range()));
    }
    read.sort_unstable_by_key(|range| (range.start, range.end));
    // Of the ranges that begin before a place, the end of the last is the farthest only once they are merged.
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in read {
        match merged.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => merged.push(range),
        }
    }
    let is_read = |at: usize| {
        let after = merged.partition_point(|range| range.start <= at);
        merged[..after].last().is_some_and(|range| at < range.end)
    };
    let is_comment = |at: usize| {
        let line = text[..at].rfind('\n').map_or(0, |at| at + 1);
        text[line..at].trim_start().starts_with(['#', '/'])
    };
    pieces.find(|at| !is_read(*at) && !is_comment(*at))
}
