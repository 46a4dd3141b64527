use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::source::Spanned;
use crate::yaml::{Allowance, Style, tree};

fn value(text: &str) -> (String, Style, TextMap) {
    let documents = tree(FileId(0), text, &mut Allowance::default())
        .unwrap_or_else(|d| panic!("{}: {text:?}", d.message));
    let entries = documents[0].entries();
    let node = &entries[0].1;
    let node = node.items().first().unwrap_or(node);
    let Kind::Scalar(scalar) = &node.kind else {
        panic!("no scalar: {text:?}");
    };
    let map = Body::new(FileId(0), text).map(node).unwrap();
    (scalar.value.to_string(), scalar.style, map)
}

#[test]
fn places_of_every_style() {
    for (file, part, bytes) in [
        ("k: a b", "b", "b"),
        ("k: a\n  b\n", "b", "b"),
        ("k: a\n\n  b\n", "\n", "\n\n  "),
        ("k: 'it''s x'", "'s", "''s"),
        ("k: \"a\\u00e9\\tb\"", "é\t", "\\u00e9\\t"),
        ("k: \"a \\\n   b\"", "b", "b"),
        ("k: |\n  one\n  two\n", "two", "two"),
        ("k: |\r\n  one\r\n  two\r\n", "e\nt", "e\r\n  t"),
        ("k: |2-\n    one\n\n  two", "  one\n\nt", "  one\n\n  t"),
        ("k: >-\n  one\n  two\n\n  x\n", "two\nx", "two\n\n  x"),
        ("k: >\n  one\n    two\n  x\n", "  two\nx", "  two\n  x"),
        ("a: &x |\n  one\n  two\nk: *x\n", "two", "two"),
        ("k: [a b, c]", "b", "b"),
    ] {
        let (text, _, map) = value(file);
        let at = text.find(part).unwrap();
        assert!(map.is_exact(), "{file:?}");
        assert_eq!(
            &file[map.span(at..at + part.len()).range()],
            bytes,
            "{file:?}"
        );
        assert_eq!(map.decode(file).as_ref(), Some(&text), "{file:?}");
    }
}

#[test]
fn edits_that_a_style_cannot_spell_are_refused() {
    for (file, part, new, wanted) in [
        ("k: a b", "b", "c: d", None),
        ("k: a b", "b", "#d", None),
        ("k: a b", " b", "", Some("k: a")),
        ("k: a b", "b", "", None),
        ("k: a b", "a", "{a", None),
        ("k: [a b]", "a", "a{x}", None),
        ("k: 'a'", "a", "it's", Some("k: 'it''s'")),
        ("k: 'a'", "a", "x\ny", None),
        ("k: \"a\"", "a", "\"\n\u{1}", Some("k: \"\\\"\\n\\u0001\"")),
        ("k: \"a\\n  b\"", "b", " c", Some("k: \"a\\n   c\"")),
        ("k: \"a\n  b\"", "b", " c", Some("k: \"a\n  \\ c\"")),
        ("k: |\n  a\n  b\n  c\n", "b\n", "", None),
        (
            "k: |\n  a\n  b\n",
            "a",
            "x\ny",
            Some("k: |\n  x\n  y\n  b\n"),
        ),
        (
            "k: |\r\n  a\r\n",
            "a",
            "x\ny",
            Some("k: |\r\n  x\r\n  y\r\n"),
        ),
        ("k: |\n  a\n", "a", "  a", None),
        ("k: |\n  a\n", "a", "", None),
        ("k: >\n  a\n  b\n", "b", "c", Some("k: >\n  a\n  c\n")),
        ("k: >\n  a\n  b\n", "b", " c", None),
    ] {
        let (text, _, map) = value(file);
        let at = text.find(part).unwrap();
        let edited = map.edit(file, at..at + part.len(), new).map(|(span, new)| {
            let range = span.range();
            format!("{}{new}{}", &file[..range.start], &file[range.end..])
        });
        assert_eq!(edited.as_deref(), wanted, "{file:?} {part:?} → {new:?}");
    }
}

#[test]
fn maps_of_nested_texts_compose() {
    let file = "data:\n  d: |\n    {\"expr\": \"a\\n  b{x=\\\"é\\\"}\"}\n";
    let documents = tree(FileId(7), file, &mut Allowance::default()).unwrap();
    let body = Body::new(FileId(7), file);
    let outer = body.read(documents[0].at(&["data", "d"]).unwrap()).unwrap();
    let inner = Body::inside(outer.map.clone(), &outer.value);
    let at = outer.value.find(": ").unwrap() + 2..outer.value.rfind('}').unwrap();
    let value = "a\n  b{x=\"é\"}";
    let text = inner.read(&Node::scalar(at, value, Style::Json)).unwrap();
    assert_eq!(&file[text.map.span(4..9).range()], "b{x=\\\"");
    assert_eq!(text.map.decode(file).as_deref(), Some(value));
    let (span, new) = text.map.edit(file, 4..5, "c\"\n").unwrap();
    assert_eq!((&file[span.range()], &*new), ("b", "c\\\"\\n"));
    let part = text.part(4..5).unwrap();
    assert_eq!((&*part.value, &file[part.span().range()]), ("b", "b"));
}

