//! Which specs are built.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::texts;
use crate::cli::read;
use crate::diag::{Diagnostic, Sink};
use crate::source::{FileId, Sources, Span, Spanned};
use crate::spec::{self, Bases, Document};

/// Which specs are built.
pub(super) struct Specs {
    /// Their files, each once.
    pub(super) files: Vec<PathBuf>,
    /// True when one whole folder of specs is built: what no spec asks for is then stale.
    pub(super) whole_folder: bool,
}

/// Finds every spec under `paths`.
pub(super) fn list(paths: &[PathBuf]) -> Result<Specs> {
    let mut files = Vec::new();
    for path in paths {
        files.extend(specs_under(path)?);
    }
    let mut seen = BTreeSet::new();
    files.retain(|path| seen.insert(path.clone()));
    Ok(Specs {
        files,
        whole_folder: matches!(paths, [one] if one.is_dir()),
    })
}

/// Specs and their texts, for commands that hold all of them at once.
pub(in crate::cli) struct Inputs {
    pub(in crate::cli) sources: Sources,
    pub(in crate::cli) documents: Vec<Document>,
}

/// Reads every spec under `paths`; what is wrong with them goes to `findings`.
pub(in crate::cli) fn read(paths: &[PathBuf], findings: &mut Sink) -> Result<Inputs> {
    let mut inputs = Inputs {
        sources: Sources::default(),
        documents: Vec::new(),
    };
    let mut names: BTreeMap<String, Span> = BTreeMap::new();
    let mut bases = Bases::default();
    for path in &list(paths)?.files {
        let Some(file) = load(path, &mut inputs.sources, findings)? else {
            continue;
        };
        let Some(parts) = bases.of_spec(file, &mut inputs.sources, findings) else {
            continue;
        };
        match spec::read_parts(&texts(&parts, &inputs.sources)) {
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
    Ok(inputs)
}

/// Two specs that would write the same folder.
pub(super) fn duplicate(name: &Spanned<String>, first: Span) -> Diagnostic {
    let message = format!("two specs describe the service `{name}`");
    Diagnostic::error("duplicate-name", name.span, message).related(first, "the first one")
}

fn specs_under(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.exists() {
        bail!("{}: no such file or folder", path.display());
    }
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    // Mounted configuration consists of links beside hidden folders with the files.
    let hidden = |entry: &walkdir::DirEntry| {
        entry.depth() > 0 && entry.file_name().as_encoded_bytes().starts_with(b".")
    };
    let mut found = Vec::new();
    let folder = walkdir::WalkDir::new(path).sort_by_file_name();
    for entry in folder.into_iter().filter_entry(|e| !hidden(e)) {
        let entry = entry.with_context(|| format!("cannot read {}", path.display()))?;
        let ending = entry.path().extension().and_then(|e| e.to_str());
        if !matches!(ending, Some("yaml" | "yml")) {
            continue;
        }
        // A spec that cannot be looked at is no spec that is gone: its service would go with it.
        let about = std::fs::metadata(entry.path());
        let about = about.with_context(|| format!("cannot read {}", entry.path().display()))?;
        if about.is_file() {
            found.push(entry.into_path());
        }
    }
    if found.is_empty() {
        bail!(
            "{}: no spec (`.yaml` or `.yml`) in this folder",
            path.display()
        );
    }
    Ok(found)
}

/// Reads a file; `None` when it is no text.
pub(super) fn load(
    path: &Path,
    sources: &mut Sources,
    findings: &mut Sink,
) -> Result<Option<FileId>> {
    let read = read::read(path, true, sources);
    let read = read.with_context(|| format!("cannot read {}", path.display()))?;
    Ok(findings.take(read))
}
