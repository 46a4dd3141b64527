//! The style of every text that slosmith prints, writes or documents: `tests/fixtures/style.yaml` over the README, `docs/`, the help,
//! the snapshots of diagnostics, the schemas and `generated/`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use regex::Regex;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Style {
    rules: Vec<Rule>,
    sentences: Sentences,
    maintainers: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    name: String,
    find: String,
    unless: Option<String>,
    only: Option<Vec<Kind>>,
    write: String,
    bad: String,
    good: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sentences {
    words: usize,
    files: Vec<String>,
}

#[derive(Clone, Copy, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Docs,
    Message,
    Generated,
}

struct Compiled<'a> {
    rule: &'a Rule,
    find: Regex,
    unless: Option<Regex>,
}

impl Compiled<'_> {
    /// Where a line breaks the rule: the column, and the words.
    fn breaks<'t>(&self, kind: Kind, line: &'t str) -> Option<(usize, &'t str)> {
        if self
            .rule
            .only
            .as_ref()
            .is_some_and(|only| !only.contains(&kind))
        {
            return None;
        }
        let mut matches = self.find.find_iter(line);
        let allowed = |text: &str| self.unless.as_ref().is_some_and(|r| r.is_match(text));
        let found = matches.find(|found| !allowed(found.as_str()))?;
        Some((line[..found.start()].chars().count() + 1, found.as_str()))
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn style() -> Style {
    let text = std::fs::read_to_string(root().join("tests/fixtures/style.yaml")).expect("rules");
    serde_yaml::from_str(&text).expect("rules")
}

fn compiled(style: &Style) -> Vec<Compiled<'_>> {
    let regex = |text: &String| Regex::new(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let compile = |rule| Compiled {
        rule,
        find: regex(&rule.find),
        unless: rule.unless.as_ref().map(regex),
    };
    style.rules.iter().map(compile).collect()
}

/// All files that people read, with their kinds.
fn files() -> Vec<(PathBuf, Kind)> {
    let kind = |path: &Path| {
        let name = path.to_str().expect("UTF-8");
        let is = |ending: &str| name.ends_with(ending);
        // Of the guides, in their words.
        if name == "docs/coverage.md" {
            return None;
        }
        if is(".snap") || name.starts_with("tests/fixtures/") && is(".md") {
            return Some(Kind::Message);
        }
        match name.split('/').next()? {
            "docs" if is(".md") => Some(Kind::Docs),
            "generated" if is(".md") || is(".yaml") || is(".json") => Some(Kind::Generated),
            "templates" if name.starts_with("templates/init/") => Some(Kind::Generated),
            "schemas"
                if is("spec.schema.json") || is("beta.schema.json") || is("config.schema.json") =>
            {
                Some(Kind::Generated)
            }
            _ if !name.contains('/') && is(".md") => Some(Kind::Docs),
            _ => None,
        }
    };
    let mut found = Vec::new();
    let folders = [
        "docs",
        "generated",
        "schemas",
        "templates/init",
        "src",
        "crates",
        "tests/fixtures/rules",
        "tests/fixtures/wrong",
        "tests/it",
    ];
    let entries = folders
        .iter()
        .flat_map(|folder| walkdir::WalkDir::new(root().join(folder)).sort_by_file_name());
    let top = walkdir::WalkDir::new(root())
        .max_depth(1)
        .sort_by_file_name();
    for entry in top.into_iter().chain(entries) {
        let entry = entry.expect("an entry");
        let path = entry.path().strip_prefix(root()).expect("below");
        if entry.file_type().is_file()
            && let Some(kind) = kind(path)
        {
            found.push((path.to_owned(), kind));
        }
    }
    found
}

/// The lines of a file, without what is code. Among test cases, a `text` block is a message, and a heading the name of a file.
fn prose(text: &str, kind: Kind) -> Vec<String> {
    let (mut fence, mut is_report) = (None, false);
    let line = |line: &str| {
        let mark = line.trim_start();
        let marker = ["```", "~~~"].into_iter().find(|m| mark.starts_with(m));
        if marker.is_some() && (fence.is_none() || fence == marker) {
            fence = fence.xor(marker);
            is_report = kind == Kind::Message && mark == "```text";
            return String::new();
        }
        // The place of a diagnostic, and the lines of the file that it shows.
        let shown = || {
            let digits = mark.trim_start_matches(|c: char| c.is_ascii_digit());
            let source = digits.len() < mark.len() && digits.trim_start().starts_with('|');
            source || mark.starts_with("--> ")
        };
        let is_code = fence.is_some() && !is_report;
        if is_code || kind == Kind::Message && (shown() || mark.starts_with("## ")) {
            return String::new();
        }
        without_spans(line)
    };
    let lines = text.lines().map(line).collect();
    assert!(fence.is_none(), "a fence without an end");
    lines
}

/// A line whose code spans are blank; a backtick without a second one is text.
fn without_spans(line: &str) -> String {
    let mut out = String::new();
    let mut parts = line.split('`').peekable();
    let mut code = false;
    while let Some(part) = parts.next() {
        match code && parts.peek().is_some() {
            true => out.extend(part.chars().map(|_| '_')),
            false => out.push_str(part),
        }
        if parts.peek().is_some() {
            out.push('`');
        }
        code = !code;
    }
    out
}

#[test]
fn each_rule_finds_what_is_bad_and_allows_what_is_good() {
    let style = style();
    for compiled in compiled(&style) {
        let kind = compiled
            .rule
            .only
            .as_ref()
            .map_or(Kind::Docs, |only| only[0]);
        let breaks = |text: &str| compiled.breaks(kind, &without_spans(text)).is_some();
        assert!(breaks(&compiled.rule.bad), "{}", compiled.rule.name);
        assert!(!breaks(&compiled.rule.good), "{}", compiled.rule.name);
    }
}

#[test]
fn every_text_keeps_the_style() {
    let style = style();
    let rules = compiled(&style);
    let mut broken = String::new();
    for (path, kind) in files() {
        let text = std::fs::read_to_string(root().join(&path)).expect("a text");
        let own = style.maintainers.iter().any(|page| path == Path::new(page));
        for (number, line) in prose(&text, kind).iter().enumerate() {
            let rules = rules
                .iter()
                .filter(|r| !own || r.rule.name != "maintainers");
            for compiled in rules {
                if let Some((column, found)) = compiled.breaks(kind, line) {
                    let Rule { name, write, .. } = compiled.rule;
                    let (path, number) = (path.display(), number + 1);
                    writeln!(
                        broken,
                        "{path}:{number}:{column}: [{name}] found `{found}`; write {write}"
                    )
                    .expect("a text");
                }
            }
        }
    }
    assert!(
        broken.is_empty(),
        "{} places:\n{broken}",
        broken.lines().count()
    );
}

#[test]
fn sentences_of_the_first_pages_are_short() {
    let Sentences { words, files } = style().sentences;
    let mut long = String::new();
    for path in files {
        let text = std::fs::read_to_string(root().join(&path)).expect("a page");
        for sentence in sentences(&prose(&text, Kind::Docs)) {
            let count = sentence.split_whitespace().count();
            if count > words {
                writeln!(long, "{path}: {count} words, at most {words}: {sentence}")
                    .expect("a text");
            }
        }
    }
    assert!(long.is_empty(), "{long}");
}

/// The sentences of paragraphs, headings and list items. Tables have none.
fn sentences(lines: &[String]) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    for line in lines {
        let text = line.trim();
        let starts = text.starts_with(['-', '#', '|', '>'])
            || text.starts_with(|c: char| c.is_ascii_digit());
        if text.is_empty() || starts {
            paragraphs.push(String::new());
        }
        if let Some(last) = paragraphs.last_mut().filter(|_| !text.starts_with('|')) {
            *last += text;
            last.push(' ');
        }
    }
    let ends = Regex::new(r"[.!?:;]\)?\s").expect("a pattern");
    let split = |paragraph: &String| ends.split(paragraph).map(str::to_owned).collect::<Vec<_>>();
    paragraphs.iter().flat_map(split).collect()
}
