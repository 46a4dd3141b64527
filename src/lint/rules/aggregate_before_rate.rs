//! Rates of sums.

use crate::diag::{Group, Severity};
use crate::lint::query::QueryCx;
use crate::lint::query::Series;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::promql::ast::{AggregateOp, Expr, ExprKind};
use crate::promql::usage::is_rate;

declare_rule! {
    /// When one of the summed servers restarts, its counter falls, the sum falls, and the rate takes the
    /// whole rest of the sum for growth: a spike that never was. Take the rate first, then the sum.
    ///
    /// ```promql
    /// rate(sum(vllm:generation_tokens_total)[5m:])   # bad
    /// sum(rate(vllm:generation_tokens_total[5m]))    # good
    /// ```
    pub const RULE: Rule = Rule {
        name: "aggregate-before-rate",
        summary: "a rate is taken of a sum of counters",
        group: Group::Type,
        level: Severity::Error,
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
                "a restart of one server makes this rate of a sum of `{}` jump",
                series.name
            );
            let finding = out.at(cx.span(&call.span), message);
            out.push(finding.help(format!(
                "take the rate first: `sum(rate({}[…]))`",
                series.name
            )));
        }
    }
}

/// The rate around an aggregation of a counter that nothing else was done to.
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
                summed |= matches!(
                    a.op,
                    AggregateOp::Sum | AggregateOp::Avg | AggregateOp::Max | AggregateOp::Min
                );
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
