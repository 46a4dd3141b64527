//! `slosmith.toml`: what is built, what is linted, for which releases, and how bad each finding is.

mod build;
mod choice;
mod file;
mod language;
mod place;
mod policy;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use globset::GlobSet;
use schemars::JsonSchema;
use serde::Deserialize;

use slosmith_catalog::Range;
use slosmith_promql::Release;
use slosmith_text::diag::{Diagnostic, RuleInfo, Severity, did_you_mean};
use slosmith_text::input;
use slosmith_text::source::{FileId, Sources, Span, Spanned};
use slosmith_text::units::Duration;
use slosmith_text::yaml;

pub use build::{Build, Output};
pub use choice::{Choice, is_known, words};
pub use file::json_schema;
pub use language::{Code, QueryLanguage};
pub use policy::{FIELDS, Policy, Violation};

pub const NAME: &str = "slosmith.toml";

/// Level of the findings of a rule in a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Certainly wrong: the run fails.
    Error,
    /// Probably wrong.
    Warning,
    /// Good to know.
    Info,
    /// Not shown.
    Off,
}

impl Level {
    /// The severity of findings at this level; `None` when they are not shown.
    pub fn severity(self) -> Option<Severity> {
        match self {
            Level::Error => Some(Severity::Error),
            Level::Warning => Some(Severity::Warning),
            Level::Info => Some(Severity::Info),
            Level::Off => None,
        }
    }
}

/// A configuration that was read and makes sense by itself.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The releases on which queries must work.
    pub vllm: Option<Spanned<Range>>,
    /// The profiles whose families exist; empty means the default profile.
    pub profiles: Vec<Spanned<String>>,
    /// Labels that are added between the `/metrics` output and the query.
    pub labels: Vec<Spanned<String>>,
    /// Prefixes of vLLM's names in the store; empty if it is unknown.
    pub names: Vec<Spanned<String>>,
    /// Matchers that identify vLLM servers: label and value.
    pub selector: BTreeMap<String, String>,
    /// Scrape interval of Prometheus, if the file sets it.
    pub scrape_interval: Option<Duration>,
    /// The oldest Prometheus version that must run the queries, if the file sets it.
    pub prometheus: Option<Release>,
    /// A catalog of vLLM that may be newer than the embedded one.
    pub vllm_catalog: Option<Spanned<PathBuf>>,
    pub products: BTreeMap<Spanned<String>, Range>,
    /// Catalogs of other servers that may be newer than the embedded ones, by the server's name.
    pub product_catalogs: BTreeMap<Spanned<String>, Spanned<PathBuf>>,
    /// Folders of recordings of other services.
    pub catalogs: Vec<Spanned<PathBuf>>,
    pub choice: Choice,
    pub levels: BTreeMap<Spanned<String>, Level>,
    /// Languages of source code to check.
    pub code: Vec<Code>,
    pub baseline: Option<Spanned<PathBuf>>,
    pub build: Build,
    folder: PathBuf,
    exclude: GlobSet,
    languages: Vec<(GlobSet, QueryLanguage)>,
}

/// Why a configuration cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("{}: {source}", .path.display())]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
    /// The file was read, and something in it is wrong.
    #[error("the configuration has errors")]
    Wrong(Vec<Diagnostic>),
}

/// The nearest `slosmith.toml` in a folder or above it.
pub fn find(from: &Path) -> Option<PathBuf> {
    let paths = from.ancestors().map(|folder| folder.join(NAME));
    paths.into_iter().find(|path| path.is_file())
}

impl Config {
    /// Reads a configuration; its text is added to `sources`. Paths in it start from its folder.
    pub fn load(path: &Path, sources: &mut Sources) -> Result<Self, LoadError> {
        let bytes = input::read(path, input::SMALL).map_err(|source| LoadError::Io {
            path: path.to_owned(),
            source,
        })?;
        let file = yaml::decode(path, bytes, sources);
        let file = file.map_err(|error| LoadError::Wrong(vec![error]))?;
        Self::read(file, sources).map_err(LoadError::Wrong)
    }

    /// Reads the text of a file in `sources`.
    pub fn read(file: FileId, sources: &Sources) -> Result<Self, Vec<Diagnostic>> {
        let source = sources.get(file);
        let folder = source.path().parent().unwrap_or(Path::new(""));
        file::read(file, source.text(), folder)
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Sets the level of a rule's findings; a rule with a level runs.
    pub fn set_level(&mut self, rule: &str, level: Level) {
        let rule = Spanned::new(rule.to_owned(), Span::default());
        self.choice.levelled.push(rule.clone());
        self.levels.insert(rule, level);
    }

    /// The level of a rule's findings, when the configuration names it.
    pub fn level(&self, rule: &str) -> Option<Level> {
        self.levels.get(rule).copied()
    }

    /// Rules and categories that the configuration names and that do not exist.
    pub fn unknown_rules(&self, known: &[RuleInfo]) -> Vec<Diagnostic> {
        let rules = || known.iter().map(|rule| rule.name);
        let unknown = self
            .levels
            .keys()
            .filter(|rule| !rules().any(|name| rule.value == name));
        let levels = unknown.map(|rule| unknown_rule(rule, "rule", rules()));
        let unknown = self
            .choice
            .words()
            .filter(|word| !is_known(&word.value, known));
        let choice = unknown.map(|word| unknown_rule(word, "rule or category", words(known)));
        levels.chain(choice).collect()
    }

    /// True when a file, or a folder above it, is excluded. Paths start from `working_directory`.
    pub fn excludes(&self, path: &Path, working_directory: &Path) -> bool {
        self.matches(&self.exclude, path, working_directory)
    }

    /// The language of the queries in a file whose data sources do not decide it; the last table that names the file wins.
    pub fn language(&self, path: &Path, working_directory: &Path) -> Option<QueryLanguage> {
        let mut tables = self.languages.iter().rev();
        let found = tables.find(|(paths, _)| self.matches(paths, path, working_directory));
        found.map(|(_, language)| *language)
    }

    /// True when a glob matches a file or a folder above it.
    fn matches(&self, globs: &GlobSet, path: &Path, working_directory: &Path) -> bool {
        let path = plain(&working_directory.join(path));
        let folder = plain(&working_directory.join(&self.folder));
        let Ok(path) = path.strip_prefix(&folder) else {
            return false;
        };
        let mut above = path.ancestors().filter(|p| !p.as_os_str().is_empty());
        above.any(|p| globs.is_match(p))
    }
}

fn unknown_rule(
    word: &Spanned<String>,
    what: &str,
    known: impl Iterator<Item = &'static str>,
) -> Diagnostic {
    let message = format!("unknown {what} `{word}`");
    let hint = did_you_mean(&word.value, known);
    Diagnostic::warning("unknown-rule", word.span, message).maybe_help(hint)
}

/// A path without `.` and `..`, by its text alone.
pub fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if out.file_name().is_some() => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}
