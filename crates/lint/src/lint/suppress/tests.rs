use super::baseline::{self, Baseline};
use super::*;
use slosmith_text::diag::render::{Format, Report, render};
use slosmith_text::diag::{Fixes, Group, Severity, fix};
use slosmith_text::source::{SourceFile, Sources};

const fn rule(name: &'static str) -> RuleInfo {
    RuleInfo {
        name,
        summary: "",
        group: Group::Catalog,
        doc_comment: "",
        level: Severity::Error,
        certain: "",
        fixes: Fixes::None,
        since: "0.1.0",
    }
}

const KNOWN: &[RuleInfo] = &[rule("bad"), rule("worse"), rule("silent")];

fn today() -> Date {
    "2026-11-21".parse().expect("a date")
}

fn sources(text: &str) -> (Sources, FileId) {
    let mut sources = Sources::default();
    let file = sources.add(SourceFile::new("a.yaml", text));
    (sources, file)
}

/// A finding `bad` at every `BAD` and a finding `worse` at every `WORSE`.
fn findings(file: FileId, text: &str) -> Vec<Diagnostic> {
    let all = |word: &'static str, code| {
        let found = text.match_indices(word);
        found.map(move |(at, word)| {
            Diagnostic::error(code, Span::new(file, at..at + word.len()), "no")
        })
    };
    all("BAD", "bad").chain(all("WORSE", "worse")).collect()
}

fn applied(text: &str, syntax: Syntax) -> (Sources, Vec<Diagnostic>) {
    let (sources, file) = sources(text);
    let suppressions = Suppressions::scan(file, text, syntax, KNOWN);
    let left = suppressions.apply(findings(file, text), today(), &|rule| rule == "silent");
    (sources, left)
}

/// Lines and codes of what stays.
fn left(text: &str, syntax: Syntax) -> Vec<String> {
    let (sources, left) = applied(text, syntax);
    let told = left.iter().map(|d| {
        let at = sources.get(d.span.file).line_col(d.span.range().start);
        format!("{} {}", at.line, d.code)
    });
    told.collect()
}

fn yaml(text: &str) -> Vec<String> {
    left(text, Syntax::Yaml)
}

#[test]
fn the_same_line_and_the_line_below() {
    assert!(yaml("a: BAD   # slosmith: allow(bad) -- known\n").is_empty());
    assert!(yaml("# slosmith: allow(bad) -- known\na: BAD\n").is_empty());
    assert!(yaml("# slosmith: allow(bad) -- known\r\na: BAD\r\n").is_empty());
    assert!(yaml("# slosmith: allow(bad) -- known\n# why\na: BAD").is_empty());
    assert!(yaml("  ## slosmith:allow( bad , worse )-- known\n  a: BAD WORSE\n").is_empty());
    let text = "# slosmith: allow(bad) -- known\na: x\nb: BAD\n";
    assert_eq!(yaml(text), ["1 unused-suppression", "3 bad"]);
    let text = "# slosmith: allow(bad) -- known\n\na: BAD\n";
    assert_eq!(yaml(text), ["1 unused-suppression", "3 bad"]);
    assert_eq!(
        yaml("a: WORSE # slosmith: allow(bad) -- known\n"),
        ["1 worse", "1 unused-suppression"]
    );
}

#[test]
fn a_whole_value_is_covered_however_it_is_written() {
    for text in [
        "- alert: x\n  # slosmith: allow(bad) -- known\n  expr: |\n    a\n\n      and BAD\n  for: 1m\n",
        "- alert: x\n  expr: >- # slosmith: allow(bad) -- known\n    a and\n    BAD\n",
        "expr: \"a  # not a comment\n  BAD\"  # slosmith: allow(bad) -- known\n",
        "# slosmith: allow(bad) -- known\nexpr: a and\n  BAD\n",
        "# slosmith: allow(bad) -- known\n- a and\n  BAD\n",
        "# slosmith: allow(bad) -- known\n- expr: a and\n    BAD\n",
        "# slosmith: allow(bad) -- known\n\"the key\": a and\n  BAD\n",
    ] {
        let found = yaml(text);
        // The third comment is at the end of the value, and covers that line.
        assert!(found.is_empty(), "{text}\n{found:?}");
    }
    for text in [
        "# slosmith: allow(bad) -- known\nexpr: a\nfor: BAD\n",
        "# slosmith: allow(bad) -- known\ngroups:\n  - BAD\n",
        "# slosmith: allow(bad) -- known\ngroups: &all\n  - BAD\n",
        "# slosmith: allow(bad) -- known\n- alert: x\n  expr: BAD\n",
    ] {
        assert_eq!(yaml(text), ["1 unused-suppression", "3 bad"], "{text}");
    }
}

