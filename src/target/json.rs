//! JSON of templates, evenly laid out: read and written in one go, without a tree of its values.

use serde_json::Result;
use serde_json::de::Deserializer;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

/// Each value on a line of its own.
///
/// # Errors
/// When the text is no JSON.
pub(super) fn pretty(text: &str) -> Result<String> {
    let mut pretty = format(text, PrettyFormatter::new())?;
    pretty.push('\n');
    Ok(pretty)
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

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn layouts_are_those_of_the_tree() {
        let text = r#" {"b": [1, -2.50, 1e3, "\u003c\"\u00e9", true, null], "a": {}, "c": [], "d": {"e": {}}} "#;
        let tree: Value = serde_json::from_str(text).expect("JSON");
        let wanted = serde_json::to_string_pretty(&tree).expect("prints");
        assert_eq!(pretty(text).expect("JSON"), wanted + "\n");
        assert_eq!(compact(text).expect("JSON"), tree.to_string());
        for wrong in ["{} x", "{\"a\" 1}", "", "[1,]"] {
            assert!(pretty(wrong).is_err(), "{wrong}");
        }
    }
}
