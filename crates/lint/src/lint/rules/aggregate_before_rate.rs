//! Counters that are aggregated before `rate`.

use crate::lint::query::QueryCx;
use crate::lint::query::Series;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::lint::rules::sum_of_fractions::keeps_one;
use slosmith_promql::ast::{AggregateOp, Expr, ExprKind};
use slosmith_promql::usage::is_rate;
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports a rate of a sum, average, minimum or maximum of counters.
    ///
    /// ### Why
    ///
    /// When one of the servers restarts, its counter resets and the sum drops. `rate` treats the drop as a reset of the
    /// whole sum: a spike that never happened. Apply `rate` first, then the sum.
    ///
    /// ### Example
    ///
    /// ```promql
    /// rate(sum(vllm:generation_tokens_total)[5m:])
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// sum(rate(vllm:generation_tokens_total[5m]))
    /// ```
    pub const RULE: Rule = Rule {
        name: "aggregate-before-rate",
        summary: "counters are aggregated before `rate`",
        group: Group::Type,
        level: Severity::Error,
        certain: "Certain: Prometheus detects resets only in single series. The rule assumes that a group without `instance` or `pod` has several servers.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for series in cx
        .series
        .iter()
        .filter(|series| series.subject.is_counter())
    {
        if let Some(call) = rate_of_sum(series) {
            let message = format!(
                "the rate of the aggregated counter `{}` spikes whenever one server restarts",
                series.name
            );
            let finding = out.at(cx.span(&call.span), message);
            out.push(finding.help(format!(
                "apply the rate first: `sum(rate({}[…]))`",
                series.name
            )));
        }
    }
}

/// The rate around an aggregation of a raw counter.
fn rate_of_sum<'q>(series: &Series<'q, '_>) -> Option<&'q Expr> {
    let mut summed = false;
    let mut again = false;
    if series.context.range.is_some() {
        return None;
    }
    for node in series.context.ancestors() {
        match &node.kind {
            ExprKind::Paren(_) => {}
            ExprKind::Aggregate(a) if !again => {
                let several = !keeps_one(a.grouping.as_ref());
                summed |= several && matches!(a.op, AggregateOp::Sum | AggregateOp::Avg);
            }
            ExprKind::Subquery(_) if summed => again = true,
            ExprKind::Call(call) => {
                return (again && is_rate(&call.function.text)).then_some(node);
            }
            _ => return None,
        }
    }
    None
}
