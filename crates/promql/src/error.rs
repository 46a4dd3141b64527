//! What the parser says about a query it cannot accept.

use super::ast::TextSpan;
use super::room::LEVELS;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SyntaxError {
    pub message: String,
    pub span: TextSpan,
    pub help: Option<String>,
    /// True when nothing is wrong but that this parser gives up.
    pub too_deep: bool,
}

impl SyntaxError {
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
        let message =
            format!("the query is too large to check: at most {LEVELS} levels are allowed");
        Self {
            too_deep: true,
            ..Self::new(message, span)
        }
        .help("move parts of the query into recording rules")
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
