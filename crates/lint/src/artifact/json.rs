//! JSON as a tree of spanned nodes, the same tree that YAML gives.

use std::borrow::Cow;
use std::ops::Range;

use slosmith_text::diag::Diagnostic;
use slosmith_text::source::mark_len;
use slosmith_text::yaml::{Body, Kind, Node, Style, json_string};

/// Deeper nesting is an error: nothing that people keep is near it, and each level costs stack.
const MAX_DEPTH: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) range: Range<usize>,
    pub(super) message: &'static str,
}

impl Fault {
    /// The fault as a finding in the text that was read.
    pub(super) fn in_body(&self, body: &Body<'_>) -> Diagnostic {
        let message = format!("invalid JSON: {}", self.message);
        Diagnostic::error("invalid-json", body.span(self.range.clone()), message)
    }
}

/// True for a text that begins as JSON does, or with a comment as JSON never has one but people write it.
pub(super) fn is_likely(text: &str) -> bool {
    let start = text[mark_len(text)..].trim_start();
    ["{", "[", "//", "/*"]
        .iter()
        .any(|sign| start.starts_with(sign))
}

/// Reads one JSON value; a byte order mark in front and comments are skipped. Of a key that appears twice both stay.
pub(super) fn parse(text: &str) -> Result<Node<'_>, Fault> {
    value(text, false)
}

/// The same of a text that a template was filled in to, or will be: values may be signs or `${…}` that stand for
/// unknown ones, and a comma may be left over at the end of a list.
pub(super) fn parse_filled(text: &str) -> Result<Node<'_>, Fault> {
    value(text, true)
}

fn value(text: &str, filled: bool) -> Result<Node<'_>, Fault> {
    let at = mark_len(text);
    let mut parser = Parser { text, at, filled };
    let node = parser.value(0)?;
    parser.blanks();
    match parser.peek() {
        None => Ok(node),
        Some(_) => Err(parser.fault("unexpected text after the JSON value")),
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    filled: bool,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let line = rest.starts_with('#') || rest.starts_with("//");
            self.at += match self.peek() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => 1,
                _ if line => rest.find('\n').unwrap_or(rest.len()),
                _ if rest.starts_with("/*") => match rest.find("*/") {
                    Some(end) => end + 2,
                    None => return,
                },
                _ => return,
            };
        }
    }

    fn fault(&self, message: &'static str) -> Fault {
        let width = self.text[self.at..]
            .chars()
            .next()
            .map_or(0, char::len_utf8);
        Fault {
            range: self.at..self.at + width,
            message,
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node<'t>, Fault> {
        self.blanks();
        match self.peek() {
            Some(b'{' | b'[') if depth >= MAX_DEPTH => Err(self.fault("too deeply nested")),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string(),
            Some(_) => self.literal(),
            None => Err(self.fault("expected a value, found the end of the text")),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Node<'t>, Fault> {
        let start = self.at;
        let mut entries = Vec::new();
        let close = |parser: &mut Self| -> Result<(), Fault> {
            parser.blanks();
            if parser.peek() != Some(b'"') {
                return Err(parser.fault("expected a key in double quotes"));
            }
            let key = parser.string()?;
            parser.blanks();
            if parser.peek() != Some(b':') {
                return Err(parser.fault("expected `:` after the key"));
            }
            parser.at += 1;
            entries.push((key, parser.value(depth + 1)?));
            Ok(())
        };
        self.list(b'}', close)?;
        Ok(Node::new(start..self.at, Kind::Map(entries)))
    }

    fn array(&mut self, depth: usize) -> Result<Node<'t>, Fault> {
        let start = self.at;
        let mut items = Vec::new();
        self.list(b']', |parser| {
            items.push(parser.value(depth + 1)?);
            Ok(())
        })?;
        Ok(Node::new(start..self.at, Kind::Seq(items)))
    }

    fn list(
        &mut self,
        close: u8,
        mut entry: impl FnMut(&mut Self) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.at += 1;
        self.blanks();
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(());
        }
        loop {
            entry(self)?;
            self.blanks();
            match self.peek() {
                Some(b',') => {
                    self.at += 1;
                    self.blanks();
                    if self.filled && self.peek() == Some(close) {
                        self.at += 1;
                        return Ok(());
                    }
                }
                Some(byte) if byte == close => {
                    self.at += 1;
                    return Ok(());
                }
                _ if close == b'}' => return Err(self.fault("expected `,` or `}`")),
                _ => return Err(self.fault("expected `,` or `]`")),
            }
        }
    }

    fn string(&mut self) -> Result<Node<'t>, Fault> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut at = start + 1;
        let mut escaped = false;
        loop {
            match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    at += 2;
                }
                Some(byte) if *byte >= b' ' => at += 1,
                Some(_) => {
                    self.at = at;
                    return Err(self.fault("a control character must be escaped"));
                }
                None => return Err(self.fault("the string is not closed")),
            }
        }
        self.at = at + 1;
        let slice = &self.text[start..self.at];
        let value = if escaped {
            let fault = Fault {
                range: start..self.at,
                message: "invalid escape in the string",
            };
            Cow::Owned(json_string(slice).ok_or(fault)?)
        } else {
            Cow::Borrowed(&slice[1..slice.len() - 1])
        };
        Ok(Node::scalar(start..self.at, value, Style::Json))
    }

    fn literal(&mut self) -> Result<Node<'t>, Fault> {
        let rest = &self.text[self.at..];
        let sign = self.filled && rest.starts_with('$');
        let part = |b: u8| {
            let more = matches!(b, b'+' | b'-' | b'.') || sign && matches!(b, b'$' | b'_');
            b.is_ascii_alphanumeric() || more
        };
        let hole = if sign { hole(rest) } else { 0 };
        let len = hole + rest[hole..].bytes().take_while(|b| part(*b)).count();
        let word = &rest[..len];
        if !sign && !matches!(word, "true" | "false" | "null") && !is_number(word) {
            return Err(self.fault("expected a JSON value"));
        }
        let start = self.at;
        self.at += len;
        Ok(Node::scalar(start..self.at, word, Style::JsonLiteral))
    }
}

