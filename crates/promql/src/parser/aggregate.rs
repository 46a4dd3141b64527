//! `sum by (labels) (expr)` and `sum (expr) by (labels)`.

use super::recover::starts_expression;
use super::{Parser, Result};
use crate::ast::{Aggregate, AggregateOp, BinaryOp, Expr, ExprKind, TextSpan};
use crate::error::SyntaxError;
use crate::lexer::Kind;

impl Parser<'_> {
    pub(super) fn aggregate(&mut self, op: AggregateOp, start: usize) -> Result<Expr> {
        let mut grouping = self.leading_grouping()?;
        let args = if self.at(Kind::LeftParen) {
            self.arguments()?
        } else {
            self.bare_argument()?
        };
        if grouping.is_none() {
            grouping = self.trailing_grouping()?;
        }
        let span = start..self.end;
        let (param, expr) = self.operands(op, args, &span)?;
        let aggregate = Aggregate {
            op,
            param,
            expr,
            grouping,
        };
        Ok(self.finish(ExprKind::Aggregate(aggregate), start))
    }

    /// The operand of `sum x`, which lacks its parentheses.
    fn bare_argument(&mut self) -> Result<Vec<Expr>> {
        self.report(self.unexpected("`(` and what to aggregate"))?;
        Ok(if starts_expression(self.token.kind) {
            vec![self.expr(BinaryOp::Pow.precedence())?]
        } else {
            Vec::new()
        })
    }

    fn operands(&mut self, op: AggregateOp, args: Vec<Expr>, span: &TextSpan) -> Result<Operands> {
        let wanted = 1 + usize::from(op.has_param());
        let count = args.len();
        if count != wanted {
            let s = if wanted == 1 { "" } else { "s" };
            let message = format!("`{op}` takes {wanted} argument{s}, got {count}");
            self.report(SyntaxError::new(message, span.clone()))?;
        }
        let invalid = |parts| Expr {
            kind: ExprKind::Invalid(parts),
            span: span.clone(),
        };
        let mut args = args;
        let expr = match (args.pop(), op.has_param() || args.is_empty()) {
            (Some(last), true) => last,
            (last, _) => invalid(args.drain(..).chain(last).collect()),
        };
        let param = match (args.pop(), args.is_empty()) {
            (Some(last), false) => Some(invalid(args.drain(..).chain([last]).collect())),
            (param, _) => param,
        };
        Ok((param.map(Box::new), Box::new(expr)))
    }
}

type Operands = (Option<Box<Expr>>, Box<Expr>);

impl AggregateOp {
    /// Whether a parameter precedes the aggregated expression.
    pub(crate) fn has_param(self) -> bool {
        matches!(
            self,
            Self::Topk
                | Self::Bottomk
                | Self::CountValues
                | Self::Quantile
                | Self::Limitk
                | Self::LimitRatio
        )
    }
}
