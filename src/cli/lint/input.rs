//! Files → artifacts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::passed::Passed;
use crate::cli::progress::Progress;

use crate::cli::read;
use slosmith_catalog::Catalog;
use slosmith_lint::artifact::{
    self, Artifact, Hints, Kind, TemplateFiles, Unread, ending, published,
};
use slosmith_lint::lint::pins::{Pin, pins, replaces_buckets};
use slosmith_spec::config::QueryLanguage;
use slosmith_spec::spec::Bases;
use slosmith_text::diag::render::place;
use slosmith_text::diag::{Diagnostic, INTERNAL_ERROR, Sink, guarded};
use slosmith_text::input;
use slosmith_text::source::{FileId, SourceFile, Sources, Span};
use slosmith_text::yaml::Filler;

#[derive(Debug, Default)]
pub(in crate::cli) struct Files {
    pub(in crate::cli) named: Vec<PathBuf>,
    pub(in crate::cli) found: Vec<PathBuf>,
    pub(in crate::cli) others: Vec<PathBuf>,
    pub(in crate::cli) stdin: Option<PathBuf>,
    pub(in crate::cli) languages: BTreeMap<PathBuf, QueryLanguage>,
    /// Services of the project that have recordings.
    pub(in crate::cli) own: Vec<&'static Catalog>,
    /// Folders and files that the walk could not look at, and why.
    pub(in crate::cli) unreadable: Vec<(PathBuf, String)>,
}

#[derive(Debug, Default)]
pub(in crate::cli) struct Loaded {
    pub(in crate::cli) sources: Sources,
    files: Vec<(FileId, bool)>,
    unread: Vec<(Diagnostic, bool)>,
    /// Only files with something to check.
    pub(in crate::cli) artifacts: Vec<Artifact>,
    pub(in crate::cli) faults: Vec<Diagnostic>,
    pub(in crate::cli) passed: Passed,
    others: Vec<PathBuf>,
    published: Vec<String>,
    languages: BTreeMap<PathBuf, QueryLanguage>,
    pub(in crate::cli) unreadable: bool,
    pub(super) unknown: bool,
}

/// Reads all files. An unreadable file becomes a finding; reading continues.
///
/// `sources` may hold files already, such as the configuration.
pub(in crate::cli) fn load(files: Files, sources: Sources, progress: &Progress) -> Loaded {
    let mut loaded = Loaded {
        sources,
        languages: files.languages,
        passed: Passed::of(files.own),
        ..Loaded::default()
    };
    let stdin = files.stdin.iter().map(|path| (path, From::Stdin));
    let named = files.named.iter().map(|path| (path, From::Name));
    let found = files.found.iter().map(|path| (path, From::Walk));
    for (path, from) in stdin.chain(named).chain(found) {
        let named = from != From::Walk;
        let read = match from {
            From::Stdin => read::stdin(path, &mut loaded.sources),
            From::Name | From::Walk => read::read(path, named, &mut loaded.sources),
        };
        match read {
            Ok(Ok(file)) => loaded.files.push((file, named)),
            Ok(Err(fault)) => loaded.unread.push((fault, named)),
            Err(error) => loaded.cannot_read(path, &format!("cannot read this file: {error}")),
        }
    }
    for (path, why) in &files.unreadable {
        loaded.cannot_read(path, &format!("cannot read this folder: {why}"));
    }
    progress.begin("reading", loaded.files.len());
    let others = files.others.into_par_iter();
    let others: Vec<_> = others
        .filter_map(|path| other(&path, &loaded.passed).map(|other| (path, other)))
        .collect();
    for (path, (is_ours, published)) in others {
        loaded.others.extend(is_ours.then_some(path));
        loaded.published.extend(published);
    }
    loaded.read(progress);
    loaded
}

