//! SARIF 2.1.0, which code scanning services read.

mod limits;
mod model;
mod rules;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use model::{
    Artifact, ArtifactChange, ArtifactLocation, BaseLocation, Driver, Invocation, Location, Log,
    Message, PhysicalLocation, Region, Replacement, Result, Run, SarifFix, Snippet, Text, Tool,
};
use text::{message, uri};

use super::{Report, TOOL, VERSION, full_text, place};
use crate::diag::rule::HOME;
use crate::diag::{Diagnostic, Edit, Fix, Severity, fingerprint};
use crate::source::{FileId, Span};

/// What relative paths start from: the folder that the report's paths are relative to.
const BASE: &str = "%SRCROOT%";

/// Longer texts are not repeated in the report; the region says where they are.
const LONG_SNIPPET: usize = 4_096;

pub fn report(report: &Report<'_>) -> String {
    let log = Log {
        schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        version: "2.1.0",
        runs: [run(report)],
    };
    // Strings, numbers and lists: printing cannot fail.
    serde_json::to_string_pretty(&log).unwrap_or_default() + "\n"
}

fn run<'a>(report: &'a Report<'a>) -> Run<'a> {
    let rules = rules::rules(report);
    // Of all findings: those that are left out must not change the others'.
    let prints = fingerprint::of(report.diagnostics, report.sources, report.root);
    let (kept, left_out) = limits::kept(report.diagnostics);
    let files = Files::of(&kept);
    let index: BTreeMap<_, _> = rules.iter().enumerate().map(|(i, r)| (r.id, i)).collect();
    let results = report.diagnostics.iter().zip(prints).zip(&kept);
    let results = results.filter_map(|((d, print), kept)| {
        (*kept)?;
        Some(result(report, &files, d, index[d.code], print))
    });
    let results = results.collect();
    Run {
        tool: Tool {
            driver: Driver {
                name: TOOL,
                version: VERSION,
                semantic_version: VERSION,
                information_uri: HOME,
                rules,
            },
        },
        column_kind: "unicodeCodePoints",
        original_uri_base_ids: BTreeMap::from([(
            BASE,
            BaseLocation {
                description: text("Base folder of the paths in this report."),
            },
        )]),
        invocations: [Invocation {
            execution_successful: true,
            tool_execution_notifications: limits::notifications(left_out),
        }],
        artifacts: files.artifacts(report),
        results,
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "note",
        other => other.as_str(),
    }
}

fn text(text: &str) -> Text<'_> {
    Text { text }
}

struct Files(BTreeMap<FileId, usize>);

impl Files {
    fn of(kept: &[Option<&Diagnostic>]) -> Self {
        let mut ids = BTreeSet::new();
        for d in kept.iter().flatten() {
            ids.insert(d.span.file);
            ids.extend(d.related.iter().map(|l| l.span.file));
            let edits = d.details.fix.iter().flat_map(|fix| &fix.edits);
            ids.extend(edits.map(|edit| edit.span.file));
        }
        Self(ids.into_iter().zip(0..).collect())
    }

    fn location(&self, report: &Report<'_>, id: FileId) -> ArtifactLocation {
        let path = report.path(id);
        let inside = !path.starts_with('/') && path != ".." && !path.starts_with("../");
        ArtifactLocation {
            uri: uri(&path),
            uri_base_id: inside.then_some(BASE),
            index: self.0[&id],
        }
    }

    fn artifacts(&self, report: &Report<'_>) -> Vec<Artifact> {
        let artifact = |id: &FileId| Artifact {
            location: self.location(report, *id),
            length: report.sources.get(*id).text().len(),
            encoding: "UTF-8",
            roles: ["analysisTarget"],
        };
        self.0.keys().map(artifact).collect()
    }

    fn physical(&self, report: &Report<'_>, span: Span) -> PhysicalLocation {
        PhysicalLocation {
            artifact_location: self.location(report, span.file),
            region: region(report, span),
        }
    }
}

fn result<'a>(
    report: &Report<'a>,
    files: &Files,
    d: &'a Diagnostic,
    rule_index: usize,
    print: String,
) -> Result<'a> {
    let related = |(id, l): (usize, &crate::diag::Label)| Location {
        id: Some(id),
        physical_location: files.physical(report, l.span),
        message: Some(Message::new(message(&l.text))),
    };
    let label = Some(&d.details.label).filter(|label| !label.is_empty());
    Result {
        rule_id: d.code,
        rule_index,
        level: level(d.severity),
        message: Message::new(message(&full_text(d))),
        locations: [Location {
            id: None,
            physical_location: files.physical(report, d.span),
            message: label.map(|label| Message::new(message(label))),
        }],
        related_locations: (1..)
            .zip(&d.related)
            .take(limits::RELATED)
            .map(related)
            .collect(),
        fixes: d
            .details
            .fix
            .iter()
            .map(|f| fix(report, files, f))
            .collect(),
        partial_fingerprints: BTreeMap::from([(fingerprint::SCHEME, print)]),
    }
}

fn fix<'a>(report: &Report<'_>, files: &Files, fix: &'a Fix) -> SarifFix<'a> {
    let mut changes: BTreeMap<FileId, Vec<Replacement<'a>>> = BTreeMap::new();
    for edit in &fix.edits {
        let file = changes.entry(edit.span.file).or_default();
        file.push(replacement(report, edit));
    }
    let change = |(id, replacements)| ArtifactChange {
        artifact_location: files.location(report, id),
        replacements,
    };
    SarifFix {
        description: Message::new(message(&super::fix_title(fix))),
        artifact_changes: changes.into_iter().map(change).collect(),
    }
}

fn replacement<'a>(report: &Report<'_>, edit: &'a Edit) -> Replacement<'a> {
    Replacement {
        deleted_region: region(report, edit.span),
        inserted_content: text(&edit.text),
    }
}

fn region(report: &Report<'_>, span: Span) -> Region {
    let file = report.sources.get(span.file);
    let range = place::clamp(file, span);
    let start = file.line_col(range.start);
    let end = file.line_col(range.end);
    let words = &file.text()[range.clone()];
    Region {
        start_line: start.line,
        start_column: start.col,
        end_line: end.line,
        end_column: end.col,
        byte_offset: range.start,
        byte_length: range.len(),
        snippet: (words.len() <= LONG_SNIPPET).then(|| Snippet {
            text: words.to_owned(),
        }),
    }
}
