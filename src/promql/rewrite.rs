//! Changes to a query's text that leave the author's layout and spelling alone.

mod rename;
mod replace;

use super::ast::TextSpan;

pub use rename::rename_in_selector;
pub use replace::replace_node;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub span: TextSpan,
    pub text: String,
}

impl Edit {
    pub fn new(span: TextSpan, text: impl Into<String>) -> Self {
        Self {
            span,
            text: text.into(),
        }
    }
}

/// Why edits cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The span is not of this text, or cuts a character.
    #[error("an edit at {0:?} is outside of the text")]
    Outside(TextSpan),
    /// Two edits change the same bytes.
    #[error("two edits overlap at {0:?}")]
    Overlap(TextSpan),
}

/// The text after all edits, which may be in any order. Insertions at one place keep their order.
pub fn apply(text: &str, edits: &[Edit]) -> Result<String, EditError> {
    let mut sorted: Vec<_> = edits.iter().collect();
    sorted.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for edit in sorted {
        let outside = || EditError::Outside(edit.span.clone());
        text.get(edit.span.clone()).ok_or_else(outside)?;
        if edit.span.start < end {
            return Err(EditError::Overlap(edit.span.clone()));
        }
        out.push_str(text.get(end..edit.span.start).ok_or_else(outside)?);
        out.push_str(&edit.text);
        end = edit.span.end;
    }
    out.push_str(text.get(end..).unwrap_or_default());
    Ok(out)
}

#[cfg(test)]
mod tests;
