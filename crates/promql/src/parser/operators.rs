//! Binary and unary operators and vector matching.

use super::{Parser, Result};
use crate::ast::{
    Binary, BinaryOp, Expr, ExprKind, Fill, GroupModifier, Matching, Name, Number, UnaryOp, Unknown,
};
use crate::lexer::{Keyword, Kind, Token};
use crate::names::UNKNOWN;
use crate::room::with_room;

impl Parser<'_> {
    pub(super) fn expr(&mut self, loosest: u8) -> Result<Expr> {
        self.enter()?;
        let lhs = with_room(|| {
            let start = self.token.start;
            let lhs = self.operand()?;
            self.operators(lhs, start, loosest)
        })?;
        self.depth -= 1;
        Ok(lhs)
    }

    pub(super) fn operators(&mut self, mut lhs: Expr, start: usize, loosest: u8) -> Result<Expr> {
        loop {
            let height = self.height;
            let kind = match self.token.kind {
                Kind::Operator(op) | Kind::WordOperator(op) if op.precedence() >= loosest => {
                    ExprKind::Binary(Box::new(self.binary(op, lhs)?))
                }
                Kind::Placeholder if UNKNOWN >= loosest && self.is_pure(self.token) => {
                    ExprKind::Unknown(Box::new(self.unknown(lhs)?))
                }
                _ => return Ok(lhs),
            };
            self.grow(height)?;
            lhs = self.finish(kind, start);
        }
    }

    fn unknown(&mut self, lhs: Expr) -> Result<Unknown> {
        let token = self.bump()?;
        let operator = self.name(token, false);
        let bool_modifier = self.eat(Kind::Keyword(Keyword::Bool))?;
        let matching = self.matching()?;
        let rhs = self.expr(UNKNOWN + 1)?;
        Ok(Unknown {
            operator,
            lhs,
            rhs,
            bool_modifier,
            matching,
        })
    }

    fn operand(&mut self) -> Result<Expr> {
        let op = match self.token.kind {
            Kind::Operator(BinaryOp::Add) => UnaryOp::Plus,
            Kind::Operator(BinaryOp::Sub) => UnaryOp::Minus,
            _ => return self.postfix(),
        };
        let start = self.bump()?.start;
        // Prometheus gives signs the precedence of `*`, so only `^` binds tighter.
        let operand = self.expr(BinaryOp::Pow.precedence())?;
        self.grow(0)?;
        Ok(self.finish(ExprKind::Unary(op, Box::new(operand)), start))
    }

    fn binary(&mut self, op: BinaryOp, lhs: Expr) -> Result<Binary> {
        let token = self.bump()?;
        let op_span = token.start..token.end;
        let bool_modifier = self.eat(Kind::Keyword(Keyword::Bool))?;
        let mut matching = self.matching()?;
        let fill = self.fill()?;
        let loosest = op.precedence() + u8::from(!op.right_associative());
        let rhs = if matching.is_none() && self.at(Kind::Placeholder) && self.is_pure(self.token) {
            self.clause_or_operand(&mut matching, loosest)?
        } else {
            self.expr(loosest)?
        };
        Ok(Binary {
            op,
            op_span,
            lhs,
            rhs,
            bool_modifier,
            matching,
            fill,
        })
    }

    fn clause_or_operand(&mut self, matching: &mut Option<Matching>, loosest: u8) -> Result<Expr> {
        let token = self.bump()?;
        if !is_operand(self.token.kind) {
            return self.expr_behind(token, loosest);
        }
        *matching = Some(Matching {
            on: true,
            labels: vec![self.name(token, false)],
            clause: true,
            group: None,
        });
        self.expr(loosest)
    }

    /// `fill (0)`, or `fill_left (0)` and `fill_right (0)` in any order.
    fn fill(&mut self) -> Result<Option<Box<Fill>>> {
        let mut fill = Fill::default();
        if self.at_fill("fill") {
            let value = self.fill_value()?;
            fill.left.clone_from(&value);
            fill.right = value;
        } else {
            while fill.left.is_none() && self.at_fill("fill_left")
                || fill.right.is_none() && self.at_fill("fill_right")
            {
                let left = self.at_fill("fill_left");
                let value = self.fill_value()?;
                *(if left {
                    &mut fill.left
                } else {
                    &mut fill.right
                }) = value;
            }
        }
        Ok((fill != Fill::default()).then(|| Box::new(fill)))
    }

    /// Whether the current word is this modifier, which it is only right in front of a parenthesis.
    fn at_fill(&self, word: &str) -> bool {
        let behind = || self.text[self.token.end..].trim_start_matches([' ', '\t', '\n', '\r']);
        self.at(Kind::Name)
            && self.text(self.token).eq_ignore_ascii_case(word)
            && behind().starts_with('(')
    }

    /// The value in parentheses behind the current word; in recovery, there may be none.
    fn fill_value(&mut self) -> Result<Option<Number>> {
        self.bump()?;
        self.bump()?;
        let sign = match self.token.kind {
            Kind::Operator(BinaryOp::Add) => "",
            Kind::Operator(BinaryOp::Sub) => "-",
            _ => return self.unsigned_fill_value(""),
        };
        self.bump()?;
        self.unsigned_fill_value(sign)
    }

    fn unsigned_fill_value(&mut self, sign: &str) -> Result<Option<Number>> {
        if !matches!(self.token.kind, Kind::Number | Kind::Duration) {
            self.report(self.unexpected("a number"))?;
            if !matches!(self.token.kind, Kind::RightParen | Kind::End) {
                self.bump()?;
            }
            self.eat(Kind::RightParen)?;
            return Ok(None);
        }
        let token = self.bump()?;
        let Number { value, text } = self.number(token);
        self.expect(Kind::RightParen, "`)`")?;
        let value = if sign.is_empty() { value } else { -value };
        let text = format!("{sign}{text}");
        Ok(Some(Number { value, text }))
    }

    /// [`Parser::expr`] where the placeholder that it starts with is already taken.
    fn expr_behind(&mut self, token: Token, loosest: u8) -> Result<Expr> {
        self.enter()?;
        self.height = 1;
        let lhs = with_room(|| {
            let lhs = self.placeholder(token)?;
            let lhs = self.modifiers(lhs, token.start)?;
            self.operators(lhs, token.start, loosest)
        })?;
        self.depth -= 1;
        Ok(lhs)
    }

    fn matching(&mut self) -> Result<Option<Matching>> {
        let on = match self.token.kind {
            Kind::Keyword(Keyword::On) => true,
            Kind::Keyword(Keyword::Ignoring) => false,
            Kind::Keyword(Keyword::GroupLeft | Keyword::GroupRight) => {
                let error = self.unexpected("an expression");
                self.report(
                    error.help("`group_left` and `group_right` follow `on (…)` or `ignoring (…)`"),
                )?;
                false
            }
            _ => return Ok(None),
        };
        let left = self.at_keyword(Keyword::GroupLeft);
        let labels = if left || self.at_keyword(Keyword::GroupRight) {
            Vec::new()
        } else {
            self.bump()?;
            self.grouping_labels()?
        };
        let left = self.at_keyword(Keyword::GroupLeft);
        let group = if left || self.at_keyword(Keyword::GroupRight) {
            self.bump()?;
            let include = self.included_labels()?;
            Some(GroupModifier { left, include })
        } else {
            None
        };
        Ok(Some(Matching {
            on,
            labels,
            clause: false,
            group,
        }))
    }

    fn included_labels(&mut self) -> Result<Vec<Name>> {
        if self.at(Kind::LeftParen) {
            self.grouping_labels()
        } else {
            Ok(Vec::new())
        }
    }
}

impl BinaryOp {
    pub(crate) fn precedence(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And | Self::Unless => 2,
            Self::Eq | Self::Ne | Self::Gt | Self::Lt | Self::Ge | Self::Le => 3,
            Self::TrimUpper | Self::TrimLower => 3,
            Self::Add | Self::Sub => 4,
            Self::Mul | Self::Div | Self::Mod | Self::Atan2 => 5,
            Self::Pow => 6,
        }
    }

    /// Only `^` groups from the right.
    pub(crate) fn right_associative(self) -> bool {
        self == Self::Pow
    }
}

/// What cannot follow an operand, so that a placeholder in front of it is none.
fn is_operand(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Name | Kind::MetricName | Kind::Aggregate(_) | Kind::Number | Kind::Duration
    )
}
