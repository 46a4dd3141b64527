//! The scalars of regular YAML.

use super::cursor::{Cursor, Line, only_comment};
use crate::yaml::node::{Node, Style};
use crate::yaml::text::{Shape, decode, extent};

/// True when YAML allows every character unescaped, and none is a tab or a carriage return.
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

/// A plain scalar, with the lines that go on with it.
pub(super) fn plain<'t>(
    cursor: &mut Cursor<'t>,
    line: Line<'t>,
    indent: usize,
) -> Option<Node<'t>> {
    let comment = line.text.find(" #");
    let text = line.text[..comment.unwrap_or(line.text.len())].trim_end_matches(' ');
    let first = line.text.as_bytes()[0];
    if b"?:,[]{}#&*!|>'\"%@`".contains(&first) || text.starts_with("--") || text == "-" {
        return None;
    }
    if text.starts_with("- ") || !goes_on(text) {
        return None;
    }
    let mut end = line.start + text.len();
    let mut folded = None;
    while comment.is_none() {
        let before = cursor.next;
        let Some(more) = cursor.raw() else { break };
        let ends = more.text.is_empty() || more.text.starts_with('#') || more.indent <= indent;
        if ends {
            cursor.next = before;
            break;
        }
        if !goes_on(more.text) {
            return None;
        }
        let joined = folded.get_or_insert_with(|| text.to_owned());
        joined.push(' ');
        joined.push_str(more.text);
        end = more.start + more.text.len();
    }
    cursor.advance()?;
    let range = line.start..end;
    Some(match folded {
        Some(value) => Node::scalar(range, value, Style::Plain),
        None => Node::scalar(range, text, Style::Plain),
    })
}

/// Whether a line of a plain scalar is only that: no key, no comment.
fn goes_on(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut before = b'x';
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b':' if matches!(bytes.get(at + 1), None | Some(b' ')) => return false,
            b'#' if before == b' ' => return false,
            _ => {}
        }
        before = *byte;
    }
    true
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
    let len = extent(lines, first.indent);
    let mut value = String::with_capacity(len);
    decode(style, shape, &lines[..len], begin, &mut value)?;
    cursor.next = begin + len;
    cursor.advance()?;
    let used = lines[..len].trim_end_matches([' ', '\n']).len();
    Some(Node::scalar(first.start..begin + used, value, style))
}
