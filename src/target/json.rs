//! JSON of templates, evenly laid out: read and written in one go, without a tree of its values.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Result;
use serde_json::de::Deserializer;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

/// Each value on a line of its own.
///
/// # Errors
/// When the text is no JSON.
pub(super) fn pretty(text: &str) -> Result<String> {
    let mut pretty = format(text, Lines::default())?;
    pretty.push('\n');
    Ok(pretty)
}

/// The same of a value.
pub(super) fn pretty_value(value: &serde_json::Value) -> String {
    let mut out = Vec::new();
    // Printing a value into memory cannot fail.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut out, Lines::default()));
    out.push(b'\n');
    String::from_utf8(out).unwrap_or_default()
}

/// Without white space.
///
/// # Errors
/// When the text is no JSON.
pub(super) fn compact(text: &str) -> Result<String> {
    format(text, CompactFormatter)
}

fn format(text: &str, formatter: impl Formatter) -> Result<String> {
    let mut out = Vec::with_capacity(text.len() * 2);
    let mut reader = Deserializer::from_str(text);
    let mut writer = Serializer::with_formatter(&mut out, formatter);
    serde_transcode::transcode(&mut reader, &mut writer)?;
    reader.end()?;
    // What is printed is UTF-8.
    Ok(String::from_utf8(out).unwrap_or_default())
}

/// A line end and the indentation of 31 levels.
const INDENT: &str = "\n                                                              ";

/// The layout of serde_json's `PrettyFormatter`, which writes indentation one level at a time.
#[derive(Default)]
struct Lines {
    depth: usize,
    /// The innermost list or object has a value.
    filled: bool,
}

impl Lines {
    fn open(&mut self) {
        self.depth += 1;
        self.filled = false;
    }

    fn close(&mut self, out: &mut (impl Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if self.filled {
            self.line(out)?;
        }
        self.filled = true;
        out.write_all(bracket)
    }

    fn line(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        let wide = 1 + 2 * self.depth;
        match INDENT.get(..wide) {
            Some(indent) => out.write_all(indent.as_bytes()),
            None => write!(out, "\n{:1$}", "", wide - 1),
        }
    }

    fn next(&mut self, out: &mut (impl Write + ?Sized), first: bool) -> io::Result<()> {
        self.filled = true;
        if !first {
            out.write_all(b",")?;
        }
        self.line(out)
    }
}

impl Formatter for Lines {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open();
        out.write_all(b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.next(out, first)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open();
        out.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.next(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn layouts_are_those_of_the_tree() {
        let text = r#" {"b": [1, -2.50, 1e3, "\u003c\"\u00e9", true, null], "a": {}, "c": [], "d": {"e": {}}} "#;
        let tree: Value = serde_json::from_str(text).expect("JSON");
        let wanted = serde_json::to_string_pretty(&tree).expect("prints");
        assert_eq!(pretty(text).expect("JSON"), wanted.clone() + "\n");
        assert_eq!(pretty_value(&tree), wanted + "\n");
        assert_eq!(compact(text).expect("JSON"), tree.to_string());
        let deep = "[".repeat(40) + "1, {}" + &"]".repeat(40);
        let tree: Value = serde_json::from_str(&deep).expect("JSON");
        let wanted = serde_json::to_string_pretty(&tree).expect("prints");
        assert_eq!(pretty(&deep).expect("JSON"), wanted + "\n");
        for wrong in ["{} x", "{\"a\" 1}", "", "[1,]"] {
            assert!(pretty(wrong).is_err(), "{wrong}");
        }
    }
}
