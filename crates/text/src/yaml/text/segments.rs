//! Which bytes of the source spell which bytes of the decoded text.

use std::ops::Range;
use std::sync::Arc;

use super::sink::Sink;
use super::spelling::Spelling;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    at: u32,
    len: u32,
    source: u32,
    /// Length there; equal to `len` where the text is verbatim.
    source_len: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Segments {
    Verbatim(u32),
    /// In the order of the text; shared by all parts of it.
    Many(Arc<[Segment]>),
    /// Only the whole has a place: the spelling could not be followed.
    Opaque,
}

pub(super) enum Part<'v> {
    Text(Spelling, &'v str),
    /// What something else at these bytes becomes.
    Other(&'v str, Range<usize>),
}

#[derive(Default)]
struct Recorder {
    text: String,
    segments: Vec<Segment>,
}

impl Recorder {
    fn push(&mut self, text: &str, source: Range<usize>) {
        let int = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let (at, len) = (int(self.text.len()), int(text.len()));
        let (source, source_len) = (int(source.start), int(source.len()));
        self.text.push_str(text);
        if let Some(last) = self.segments.last_mut() {
            let adjacent = last.source + last.source_len == source;
            if adjacent && last.len == last.source_len && len == source_len {
                last.len += len;
                last.source_len += len;
                return;
            }
        }
        self.segments.push(Segment {
            at,
            len,
            source,
            source_len,
        });
    }
}

impl Sink for Recorder {
    fn verbatim(&mut self, text: &str, source: usize) {
        self.push(text, source..source + text.len());
    }

    fn atom(&mut self, text: &str, source: Range<usize>) {
        self.push(text, source);
    }
}

impl Segments {
    /// Follows `spelling` through `source`; opaque when that does not give `value`.
    pub(super) fn new(spelling: &Spelling, source: &str, value: &str) -> Self {
        if let Some(at) = spelling.verbatim(source, value) {
            return Segments::Verbatim(u32::try_from(at).unwrap_or(u32::MAX));
        }
        let mut recorder = Recorder {
            text: String::with_capacity(value.len()),
            ..Recorder::default()
        };
        let followed = spelling.decode_into(source, &mut recorder);
        if followed.is_none() || recorder.text != value {
            return Segments::Opaque;
        }
        match &recorder.segments[..] {
            [one] if one.len == one.source_len => Segments::Verbatim(one.source),
            _ => Segments::Many(recorder.segments.into()),
        }
    }

    /// The segments of texts that are put together, and the whole.
    pub(super) fn joined(source: &str, parts: &[Part<'_>]) -> (Self, String) {
        let mut recorder = Recorder::default();
        for part in parts {
            match part {
                Part::Text(spelling, value) => {
                    let before = (recorder.text.len(), recorder.segments.len());
                    let read = spelling.decode_into(source, &mut recorder);
                    if read.is_none() || recorder.text[before.0..] != **value {
                        recorder.text.truncate(before.0);
                        recorder.segments.truncate(before.1);
                        recorder.atom(value, spelling.range());
                    }
                }
                Part::Other(value, range) => recorder.atom(value, range.clone()),
            }
        }
        (Segments::Many(recorder.segments.into()), recorder.text)
    }

    pub(super) fn is_opaque(&self) -> bool {
        matches!(self, Segments::Opaque)
    }

    /// `range` with the whole of each escape or fold that it cuts.
    pub(super) fn widened(&self, range: Range<usize>) -> Range<usize> {
        let Segments::Many(segments) = self else {
            return range;
        };
        let cut = |at: usize| {
            let found = segments.partition_point(|s| (s.at + s.len) as usize <= at);
            let cut = segments
                .get(found)
                .filter(|s| s.len != s.source_len && (s.at as usize) < at);
            cut.map(|s| s.at as usize..(s.at + s.len) as usize)
        };
        let (first, last) = (cut(range.start), cut(range.end));
        let start = first.as_ref().map_or(range.start, |atom| atom.start);
        let end = last.map_or(range.end, |atom| atom.end);
        start..end
    }

    /// The bytes of the source that spell `range` of the text.
    pub(super) fn source(&self, spelling: &Spelling, range: Range<usize>) -> Range<usize> {
        match self {
            Segments::Verbatim(at) => {
                let at = *at as usize;
                at + range.start..at + range.end
            }
            Segments::Opaque => spelling.range(),
            Segments::Many(segments) if segments.is_empty() => {
                let end = spelling.range().end;
                end..end
            }
            Segments::Many(segments) => {
                let start = start(segments, range.start);
                if range.is_empty() {
                    return start..start;
                }
                start..end(segments, range.end).max(start)
            }
        }
    }
}

/// Where the character at `at` begins; behind the last one, where that ends.
fn start(segments: &[Segment], at: usize) -> usize {
    let found = segments.partition_point(|s| (s.at + s.len) as usize <= at);
    match segments.get(found) {
        Some(s) if s.len == s.source_len => s.source as usize + at - s.at as usize,
        Some(s) => s.source as usize,
        None => segments
            .last()
            .map_or(0, |s| (s.source + s.source_len) as usize),
    }
}

/// Where the character that ends before `at` ends.
fn end(segments: &[Segment], at: usize) -> usize {
    let found = segments.partition_point(|s| (s.at as usize) < at);
    match segments.get(found.saturating_sub(1)) {
        Some(s) if s.len == s.source_len => s.source as usize + at - s.at as usize,
        Some(s) => (s.source + s.source_len) as usize,
        None => 0,
    }
}
