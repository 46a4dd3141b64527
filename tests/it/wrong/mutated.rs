//! A good spec, damaged in every line: whatever comes of it, every finding has a place inside the file.

use std::sync::LazyLock;

use slosmith::diag::{Sink, render};
use slosmith::resolve::{self, Options};
use slosmith::source::{SourceFile, Sources};
use slosmith::spec;

/// A spec without its base, which has the alert.
static GOOD: LazyLock<String> = LazyLock::new(|| {
    include_str!("../../../specs/mangaassist.yaml")
        .replace("alert: EngineStalled", "ask: Does an engine hang?")
});

/// Reads, resolves and renders; gives back how many findings there are.
fn findings(text: &str) -> usize {
    let mut sources = Sources::default();
    let file = sources.add(SourceFile::new("spec.yaml", text));
    let read = spec::read(file, text).and_then(|document| {
        resolve::resolve(&document, Options::default()).map(|(_, warnings)| warnings)
    });
    let found = read.unwrap_or_else(|errors: Sink| errors).into_sorted();
    for d in &found {
        for span in d.related.iter().map(|l| l.span).chain([d.span]) {
            assert!(text.get(span.range()).is_some(), "{}: {text}", d.message);
        }
        assert!(
            !d.message.is_empty() && !d.message.ends_with('.'),
            "{}",
            d.message
        );
        assert!(!d.message.contains('\n'), "{}", d.message);
    }
    assert!(found.is_empty() || !render::human::render(&found, &sources, false).is_empty());
    found.len()
}

#[test]
#[ignore = "ci"]
fn a_missing_line_is_no_panic() {
    assert_eq!(findings(&GOOD), 0);
    let lines: Vec<_> = GOOD.lines().collect();
    let mut wrong = 0;
    for i in 0..lines.len() {
        let rest = [&lines[..i], &lines[i + 1..]].concat().join("\n");
        wrong += usize::from(findings(&rest) > 0);
    }
    assert!(wrong > 30, "{wrong}");
}

#[test]
#[ignore = "ci"]
fn a_cut_file_is_no_panic() {
    for (i, _) in GOOD.char_indices().step_by(97) {
        findings(&GOOD[..i]);
    }
}

#[test]
#[ignore = "ci"]
fn a_foreign_character_is_no_panic() {
    let odd = [
        "\t",
        "é",
        "{{",
        "\u{0}",
        "*a",
        "&a ",
        "!!int ",
        "\"",
        "|",
        "99999999999999999999",
    ];
    for (i, _) in GOOD.char_indices().step_by(61) {
        let insert = odd[i % odd.len()];
        findings(&format!("{}{insert}{}", &GOOD[..i], &GOOD[i..]));
    }
}
