//! Every code of a finding has an entry, every entry a use, and the examples of the entries are real.

use std::collections::BTreeSet;
use std::path::Path;

use slosmith::diag::codes::{self, CodeInfo};
use slosmith::lint::rules;

use crate::docs::{completed, fences};
use crate::project::{Project, Ran};

const TEMPLATES: [&str; 3] = ["helm-template", "jinja-template", "terraform-template"];

/// Files where a call has a variable for the code, with the codes that no other call names.
const INDIRECT: [(&str, &[&str]); 7] = [
    ("crates/lint/src/artifact/template.rs", &TEMPLATES),
    (
        "crates/spec/src/config/file.rs",
        &["unknown-field", "unknown-value"],
    ),
    (
        "crates/import/src/context.rs",
        &["changed", "not-carried-over"],
    ),
    (
        "crates/resolve/src/bound.rs",
        &["always-firing", "never-firing"],
    ),
    (
        "crates/resolve/src/family/missing.rs",
        &[
            "conditional-metric",
            "future-metric",
            "hidden-metric",
            "removed-metric",
        ],
    ),
    ("crates/spec/src/spec/extend.rs", &[]),
    ("crates/text/src/yaml/fault.rs", &[]),
];

/// Entries whose example is in words: it needs more files, a huge file, other bytes or an editor.
const IN_WORDS: [&str; 9] = [
    "empty-file",
    "idle-removal",
    "internal-error",
    "invalid-configuration",
    "not-utf8",
    "shared-servers",
    "too-deep",
    "too-large",
    "unreadable-file",
];

/// Codes that no report shows: an import quotes only the message.
const NOT_SHOWN: [&str; 1] = ["refused"];

const SECTIONS: [&str; 4] = ["What it means", "Why", "Example", "Use instead"];

/// The files of our crates with their paths, without comments and without the tests at their ends.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = crate::layers::roots().into_iter();
    let files = folders
        .flat_map(|folder| walkdir::WalkDir::new(root.join(folder)).sort_by_file_name())
        .map(|file| file.expect("a file"));
    let mut sources = Vec::new();
    for file in files.filter(|file| file.path().extension().is_some_and(|e| e == "rs")) {
        let path = file
            .path()
            .strip_prefix(root)
            .expect("below the repository");
        let path = path.to_str().expect("UTF-8").to_owned();
        let text = std::fs::read_to_string(file.path()).expect("source is text");
        let shipped = text.split("#[cfg(test)]\nmod tests {").next();
        let is_test = ["tests.rs", "samples.rs"]
            .iter()
            .any(|end| path.ends_with(end));
        let lines = shipped.filter(|_| !is_test).unwrap_or_default().lines();
        let code = lines.filter(|line| !line.trim_start().starts_with("//"));
        sources.push((path, code.collect::<Vec<_>>().join("\n")));
    }
    sources
}

/// The codes in calls such as `Diagnostic::error("bad-name", …)` and `cx.error("bad-name", …)`, and whether a call has a
/// variable instead.
fn codes_of(source: &str) -> (BTreeSet<&str>, bool) {
    let (mut found, mut is_indirect) = (BTreeSet::new(), false);
    for call in ["error(", "warning(", "info("] {
        for (at, _) in source.match_indices(call) {
            let (before, argument) = (&source[..at], source[at + call.len()..].trim_start());
            let is_ours = ["Diagnostic::", "cx."]
                .iter()
                .any(|owner| before.ends_with(owner));
            let is_closure = before.ends_with([' ', '(']);
            if !is_ours && !is_closure {
                continue;
            }
            let literal = argument
                .strip_prefix('"')
                .and_then(|rest| rest.split_once('"'));
            match literal {
                Some((code, rest)) if rest.starts_with(',') => drop(found.insert(code)),
                None if before.ends_with("Diagnostic::") => is_indirect = true,
                _ => {}
            }
        }
    }
    found.retain(|code| {
        code.chars()
            .all(|c| c.is_ascii_lowercase() || "-8".contains(c))
    });
    (found, is_indirect)
}

