//! What each format says of the same findings.

use std::path::Path;

use serde_json::Value;

use super::samples::{RULES, Sample, sample};
use super::*;

fn shown(format: Format) -> String {
    let Sample { sources, found } = sample();
    render(
        format,
        &Report::new(&found, &sources, RULES).root(Path::new("/w")),
    )
}

fn nothing(format: Format) -> String {
    render(format, &Report::new(&[], &Sources::default(), RULES))
}

#[test]
fn human() {
    insta::assert_snapshot!(shown(Format::Human));
    assert_eq!(nothing(Format::Human), "");
}

#[test]
fn concise() {
    insta::assert_snapshot!(shown(Format::Concise));
    assert_eq!(nothing(Format::Concise), "");
}

#[test]
fn github() {
    insta::assert_snapshot!(shown(Format::Github));
    assert_eq!(nothing(Format::Github), "");
}

#[test]
fn json() {
    insta::assert_snapshot!(shown(Format::Json));
}

#[test]
fn sarif() {
    insta::assert_snapshot!(shown(Format::Sarif));
}

#[test]
fn junit() {
    insta::assert_snapshot!(shown(Format::Junit));
}

#[test]
fn a_quoted_value_forges_no_line() {
    let mut sources = Sources::default();
    let file = sources.add(crate::source::SourceFile::new("a.yaml", "a: b\n"));
    let forged = "`x\nerror: forged\u{1b}[31m\u{202e}`";
    let found = crate::diag::Diagnostic::error("x", crate::source::Span::new(file, 3..4), forged)
        .label(forged)
        .help(forged)
        .note(forged);
    let text = render(Format::Human, &Report::new(&[found], &sources, RULES));
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    assert!(
        !text.lines().any(|line| line.starts_with("error: forged")),
        "{text}"
    );
    assert_eq!(text.matches("`x\\nerror: forged").count(), 4, "{text}");
}

#[test]
fn colours_only_when_asked() {
    let Sample { sources, found } = sample();
    let report = Report::new(&found, &sources, RULES);
    assert!(render(Format::Human, &report.styled(true)).contains('\u{1b}'));
    assert!(!render(Format::Human, &report).contains('\u{1b}'));
}

/// What a finding says is broken between words; what a file has is cut.
#[test]
fn lines_fit_the_terminal() {
    let text = format!("a: {}\n", "word ".repeat(60));
    let mut sources = Sources::default();
    let file = sources.add(crate::source::SourceFile::new("a.yaml", text));
    let long = "words of a long message ".repeat(8);
    let found = crate::diag::Diagnostic::error(
        "long-rule-name",
        crate::source::Span::new(file, 3..7),
        long.clone(),
    )
    .help(long.clone())
    .note(long);
    let text = render(
        Format::Human,
        &Report::new(&[found], &sources, RULES).width(Some(80)),
    );
    let longest = text.lines().map(|line| line.chars().count()).max();
    assert!(
        longest.is_some_and(|n| (70..=80).contains(&n)),
        "{longest:?}\n{text}"
    );
    assert_eq!(
        text.split_whitespace().filter(|w| *w == "message").count(),
        24,
        "{text}"
    );
}

fn valid(schema: &str, document: &str) {
    let schema: Value = serde_json::from_str(schema).expect("a schema");
    let validator = jsonschema::Validator::new(&schema).expect("a schema");
    let document: Value = serde_json::from_str(document).expect("JSON");
    let errors: Vec<_> = validator.iter_errors(&document).collect();
    let told: Vec<_> = errors
        .iter()
        .map(|e| format!("{}: {e}", e.instance_path()))
        .collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}

#[test]
fn documents_fit_their_schemas() {
    for show in [shown, nothing] {
        valid(&json::schema(), &show(Format::Json));
        // The published schema has a stray bracket, in a field that we do not write.
        let sarif = include_str!("../../../../../tests/schemas/sarif-schema-2.1.0.json");
        let sarif = sarif.replace("-[a-zA-Z]{2}]?$", "-[a-zA-Z]{2}$");
        valid(&sarif, &show(Format::Sarif));
    }
}

