//! Sums of fractions.

use crate::artifact::Role;
use crate::lint::quantity::Measure;
use crate::lint::query::{QueryCx, Series};
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_promql::ast::{AggregateOp, BinaryOp, Expr, ExprKind, Grouping};
use slosmith_promql::usage::is_call;
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports `sum` and `sum_over_time` of a gauge that is a fraction from 0 to 1.
    ///
    /// ### Why
    ///
    /// Two caches at 50% are not one cache at 100%. A sum of fractions grows with the number of servers or samples and
    /// has no meaning.
    ///
    /// ### Example
    ///
    /// ```promql
    /// sum(vllm:kv_cache_usage_perc)                   # 1.2 for three servers
    /// sum_over_time(vllm:kv_cache_usage_perc[1h])     # grows with the number of scrapes
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// avg(vllm:kv_cache_usage_perc)
    /// avg_over_time(vllm:kv_cache_usage_perc[1h])
    /// ```
    ///
    /// ### Limits
    ///
    /// A sum is not reported if it is divided by something, selects one server, or keeps `instance`, `pod` or `engine`.
    pub const RULE: Rule = Rule {
        name: "sum-of-fractions",
        summary: "fractions from 0 to 1 are summed",
        group: Group::Type,
        level: Severity::Warning,
        certain: "Certain as to the type. The rule assumes that a group without labels of one server has several servers.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

/// Labels of one server or of a part of it.
const ONE: [&str; 9] = [
    "container",
    "engine",
    "exported_instance",
    "host",
    "hostname",
    "instance",
    "node",
    "pod",
    "replica",
];

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    // An autoscaler divides the sum by its target.
    if matches!(cx.query.role, Role::Part { .. }) {
        return;
    }
    for series in cx.series.iter().filter(|series| is_summed(series)) {
        let Some((node, of)) = innermost(cx, series) else {
            continue;
        };
        let (instead, highest, of) = match of {
            Of::Samples => ("avg_over_time", "max_over_time", "samples"),
            Of::Servers => ("avg", "max", "servers"),
        };
        let message = format!(
            "`{}` is a fraction from 0 to 1: a sum over {of} has no meaning",
            series.name
        );
        let help = format!("use `{instead}`, or `{highest}` for the highest value");
        out.push(out.at(cx.span(&node.span), message).help(help));
    }
}

/// True for a gauge inside a sum, without arithmetic such as a hand-written mean.
fn is_summed(series: &Series<'_, '_>) -> bool {
    const CHANGES: [BinaryOp; 4] = [BinaryOp::Div, BinaryOp::Mul, BinaryOp::Sub, BinaryOp::Add];
    let around = &series.context;
    let is_unknown =
        |expr: &Expr| matches!(expr.kind, ExprKind::Placeholder(_) | ExprKind::Invalid(_));
    (around.aggregates(AggregateOp::Sum) || around.calls("sum_over_time"))
        && series.subject.is_gauge()
        && !around.ancestors().any(is_unknown)
        && !CHANGES.iter().any(|op| around.operates(*op))
}

#[derive(Clone, Copy)]
enum Of {
    Samples,
    Servers,
}

/// The innermost sum of fractions around a series; for a series of one server, only sums over samples count.
fn innermost<'q>(cx: &QueryCx<'q, '_>, series: &Series<'q, '_>) -> Option<(&'q Expr, Of)> {
    let fraction = |expr: &Expr| matches!(cx.measure(expr), Some((Measure::Fraction, _)));
    let is_one = is_one(series);
    series.context.ancestors().find_map(|expr| {
        let of = match &expr.kind {
            ExprKind::Call(call) if is_call(expr, "sum_over_time") => call
                .args
                .first()
                .is_some_and(fraction)
                .then_some(Of::Samples),
            ExprKind::Aggregate(a) if a.op == AggregateOp::Sum && !is_one => {
                let sums = !keeps_one(a.grouping.as_ref()) && fraction(&a.expr);
                sums.then_some(Of::Servers)
            }
            _ => None,
        };
        of.map(|of| (expr, of))
    })
}

/// True if a matcher selects one server, or a dashboard variable may select one.
fn is_one(series: &Series<'_, '_>) -> bool {
    let selector = series.context.selector;
    let named = |label: &str| ONE.contains(&label);
    !selector.filters.is_empty() || selector.matchers.iter().any(|m| named(&m.label.text))
}

/// True if each result may be a single server.
pub(super) fn keeps_one(grouping: Option<&Grouping>) -> bool {
    grouping.is_some_and(|grouping| {
        let open = |label: &slosmith_promql::ast::Name| !label.placeholders.is_empty();
        let one = |label: &slosmith_promql::ast::Name| ONE.contains(&label.text.as_str());
        grouping.without
            || grouping
                .labels
                .iter()
                .any(|label| open(label) || one(label))
    })
}
