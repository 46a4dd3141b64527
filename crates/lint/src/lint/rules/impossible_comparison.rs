//! Comparisons that no value satisfies.

use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_promql::ast::{AggregateOp, BinaryOp, Expr, ExprKind};
use slosmith_promql::usage::{Comparison, Exact, bare, exact_constant};
use slosmith_promql::with_room;
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports comparisons that no value satisfies: of `count()` and `absent()`, of rates with numbers below 0, and of sums of
    /// what `== 0` leaves.
    ///
    /// ### Why
    ///
    /// `count()` of an empty vector returns nothing, not 0; `absent()` returns 1 or nothing. So `== 0` and `< 1` are
    /// never true, and the alert never fires.
    ///
    /// ### Example
    ///
    /// ```promql
    /// count(up{job="vllm"} == 1) == 0   # empty when all servers are down
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// absent(up{job="vllm"} == 1)
    /// (count(up{job="vllm"} == 1) or vector(0)) == 0
    /// ```
    pub const RULE: Rule = Rule {
        name: "impossible-comparison",
        summary: "no possible value satisfies the comparison",
        group: Group::Alert,
        level: Severity::Error,
        certain: "Certain: the result follows from the Prometheus documentation of the functions, whatever the data.",
        fixes: Fixes::None,
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
        let of_count = format!(
            "use `absent(…)`, or 0 for the empty count: `(count(…) or vector(0)) {} {constant}`",
            comparison.op
        );
        let (words, help) = match least {
            Least::CountBy => (
                "`count()` of an empty vector returns nothing, not 0",
                "use `absent(…)` with one selector per label value",
            ),
            Least::Count => (
                "`count()` of an empty vector returns nothing, not 0",
                of_count.as_str(),
            ),
            Least::Zero => ("`== 0` leaves only zeros", "use `count` of what is 0"),
            Least::Rate => (
                "a rate of events is never negative",
                "use a threshold above 0, or `== 0` for a time without events",
            ),
            Least::Absent => (
                "`absent()` returns 1 or nothing",
                "remove the comparison: any result of `absent()` means that the series is missing",
            ),
        };
        let message = format!("`{} {constant}` is never true: {words}", comparison.op);
        out.push(out.at(cx.span(&comparison.expr.span), message).help(help));
    }
}

/// Functions without values below 1, or below 0.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Least {
    /// `count`: a number of series.
    Count,
    /// The same for each value of some labels.
    CountBy,
    /// `absent`: 1 if the series is missing.
    Absent,
    /// `rate`: never below 0.
    Rate,
    /// What `== 0` leaves.
    Zero,
}

fn at_least_one(expr: &Expr) -> Option<Least> {
    match &bare(expr).kind {
        ExprKind::Aggregate(a)
            if matches!(
                a.op,
                AggregateOp::Sum | AggregateOp::Avg | AggregateOp::Max | AggregateOp::Min
            ) =>
        {
            with_room(|| at_least_one(&a.expr))
                .filter(|least| matches!(least, Least::Rate | Least::Zero))
        }
        ExprKind::Aggregate(a) if a.op == AggregateOp::Count => Some(match a.grouping {
            Some(_) => Least::CountBy,
            None => Least::Count,
        }),
        ExprKind::Binary(b) if b.op == BinaryOp::Eq && !b.bool_modifier => {
            let is_zero = exact_constant(&b.rhs).is_some_and(|n| *n.numer() == 0);
            is_zero.then_some(Least::Zero)
        }
        ExprKind::Call(call) => {
            let name = call.function.text.as_str();
            match name {
                "absent" | "absent_over_time" => Some(Least::Absent),
                "rate" | "increase" | "irate" => Some(Least::Rate),
                _ => None,
            }
        }
        _ => None,
    }
}

fn is_impossible(comparison: &Comparison<'_>, least: Least) -> bool {
    let one = Exact::from_integer(1);
    let Some(threshold) = comparison.threshold() else {
        return false;
    };
    let zero = Exact::from_integer(0);
    if least == Least::Zero {
        return match comparison.op {
            BinaryOp::Gt => threshold >= zero,
            BinaryOp::Ge => threshold > zero,
            BinaryOp::Lt => threshold <= zero,
            BinaryOp::Le => threshold < zero,
            _ => false,
        };
    }
    if least == Least::Rate {
        return match comparison.op {
            BinaryOp::Lt => threshold <= zero,
            BinaryOp::Le | BinaryOp::Eq => threshold < zero,
            _ => false,
        };
    }
    match comparison.op {
        BinaryOp::Eq => threshold < one || (least == Least::Absent && threshold != one),
        BinaryOp::Lt => threshold <= one,
        BinaryOp::Le => threshold < one,
        BinaryOp::Gt => least == Least::Absent && threshold >= one,
        BinaryOp::Ge => least == Least::Absent && threshold > one,
        _ => false,
    }
}
