//! JSON of templates, evenly laid out, without a tree of its values.
//!
//! `{"a" : [1,"\u003c"]}` is printed as serde_json prints its value. serde_json decides whether a text is JSON.

use std::borrow::Cow;

use memchr::memchr2;
use serde::Deserialize;
use serde_json::{Number, Result, Value};

#[derive(Clone, Copy)]
pub(super) struct Json<'t>(&'t str);

pub(super) fn read<'t, T: Deserialize<'t>>(text: &'t str) -> Result<(T, Json<'t>)> {
    Ok((serde_json::from_str(text)?, Json(text)))
}

pub(super) fn pretty(value: &Value) -> String {
    // What a value is printed as has no faults.
    Json(&value.to_string()).pretty().unwrap_or_default()
}

impl Json<'_> {
    /// Each value on a line of its own.
    pub(super) fn pretty(self) -> Result<String> {
        let mut pretty = self.layout(true)?;
        pretty.push('\n');
        Ok(pretty)
    }

    /// Without white space.
    pub(super) fn compact(self) -> Result<String> {
        self.layout(false)
    }

    fn layout(self, lines: bool) -> Result<String> {
        let mut layout = Layout {
            out: String::with_capacity(self.0.len() * 3 / 2),
            lines,
            depth: 0,
        };
        let mut rest = self.0.trim_ascii_start();
        while let Some(first) = rest.bytes().next() {
            let behind = layout.token(first, rest);
            // The error of a token alone has no place.
            let behind = behind.or_else(|e| serde_json::from_str::<Value>(self.0).and(Err(e)));
            rest = behind?.trim_ascii_start();
        }
        Ok(layout.out)
    }
}

/// A line end and the indentation of 31 levels.
const INDENT: &str = "\n                                                              ";

struct Layout {
    out: String,
    lines: bool,
    depth: usize,
}

impl Layout {
    fn token<'t>(&mut self, first: u8, text: &'t str) -> Result<&'t str> {
        match first {
            b'{' | b'[' => return Ok(self.open(text)),
            b'}' | b']' => self.close(&text[..1]),
            b',' => {
                self.out.push(',');
                self.line();
            }
            b':' => self.out.push_str(if self.lines { ": " } else { ":" }),
            _ => {
                let (token, rest) = if first == b'"' {
                    string(text)
                } else {
                    scalar(text)
                }?;
                self.out.push_str(&token);
                return Ok(rest);
            }
        }
        Ok(&text[1..])
    }

    fn open<'t>(&mut self, text: &'t str) -> &'t str {
        let (bracket, rest) = text.split_at(1);
        let rest = rest.trim_ascii_start();
        self.out.push_str(bracket);
        if rest.starts_with(['}', ']']) {
            self.out.push_str(&rest[..1]);
            return &rest[1..];
        }
        self.depth += 1;
        self.line();
        rest
    }

    fn close(&mut self, bracket: &str) {
        self.depth -= 1;
        self.line();
        self.out.push_str(bracket);
    }

    fn line(&mut self) {
        if !self.lines {
            return;
        }
        let wide = 1 + 2 * self.depth;
        match INDENT.get(..wide) {
            Some(indent) => self.out.push_str(indent),
            None => self.out.push_str(&format!("\n{:1$}", "", wide - 1)),
        }
    }
}

/// The string that a text begins with, with no more escapes than it needs, and what is behind it.
fn string(text: &str) -> Result<(Cow<'_, str>, &str)> {
    let bytes = text.as_bytes();
    let mut needed = true;
    let mut end = 1;
    while let Some(found) = memchr2(b'"', b'\\', &bytes[end..]) {
        end += found + 1;
        if bytes[end - 1] == b'"' {
            break;
        }
        needed &= matches!(bytes[end], b'"' | b'\\' | b'n' | b'r' | b't');
        end += 1;
    }
    let (string, rest) = text.split_at(end);
    if needed {
        return Ok((Cow::Borrowed(string), rest));
    }
    let value: String = serde_json::from_str(string)?;
    Ok((Cow::Owned(serde_json::to_string(&value)?), rest))
}

/// The number or word that a text begins with, and what is behind it.
fn scalar(text: &str) -> Result<(Cow<'_, str>, &str)> {
    let ends = |b: u8| matches!(b, b',' | b']' | b'}') || b.is_ascii_whitespace();
    let end = text.bytes().position(ends).unwrap_or(text.len());
    let (scalar, rest) = text.split_at(end);
    let digits = scalar.len() < 19 && scalar.bytes().all(|b| b.is_ascii_digit());
    if digits || scalar.starts_with(['t', 'f', 'n']) {
        return Ok((Cow::Borrowed(scalar), rest));
    }
    let number: Number = serde_json::from_str(scalar)?;
    Ok((Cow::Owned(number.to_string()), rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::de::IgnoredAny;
    use serde_json::json;

    use super::*;

    fn assert_laid_out(text: &str) {
        let tree: Value = serde_json::from_str(text).expect("JSON");
        let wanted = serde_json::to_string_pretty(&tree).expect("prints") + "\n";
        let (_, json) = read::<IgnoredAny>(text).expect("JSON");
        assert_eq!(json.pretty().expect("JSON"), wanted);
        assert_eq!(pretty(&tree), wanted);
        assert_eq!(json.compact().expect("JSON"), tree.to_string());
    }

    #[test]
    fn layouts_are_those_of_the_tree() {
        for text in [
            r#" {"b": [1, -2.50, 1e3, "\u003c\"\u00e9", true, null], "a": {}, "c": [ ], "d": {"e": {}}} "#,
            r#"[-0, -1, 0.0, 18446744073709551615, 18446744073709551616, 1E-7, 999999999999999999]"#,
            r#"["\\u0041", "\\", "\/", "\b\f\n\r\t", "\u2028\ud83d\ude00", "[{,:}]", ""]"#,
            "\t[\r\n]\n",
            "\"é\u{7f}\u{2028}\"",
            "3",
        ] {
            assert_laid_out(text);
        }
        assert_laid_out(&("[".repeat(40) + "1, {}" + &"]".repeat(40)));
    }

    #[test]
    fn what_is_no_json_has_its_place() {
        for wrong in [
            "{} x",
            "{\"a\" 1}",
            "",
            "[1,]",
            "{]",
            "[\"\u{1}\"]",
            "[01]",
            "[nul]",
        ] {
            assert!(read::<IgnoredAny>(wrong).is_err(), "{wrong}");
        }
        for wrong in ["[1,\n 1e999]", "[1,\n \"\\ud800\"]"] {
            let laid_out = read::<IgnoredAny>(wrong).and_then(|(_, json)| json.pretty());
            assert_eq!(laid_out.expect_err(wrong).line(), 2, "{wrong}");
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let scalar = prop_oneof![
            Just(json!(null)),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        scalar.prop_recursive(6, 40, 5, |inner| {
            let list = prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from);
            let map = prop::collection::vec((any::<String>(), inner), 0..5);
            let map = map.prop_map(|all| Value::from(serde_json::Map::from_iter(all)));
            prop_oneof![list, map]
        })
    }

    proptest! {
        #[test]
        fn any_value_is_laid_out_as_its_tree(value in values()) {
            assert_laid_out(&value.to_string());
            assert_laid_out(&serde_json::to_string_pretty(&value).expect("prints"));
        }
    }
}
