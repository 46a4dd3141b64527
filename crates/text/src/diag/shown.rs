//! Text from elsewhere as it may be shown: files, pages and names can hold what steers a terminal or forges a line.

use std::borrow::Cow;
use std::fmt::Write;

/// True for what a terminal acts on without showing it: control characters, other line ends, and what changes the order of
/// the characters around it. Tabs and line feeds are not among them.
pub fn steers(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        '\u{200b}' | '\u{2060}'..='\u{2064}' => true,
        c => c.is_control(),
    }
}

/// Writes a character as JSON escapes it: what is escaped inside a JSON string still means the same.
pub fn push_escaped(out: &mut String, c: char) {
    // Writing to a string cannot fail; no character that steers has more than four digits.
    let _ = write!(out, "\\u{:04x}", u32::from(c));
}

pub fn shown(text: &str) -> Cow<'_, str> {
    escaped(text, steers)
}

/// Text for a place that ends with its line.
pub fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c == '\n' || c == '\t' || steers(c))
}

fn escaped(text: &str, unsafe_char: fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(unsafe_char) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            c if !unsafe_char(c) => out.push(c),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c => push_escaped(&mut out, c),
        }
    }
    Cow::Owned(out)
}

/// Lines of whole words, within a width where words are not longer.
pub fn wrapped(text: &str, width: usize) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let full = rest.char_indices().nth(width).map(|(at, _)| at);
        let end = full.and_then(|full| {
            let blank = rest[full..].starts_with(' ').then_some(full);
            blank
                .or_else(|| rest[..full].rfind(' '))
                .or_else(|| rest.find(' '))
        });
        let (line, after) = rest.split_at(end.unwrap_or(rest.len()));
        lines.push(line.trim_end());
        rest = after.trim_start();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_between_words() {
        assert_eq!(
            wrapped("a verylongword b c", 4),
            ["a", "verylongword", "b c"]
        );
        assert_eq!(wrapped("é é é", 3), ["é é", "é"]);
    }

    #[test]
    fn what_steers_is_named() {
        let shown = [
            ("plain é 日本 👩\u{200d}💻", "plain é 日本 👩\u{200d}💻"),
            ("a\n::error::b", "a\\n::error::b"),
            ("\x1b[31m\x07\r", "\\u001b[31m\\u0007\\r"),
            (
                "\u{9b}\u{85}\u{202e}\u{2028}\u{200b}",
                "\\u009b\\u0085\\u202e\\u2028\\u200b",
            ),
        ];
        for (text, wanted) in shown {
            assert_eq!(one_line(text), wanted);
        }
    }
}
