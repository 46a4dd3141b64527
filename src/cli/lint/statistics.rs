//! Number of findings per rule.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::cli::table::Table;
use slosmith_lint::lint::rules;
use slosmith_text::diag::{Applicability, Diagnostic, Severity};
use slosmith_text::source::FileId;

pub(super) struct Statistics(Vec<Row>);

#[derive(Serialize)]
struct Row {
    rule: &'static str,
    /// `None` for errors of reading.
    group: Option<&'static str>,
    level: Severity,
    findings: usize,
    files: usize,
    fixable: usize,
}

impl Statistics {
    /// Counts findings; the worst and the most frequent come first.
    pub(super) fn of(found: &[Diagnostic]) -> Self {
        let mut rules: BTreeMap<&'static str, Vec<&Diagnostic>> = BTreeMap::new();
        for d in found {
            rules.entry(d.code).or_default().push(d);
        }
        let mut rows: Vec<_> = rules.iter().map(|(rule, found)| row(rule, found)).collect();
        rows.sort_by_key(|row| Reverse((row.level, row.findings)));
        Self(rows)
    }

    pub(super) fn table(&self) -> String {
        let mut table = Table::right_aligned(&[0, 1, 2]);
        table.row(["findings", "files", "fixable", "level", "rule"]);
        for row in &self.0 {
            let numbers = [row.findings, row.files, row.fixable].map(|n| n.to_string());
            let [findings, files, fixable] = &numbers;
            table.row([findings, files, fixable, row.level.as_str(), row.rule]);
        }
        table.text("")
    }

    pub(super) fn json(&self) -> String {
        // Words and numbers: printing cannot fail.
        serde_json::to_string_pretty(&self.0).unwrap_or_default() + "\n"
    }
}

fn row(rule: &'static str, found: &[&Diagnostic]) -> Row {
    let files: BTreeSet<FileId> = found.iter().map(|d| d.span.file).collect();
    let safe = |d: &&&Diagnostic| {
        let fix = d.details.fix.as_ref();
        fix.is_some_and(|fix| fix.applicability == Applicability::Safe)
    };
    Row {
        rule,
        group: rules::find(rule).map(|info| info.group.as_str()),
        level: found
            .iter()
            .map(|d| d.severity)
            .max()
            .unwrap_or(Severity::Info),
        findings: found.len(),
        files: files.len(),
        fixable: found.iter().filter(safe).count(),
    }
}