/// Reads a text like a file in a folder: unreadable text is a finding only if it names recorded metrics.
pub(in crate::cli) fn of_text(
    path: PathBuf,
    text: String,
    sources: Sources,
    language: Option<QueryLanguage>,
    own: Vec<&'static Catalog>,
) -> (FileId, Loaded) {
    let mut loaded = Loaded {
        sources,
        passed: Passed::of(own),
        languages: language
            .map(|language| (path.clone(), language))
            .into_iter()
            .collect(),
        ..Loaded::default()
    };
    let file = loaded.sources.add(SourceFile::new(path, text));
    loaded.files.push((file, false));
    loaded.read(&Progress::none());
    (file, loaded)
}

impl Loaded {
    /// True if some file has the name of vLLM.
    pub(super) fn names_vllm(&self) -> bool {
        let mut texts = self.sources.iter().map(|(_, file)| file.text());
        texts.any(|text| text.contains("vllm") || text.contains("vLLM"))
    }
}

/// Whether a file has the name of a recorded metric, and the metrics that it publishes. Unreadable files are ignored.
fn other(path: &Path, passed: &Passed) -> Option<(bool, Vec<String>)> {
    let text = String::from_utf8(input::read(path, input::SMALL).ok()?).ok()?;
    Some((passed.concerns_us(&text), published(&text)))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    Stdin,
    Name,
    Walk,
}

impl Loaded {
    fn cannot_read(&mut self, path: &Path, message: &str) {
        let file = self.sources.add(SourceFile::new(path, ""));
        let fault = Diagnostic::error("unreadable-file", Span::new(file, 0..0), message);
        self.unread.push((fault, true));
        self.unknown = true;
    }

    /// The same files with other texts.
    pub(in crate::cli) fn again(&self, texts: impl Fn(FileId) -> Option<String>) -> Self {
        let mut sources = Sources::default();
        for (id, source) in self.sources.iter() {
            let text = texts(id).unwrap_or_else(|| source.text().to_owned());
            sources.add(SourceFile::new(source.path(), text));
        }
        let mut loaded = Self {
            sources,
            files: self.files.clone(),
            unread: self.unread.clone(),
            others: self.others.clone(),
            published: self.published.clone(),
            languages: self.languages.clone(),
            unknown: self.unknown,
            passed: self.passed.again(),
            ..Self::default()
        };
        loaded.read(&Progress::none());
        loaded
    }

    pub(super) fn added_labels(&self) -> Vec<String> {
        let read = self.files.par_iter();
        let of = |file: &FileId| artifact::added_labels(self.sources.get(*file).text());
        read.flat_map_iter(|(file, _)| of(file)).collect()
    }

    pub(super) fn pins(&self) -> Vec<Pin> {
        let read = self
            .files
            .par_iter()
            .map(|(file, _)| self.sources.get(*file));
        read.flat_map_iter(|source| pins(source.path(), source.text()))
            .collect()
    }

    /// True if a file replaces bucket boundaries of the servers.
    pub(super) fn replace_buckets(&self) -> bool {
        let mut read = self.files.iter().map(|(file, _)| self.sources.get(*file));
        read.any(|source| replaces_buckets(source.path(), source.text()))
    }

    pub(super) fn published(&self) -> Vec<String> {
        let read = self.files.par_iter();
        let read = read.flat_map_iter(|(file, _)| published(self.sources.get(*file).text()));
        read.chain(self.published.par_iter().cloned()).collect()
    }

    pub(super) fn looked(&self) -> usize {
        self.files.len()
    }

