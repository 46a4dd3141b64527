//! Spelling a change for the style of the scalar it is made in.

use std::ops::Range;

use super::block::Shape;
use super::code;
use super::json;
use super::segments::Segments;
use super::spelling::{Spelling, decode};
use super::template;
use crate::yaml::node::Style;

pub(super) struct Change<'a> {
    pub(super) spelling: &'a Spelling,
    pub(super) segments: &'a Segments,
    pub(super) source: &'a str,
    pub(super) range: Range<usize>,
    pub(super) new: &'a str,
}

impl Change<'_> {
    /// The bytes of `source` to replace, and the replacement as the scalar's style spells it.
    pub(super) fn spell(&self) -> Option<(Range<usize>, String)> {
        if self.segments.is_opaque() {
            return None;
        }
        self.in_lines().or_else(|| self.in_scalar())
    }

    /// A change inside of a block is tried out on its lines alone: a dashboard in a block scalar may have thousands.
    ///
    /// Not for the first line, from which a block's indentation may be taken, and not for the last, whose break counts.
    fn in_lines(&self) -> Option<(Range<usize>, String)> {
        let Self {
            spelling,
            source,
            new,
            ..
        } = *self;
        if !matches!(spelling.style, Style::Literal | Style::Lines) {
            return None;
        }
        let whole = spelling.range();
        let at = self.segments.source(spelling, self.range.clone());
        let is_break = |byte: &u8| matches!(byte, b'\n' | b'\r');
        if source.get(at.clone())?.bytes().any(|b| is_break(&b)) {
            // The indentation of the line behind it goes with a break.
            return None;
        }
        let (before, after) = self.around(&whole, &at)?;
        let start = whole.start + before.bytes().rposition(|b| is_break(&b))? + 1;
        let end = at.end + after.bytes().position(|b| is_break(&b))?;
        let (before, after) = self.around(&(start..end), &at)?;
        let indent = spelling.block.indent();
        let blanks = before
            .bytes()
            .take(indent)
            .take_while(|b| *b == b' ')
            .count();
        let expected = format!("{}{new}{after}", &before[blanks..]);
        let fits = |spelled: &String| {
            let slice = format!("{before}{spelled}{after}");
            let mut text = String::new();
            allowed(spelling.style, &slice)
                && decode(spelling.style, Shape::lines(indent), &slice, 0, &mut text).is_some()
                && text == expected
        };
        let spelled = candidates(spelling, source, new).into_iter().find(fits)?;
        Some((at, spelled))
    }

    /// A change that is tried out on the whole scalar.
    fn in_scalar(&self) -> Option<(Range<usize>, String)> {
        let Self {
            spelling,
            source,
            new,
            ref range,
            ..
        } = *self;
        let old = spelling.decode(source)?;
        let wide = self.segments.widened(range.clone());
        let new = format!(
            "{}{new}{}",
            old.get(wide.start..range.start)?,
            old.get(range.end..wide.end)?
        );
        let expected = format!("{}{new}{}", old.get(..wide.start)?, old.get(wide.end..)?);
        let at = self.segments.source(spelling, wide);
        let whole = spelling.range();
        let (before, after) = self.around(&whole, &at)?;
        let closed = source.get(whole)?.ends_with(['\n', '\r']);
        let fits = |spelled: &String| {
            let slice = format!("{before}{spelled}{after}");
            // What follows a block must stay on a line of its own.
            let open = spelling.block.indent() > 0 && closed && !slice.ends_with(['\n', '\r']);
            !open
                && allowed(spelling.style, &slice)
                && decoded(spelling, &slice).as_deref() == Some(&expected)
        };
        let spelled = candidates(spelling, source, &new).into_iter().find(fits)?;
        Some((at, spelled))
    }

    /// What `whole` has before and after the bytes that go.
    fn around(&self, whole: &Range<usize>, at: &Range<usize>) -> Option<(&str, &str)> {
        let before = self.source.get(whole.start..at.start)?;
        Some((before, self.source.get(at.end..whole.end)?))
    }
}

fn decoded(spelling: &Spelling, slice: &str) -> Option<String> {
    let mut text = String::new();
    decode(spelling.style, spelling.block, slice, 0, &mut text)?;
    Some(text)
}

