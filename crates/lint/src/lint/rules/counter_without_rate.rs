//! Counters without a rate.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::lint::fixes;
use crate::lint::query::{QueryCx, Series};
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::lint::subject::Subject;
use slosmith_promql::ast::{AggregateOp, BinaryOp, Expr, ExprKind};
use slosmith_promql::usage::Use;
use slosmith_text::diag::{Applicability, Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports raw counters that are compared with a number other than 0, quantiles and averages of raw counters, counters in
    /// `avg_over_time`, `sum_over_time`, `stddev_over_time` and `quantile_over_time`, and panels that show raw counters
    /// in a unit per second, such as `reqps`. In a spec, a metric that it does not declare is a counter if its name ends in `_total`.
    ///
    /// ### Why
    ///
    /// A counter grows from the start of the server to its end. Comparing its value with a number mostly measures
    /// uptime. A quantile of raw buckets covers all requests since the server started, so it hardly changes.
    ///
    /// ### Example
    ///
    /// ```promql
    /// histogram_quantile(0.95, sum by (le) (vllm:time_to_first_token_seconds_bucket))
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[5m])))
    /// ```
    ///
    /// ### Limits
    ///
    /// Raw counters that are only displayed in other units, counted or tested for absence are not reported.
    pub const RULE: Rule = Rule {
        name: "counter-without-rate",
        summary: "a counter is used without `rate`",
        group: Group::Type,
        level: Severity::Error,
        certain: "Certain as to the type, which is recorded. The rule assumes that a threshold means recent events. An average or a quantile since the start may be meant, and a panel may transform its data: a warning.",
        fixes: Fixes::Unsafe("adds `rate(…)` around the buckets of a quantile"),
        since: "0.1.0",
        check: Check::Query(check),
    };
}

/// Functions over time that make nothing of totals.
const SINCE_START: [&str; 4] = [
    "avg_over_time",
    "quantile_over_time",
    "stddev_over_time",
    "sum_over_time",
];

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    if !cx.is_evaluated() {
        return;
    }
    let mut around = None;
    for (at, series) in cx.series.iter().enumerate() {
        let is_named = is_named(cx, series);
        if !(series.subject.is_counter() || is_named) || is_blind(series) {
            continue;
        }
        if let Use::OverTime(function) = series.context.used()
            && SINCE_START.contains(&function)
        {
            let name = series.name;
            let message = format!(
                "`{name}` is a counter: `{function}` uses the total since the server started"
            );
            let mut finding = out
                .at(cx.span(&series.name_span), message)
                .label("a counter");
            finding.severity = Severity::Warning;
            out.push(finding.help("use `rate` or `increase`"));
        }
        if !is_raw(series) {
            continue;
        }
        let around = around.get_or_insert_with(|| Around::of(cx));
        if around.differenced[at] {
            continue;
        }
        let name = series.name;
        let message = if series.in_quantile() {
            format!(
                "`{name}` is a counter without `rate()`: the quantile covers all requests since the server started"
            )
        } else if around.compared[at] {
            format!(
                "`{name}` is a counter without `rate()`: the comparison uses the total since the server started"
            )
        } else if around.averaged[at] {
            format!(
                "`{name}` is a counter without `rate()`: the average covers all the time since the server started"
            )
        } else if let Some(unit) = per_second(cx, series) {
            format!(
                "`{name}` is a counter without `rate()`: the panel shows the total since the server started as `{unit}`"
            )
        } else {
            continue;
        };
        let mut finding = out
            .at(cx.span(&series.context.span), message)
            .label("no `rate()`");
        if !around.compared[at] || series.is_declared() || is_named {
            // All the time since the start may be meant, as of a batch job; and the name may be wrong.
            finding.severity = Severity::Warning;
        }
        let window = fixes::rate_window(cx.dialect());
        let place = &series.context.span;
        let rate = format!("rate({}[{window}])", cx.text(place));
        // In a comparison, the threshold would have to change, too.
        let replace = || cx.replace_expr(place, &rate, Applicability::Unsafe);
        let fix = series.in_quantile().then(replace).flatten();
        let also = match (around.compared[at], around.averaged[at]) {
            _ if series.in_quantile() => "",
            (true, _) => ", with a threshold per second",
            (false, true) => ", and `rate()` in the divisor, too",
            (false, false) => "",
        };
        let help = format!("use `{rate}`{also}");
        out.push(finding.help(help).maybe_fix(fix));
    }
}

