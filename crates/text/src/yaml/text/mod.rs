//! From a scalar's decoded text to the bytes of the file, and back.
//!
//! A query is written in its file behind indentation, quotes, folds and escapes, sometimes of several kinds
//! at once (JSON in a block scalar). A [`TextMap`] leads from any range of the decoded text to the bytes
//! that spell it; edits are spelled for the scalar's style and tried out before they are given back.

mod block;
mod code;
mod edit;
mod flow;
mod json;
mod segments;
mod sink;
mod spelling;
mod template;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::node::{Filler, Kind, Node, Scalar, Style, Tag};
use crate::source::{FileId, Span};
pub(super) use block::{Shape, decode_first};
use segments::{Part, Segments};
use spelling::Spelling;
pub use template::{MARK, is_branched, is_left_out, probably_filled, readings, surely_filled};

#[derive(Clone, Debug)]
pub struct Body<'t> {
    file: FileId,
    text: &'t str,
    outer: Option<Arc<Outer>>,
}

/// Where a text comes from, without the text: leads from its bytes to those of the file.
#[derive(Clone, Debug)]
pub struct Place {
    file: FileId,
    outer: Option<Arc<Outer>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    pub value: String,
    pub map: TextMap,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextMap {
    file: FileId,
    spelling: Spelling,
    segments: Segments,
    /// The part of the scalar's decoded text that offsets are counted in.
    window: (u32, u32),
    /// Where the cause of an ending is that the file does not spell here.
    ending: Option<Span>,
    /// How the text that `spelling` is in was itself decoded.
    outer: Option<Arc<Outer>>,
}

#[derive(Clone, Debug)]
struct Outer {
    map: TextMap,
    /// The text, once an edit of a part asks for it.
    text: OnceLock<Option<String>>,
}

impl PartialEq for Outer {
    fn eq(&self, other: &Self) -> bool {
        self.map == other.map
    }
}

impl Eq for Outer {}

/// The text that a JSON string spells, quotes included; `None` when it is none.
pub fn json_string(slice: &str) -> Option<String> {
    let mut text = String::with_capacity(slice.len());
    json::string(slice, 0, &mut text)?;
    Some(text)
}

/// The bytes of `text` that became the bytes `part` of `value`, when `scalar` is where the value is. It is decoded in each
/// style that its first byte allows: only what gives the value tells a place.
pub fn inside(
    text: &str,
    scalar: Range<usize>,
    value: &str,
    part: Range<usize>,
) -> Option<Range<usize>> {
    // The line ends of a block scalar's end are no place to point at.
    let body = value.trim_end_matches('\n').len();
    let first = text.as_bytes().get(scalar.start).filter(|_| body > 0)?;
    let styles = match first {
        b'"' => &[Style::DoubleQuoted][..],
        b'\'' => &[Style::SingleQuoted],
        _ => &[Style::Plain, Style::Literal, Style::Folded],
    };
    let mut read = styles.iter().map(|&style| {
        let written = Scalar {
            value: Cow::Borrowed(value),
            style,
        };
        let spelling = Spelling::of(text, scalar.clone(), &written);
        (Segments::new(&spelling, text, value), spelling)
    });
    let (segments, spelling) = read.find(|(segments, _)| !segments.is_opaque())?;
    Some(segments.source(&spelling, part.start.min(body)..part.end.min(body)))
}

impl<'t> Body<'t> {
    pub fn new(file: FileId, text: &'t str) -> Self {
        let outer = None;
        Self { file, text, outer }
    }

    pub fn inside(map: TextMap, text: &'t str) -> Self {
        let file = map.file;
        let text_of = OnceLock::new();
        let outer = Some(Arc::new(Outer { map, text: text_of }));
        Self { file, text, outer }
    }

    pub fn text(&self) -> &'t str {
        self.text
    }

    pub fn file(&self) -> FileId {
        self.file
    }

    pub fn keep(&self) -> Place {
        let (file, outer) = (self.file, self.outer.clone());
        Place { file, outer }
    }

    pub fn span(&self, range: Range<usize>) -> Span {
        match &self.outer {
            Some(outer) => outer.map.span(range),
            None => Span::new(self.file, range),
        }
    }

    pub fn place(&self, node: &Node<'_>) -> Span {
        self.span(node.range())
    }

    pub fn map(&self, node: &Node<'_>) -> Option<TextMap> {
        let Kind::Scalar(scalar) = &node.kind else {
            return None;
        };
        let spelling = Spelling::of(self.text, node.range(), scalar);
        Some(self.mapped(spelling, &scalar.value))
    }

    /// A scalar's text with its map; `None` for lists, maps and nulls.
    pub fn read(&self, node: &Node<'_>) -> Option<Text> {
        let value = node.text()?.to_owned();
        self.map(node).map(|map| Text { value, map })
    }

    /// [`Body::read`] of a node that is needed no longer.
    pub fn take(&self, node: Node<'_>) -> Option<Text> {
        let map = self.map(&node)?;
        node.into_text().map(|value| Text { value, map })
    }

    /// The scalars of a list put together, `between` in between; `hole` is in place of what is none.
    pub fn joined(&self, list: &Node<'_>, between: &str, hole: &str) -> Text {
        let mut parts = Vec::new();
        for (i, node) in list.items().iter().enumerate() {
            if i > 0 {
                let start = node.range().start;
                parts.push(Part::Other(between, start..start));
            }
            parts.push(match &node.kind {
                Kind::Scalar(scalar) if node.tag == Tag::None => {
                    let spelling = Spelling::of(self.text, node.range(), scalar);
                    Part::Text(spelling, &scalar.value)
                }
                _ => Part::Other(hole, node.range()),
            });
        }
        let (segments, value) = Segments::joined(self.text, &parts);
        let map = TextMap {
            file: self.file,
            spelling: Spelling::joined(list.range()),
            segments,
            window: (0, u32::try_from(value.len()).unwrap_or(u32::MAX)),
            ending: None,
            outer: self.outer.clone(),
        };
        Text { value, map }
    }

