//! What the parser says about a query it cannot accept.

use super::ast::TextSpan;

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
}

impl SyntaxError {
    /// An error without a suggestion.
    pub(super) fn new(message: impl Into<String>, span: TextSpan) -> Self {
        Self {
            message: message.into(),
            span,
            help: None,
        }
    }

    /// Adds a suggestion.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Syntax that Prometheus has only behind a feature flag and the tree cannot hold.
    pub(super) fn experimental(what: &str, span: TextSpan) -> Self {
        Self::new(format!("experimental, behind a feature flag: {what}"), span)
    }
}