/// True for an unknown metric of a spec's own PromQL with the name of a counter. Of other people's files, the names are not trusted.
fn is_named(cx: &QueryCx<'_, '_>, series: &Series<'_, '_>) -> bool {
    let is_unknown = matches!(**series.subject, Subject::Outside);
    cx.scope.is_spec() && is_unknown && series.name.ends_with("_total")
}

fn is_raw(series: &Series<'_, '_>) -> bool {
    series.context.used() == Use::Instant
}

/// The unit of the panel, if it is per second and the panel shows the series, or a sum of it.
fn per_second<'q>(cx: &QueryCx<'q, '_>, series: &Series<'_, '_>) -> Option<&'q str> {
    let panel = cx.panel().filter(|panel| !panel.overrides_units)?;
    let unit = panel.unit.as_ref()?.value.as_str();
    let is_shown = |expr: &Expr| match &expr.kind {
        ExprKind::Paren(_) => true,
        ExprKind::Aggregate(a) => matches!(
            a.op,
            AggregateOp::Avg | AggregateOp::Max | AggregateOp::Min | AggregateOp::Sum
        ),
        _ => false,
    };
    // `ps` alone is picoseconds.
    let is_rate = unit.ends_with("/s") || unit.len() > 2 && unit.ends_with("ps");
    (is_rate && series.context.ancestors().all(is_shown)).then_some(unit)
}

/// True if the value itself does not matter.
fn is_blind(series: &Series<'_, '_>) -> bool {
    const BLIND: [&str; 4] = ["absent", "timestamp", "changes", "resets"];
    let around = &series.context;
    BLIND.iter().any(|function| around.calls(function))
        || around.aggregates(AggregateOp::Count)
        || around.aggregates(AggregateOp::Group)
}

/// The operations around each series of a query, by its index.
struct Around {
    /// The difference of two values of the series is computed.
    differenced: Vec<bool>,
    /// Compared with a number other than 0: `> 0` legitimately tests whether something ever happened.
    compared: Vec<bool>,
    /// The dividend of an average or share whose divisor is a raw counter, too.
    averaged: Vec<bool>,
}

impl Around {
    fn of(cx: &QueryCx<'_, '_>) -> Self {
        let none = vec![false; cx.series.len()];
        let mut found = Self {
            differenced: none.clone(),
            compared: none.clone(),
            averaged: none,
        };
        for comparison in cx.comparisons() {
            if *comparison.constant.numer() != 0 {
                found.compared[cx.indices(comparison.subject)].fill(true);
            }
        }
        for node in cx.expressions() {
            let ExprKind::Binary(binary) = &node.kind else {
                continue;
            };
            let (left, right) = (cx.indices(&binary.lhs), cx.indices(&binary.rhs));
            let names = |side: &Range<usize>| -> BTreeSet<&str> {
                cx.series[side.clone()].iter().map(|s| s.name).collect()
            };
            if binary.op == BinaryOp::Sub {
                let both = &names(&left) & &names(&right);
                for at in left.chain(right) {
                    found.differenced[at] |= both.contains(cx.series[at].name);
                }
            } else if binary.op == BinaryOp::Div
                && cx.series_in(node).all(is_raw)
                && cx.measure(node).is_some()
            {
                found.averaged[left].fill(true);
            }
        }
        found
    }
}
