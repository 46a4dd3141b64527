//! Thresholds above every possible quantile.

use crate::lint::query::QueryCx;
use crate::lint::query::Series;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::lint::scope::Boundaries;
use slosmith_catalog::ReleaseId;
use slosmith_promql::ast::{AggregateOp, BinaryOp, Expr, ExprKind};
use slosmith_promql::usage::{Exact, bare};
use slosmith_promql::with_room;
use slosmith_text::diag::{Fixes, Group, Severity};
use slosmith_text::units::parse_decimal;

declare_rule! {
    /// ### What it does
    ///
    /// Reports quantiles that are compared with the largest finite bucket boundary or more.
    ///
    /// ### Why
    ///
    /// `histogram_quantile` never returns more than the largest finite boundary: slower requests count as that value.
    /// So a quantile never exceeds a threshold at or above the boundary.
    ///
    /// ### Example
    ///
    /// ```promql
    /// histogram_quantile(0.99, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[5m]))) > 15   # before 0.8.4, the largest boundary is 10 s
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// histogram_quantile(0.99, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[5m]))) > 5
    /// ```
    pub const RULE: Rule = Rule {
        name: "threshold-beyond-buckets",
        summary: "the threshold of a quantile is beyond the largest bucket",
        group: Group::Histogram,
        level: Severity::Error,
        certain: "Certain: a quantile is never above the largest finite bucket boundary. Boundaries that differ between deployments, or that servers can replace (since vLLM 0.30), are not checked.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    if !cx.series.iter().any(Series::is_bucket) {
        return;
    }
    for comparison in cx.comparisons() {
        let Some(buckets) = quantile(comparison.subject) else {
            continue;
        };
        let mut inside = cx.series_in(buckets);
        let (Some(series), None) = (inside.next(), inside.next()) else {
            continue;
        };
        let (Some(threshold), Some(largest)) = (comparison.threshold(), largest(cx, series)) else {
            continue;
        };
        let never = match comparison.op {
            BinaryOp::Gt => threshold >= largest.1,
            BinaryOp::Ge | BinaryOp::Eq => threshold > largest.1,
            _ => false,
        };
        if never {
            let message = format!(
                "the largest bucket boundary of `{}` is {}: a quantile is never {} {}",
                series.name,
                largest.0,
                comparison.op,
                cx.text(&comparison.constant_span)
            );
            let finding = out.at(cx.span(&comparison.constant_span), message);
            out.push(finding.help(format!("use a threshold below {}", largest.0)));
        }
    }
}

/// The buckets of a quantile, inside aggregations that return a value between the minimum and the maximum.
fn quantile(expr: &Expr) -> Option<&Expr> {
    match &bare(expr).kind {
        ExprKind::Aggregate(a) => match a.op {
            AggregateOp::Max | AggregateOp::Min | AggregateOp::Avg => {
                with_room(|| quantile(&a.expr))
            }
            _ => None,
        },
        ExprKind::Call(call) if call.function.text == "histogram_quantile" => call.args.get(1),
        _ => None,
    }
}

/// The largest finite bucket boundary on any selected release; none if boundaries are unknown.
fn largest<'s>(cx: &QueryCx<'_, '_>, series: &'s Series<'_, '_>) -> Option<(&'s str, Exact)> {
    let mut largest: Option<(&str, Exact)> = None;
    series.is_bucket().then_some(())?;
    if let Some(known) = series.subject.known() {
        let boundaries = |id| cx.scope.boundaries(known.product, &known.family, id);
        let is_sure = |id: &ReleaseId| boundaries(*id) == Boundaries::Recorded;
        known.present.iter().all(is_sure).then_some(())?;
    }
    for shape in series.subject.shapes().iter() {
        let last = shape.buckets.iter().rev().find(|bound| *bound != "+Inf");
        let last = last.filter(|_| !shape.open_buckets)?;
        let bound = parse_decimal(last).ok()?;
        if largest.as_ref().is_none_or(|(_, most)| *most < bound) {
            largest = Some((last, bound));
        }
    }
    largest
}
