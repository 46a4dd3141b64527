//! What the parser says about a query it cannot accept.

use super::ast::TextSpan;
use super::room::{LEVELS, TERMS};

/// The first thing wrong with a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SyntaxError {
    /// What is wrong and what was expected instead.
    pub message: String,
    /// The bytes of the query it is about.
    pub span: TextSpan,
    /// What to write instead, where that is obvious.
    pub help: Option<String>,
    /// True when nothing is wrong but that this parser gives up.
    pub too_deep: bool,
}

impl SyntaxError {
    /// An error without a suggestion.
    pub(super) fn new(message: impl Into<String>, span: TextSpan) -> Self {
        Self {
            message: message.into(),
            span,
            help: None,
            too_deep: false,
        }
    }

    /// More levels or terms than are read.
    pub(super) fn too_deep(span: TextSpan) -> Self {
        let message = format!(
            "the query is too large to check: at most {LEVELS} nested levels and {TERMS} terms are allowed"
        );
        Self {
            too_deep: true,
            ..Self::new(message, span)
        }
        .help("move parts of the query into recording rules")
    }

    /// Adds a suggestion.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