    pub fn lines(&self, range: Range<usize>, indent: usize) -> Option<Text> {
        let spelling = Spelling::lines(range, indent);
        let value = spelling.decode(self.text)?;
        let map = self.mapped(spelling, &value);
        Some(Text { value, map })
    }

    /// A string literal of a programming language, from its first letter to its last quote; `None` when its escapes
    /// are not known.
    pub fn literal(&self, range: Range<usize>) -> Option<Text> {
        let spelling = Spelling::literal(range);
        let value = spelling.decode(self.text)?;
        let map = self.mapped(spelling, &value);
        Some(Text { value, map })
    }

    /// This text as another program fills it in, as far as that is known, with the branches of one of its
    /// [`readings`]; `None` when one of its actions does not end.
    pub fn filled(&self, filler: Filler, reading: u32) -> Option<Text> {
        let spelling = Spelling::template(self.text, filler, reading);
        let value = spelling.decode(self.text)?;
        let map = self.mapped(spelling, &value);
        Some(Text { value, map })
    }

    fn mapped(&self, spelling: Spelling, value: &str) -> TextMap {
        let segments = Segments::new(&spelling, self.text, value);
        TextMap {
            file: self.file,
            spelling,
            segments,
            window: (0, u32::try_from(value.len()).unwrap_or(u32::MAX)),
            ending: None,
            outer: self.outer.clone(),
        }
    }
}

impl Place {
    pub fn span(&self, range: Range<usize>) -> Span {
        match &self.outer {
            Some(outer) => outer.map.span(range),
            None => Span::new(self.file, range),
        }
    }
}

impl Text {
    pub fn span(&self) -> Span {
        self.map.whole()
    }

    pub fn part(&self, range: Range<usize>) -> Option<Text> {
        Some(Text {
            value: self.value.get(range.clone())?.to_owned(),
            map: self.map.part(range),
        })
    }

    /// The text with an ending that the file does not spell, and which cannot be edited: its cause is at `at`.
    #[must_use]
    pub fn ending_in(mut self, ending: &str, at: Span) -> Text {
        self.value.push_str(ending);
        self.map.ending = Some(at);
        self
    }
}

impl TextMap {
    /// The bytes that spell `range` of the decoded text: the whole escape where a character is escaped,
    /// and for a range over several lines also the indentation between them.
    pub fn span(&self, range: Range<usize>) -> Span {
        if let Some(at) = self.ending.filter(|_| range.start >= self.len()) {
            return at;
        }
        let source = self.segments.source(&self.spelling, self.shifted(range));
        match &self.outer {
            Some(outer) => outer.map.span(source),
            None => Span::new(self.file, source),
        }
    }

    pub fn whole(&self) -> Span {
        self.span(0..self.len())
    }

    /// The length of what the file spells.
    fn len(&self) -> usize {
        (self.window.1 - self.window.0) as usize
    }

    /// True when every character has its own place, and the text can be read again from there; else only the whole scalar
    /// has one, or the text is put together of several.
    pub fn is_exact(&self) -> bool {
        let joined = self.spelling.style == Style::Joined;
        !joined
            && self.ending.is_none()
            && !self.segments.is_opaque()
            && self.outer.as_ref().is_none_or(|outer| outer.map.is_exact())
    }

    #[must_use]
    pub fn part(&self, range: Range<usize>) -> TextMap {
        let end = range.end;
        let shifted = self.shifted(range);
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        TextMap {
            window: (clamp(shifted.start), clamp(shifted.end)),
            ending: self.ending.filter(|_| end > self.len()),
            ..self.clone()
        }
    }

    /// Reads the text once more from the file's text; `None` where that is not exact.
    pub fn decode(&self, file_text: &str) -> Option<String> {
        self.ending.is_none().then_some(())?;
        let source = self.source(file_text)?;
        let value = self.spelling.decode(source)?;
        let window = self.window.0 as usize..self.window.1 as usize;
        value.get(window).map(str::to_owned)
    }

    /// The edit of the file that puts `new` in place of `range`: bytes to replace and what to write there.
    ///
    /// The result is decoded before it is given back; `None` when the scalar's style cannot spell it.
    pub fn edit(&self, file_text: &str, range: Range<usize>, new: &str) -> Option<(Span, String)> {
        // An ending that the file does not spell.
        (range.end <= self.len()).then_some(())?;
        let change = edit::Change {
            spelling: &self.spelling,
            segments: &self.segments,
            source: self.source(file_text)?,
            range: self.shifted(range),
            new,
        };
        let (at, spelled) = change.spell()?;
        match &self.outer {
            Some(outer) => outer.map.edit(file_text, at, &spelled),
            None => Some((Span::new(self.file, at), spelled)),
        }
    }

    /// The text that `spelling` is in.
    fn source<'f>(&'f self, file_text: &'f str) -> Option<&'f str> {
        match &self.outer {
            Some(outer) => {
                let text = outer.text.get_or_init(|| outer.map.decode(file_text));
                text.as_deref()
            }
            None => Some(file_text),
        }
    }

    /// `range` counted from the start of the scalar, within the window.
    fn shifted(&self, range: Range<usize>) -> Range<usize> {
        let (low, high) = (self.window.0 as usize, self.window.1 as usize);
        let start = range.start.saturating_add(low).min(high);
        start..range.end.saturating_add(low).clamp(start, high)
    }
}
