//! The part of a file that is shown.

use std::ops::Range;

use annotate_snippets::Snippet;

use crate::diag::one_line;
use crate::diag::render::Report;
use crate::diag::render::place::{clamp, floor, line_col};
use crate::source::{FileId, SourceFile, Span};

/// A line longer than this is shown in part.
const LONG_LINE: usize = 240;

/// It is no character of the first line, so it must not be counted.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Whole lines from the first to the last place, or a piece of one very long line.
pub(super) struct View<'a> {
    file: &'a SourceFile,
    path: String,
    shown: Range<usize>,
    partial: bool,
}

impl<'a> View<'a> {
    /// The lines of all `spans`, or a piece around the first where a line is too long to be read.
    pub(super) fn of(report: &Report<'a>, id: FileId, spans: &[Span]) -> Self {
        let file = report.sources.get(id);
        let ranges: Vec<_> = spans.iter().map(|span| clamp(file, *span)).collect();
        let first = ranges.first().cloned().unwrap_or_default();
        let start = ranges.iter().map(|r| r.start).min().unwrap_or_default();
        let end = ranges.iter().map(|r| r.end).max().unwrap_or_default();
        let all = lines(file.text(), start..end);
        let long = |line: &str| line.len() > LONG_LINE;
        let partial = file.text()[all.clone()].lines().any(long);
        let mut shown = if partial {
            piece(file.text(), first)
        } else {
            all
        };
        if shown.start == 0 && file.text().starts_with(BYTE_ORDER_MARK) {
            shown.start = BYTE_ORDER_MARK.len_utf8().min(shown.end);
        }
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
        let at = line_col(self.file, clamp(self.file, span).start);
        let before = &self.file.text()[self.shown.start..clamp(self.file, span).start];
        let heading = |col: usize| format!("{}:{}:{col}", self.path, at.line);
        let counted = heading(before.chars().count() + 1);
        self.partial.then(|| (counted, heading(at.col)))
    }
}

/// The whole lines of a range. At the very end there is no line, so the one before is shown too.
fn lines(text: &str, range: Range<usize>) -> Range<usize> {
    let before = &text[..range.start];
    let before = if range.start == text.len() {
        before.strip_suffix('\n').unwrap_or(before)
    } else {
        before
    };
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    let end = text[range.end..].find('\n').map(|i| i + range.end + 1);
    start..end.unwrap_or(text.len())
}

/// A piece of one line with the start of a place in its first third.
fn piece(text: &str, range: Range<usize>) -> Range<usize> {
    let line_start = text[..range.start].rfind('\n').map_or(0, |i| i + 1);
    let line_end = text[range.start..].find('\n');
    let line_end = line_end.map_or(text.len(), |i| i + range.start);
    let from = range.start.saturating_sub(LONG_LINE / 3).max(line_start);
    let from = floor(text, from);
    from..floor(text, (from + LONG_LINE).min(line_end))
}
