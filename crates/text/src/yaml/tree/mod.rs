//! YAML of any shape as a tree of spanned nodes, for files whose form is not ours.
//!
//! `groups: [{name: a}]` is a map at bytes 0 to 19 with one key, at 0 to 6, whose value is a list at 8 to 19.

mod events;
mod regular;
#[cfg(test)]
mod tests;

use crate::diag::Diagnostic;
use crate::source::{FileId, Span};
use crate::yaml::node::Node;

/// Larger files are rejected: offsets are kept in 32 bits, and no file a person keeps is near it.
const MAX_BYTES: usize = 256 << 20;

/// How many bytes aliases may still copy, in a file and all that is decoded out of it: ten lines of aliases can
/// ask for a billion nodes, and one scalar can be asked for a thousand times.
#[derive(Clone, Debug)]
pub struct Allowance(usize);

impl Default for Allowance {
    fn default() -> Self {
        Self(32 << 20)
    }
}

impl Allowance {
    fn take(&mut self, node: &Node<'_>) -> bool {
        let left = self.0.checked_sub(node.size());
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

/// All documents of a text that is regular YAML; `None` for any other.
pub(super) fn regular(text: &str) -> Option<Vec<Node<'_>>> {
    regular::documents(text)
}

/// Reads every document of a YAML file.
///
/// Aliases are replaced by copies of what they stand for (their bytes are those of the definition),
/// and `<<` merges are done.
pub fn tree<'t>(
    file: FileId,
    text: &'t str,
    allowance: &mut Allowance,
) -> Result<Vec<Node<'t>>, Diagnostic> {
    if text.len() > MAX_BYTES {
        let message = format!(
            "the file has {} bytes; the limit is {MAX_BYTES}",
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
        None => events::documents(file, text, allowance),
    }
}
