//! The open documents and what they are judged against: configuration, recorded releases, and the labels that specs declare.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use lsp_types::Uri;

use super::Published;
use super::document::{self, Document};
use super::position::Encoding;
use crate::artifact::Kind;
use crate::cli::lint::input::{self, Files, Loaded};
use crate::cli::lint::progress::Progress;
use crate::cli::lint::{scope, today, walk};
use crate::config::{self, Config};
use crate::diag::Diagnostic;
use crate::lint::{Scope, Settings, declared, run};
use crate::source::{FileId, Sources, Span};

/// What says nothing about one open file: editors open files of all sorts, and what a comment suppresses may be found only
/// beside other files.
const NOT_HERE: [&str; 2] = ["unknown-file", "unused-suppression"];

/// Everything that is open.
pub(super) struct Workspace {
    root: PathBuf,
    config: Config,
    /// Why the configuration does not count.
    fault: Option<String>,
    /// What queries are judged against, with the labels and series that the specs on disk declare.
    scope: Scope<'static>,
    /// By the text of their URI.
    documents: BTreeMap<String, Document>,
    /// Whose findings are still shown.
    closed: Vec<Uri>,
}

impl Workspace {
    /// Reads configuration and specs below a folder.
    ///
    /// # Errors
    /// When the built-in catalog cannot be used.
    pub(super) fn open(root: PathBuf) -> Result<Self> {
        let (config, fault) = configuration(&root);
        let scope = scope_of(&root, &config)?;
        Ok(Self {
            root,
            config,
            fault,
            scope,
            documents: BTreeMap::new(),
            closed: Vec::new(),
        })
    }

    /// Reads configuration and specs again, after something was saved. What was known stays where they are wrong.
    pub(super) fn reload(&mut self) {
        let (config, fault) = configuration(&self.root);
        self.fault = fault;
        if self.fault.is_none()
            && let Ok(scope) = scope_of(&self.root, &config)
        {
            self.config = config;
            self.scope = scope;
        }
        self.documents
            .values_mut()
            .for_each(|document| document.changed = true);
    }

    /// Notes the text of a document.
    pub(super) fn set(&mut self, uri: Uri, version: i32, text: String) {
        let Some(path) = document::path(&uri) else {
            return;
        };
        let path = path
            .strip_prefix(&self.root)
            .map(Path::to_owned)
            .unwrap_or(path);
        let document = Document {
            path,
            version,
            text,
            changed: true,
            kind: Kind::Unknown,
            file: FileId(0),
            sources: Sources::default(),
            found: Vec::new(),
            uri: uri.clone(),
        };
        self.documents.insert(uri.as_str().to_owned(), document);
    }

    /// Forgets a document.
    pub(super) fn close(&mut self, uri: Uri) {
        self.documents.remove(uri.as_str());
        self.closed.push(uri);
    }

    pub(super) fn document(&self, uri: &Uri) -> Option<&Document> {
        self.documents.get(uri.as_str())
    }

    /// Judges what changed; what was closed has no findings.
    pub(super) fn judge(&mut self, encoding: Encoding) -> Vec<Published> {
        let settings = Settings {
            scope: &self.scope,
            config: &self.config,
            vllm: None,
            today: today(),
            root: &self.root,
        };
        let fault = self.fault.as_deref();
        let changed = self.documents.values_mut().filter(|d| d.changed);
        let judged = changed.map(|document| {
            judge(document, &settings, fault);
            let found = document.diagnostics(encoding);
            (document.uri.clone(), Some(document.version), found)
        });
        let closed = self.closed.drain(..).map(|uri| (uri, None, Vec::new()));
        judged.chain(closed).collect()
    }
}

/// Finds what `lint` finds in one file.
fn judge(document: &mut Document, settings: &Settings<'_>, fault: Option<&str>) {
    document.changed = false;
    let Loaded {
        sources,
        artifacts,
        faults,
        ..
    } = input::of_text(document.path.clone(), document.text.clone());
    document.kind = artifacts
        .first()
        .map_or(Kind::Unknown, |artifact| artifact.kind);
    document.file = FileId(0);
    let mut found = run(&artifacts, &sources, settings);
    found.extend(faults);
    found.retain(|d| d.span.file == document.file && !NOT_HERE.contains(&d.code));
    if let Some(fault) = fault.filter(|_| document.kind != Kind::Unknown) {
        let span = Span::new(document.file, 0..0);
        found.push(Diagnostic::warning("invalid-configuration", span, fault));
    }
    document.found = found;
    document.sources = sources;
}

/// The nearest configuration, and why it does not count.
fn configuration(root: &Path) -> (Config, Option<String>) {
    let Some(path) = config::find(root) else {
        return (Config::default(), None);
    };
    match Config::load(&path, &mut Sources::default()) {
        Ok(config) => (config, None),
        Err(error) => {
            let why = format!("slosmith.toml is not valid: {error}; run `slosmith lint`");
            (Config::default(), Some(why))
        }
    }
}

/// What queries are judged against.
fn scope_of(root: &Path, config: &Config) -> Result<Scope<'static>> {
    let products = scope::products(config, None, &[])?;
    let scope = Scope::configured(products, config);
    let specs = specs(root, config);
    Ok(declared(scope, &specs.artifacts, &specs.sources, config))
}

/// The specs below a folder; none where it cannot be walked.
fn specs(root: &Path, config: &Config) -> Loaded {
    let files = walk::files(&[root.to_owned()], config, root).unwrap_or_default();
    let is_yaml = |path: &PathBuf| path.extension().is_some_and(|e| e == "yaml" || e == "yml");
    let files = Files {
        found: files.found.into_iter().filter(is_yaml).collect(),
        ..Files::default()
    };
    let mut loaded = input::load(files, Sources::default(), &Progress::none());
    loaded
        .artifacts
        .retain(|artifact| artifact.kind == Kind::Spec);
    loaded
}
