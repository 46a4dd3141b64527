//! Going on after an error, so that a broken query still shows what it selects.
//!
//! Everything that is wrong passes through [`Parser::report`]. A strict parser stops there; a
//! recovering one keeps the error, and the caller goes on with what it has. So in recovery `Err` means
//! only that the query is nested too deeply.

use super::{Parser, Result};
use crate::ast::{BinaryOp, Expr, ExprKind};
use crate::error::SyntaxError;
use crate::lexer::{Keyword, Kind, Token};
use crate::names::may_name_metric;

impl Parser<'_> {
    #[cold]
    pub(super) fn report(&mut self, error: SyntaxError) -> Result<()> {
        if !self.recovering {
            return Err(error);
        }
        let ends = self.token.kind == Kind::End;
        if ends && self.cut {
            return Ok(());
        }
        // What the text ends with may be half a word.
        self.cut |= error.span.end == self.text.len();
        // One cause is reported once: by the lexer, or by whoever first met the token.
        let resumed = self.resumed == Some(error.span.start);
        let known =
            |last: &SyntaxError| resumed || self.token.kind == Kind::Bad || last.span == error.span;
        if !self.errors.last().is_some_and(known) {
            self.errors.push(error);
        }
        Ok(())
    }

    pub(super) fn unclosed(&mut self, error: SyntaxError) -> Result<()> {
        self.report(error)?;
        self.cut |= self.token.kind == Kind::End;
        Ok(())
    }

    /// The token at `from` that the lexer cannot read.
    #[cold]
    pub(super) fn bad_token(&mut self, from: usize, error: SyntaxError) -> Result<Token> {
        if !self.recovering {
            return Err(error);
        }
        let token = self.lexer.resume(from, &error);
        self.cut |= error.span.end == self.text.len();
        // `&&` is one mistake, and so is a word in another script.
        let one = self.text(token).chars().nth(1).is_none();
        match self.errors.last_mut() {
            Some(last) if one && last.span.end == token.start => last.span.end = token.end,
            _ => self.errors.push(error),
        }
        Ok(token)
    }

    /// A placeholder for an expression that is not there.
    pub(super) fn missing(&mut self, error: SyntaxError) -> Result<Expr> {
        self.report(error)?;
        if matches!(
            self.token.kind,
            Kind::Bad | Kind::Colon | Kind::At | Kind::Equal | Kind::Match | Kind::NotMatch
        ) {
            self.bump()?;
        }
        Ok(Expr {
            kind: ExprKind::Invalid(Vec::new()),
            span: self.end..self.end,
        })
    }

    /// Reads on to one of `stops` or the end, where `error` says what follows `first` instead.
    pub(super) fn strays(
        &mut self,
        first: Expr,
        stops: &[Kind],
        error: SyntaxError,
    ) -> Result<Expr> {
        self.report(error)?;
        self.enter()?;
        let start = first.span.start;
        let mut expr = first;
        while !self.at(Kind::End) && !stops.contains(&self.token.kind) {
            match self.token.kind {
                Kind::Operator(_) | Kind::WordOperator(_) => {
                    expr = self.operators(expr, start, 0)?;
                }
                kind if is_list_keyword(kind) => {
                    self.bump()?;
                    if self.at(Kind::LeftParen) {
                        self.grouping_labels()?;
                    }
                }
                kind if starts_expression(kind) => {
                    let height = self.height;
                    let next = self.expr(0)?;
                    self.height = self.height.max(height);
                    expr = self.beside(expr, next)?;
                }
                _ => {
                    self.bump()?;
                }
            }
        }
        self.depth -= 1;
        Ok(expr)
    }

    fn beside(&mut self, mut first: Expr, next: Expr) -> Result<Expr> {
        let start = first.span.start;
        let parts = match first.take() {
            ExprKind::Invalid(mut parts) => {
                parts.push(next);
                parts
            }
            kind => {
                first.kind = kind;
                self.grow(0)?;
                vec![first, next]
            }
        };
        Ok(self.finish(ExprKind::Invalid(parts), start))
    }

    /// Finds the next matcher behind an error; false where the braces seem to end without `}`.
    ///
    /// `read`: a matcher comes right before, so that a word may start another.
    pub(super) fn next_matcher(&mut self, read: bool) -> Result<bool> {
        if self.at(Kind::Name) && self.text(self.token).eq_ignore_ascii_case("or") {
            self.bump()?;
        }
        let mut read = read;
        // A word in front of `{` is the metric of the next selector.
        let mut word = None;
        loop {
            match self.token.kind {
                Kind::RightBrace => return Ok(true),
                Kind::Name | Kind::String if read => return Ok(true),
                Kind::Comma => {
                    self.bump()?;
                    return Ok(true);
                }
                Kind::Name
                | Kind::String
                | Kind::Placeholder
                | Kind::Number
                | Kind::Duration
                | Kind::Bad
                | Kind::Colon
                | Kind::Equal
                | Kind::Match
                | Kind::NotMatch
                | Kind::Operator(BinaryOp::Ne | BinaryOp::Eq) => {
                    let named = self.at(Kind::Name).then_some(self.token.start);
                    word = named.map(|start| (start, self.end));
                    self.bump()?;
                    read = false;
                }
                kind => {
                    let metric = word.filter(|_| kind == Kind::LeftBrace);
                    let (start, end) = metric.unwrap_or((self.token.start, self.end));
                    self.end = end;
                    self.reread(start)?;
                    return Ok(false);
                }
            }
        }
    }

    /// Takes the `]`, or what precedes it.
    pub(super) fn close_bracket(&mut self, expected: &str) -> Result<()> {
        if self.eat(Kind::RightBracket)? {
            return Ok(());
        }
        self.report(self.unexpected(expected))?;
        let (at, end) = (self.token.start, self.end);
        while matches!(
            self.token.kind,
            Kind::Name | Kind::Number | Kind::Duration | Kind::String | Kind::Bad | Kind::Colon
        ) {
            self.bump()?;
        }
        if !self.eat(Kind::RightBracket)? {
            self.end = end;
            self.reread(at)?;
        }
        Ok(())
    }

    /// Starts again at `at`, outside braces and brackets.
    fn reread(&mut self, at: usize) -> Result<()> {
        self.lexer.restart(at);
        self.token = match self.lexer.next() {
            Ok(token) => token,
            Err(error) => self.bad_token(at, error)?,
        };
        self.resumed = Some(self.token.start);
        Ok(())
    }
}

/// Words with labels in parentheses behind them.
fn is_list_keyword(kind: Kind) -> bool {
    matches!(kind, Kind::Keyword(keyword) if keyword != Keyword::Offset)
}

pub(super) fn starts_expression(kind: Kind) -> bool {
    match kind {
        Kind::Number
        | Kind::Duration
        | Kind::String
        | Kind::LeftParen
        | Kind::LeftBrace
        | Kind::Placeholder
        | Kind::Operator(BinaryOp::Add | BinaryOp::Sub) => true,
        kind => may_name_metric(kind),
    }
}

/// Whether the parentheses around each offset are closed; where they are not, what follows could have made it right.
pub(super) fn closed(text: &str) -> Vec<bool> {
    let mut depth = 0_i64;
    let depths: Vec<_> = std::iter::once(0)
        .chain(text.bytes().map(|byte| {
            depth += i64::from(byte == b'(') - i64::from(byte == b')');
            depth
        }))
        .collect();
    let mut lowest = i64::MAX;
    let mut closed: Vec<_> = depths
        .iter()
        .rev()
        .map(|depth| {
            lowest = lowest.min(*depth);
            lowest < *depth
        })
        .collect();
    closed.reverse();
    closed
}
