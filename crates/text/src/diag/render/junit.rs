//! JUnit XML: one suite per file with findings, one test case per finding.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Report, TOOL, full_text};
use crate::diag::{Diagnostic, Severity};

pub fn report(report: &Report<'_>) -> String {
    let mut suites: BTreeMap<String, Vec<&Diagnostic>> = BTreeMap::new();
    for d in report.diagnostics {
        suites.entry(report.path(d.span.file)).or_default().push(d);
    }
    let tests = report.diagnostics.len().max(1);
    let failures = report.diagnostics.iter().filter(|d| fails(d)).count();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "<testsuites name=\"{TOOL}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">"
    );
    if suites.is_empty() {
        out.push_str(NOTHING_FOUND);
    }
    for (path, found) in &suites {
        suite(&mut out, report, path, found);
    }
    out.push_str("</testsuites>\n");
    out
}

const NOTHING_FOUND: &str = concat!(
    "  <testsuite name=\"slosmith\" tests=\"1\" failures=\"0\" errors=\"0\">\n",
    "    <testcase name=\"no findings\" classname=\"slosmith\"/>\n",
    "  </testsuite>\n",
);

fn suite(out: &mut String, report: &Report<'_>, path: &str, found: &[&Diagnostic]) {
    let (tests, failures) = (found.len(), found.iter().filter(|d| fails(d)).count());
    let name = escape(path);
    let _ = writeln!(
        out,
        "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">"
    );
    for d in found {
        case(out, report, &name, d);
    }
    out.push_str("  </testsuite>\n");
}

fn case(out: &mut String, report: &Report<'_>, path: &str, d: &Diagnostic) {
    let file = report.sources.get(d.span.file);
    let at = file.line_col(d.span.start as usize);
    let (level, code) = (d.severity.as_str(), escape(d.code));
    let text = format!("{}:{}: {}", at.line, at.col, full_text(d));
    let (message, text) = (escape(&d.message), escape(&text));
    let _ = writeln!(
        out,
        "    <testcase name=\"{code} at {}:{}\" classname=\"{path}\" file=\"{path}\" line=\"{}\">",
        at.line, at.col, at.line
    );
    let _ = if fails(d) {
        writeln!(
            out,
            "      <failure type=\"{level}[{code}]\" message=\"{message}\">{text}</failure>"
        )
    } else {
        writeln!(out, "      <system-out>{text}</system-out>")
    };
    out.push_str("    </testcase>\n");
}

fn fails(d: &Diagnostic) -> bool {
    d.severity > Severity::Info
}

/// Escapes text and attribute values of XML and HTML. Characters that XML does not know at all become `�`.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // As they are, a parser would turn them into blanks, or drop the carriage return.
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\r' => out.push_str("&#13;"),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
