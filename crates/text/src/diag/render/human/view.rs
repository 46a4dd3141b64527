//! The part of a file that is shown.

use std::ops::Range;

use annotate_snippets::Snippet;

use crate::diag::one_line;
use crate::diag::render::Report;
use crate::diag::render::place::{clamp, floor};
use crate::source::{SourceFile, Span};

const LONG_LINE: usize = 240;

/// Columns of a terminal in front of a line: its number and a rule.
const NUMBERS: usize = 8;

/// Places that are further apart are shown apart: all lines between them would have to be looked at.
const FAR: usize = 4 << 10;

/// Whole lines from the first to the last place, or a piece of one very long line.
pub(super) struct View<'a> {
    file: &'a SourceFile,
    path: String,
    shown: Range<usize>,
    partial: bool,
}

impl<'a> View<'a> {
    /// The lines of `first` and of those of the other places that are near, or a piece around `first` where
    /// a line is too long to be read.
    pub(super) fn of(report: &Report<'a>, first: Span, others: &[Span]) -> Self {
        let id = first.file;
        let file = report.sources.get(id);
        let first = clamp(file, first);
        let mut all = first.clone();
        for other in others {
            let other = clamp(file, *other);
            if other.start + FAR > first.start && other.end < first.end + FAR {
                all = all.start.min(other.start)..all.end.max(other.end);
            }
        }
        let all = lines(file, all);
        let long = report.width.map_or(LONG_LINE, |width| {
            width.saturating_sub(NUMBERS).clamp(40, LONG_LINE)
        });
        let partial = has_long_line(file, &all, long);
        let shown = if partial {
            piece(file, first, long)
        } else {
            all
        };
        Self {
            file,
            path: one_line(&report.path(id)).into_owned(),
            shown,
            partial,
        }
    }

    /// True when the place starts in what is shown.
    pub(super) fn shows(&self, span: Span) -> bool {
        let at = clamp(self.file, span).start;
        self.shown.start <= at && at <= self.shown.end
    }

    /// True when the bytes are there as the span names them.
    pub(super) fn is_whole(&self, span: Span) -> bool {
        let range = clamp(self.file, span);
        range == span.range() && range.end <= self.shown.end
    }

    /// A place, counted from the start of what is shown.
    pub(super) fn local(&self, span: Span) -> Range<usize> {
        let range = clamp(self.file, span);
        let within = |at: usize| at.clamp(self.shown.start, self.shown.end) - self.shown.start;
        within(range.start)..within(range.end)
    }

    pub(super) fn snippet<T: Clone>(&self) -> Snippet<'a, T> {
        Snippet::source(&self.file.text()[self.shown.clone()])
            .path(self.path.clone())
            .line_start(self.file.line_col(self.shown.start).line)
    }

    /// Columns are counted from the start of what is shown: for a piece of a line, what the heading will
    /// say, and what it should.
    pub(super) fn heading(&self, span: Span) -> Option<(String, String)> {
        if !self.partial {
            return None;
        }
        let start = clamp(self.file, span).start;
        let at = self.file.line_col(start);
        let before = &self.file.text()[self.shown.start..start];
        let heading = |col: usize| format!("{}:{}:{col}", self.path, at.line);
        Some((heading(before.chars().count() + 1), heading(at.col)))
    }
}

/// The whole lines of a range. At the very end there is no line, so the one before is shown too.
fn lines(file: &SourceFile, range: Range<usize>) -> Range<usize> {
    let text = file.text();
    let at_end = range.start == text.len() && text.ends_with('\n');
    let first = range.start - usize::from(at_end);
    file.line(first).start..file.line(range.end).end
}

fn has_long_line(file: &SourceFile, range: &Range<usize>, long: usize) -> bool {
    let mut at = range.start;
    while at < range.end {
        let line = file.line(at);
        let text = file.text()[line.clone()].trim_end_matches(['\r', '\n']);
        if text.len() > long {
            return true;
        }
        at = line.end;
    }
    false
}

/// A piece of one line with the start of a place in its first third.
fn piece(file: &SourceFile, range: Range<usize>, long: usize) -> Range<usize> {
    let text = file.text();
    let line = file.line(range.start);
    let end = line.start + text[line.clone()].trim_end_matches('\n').len();
    let from = range.start.saturating_sub(long / 3).max(line.start);
    let from = floor(text, from);
    from..floor(text, (from + long).min(end))
}
