//! Quantiles that cannot be reached.

use crate::diag::{Group, Severity};
use crate::lint::query::QueryCx;
use crate::lint::query::Series;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::promql::ast::{AggregateOp, BinaryOp, Expr, ExprKind};
use crate::promql::usage::{Exact, bare};
use crate::promql::with_room;
use crate::units::parse_decimal;

declare_rule! {
    /// `histogram_quantile` never gives more than the largest finite bound: whatever is slower looks as slow
    /// as that. A threshold at or above it is never exceeded.
    ///
    /// ```promql
    /// histogram_quantile(0.99, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[5m]))) > 15   # bad before 0.8.4: the largest bound was 10 s
    /// histogram_quantile(0.99, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[5m]))) > 5    # good
    /// ```
    pub const RULE: Rule = Rule {
        name: "threshold-beyond-buckets",
        summary: "a quantile is compared with more than its histogram can show",
        group: Group::Histogram,
        level: Severity::Error,
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
        let (Some(threshold), Some(largest)) = (comparison.threshold(), largest(series)) else {
            continue;
        };
        let never = match comparison.op {
            BinaryOp::Gt => threshold >= largest.1,
            BinaryOp::Ge | BinaryOp::Eq => threshold > largest.1,
            _ => false,
        };
        if never {
            let message = format!(
                "the largest bucket of `{}` is {}: a quantile of it is never {} {}",
                series.name,
                largest.0,
                comparison.op,
                cx.text(&comparison.constant_span)
            );
            let finding = out.at(cx.span(&comparison.constant_span), message);
            out.push(finding.help(format!("compare with less than {}", largest.0)));
        }
    }
}

/// The buckets of a quantile, under aggregations that give one of their values.
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

/// The largest finite bound on any release asked for; none where bounds are not known.
fn largest<'s>(series: &'s Series<'_, '_>) -> Option<(&'s str, Exact)> {
    let mut largest: Option<(&str, Exact)> = None;
    series.is_bucket().then_some(())?;
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
