//! Reads files.

use std::path::Path;

use slosmith_text::diag::Diagnostic;
use slosmith_text::input;
use slosmith_text::source::{FileId, Sources};
use slosmith_text::yaml;

/// Puts a file among the sources; `named` is true when the command line names it.
pub(super) fn read(
    path: &Path,
    named: bool,
    sources: &mut Sources,
) -> std::io::Result<Result<FileId, Diagnostic>> {
    let read = if named {
        input::read_named
    } else {
        input::read
    };
    let bytes = read(path, input::ARTIFACT)?;
    Ok(yaml::decode(path, bytes, sources))
}

/// Puts standard input among the sources, under a name.
pub(super) fn stdin(
    name: &Path,
    sources: &mut Sources,
) -> std::io::Result<Result<FileId, Diagnostic>> {
    let bytes = input::all(std::io::stdin(), input::ARTIFACT)?;
    Ok(yaml::decode(name, bytes, sources))
}
