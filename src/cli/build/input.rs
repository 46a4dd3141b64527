//! Finds the specs to build.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use globset::GlobBuilder;

use crate::cli::read;
use slosmith_plan::plan::Plan;
use slosmith_render::output::MANIFEST;
use slosmith_resolve::{self as resolve, Options};
use slosmith_spec::config::Config;
use slosmith_spec::spec::{Bases, Document};
use slosmith_text::diag::{Diagnostic, Sink, choice};
use slosmith_text::source::{FileId, Sources, Span, Spanned};

#[derive(Default)]
pub(in crate::cli) struct Specs {
    pub(in crate::cli) files: Vec<PathBuf>,
    /// True if one whole folder of specs is built: services without a spec are then removed.
    pub(super) whole_folder: bool,
}

pub(super) fn list(paths: &[PathBuf], config: &Config) -> Result<Specs> {
    let mut files = Vec::new();
    for path in paths {
        let found = specs_under(path)?;
        if found.is_empty() {
            let path = path.display();
            bail!("{path}: no spec (`.yaml` or `.yml`) in this folder; `slosmith init` writes one");
        }
        files.extend(found);
    }
    let whole_folder = match paths {
        [one] => is_folder(one)? && is_all(one, config)?,
        _ => false,
    };
    Ok(Specs {
        files: built(files, config),
        whole_folder,
    })
}

/// Looks at a path; `None` if it does not exist. Other errors are returned: treating such a path as missing or as present would
/// remove or keep services by mistake.
fn look<T>(path: &Path, found: io::Result<T>) -> Result<Option<T>> {
    match found {
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        found => found
            .map(Some)
            .with_context(|| format!("cannot read {}", path.display())),
    }
}

fn is_folder(path: &Path) -> Result<bool> {
    Ok(look(path, path.metadata())?.is_some_and(|about| about.is_dir()))
}

/// Each file once, without the files that other specs extend.
pub(super) fn built(mut files: Vec<PathBuf>, config: &Config) -> Vec<PathBuf> {
    let mut seen = BTreeSet::new();
    files.retain(|path| seen.insert(path.clone()) && !config.build.is_defaults(path));
    files
}

