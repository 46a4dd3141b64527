//! Comparisons that no value passes.

use crate::diag::{Group, Severity};
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::promql::ast::{AggregateOp, BinaryOp, Expr, ExprKind};
use crate::promql::usage::{Comparison, Exact, bare};

declare_rule! {
    /// A count of nothing is no 0: there is no result. `absent` gives 1 or no result. A comparison of either with
    /// less than 1 holds never, and the alert never fires.
    ///
    /// ```promql
    /// count(up{job="vllm"} == 1) == 0                  # bad: no result when all are down
    /// absent(up{job="vllm"} == 1)                      # good
    /// (count(up{job="vllm"} == 1) or vector(0)) == 0   # good
    /// ```
    pub const RULE: Rule = Rule {
        name: "impossible-comparison",
        summary: "no possible value meets a comparison",
        group: Group::Alert,
        level: Severity::Error,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for comparison in cx.comparisons() {
        let Some(least) = at_least_one(comparison.subject) else {
            continue;
        };
        if !is_impossible(comparison, least) {
            continue;
        }
        let constant = cx.text(&comparison.constant_span);
        let (words, help) = match least {
            Least::Count => (
                "a count of nothing has no result, so it is never 0",
                "use `absent(…)`, or `(… or vector(0))` around the count",
            ),
            Least::Absent => (
                "`absent` gives 1 or no result",
                "remove the comparison: the result itself says that the series is missing",
            ),
        };
        let message = format!("`{} {constant}` never holds: {words}", comparison.op);
        out.push(out.at(cx.span(&comparison.expr.span), message).help(help));
    }
}

/// What has no value below 1.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Least {
    /// A number of series.
    Count,
    /// 1, when nothing is there.
    Absent,
}

fn at_least_one(expr: &Expr) -> Option<Least> {
    match &bare(expr).kind {
        ExprKind::Aggregate(a) if a.op == AggregateOp::Count => Some(Least::Count),
        ExprKind::Call(call) => {
            let name = call.function.text.as_str();
            matches!(name, "absent" | "absent_over_time").then_some(Least::Absent)
        }
        _ => None,
    }
}

fn is_impossible(comparison: &Comparison<'_>, least: Least) -> bool {
    let one = Exact::from_integer(1);
    let Some(threshold) = comparison.threshold() else {
        return false;
    };
    match comparison.op {
        BinaryOp::Eq => threshold < one || (least == Least::Absent && threshold != one),
        BinaryOp::Lt => threshold <= one,
        BinaryOp::Le => threshold < one,
        BinaryOp::Gt => least == Least::Absent && threshold >= one,
        BinaryOp::Ge => least == Least::Absent && threshold > one,
        _ => false,
    }
}
