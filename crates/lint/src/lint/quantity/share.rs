//! Divisions whose dividend is a part of the divisor, whatever the data: their values are from 0 to 1.

use super::QueryCx;
use slosmith_promql::Series as Part;
use slosmith_promql::ast::{
    AggregateOp, Binary, BinaryOp, Expr, ExprKind, Grouping, MatchOp, Matcher, Name, Selector,
};
use slosmith_promql::usage::{Exact, bare, exact_constant};
use slosmith_promql::visit::children;
use slosmith_promql::{split_series, with_room};

pub(super) fn is_share(cx: &QueryCx<'_, '_>, binary: &Binary) -> bool {
    let group = binary.matching.as_ref().and_then(|m| m.group.as_ref());
    let many_on_right = group.is_some_and(|group| !group.left);
    binary.fill.is_none()
        && !many_on_right
        && is_part(cx, &binary.lhs, at_least(&binary.rhs), false)
}

/// True for a division of the whole by a part of it: its values are never below 1.
pub(super) fn is_inverse(cx: &QueryCx<'_, '_>, binary: &Binary) -> bool {
    binary.fill.is_none()
        && binary.matching.is_none()
        && is_part(cx, &binary.rhs, at_least(&binary.lhs), false)
}

pub(super) fn calculates(expr: &Expr) -> bool {
    let here = match &expr.kind {
        ExprKind::Binary(binary) => !binary.op.is_comparison() && !binary.op.is_set(),
        ExprKind::Unary(..) => true,
        _ => false,
    };
    here || children(expr).any(|child| with_room(|| calculates(child)))
}

/// An expression without filters and `clamp_min` around it, which never lower its values.
fn at_least(expr: &Expr) -> &Expr {
    match &bare(expr).kind {
        ExprKind::Binary(binary) if filters(binary) => with_room(|| at_least(&binary.lhs)),
        ExprKind::Call(call) if call.function.text == "clamp_min" => {
            let inner = call.args.first();
            inner.map_or(expr, |inner| with_room(|| at_least(inner)))
        }
        _ => bare(expr),
    }
}

/// True for operations whose result has values of the left side only.
fn filters(binary: &Binary) -> bool {
    let is_filter = binary.op.is_comparison() && !binary.bool_modifier;
    is_filter && exact_constant(&binary.lhs).is_none()
        || matches!(binary.op, BinaryOp::And | BinaryOp::Unless)
}

/// True if each value of `part` is at most the value of `whole` for the same group. What is counted may have any values.
fn is_part(cx: &QueryCx<'_, '_>, part: &Expr, whole: &Expr, counted: bool) -> bool {
    let whole = bare(whole);
    match (&bare(part).kind, &whole.kind) {
        (ExprKind::Binary(binary), _) if filters(binary) => {
            with_room(|| is_part(cx, &binary.lhs, whole, counted))
        }
        (ExprKind::Binary(binary), _) if binary.op == BinaryOp::Or => {
            !counted
                && is_nothing(&binary.rhs)
                && with_room(|| is_part(cx, &binary.lhs, whole, counted))
        }
        (ExprKind::Aggregate(part), ExprKind::Aggregate(whole)) => {
            let (of, over) = (part.grouping.as_ref(), whole.grouping.as_ref());
            // Finer groups are more groups, where these are counted.
            let same = !counted || is_finer(over, of);
            let counted = counted || part.op == AggregateOp::Count;
            part.op == whole.op
                && same
                && matches!(
                    part.op,
                    AggregateOp::Sum | AggregateOp::Max | AggregateOp::Count
                )
                && is_finer(of, over)
                && with_room(|| is_part(cx, &part.expr, &whole.expr, counted))
        }
        (ExprKind::Call(part), ExprKind::Call(whole)) => {
            let function = part.function.text.as_str();
            function == whole.function.text
                && matches!(function, "rate" | "irate" | "increase")
                && matches!((&*part.args, &*whole.args), ([part], [whole])
                    if with_room(|| is_part(cx, part, whole, counted)))
        }
        (ExprKind::Range(part), ExprKind::Range(whole)) => {
            part.range.text == whole.range.text && selects_part(cx, &part.selector, &whole.selector)
        }
        (ExprKind::Selector(part), ExprKind::Selector(of)) => {
            // A value of another exporter may be below 0.
            let served = || {
                cx.series_in(whole)
                    .any(|series| series.subject.served().is_some())
            };
            (counted || served()) && selects_part(cx, part, of)
        }
        _ => false,
    }
}

fn is_nothing(expr: &Expr) -> bool {
    let ExprKind::Call(call) = &bare(expr).kind else {
        return false;
    };
    let zero = |arg: &Expr| exact_constant(arg) == Some(Exact::from_integer(0));
    call.function.text == "vector" && call.args.first().is_some_and(zero)
}

/// True if each group of a part lies in one group of the whole.
fn is_finer(part: Option<&Grouping>, whole: Option<&Grouping>) -> bool {
    let (part, whole) = match (part, whole) {
        (_, None) => return true,
        (None, Some(_)) => return false,
        (Some(part), Some(whole)) => (part, whole),
    };
    let names = |labels: &[Name]| labels.iter().map(|l| l.text.clone()).collect::<Vec<_>>();
    let (few, many) = match part.without {
        true => (names(&part.labels), names(&whole.labels)),
        false => (names(&whole.labels), names(&part.labels)),
    };
    part.without == whole.without && few.iter().all(|label| many.contains(label))
}

/// True if what one selector selects is a part of what the other selects, or counts a part of it.
fn selects_part(cx: &QueryCx<'_, '_>, part: &Selector, whole: &Selector) -> bool {
    let name = |selector: &Selector| {
        let metric = selector.metric.as_ref();
        metric
            .filter(|name| name.placeholders.is_empty())
            .map(|name| name.text.clone())
    };
    let (Some(of), Some(over)) = (name(part), name(whole)) else {
        return false;
    };
    let is_le = |m: &&Matcher| m.label.text == "le";
    let one = part
        .matchers
        .iter()
        .any(|m| is_le(&m) && m.op == MatchOp::Equal);
    let ((base, series), (all, of_all)) = (split_series(&of), split_series(&over));
    // `_bucket{le="1"}` of `_count`, or of the bucket that holds all.
    let is_bucket = base == all && series == Part::Bucket && one;
    let holds_all = |m: &Matcher| is_bucket && is_le(&m) && m.value.value == "+Inf";
    let is_paired = |products: &[slosmith_catalog::Product<'_>]| {
        products
            .iter()
            .any(|product| product.catalog.lineage().is_share(&of, &over))
    };
    let fits = of == over || is_bucket && of_all == Part::Count || is_paired(&cx.scope.products);
    let has = |wanted: &Matcher| {
        let same = |m: &Matcher| {
            (&m.label.text, m.op, &m.value.raw)
                == (&wanted.label.text, wanted.op, &wanted.value.raw)
        };
        holds_all(wanted) || part.matchers.iter().any(same)
    };
    fits && part.at == whole.at && whole.filters.is_empty() && whole.matchers.iter().all(has)
}