#[test]
fn promql_in_a_block_scalar_has_comments_of_its_own() {
    let text = "expr: |\n  a or\n  # slosmith: allow(bad) -- known\n  BAD\n  or BAD\n";
    assert_eq!(yaml(text), ["5 bad"]);
}

#[test]
fn words_in_a_text_are_no_comment() {
    for text in [
        "a: \"BAD # slosmith: allow(bad) -- known\"\n",
        "a: BAD#slosmith: allow(bad) -- known\n",
        "a: BAD slosmith: allow(bad) -- known\n",
    ] {
        assert_eq!(yaml(text), ["1 bad"], "{text}");
    }
    assert!(yaml("a: BAD slosmith: # slosmith: allow(bad) -- known\n").is_empty());
}

#[test]
fn a_whole_file() {
    assert!(yaml("a: BAD\nb: BAD\n# slosmith: allow-file(bad) -- known\nc: BAD").is_empty());
    assert_eq!(
        yaml("# slosmith: allow-file(bad) -- known\na: x\n"),
        ["1 unused-suppression"]
    );
}

#[test]
fn markdown() {
    let markdown = |text| left(text, Syntax::Markdown);
    assert!(
        markdown("<!-- slosmith: allow(bad) -- known -->\n\n```promql\nx\nBAD\n```\n").is_empty()
    );
    assert!(markdown("Ask `BAD` <!-- slosmith: allow(bad) -- known --> first.\n").is_empty());
    assert!(markdown("```yaml\na: BAD # slosmith: allow(bad) -- known\n```\n").is_empty());
    assert!(markdown("~~~~\n# slosmith: allow(bad) -- known\nBAD\n~~~~\n").is_empty());
    assert_eq!(
        markdown("# slosmith: allow(bad) -- a heading\nBAD\n"),
        ["2 bad"]
    );
    let text = "<!-- slosmith: allow(bad) -- known -->\n```\nBAD\n```\n```\nBAD\n```\n";
    assert_eq!(markdown(text), ["6 bad"]);
    let text = "<!-- slosmith: allow(bad) -- known -->\n````\n```\nBAD\n````\nBAD\n";
    assert_eq!(markdown(text), ["6 bad"]);
}

#[test]
fn a_day_is_the_last_on_which_it_holds() {
    let until = |day: &str| {
        yaml(&format!(
            "a: BAD # slosmith: allow(bad) until {day} -- known\n"
        ))
    };
    assert!(until("2026-11-21").is_empty() && until("2027-01-01").is_empty());
    assert_eq!(until("2026-11-20"), ["1 bad", "1 expired-suppression"]);
}

#[test]
fn rules_that_are_off_need_no_suppression_and_none_is_unused() {
    assert!(yaml("# slosmith: allow(silent) -- known\na: x\n").is_empty());
}

