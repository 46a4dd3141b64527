//! The properties of the fuzz targets on stable Rust: for every seed, for inputs that once failed, and for
//! mutations of both.

#![allow(unreachable_pub, reason = "the fuzz crate exports it")]

#[path = "../../fuzz/src/properties/mod.rs"]
mod properties;
#[path = "../../fuzz/src/seeds.rs"]
mod seeds;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use properties::{TARGETS, Target};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;

use crate::bundled;

fn of(target: &str) -> (Target, Vec<Vec<u8>>) {
    let known = TARGETS.iter().find(|(name, _)| *name == target);
    let (_, property) = known.expect("a target");
    let seeds = seeds::seeds(Path::new(env!("CARGO_MANIFEST_DIR")), target);
    assert!(!seeds.is_empty());
    (*property, seeds)
}

/// One change of an input.
#[derive(Clone, Debug)]
enum Change {
    Insert(Index, String),
    /// Another text in place of a value.
    Value(Index, String),
    Remove(Index, usize),
    Repeat(Index, usize),
}

/// What tends to matter to some reader.
const WORDS: [&str; 24] = [
    "\u{feff}", "\"", "'", "`", "{", "}", "[", "]", "(", ")", ":", ",", "\n", "\r\n", "#", "&a ",
    "*a", "<<: ", "|", ">", "\\", "é", "😀", "\t",
];

/// Texts for any field: empty, long, at the limits of names, of letters with several bytes, from right to left. With changes of
/// single letters alone, no name ever gets long, and none has a letter of two bytes where names are cut.
fn texts() -> Vec<String> {
    let long = |part: &str, count| part.repeat(count);
    vec![
        String::new(),
        long("é", 24),
        long("日本語", 30),
        long("😀", 70),
        long("e\u{301}", 140),
        long("שלום ", 20),
        "a\u{202e}b\u{2028}\u{200b}".to_owned(),
        "two\nlines\u{1b}[31m".to_owned(),
        format!("{}é", long("x", 30)),
        format!("{}é", long("x", 62)),
        format!("{}é", long("x", 254)),
        long("a", 63),
        long("a", 64),
        long("a-", 3_000),
    ]
}

fn change() -> impl Strategy<Value = Change> {
    let words = WORDS.iter().map(|word| (*word).to_owned());
    let word = proptest::sample::select(words.chain(texts()).collect::<Vec<_>>());
    let text = proptest::sample::select(texts());
    prop_oneof![
        (any::<Index>(), word).prop_map(|(at, word)| Change::Insert(at, word)),
        (any::<Index>(), text).prop_map(|(at, text)| Change::Value(at, text)),
        (any::<Index>(), 1..20usize).prop_map(|(at, n)| Change::Remove(at, n)),
        (any::<Index>(), 1..40usize).prop_map(|(at, n)| Change::Repeat(at, n)),
    ]
}

/// Where values are: behind a colon or an equals sign, up to what ends a value in most languages.
fn values(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let starts = (0..bytes.len()).filter(|at| {
        matches!(bytes[*at], b' ' | b'"') && *at > 0 && matches!(bytes[*at - 1], b':' | b'=')
    });
    let end = |start: usize| {
        let rest = bytes[start..].iter();
        let ends = |b: &u8| matches!(b, b'\n' | b',' | b'}' | b']');
        start + rest.take_while(|b| !ends(b)).count()
    };
    starts.map(|at| at..end(at)).collect()
}

fn changed(seed: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut out = seed.to_vec();
    for change in changes {
        match change {
            Change::Insert(at, word) => {
                let at = at.index(out.len() + 1);
                out.splice(at..at, word.bytes());
            }
            Change::Value(at, text) => {
                let all = values(&out);
                if let Some(place) = (!all.is_empty()).then(|| all[at.index(all.len())].clone()) {
                    let quoted = format!(" {}", serde_json::Value::from(&**text));
                    out.splice(place, quoted.into_bytes());
                }
            }
            Change::Remove(at, n) => {
                let at = at.index(out.len() + 1);
                out.drain(at..(at + n).min(out.len()));
            }
            Change::Repeat(at, n) => {
                let at = at.index(out.len() + 1);
                let part = out[at..(at + n).min(out.len())].to_vec();
                out.splice(at..at, part);
            }
        }
    }
    out
}

