#![allow(clippy::use_debug)] // shows bytes

use proptest::prelude::*;

use super::*;
use crate::yaml::node::Kind;

fn full(text: &str) -> Result<Vec<Node<'_>>, String> {
    events::documents(FileId(0), text, &mut Allowance::default()).map_err(|d| d.message)
}

/// Every scalar with its bytes, one per line.
fn shown(text: &str) -> String {
    fn show(node: &Node<'_>, text: &str, depth: usize, out: &mut String) {
        use std::fmt::Write as _;
        let slice = &text[node.range()];
        let _ = match &node.kind {
            Kind::Scalar(s) => writeln!(
                out,
                "{:depth$}{:?} {:?} {slice:?}",
                "",
                s.style,
                s.value,
                depth = depth * 2
            ),
            Kind::Seq(_) | Kind::Map(_) => {
                writeln!(out, "{:depth$}{}", "", slice.len(), depth = depth * 2)
            }
        };
        for item in node.items() {
            show(item, text, depth + 1, out);
        }
        for (key, value) in node.entries() {
            show(key, text, depth + 1, out);
            show(value, text, depth + 2, out);
        }
    }
    let mut out = String::new();
    for document in tree(FileId(0), text, &mut Allowance::default()).unwrap() {
        out.push_str("---\n");
        show(&document, text, 0, &mut out);
    }
    out
}

#[test]
fn nodes_know_their_bytes() {
    let text = "on: no\ne: &a |2-\n    one\n\n  two\n\nf: >\r\n  x\r\n  y\r\n\
                g: *a\nh: [\"\\u00e9\", 'it''s', {k}]\nm: {<<: {k: 1, z: 2}, k: 3}\nn:\n---\n# c\n---\n- p q\n  r\n";
    insta::assert_snapshot!(shown(text));
}

#[test]
fn regular_files_take_the_fast_path() {
    let text = "---\n# c\ngroups:\n- name: g\n  rules:\n  - alert: A\n    expr: |\n      up\n      == 0\n\n    for: 5m\n    labels:\n      tier: \"2\"\n    annotations:\n      s: one\n        two\n  - record: r:s\n    expr: 'x'\nempty:\n---\na: 1 # c\nf: {k: [1, \"x\", 'y'], l: {}, m: a:b} # c\ng: \"q\" # c\nh: # c\n  i: []\n";
    let fast = regular::documents(text).expect("regular");
    assert_eq!(Ok(fast), full(text));
    for odd in [
        "a: [x: y]",
        "a: [x, ]",
        "a: {k}",
        "a: {k: }",
        "a: {k: {l: m}",
        "a: [x\n  y]",
        "a: [x] y",
        "a: {k: &x b}",
        "a: x # c\n  y",
        "a: 'b''c'",
        "a: b: c",
        "a\n",
        "",
        "---\n",
        "a: |\n\n x\n",
        "a:\tb",
        "- - \n",
        "&x a: b",
    ] {
        assert_eq!(regular::documents(odd), None, "{odd}");
    }
}

#[test]
fn aliases_cannot_copy_without_end() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..12 {
        let m = n - 1;
        text += &format!("a{n}: &a{n} [*a{m}, *a{m}, *a{m}, *a{m}, *a{m}, *a{m}, *a{m}]\n");
    }
    assert!(full(&text).unwrap_err().contains("too much text"));
    assert!(
        full("a: &a [*a]")
            .unwrap_err()
            .contains("inside the value that it refers to")
    );
    let deep = (1..2000).fold("a0: &a0 [x]\n".to_owned(), |t, n| {
        format!("{t}a{n}: &a{n} [*a{}]\n", n - 1)
    });
    assert!(full(&deep).is_err());
}

