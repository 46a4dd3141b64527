//! Literal and folded YAML block scalars.

use std::ops::Range;

use super::flow::break_len;
use super::sink::Sink;
use crate::yaml::node::{Scalar, Style};

/// What the header and the first line of a block scalar fix for all its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::yaml) struct Shape {
    indent: u16,
    tail: u16,
    /// The header names the indentation, so that the text may begin with blanks.
    explicit: bool,
}

impl Shape {
    /// For styles that have none.
    pub(super) const NONE: Shape = Shape {
        indent: 0,
        tail: 0,
        explicit: false,
    };

    /// A block whose lines are indented by `indent`, that ends in `tail` breaks; `None` beyond all sense.
    pub(in crate::yaml) fn new(indent: usize, tail: usize, explicit: bool) -> Option<Self> {
        Some(Self {
            indent: u16::try_from(indent).ok()?,
            tail: u16::try_from(tail).ok()?,
            explicit,
        })
    }

    /// For lines of text that are no YAML scalar.
    pub(super) fn lines(indent: usize) -> Self {
        Self::new(indent, 0, true).unwrap_or(Self::NONE)
    }

    pub(super) fn indent(self) -> usize {
        usize::from(self.indent)
    }
}

/// The whole lines of a block scalar whose content is at `content`; `None` when it has no content
/// or no indentation.
pub(super) fn locate(
    source: &str,
    content: Range<usize>,
    scalar: &Scalar<'_>,
) -> Option<(Range<usize>, Shape)> {
    let value = &*scalar.value;
    let body = value.trim_start_matches('\n');
    if body.is_empty() {
        return None;
    }
    let mut start = line_start(source, content.start);
    let indent = content.start - start;
    if indent == 0 || !source.get(start..content.start)?.bytes().all(|b| b == b' ') {
        return None;
    }
    for _ in 0..value.len() - body.len() {
        let above = source.get(..start)?.strip_suffix(['\n', '\r'])?;
        let above = above.strip_suffix('\r').unwrap_or(above);
        start = line_start(source, above.len());
    }
    let tail = value.len() - value.trim_end_matches('\n').len();
    let shape = Shape::new(indent, tail, body.starts_with(' '))?;
    // All lines of the content belong to it, and what follows them may.
    let last = line_start(source, content.end).max(start);
    let end = last + extent(source.get(last..)?, indent);
    Some((start..end, shape))
}

fn line_start(source: &str, at: usize) -> usize {
    let before = &source.as_bytes()[..at];
    memchr::memrchr2(b'\n', b'\r', before).map_or(0, |n| n + 1)
}

/// Length of the lines that belong to a block with this indentation.
fn extent(text: &str, indent: usize) -> usize {
    let mut at = 0;
    while at < text.len() {
        let line = Line::at(text, at, indent);
        if !line.blank && !line.full {
            break;
        }
        at = line.next;
    }
    at
}

const BLANKS: &[u8] = b"                ";

struct Line {
    content: usize,
    end: usize,
    next: usize,
    blank: bool,
    full: bool,
}

impl Line {
    fn at(text: &str, start: usize, indent: usize) -> Self {
        let rest = &text.as_bytes()[start..];
        let blanks = match BLANKS.get(..indent) {
            Some(blanks) if rest.starts_with(blanks) => indent,
            _ => rest.iter().take(indent).take_while(|b| **b == b' ').count(),
        };
        let content = start + blanks;
        let behind = &text[content..];
        let len = memchr::memchr2(b'\n', b'\r', behind.as_bytes());
        let end = content + len.unwrap_or(behind.len());
        let next = end + break_len(&text[end..]);
        Self {
            content,
            end,
            next,
            blank: end == content,
            full: blanks == indent,
        }
    }
}

pub(super) fn decode(
    style: Style,
    shape: Shape,
    slice: &str,
    base: usize,
    sink: &mut impl Sink,
) -> Option<()> {
    let len = decode_first(style, shape, slice, base, sink)?;
    (len == slice.len()).then_some(())
}

/// Decodes the lines that belong to a block, with which the text begins; returns their length.
pub(in crate::yaml) fn decode_first(
    style: Style,
    shape: Shape,
    slice: &str,
    base: usize,
    sink: &mut impl Sink,
) -> Option<usize> {
    let indent = shape.indent();
    if indent == 0 {
        return None;
    }
    let mut state = State {
        base,
        folded: style == Style::Folded,
        breaks: Vec::new(),
        content: None,
    };
    let mut at = 0;
    while at < slice.len() {
        let line = Line::at(slice, at, indent);
        if !line.blank && !line.full {
            break;
        }
        at = line.next;
        if line.blank {
            state.breaks.push(line.end..line.next);
            continue;
        }
        let text = &slice[line.content..line.end];
        let unclear = state.content.is_none() && !shape.explicit && text.starts_with(' ');
        if unclear {
            return None;
        }
        state.line(text, line.content, sink);
        state.breaks.push(line.end..line.next);
    }
    state.content?;
    state.tail(usize::from(shape.tail), at, sink);
    Some(at)
}

struct State {
    base: usize,
    folded: bool,
    /// Line breaks seen since the last content, its own first; how they count shows at the next content.
    breaks: Vec<Range<usize>>,
    content: Option<bool>,
}

impl State {
    fn line(&mut self, text: &str, at: usize, sink: &mut impl Sink) {
        let blank = text.starts_with([' ', '\t']);
        let folds = self.folded && self.content == Some(false) && !blank;
        let mut breaks = std::mem::take(&mut self.breaks);
        match &breaks[..] {
            [only] if folds => sink.atom(" ", self.source(only)),
            [_, more @ ..] if folds => self.newlines(more, sink),
            all => self.newlines(all, sink),
        }
        sink.verbatim(text, self.base + at);
        self.content = Some(blank);
        breaks.clear();
        self.breaks = breaks;
    }

    /// The breaks that chomping leaves; at the end of the file one may be missing.
    fn tail(&self, count: usize, end: usize, sink: &mut impl Sink) {
        let end = end..end;
        for n in 0..count {
            sink.atom("\n", self.source(self.breaks.get(n).unwrap_or(&end)));
        }
    }

    fn newlines(&self, breaks: &[Range<usize>], sink: &mut impl Sink) {
        for one in breaks {
            sink.atom("\n", self.source(one));
        }
    }

    fn source(&self, range: &Range<usize>) -> Range<usize> {
        self.base + range.start..self.base + range.end
    }
}
