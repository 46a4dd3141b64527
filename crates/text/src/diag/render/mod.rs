//! How findings are shown: one file per format.
//!
//! ```text
//! concise   rules.yaml:3:11: error[unknown-metric] no vLLM release has `vllm:x`
//! github    ::error file=rules.yaml,line=3,…::no vLLM release has `vllm:x`
//! ```

pub mod concise;
pub mod github;
pub mod human;
pub mod json;
pub mod junit;
pub use junit::escape as escape_xml;
pub mod place;
#[cfg(test)]
mod samples;
pub mod sarif;
#[cfg(test)]
mod tests;

use std::path::Path;

use clap::ValueEnum;

use super::{Diagnostic, RuleInfo, Severity};
use crate::source::Sources;

/// What calls itself the finder in reports.
const TOOL: &str = "slosmith";

/// The version of slosmith that wrote a report.
const VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// The lines in question with the bytes underlined, and the fix
    #[default]
    Human,
    /// `path:line:col: level[rule] message`, one line each
    Concise,
    /// One JSON document, described by `schemas/report.schema.json`
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// GitHub workflow commands, which become annotations
    Github,
    /// JUnit XML, for CI systems that show test results
    Junit,
}

/// Findings and what is needed to show them.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The findings, in the order they are shown.
    pub diagnostics: &'a [Diagnostic],
    pub sources: &'a Sources,
    /// All rules that were asked, whether they found something or not.
    pub rules: &'a [RuleInfo],
    /// Paths below this folder are shown relative to it; usually the working directory.
    pub root: Option<&'a Path>,
    /// Whether the human format uses colours and box drawing.
    pub styled: bool,
    /// Columns of the terminal that shows the human format; none in a file or a pipe.
    pub width: Option<usize>,
}

impl<'a> Report<'a> {
    /// A plain report with paths as they were given.
    pub fn new(diagnostics: &'a [Diagnostic], sources: &'a Sources, rules: &'a [RuleInfo]) -> Self {
        Self {
            diagnostics,
            sources,
            rules,
            root: None,
            styled: false,
            width: None,
        }
    }

    #[must_use]
    pub fn root(self, root: &'a Path) -> Self {
        let root = Some(root);
        Self { root, ..self }
    }

    /// Uses colours and box drawing where the format has them.
    #[must_use]
    pub fn styled(self, styled: bool) -> Self {
        Self { styled, ..self }
    }

    /// Breaks lines of the human format at a width.
    #[must_use]
    pub fn width(self, width: Option<usize>) -> Self {
        Self { width, ..self }
    }

    fn path(&self, file: crate::source::FileId) -> String {
        place::path(self.sources.get(file).path(), self.root)
    }

    pub fn count(&self, severity: Severity) -> usize {
        let same = |d: &&Diagnostic| d.severity == severity;
        self.diagnostics.iter().filter(same).count()
    }
}

pub fn render(format: Format, report: &Report<'_>) -> String {
    match format {
        Format::Human => human::report(report),
        Format::Concise => concise::report(report),
        Format::Json => json::report(report),
        Format::Sarif => sarif::report(report),
        Format::Github => github::report(report),
        Format::Junit => junit::report(report),
    }
}

/// The message with everything that explains it, one line each, for formats without a place for these.
fn full_text(d: &Diagnostic) -> String {
    let mut text = d.message.clone();
    for note in &d.details.notes {
        text.push_str("\nnote: ");
        text.push_str(note);
    }
    for help in &d.help {
        text.push_str("\nhelp: ");
        text.push_str(help);
    }
    if let Some(fix) = &d.details.fix {
        text.push_str("\nhelp: ");
        text.push_str(&fix_title(fix));
    }
    text
}

/// The title of a fix, with a warning if the fix needs a review.
fn fix_title(fix: &super::Fix) -> String {
    match fix.applicability {
        super::Applicability::Safe => fix.title.clone(),
        super::Applicability::Unsafe => format!(
            "{} (`slosmith lint --fix --unsafe-fixes` applies it: review the change)",
            fix.title
        ),
    }
}