#[test]
fn what_is_wrong_is_told_at_its_place() {
    let lines = [
        "a: BAD # slosmith: allow(bad)",
        "a: BAD # slosmith: allow(bad) --  ",
        "a: BAD # slosmith: allow(bat, bad) -- known",
        "a: BAD # slosmith: alow(bad) -- known",
        "a: BAD # slosmith: allow bad -- known",
        "a: BAD # slosmith: allow() -- known",
        "a: BAD # slosmith: allow(bad -- known",
        "a: BAD # slosmith: allow(bad) until 2026-13-01 -- known",
        "a: BAD # slosmith: allow(bad) for ever -- known",
        "a: BAD # slosmith: allow(bad) until 2026-01-01 -- known",
        "a: é # slosmith: allow(bad) -- known",
        "a: BAD # slosmith: allow(worse, bad, silent) -- known",
    ];
    let infos: Vec<_> = super::rules::RULES.iter().map(|rule| rule.info).collect();
    let show = |line: &str| {
        let (sources, left) = applied(&format!("{line}\n"), Syntax::Yaml);
        let left: Vec<_> = left.into_iter().filter(|d| d.code != "bad").collect();
        for d in &left {
            let mut rules = super::rules::RULES.iter();
            let rule = rules.find(|rule| rule.info.name == d.code).expect("a rule");
            let fix = d.details.fix.as_ref();
            assert!(
                fix.is_none_or(|fix| rule.info.fixes.of(fix.applicability).is_some()),
                "{}",
                d.code
            );
        }
        render(Format::Human, &Report::new(&left, &sources, &infos))
    };
    insta::assert_snapshot!(lines.map(show).join("\n"));
}

/// The text after all offered edits.
fn fixed(text: &str, syntax: Syntax) -> String {
    let (sources, left) = applied(text, syntax);
    let outcome = fix::apply(&sources, &left, true);
    let file = outcome.files.into_values().next();
    file.map_or_else(|| text.to_owned(), |file| file.text)
}

#[test]
fn unused_suppressions_can_be_removed() {
    let yaml = |text| fixed(text, Syntax::Yaml);
    assert_eq!(
        yaml("x: 1\n  # slosmith: allow(bad) -- k\ny: 2\n"),
        "x: 1\ny: 2\n"
    );
    assert_eq!(
        yaml("x: 1   # slosmith: allow(bad) -- k\r\ny: 2\r\n"),
        "x: 1\r\ny: 2\r\n"
    );
    assert_eq!(yaml("x: 1 # slosmith: allow(bad) -- k"), "x: 1");
    let text = "x: BAD # slosmith: allow(worse, bad) -- k\n";
    assert_eq!(yaml(text), "x: BAD # slosmith: allow(bad) -- k\n");
    let markdown = |text| fixed(text, Syntax::Markdown);
    assert_eq!(
        markdown("a\n<!-- slosmith: allow(bad) -- k -->\nb\n"),
        "a\nb\n"
    );
    assert_eq!(
        markdown("a <!-- slosmith: allow(bad) -- k --> b\n"),
        "a b\n"
    );
}

#[test]
fn descriptions_cover_what_they_describe() {
    let text =
        r#"{"panels": [{"description": "Old.\nslosmith: allow(bad) -- k", "expr": "BAD"}, "BAD"]}"#;
    let (_, file) = sources(text);
    let at = |from: &str, to: &str| {
        let start = text.find(from).expect("it stands there");
        let end = text[start..].find(to).expect("it stands there");
        Span::new(file, start..start + end)
    };
    let (place, panel) = (at("Old", "\", \"expr"), at("{\"desc", ", \"BAD\"]"));
    let with = |described: &str| {
        let mut all = Suppressions::default();
        all.describe(place, described, panel, text.len(), KNOWN);
        let left = all.apply(findings(file, text), today(), &|_| false);
        left.iter()
            .map(|d| (d.code, d.span.start))
            .collect::<Vec<_>>()
    };
    let (inside, outside) = (text.find("BAD"), text.rfind("BAD"));
    let (inside, outside) = (inside.expect("one") as u32, outside.expect("one") as u32);
    let here = place.start;
    assert_eq!(with("Old.\nslosmith: allow(bad) -- k"), [("bad", outside)]);
    assert_eq!(with("  slosmith: allow-file(bad) -- k\nOld."), []);
    assert_eq!(
        with("We say slosmith: allow(bad) -- k"),
        [("bad", inside), ("bad", outside)]
    );
    let unknown = with("slosmith: allow(bat, bad) -- k");
    assert_eq!(unknown, [("unknown-rule", here), ("bad", outside)]);
    let unused = with("slosmith: allow(worse) -- k");
    assert_eq!(
        unused,
        [
            ("unused-suppression", here),
            ("bad", inside),
            ("bad", outside)
        ]
    );
}

