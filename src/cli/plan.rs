//! One resolved spec, for commands that check something against it.

use std::path::Path;

use anyhow::{Result, bail};

use super::build::input;
use super::findings;
use super::terminal::Terminal;
use crate::diag::{Sink, choice};
use crate::plan::Plan;
use crate::resolve::{self, Options};
use crate::spec::Document;

/// The plan of a spec; `None` when the spec has errors, which are then reported.
pub(super) fn of(path: &Path, environment: Option<&str>) -> Result<Option<Plan>> {
    Ok(with_document(path, environment)?.map(|(plan, _)| plan))
}

/// The plan of a spec beside the spec; `None` when it has errors, which are then reported.
pub(super) fn with_document(
    path: &Path,
    environment: Option<&str>,
) -> Result<Option<(Plan, Document)>> {
    let mut findings = Sink::default();
    let mut inputs = input::read(&[path.to_owned()], &mut findings)?;
    let documents = &mut inputs.documents;
    let known: Vec<_> = documents
        .iter()
        .filter_map(|d| d.environment.clone())
        .collect();
    if let Some(wanted) = environment {
        documents.retain(|document| document.environment.as_deref() == Some(wanted));
        if documents.is_empty() && !findings.has_errors() {
            let help = match known.is_empty() {
                true => "the spec has no environments".to_owned(),
                false => format!("the spec has {}", choice(&known)),
            };
            bail!("`--environment {wanted}`: {help}");
        }
    } else if known.len() > 1 {
        let (path, known) = (path.display(), choice(&known));
        bail!("{path}: the spec has several environments; select {known} with `--environment`");
    }
    if documents.len() > 1 {
        bail!(
            "{}: expected one spec, found {}",
            path.display(),
            documents.len()
        );
    }
    let mut found = None;
    for document in inputs.documents {
        match resolve::resolve(&document, Options::default()) {
            Ok((plan, warnings)) => {
                findings.absorb(warnings);
                found = Some((plan, document));
            }
            Err(errors) => findings.absorb(errors),
        }
    }
    if findings.has_errors() {
        findings::show(&mut Terminal::stderr(), findings, &inputs.sources)?;
        return Ok(None);
    }
    Ok(found)
}
