//! Edits that fix findings, and their application.
//!
//! `Fix::replace(span of "upp", "up")` is titled "replace with `up`"; [`apply`] leaves out a fix that overlaps an earlier one.

mod apply;
#[cfg(test)]
mod tests;

pub use apply::{Fixed, Left, Outcome, apply};

use similar::TextDiff;

use crate::source::Span;

/// Replaces some bytes of a file; an empty span inserts, an empty text deletes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// The bytes that go.
    pub span: Span,
    /// What comes in their place, escaped as that place in the file needs it.
    pub text: String,
}

impl Edit {
    /// Replaces the bytes of `span`.
    pub fn replace(span: Span, text: impl Into<String>) -> Self {
        Self {
            span,
            text: text.into(),
        }
    }

    /// Deletes the bytes of `span`.
    pub fn delete(span: Span) -> Self {
        Self::replace(span, "")
    }
}

/// Whether a fix may be applied without looking.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Applicability {
    /// The fixed file means what its author intended.
    Safe,
    /// Needs a review: the meaning may change.
    Unsafe,
}

/// The fix of a finding: all of the edits, or none.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fix {
    /// What the edits do, as an instruction: "replace with `x`".
    pub title: String,
    /// The edits, which do not overlap.
    pub edits: Vec<Edit>,
    /// Whether it may be applied without looking.
    pub applicability: Applicability,
}

impl Fix {
    /// A fix that may be applied without looking.
    pub fn safe_edits(title: impl Into<String>, edits: Vec<Edit>) -> Self {
        Self {
            title: title.into(),
            edits,
            applicability: Applicability::Safe,
        }
    }

    pub fn unsafe_edits(title: impl Into<String>, edits: Vec<Edit>) -> Self {
        Self {
            applicability: Applicability::Unsafe,
            ..Self::safe_edits(title, edits)
        }
    }

    /// The commonest fix: one place gets another text, and the title says so.
    pub fn replace(span: Span, text: impl Into<String>) -> Self {
        let text = text.into();
        Self::safe_edits(
            format!("replace with `{text}`"),
            vec![Edit::replace(span, text)],
        )
    }
}

/// A unified diff with three lines around each change; empty when nothing changes.
pub fn diff(path: &str, old: &str, new: &str) -> String {
    let (before, after) = (format!("a/{path}"), format!("b/{path}"));
    let diff = TextDiff::from_lines(old, new);
    diff.unified_diff().header(&before, &after).to_string()
}
