//! Placeholders where an expression can be.

use super::{Parser, Result};
use crate::promql::ast::{Call, Expr, ExprKind};
use crate::promql::lexer::{Keyword, Kind, Token};

impl Parser<'_> {
    pub(super) fn placeholder(&mut self, token: Token) -> Result<Expr> {
        match self.token.kind {
            Kind::LeftParen | Kind::Keyword(Keyword::By | Keyword::Without) => {
                self.unknown_call(token)
            }
            Kind::LeftBrace | Kind::LeftBracket | Kind::At | Kind::Keyword(Keyword::Offset) => {
                self.selector(Some(token))
            }
            _ => match self.name(token, false) {
                name if name.may_be_expression() => {
                    Ok(self.finish(ExprKind::Placeholder(name), token.start))
                }
                _ => self.selector(Some(token)),
            },
        }
    }

    /// Whether placeholders are all there is in a token.
    pub(super) fn is_pure(&self, token: Token) -> bool {
        let placeholders = self.placeholders(token);
        let length = token.end - token.start;
        placeholders.iter().map(|p| p.span.len()).sum::<usize>() == length
    }

    /// `$aggregation by (job) (x)` or `$function(x)`.
    fn unknown_call(&mut self, token: Token) -> Result<Expr> {
        let function = self.name(token, false);
        let mut grouping = self.grouping()?;
        if !self.at(Kind::LeftParen) {
            return self.missing(self.unexpected("`(` and arguments"));
        }
        let args = self.arguments()?;
        if grouping.is_none() {
            grouping = self.grouping()?;
        }
        let call = Call {
            function,
            args,
            grouping,
        };
        Ok(self.finish(ExprKind::Call(Box::new(call)), token.start))
    }
}
