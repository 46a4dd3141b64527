//! What cannot be read: whole files, and parts of others.

use std::ops::Range;

use super::raw::HOLE;
use super::rules::asked;
use super::{Artifact, Query, code};
use slosmith_catalog as catalog;
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::Span;
use slosmith_text::yaml::Filler;

#[derive(Clone, Debug)]
pub struct Unread {
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
    let readings = || artifact.readings();
    let queries = readings().flat_map(|part| &part.queries);
    let queries = Ranges::of(queries.filter(|query| query.text != HOLE).map(Query::span));
    let is_comment = |at: usize| {
        let line = text[..at].rfind('\n').map_or(0, |at| at + 1);
        text[line..at].trim_start().starts_with(['#', '/'])
    };
    // Nearly all names are in queries, and to look for that costs least.
    let names = catalog::mentions(text).filter(|at| !queries.have(*at));
    let mut pieces = names.filter(|at| code::is_in_query(text, *at) && !is_comment(*at));
    let first = pieces.next()?;
    // Beside their queries, dashboards keep copies of them that Grafana only shows, and alerts explain theirs.
    let boards = readings().flat_map(|part| &part.dashboards);
    let boards = boards.map(|board| board.span);
    let alerts = readings().flat_map(|part| &part.alerts);
    let pairs = alerts.flat_map(|alert| alert.annotations.iter().chain(&alert.labels));
    let prose = pairs.filter(|pair| !asked::may_ask(&pair.value.value));
    let shown = Ranges::of(boards.chain(prose.map(|pair| pair.value.span())));
    std::iter::once(first)
        .chain(pieces)
        .find(|at| !shown.have(*at))
}

/// Ranges of bytes, in order and merged.
struct Ranges(Vec<Range<usize>>);

impl Ranges {
    fn of(spans: impl Iterator<Item = Span>) -> Self {
        let mut all: Vec<_> = spans.map(|span| span.range()).collect();
        all.sort_unstable_by_key(|range| (range.start, range.end));
        all.dedup_by(|next, last| {
            let touches = next.start <= last.end;
            if touches {
                last.end = last.end.max(next.end);
            }
            touches
        });
        Self(all)
    }

    fn have(&self, at: usize) -> bool {
        let after = self.0.partition_point(|range| range.start <= at);
        self.0[..after].last().is_some_and(|range| at < range.end)
    }
}
