//! Specs of ours: what `build` would say of them.

use crate::diag::Sink;
use crate::resolve::{Options, resolve};
use crate::source::FileId;
use crate::spec;

/// Everything that is wrong with a spec, or worth a warning.
pub(super) fn lint(file: FileId, text: &str, vllm: Option<&str>) -> Sink {
    let document = match spec::read(file, text) {
        Ok(document) => document,
        Err(errors) => return errors,
    };
    match resolve(&document, Options { vllm }) {
        Ok((_, warnings)) => warnings,
        Err(errors) => errors,
    }
}
