//! Averages of quantiles.

use crate::diag::{Group, Severity};
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::promql::Kept;
use crate::promql::ast::{AggregateOp, Expr, ExprKind};
use crate::promql::usage::bare;
use crate::promql::visit::walk;

declare_rule! {
    /// The mean of three servers' p95 is not the p95 of their requests: a server with ten requests counts as
    /// much as one with ten thousand. Add up the buckets first, then take the quantile.
    ///
    /// ```promql
    /// avg(histogram_quantile(0.95, sum by (le, instance) (rate(vllm:time_to_first_token_seconds_bucket[5m]))))   # bad
    /// histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[5m])))                  # good
    /// ```
    pub const RULE: Rule = Rule {
        name: "average-of-quantiles",
        summary: "quantiles are averaged or added up",
        group: Group::Type,
        level: Severity::Error,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    if !cx.memo.kinds.calls("histogram_quantile") {
        return;
    }
    walk(cx.expr, &mut |node| {
        let ExprKind::Aggregate(aggregate) = &node.kind else {
            return;
        };
        let verb = match aggregate.op {
            AggregateOp::Avg => "averaged",
            AggregateOp::Sum => "added up",
            _ => return,
        };
        let call = bare(&aggregate.expr);
        if !is_quantile(call) {
            return;
        }
        // One series has itself as its mean.
        if [Kept::none(), cx.kept_labels(node)].contains(&cx.kept_labels(call)) {
            return;
        }
        let message =
            format!("quantiles of single series are {verb}: the result is not a quantile");
        let finding = out.at(cx.span(&node.span), message);
        out.push(
            finding.help(
                "add up the buckets with `sum by (le)`, then take `histogram_quantile` of that",
            ),
        );
    });
}

fn is_quantile(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Call(call) if call.function.text == "histogram_quantile")
}
