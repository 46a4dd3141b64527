//! One resolved spec, for commands that check something against it.

use std::path::Path;

use anyhow::{Result, bail};

use super::build::input;
use super::findings;
use super::terminal::Terminal;
use slosmith_plan::plan::Plan;
use slosmith_resolve::Options;
use slosmith_spec::spec::Document;
use slosmith_text::diag::{Sink, choice};

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
    if let Some(wanted) = environment.filter(|_| !findings.has_errors()) {
        inputs.select(wanted)?;
    }
    let documents = &inputs.documents;
    if documents.len() > 1 {
        let (path, number) = (path.display(), documents.len());
        let known = documents.iter().filter_map(|d| d.environment.as_deref());
        match choice(known) {
            none if none.is_empty() => bail!("{path}: expected one spec, found {number}"),
            known => bail!("{path}: found {number} services; select {known} with `--environment`"),
        }
    }
    let found = inputs.documents.pop().and_then(|document| {
        let plan = input::resolved(&document, Options::default(), &mut findings)?;
        Some((plan, document))
    });
    if findings.has_errors() {
        findings::show(&mut Terminal::stderr(), findings, &inputs.sources)?;
        return Ok(None);
    }
    Ok(found)
}
