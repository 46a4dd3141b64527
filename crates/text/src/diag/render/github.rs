//! GitHub workflow commands: printed by a workflow step, they become annotations on the changed lines.

use std::fmt::Write;

use super::{Report, TOOL, full_text, place};
use crate::diag::{Diagnostic, Severity};
use crate::source::Sources;

pub fn report(report: &Report<'_>) -> String {
    let mut out = String::new();
    for d in report.diagnostics {
        let command = match d.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let file = property(&report.path(d.span.file));
        let lines = lines(d, report.sources);
        let title = property(&format!("{TOOL}[{}]", d.code));
        let message = data(&full_text(d));
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "::{command} file={file},{lines},title={title}::{message}"
        );
    }
    out
}

/// Where the annotation goes. GitHub rejects columns for more than one line, and so is a line that is not there.
fn lines(d: &Diagnostic, sources: &Sources) -> String {
    let file = sources.get(d.span.file);
    let range = place::clamp(file, d.span);
    let last = file.text().trim_end_matches(['\r', '\n']).len();
    let start = file.line_col(range.start.min(last));
    let end = file.line_col(range.end.min(last));
    if start.line < end.line {
        return format!("line={},endLine={}", start.line, end.line);
    }
    let (line, from, to) = (start.line, start.col, end.col);
    format!("line={line},col={from},endLine={line},endColumn={to}")
}

/// Escapes the text of a command; what would steer a terminal in the step's log becomes a blank.
fn data(text: &str) -> String {
    let steers = |c: char| c.is_control() && c != '\n' && c != '\r';
    let text = text.replace(steers, " ").replace('%', "%25");
    text.replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
