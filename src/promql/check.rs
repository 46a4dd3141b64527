//! Types: what Prometheus's parser rejects although the grammar allows it.

mod call;

use super::ast::{
    Aggregate, AggregateOp, Binary, BinaryOp, Expr, ExprKind, MatchOp, Selector, Subquery,
};
use super::error::SyntaxError;
use super::functions::{Function, ValueType};
use super::regex;

type Result<T> = std::result::Result<T, SyntaxError>;

/// What an expression evaluates to. Exact for trees that [`parse`](super::parse) accepts.
///
/// A call of an unknown function counts as an instant vector.
pub fn value_type(expr: &Expr) -> ValueType {
    match &expr.kind {
        ExprKind::Number(_) => ValueType::Scalar,
        ExprKind::String(_) => ValueType::String,
        ExprKind::Selector(_) | ExprKind::Aggregate(_) => ValueType::Vector,
        ExprKind::Range(_) | ExprKind::Subquery(_) => ValueType::Matrix,
        ExprKind::Call(call) => Function::get(&call.function.text)
            .map_or(ValueType::Vector, |function| function.returns),
        ExprKind::Unary(_, inner) | ExprKind::Paren(inner) => value_type(inner),
        ExprKind::Binary(binary) => of_operands(value_type(&binary.lhs), value_type(&binary.rhs)),
    }
}

fn of_operands(lhs: ValueType, rhs: ValueType) -> ValueType {
    match (lhs, rhs) {
        (ValueType::Scalar, ValueType::Scalar) => ValueType::Scalar,
        _ => ValueType::Vector,
    }
}

/// The type of a tree whose parts all fit together.
pub(super) fn check(expr: &Expr) -> Result<ValueType> {
    match &expr.kind {
        ExprKind::Number(_) => Ok(ValueType::Scalar),
        ExprKind::String(_) => Ok(ValueType::String),
        ExprKind::Selector(selector) => {
            check_selector(selector, expr)?;
            Ok(ValueType::Vector)
        }
        ExprKind::Range(range) => {
            check_selector(&range.selector, expr)?;
            Ok(ValueType::Matrix)
        }
        ExprKind::Subquery(subquery) => check_subquery(subquery, expr),
        ExprKind::Call(call) => call::check_call(call, expr),
        ExprKind::Aggregate(aggregate) => check_aggregate(aggregate),
        ExprKind::Paren(inner) => check(inner),
        ExprKind::Unary(_, inner) => match check(inner)? {
            found @ (ValueType::Scalar | ValueType::Vector) => Ok(found),
            found => Err(SyntaxError::new(
                format!(
                    "a sign needs a scalar or an instant vector, got {}",
                    a(found)
                ),
                inner.span.clone(),
            )),
        },
        ExprKind::Binary(binary) => check_binary(binary, expr),
    }
}

fn check_selector(selector: &Selector, expr: &Expr) -> Result<()> {
    let named = |metric: &super::ast::Name| !metric.text.is_empty();
    if selector.metric.as_ref().is_some_and(named) {
        return Ok(());
    }
    let selects = selector.matchers.iter().any(|matcher| {
        let value = matcher.value.value.as_str();
        match matcher.op {
            MatchOp::Equal => !value.is_empty(),
            MatchOp::NotEqual => value.is_empty(),
            MatchOp::Match => !regex::matches_empty(value),
            MatchOp::NotMatch => regex::matches_empty(value),
        }
    });
    if selects {
        return Ok(());
    }
    Err(SyntaxError::new(
        "a selector needs a metric name or a matcher that the empty string does not match",
        expr.span.clone(),
    ))
}

fn check_subquery(subquery: &Subquery, expr: &Expr) -> Result<ValueType> {
    match check(&subquery.expr)? {
        ValueType::Vector => Ok(ValueType::Matrix),
        found => Err(SyntaxError::new(
            format!("a subquery needs an instant vector, got {}", a(found)),
            expr.span.clone(),
        )),
    }
}