#[test]
fn every_code_has_an_entry_and_every_entry_a_use() {
    let sources = sources();
    let mut used = BTreeSet::new();
    let mut indirect = BTreeSet::new();
    for (path, source) in &sources {
        let (found, is_indirect) = codes_of(source);
        used.extend(found.into_iter().filter(|code| !NOT_SHOWN.contains(code)));
        let is_machinery = ["crates/text/src/diag/", "crates/lint/src/lint/"]
            .iter()
            .any(|part| path.starts_with(part));
        if is_indirect && !is_machinery {
            indirect.insert(path.as_str());
        }
    }
    assert_eq!(indirect, INDIRECT.iter().map(|(path, _)| *path).collect());
    for (path, codes) in INDIRECT {
        let (_, source) = sources.iter().find(|(p, _)| p == path).expect(path);
        for code in codes {
            assert!(source.contains(&format!("\"{code}\"")), "{path}: {code}");
            used.insert(*code);
        }
    }
    let entries: Vec<_> = codes::all().map(|info| info.name).collect();
    let known: BTreeSet<_> = entries.iter().copied().collect();
    assert_eq!(known.len(), entries.len(), "an entry appears twice");
    for code in &used {
        let is_rule = rules::find(code).is_some();
        assert!(
            known.contains(code) != is_rule,
            "`{code}` needs one entry: in crates/text/src/diag/codes/, or as a lint rule"
        );
    }
    let unused: Vec<_> = known.difference(&used).collect();
    assert!(
        unused.is_empty(),
        "no code makes these findings: {unused:?}"
    );
}

/// The sections of an entry: title and text.
fn sections(docs: &str) -> Vec<(&str, &str)> {
    let parts = docs.split("\n### ").skip(1);
    parts
        .map(|part| part.split_once('\n').expect("a text"))
        .collect()
}

#[test]
fn every_entry_has_the_same_sections() {
    for info in codes::all() {
        let docs = info.docs();
        let titles: Vec<_> = sections(&docs).iter().map(|(title, _)| *title).collect();
        assert_eq!(titles, SECTIONS, "{}", info.name);
        let summary = info.summary;
        assert!(summary.ends_with('.') && summary.len() < 100, "{summary}");
        assert!(!info.meaning().is_empty(), "{}", info.name);
    }
}

#[test]
fn the_page_is_fresh() {
    crate::update::check("docs/diagnostics.md", &page());
}

/// Puts an example into a project, and runs the command that reads it.
fn ran(info: &CodeInfo, language: &str, example: &str, head: &str) -> Ran {
    let project = Project::empty();
    let is_template = TEMPLATES.contains(&info.name);
    let (path, text, args): (_, _, &[&str]) = match language {
        "yaml" if is_template => ("a.yaml", example.to_owned(), &["lint", "a.yaml"]),
        "yaml" if info.group == "Imports" => {
            ("a.yaml", example.to_owned(), &["import", "sloth", "a.yaml"])
        }
        "yaml" => ("specs/chat.yaml", completed(example, head), &["build"]),
        "toml" => ("slosmith.toml", format!("{example}\n"), &["lint", "specs"]),
        "json" => ("a.json", example.to_owned(), &["lint", "a.json"]),
        _ => ("a.tf", format!("{example}\n"), &["lint", "a.tf"]),
    };
    if language == "toml" {
        project.write("specs/chat.yaml", head);
    }
    project.write(path, &text);
    project.run(args)
}

/// The codes of the findings that a run printed.
fn printed(ran: &Ran) -> BTreeSet<&str> {
    let lines = ran.out.lines().chain(ran.err.lines());
    let codes = lines.filter_map(|line| {
        let (level, rest) = line.split_once('[')?;
        let is_level = ["error", "warning", "info"].contains(&level);
        Some(rest.split_once(']')?.0).filter(|_| is_level)
    });
    codes.collect()
}

