//! One resolved spec, for commands that check something against it.

use std::path::Path;

use anyhow::{Result, bail};

use super::build::input;
use super::findings;
use super::terminal::Terminal;
use crate::diag::Sink;
use crate::plan::Plan;
use crate::resolve::{self, Options};
use crate::spec::Document;

/// The plan of a spec; `None` when the spec has errors, which are then reported.
pub(super) fn of(path: &Path) -> Result<Option<Plan>> {
    Ok(with_document(path)?.map(|(plan, _)| plan))
}

/// The plan of a spec beside the spec; `None` when it has errors, which are then reported.
pub(super) fn with_document(path: &Path) -> Result<Option<(Plan, Document)>> {
    let mut findings = Sink::default();
    let inputs = input::read(&[path.to_owned()], &mut findings)?;
    if inputs.documents.len() > 1 {
        bail!(
            "{}: expected one spec, found {}",
            path.display(),
            inputs.documents.len()
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
