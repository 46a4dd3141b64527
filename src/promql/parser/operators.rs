//! Binary and unary operators and vector matching.

use super::{Parser, Result};
use crate::promql::ast::{
    Binary, BinaryOp, Call, Expr, ExprKind, GroupModifier, Matching, Name, UnaryOp,
};
use crate::promql::error::SyntaxError;
use crate::promql::lexer::{Keyword, Kind};

/// How tightly an operator binds that a placeholder stands for: as comparisons do, which most of them are.
const UNKNOWN: u8 = 3;

impl Parser<'_> {
    /// An expression of operators that bind at least as tightly as `loosest`.
    pub(super) fn expr(&mut self, loosest: u8) -> Result<Expr> {
        self.enter()?;
        let start = self.token.start;
        let lhs = self.operand()?;
        let lhs = self.operators(lhs, start, loosest)?;
        self.depth -= 1;
        Ok(lhs)
    }

    /// The operators behind `lhs`, which starts at `start`.
    pub(super) fn operators(&mut self, mut lhs: Expr, start: usize, loosest: u8) -> Result<Expr> {
        loop {
            let height = self.height;
            let kind = match self.token.kind {
                Kind::Operator(op) | Kind::WordOperator(op) if op.precedence() >= loosest => {
                    ExprKind::Binary(Box::new(self.binary(op, lhs)?))
                }
                Kind::Placeholder if UNKNOWN >= loosest && self.is_pure(self.token) => {
                    ExprKind::Call(self.unknown_operator(lhs)?)
                }
                _ => return Ok(lhs),
            };
            self.grow(height)?;
            lhs = self.finish(kind, start);
        }
    }

    /// `a $op on (pod) b`: what comes of it is as unknown as what a placeholder calls.
    fn unknown_operator(&mut self, lhs: Expr) -> Result<Call> {
        let token = self.bump()?;
        let function = self.name(token, false);
        self.eat(Kind::Keyword(Keyword::Bool))?;
        self.matching()?;
        let args = vec![lhs, self.expr(UNKNOWN + 1)?];
        let grouping = None;
        Ok(Call {
            function,
            args,
            grouping,
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
        if matches!(op, BinaryOp::Lt | BinaryOp::Gt) && self.at(Kind::Operator(BinaryOp::Div)) {
            let span = token.start..self.token.end;
            self.report(SyntaxError::experimental("histogram trim operators", span))?;
            self.bump()?;
        }
        let bool_modifier = self.eat(Kind::Keyword(Keyword::Bool))?;
        let matching = self.matching()?;
        let tighter = u8::from(!op.right_associative());
        let rhs = self.expr(op.precedence() + tighter)?;
        Ok(Binary {
            op,
            op_span,
            lhs,
            rhs,
            bool_modifier,
            matching,
        })
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
        Ok(Some(Matching { on, labels, group }))
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
    /// How tightly it binds: `or` 1, `^` 6.
    pub(in crate::promql) fn precedence(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And | Self::Unless => 2,
            Self::Eq | Self::Ne | Self::Gt | Self::Lt | Self::Ge | Self::Le => 3,
            Self::Add | Self::Sub => 4,
            Self::Mul | Self::Div | Self::Mod | Self::Atan2 => 5,
            Self::Pow => 6,
        }
    }

    /// Only `^` groups from the right.
    pub(in crate::promql) fn right_associative(self) -> bool {
        self == Self::Pow
    }
}
