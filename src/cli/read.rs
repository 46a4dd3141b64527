//! Reading the files a person names.

use std::path::Path;

use crate::diag::Diagnostic;
use crate::source::{FileId, SourceFile, Sources, Span};
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
    let (text, fault) = match yaml::decode(bytes) {
        Ok(text) => (text, None),
        Err((lossy, at)) => (lossy, Some(at)),
    };
    let file = sources.add(SourceFile::new(path, text));
    Ok(match fault {
        None => Ok(file),
        Some(at) => Err(not_utf8(file, at)),
    })
}

fn not_utf8(file: FileId, at: usize) -> Diagnostic {
    // In the lossy text one replacement character of three bytes stands here.
    let span = Span::new(file, at..at + 3);
    Diagnostic::error("not-utf8", span, "the file is not UTF-8 text").label("this byte")
}
