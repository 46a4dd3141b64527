//! The open documents and what they are checked against: configuration, recorded releases, and the labels that specs declare.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use lsp_types::Uri;

use super::Published;
use super::document::{self, Document};
use super::position::Encoding;
use crate::cli::lint::input::{self, Files, Loaded};
use crate::cli::lint::{scope, today, walk};
use crate::cli::progress::Progress;
use slosmith_catalog::{Catalog, Embedded};
use slosmith_lint::artifact::Kind;
use slosmith_lint::lint::{Scope, Settings, declared, run};
use slosmith_spec::config::{self, Config};
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::{SourceFile, Sources, Span};

/// Not reported: a suppression may apply only together with other files.
const UNUSED: &str = "unused-suppression";
const CONFIGURATION: &str = "slosmith.toml";

/// Everything that is open. Paths are those of the working directory, which is the folder that the editor opened.
pub(super) struct Workspace {
    settings: Configured,
    scope: Scope<'static>,
    documents: BTreeMap<String, Document>,
    closed: Vec<Uri>,
}

struct Configured {
    config: Config,
    fault: Option<String>,
    /// Catalogs and releases, without specs.
    scope: Scope<'static>,
}

impl Workspace {
    pub(super) fn open() -> Result<Self> {
        let settings = Configured::read()?;
        Ok(Self {
            scope: settings.with_specs(),
            settings,
            documents: BTreeMap::new(),
            closed: Vec::new(),
        })
    }

    pub(super) fn saved(&mut self, uri: &Uri) {
        let path = document::path(uri);
        let name = path.as_deref().and_then(Path::file_name);
        if name.is_some_and(|name| name == CONFIGURATION)
            && let Ok(settings) = Configured::read()
        {
            self.settings = settings;
        }
        self.scope = self.settings.with_specs();
        self.documents
            .values_mut()
            .for_each(|document| document.changed = true);
    }

    pub(super) fn set(&mut self, uri: Uri, version: i32, text: String) {
        let Some(path) = document::path(&uri) else {
            return;
        };
        self.closed.retain(|closed| *closed != uri);
        let document = self
            .documents
            .entry(uri.as_str().to_owned())
            .or_insert_with(|| Document::new(uri, path));
        document.version = version;
        document.text = text;
        document.changed = true;
    }

    pub(super) fn close(&mut self, uri: Uri) {
        self.documents.remove(uri.as_str());
        self.closed.push(uri);
    }

    pub(super) fn document(&self, uri: &Uri) -> Option<&Document> {
        self.documents.get(uri.as_str())
    }

    /// Checks changed documents; closed documents get an empty list of findings.
    pub(super) fn check(&mut self, encoding: Encoding) -> Vec<Published> {
        let Configured { config, fault, .. } = &self.settings;
        let own = scope::own(&self.scope.products);
        let settings = Settings {
            scope: &self.scope,
            config,
            vllm: None,
            today: today(),
            root: config.folder(),
        };
        let changed = self.documents.values_mut().filter(|d| d.changed);
        let checked = changed.map(|document| {
            check(document, &settings, &own, fault.as_deref());
            let found = document.diagnostics(encoding);
            (document.uri.clone(), Some(document.version), found)
        });
        let closed = self.closed.drain(..).map(|uri| (uri, None, Vec::new()));
        checked.chain(closed).collect()
    }
}

fn check(
    document: &mut Document,
    settings: &Settings<'_>,
    own: &[&'static Catalog],
    fault: Option<&str>,
) {
    document.changed = false;
    // Errors in the configuration point into the first file.
    let mut sources = Sources::default();
    sources.add(SourceFile::new(CONFIGURATION, ""));
    let language = settings.config.language(&document.path, Path::new(""));
    let (path, text) = (document.path.clone(), document.text.clone());
    let (file, loaded) = input::of_text(path, text, sources, language, own.to_vec());
    document.kind = loaded
        .artifacts
        .first()
        .map_or(Kind::Unknown, |artifact| artifact.kind);
    document.file = file;
    document.found.clear();
    if !settings.config.excludes(&document.path, Path::new("")) {
        document
            .found
            .extend(run(&loaded.artifacts, &loaded.sources, settings));
        document.found.extend(loaded.faults);
    }
    document
        .found
        .retain(|d| d.span.file == file && d.code != UNUSED);
    if let Some(fault) = fault.filter(|_| document.kind != Kind::Unknown) {
        let span = Span::new(file, 0..0);
        document
            .found
            .push(Diagnostic::warning("invalid-configuration", span, fault));
    }
    document.sources = loaded.sources;
}

impl Configured {
    /// The nearest configuration; the default one, and why, where it cannot be used.
    fn read() -> Result<Self> {
        let mut sources = Sources::default();
        let here = std::env::current_dir()?;
        let loaded = config::find(&here).map(|path| Config::load(&path, &mut sources));
        let read = loaded.unwrap_or_else(|| Ok(Config::default()));
        let read = read.map_err(|error| error.to_string());
        let found = read.and_then(|config| match scope_of(&config) {
            Ok(scope) => Ok((config, scope)),
            Err(error) => Err(error.to_string()),
        });
        Ok(match found {
            Ok((config, scope)) => Self {
                config,
                scope,
                fault: None,
            },
            Err(why) => {
                let config = Config::default();
                Self {
                    scope: scope_of(&config)?,
                    config,
                    fault: Some(format!(
                        "{CONFIGURATION} is ignored because of an error: {why}"
                    )),
                }
            }
        })
    }

    fn with_specs(&self) -> Scope<'static> {
        let specs = specs(&self.config);
        declared(
            self.scope.clone(),
            &specs.artifacts,
            &specs.sources,
            &self.config,
        )
    }
}

fn scope_of(config: &Config) -> Result<Scope<'static>> {
    let products = scope::products(config, &scope::Asked::default(), Embedded::all())?;
    Ok(Scope::configured(products, config))
}

fn specs(config: &Config) -> Loaded {
    let here = Path::new(".");
    let files = walk::files(&[here.to_owned()], config, here).unwrap_or_default();
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
