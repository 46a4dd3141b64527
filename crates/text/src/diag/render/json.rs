//! One JSON document, for programs. Its shape is versioned and described by a committed schema.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Report, TOOL, VERSION, place};
use crate::diag::{Applicability, Diagnostic, Fix, Severity};
use crate::source::Span;

/// Increased when a field is removed or changes its meaning, not when a field is added.
pub const SCHEMA_VERSION: u32 = 1;

/// The output of `slosmith lint --format json`.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LintReport<'a> {
    /// Version of the format, increased when a field is removed or changes its meaning, not when a field is added.
    #[schemars(range(min = 1, max = 1))]
    schema_version: u32,
    /// The program that wrote the report.
    tool: Tool,
    /// All findings, ordered by file and place.
    findings: Vec<Finding<'a>>,
    /// Numbers of findings by level.
    summary: Summary,
}

/// The program that wrote the report.
#[derive(Serialize, JsonSchema)]
struct Tool {
    /// `slosmith`.
    name: &'static str,
    /// The slosmith version.
    version: &'static str,
}

/// One finding.
#[derive(Serialize, JsonSchema)]
struct Finding<'a> {
    /// The rule, or the code of an error in a file.
    rule: &'a str,
    /// Level of the finding.
    level: Severity,
    /// Message, in one line.
    message: &'a str,
    #[serde(flatten)]
    place: Place,
    /// Short text at the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    /// Explanations, one line each.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
    /// Instructions, one line each.
    help: &'a [String],
    /// The edits that fix the finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<Mend<'a>>,
    /// Other places that explain the finding.
    related: Vec<Related<'a>>,
    /// Identifier that does not change when lines move; baselines and SARIF use the same one.
    fingerprint: String,
}

/// Some bytes of a file.
#[derive(Serialize, JsonSchema)]
struct Place {
    /// Path of the file, with `/`; relative to the working directory where the file is below it.
    path: String,
    /// The first character.
    start: Position,
    /// The character after the last; equal to `start` if the place is empty.
    end: Position,
}

/// One position in a file.
#[derive(Serialize, JsonSchema)]
struct Position {
    /// Line, from 1.
    line: usize,
    /// Column in Unicode characters, from 1.
    col: usize,
    /// Bytes before it in the file.
    offset: u32,
}

/// The edits that fix a finding: apply all of them, or none.
#[derive(Serialize, JsonSchema)]
struct Mend<'a> {
    /// Effect of the edits.
    title: &'a str,
    /// Whether the edits can be applied without a review.
    applicability: Applicability,
    /// The edits, which do not overlap.
    edits: Vec<Change<'a>>,
}

/// A replacement of some bytes.
#[derive(Serialize, JsonSchema)]
struct Change<'a> {
    #[serde(flatten)]
    place: Place,
    /// The new text.
    text: &'a str,
}

/// Another place that explains a finding.
#[derive(Serialize, JsonSchema)]
struct Related<'a> {
    #[serde(flatten)]
    place: Place,
    /// Relation to the finding.
    message: &'a str,
}

/// Numbers of findings.
#[derive(Serialize, JsonSchema)]
struct Summary {
    /// At level error.
    errors: usize,
    /// At level warning.
    warnings: usize,
    /// At level info.
    infos: usize,
    /// With a fix that can be applied without a review.
    fixable: usize,
}

/// The whole report, pretty-printed, with a final newline.
pub fn report(report: &Report<'_>) -> String {
    let prints = crate::diag::fingerprint::of(report.diagnostics, report.sources, report.root);
    let findings = report.diagnostics.iter().zip(prints);
    let document = LintReport {
        schema_version: SCHEMA_VERSION,
        tool: Tool {
            name: TOOL,
            version: VERSION,
        },
        findings: findings.map(|(d, f)| finding(report, d, f)).collect(),
        summary: summary(report),
    };
    // Strings, numbers and lists: printing cannot fail.
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

/// The JSON Schema of a report, with a final newline.
pub fn schema() -> String {
    let settings = schemars::generate::SchemaSettings::draft2020_12();
    let schema = settings
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<LintReport<'_>>();
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

fn finding<'a>(report: &Report<'a>, d: &'a Diagnostic, fingerprint: String) -> Finding<'a> {
    let related = |l: &'a crate::diag::Label| Related {
        place: place_of(report, l.span),
        message: &l.text,
    };
    Finding {
        rule: d.code,
        level: d.severity,
        message: &d.message,
        place: place_of(report, d.span),
        label: (!d.details.label.is_empty()).then_some(&d.details.label),
        notes: &d.details.notes,
        help: &d.help,
        fix: d.details.fix.as_ref().map(|fix| mend(report, fix)),
        related: d.related.iter().map(related).collect(),
        fingerprint,
    }
}

fn mend<'a>(report: &Report<'a>, fix: &'a Fix) -> Mend<'a> {
    let change = |edit: &'a crate::diag::Edit| Change {
        place: place_of(report, edit.span),
        text: &edit.text,
    };
    Mend {
        title: &fix.title,
        applicability: fix.applicability,
        edits: fix.edits.iter().map(change).collect(),
    }
}

fn place_of(report: &Report<'_>, span: Span) -> Place {
    let file = report.sources.get(span.file);
    let range = Span::new(span.file, place::clamp(file, span));
    let position = |offset: u32| {
        let at = file.line_col(offset as usize);
        Position {
            line: at.line,
            col: at.col,
            offset,
        }
    };
    Place {
        path: report.path(span.file),
        start: position(range.start),
        end: position(range.end),
    }
}

fn summary(report: &Report<'_>) -> Summary {
    let safe = |d: &&Diagnostic| {
        let fix = d.details.fix.as_ref();
        fix.is_some_and(|fix| fix.applicability == Applicability::Safe)
    };
    Summary {
        errors: report.count(Severity::Error),
        warnings: report.count(Severity::Warning),
        infos: report.count(Severity::Info),
        fixable: report.diagnostics.iter().filter(safe).count(),
    }
}
