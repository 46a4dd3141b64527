//! `path:line:col: level[code] message`, one line each.

use std::fmt::Write;

use super::Report;
use crate::diag::one_line;

pub fn report(report: &Report<'_>) -> String {
    let mut out = String::new();
    for d in report.diagnostics {
        let file = report.sources.get(d.span.file);
        let at = file.line_col(d.span.start as usize);
        let (path, level) = (report.path(d.span.file), d.severity.as_str());
        let (path, message) = (one_line(&path), one_line(&d.message));
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "{path}:{}:{}: {level}[{}] {message}",
            at.line, at.col, d.code
        );
    }
    out
}
