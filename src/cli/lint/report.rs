//! The report and the summary of a run.

use std::io::Write;

use anyhow::{Result, bail};

use super::input::Loaded;
use super::statistics::Statistics;
use super::{Job, count, scope};
use crate::cli::out::put;
use crate::cli::terminal::{Terminal, Trust, is_stdout_styled, stdout_width};
use slosmith_lint::lint::rules;
use slosmith_spec::config::plain;
use slosmith_text::diag::render::{Format, Report, render};
use slosmith_text::diag::{Applicability, Diagnostic, Severity};

impl Job<'_> {
    pub(super) fn show(
        &self,
        found: &[Diagnostic],
        loaded: &Loaded,
        out: &mut Terminal,
    ) -> Result<()> {
        let format = self.args.format;
        let text = match self.args.statistics {
            true => self.statistics(found)?,
            false => self.report(found, loaded),
        };
        if let Some(path) = &self.args.out {
            return put(&plain(&self.here.join(path)), &text);
        }
        let trust = match format {
            _ if self.args.statistics => Trust::Nothing,
            Format::Human => Trust::Styles,
            Format::Github => Trust::Commands,
            Format::Concise | Format::Json | Format::Sarif | Format::Junit => Trust::Nothing,
        };
        out.print(&text, trust)
            .map_err(Into::into)
            .or_else(crate::cli::unless_closed)
    }

    fn report(&self, found: &[Diagnostic], loaded: &Loaded) -> String {
        let (args, infos) = (self.args, rules::infos());
        let report = Report::new(found, &loaded.sources, &infos)
            .root(self.here)
            .styled(args.out.is_none() && is_stdout_styled())
            .width(stdout_width().filter(|_| args.out.is_none()));
        let mut text = render(args.format, &report);
        // A single finding is its own table.
        if args.format == Format::Human && !args.quiet && found.len() > 1 {
            text.push_str(&Statistics::of(found).table());
            text.push('\n');
        }
        text
    }

    fn statistics(&self, found: &[Diagnostic]) -> Result<String> {
        let statistics = Statistics::of(found);
        match self.args.format {
            Format::Human | Format::Concise => Ok(statistics.table()),
            Format::Json => Ok(statistics.json()),
            Format::Sarif | Format::Github | Format::Junit => {
                bail!("`--statistics` has the formats human, concise and json")
            }
        }
    }

    /// One line: the number of findings per level, of files and of fixable findings, and the releases.
    pub(super) fn summary(&self, found: &[Diagnostic], loaded: &Loaded) -> Result<()> {
        let format = self.args.format;
        if self.args.quiet || !matches!(format, Format::Human | Format::Concise) {
            return Ok(());
        }
        let mut err = Terminal::stderr();
        let files = count(loaded.artifacts.len(), "file");
        let names_vllm = self.scope.products.len() < 2 || loaded.names_vllm();
        let checked = scope::describe(self.scope, names_vllm);
        let fixable = match self.args.diff {
            true => String::new(),
            false => fixable(found),
        };
        writeln!(err, "{} in {files}, {checked}{fixable}", levels(found))?;
        if loaded.artifacts.is_empty() && found.is_empty() {
            writeln!(err, "warning: {}", nothing_read(loaded.looked()))?;
        }
        for line in loaded.passed.lines(self.here) {
            err.fold(0, 2, &format!("note: {line}"))?;
        }
        for product in &self.scope.products {
            for note in &product.selection.notes {
                writeln!(err, "note: {note}")?;
            }
        }
        Ok(())
    }
}

fn nothing_read(files: usize) -> String {
    const KINDS: &str = "YAML, JSON, HCL or Markdown";
    match files {
        0 => format!("no {KINDS} files found"),
        files => {
            let files = count(files, "file");
            format!("{files} of {KINDS} checked, but no file contains a query, alarm or spec")
        }
    }
}

/// `Found 3 errors, 1 warning and 2 info findings`
fn levels(found: &[Diagnostic]) -> String {
    let levels = [
        (Severity::Error, "error"),
        (Severity::Warning, "warning"),
        (Severity::Info, "info finding"),
    ];
    let of = |severity| found.iter().filter(|d| d.severity == severity).count();
    let counts = levels.map(|(severity, word)| (of(severity), word));
    let counts = counts.iter().filter(|(n, _)| *n > 0);
    let counts: Vec<_> = counts.map(|(n, word)| count(*n, word)).collect();
    match counts.split_last() {
        None => "No findings".to_owned(),
        Some((only, [])) => format!("Found {only}"),
        Some((last, others)) => format!("Found {} and {last}", others.join(", ")),
    }
}

/// The numbers of fixable findings, such as `; 2 fixable with --fix`; empty if there are none.
fn fixable(found: &[Diagnostic]) -> String {
    let fixes = || found.iter().filter_map(|d| d.details.fix.as_ref());
    let kinds = [
        (Applicability::Safe, "`--fix`"),
        (Applicability::Unsafe, "`--fix --unsafe-fixes`"),
    ];
    let kinds = kinds.map(|(kind, option)| {
        let n = fixes().filter(|fix| fix.applicability == kind).count();
        (n > 0).then(|| format!("{n} fixable with {option}"))
    });
    let kinds = kinds.into_iter().flatten();
    kinds.map(|kind| format!("; {kind}")).collect()
}
