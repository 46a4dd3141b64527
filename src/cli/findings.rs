//! Findings about specs, for people.

use std::io::Write;

use anyhow::Result;

use super::terminal::{Terminal, Trust, is_stderr_styled, stderr_width};
use super::words::count;
use slosmith_text::diag::render::Report;
use slosmith_text::diag::{Severity, Sink, render, shown};
use slosmith_text::source::Sources;

pub(super) fn show(err: &mut Terminal, sink: Sink, sources: &Sources) -> Result<()> {
    match print(err, sink, sources)? {
        Some(errors) => Ok(writeln!(err, "{errors}; nothing was written")?),
        None => Ok(()),
    }
}

/// The same without a line at the end; returns the number of errors and warnings in words, if there are errors.
pub(super) fn print(err: &mut Terminal, sink: Sink, sources: &Sources) -> Result<Option<String>> {
    let found = sink.into_sorted();
    if found.is_empty() {
        return Ok(None);
    }
    // The stream removes colours if it is not a terminal.
    let report = Report::new(&found, sources, &[])
        .styled(is_stderr_styled())
        .width(stderr_width());
    err.print(&render::human::report(&report), Trust::Styles)?;
    let (errors, warnings) = (
        report.count(Severity::Error),
        report.count(Severity::Warning),
    );
    let and = if warnings > 0 {
        format!(" and {}", count(warnings, "warning"))
    } else {
        String::new()
    };
    Ok((errors > 0).then(|| format!("{}{and}", count(errors, "error"))))
}

pub(super) fn plain(sink: Sink, sources: &Sources) -> String {
    let text = render::human::render(&sink.into_sorted(), sources, false);
    shown(&text).into_owned()
}
