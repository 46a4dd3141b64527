//! Alerts that fire without a problem.

use crate::artifact::{Kind, Role};
use crate::lint::quantity::Measure;
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_promql::ast::{AggregateOp, BinaryOp, Expr, ExprKind};
use slosmith_promql::usage::{Comparison, Exact, bare, exact_constant};
use slosmith_promql::{Kept, kept_labels, with_room};
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports alerts without a comparison, with a comparison that every value satisfies, or with a lower limit on a
    /// request or token rate. Also reports `or vector(…)` beside groups, where the constant satisfies the comparison.
    ///
    /// ### Why
    ///
    /// An alert without a comparison fires as soon as its series exist. So does an alert whose comparison is true for
    /// every value. A lower limit on a request or token rate fires on every idle server, unless the expression also
    /// requires traffic.
    ///
    /// ### Example
    ///
    /// ```promql
    /// vllm:num_requests_waiting                           # always fires
    /// sum(rate(vllm:generation_tokens_total[5m])) < 100   # fires without traffic
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// vllm:num_requests_waiting > 80
    /// sum(rate(vllm:generation_tokens_total[5m])) < 100 and sum(vllm:num_requests_running) > 0
    /// ```
    ///
    /// ### Limits
    ///
    /// An alert on a constant, such as `vector(1)`, is not reported if its name contains a word such as `Watchdog` or
    /// `Heartbeat`.
    pub const RULE: Rule = Rule {
        name: "always-firing",
        summary: "the alert fires whenever data exists, or whenever traffic stops",
        group: Group::Alert,
        level: Severity::Warning,
        certain: "Certain for constants and for comparisons that every value satisfies. For alerts without a comparison, the rule assumes that the series exist in normal operation.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

/// Counters that do not grow while there are no requests.
const WORK: [&str; 4] = [
    "vllm:generation_tokens_total",
    "vllm:prompt_tokens_total",
    "vllm:request_success_total",
    "vllm:iteration_tokens_total",
];

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    let name = match (&cx.query.role, cx.alert()) {
        (_, Some(alert)) => &alert.name.value,
        (Role::Alert { name }, None) if cx.artifact.kind == Kind::Spec => name,
        _ => return,
    };
    if is_constant(cx.expr) && !is_heartbeat(name) {
        let message = "the expression is constant: the alert always fires";
        let finding = out.at(cx.query.span(), message);
        let help = "compare a metric with a threshold, or name the alert `Watchdog` if it should always fire";
        return out.push(finding.help(help));
    }
    if is_plain(cx.expr) && cx.has_known_series() {
        let message =
            "the expression has no comparison: the alert fires whenever the series exists";
        let finding = out.at(cx.query.span(), message);
        out.push(finding.help("add a threshold: `… > 80`"));
        return;
    }
    for comparison in cx.comparisons() {
        // Only the whole expression: a side of `and` may always be true.
        if !std::ptr::eq(bare(cx.expr), comparison.expr) {
            continue;
        }
        let words = cx.text(&comparison.expr.span);
        if let Some(added) = added(comparison) {
            let message = format!(
                "`{words}` is always true for `{}`: `or` adds it beside each group of the other side",
                cx.text(&added.span)
            );
            let finding = out.at(cx.span(&comparison.expr.span), message);
            out.push(finding.help("aggregate the other side without labels, or remove the `or`"));
        } else if is_always(cx, comparison) {
            let message = format!("`{words}` is true for every value");
            out.push(
                out.at(cx.span(&comparison.expr.span), message)
                    .help("use a threshold that normal values do not reach"),
            );
        } else if let Some(name) = idle(cx, comparison) {
            let message =
                format!("the alert also fires without traffic, when `{name}` stops growing");
            let finding = out.at(cx.span(&comparison.expr.span), message);
            out.push(finding.help(
                "require traffic: add `and sum(vllm:num_requests_running) > 0`, grouped by the same labels",
            ));
        }
    }
}

