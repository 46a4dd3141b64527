//! The scalars of regular YAML.

use memchr::memchr2_iter;

use super::cursor::{Cursor, Line, only_comment};
use crate::yaml::node::{Node, Style};
use crate::yaml::text::{Shape, decode_first};

pub(super) fn printable(text: &str) -> bool {
    // Without branches, so that many bytes are looked at in one go.
    let (mut odd, mut rare) = (0, 0);
    for b in text.bytes() {
        odd |= u8::from((b < b' ') & (b != b'\n') | (b == 0x7f));
        rare |= u8::from((b == 0xc2) | (b == 0xef));
    }
    let refused = odd > 0 || (rare > 0 && text.chars().any(is_rare));
    !refused
}

/// Characters above ASCII that the full reader refuses or treats in its own way.
fn is_rare(c: char) -> bool {
    matches!(
        c,
        '\u{80}'..='\u{9f}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    )
}

/// A quoted scalar that ends on its line and has nothing behind it but a comment.
pub(super) fn quoted<'t>(line: Line<'t>) -> Option<Node<'t>> {
    let (inner, style) = until_quote(line.text, line.text.as_bytes()[0])?;
    let len = inner.len() + 2;
    only_comment(&line.text[len..])
        .then(|| Node::scalar(line.start..line.start + len, inner, style))
}

/// What is between the quote that a text begins with and the next one, when it says what is written.
pub(super) fn until_quote(text: &str, quote: u8) -> Option<(&str, Style)> {
    let inner = &text[1..];
    let inner = &inner[..inner.find(char::from(quote))?];
    let doubled = text.as_bytes().get(inner.len() + 2) == Some(&quote);
    let style = match quote {
        b'"' => Style::DoubleQuoted,
        _ => Style::SingleQuoted,
    };
    (!doubled && !inner.contains('\\')).then_some((inner, style))
}

pub(super) fn plain<'t>(
    cursor: &mut Cursor<'t>,
    line: Line<'t>,
    indent: usize,
) -> Option<Node<'t>> {
    let first = line.text.as_bytes()[0];
    if b"?:,[]{}#&*!|>'\"%@`".contains(&first) || line.text.starts_with("--") {
        return None;
    }
    let text = part(line.text)?;
    if text == "-" || text.starts_with("- ") {
        return None;
    }
    let comment = text.len() < line.text.len();
    let folded = match comment {
        true => None,
        false => folded(cursor, text, indent)?,
    };
    cursor.advance()?;
    Some(match folded {
        Some((value, end)) => Node::scalar(line.start..end, value, Style::Plain),
        None => Node::scalar(line.start..line.start + text.len(), text, Style::Plain),
    })
}

/// A plain scalar with the lines that go on with it, and where they end; none when no line does.
fn folded(cursor: &mut Cursor<'_>, text: &str, indent: usize) -> Option<Option<(String, usize)>> {
    let mut folded: Option<(String, usize)> = None;
    loop {
        let before = cursor.next;
        let more = cursor.raw();
        let more = more.filter(|more| {
            let ends = more.text.is_empty() || more.text.starts_with('#');
            !ends && more.indent > indent
        });
        let Some(more) = more else {
            cursor.next = before;
            return Some(folded);
        };
        if part(more.text)?.len() < more.text.len() {
            return None;
        }
        let (joined, end) = folded.get_or_insert_with(|| (text.to_owned(), 0));
        joined.push(' ');
        joined.push_str(more.text);
        *end = more.start + more.text.len();
    }
}

/// A line of a plain scalar without the comment behind it; `None` when it has a key.
fn part(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    for at in memchr2_iter(b':', b'#', bytes) {
        match bytes[at] {
            b':' if matches!(bytes.get(at + 1), None | Some(b' ')) => return None,
            b'#' if at > 0 && bytes[at - 1] == b' ' => return Some(text[..at].trim_ascii_end()),
            _ => {}
        }
    }
    Some(text)
}

/// A block scalar with the header `|`, `|-`, `>` or `>-`.
pub(super) fn block<'t>(
    cursor: &mut Cursor<'t>,
    line: Line<'t>,
    indent: usize,
) -> Option<Node<'t>> {
    let (style, tail) = match line.text {
        "|" => (Style::Literal, 1),
        "|-" => (Style::Literal, 0),
        ">" => (Style::Folded, 1),
        ">-" => (Style::Folded, 0),
        _ => return None,
    };
    let begin = cursor.next;
    let first = cursor.raw()?;
    if first.text.is_empty() || first.indent <= indent {
        return None;
    }
    let shape = Shape::new(first.indent, tail, false)?;
    let lines = &cursor.text()[begin..];
    let mut value = String::with_capacity(128);
    let len = decode_first(style, shape, lines, begin, &mut value)?;
    cursor.next = begin + len;
    cursor.advance()?;
    let used = lines[..len].trim_end_matches([' ', '\n']).len();
    Some(Node::scalar(first.start..begin + used, value, style))
}