fn check_aggregate(aggregate: &Aggregate) -> Result<ValueType> {
    let op = aggregate.op;
    expect(&aggregate.expr, ValueType::Vector, || format!("`{op}`"))?;
    if let Some(param) = &aggregate.param {
        let wanted = match op {
            AggregateOp::CountValues => ValueType::String,
            _ => ValueType::Scalar,
        };
        expect(param, wanted, || format!("the parameter of `{op}`"))?;
    }
    Ok(ValueType::Vector)
}

/// Checks `expr` and that it is of the `wanted` type.
fn expect(expr: &Expr, wanted: ValueType, place: impl FnOnce() -> String) -> Result<()> {
    let found = check(expr)?;
    if found == wanted {
        return Ok(());
    }
    let message = format!("{} needs {}, got {}", place(), a(wanted), a(found));
    let error = SyntaxError::new(message, expr.span.clone());
    Err(match (wanted, found, &expr.kind) {
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
    })
}

fn check_binary(binary: &Binary, expr: &Expr) -> Result<ValueType> {
    let op = binary.op;
    let operator = |message: String| SyntaxError::new(message, binary.op_span.clone());
    let lhs = check(&binary.lhs)?;
    let rhs = check(&binary.rhs)?;
    for (found, side) in [(lhs, &binary.lhs), (rhs, &binary.rhs)] {
        if !matches!(found, ValueType::Scalar | ValueType::Vector) {
            let message = format!("`{op}` needs scalars or instant vectors, got {}", a(found));
            return Err(SyntaxError::new(message, side.span.clone()));
        }
    }
    let both_scalars = lhs == ValueType::Scalar && rhs == ValueType::Scalar;
    if binary.bool_modifier && !op.is_comparison() {
        return Err(operator(format!(
            "`bool` fits only comparisons, not `{op}`"
        )));
    }
    if op.is_comparison() && !binary.bool_modifier && both_scalars {
        return Err(operator("a comparison of scalars needs `bool`".to_owned())
            .help(format!("write `{op} bool`")));
    }
    if op.is_set() && !(lhs == ValueType::Vector && rhs == ValueType::Vector) {
        return Err(
            operator(format!("`{op}` needs instant vectors on both sides"))
                .help("`vector(…)` makes an instant vector of a scalar"),
        );
    }
    check_matching(
        binary,
        lhs == ValueType::Vector && rhs == ValueType::Vector,
        expr,
    )?;
    Ok(of_operands(lhs, rhs))
}

fn check_matching(binary: &Binary, vectors: bool, expr: &Expr) -> Result<()> {
    let Some(matching) = &binary.matching else {
        return Ok(());
    };
    if let Some(group) = &matching.group {
        let common = group.include.iter().find(|label| {
            matching.on && matching.labels.iter().any(|other| other.text == label.text)
        });
        if let Some(label) = common {
            return Err(SyntaxError::new(
                format!("`{}` is both in `on` and in the group modifier", label.text),
                label.span.clone(),
            )
            .help("remove it from the group modifier"));
        }
        if binary.op.is_set() && vectors {
            return Err(SyntaxError::new(
                format!("`{}` takes no `group_left` or `group_right`", binary.op),
                binary.op_span.clone(),
            ));
        }
    }
    // Prometheus lets `on ()` pass here, and so does this.
    if !vectors && !matching.labels.is_empty() {
        return Err(SyntaxError::new(
            "`on` and `ignoring` need instant vectors on both sides",
            expr.span.clone(),
        ));
    }
    Ok(())
}

/// The type with its article.
fn a(found: ValueType) -> String {
    match found {
        ValueType::Vector => format!("an {found}"),
        _ => format!("a {found}"),
    }
}

impl BinaryOp {
    /// `==`, `!=`, `>`, `<`, `>=`, `<=`.
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Eq | Self::Ne | Self::Gt | Self::Lt | Self::Ge | Self::Le
        )
    }

    /// `and`, `or`, `unless`.
    pub fn is_set(self) -> bool {
        matches!(self, Self::And | Self::Or | Self::Unless)
    }
}

#[cfg(test)]
mod tests;
