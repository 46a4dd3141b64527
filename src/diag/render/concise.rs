//! `path:line:col: level[code] message`, one line each.

use std::fmt::Write;

use crate::diag::Diagnostic;
use crate::source::Sources;

/// One line per finding.
pub fn render(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let mut out = String::new();
    for d in diagnostics {
        let file = sources.get(d.span.file);
        let at = file.line_col(d.span.start as usize);
        let path = file.path().display();
        let level = d.severity.as_str();
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "{path}:{}:{}: {level}[{}] {}",
            at.line, at.col, d.code, d.message
        );
    }
    out
}
