//! Sums over the buckets of a histogram.

use crate::lint::query::{QueryCx, Series};
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_promql::ast::{AggregateOp, ExprKind};
use slosmith_promql::usage::Use;
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports `sum` and `avg` of rates of buckets, all boundaries together.
    ///
    /// ### Why
    ///
    /// The buckets of a histogram are cumulative: each counts the events up to its boundary. Their sum counts an event
    /// once for each boundary above it.
    ///
    /// ### Example
    ///
    /// ```promql
    /// sum(rate(vllm:time_to_first_token_seconds_bucket[5m]))
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// sum(rate(vllm:time_to_first_token_seconds_count[5m]))
    /// sum(rate(vllm:time_to_first_token_seconds_bucket{le="2.5"}[5m]))
    /// ```
    pub const RULE: Rule = Rule {
        name: "buckets-added-up",
        summary: "the buckets of a histogram are added up",
        group: Group::Type,
        level: Severity::Warning,
        certain: "Certain for recorded histograms. The rule assumes that a test for traffic, as in `> 0`, needs no number.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    if !cx.is_evaluated() {
        return;
    }
    for series in cx.series.iter().filter(|series| series.is_bucket()) {
        let is_rate = matches!(series.context.used(), Use::Change(_));
        let mut matchers = series.context.selector.matchers.iter();
        if !is_rate || series.in_quantile() || matchers.any(|m| m.label.text == "le") {
            continue;
        }
        if adds_up(series) && !is_tested(cx) {
            let name = series.name;
            let message =
                format!("the sum of `{name}` counts each event once per boundary above it");
            let base = name.trim_end_matches("_bucket");
            out.push(out.at(cx.span(&series.name_span), message).help(format!(
                "use `{base}_count` for all events, or select one boundary with `le`"
            )));
        }
    }
}

/// True if the first aggregation that drops `le` is a sum or an average.
fn adds_up(series: &Series<'_, '_>) -> bool {
    let mut around = series.context.ancestors();
    let first = around.find_map(|node| match &node.kind {
        ExprKind::Aggregate(a) => {
            let keeps = a.grouping.as_ref().is_some_and(|grouping| {
                let is_named = grouping.labels.iter().any(|label| label.text == "le");
                is_named != grouping.without
            });
            (!keeps).then_some(Some(a.op))
        }
        // What a function or a join makes of `le` is not known.
        ExprKind::Paren(_) => None,
        ExprKind::Call(call)
            if call.function.text.ends_with("rate") || call.function.text == "increase" =>
        {
            None
        }
        _ => Some(None),
    });
    matches!(first, Some(Some(AggregateOp::Sum | AggregateOp::Avg)))
}

/// True if the query only tests whether there are events.
fn is_tested(cx: &QueryCx<'_, '_>) -> bool {
    let mut compared = cx.comparisons().iter();
    compared.any(|comparison| *comparison.constant.numer() == 0)
}