/// `vector(1)`
fn is_constant(expr: &Expr) -> bool {
    let ExprKind::Call(call) = &bare(expr).kind else {
        return false;
    };
    call.function.text == "vector"
        && call
            .args
            .first()
            .is_some_and(|arg| exact_constant(arg).is_some())
}

/// An alert that always fires on purpose: when it stops, alerting is broken.
fn is_heartbeat(name: &str) -> bool {
    const NAMES: [&str; 7] = [
        "always",
        "canary",
        "dead",
        "heartbeat",
        "keepalive",
        "test",
        "watchdog",
    ];
    let name = name.to_ascii_lowercase();
    NAMES.iter().any(|word| name.contains(word))
}

/// The constant of `… or vector(0)`, where the other side has labels and the constant satisfies the comparison.
fn added<'q>(comparison: &Comparison<'q>) -> Option<&'q Expr> {
    let ExprKind::Binary(either) = &bare(comparison.subject).kind else {
        return None;
    };
    let has_labels = match kept_labels(&either.lhs) {
        Kept::Only(labels) => !labels.is_empty(),
        Kept::AllOf { .. } => false,
    };
    let is_added = either.op == BinaryOp::Or && either.matching.is_none() && has_labels;
    let ExprKind::Call(call) = &bare(&either.rhs).kind else {
        return None;
    };
    let constant = call.args.first().and_then(exact_constant)?;
    let threshold = comparison.threshold()?;
    let holds = match comparison.op {
        BinaryOp::Eq => constant == threshold,
        BinaryOp::Lt => constant < threshold,
        BinaryOp::Le => constant <= threshold,
        BinaryOp::Gt => constant > threshold,
        BinaryOp::Ge => constant >= threshold,
        _ => false,
    };
    (is_added && call.function.text == "vector" && holds).then_some(&either.rhs)
}

/// Values of series without a filter.
fn is_plain(expr: &Expr) -> bool {
    match &bare(expr).kind {
        ExprKind::Selector(_) => true,
        ExprKind::Call(call) => {
            matches!(
                call.function.text.as_str(),
                "rate" | "increase" | "irate" | "avg_over_time" | "max_over_time"
            )
        }
        ExprKind::Aggregate(a) => {
            a.op != AggregateOp::CountValues && with_room(|| is_plain(&a.expr))
        }
        _ => false,
    }
}

/// True if all values satisfy the comparison: metrics are never below 0, fractions never above 1.
fn is_always(cx: &QueryCx<'_, '_>, comparison: &Comparison<'_>) -> bool {
    let (zero, one) = (Exact::from_integer(0), Exact::from_integer(1));
    let Some(threshold) = comparison.threshold() else {
        return false;
    };
    let counted = cx
        .series_in(comparison.subject)
        .all(|s| s.subject.known().is_some());
    let plain = counted && is_plain(comparison.subject);
    match comparison.op {
        BinaryOp::Ge => {
            plain && threshold <= zero || threshold <= one && cx.is_inverse(comparison.subject)
        }
        BinaryOp::Gt => {
            plain && threshold < zero || threshold < one && cx.is_inverse(comparison.subject)
        }
        BinaryOp::Le => {
            let measured = cx.measure(comparison.subject);
            let fraction = matches!(measured, Some((Measure::Fraction, _)));
            fraction && threshold == one
        }
        _ => false,
    }
}

/// The counter of requests or tokens whose low rate, or whose rate of 0, fires the alert.
fn idle<'q>(cx: &QueryCx<'q, '_>, comparison: &Comparison<'_>) -> Option<&'q str> {
    let low = match comparison.op {
        BinaryOp::Lt | BinaryOp::Le => true,
        BinaryOp::Eq => comparison.constant == Exact::from_integer(0),
        _ => false,
    };
    let mut inside = cx.series_in(comparison.subject);
    let (Some(series), None) = (inside.next(), inside.next()) else {
        return None;
    };
    let family = &series.subject.known()?.family;
    let work = WORK.contains(&family.as_str());
    (low && work && is_plain(comparison.subject)).then_some(series.name)
}