#[test]
fn aliases_cannot_repeat_a_long_text_without_end() {
    let body = "x".repeat(1 << 20);
    let text = format!("a: &a \"\\t{body}\"\nb: [{}]\n", vec!["*a"; 100].join(", "));
    let fault = tree(FileId(0), &text, &mut Allowance::default()).unwrap_err();
    assert!(fault.message.contains("too much text"));
    // One copy for the anchor, thirty for aliases.
    let aliases = text.match_indices("*a").map(|(at, _)| at);
    assert_eq!(
        aliases
            .clone()
            .position(|at| at == fault.span.range().start),
        Some(30)
    );
    assert_eq!(fault.span.range().len(), 2);
}

#[test]
fn documents_inside_of_documents_share_what_aliases_may_copy() {
    let inner = format!(
        "a: &a {}\nb: [{}]",
        "x".repeat(1 << 16),
        vec!["*a"; 200].join(", ")
    );
    let mut allowance = Allowance::default();
    let read = |allowance: &mut Allowance| tree(FileId(0), &inner, allowance).is_ok();
    assert!(read(&mut allowance) && read(&mut allowance) && !read(&mut allowance));
}

#[test]
fn faults_have_a_place() {
    let fault = tree(FileId(0), "a: [1\nb: 2\n", &mut Allowance::default()).unwrap_err();
    assert_eq!(fault.code, "invalid-yaml");
    assert!(fault.span.start > 0);
}

/// Lines that are regular, nearly regular and not regular, in any order and indentation.
fn lines() -> impl Strategy<Value = String> {
    let pieces = [
        "a:",
        "b: x",
        "- a: 1",
        "- b",
        "- - c",
        "key: |",
        "key: >-",
        "k: \"q r\"",
        "k: 'q'",
        "text",
        "",
        "# c",
        "---",
        "...",
        "é: x",
        "a: - b",
        "a: -b",
        "x: y:z",
        "x: y #z",
        "x: y#z",
        "- |",
        "- key: |-",
        "[x]",
        "a: []",
        "?",
        "-",
        "a: --- b",
        "  ",
        "k: 'a' b",
        "k: \"\"",
        "<<: x",
        "a: &x b",
        "b: *x",
        "k: 1 - 2",
        "text: more",
        "\"k\": v",
        "%x",
        "a: é",
        "a:  b  c ",
        "- ",
        "a: ~",
        "a: @",
        "a: x # c",
        "b: \"x\" # c",
        "c: # d",
        "e: [x, 'y z', \"w\"]",
        "f: {k: v, l: [a, b]} # c",
        "g: {k: a:b, l: c#d}",
        "- {a: 1.5, b: {}}",
        "- [x, []]",
        "h: {k: v",
        "  l: m}",
        "i: [x,y , z]",
        "j: {k:v}",
        "k: {a: b c}#d",
        "l: [a: b]",
        "m: [a #b]",
        "n: {}x",
        "o: [$x, /y, -z, .5]",
    ];
    let line = (0..5_usize, proptest::sample::select(pieces.to_vec()));
    proptest::collection::vec(line, 0..9).prop_map(|lines| {
        let text: Vec<_> = lines
            .into_iter()
            .map(|(indent, text)| format!("{}{text}", " ".repeat(indent)))
            .collect();
        text.join("\n")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn the_fast_path_equals_the_full_reader(text in lines(), end in "\n?") {
        let text = text + &end;
        if let Some(fast) = regular::documents(&text) {
            prop_assert_eq!(Ok(fast), full(&text), "{}", text);
        }
    }

    #[test]
    fn nothing_panics(text in "[-a:#|> \n\"'\\[\\]{}&*!,\t\ré\\\\]{0,60}") {
        let _ = tree(FileId(0), &text, &mut Allowance::default());
        if let Some(fast) = regular::documents(&text) {
            prop_assert_eq!(Ok(fast), full(&text), "{}", text);
        }
    }

    #[test]
    fn flow_collections_equal_the_full_reader(text in "[kv]: [\\[{]([ab]|: |[-,:#\"'\\[\\]{} a.$/]){0,12}[\\]}]( #c| )?\n?") {
        if let Some(fast) = regular::documents(&text) {
            prop_assert_eq!(Ok(fast), full(&text), "{}", text);
        }
    }
}
