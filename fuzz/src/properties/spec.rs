//! Specs.

use slosmith::diag::Sink;
use slosmith::resolve::{Options, resolve};
use slosmith::source::{SourceFile, Sources};
use slosmith::spec;

use super::{shown, text};

/// Any text is resolved or refused; every finding has a place and can be shown.
pub fn spec(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let mut sources = Sources::default();
    let file = sources.add(SourceFile::new("spec.yaml", text));
    let found = match spec::read(file, text) {
        Ok(document) => match resolve(&document, Options::default()) {
            Ok((_, warnings)) => warnings,
            Err(errors) => refused(errors),
        },
        Err(errors) => refused(errors),
    };
    shown(&found.into_sorted(), &sources);
}

fn refused(errors: Sink) -> Sink {
    assert!(errors.has_errors());
    errors
}
