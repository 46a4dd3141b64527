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
    Insert(Index, &'static str),
    Remove(Index, usize),
    Repeat(Index, usize),
}

/// What tends to matter to some reader.
const WORDS: [&str; 24] = [
    "\u{feff}", "\"", "'", "`", "{", "}", "[", "]", "(", ")", ":", ",", "\n", "\r\n", "#", "&a ",
    "*a", "<<: ", "|", ">", "\\", "é", "😀", "\t",
];

fn change() -> impl Strategy<Value = Change> {
    let word = proptest::sample::select(&WORDS[..]);
    prop_oneof![
        (any::<Index>(), word).prop_map(|(at, word)| Change::Insert(at, word)),
        (any::<Index>(), 1..20usize).prop_map(|(at, n)| Change::Remove(at, n)),
        (any::<Index>(), 1..40usize).prop_map(|(at, n)| Change::Repeat(at, n)),
    ]
}

fn changed(seed: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut out = seed.to_vec();
    for change in changes {
        match change {
            Change::Insert(at, word) => {
                let at = at.index(out.len() + 1);
                out.splice(at..at, word.bytes());
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