/// Bytes of a `${…}` at the start of a text, with what is nested in it.
fn hole(text: &str) -> usize {
    if !text.starts_with("${") {
        return 0;
    }
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return at + 1,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    0
}

/// `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`
fn is_number(word: &str) -> bool {
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let word = word.strip_prefix('-').unwrap_or(word);
    let (mantissa, exponent) = match word.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (word, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|e| digits(e.strip_prefix(['+', '-']).unwrap_or(e)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::artifact::raw::plain;

    #[test]
    fn templates_leave_signs_and_commas() {
        let text = r#"{"a": $helm_1_, "b": [1, $helm_2_5,],}"#;
        let root = parse_filled(text).unwrap();
        assert_eq!(root.get("a").and_then(Node::text), Some("$helm_1_"));
        let wanted = serde_json::json!({"a": "$helm_1_", "b": [1, "$helm_2_5"]});
        assert_eq!(plain(&root), wanted);
        for text in [text, "[1,]", "$helm_1_"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse_filled("[,]").is_err());
    }

    #[test]
    fn faults_point_at_what_does_not_fit() {
        for (text, at, message) in [
            ("{\"a\" 1}", 5, "`:`"),
            ("{a: 1}", 1, "a key"),
            ("[1, 2", 5, "`]`"),
            ("[1,]", 3, "a JSON value"),
            ("{\"a\": \"x\n\"}", 8, "control"),
            ("[\"\\q\"]", 1, "escape"),
            ("[01]", 1, "value"),
            ("{} x", 3, "unexpected text after"),
            ("", 0, "expected a value"),
            ("\"a", 0, "not closed"),
        ] {
            let fault = parse(text).unwrap_err();
            assert_eq!(fault.range.start, at, "{text}");
            assert!(fault.message.contains(message), "{text}: {}", fault.message);
        }
        assert!(parse(&"[".repeat(100_000)).is_err());
        assert!(parse("\u{feff}{}").is_ok());
        assert!(parse("\u{feff}// a\n# b\n/* {\n */ {\"a\": /**/ 1} //").is_ok());
        assert!(parse("/* {}").is_err());
    }

    fn values() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<i64>().prop_map(Into::into),
            "\\PC{0,8}[\\\\\"\n\t\u{1}é😀]?".prop_map(Into::into),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
                proptest::collection::btree_map("[a-z\"é]{0,3}", inner, 0..4)
                    .prop_map(|m| serde_json::Value::Object(m.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn agrees_with_serde(value in values()) {
            let text = serde_json::to_string_pretty(&value).unwrap();
            prop_assert_eq!(plain(&parse(&text).unwrap()), value);
        }

        #[test]
        fn accepts_what_serde_accepts(text in "[\\[\\]{},:\" \\\\u0-9a-f.eE+tnr\u{1}-]{0,12}") {
            let ours = parse(&text).is_ok();
            let theirs = serde_json::from_str::<serde_json::Value>(&text);
            // Half a surrogate pair is a character to everybody but serde.
            let half = text.to_lowercase().contains("\\ud");
            // A number beyond 64 bits' range is a number all the same.
            let range = theirs.as_ref().is_err_and(|e| e.to_string().contains("out of range"));
            prop_assert!(ours == theirs.is_ok() || half || range, "{text:?}: {ours} {theirs:?}");
        }
    }
}
