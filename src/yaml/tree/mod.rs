//! YAML of any shape as a tree of spanned nodes, for files whose form is not ours.

mod events;
mod node;
mod regular;
#[cfg(test)]
mod tests;

pub use node::{Kind, Node, Scalar, Style};

use crate::diag::Diagnostic;
use crate::source::{FileId, Span};

/// Larger files are refused: offsets are kept in 32 bits, and no file a person keeps is near it.
const MAX_BYTES: usize = 256 << 20;

/// One document of a YAML file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document<'t> {
    /// Its value; null when nothing stands between two `---`.
    pub root: Node<'t>,
}

/// Reads every document of a YAML file.
///
/// Aliases are replaced by copies of what they stand for (their bytes are those of the definition),
/// and `<<` merges are done.
///
/// # Errors
/// The first place that is not YAML.
pub fn tree(file: FileId, text: &str) -> Result<Vec<Document<'_>>, Diagnostic> {
    if text.len() > MAX_BYTES {
        let message = format!(
            "the file has {} bytes, more than the {MAX_BYTES} that are read",
            text.len()
        );
        return Err(Diagnostic::error(
            "too-large",
            Span::new(file, 0..0),
            message,
        ));
    }
    match regular::documents(text) {
        Some(documents) => Ok(documents),
        None => events::documents(file, text),
    }
}