/// The bytes of a region, found by lines and columns alone: SARIF counts no byte order mark.
fn by_lines(text: &str, region: &Value) -> std::ops::Range<usize> {
    let number = |name: &str| region[name].as_u64().map(|n| n as usize).expect("a number");
    let offset = |line: usize, column: usize| {
        let before: usize = text
            .split_inclusive('\n')
            .take(line - 1)
            .map(str::len)
            .sum();
        let skip = if line == 1 && text.starts_with('\u{feff}') {
            1
        } else {
            0
        };
        let mut chars = text[before..].char_indices().map(|(i, _)| i);
        before + chars.nth(column - 1 + skip).unwrap_or(text.len() - before)
    };
    offset(number("startLine"), number("startColumn"))
        ..offset(number("endLine"), number("endColumn"))
}

/// Every object called `region` or `deletedRegion`, with the index of its file.
fn regions(value: &Value, file: Option<u64>, out: &mut Vec<(u64, Value)>) {
    let file = value["artifactLocation"]["index"].as_u64().or(file);
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                if matches!(key.as_str(), "region" | "deletedRegion") {
                    out.push((file.expect("a file"), inner.clone()));
                }
                regions(inner, file, out);
            }
        }
        Value::Array(list) => list.iter().for_each(|inner| regions(inner, file, out)),
        _ => {}
    }
}

#[test]
fn every_region_is_the_text_it_names() {
    let Sample { sources, found } = sample();
    let log: Value = serde_json::from_str(&shown(Format::Sarif)).expect("JSON");
    let mut all = Vec::new();
    regions(&log, None, &mut all);
    let edits: usize = found
        .iter()
        .flat_map(|d| &d.details.fix)
        .map(|f| f.edits.len())
        .sum();
    let related: usize = found.iter().map(|d| d.related.len()).sum();
    assert_eq!(all.len(), found.len() + edits + related);
    for (file, region) in all {
        // All files of the sample have findings, so artifacts are numbered as sources are.
        let text = sources.get(crate::source::FileId(file as u32)).text();
        let number = |name: &str| region[name].as_u64().map(|n| n as usize).expect("a number");
        let bytes = number("byteOffset")..number("byteOffset") + number("byteLength");
        assert_eq!(by_lines(text, &region), bytes, "{region}");
        assert_eq!(region["snippet"]["text"], text[bytes], "{region}");
    }
}

#[test]
fn rules_and_fingerprints_of_sarif() {
    let log: Value = serde_json::from_str(&shown(Format::Sarif)).expect("JSON");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    let results = run["results"].as_array().expect("results");
    let mut prints = std::collections::BTreeSet::new();
    for result in results {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(prints.insert(result["partialFingerprints"].to_string()));
    }
}

#[test]
fn junit_is_xml_whatever_the_text() {
    let text = shown(Format::Junit);
    let document = roxmltree::Document::parse(&text).expect("XML");
    let cases = document
        .descendants()
        .filter(|n| n.has_tag_name("testcase"));
    assert_eq!(cases.count(), sample().found.len());
    let odd = document.descendants().find_map(|n| {
        let failure = n
            .has_tag_name("failure")
            .then(|| n.attribute("message"))??;
        failure.contains("odd").then(|| failure.to_owned())
    });
    assert_eq!(odd.as_deref(), Some("100% <odd> & \"quoted\", a:b\u{fffd}"));
    let every: String = ('\0'..='\u{ffff}').chain(['\u{10ffff}']).collect();
    let mut sources = Sources::default();
    let file = sources.add(crate::source::SourceFile::new("a\u{1}<\">&.yaml", "x"));
    let span = crate::source::Span::new(file, 0..1);
    let found = every
        .chars()
        .map(|c| Diagnostic::error("odd", span, format!("{c}")));
    let found: Vec<_> = found.collect();
    let text = render(Format::Junit, &Report::new(&found, &sources, &[]));
    roxmltree::Document::parse(&text).expect("XML");
    roxmltree::Document::parse(&nothing(Format::Junit)).expect("XML");
}
