//! Types: what Prometheus's parser rejects although the grammar allows it.

mod binary;
mod call;

use super::ast::{
    Aggregate, AggregateOp, AtOffset, BinaryOp, Expr, ExprKind, MatchOp, Name, Selector, Subquery,
};
use super::error::SyntaxError;
use super::functions::{Function, ValueType};
use super::regex;
use super::room::with_room;

type Result<T> = std::result::Result<T, SyntaxError>;

/// What an expression evaluates to. Exact for trees that [`parse`](super::parse) accepts.
///
/// What [`known_type`] does not know counts as an instant vector.
pub fn value_type(expr: &Expr) -> ValueType {
    known_type(expr).unwrap_or(ValueType::Vector)
}

/// [`value_type`] where it is certain: not behind a placeholder, an unknown function or an error.
pub fn known_type(expr: &Expr) -> Option<ValueType> {
    match &expr.kind {
        ExprKind::Number(_) => Some(ValueType::Scalar),
        ExprKind::String(_) => Some(ValueType::String),
        ExprKind::Selector(selector) => of_selector(selector),
        ExprKind::Aggregate(_) => Some(ValueType::Vector),
        ExprKind::Range(_) | ExprKind::Subquery(_) => Some(ValueType::Matrix),
        ExprKind::Call(call) => Function::get(&call.function.text).map(|function| function.returns),
        ExprKind::Unary(_, inner) | ExprKind::Paren(inner) => with_room(|| known_type(inner)),
        ExprKind::Binary(binary) => match with_room(|| known_type(&binary.rhs)) {
            // Whatever is on the left, and that may be a long chain.
            Some(rhs) if rhs != ValueType::Scalar => Some(ValueType::Vector),
            rhs => with_room(|| of_operands(known_type(&binary.lhs), rhs)),
        },
        ExprKind::Unknown(_) | ExprKind::Placeholder(_) | ExprKind::Invalid(_) => None,
    }
}

/// `${n}m` reads as a metric, but can become a number.
fn of_selector(selector: &Selector) -> Option<ValueType> {
    let open = |metric: &Name| !metric.placeholders.is_empty();
    let bare = selector.braces.is_empty() && selector.at == AtOffset::default();
    let number = bare && selector.metric.as_ref().is_some_and(open);
    (!number).then_some(ValueType::Vector)
}

pub(super) fn of_operands(lhs: Option<ValueType>, rhs: Option<ValueType>) -> Option<ValueType> {
    match (lhs, rhs) {
        (Some(ValueType::Scalar), Some(ValueType::Scalar)) => Some(ValueType::Scalar),
        (None, Some(ValueType::Scalar) | None) | (Some(ValueType::Scalar), None) => None,
        _ => Some(ValueType::Vector),
    }
}

pub(super) fn check(expr: &Expr) -> Result<()> {
    Checker::default().check(expr).map(|_| ())
}

pub(super) fn check_all(expr: &Expr) -> Vec<SyntaxError> {
    let mut checker = Checker {
        kept: Some(Vec::new()),
    };
    // A checker that keeps errors returns none.
    let _ = checker.check(expr);
    checker.kept.unwrap_or_default()
}

#[derive(Default)]
struct Checker {
    /// The errors so far; `None` to stop at the first.
    kept: Option<Vec<SyntaxError>>,
}

impl Checker {
    #[cold]
    fn report(&mut self, error: SyntaxError) -> Result<()> {
        match &mut self.kept {
            Some(kept) => {
                kept.push(error);
                Ok(())
            }
            None => Err(error),
        }
    }

    /// The type of a tree, if it is known, after a look at all its parts.
    fn check(&mut self, expr: &Expr) -> Result<Option<ValueType>> {
        with_room(|| self.check_kind(expr))
    }

    fn check_kind(&mut self, expr: &Expr) -> Result<Option<ValueType>> {
        match &expr.kind {
            ExprKind::Number(_) => Ok(Some(ValueType::Scalar)),
            ExprKind::String(_) => Ok(Some(ValueType::String)),
            ExprKind::Selector(selector) => {
                self.check_selector(selector, expr)?;
                Ok(of_selector(selector))
            }
            ExprKind::Range(range) => {
                self.check_selector(&range.selector, expr)?;
                Ok(Some(ValueType::Matrix))
            }
            ExprKind::Subquery(subquery) => self.check_subquery(subquery, expr),
            ExprKind::Call(call) => self.check_call(call, expr),
            ExprKind::Aggregate(aggregate) => self.check_aggregate(aggregate),
            ExprKind::Paren(inner) => self.check(inner),
            ExprKind::Unary(_, inner) => self.check_unary(inner),
            ExprKind::Binary(binary) => self.check_binary(binary, expr),
            ExprKind::Unknown(unknown) => {
                self.check(&unknown.lhs)?;
                self.check(&unknown.rhs)?;
                Ok(None)
            }
            ExprKind::Placeholder(_) => Ok(None),
            ExprKind::Invalid(parts) => {
                for part in parts {
                    self.check(part)?;
                }
                Ok(None)
            }
        }
    }

