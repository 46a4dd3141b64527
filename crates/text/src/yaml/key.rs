//! From a value back to its key, which the reader does not place.

use std::ops::Range;

/// The key `name` of the value that starts at `at`, or whose first entry does; `None` when something else
/// is between.
pub fn key(text: &str, at: usize, name: &str) -> Option<Range<usize>> {
    let before = text.get(..at)?.trim_end();
    let before = before.strip_suffix(['[', '{', '-']).unwrap_or(before);
    key_before(before).filter(|range| text[range.clone()].trim_matches(['"', '\'']) == name)
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
    }
}