#[test]
#[ignore = "ci"]
fn examples_are_real() {
    let page = page();
    let head = format!("{}\n", fences(&page, "yaml")[0]);
    let mut in_words = Vec::new();
    for info in codes::all() {
        let docs = info.docs();
        let mut is_run = false;
        for (title, text) in sections(&docs) {
            for language in ["yaml", "toml", "json", "hcl"] {
                for example in fences(text, language) {
                    let ran = ran(&info, language, example, &head);
                    let wanted: BTreeSet<_> = match title {
                        "Example" => [info.name].into(),
                        _ => BTreeSet::new(),
                    };
                    assert_eq!(printed(&ran), wanted, "{}:\n{example}\n{ran:?}", info.name);
                    is_run |= title == "Example";
                }
            }
        }
        if !is_run {
            in_words.push(info.name);
        }
    }
    in_words.sort_unstable();
    assert_eq!(in_words, IN_WORDS);
}

#[test]
fn explain_prints_every_entry() {
    let project = Project::empty();
    let list = project.run(&["explain"]).exits(0).out;
    for info in codes::all() {
        assert!(
            list.contains(&format!("\n  {} ", info.name)),
            "{}",
            info.name
        );
    }
    let page = project.run(&["explain", "never-firing"]).exits(0).out;
    let info = codes::find("never-firing").expect("an entry");
    assert_eq!(page, info.page());
    for (wrong, right) in [
        ("never-fires", "never-firing"),
        ("rate-of-gauges", "rate-of-gauge"),
    ] {
        let ran = project.run(&["explain", wrong]).exits(2);
        drop(ran.says(&format!("did you mean `{right}`?")));
    }
    drop(
        project
            .run(&["explain", "zzz"])
            .exits(2)
            .says("lists all codes"),
    );
}

#[test]
fn sarif_links_each_code_to_its_entry() {
    let project = Project::empty();
    project.write("a.json", "{\"panels\": [}");
    let out = project.run(&["lint", "a.json", "--format", "sarif"]).out;
    let report: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let rules = report["runs"][0]["tool"]["driver"]["rules"].as_array();
    let rules = rules.expect("a list");
    let rule = rules.iter().find(|rule| rule["id"] == "invalid-json");
    let rule = rule.expect("the rule of the finding");
    let info = codes::find("invalid-json").expect("an entry");
    assert_eq!(rule["helpUri"], info.url());
    assert_eq!(rule["shortDescription"]["text"], info.summary);
    assert_eq!(rule["fullDescription"]["text"], info.meaning());
    assert_eq!(rule["help"]["markdown"], info.docs());
}

const INTRODUCTION: &str = "# Diagnostics

Generated from `crates/text/src/diag/codes/`; `slosmith explain CODE` prints one entry. `slosmith build` also reports codes of lint rules: \
[rules.md](rules.md).\nThe level is *error* if the entry names no other. After an error, a build writes no file.
`tests/fixtures/wrong/` shows wrong specs with their complete reports, by topic.

Each example of a spec is complete, except for the header. An example without a header uses this one:

```yaml
apiVersion: slosmith/v1
service: {name: chat, owner: inference}
runtime: {vllm: \">=0.20, <0.34\"}
links: {runbooks: https://git.example/runbooks, grafana: https://grafana.example}
prometheus: {selector: {job: vllm}, group_by: [cluster], scrape_labels: [cluster]}
```

| code | group | finds |
|---|---|---|
";

/// The page of all codes.
fn page() -> String {
    let row = |info: CodeInfo| {
        let summary = info.summary.trim_end_matches('.');
        format!(
            "| [`{0}`](#{0}) | {1} | {summary} |\n",
            info.name, info.group
        )
    };
    let rows: String = codes::all().map(row).collect();
    let entries: String = codes::all()
        .map(|info| format!("\n{}", info.page()))
        .collect();
    format!("{INTRODUCTION}{rows}{entries}")
}