    fn check_selector(&mut self, selector: &Selector, expr: &Expr) -> Result<()> {
        if selects(selector) {
            return Ok(());
        }
        self.report(SyntaxError::new(
            "a selector needs a metric name or a matcher that the empty string does not match",
            expr.span.clone(),
        ))
    }

    fn check_subquery(&mut self, subquery: &Subquery, expr: &Expr) -> Result<Option<ValueType>> {
        if let Some(found) = self.check(&subquery.expr)?
            && found != ValueType::Vector
        {
            self.report(SyntaxError::new(
                format!("a subquery needs an instant vector, got {}", a(found)),
                expr.span.clone(),
            ))?;
        }
        Ok(Some(ValueType::Matrix))
    }

    fn check_aggregate(&mut self, aggregate: &Aggregate) -> Result<Option<ValueType>> {
        let op = aggregate.op;
        self.expect(&aggregate.expr, ValueType::Vector, || format!("`{op}`"))?;
        if let Some(param) = &aggregate.param {
            let wanted = match op {
                AggregateOp::CountValues => ValueType::String,
                _ => ValueType::Scalar,
            };
            self.expect(param, wanted, || format!("the parameter of `{op}`"))?;
        }
        Ok(Some(ValueType::Vector))
    }

    fn check_unary(&mut self, inner: &Expr) -> Result<Option<ValueType>> {
        let found = self.check(inner)?;
        if let Some(wrong @ (ValueType::Matrix | ValueType::String)) = found {
            self.report(SyntaxError::new(
                format!(
                    "a sign needs a scalar or an instant vector, got {}",
                    a(wrong)
                ),
                inner.span.clone(),
            ))?;
            return Ok(None);
        }
        Ok(found)
    }

    /// Checks `expr` and that it is of the `wanted` type.
    fn expect(
        &mut self,
        expr: &Expr,
        wanted: ValueType,
        place: impl FnOnce() -> String,
    ) -> Result<()> {
        match self.check(expr)? {
            Some(found) if found != wanted => self.report(mismatch(expr, wanted, found, place())),
            _ => Ok(()),
        }
    }
}

/// Whether a selector, whatever its placeholders stand for, is more than `{}`.
fn selects(selector: &Selector) -> bool {
    let named = |metric: &Name| !metric.text.is_empty();
    if selector.metric.as_ref().is_some_and(named) || !selector.filters.is_empty() {
        return true;
    }
    selector.matchers.iter().any(|matcher| {
        let value = matcher.value.value.as_str();
        let open = !matcher.value.placeholders.is_empty();
        open || match matcher.op {
            MatchOp::Equal => !value.is_empty(),
            MatchOp::NotEqual => value.is_empty(),
            MatchOp::Match => !regex::matches_empty(value),
            MatchOp::NotMatch => regex::matches_empty(value),
        }
    })
}

fn mismatch(expr: &Expr, wanted: ValueType, found: ValueType, place: String) -> SyntaxError {
    let message = format!("{place} needs {}, got {}", a(wanted), a(found));
    let error = SyntaxError::new(message, expr.span.clone());
    match (wanted, found, &expr.kind) {
        (ValueType::Matrix, ValueType::Vector, ExprKind::Selector(_)) => {
            error.help("add a range, such as `[5m]`")
        }
        (ValueType::Matrix, ValueType::Vector, _) => {
            error.help("a subquery makes a range of it, such as `[5m:]`")
        }
        (ValueType::Vector, ValueType::Matrix, ExprKind::Range(_)) => error
            .help("remove the range, or wrap it in a function such as `rate` or `avg_over_time`"),
        (ValueType::Vector, ValueType::Scalar, _) => {
            error.help("`vector(…)` makes an instant vector of a scalar")
        }
        (ValueType::Scalar, ValueType::Vector, _) => {
            error.help("`scalar(…)` makes a scalar of a single series")
        }
        _ => error,
    }
}

fn a(found: ValueType) -> String {
    match found {
        ValueType::Vector => format!("an {found}"),
        _ => format!("a {found}"),
    }
}

impl BinaryOp {
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Eq | Self::Ne | Self::Gt | Self::Lt | Self::Ge | Self::Le
        )
    }

    pub fn is_set(self) -> bool {
        matches!(self, Self::And | Self::Or | Self::Unless)
    }
}

#[cfg(test)]
mod tests;
