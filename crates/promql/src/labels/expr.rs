//! How labels flow from selectors to the result.

use super::binary::combined;
use super::call::called;
use super::flow::{AnySeries, Flow, Leaf, METRIC_NAME, Named, Presence, Typed};
use super::set::{Kept, Labels};
use crate::ast::{
    Aggregate, AggregateOp, Binary, Expr, ExprKind, Grouping, MatchOp, Matcher, Selector,
};
use crate::check::{known_type, of_operands};
use crate::regex;
use crate::room::with_room;
use crate::visit::children;

/// The labels of the result, given those of the selected series.
///
/// Scalars and strings have none.
pub fn label_flow(expr: &Expr, leaf: &dyn Leaf) -> Flow {
    watched(expr, leaf, &mut |_, _, _| {})
}

/// What sees a binary operation: the expression, the operation, its left and its right side.
pub(super) type See<'a, 's> = &'s mut dyn FnMut(&'a Expr, &'a Binary, [&Typed; 2]);

/// [`label_flow`] that calls `see` with every binary operation, once each, inner ones first.
pub(super) fn watched<'a>(expr: &'a Expr, leaf: &dyn Leaf, see: See<'a, '_>) -> Flow {
    typed(expr, leaf, see).flow
}

fn typed<'a>(expr: &'a Expr, leaf: &dyn Leaf, see: See<'a, '_>) -> Typed {
    with_room(|| match &expr.kind {
        ExprKind::Unary(_, operand) | ExprKind::Paren(operand) => typed(operand, leaf, see),
        ExprKind::Binary(binary) => {
            let lhs = typed(&binary.lhs, leaf, see);
            let rhs = typed(&binary.rhs, leaf, see);
            see(expr, binary, [&lhs, &rhs]);
            let of = of_operands(lhs.of, rhs.of);
            let flow = combined(binary, lhs, rhs);
            Typed { flow, of }
        }
        _ => Typed {
            flow: flow(expr, leaf, see),
            of: known_type(expr),
        },
    })
}

fn flow<'a>(expr: &'a Expr, leaf: &dyn Leaf, see: See<'a, '_>) -> Flow {
    let mut inner = |expr| watched(expr, leaf, see);
    match &expr.kind {
        ExprKind::Number(_) | ExprKind::String(_) => Flow::none(),
        ExprKind::Selector(selector) => selected(selector, leaf),
        ExprKind::Range(range) => selected(&range.selector, leaf),
        ExprKind::Subquery(subquery) => inner(&subquery.expr),
        ExprKind::Call(call) => called(call, call.args.iter().map(inner).collect()),
        ExprKind::Aggregate(aggregate) => {
            aggregate.param.iter().for_each(|param| drop(inner(param)));
            aggregated(aggregate, inner(&aggregate.expr))
        }
        ExprKind::Unary(..) | ExprKind::Paren(_) | ExprKind::Binary(_) => inner(expr),
        ExprKind::Unknown(_) | ExprKind::Placeholder(_) | ExprKind::Invalid(_) => {
            children(expr).for_each(|part| drop(inner(part)));
            Flow::unknown()
        }
    }
}

/// The labels that the result can have when nothing is known of the selected series.
pub fn kept_labels(expr: &Expr) -> Kept {
    label_flow(expr, &AnySeries).possible
}

/// Matchers know more than the metric: `{a=""}` selects series without the label, `{a="x"}` with it.
fn selected(selector: &Selector, leaf: &dyn Leaf) -> Flow {
    let matchers = selector.matchers.iter();
    matchers.fold(leaf.labels(selector), |flow, matcher| {
        match pinned(matcher) {
            Some(presence) => flow.with(&matcher.label.text, presence),
            None => flow,
        }
    })
}

fn pinned(matcher: &Matcher) -> Option<Presence> {
    let value = &matcher.value;
    let open = !value.placeholders.is_empty() || !matcher.label.placeholders.is_empty();
    if open || matcher.label.text == METRIC_NAME {
        return None;
    }
    let empty = value.value.is_empty();
    let sure = match matcher.op {
        MatchOp::Equal | MatchOp::Match if empty => return Some(Presence::Never),
        MatchOp::Equal => true,
        MatchOp::NotEqual => empty,
        MatchOp::Match => !regex::matches_empty(&value.value),
        MatchOp::NotMatch => regex::matches_empty(&value.value),
    };
    sure.then_some(Presence::Sure)
}

fn aggregated(aggregate: &Aggregate, input: Flow) -> Flow {
    if matches!(
        aggregate.op,
        AggregateOp::Topk | AggregateOp::Bottomk | AggregateOp::Limitk | AggregateOp::LimitRatio
    ) {
        return input;
    }
    let flow = grouped(input, aggregate.grouping.as_ref());
    if aggregate.op != AggregateOp::CountValues {
        return flow;
    }
    match aggregate.param.as_deref().map(|param| &param.kind) {
        Some(ExprKind::String(label)) if label.placeholders.is_empty() => {
            flow.with(&label.value, Presence::Sure)
        }
        _ => Flow::new(flow.sure, Kept::any()),
    }
}

fn grouped(input: Flow, grouping: Option<&Grouping>) -> Flow {
    let Some(Grouping {
        without, labels, ..
    }) = grouping
    else {
        return Flow::none();
    };
    let Named { known, open } = Named::new(labels);
    match (without, open) {
        (true, false) => known.iter().fold(input, |flow, label| flow.without(label)),
        // A placeholder may name any label.
        (true, true) => {
            let possible = known
                .iter()
                .fold(input.possible, |kept, label| kept.without(label));
            Flow::new(Labels::new(), possible)
        }
        (false, open) => {
            let sure = &input.sure & &known;
            let possible = if open {
                input.possible
            } else {
                Kept::Only(known).intersection(&input.possible)
            };
            Flow::new(sure, possible)
        }
    }
}