#[test]
fn suppressions_of_many_files_are_kept_apart() {
    let mut sources = Sources::default();
    let a = sources.add(SourceFile::new("a", "x: BAD # slosmith: allow(bad) -- k\n"));
    let b = sources.add(SourceFile::new("b", "x: BAD\n"));
    let mut all = Suppressions::default();
    let mut found = Vec::new();
    for file in [a, b] {
        let text = sources.get(file).text();
        all.absorb(Suppressions::scan(file, text, Syntax::Yaml, KNOWN));
        found.extend(findings(file, text));
    }
    let left = all.apply(found, today(), &|_| false);
    assert_eq!(left.iter().map(|d| d.span.file).collect::<Vec<_>>(), [b]);
}

#[test]
fn a_baseline_hides_what_it_holds() {
    let (mut sources, file) = sources("a: BAD\nb: WORSE\n");
    let found = findings(file, sources.get(file).text());
    let baseline = Baseline::of(&found, &sources, None);
    let json = baseline.to_json();
    insta::assert_snapshot!(json);
    let id = sources.add(SourceFile::new("baseline.json", &*json));
    let read = Baseline::read(&json).expect("a baseline");
    assert_eq!(read, baseline);
    let none = read.apply(found, &sources, None, id, &|_| true);
    assert_eq!(none, []);
}

#[test]
fn a_baseline_tells_what_is_new_and_what_is_gone() {
    let (mut sources, file) = sources("a: BAD\nb: WORSE\n");
    let found = findings(file, sources.get(file).text());
    let json = Baseline::of(&found, &sources, None).to_json();
    let baseline = sources.add(SourceFile::new("baseline.json", &*json));
    let read = Baseline::read(&json).expect("a baseline");
    // The same file later: lines moved, one finding fixed, one more of the other.
    let later = sources.add(SourceFile::new("a.yaml", "\nz: BAD\nc: 1\nd: BAD\n"));
    let found = findings(later, sources.get(later).text());
    let left = read.apply(found.clone(), &sources, None, baseline, &|path| {
        path == "a.yaml"
    });
    let told: Vec<_> = left.iter().map(|d| (d.code, d.span.file)).collect();
    assert_eq!(told, [("bad", later), ("unused-suppression", baseline)]);
    assert!(json[left[1].span.range()].ends_with(":1\""));
    // Where only other files were linted, nothing is known about this one.
    let left = read.apply(found, &sources, None, baseline, &|_| false);
    assert_eq!(left.len(), 1);
}

#[test]
fn files_that_are_no_baseline() {
    let wrong = [
        "",
        "[]",
        "{\"schemaVersion\": 1,\n \"scheme\": \"slosmith/v1\",\n \"findings\": [{\"path\": 1}]}",
        "{\"schemaVersion\": 2, \"scheme\": \"slosmith/v1\", \"findings\": []}",
        "{\"schemaVersion\": 1, \"scheme\": \"other\", \"findings\": []}",
    ];
    let told = wrong.map(|text| Baseline::read(text).expect_err("no baseline").to_string());
    insta::assert_snapshot!(told.join("\n"));
    // Only what some version wrote is replaced by a new one.
    let ours = wrong.map(baseline::is_ours);
    assert_eq!(ours, [false, false, true, true, false]);
}

proptest::proptest! {
    /// Any text is read without a panic, and no suppression without the mark.
    #[test]
    fn any_text(text in "([ -]{0,3}|# slosmith: |<!-- slosmith: |allow\\(|bad|,|\\)| until |2027-01-01|--| -->|é|\"|'|: |```|\r?\n){0,30}") {
        for syntax in [Syntax::Yaml, Syntax::Markdown] {
            let (sources, left) = applied(&text, syntax);
            for d in &left {
                proptest::prop_assert!(text.get(d.span.range()).is_some());
            }
            let outcome = fix::apply(&sources, &left, true);
            let unusable = outcome.left.iter().any(|(_, why)| *why == fix::Left::Unusable);
            proptest::prop_assert!(!unusable, "{left:?}");
        }
    }
}
