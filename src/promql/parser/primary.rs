//! Operands: literals, parentheses, calls, and what stands behind them.

use super::{Parser, Result};
use crate::promql::ast::{Call, Expr, ExprKind, Number, StringLiteral};
use crate::promql::error::SyntaxError;
use crate::promql::lexer::{Keyword, Kind, Token, decode, duration_millis, number_value};
use crate::promql::names::may_name_metric;

impl Parser<'_> {
    /// An operand with its ranges, offsets and `@`.
    pub(super) fn postfix(&mut self) -> Result<Expr> {
        let start = self.token.start;
        let mut expr = self.primary()?;
        loop {
            expr = match self.token.kind {
                Kind::LeftBracket => self.brackets(expr, start)?,
                Kind::Keyword(Keyword::Offset) => self.offset(expr)?,
                Kind::At => self.at_time(expr)?,
                Kind::Name if is_range_modifier(self.text(self.token)) => {
                    let what = format!("the `{}` modifier", self.text(self.token));
                    return Err(SyntaxError::experimental(&what, self.span()));
                }
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
                    _ => self.selector(Some(token)),
                }
            }
            kind if may_name_metric(kind) => {
                let token = self.bump()?;
                self.selector(Some(token))
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    /// The value of a number or duration token.
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

    /// The value of a string token.
    pub(super) fn string(&self, token: Token) -> StringLiteral {
        let raw = self.text(token);
        StringLiteral {
            value: decode(raw),
            raw: raw.to_owned(),
        }
    }

    fn paren(&mut self) -> Result<Expr> {
        let start = self.bump()?.start;
        let inner = self.expr(0)?;
        self.close(start)?;
        self.grow(0)?;
        Ok(self.finish(ExprKind::Paren(Box::new(inner)), start))
    }

    /// Takes the `)` that belongs to the `(` at `open`.
    fn close(&mut self, open: usize) -> Result<()> {
        if self.at(Kind::End) {
            return Err(SyntaxError::new("`(` without `)`", open..open + 1));
        }
        self.expect(Kind::RightParen, "an operator or `)`")?;
        Ok(())
    }

    fn call(&mut self, name: Token) -> Result<Expr> {
        let function = self.name(name, false);
        if is_fill_modifier(&function.text) {
            return Err(SyntaxError::experimental(
                "fill modifiers of binary operators",
                function.span,
            ));
        }
        let args = self.arguments()?;
        let call = Call { function, args };
        Ok(self.finish(ExprKind::Call(call), name.start))
    }

    /// `(a, b)`; the height afterwards is that of the whole call.
    pub(super) fn arguments(&mut self) -> Result<Vec<Expr>> {
        let open = self.bump()?.start;
        let mut args = Vec::new();
        let mut height = 0;
        while !self.at(Kind::RightParen) {
            args.push(self.expr(0)?);
            height = height.max(self.height);
            if self.at(Kind::Comma) {
                let comma = self.bump()?;
                if self.at(Kind::RightParen) {
                    let span = comma.start..comma.end;
                    return Err(SyntaxError::new("trailing comma in arguments", span)
                        .help("remove the comma"));
                }
            } else if !self.at(Kind::RightParen) {
                return match self.token.kind {
                    Kind::End => self.close(open).map(|()| args),
                    _ => Err(self.unexpected("an operator, `,` or `)`")),
                };
            }
        }
        self.bump()?;
        self.height = height;
        self.grow(0)?;
        Ok(args)
    }
}

fn is_range_modifier(word: &str) -> bool {
    word.eq_ignore_ascii_case("anchored") || word.eq_ignore_ascii_case("smoothed")
}

fn is_fill_modifier(word: &str) -> bool {
    ["fill", "fill_left", "fill_right"]
        .iter()
        .any(|name| word.eq_ignore_ascii_case(name))
}