    fn read(&mut self, progress: &Progress) {
        let sources = &self.sources;
        let files = self.files.iter().map(|(file, _)| sources.get(*file));
        let terraform = files.filter(|source| matches!(ending(source.path()), "tf" | "tofu"));
        let templates = TemplateFiles::of(terraform.map(|source| (source.path(), source.text())));
        let read = self.files.par_iter().map(|(file, named)| {
            let source = sources.get(*file);
            let hints = Hints {
                language: self.languages.get(source.path()).copied(),
                filler: templates.has(source.path()).then_some(Filler::Terraform),
                ..Hints::default()
            };
            let read = || artifact::read_with(*file, source.path(), source.text(), hints);
            let mut read = guarded(*file, read).unwrap_or_else(|panic| Err(panic.into()));
            if let Ok(artifact) = &mut read
                && !named
            {
                // Definitions of CloudWatch are ours whatever they name.
                let ours = artifact.kind == Kind::CloudWatch;
                let text = source.text();
                artifact
                    .faults
                    .retain(|_| ours || self.passed.concerns_us(text));
            }
            progress.step();
            read
        });
        let read: Vec<_> = read.collect();
        self.passed.note_foreign(&self.others);
        for (fault, named) in self.unread.clone() {
            self.fail(fault.into(), named);
        }
        for ((file, named), read) in self.files.clone().iter().zip(read) {
            if read.as_ref().is_ok_and(|artifact| artifact.has_pieces) {
                let source = self.sources.get(*file);
                self.passed.note_pieces(source.path());
            }
            if let Ok(artifact) = &read
                && artifact.has_unread_branches
            {
                let source = self.sources.get(*file);
                self.passed
                    .note_branches(source.path(), artifact, source.text());
            }
            match read {
                Ok(artifact) if artifact.kind != Kind::Unknown => {
                    self.passed.note_rest(self.sources.get(*file), &artifact);
                    self.artifacts.push(artifact);
                }
                Ok(_) if *named => {
                    let message = "unknown file type: slosmith found no spec, rules, dashboard, alarms or queries";
                    let fault = Diagnostic::info("unknown-file", Span::new(*file, 0..0), message);
                    self.faults.push(fault);
                }
                // Assembled queries are reported above.
                Ok(artifact) if artifact.has_pieces => {}
                Ok(_) => {
                    let source = self.sources.get(*file);
                    self.passed.note_silent(source.path(), source.text());
                }
                Err(unread) => {
                    let named = *named || unread.fault.code == INTERNAL_ERROR;
                    self.fail(unread, named);
                }
            }
        }
        artifact::share_languages(&mut self.artifacts);
        self.extend();
    }

    /// Reads the files that specs extend. An incomplete spec is not checked.
    fn extend(&mut self) {
        let mut bases = Bases::among(&self.sources);
        let mut faults = Sink::default();
        let sources = &mut self.sources;
        self.artifacts.retain_mut(|artifact| {
            if artifact.kind != Kind::Spec {
                return true;
            }
            let mut found = Sink::default();
            let parts = guarded(artifact.file, || {
                bases.of(artifact.file, sources, &mut found)
            });
            artifact.parts = found.take(parts).unwrap_or_default();
            let whole = !found.has_errors();
            faults.absorb(found);
            whole
        });
        self.unreadable |= faults.has_errors();
        self.faults.extend(faults.into_sorted());
    }

    fn fail(&mut self, unread: Unread, named: bool) {
        let source = self.sources.get(unread.fault.span.file);
        let meant = match named {
            true => Some(unread.fault),
            false => self
                .passed
                .take(source.path().to_owned(), source.text(), unread),
        };
        self.unreadable |= meant.is_some();
        self.faults.extend(meant);
    }

    /// True if a path, relative to `root`, is a file that was read.
    pub(in crate::cli) fn looked_at(&self, path: &str, root: &Path) -> bool {
        let mut sources = self.sources.iter();
        sources.any(|(_, source)| place::path(source.path(), Some(root)) == path)
    }

    /// True if a path, relative to `root`, is a checked file.
    pub(in crate::cli) fn shows(&self, path: &str, root: &Path) -> bool {
        let mut files = self.artifacts.iter().map(|a| self.sources.get(a.file));
        files.any(|source| place::path(source.path(), Some(root)) == path)
    }
}