/// Ways to spell `text` as the value of a key; not every text has each.
fn spellings(text: &str) -> Vec<String> {
    let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
    let escaped = quoted.replace('\n', "\\n").replace('\t', "\\t");
    let points: String = text
        .chars()
        .map(|c| format!("\\U{:08x}", u32::from(c)))
        .collect();
    let block = |indent: &str, newline: &str| {
        let lines = text.split('\n').map(|l| match l {
            "" => String::new(),
            l => format!("{indent}{l}"),
        });
        lines.collect::<Vec<_>>().join(newline)
    };
    let folded = block("   ", "\n\n");
    let single = text.replace('\'', "''");
    vec![
        format!("k: {}\nz: 1\n", text.replace('\n', "\n\n  ")),
        format!("k: '{}'\n", single.replace('\n', "\n\n  ")),
        format!("k: \"{escaped}\"\n"),
        format!("k: \"{}\"\n", quoted.replace('\n', "\n \n  ")),
        format!("k: \"{points}\"\n"),
        format!("k: |\n{}\nz: 1\n", block("  ", "\n")),
        format!("- k: |-\n{}\n  z: 1\n", block("     ", "\n")).replacen("- k", "  k", 1),
        format!("k: |2\r\n{}\r\n", block("  ", "\r\n")),
        format!("k: |+ # c\n{}\n\n\n", block(" ", "\n")),
        format!("k: >\n{folded}\nz: 1\n"),
        format!("k: >-\n{folded}"),
        format!("k: &a >2-\n{}\n", block("  ", "\n\n")),
        format!("k: [{text}, x]\n"),
    ]
}

fn words() -> impl Strategy<Value = String> {
    "[a-z]([a-z{}=,:'\"\\\\#é😀 \t\n-]{0,16}[a-z)])?"
}

fn apply(file: &str, edit: (Span, String)) -> String {
    let range = edit.0.range();
    format!("{}{}{}", &file[..range.start], edit.1, &file[range.end..])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_style_round_trips(text in words()) {
        let mut exact = 0;
        for file in spellings(&text) {
            let Ok(documents) = tree(FileId(0), &file, &mut Allowance::default()) else { continue };
            let Some((_, node)) = documents[0].entries().first() else { continue };
            let Kind::Scalar(scalar) = &node.kind else { continue };
            let map = Body::new(FileId(0), &file).map(node).unwrap();
            prop_assert!(map.is_exact(), "{file:?} {:?}", scalar.value);
            prop_assert_eq!(map.decode(&file), Some(scalar.value.to_string()), "{:?}", file);
            exact += usize::from(scalar.value.trim_end_matches('\n') == text);
            for (at, c) in scalar.value.char_indices() {
                let bytes = &file[map.span(at..at + c.len_utf8()).range()];
                let plain = bytes == c.encode_utf8(&mut [0; 4]);
                let escaped = bytes.starts_with('\\') || bytes == "''";
                let fold = c.is_whitespace() && bytes.chars().all(char::is_whitespace);
                prop_assert!(plain || escaped || fold, "{file:?}: {c:?} at {at} is {bytes:?}");
            }
        }
        prop_assert!(exact >= 3, "{text:?}");
    }

    #[test]
    fn edits_read_back(text in words(), new in "[a-z{}='\"\\\\#: é\n\t]{0,6}", cut in (0..20_usize, 0..20_usize)) {
        for file in spellings(&text) {
            let Ok(documents) = tree(FileId(0), &file, &mut Allowance::default()) else { continue };
            let Some((_, node)) = documents[0].entries().first() else { continue };
            let Kind::Scalar(scalar) = &node.kind else { continue };
            let map = Body::new(FileId(0), &file).map(node).unwrap();
            let bounds: Vec<_> = (0..=scalar.value.len()).filter(|i| scalar.value.is_char_boundary(*i)).collect();
            let (a, b) = (bounds[cut.0 % bounds.len()], bounds[cut.1 % bounds.len()]);
            let range = a.min(b)..a.max(b);
            let wanted = format!("{}{new}{}", &scalar.value[..range.start], &scalar.value[range.end..]);
            if let Some(edit) = map.edit(&file, range.clone(), &new) {
                let edited = apply(&file, edit);
                let again = tree(FileId(0), &edited, &mut Allowance::default());
                prop_assert!(again.is_ok(), "{file:?} {range:?} {new:?} {edited:?}");
                let again = again.unwrap();
                let got = again[0].entries().first().and_then(|(_, v)| match &v.kind {
                    Kind::Scalar(s) => Some(s.value.to_string()),
                    _ => None,
                });
                prop_assert_eq!(got, Some(wanted), "{:?} → {:?}", file, edited);
                prop_assert_eq!(again[0].entries().len(), documents[0].entries().len());
            } else {
                // Only blanks beside a fold cannot be kept.
                let one_line = !file[node.range()].contains('\n');
                let quoted = scalar.style == Style::DoubleQuoted && one_line;
                prop_assert!(!quoted, "double quotes spell everything: {file:?} {range:?} {new:?}");
            }
        }
    }
}

/// Where a spec's text has `needle`, found without the tree.
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
        ("k: é b\n  c d\nl: x\n", "c", "c"),
        ("k: 'it''s b'\n", "'", "''"),
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
    assert_eq!(found("j: &a b c\nk: *a\n", "c"), None, "an alias");
    // The end of a value.
    let text = "k: |\n  a b\n\nl: x\n";
    assert_eq!(inside(text, 7..10, "a b\n", 4..4), Some(10..10));
}
