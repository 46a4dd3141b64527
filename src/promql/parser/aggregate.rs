//! `sum by (labels) (expr)` and `sum (expr) by (labels)`.

use super::{Parser, Result};
use crate::promql::ast::{Aggregate, AggregateOp, Expr, ExprKind, Grouping};
use crate::promql::error::SyntaxError;
use crate::promql::lexer::{Keyword, Kind};

impl Parser<'_> {
    /// The caller has taken the operator, which stands at `start`.
    pub(super) fn aggregate(&mut self, op: AggregateOp, start: usize) -> Result<Expr> {
        let mut grouping = self.grouping()?;
        if !self.at(Kind::LeftParen) {
            return Err(self.unexpected("`(` and what to aggregate"));
        }
        let args = self.arguments()?;
        if grouping.is_none() {
            grouping = self.grouping()?;
        }
        let span = start..self.end;
        let (param, expr) = operands(op, args, &span)?;
        let aggregate = Aggregate {
            op,
            param,
            expr,
            grouping,
        };
        Ok(self.finish(ExprKind::Aggregate(aggregate), start))
    }

    fn grouping(&mut self) -> Result<Option<Grouping>> {
        let without = match self.token.kind {
            Kind::Keyword(Keyword::By) => false,
            Kind::Keyword(Keyword::Without) => true,
            _ => return Ok(None),
        };
        self.bump()?;
        let labels = self.grouping_labels()?;
        Ok(Some(Grouping { without, labels }))
    }
}

type Operands = (Option<Box<Expr>>, Box<Expr>);

fn operands(op: AggregateOp, args: Vec<Expr>, span: &std::ops::Range<usize>) -> Result<Operands> {
    let wanted = 1 + usize::from(op.has_param());
    let count = args.len();
    let mut args = args.into_iter();
    match (args.next(), args.next(), args.next()) {
        (Some(expr), None, _) if !op.has_param() => Ok((None, Box::new(expr))),
        (Some(param), Some(expr), None) if op.has_param() => {
            Ok((Some(Box::new(param)), Box::new(expr)))
        }
        _ => {
            let s = if wanted == 1 { "" } else { "s" };
            let message = format!("`{op}` takes {wanted} argument{s}, got {count}");
            Err(SyntaxError::new(message, span.clone()))
        }
    }
}

impl AggregateOp {
    /// Whether a parameter stands before the aggregated expression.
    pub(in crate::promql) fn has_param(self) -> bool {
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
