//! Alerts that fire without a fault.

use crate::diag::{Group, Severity};
use crate::lint::quantity::Measure;
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::promql::ast::{AggregateOp, BinaryOp, Expr, ExprKind};
use crate::promql::usage::{Comparison, Exact, bare, exact_constant};
use crate::promql::with_room;

declare_rule! {
    /// An alert whose expression compares nothing fires as soon as its series exist; so does one whose
    /// comparison is true of every value. A rate of requests or tokens that must not be low fires on every
    /// idle server, unless something says that there is work.
    ///
    /// ```promql
    /// vllm:num_requests_waiting                                                                    # bad: always fires
    /// sum(rate(vllm:generation_tokens_total[5m])) < 100                                            # bad: fires when nobody asks
    /// sum(rate(vllm:generation_tokens_total[5m])) < 100 and sum(vllm:num_requests_running) > 0     # good
    /// ```
    pub const RULE: Rule = Rule {
        name: "always-firing",
        summary: "the condition of an alert holds whenever there is data, or whenever there is no traffic",
        group: Group::Alert,
        level: Severity::Warning,
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
    let Some(alert) = cx.alert() else {
        return;
    };
    if is_constant(cx.expr) && !is_heartbeat(&alert.name.value) {
        let message = "the expression reads no series: the alert always fires";
        let finding = out.at(cx.query.span(), message);
        let help =
            "compare a metric with a threshold, or call it `Watchdog` if it should always fire";
        return out.push(finding.help(help));
    }
    if !cx.has_known_series() {
        return;
    }
    if is_plain(cx.expr) {
        let message = "the expression compares nothing: the alert fires whenever there is data";
        let finding = out.at(cx.query.span(), message);
        out.push(finding.help("compare with a threshold: `… > 80`"));
        return;
    }
    for comparison in cx.comparisons() {
        // Only what decides alone: a part of `and` may be true always.
        if !std::ptr::eq(bare(cx.expr), comparison.expr) {
            continue;
        }
        let words = cx.text(&comparison.expr.span);
        if is_always(cx, comparison) {
            let message = format!("`{words}` is true of every value");
            out.push(
                out.at(cx.span(&comparison.expr.span), message)
                    .help("compare with a threshold that values cross"),
            );
        } else if let Some(name) = idle(cx, comparison) {
            let message =
                format!("fires whenever there is no traffic: `{name}` does not change then");
            let finding = out.at(cx.span(&comparison.expr.span), message);
            out.push(finding.help("require traffic: `and on (…) vllm:num_requests_running > 0`"));
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

/// An alert that fires on purpose, so that its end says that alerting is broken.
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

/// Values of series, and nothing that takes any of them out.
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

/// What is measured is never below 0, and a fraction never above 1.
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
        BinaryOp::Ge => plain && threshold <= zero,
        BinaryOp::Gt => plain && threshold < zero,
        BinaryOp::Le => {
            let measured = cx.measure(comparison.subject);
            let fraction = matches!(measured, Some((Measure::Fraction, _)));
            fraction && threshold == one
        }
        _ => false,
    }
}

/// The counter of work whose rate must not be low, or not be 0.
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
