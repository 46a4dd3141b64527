//! Findings to show in tests: every part of a finding, and every kind of awkward text.

use crate::diag::{Diagnostic, Edit, Fix, Fixes, Group, RuleInfo, Severity};
use crate::source::{FileId, SourceFile, Sources, Span};

pub(super) const RULES: &[RuleInfo] = &[
    RuleInfo {
        name: "removed-metric",
        summary: "a query reads a removed metric",
        group: Group::Catalog,
        doc_comment: "# removed-metric\n\nReads `x`, which was removed.",
        level: Severity::Error,
        certain: "",
        fixes: Fixes::None,
        since: "0.1.0",
    },
    RuleInfo {
        name: "unrecorded-release",
        summary: "a release has no recording",
        group: Group::Catalog,
        doc_comment: "# unrecorded-release",
        level: Severity::Info,
        certain: "",
        fixes: Fixes::None,
        since: "0.1.0",
    },
];

const RULE_FILE: &str = "\
groups:
- name: vllm # é — 日本
  rules:
  - alert: CacheFull
    expr: |
      vllm:gpu_cache_usage_perc{job=\"ü\"}
        > 0.95
  - record: old
    expr: sum(rate(vllm:gpu_cache_usage_perc[5m]))
";

pub(super) struct Sample {
    pub(super) sources: Sources,
    pub(super) found: Vec<Diagnostic>,
}

struct Place<'a>(&'a Sources, FileId);

impl Place<'_> {
    /// The `nth` place of a word, from 0.
    fn nth(&self, word: &str, nth: usize) -> Span {
        let text = self.0.get(self.1).text();
        let found = text.match_indices(word).nth(nth);
        let (at, _) = found.expect("the word stands in the text");
        Span::new(self.1, at..at + word.len())
    }

    fn of(&self, word: &str) -> Span {
        self.nth(word, 0)
    }
}

pub(super) fn sample() -> Sample {
    let mut sources = Sources::default();
    let rules = sources.add(SourceFile::new("/w/rules/vllm: a,b.yaml", RULE_FILE));
    let dashboard = format!(
        "{{\"panels\": [{}{{\"expr\": \"vllm:gpu_cache_usage_perc > 0.9\"}}]}}",
        "{\"title\": \"é\"}, ".repeat(40)
    );
    let dashboard = sources.add(SourceFile::new("/w/d.json", dashboard));
    let other = sources.add(SourceFile::new("/other/x.yaml", "\u{feff}a: b\r\nc: d\r\n"));
    let found = findings(&sources, rules, dashboard, other);
    Sample { sources, found }
}

fn findings(sources: &Sources, rules: FileId, dash: FileId, other: FileId) -> Vec<Diagnostic> {
    const OLD: &str = "vllm:gpu_cache_usage_perc";
    const NEW: &str = "vllm:kv_cache_usage_perc";
    let (rules, dash, other) = (
        Place(sources, rules),
        Place(sources, dash),
        Place(sources, other),
    );
    let message = format!("`{OLD}` was removed in 0.20.0");
    let removed = |span| Diagnostic::error("removed-metric", span, message.clone());
    let both = vec![
        Edit::replace(rules.nth(OLD, 1), NEW),
        Edit::delete(rules.of("  - record: old\n")),
    ];
    vec![
        removed(rules.of(OLD))
            .label("dies on 0.20.0")
            .related(rules.of("CacheFull"), "this alert")
            .note("hidden since 0.17.0")
            .fix(Fix::replace(rules.of(OLD), NEW)),
        removed(rules.nth(OLD, 1)).fix(Fix::unsafe_edits("rewrite both", both)),
        Diagnostic::warning("odd", rules.of("日本"), "100% <odd> & \"quoted\", a:b\u{7}")
            .help("write\nsomething else"),
        removed(dash.of(OLD))
            .related(rules.of(OLD), "also here {0}")
            .related(dash.of("panels"), "one of these")
            .fix(Fix::replace(dash.of(OLD), NEW)),
        Diagnostic::info(
            "unrecorded-release",
            other.of("a"),
            "0.33.1 is not recorded",
        ),
        Diagnostic::warning("odd", other.of("b\r\nc"), "two lines"),
        Diagnostic::warning("odd", Span::new(other.1, 15..15), "the end"),
    ]
}