/// True if the configuration names no specs outside this folder.
fn is_all(folder: &Path, config: &Config) -> Result<bool> {
    let real = |path: &Path| look(path, path.canonicalize());
    for named in &config.build.specs {
        let named = real(&config.folder().join(&named.value))?;
        if named.is_none() || named != real(folder)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Files and folders below `root` that a path or a glob names, sorted.
pub(in crate::cli) fn matching(root: &Path, named: &str) -> Result<Vec<PathBuf>> {
    if !is_glob(named) {
        let path = root.join(named);
        let found = look(&path, path.metadata())?;
        return Ok(Vec::from_iter(found.map(|_| path)));
    }
    let glob = GlobBuilder::new(named.strip_prefix("./").unwrap_or(named));
    let glob = { glob }.literal_separator(true).build();
    let glob = glob
        .with_context(|| format!("`{named}` is not a valid glob"))?
        .compile_matcher();
    let start = start(root, named);
    let mut found = Vec::new();
    if is_folder(&start)? {
        let entries = walkdir::WalkDir::new(&start)
            .sort_by_file_name()
            .into_iter();
        for entry in entries.filter_entry(|entry| !is_passed(entry)) {
            let path = entry.with_context(|| format!("cannot read {}", start.display()))?;
            let path = path.into_path();
            let path = path
                .strip_prefix(".")
                .map_or_else(|_| path.clone(), Path::to_owned);
            if path
                .strip_prefix(root)
                .is_ok_and(|below| glob.is_match(below))
            {
                found.push(path);
            }
        }
    }
    Ok(found)
}

fn is_glob(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

/// The folder that contains all matches of a glob; a path without wildcards itself.
pub(in crate::cli) fn start(root: &Path, named: &str) -> PathBuf {
    let plain = named.split('/').take_while(|part| !is_glob(part));
    let start = root.join(plain.collect::<PathBuf>());
    if start == Path::new("") {
        PathBuf::from(".")
    } else {
        start
    }
}

/// True for folders without specs: hidden folders, and folders that slosmith generated. A mounted ConfigMap consists of links
/// beside hidden folders with the files.
pub(in crate::cli) fn is_passed(entry: &walkdir::DirEntry) -> bool {
    let hidden = || entry.file_name().as_encoded_bytes().starts_with(b".");
    let ours = || entry.file_type().is_dir() && entry.path().join(MANIFEST).is_file();
    entry.depth() > 0 && (hidden() || ours())
}

pub(in crate::cli) struct Inputs {
    pub(in crate::cli) sources: Sources,
    pub(in crate::cli) documents: Vec<Document>,
}

impl Inputs {
    /// Keeps the services of one environment.
    pub(in crate::cli) fn select(&mut self, environment: &str) -> Result<()> {
        let all = self.documents.iter();
        let known: BTreeSet<_> = all.filter_map(|d| d.environment.clone()).collect();
        self.documents
            .retain(|document| document.environment.as_deref() == Some(environment));
        match (self.documents.is_empty(), known.is_empty()) {
            (false, _) => Ok(()),
            (true, true) => bail!("`--environment {environment}`: no spec has environments"),
            (true, false) => bail!("`--environment {environment}`: use {}", choice(&known)),
        }
    }
}

pub(in crate::cli) fn read(paths: &[PathBuf], findings: &mut Sink) -> Result<Inputs> {
    let mut inputs = Inputs {
        sources: Sources::default(),
        documents: Vec::new(),
    };
    let mut names: BTreeMap<String, Span> = BTreeMap::new();
    let mut bases = Bases::default();
    for path in &list(paths, &Config::default())?.files {
        let Some(file) = load(path, &mut inputs.sources, findings)? else {
            continue;
        };
        for variant in bases.of_spec(file, &mut inputs.sources, findings) {
            match variant.read(&inputs.sources) {
                Ok(document) => {
                    let name = &document.spec.service.name;
                    if let Some(first) = names.insert(name.value.clone(), name.span) {
                        findings.push(duplicate(name, first));
                    }
                    inputs.documents.push(document);
                }
                Err(errors) => findings.absorb(errors),
            }
        }
    }
    Ok(inputs)
}

/// The plan of a spec without errors; adds all findings of the spec to `findings`.
pub(in crate::cli) fn resolved(
    document: &Document,
    options: Options<'_>,
    findings: &mut Sink,
) -> Option<Plan> {
    let (plan, found) = match resolve::resolve(document, options) {
        Ok((plan, warnings)) => (Some(plan), warnings),
        Err(errors) => (None, errors),
    };
    findings.absorb(found);
    plan
}

/// Two specs that would write the same folder.
pub(super) fn duplicate(name: &Spanned<String>, first: Span) -> Diagnostic {
    let message = format!("the service `{name}` is defined in two specs");
    Diagnostic::error("duplicate-name", name.span, message).related(first, "first definition")
}

/// The files that may be specs; a path that is a file is one.
pub(in crate::cli) fn specs_under(path: &Path) -> Result<Vec<PathBuf>> {
    match look(path, path.metadata())? {
        None => bail!("{}: no such file or folder", path.display()),
        Some(about) if !about.is_dir() => return Ok(vec![path.to_owned()]),
        Some(_) => {}
    }
    let mut found = Vec::new();
    let folder = walkdir::WalkDir::new(path).sort_by_file_name();
    for entry in folder.into_iter().filter_entry(|e| !is_passed(e)) {
        let entry = entry.with_context(|| format!("cannot read {}", path.display()))?;
        let ending = entry.path().extension().and_then(|e| e.to_str());
        if !matches!(ending, Some("yaml" | "yml")) {
            continue;
        }
        // An unreadable spec must not count as removed: its service would be removed, too.
        let about = entry.path().metadata();
        let about = about.with_context(|| format!("cannot read {}", entry.path().display()))?;
        if about.is_file() {
            found.push(entry.into_path());
        }
    }
    Ok(found)
}

/// Reads a file; `None` if it is not text.
pub(in crate::cli) fn load(
    path: &Path,
    sources: &mut Sources,
    findings: &mut Sink,
) -> Result<Option<FileId>> {
    let read = read::read(path, true, sources);
    let read = read.with_context(|| format!("cannot read {}", path.display()))?;
    Ok(findings.take(read))
}
