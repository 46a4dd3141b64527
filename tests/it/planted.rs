//! The linter against mistakes as operators make them: how many of them it finds, with the right rule on the right line.
//!
//! `tests/fixtures/planted.yaml` holds the cases, `docs/corpus.md` the numbers.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use slosmith::artifact;
use slosmith::catalog::Product;
use slosmith::catalog::{Catalog, Range};
use slosmith::config::Config;
use slosmith::lint::date::Date;
use slosmith::lint::{Scope, Settings, run};
use slosmith::source::{FileId, SourceFile, Sources};
use slosmith::yaml;

/// The share of mistakes that must be found, in percent.
const LEAST: usize = 95;

/// The release that the files are checked against.
const RELEASE: &str = "0.33.0";

/// What surrounds the wrong part of a text.
const MARKS: [char; 2] = ['⟦', '⟧'];

#[derive(Deserialize)]
struct Planted {
    cases: Vec<Case>,
}

/// A file with one mistake.
#[derive(Deserialize)]
struct Case {
    name: String,
    kind: String,
    rule: String,
    file: String,
    text: String,
}

impl Case {
    /// The text without marks, and the bytes of the wrong part.
    fn plain(&self) -> (String, std::ops::Range<usize>) {
        let [open, close] = MARKS;
        let place = || {
            let (before, rest) = self.text.split_once(open)?;
            let (wrong, _) = rest.split_once(close)?;
            Some(before.len()..before.len() + wrong.len())
        };
        let place = place().unwrap_or_else(|| panic!("{}: no marks", self.name));
        (self.text.replace(MARKS, ""), place)
    }

    /// The code and the line of each finding, and the lines of the wrong part.
    fn findings(&self) -> (Vec<(&'static str, usize)>, std::ops::RangeInclusive<usize>) {
        let (text, place) = self.plain();
        let path = Path::new(&self.file);
        let mut sources = Sources::default();
        let file = sources.add(SourceFile::new(path, text.as_str()));
        // What cannot be read is a miss.
        let read = artifact::read(file, path, &text).ok();
        let catalog = Catalog::vllm();
        let range = RELEASE.parse::<Range>().expect("a release");
        let vllm = Product {
            key: "vllm".to_owned(),
            name: "vLLM".to_owned(),
            is_guess: false,
            catalog,
            selection: catalog.select(&range).expect("a recorded release"),
            profiles: Vec::new(),
        };
        let config = Config::default();
        let scope = Scope::configured(vec![vllm], &config);
        let settings = Settings {
            scope: &scope,
            config: &config,
            vllm: None,
            today: "2026-11-25".parse::<Date>().expect("a day"),
            root: Path::new("."),
        };
        let found = run(read.as_slice(), &sources, &settings);
        let line = |at| sources.get(file).line_col(at).line;
        let found = found.iter().map(|d| (d.code, line(d.span.range().start)));
        (found.collect(), line(place.start)..=line(place.end))
    }
}

#[test]
fn planted_mistakes_are_found_where_they_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("tests/fixtures/planted.yaml")).expect("cases");
    let planted: Planted = yaml::read(FileId(0), &text).expect("cases");
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut missed = Vec::new();
    for case in &planted.cases {
        let (found, lines) = case.findings();
        let hit = found
            .iter()
            .any(|(code, line)| *code == case.rule && lines.contains(line));
        let count = counts.entry(&case.kind).or_default();
        count.0 += 1;
        match hit {
            true => count.1 += 1,
            false => missed.push(format!(
                "{}: {}: no `{}` in lines {lines:?} among {found:?}",
                case.kind, case.name, case.rule
            )),
        }
    }
    let docs = std::fs::read_to_string(root.join("docs/corpus.md")).expect("docs/corpus.md");
    let all = planted.cases.len();
    let hits = all - missed.len();
    let mut rows: Vec<_> = counts
        .iter()
        .map(|(kind, (n, hits))| format!("| {kind} | {n} | {hits} |"))
        .collect();
    rows.push(format!("| **all** | **{all}** | **{hits}** |"));
    println!("{}\nmissed:\n{}", rows.join("\n"), missed.join("\n"));
    assert!(100 * hits >= LEAST * all, "{hits} of {all} are found");
    let unsaid: Vec<_> = rows.iter().filter(|row| !docs.contains(*row)).collect();
    assert!(unsaid.is_empty(), "docs/corpus.md does not have {unsaid:?}");
}
