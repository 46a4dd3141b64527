//! Averages of quantiles.

use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_promql::Kept;
use slosmith_promql::ast::{AggregateOp, Expr, ExprKind};
use slosmith_promql::usage::bare;
use slosmith_promql::visit::walk;
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports `avg` and `sum` of `histogram_quantile`.
    ///
    /// ### Why
    ///
    /// The mean p95 of three servers is not the p95 of their requests. A server with ten requests has the same weight as
    /// a server with ten thousand. Sum the buckets first, then apply `histogram_quantile`.
    ///
    /// ### Example
    ///
    /// ```promql
    /// avg(histogram_quantile(0.95, sum by (le, instance) (rate(vllm:time_to_first_token_seconds_bucket[5m]))))
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[5m])))
    /// ```
    pub const RULE: Rule = Rule {
        name: "average-of-quantiles",
        summary: "quantiles are averaged or summed",
        group: Group::Type,
        level: Severity::Error,
        certain: "Certain if the aggregation joins several quantiles. The rule reads this from the grouping labels.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    if !cx.calls("histogram_quantile") {
        return;
    }
    walk(cx.expr, &mut |node| {
        let ExprKind::Aggregate(aggregate) = &node.kind else {
            return;
        };
        let verb = match aggregate.op {
            AggregateOp::Avg => "averaged",
            AggregateOp::Sum => "summed",
            _ => return,
        };
        let call = bare(&aggregate.expr);
        if !is_quantile(call) {
            return;
        }
        // The mean of one series is the series.
        if [Kept::none(), cx.kept_labels(node)].contains(&cx.kept_labels(call)) {
            return;
        }
        let message =
            format!("the quantiles of several series are {verb}: the result is not a quantile");
        let finding = out.at(cx.span(&node.span), message);
        out.push(
            finding.help("sum the buckets with `sum by (le)`, then apply `histogram_quantile`"),
        );
    });
}

fn is_quantile(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Call(call) if call.function.text == "histogram_quantile")
}
