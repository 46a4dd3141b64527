//! How labels flow from selectors to the result.

use super::Kept;
use crate::promql::ast::{
    Aggregate, AggregateOp, Binary, BinaryOp, Call, Expr, ExprKind, MatchOp, Matching, Name,
    Selector,
};
use crate::promql::check::value_type;
use crate::promql::functions::ValueType;

/// The labels that the series of the result can have, the metric name left out.
///
/// Scalars and strings have none.
pub fn kept_labels(expr: &Expr) -> Kept {
    match &expr.kind {
        ExprKind::Number(_) | ExprKind::String(_) => Kept::none(),
        ExprKind::Selector(selector) => selected(selector),
        ExprKind::Range(range) => selected(&range.selector),
        ExprKind::Subquery(subquery) => kept_labels(&subquery.expr),
        ExprKind::Call(call) => called(call),
        ExprKind::Aggregate(aggregate) => aggregated(aggregate),
        ExprKind::Unary(_, inner) | ExprKind::Paren(inner) => kept_labels(inner),
        ExprKind::Binary(binary) => combined(binary),
        ExprKind::Placeholder(_) | ExprKind::Invalid(_) => Kept::any(),
    }
}

/// `{a=""}` selects series without the label.
fn selected(selector: &Selector) -> Kept {
    let absent = |matcher: &&crate::promql::ast::Matcher| {
        matcher.op == MatchOp::Equal && matcher.value.value.is_empty()
    };
    let missing = selector.matchers.iter().filter(absent);
    missing.fold(Kept::any(), |kept, matcher| {
        kept.without(&matcher.label.text)
    })
}

fn called(call: &Call) -> Kept {
    let text = |index: usize| match call.args.get(index).map(|arg| &arg.kind) {
        Some(ExprKind::String(literal)) => Some(literal.value.as_str()),
        _ => None,
    };
    let series = |arg: &&Expr| matches!(value_type(arg), ValueType::Vector | ValueType::Matrix);
    let input = || {
        call.args
            .iter()
            .find(series)
            .map_or_else(Kept::none, kept_labels)
    };
    let adding = |label: Option<&str>| match label {
        Some(label) => input().with(label),
        None => Kept::any(),
    };
    match call.function.text.as_str() {
        "scalar" | "vector" => Kept::none(),
        "absent" | "absent_over_time" => call.args.first().map_or_else(Kept::none, absent),
        "label_replace" | "label_join" => adding(text(1)),
        "histogram_quantile" | "histogram_fraction" => input().without("le"),
        "histogram_quantiles" => match text(1) {
            Some(label) => input().without("le").with(label),
            None => Kept::any(),
        },
        "info" => Kept::any(),
        _ => input(),
    }
}

/// The result of `absent` has the labels that its selector pins to one value.
fn absent(arg: &Expr) -> Kept {
    let selector = match &arg.kind {
        ExprKind::Selector(selector) => selector,
        ExprKind::Range(range) => &range.selector,
        ExprKind::Paren(inner) => return absent(inner),
        _ => return Kept::none(),
    };
    let matchers = &selector.matchers;
    let pinned = |name: &str| {
        let mut same = matchers.iter().filter(|matcher| matcher.label.text == name);
        let first = same.next();
        first.is_some_and(|matcher| matcher.op == MatchOp::Equal && !matcher.value.value.is_empty())
            && same.next().is_none()
    };
    let names = matchers.iter().map(|matcher| matcher.label.text.as_str());
    names
        .filter(|name| *name != "__name__" && pinned(name))
        .fold(Kept::none(), |kept, name| kept.with(name))
}

fn aggregated(aggregate: &Aggregate) -> Kept {
    let input = kept_labels(&aggregate.expr);
    if matches!(
        aggregate.op,
        AggregateOp::Topk | AggregateOp::Bottomk | AggregateOp::Limitk | AggregateOp::LimitRatio
    ) {
        return input;
    }
    let grouped = match &aggregate.grouping {
        None => Kept::none(),
        Some(grouping) if grouping.without => minus(input, &grouping.labels),
        Some(grouping) => only(&grouping.labels).intersection(&input),
    };
    match (
        aggregate.op,
        aggregate.param.as_deref().map(|param| &param.kind),
    ) {
        (AggregateOp::CountValues, Some(ExprKind::String(label))) => grouped.with(&label.value),
        (AggregateOp::CountValues, _) => Kept::any(),
        _ => grouped,
    }
}

fn only(labels: &[Name]) -> Kept {
    Kept::Only(labels.iter().map(|label| label.text.clone()).collect())
}

fn minus(kept: Kept, labels: &[Name]) -> Kept {
    labels
        .iter()
        .fold(kept, |kept, label| kept.without(&label.text))
}

fn combined(binary: &Binary) -> Kept {
    let lhs = kept_labels(&binary.lhs);
    let vector = |side: &Expr| value_type(side) == ValueType::Vector;
    if !vector(&binary.rhs) {
        return lhs;
    }
    let rhs = kept_labels(&binary.rhs);
    if !vector(&binary.lhs) {
        return rhs;
    }
    match (binary.op, &binary.matching) {
        (BinaryOp::Or, _) => lhs.union(rhs),
        (BinaryOp::And | BinaryOp::Unless, _) => lhs,
        (_, None) => lhs.intersection(&rhs),
        (_, Some(matching)) => matched(lhs, rhs, matching),
    }
}

/// Labels of an arithmetic operation or comparison of vectors.
///
/// A label that both sides are matched on has the same value on both, so it is missing from the result
/// if one side cannot have it.
fn matched(lhs: Kept, rhs: Kept, matching: &Matching) -> Kept {
    let labels = &matching.labels;
    let Some(group) = &matching.group else {
        let kept = lhs.intersection(&rhs);
        return if matching.on {
            kept.intersection(&only(labels))
        } else {
            minus(kept, labels)
        };
    };
    let (many, one) = if group.left { (lhs, rhs) } else { (rhs, lhs) };
    let kept = if matching.on {
        // Labels that are not matched on come from the many side.
        let unmatched = minus(Kept::any(), labels);
        many.intersection(&one.clone().union(unmatched))
    } else {
        many.intersection(&one.clone().union(only(labels)))
    };
    group.include.iter().fold(kept, |kept, label| {
        if one.may_have(&label.text) {
            kept.with(&label.text)
        } else {
            kept.without(&label.text)
        }
    })
}