fn holds(property: Target, input: &[u8]) -> Result<(), TestCaseError> {
    let ran = catch_unwind(AssertUnwindSafe(|| property(input)));
    ran.map_err(|_| TestCaseError::fail(String::from_utf8_lossy(input).into_owned()))
}

/// How many times as many mutations are wanted.
fn factor() -> u32 {
    let wanted = std::env::var("SLOSMITH_FUZZ").ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// Every seed, then `cases` mutations.
fn check(target: &str, cases: u32) {
    let (property, seeds) = of(target);
    for seed in seeds.iter().take(200) {
        holds(property, seed).unwrap_or_else(|failed| panic!("{target}: {failed}"));
    }
    let config = Config {
        cases: cases * factor(),
        max_shrink_iters: 400,
        failure_persistence: None,
        ..Config::default()
    };
    let inputs = (any::<Index>(), proptest::collection::vec(change(), 1..6));
    let ran = TestRunner::new(config).run(&inputs, |(seed, changes)| {
        holds(
            property,
            &changed(&seeds[seed.index(seeds.len())], &changes),
        )
    });
    ran.unwrap_or_else(|failed| panic!("{target}: {failed}"));
}

/// The places of all texts in a document: a JSON pointer, and the key below it where the text is a key.
fn places(value: &Value, at: &str, found: &mut Vec<(String, Option<String>)>) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                found.push((at.to_owned(), Some(key.clone())));
                let key = key.replace('~', "~0").replace('/', "~1");
                places(inner, &format!("{at}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for (i, inner) in items.iter().enumerate() {
                places(inner, &format!("{at}/{i}"), found);
            }
        }
        Value::String(_) => found.push((at.to_owned(), None)),
        _ => {}
    }
}

/// Each of the texts in each place of a spec that has every field; one of so many `step` pairs.
fn every_text(step: usize) {
    let spec = bundled::value(include_str!("hostile/spec.yaml"));
    let mut all = Vec::new();
    places(&spec, "", &mut all);
    assert!(all.len() > 300, "{}", all.len());
    let texts = texts();
    let pairs = all
        .iter()
        .flat_map(|place| texts.iter().map(move |text| (place, text)));
    for ((at, key), text) in pairs.step_by(step) {
        let mut changed = spec.clone();
        let place = changed.pointer_mut(at).expect(at);
        match (key, place) {
            (Some(key), Value::Object(map)) => {
                let inner = map.shift_remove(key).expect(key);
                map.insert(text.clone(), inner);
            }
            (_, place) => *place = Value::from(&**text),
        }
        let ran = holds(properties::spec, bundled::written(&changed).as_bytes());
        assert!(ran.is_ok(), "{at} {key:?}: {text:?}");
    }
}

#[test]
fn texts_of_a_spec() {
    every_text(97);
}

#[test]
#[ignore = "ci"]
fn more_texts_of_a_spec() {
    every_text(3);
}

#[test]
fn exposition() {
    check("exposition", 60);
}

#[test]
fn promql() {
    check("promql", 2_000);
}

#[test]
fn yaml() {
    check("yaml", 100);
}

#[test]
fn spec() {
    check("spec", 60);
}

#[test]
#[ignore = "ci"]
fn artifact_yaml() {
    check("artifact_yaml", 60);
}

#[test]
fn artifact_json() {
    check("artifact_json", 60);
}

#[test]
fn artifact_hcl() {
    check("artifact_hcl", 60);
}

#[test]
#[ignore = "ci"]
fn artifact_markdown() {
    check("artifact_markdown", 60);
}

#[test]
fn fixes() {
    check("fixes", 100);
}

#[test]
#[ignore = "ci"]
fn templates() {
    check("templates", 20);
}
