//! From a value back to its key, which the reader does not place.

use std::ops::Range;

use crate::source::mark_len;

/// The key `name` of the value that starts at `at`, or whose first entry does; `None` when something else
/// is between.
pub fn key(text: &str, at: usize, name: &str) -> Option<Range<usize>> {
    let before = text.get(..at)?.trim_end();
    let before = before.strip_suffix(['[', '{', '-']).unwrap_or(before);
    key_before(before).filter(|range| text[range.clone()].trim_matches(['"', '\'']) == name)
}

/// The key whose value begins at `at`; `None` for an item of a list and for the document.
pub(super) fn of_value(text: &str, at: usize) -> Option<Range<usize>> {
    key_before(text.get(..at)?)
}

/// The key of the mapping that has an entry at `at`; `None` at the top and in lists.
pub(super) fn owner(text: &str, at: usize) -> Option<Range<usize>> {
    let before = text.get(..at)?;
    let line = before.rfind('\n').map_or(0, |i| i + 1);
    if before[line..].trim_start().is_empty() {
        return block_owner(&before[..line], at - line);
    }
    key_before(&before[..open_brace(before)?])
}

pub(super) fn first(text: &str) -> usize {
    let mut at = mark_len(text);
    for line in text[at..].split_inclusive('\n') {
        let content = line.trim();
        if !(content.is_empty() || content.starts_with(['#', '%']) || content == "---") {
            return at + line.len() - line.trim_start_matches(' ').len();
        }
        at += line.len();
    }
    0
}

/// The nearest line above that is indented less than an entry, when it ends in a key.
fn block_owner(above: &str, indent: usize) -> Option<Range<usize>> {
    let mut end = above.len();
    for line in above.split_inclusive('\n').rev() {
        let start = end - line.len();
        let content = line.trim_start_matches(' ');
        let found = line.len() - content.len();
        if !content.trim().is_empty() && !content.starts_with('#') && found < indent {
            let code = line.find(" #").map_or(line, |i| &line[..i]);
            return key_before(&above[..start + code.len()]);
        }
        end = start;
    }
    None
}

/// The brace that is still open at the end of a text.
fn open_brace(text: &str) -> Option<usize> {
    let mut closed = 0;
    let mut quote = None;
    for (i, c) in text.char_indices().rev() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '}' | ']') => closed += 1,
            (None, '{') if closed == 0 => return Some(i),
            (None, '[') if closed == 0 => return None,
            (None, '{' | '[') => closed -= 1,
            _ => {}
        }
    }
    None
}

/// The key at the end of a text, in front of its colon.
fn key_before(text: &str) -> Option<Range<usize>> {
    let key = without_comments(text).strip_suffix(':')?.trim_end();
    let quoted = ['"', '\''].into_iter().find(|quote| key.ends_with(*quote));
    let start = match quoted {
        Some(quote) => key[..key.len() - 1].rfind(quote)?,
        None => key
            .rfind(|c: char| c.is_whitespace() || matches!(c, '{' | '[' | ','))
            .map_or(0, |i| i + 1),
    };
    (start < key.len()).then_some(start..key.len())
}

/// Cuts blanks and whole lines of comment off the end.
fn without_comments(text: &str) -> &str {
    let text = text.trim_end();
    let line = text.rfind('\n').map_or(0, |i| i + 1);
    if text[line..].trim_start().starts_with('#') {
        without_comments(&text[..line])
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_backwards() {
        let text = "a:\n  # why\n  b: {c: 1, \"d e\": [2]}\n- f: 3\n";
        let found = |value: &str, name: &str| {
            let at = text.find(value).expect(value);
            key(text, at, name).map(|range| &text[range])
        };
        assert_eq!(found("1", "c"), Some("c"));
        assert_eq!(found("[2", "d e"), Some("\"d e\""));
        assert_eq!(found("{c", "b"), Some("b"));
        assert_eq!(found("b:", "a"), Some("a"));
        assert_eq!(found("1", "x"), None);
        assert_eq!(owner(text, text.find("c:").expect("c")), Some(13..14));
        assert_eq!(owner(text, text.find("f:").expect("f")), None);
        assert_eq!(owner(text, 0), None);
    }

    #[test]
    fn owners_are_found_from_every_entry() {
        let text = "# x\na: # y\n  b:\n    c: [1]\n\n    d: {e: \"}\", f: {g: 1}, h: 2}\n  i:\n  - j: 1\n    k: 2\n";
        let found = |entry: &str| {
            let at = text.find(entry).expect(entry);
            owner(text, at).map(|range| &text[range])
        };
        let wanted = [
            ("b:", Some("a")),
            ("d:", Some("b")),
            ("e:", Some("d")),
            ("g:", Some("f")),
            ("h:", Some("d")),
            ("i:", Some("a")),
            ("j:", None),
            ("k:", None),
        ];
        for (entry, owner) in wanted {
            assert_eq!(found(entry), owner, "{entry}");
        }
        assert_eq!(first(text), 4);
    }
}
