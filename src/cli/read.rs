//! Reading the files a person names.

use std::path::Path;

use crate::diag::Diagnostic;
use crate::source::{FileId, Sources};
use crate::yaml;

/// Puts a file among the sources.
///
/// # Errors
/// When the disk refuses; a finding when the file is no text.
pub(super) fn read(
    path: &Path,
    sources: &mut Sources,
) -> std::io::Result<Result<FileId, Diagnostic>> {
    let bytes = std::fs::read(path)?;
    Ok(yaml::decode(path, bytes, sources))
}
