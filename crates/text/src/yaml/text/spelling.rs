//! How one scalar is spelled: enough to decode it again from its text.

use std::ops::Range;

use super::sink::Sink;
use super::{block, code, flow, json, template};
use crate::yaml::node::{Filler, Scalar, Style};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spelling {
    pub(super) style: Style,
    start: u32,
    end: u32,
    pub(super) block: block::Shape,
}

impl Spelling {
    /// How the scalar at `range` of `source` is written.
    pub(super) fn of(source: &str, range: Range<usize>, scalar: &Scalar<'_>) -> Self {
        let (range, block) = match scalar.style {
            Style::Literal | Style::Folded => {
                block::locate(source, range.clone(), scalar).unwrap_or((range, block::Shape::NONE))
            }
            Style::Lines => {
                let written = source.get(range.clone()).map_or(0, indent);
                let shape = block::Shape::lines(written.saturating_sub(indent(&scalar.value)));
                (range, shape)
            }
            _ => (range, block::Shape::NONE),
        };
        Self::new(scalar.style, range, block)
    }

    /// Lines with up to `indent` blanks in front of each.
    pub(super) fn lines(range: Range<usize>, indent: usize) -> Self {
        let shape = block::Shape::lines(indent);
        Self::new(Style::Lines, range, shape)
    }

    pub(super) fn template(source: &str, filler: Filler, reading: u32) -> Self {
        Self::new(
            Style::Template { filler, reading },
            0..source.len(),
            block::Shape::NONE,
        )
    }

    pub(super) fn literal(range: Range<usize>) -> Self {
        Self::new(Style::Code, range, block::Shape::NONE)
    }

    pub(super) fn joined(range: Range<usize>) -> Self {
        Self::new(Style::Joined, range, block::Shape::NONE)
    }

    fn new(style: Style, range: Range<usize>, block: block::Shape) -> Self {
        let int = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self {
            style,
            start: int(range.start),
            end: int(range.end),
            block,
        }
    }

    pub(super) fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Where `value` begins when the source holds it verbatim.
    pub(super) fn verbatim(&self, source: &str, value: &str) -> Option<usize> {
        let range = self.range();
        let inner = match self.style {
            Style::Plain | Style::PlainInFlow | Style::JsonLiteral => range,
            Style::SingleQuoted | Style::DoubleQuoted | Style::Json => {
                range.start + 1..range.end.checked_sub(1)?
            }
            Style::Literal
            | Style::Folded
            | Style::Lines
            | Style::Template { .. }
            | Style::Code
            | Style::Joined => {
                return None;
            }
        };
        (source.get(inner.clone())? == value).then_some(inner.start)
    }

    pub(super) fn decode(&self, source: &str) -> Option<String> {
        let mut text = String::new();
        self.decode_into(source, &mut text)?;
        Some(text)
    }

    pub(super) fn decode_into(&self, source: &str, sink: &mut impl Sink) -> Option<()> {
        let slice = source.get(self.range())?;
        decode(self.style, self.block, slice, self.start as usize, sink)
    }
}

/// Blanks in front of the first line that has more than blanks.
fn indent(text: &str) -> usize {
    let full = text.lines().find(|line| !line.trim().is_empty());
    full.map_or(0, |line| line.len() - line.trim_start_matches(' ').len())
}

/// Takes up to `indent` blanks off each line.
fn lines(slice: &str, indent: usize, base: usize, sink: &mut impl Sink) {
    let mut at = base;
    for line in slice.split_inclusive('\n') {
        let blanks = line.bytes().take(indent).take_while(|b| *b == b' ').count();
        sink.verbatim(&line[blanks..], at + blanks);
        at += line.len();
    }
}

/// Decodes a scalar that is spelled as `slice`, which is at `base`.
pub(super) fn decode(
    style: Style,
    shape: block::Shape,
    slice: &str,
    base: usize,
    sink: &mut impl Sink,
) -> Option<()> {
    match style {
        Style::Plain | Style::PlainInFlow => flow::plain(slice, base, sink),
        Style::SingleQuoted => flow::single(slice, base, sink),
        Style::DoubleQuoted => flow::double(slice, base, sink),
        Style::Literal | Style::Folded => block::decode(style, shape, slice, base, sink),
        Style::Json => json::string(slice, base, sink),
        Style::JsonLiteral => {
            sink.verbatim(slice, base);
            Some(())
        }
        Style::Lines => {
            lines(slice, shape.indent(), base, sink);
            Some(())
        }
        Style::Template { filler, reading } => {
            template::decode(slice, base, (filler, reading), sink)
        }
        Style::Code => code::string(slice, base, sink),
        // Of what, only the document around it says.
        Style::Joined => None,
    }
}
