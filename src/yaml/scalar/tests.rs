use std::collections::BTreeMap;

use super::*;
use crate::source::{FileId, Spanned};

/// Every byte range of a value that starts or ends at `needle` leads to the same characters in the file.
fn found(text: &str, needle: &str) -> Option<String> {
    let map: BTreeMap<String, Spanned<String>> = crate::yaml::read(FileId(0), text).expect("valid");
    let scalar = &map["k"];
    let start = scalar.value.find(needle).expect(needle);
    let part = start..start + needle.len();
    let range = inside(text, scalar.span.range(), &scalar.value, part)?;
    Some(text[range].to_owned())
}

#[test]
fn every_style_leads_back_to_its_bytes() {
    let cases = [
        ("k: a b c\n", "b", "b"),
        ("k: é b\n  c d\nl: x\n", "c", "c"),
        ("k: 'it''s b'\n", "'", "''"),
        ("k: 'it''s b'\n", "b", "b"),
        ("k: \"a \\\"q\\\" \\u00e9 b\"\n", "b", "b"),
        ("k: \"a \\\"q\\\" \\u00e9 b\"\n", "é", "\\u00e9"),
        ("k: \"a\n\n  b \\\n  c\"\n", "c", "c"),
        ("k: |\n  a\n    b\n  c\nl: x\n", "b", "b"),
        ("k: |-\n\n  a\n\n  c # no comment\nl: x\n", "# no", "# no"),
        ("k: >\n  a\n  b\n\n  c\n    d\n  e\nl: x\n", "e", "e"),
        ("k: >- # why\n  a\n  b\n", "a b", "a\n  b"),
        ("k:\n  a\n  b\n", "b", "b"),
    ];
    for (text, needle, wanted) in cases {
        assert_eq!(found(text, needle).as_deref(), Some(wanted), "{text}");
    }
}

#[test]
fn the_end_of_a_value_has_a_place() {
    let text = "k: |\n  a b\n\nl: x\n";
    let map: BTreeMap<String, Spanned<String>> = crate::yaml::read(FileId(0), text).expect("valid");
    let scalar = &map["k"];
    let end = scalar.value.len();
    let found = inside(text, scalar.span.range(), &scalar.value, end..end);
    assert_eq!(found, Some(10..10));
}

#[test]
fn an_alias_has_no_inside() {
    assert_eq!(found("j: &a b c\nk: *a\n", "c"), None);
}
