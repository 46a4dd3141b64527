//! Files in folders that cannot be checked: counted and named; they do not fail the run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use memchr::memmem;

use crate::artifact::is_prose;
use crate::artifact::{Artifact, Kind, Unread, first_unread};
use crate::catalog::Catalog;
use crate::diag::Diagnostic;
use crate::diag::render::place;
use crate::source::SourceFile;
use crate::yaml::Filler;

/// Number of paths that are listed per reason; more are counted.
const NAMED: usize = 3;

#[derive(Debug, Default)]
pub(in crate::cli) struct Passed(BTreeMap<Reason, Vec<PathBuf>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    Helm,
    Jinja,
    Terraform,
    Invalid,
    Silent,
    /// Names vLLM metrics, in a language that slosmith does not read.
    Foreign,
    /// Assembles queries from parts.
    Pieces,
    /// A template with branches that are not YAML.
    Branches,
    /// Asks for vLLM metrics in known query fields, and elsewhere.
    Rest,
}

impl Passed {
    /// Notes a file in which no query was found, when it names a series all the same; Markdown may.
    pub(super) fn note_silent(&mut self, path: &Path, text: &str) {
        if !is_prose(path) && concerns_us(text) {
            self.0
                .entry(Reason::Silent)
                .or_default()
                .push(path.to_owned());
        }
    }

    pub(super) fn note_pieces(&mut self, path: &Path) {
        let noted = self.0.entry(Reason::Pieces).or_default();
        noted.push(path.to_owned());
    }

    /// Notes a template with branches that were not read, when it names a series or holds queries.
    pub(super) fn note_branches(&mut self, path: &Path, artifact: &Artifact, text: &str) {
        if artifact.kind != Kind::Unknown || concerns_us(text) {
            let noted = self.0.entry(Reason::Branches).or_default();
            noted.push(path.to_owned());
        }
    }

    /// Notes a file that asks for metrics outside of what was read, by the first such line. Text and source code may.
    pub(super) fn note_rest(&mut self, source: &SourceFile, artifact: &Artifact) {
        if matches!(artifact.kind, Kind::Code | Kind::Markdown | Kind::Spec) {
            return;
        }
        if let Some(at) = first_unread(artifact, source.text()) {
            let line = source.line_col(at).line;
            let place = format!("{}:{line}", source.path().display());
            self.0.entry(Reason::Rest).or_default().push(place.into());
        }
    }

    /// Notes files in other languages that name a series.
    pub(super) fn note_foreign(&mut self, paths: &[PathBuf]) {
        if !paths.is_empty() {
            let noted = self.0.entry(Reason::Foreign).or_default();
            noted.extend(paths.iter().cloned());
        }
    }

    /// Notes an unreadable file; returns its error if the file names vLLM metrics.
    pub(super) fn take(&mut self, path: PathBuf, text: &str, unread: Unread) -> Option<Diagnostic> {
        let reason = match unread.template {
            Some(Filler::Helm) => Reason::Helm,
            Some(Filler::Jinja) => Reason::Jinja,
            Some(Filler::Terraform) => Reason::Terraform,
            None if concerns_us(text) => return Some(unread.fault),
            None => Reason::Invalid,
        };
        self.0.entry(reason).or_default().push(path);
        None
    }

    pub(in crate::cli) fn lines(&self, here: &Path) -> Vec<String> {
        let lines = self.0.iter().map(|(reason, paths)| {
            let shown = paths.iter().take(NAMED);
            let mut shown: Vec<_> = shown.map(|path| place::path(path, Some(here))).collect();
            if let Some(more @ 1..) = paths.len().checked_sub(NAMED) {
                shown.push(format!("and {more} more"));
            }
            format!("{}: {}", reason.words(paths.len()), shown.join(", "))
        });
        lines.collect()
    }
}

impl Reason {
    fn words(self, n: usize) -> String {
        let (what, why) = match self {
            Self::Helm => ("Helm template", "render first, then lint the result"),
            Self::Jinja => ("Jinja template", "render first, then lint the result"),
            Self::Terraform => ("Terraform template", "render first, then lint the result"),
            Self::Invalid => ("file", "not valid YAML, JSON, HCL or UTF-8"),
            Self::Silent | Self::Rest => ("file", "vLLM metrics outside a known query field"),
            Self::Pieces => (
                "file",
                "some queries are assembled from parts by the program",
            ),
            Self::Branches => (
                "template",
                "some branches are not YAML, or there are too many; render first, then lint the result",
            ),
            Self::Foreign => (
                "file",
                "vLLM metrics in another format than YAML, JSON, HCL or Markdown; `--code` checks some languages",
            ),
        };
        if matches!(self, Self::Pieces | Self::Branches | Self::Rest) {
            return format!("{} checked in part ({why})", super::count(n, what));
        }
        format!("{} not checked ({why})", super::count(n, what))
    }
}

/// True for a spec, and for a text with the name of a series that some release serves.
pub(super) fn concerns_us(text: &str) -> bool {
    let catalog = Catalog::vllm();
    let prefix = catalog.prefix();
    let name = |at: usize| {
        let end = text[at..].find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | ':')));
        &text[at..end.map_or(text.len(), |end| at + end)]
    };
    let mut names = memmem::find_iter(text.as_bytes(), prefix).map(name);
    text.contains("apiVersion: slosmith/") || names.any(|name| catalog.series_of(name).is_some())
}