fn candidates(spelling: &Spelling, source: &str, new: &str) -> Vec<String> {
    match spelling.style {
        Style::DoubleQuoted
        | Style::Json
        | Style::Literal
        | Style::Lines
        | Style::Template { .. }
        | Style::Code => {}
        // A line break would need its fold and the indentation of what surrounds the scalar.
        _ if new.contains(['\n', '\r']) => return Vec::new(),
        _ => {}
    }
    match spelling.style {
        Style::Plain | Style::PlainInFlow | Style::Folded | Style::JsonLiteral => {
            vec![new.to_owned()]
        }
        Style::SingleQuoted => vec![new.replace('\'', "''")],
        Style::DoubleQuoted => {
            let spelled = double(new);
            let padded = spelled.replace(' ', "\\ ");
            vec![spelled, padded]
        }
        Style::Literal | Style::Lines => vec![indented(spelling, source, new)],
        Style::Joined => Vec::new(),
        Style::Json => vec![json::spell(new)],
        Style::Template { filler, .. } => {
            template::spell(source, filler, new).into_iter().collect()
        }
        Style::Code => {
            let literal = source.get(spelling.range()).unwrap_or_default();
            code::spell(literal, new).into_iter().collect()
        }
    }
}

fn double(text: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(text.len());
    for c in json::spell(text).chars() {
        if printable(c) && c != '\u{85}' && c != '\u{2028}' && c != '\u{2029}' {
            out.push(c);
        } else {
            let _ = write!(out, "\\U{:08x}", u32::from(c));
        }
    }
    out
}

/// Lines behind the first get the block's indentation and its kind of line break.
fn indented(spelling: &Spelling, source: &str, text: &str) -> String {
    if !text.contains('\n') {
        return text.to_owned();
    }
    let block = source.get(spelling.range()).unwrap_or_default();
    let newline = if block.contains("\r\n") { "\r\n" } else { "\n" };
    let pad = " ".repeat(spelling.block.indent());
    let mut lines = text.split('\n');
    let mut out = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        out.push_str(newline);
        if !line.is_empty() {
            out.push_str(&pad);
        }
        out.push_str(line);
    }
    out
}

/// What decoding alone would not notice: characters and positions that end a scalar of this style.
fn allowed(style: Style, slice: &str) -> bool {
    match style {
        Style::Plain => slice.chars().all(printable) && plain(slice, false),
        Style::PlainInFlow => slice.chars().all(printable) && plain(slice, true),
        Style::SingleQuoted | Style::DoubleQuoted | Style::Literal | Style::Folded => {
            slice.chars().all(printable)
        }
        Style::Json | Style::Template { .. } | Style::Code => true,
        Style::Joined => false,
        Style::JsonLiteral => serde_json::from_str::<serde_json::Value>(slice)
            .is_ok_and(|value| !value.is_string() && !value.is_array() && !value.is_object()),
        Style::Lines => !slice.contains("```") && !slice.contains("~~~"),
    }
}

/// Whether a plain scalar may look like this.
fn plain(slice: &str, flow: bool) -> bool {
    let mut chars = slice.chars();
    let (first, second) = (chars.next(), chars.next());
    let starts = match first {
        None => false,
        Some('-') => !slice.starts_with("--") && second.is_some_and(|c| !c.is_whitespace()),
        Some(c) => !"?:,[]{}#&*!|>'\"%@`".contains(c),
    };
    let colon = |(at, _): (usize, &str)| {
        let next = slice[at + 1..].chars().next();
        next.is_none_or(|c| c.is_whitespace() || (flow && ",[]{}".contains(c)))
    };
    let hash = |(at, _): (usize, &str)| slice[..at].ends_with(char::is_whitespace);
    let ends = slice.starts_with("...")
        || slice.match_indices(':').any(colon)
        || slice.match_indices('#').any(hash)
        || (flow && slice.contains([',', '[', ']', '{', '}']));
    starts && !ends
}

/// The characters that YAML allows unescaped, without the byte order mark.
fn printable(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{d7ff}'
        | '\u{e000}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}' | '\u{10000}'..)
}
