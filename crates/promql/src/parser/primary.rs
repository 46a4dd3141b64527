//! Operands: literals, parentheses, calls, and what follows them.

use super::{Parser, Result};
use crate::ast::{Bounds, Call, Expr, ExprKind, Number, StringLiteral};
use crate::error::SyntaxError;
use crate::lexer::{Keyword, Kind, Token, decode, duration_millis, number_value};
use crate::names::may_name_metric;

impl Parser<'_> {
    /// An operand with its ranges, offsets and `@`.
    pub(super) fn postfix(&mut self) -> Result<Expr> {
        let start = self.token.start;
        let expr = self.primary()?;
        self.modifiers(expr, start)
    }

    /// The ranges, offsets and `@` behind an operand that starts at `start`.
    pub(super) fn modifiers(&mut self, mut expr: Expr, start: usize) -> Result<Expr> {
        loop {
            expr = match self.token.kind {
                Kind::LeftBracket => self.brackets(expr, start)?,
                Kind::Keyword(Keyword::Offset) => self.offset(expr)?,
                Kind::At => self.at_time(expr)?,
                Kind::Name => match bounds(self.text(self.token)) {
                    Some(bounds) => self.bounds(expr, bounds)?,
                    None => return Ok(expr),
                },
                _ => return Ok(expr),
            };
        }
    }

    fn primary(&mut self) -> Result<Expr> {
        self.height = 1;
        match self.token.kind {
            Kind::Number | Kind::Duration => {
                let token = self.bump()?;
                let number = self.number(token);
                Ok(self.finish(ExprKind::Number(number), token.start))
            }
            Kind::String => {
                let token = self.bump()?;
                let literal = self.string(token);
                Ok(self.finish(ExprKind::String(literal), token.start))
            }
            Kind::LeftParen => self.paren(),
            Kind::LeftBrace => self.selector(None),
            Kind::Name => {
                let token = self.bump()?;
                if self.at(Kind::LeftParen) {
                    self.call(token)
                } else {
                    self.selector(Some(token))
                }
            }
            Kind::Aggregate(op) => {
                let token = self.bump()?;
                match self.token.kind {
                    Kind::LeftParen | Kind::Keyword(Keyword::By | Keyword::Without) => {
                        self.aggregate(op, token.start)
                    }
                    Kind::Placeholder if self.at_clause_in_front() => {
                        self.aggregate(op, token.start)
                    }
                    kind if self.recovering && is_operand(kind) => self.aggregate(op, token.start),
                    _ => self.selector(Some(token)),
                }
            }
            kind if may_name_metric(kind) => {
                let token = self.bump()?;
                self.selector(Some(token))
            }
            Kind::Placeholder => {
                let token = self.bump()?;
                self.placeholder(token)
            }
            _ => self.missing(self.unexpected("an expression")),
        }
    }

    pub(super) fn number(&self, token: Token) -> Number {
        let text = self.text(token);
        let value = match token.kind {
            Kind::Duration => duration_millis(text).map(|millis| millis as f64 / 1000.0),
            _ => number_value(text),
        };
        Number {
            // The lexer hands out no number it cannot read.
            value: value.unwrap_or(f64::NAN),
            text: text.to_owned(),
        }
    }

    pub(super) fn string(&self, token: Token) -> StringLiteral {
        let raw = self.text(token);
        StringLiteral {
            value: decode(raw),
            raw: raw.to_owned(),
            placeholders: self.placeholders(token),
        }
    }

    fn paren(&mut self) -> Result<Expr> {
        let start = self.bump()?.start;
        let inner = self.expr(0)?;
        let inner = match self.token.kind {
            Kind::RightParen | Kind::End => inner,
            _ => {
                let error = self.unexpected("an operator or `)`");
                self.strays(inner, &[Kind::RightParen], error)?
            }
        };
        self.close(start)?;
        self.grow(0)?;
        Ok(self.finish(ExprKind::Paren(Box::new(inner)), start))
    }

    /// Takes the `)` that belongs to the `(` at `open`; the query may end there, but nothing else.
    fn close(&mut self, open: usize) -> Result<()> {
        if !self.eat(Kind::RightParen)? {
            self.unclosed(SyntaxError::new("`(` without `)`", open..open + 1))?;
        }
        Ok(())
    }

    fn call(&mut self, name: Token) -> Result<Expr> {
        let function = self.name(name, false);
        let args = self.arguments()?;
        let call = Call {
            function,
            args,
            grouping: None,
        };
        Ok(self.finish(ExprKind::Call(Box::new(call)), name.start))
    }

    pub(super) fn arguments(&mut self) -> Result<Vec<Expr>> {
        let open = self.bump()?.start;
        let mut args = Vec::with_capacity(1);
        let mut height = 0;
        while !matches!(self.token.kind, Kind::RightParen | Kind::End) {
            args.push(self.argument()?);
            height = height.max(self.height);
            if self.at(Kind::Comma) {
                let comma = self.bump()?;
                if self.at(Kind::RightParen) {
                    let span = comma.start..comma.end;
                    let error = SyntaxError::new("trailing comma in arguments", span);
                    self.report(error.help("remove the comma"))?;
                }
            }
        }
        self.close(open)?;
        self.height = height;
        self.grow(0)?;
        Ok(args)
    }

    fn argument(&mut self) -> Result<Expr> {
        let arg = self.expr(0)?;
        if matches!(self.token.kind, Kind::Comma | Kind::RightParen | Kind::End) {
            return Ok(arg);
        }
        let error = self.unexpected("an operator, `,` or `)`");
        self.strays(arg, &[Kind::Comma, Kind::RightParen], error)
    }
}

/// What shows that a word in front of it is no metric but lacks its parentheses; a placeholder may be an operator.
fn is_operand(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Name | Kind::MetricName | Kind::Aggregate(_) | Kind::Number
    )
}

fn bounds(word: &str) -> Option<Bounds> {
    let all = [Bounds::Anchored, Bounds::Smoothed];
    all.into_iter()
        .find(|bounds| word.eq_ignore_ascii_case(bounds.word()))
}
