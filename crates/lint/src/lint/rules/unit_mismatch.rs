//! Seconds that are treated as milliseconds.

use crate::lint::fixes;
use crate::lint::quantity::{self, Measure};
use crate::lint::query::{QueryCx, Series, Site};
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_promql::ast::BinaryOp;
use slosmith_promql::usage::{Comparison, Exact};
use slosmith_text::diag::{Applicability, Diagnostic, Fixes, Group, Severity};
use slosmith_text::units::decimal;

declare_rule! {
    /// ### What it does
    ///
    /// Reports thresholds that are implausible in seconds, and panel units of milliseconds without a factor of 1000.
    /// Metrics in milliseconds that a panel displays as seconds are reported, too.
    ///
    /// ### Why
    ///
    /// vLLM measures time in seconds. Such thresholds and units come from reading seconds as milliseconds.
    ///
    /// ### Example
    ///
    /// ```promql
    /// histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[5m]))) > 500
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[5m]))) > 0.5
    /// ```
    ///
    /// ### Limits
    ///
    /// An implausible threshold is a warning. A threshold is implausible above eight times the largest bucket boundary that vLLM had before 0.8.4:
    ///
    /// - 80 s for the time to first token;
    /// - 20 s between two tokens;
    /// - 480 s for requests and their phases.
    pub const RULE: Rule = Rule {
        name: "unit-mismatch",
        summary: "seconds are compared with, or displayed as, milliseconds",
        group: Group::Type,
        level: Severity::Error,
        certain: "Certain for units of panels, unless an override sets another unit. An implausible threshold is a warning: requests may take as long.",
        fixes: Fixes::Unsafe("divides the threshold by 1000, or sets the unit of the panel"),
        since: "0.1.0",
        check: Check::Query(check),
    };
}

/// A part of a metric name, and the longest plausible threshold: eight times the largest bucket boundary before 0.8.4
/// (10 s, 2.5 s, 60 s).
const LONGEST: [(&str, i128); 5] = [
    ("time_to_first_token", 80),
    ("inter_token_latency", 20),
    ("per_output_token", 20),
    ("e2e_request_latency", 480),
    (":request_", 480),
];

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    if !cx.has_known_series() {
        return;
    }
    for comparison in cx.comparisons() {
        if let Some((Measure::Seconds, series)) = cx.measure(comparison.subject) {
            compared(cx, out, comparison, series);
        }
    }
    shown(cx, out);
}

fn compared(
    cx: &QueryCx<'_, '_>,
    out: &mut Findings,
    comparison: &Comparison<'_>,
    series: &Series<'_, '_>,
) {
    let Some(known) = series.subject.known() else {
        return;
    };
    let longest = LONGEST.iter().find(|(part, _)| known.family.contains(part));
    let Some((_, longest)) = longest else {
        return;
    };
    let above = |t: &Exact| *t > Exact::from_integer(*longest);
    let Some(threshold) = comparison.threshold().filter(above) else {
        return;
    };
    if !matches!(
        comparison.op,
        BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Lt | BinaryOp::Le
    ) {
        return;
    }
    let message = format!(
        "`{}` is in seconds: a threshold of {} s is implausible",
        series.name,
        decimal(threshold)
    );
    let mut finding = out
        .at(cx.span(&comparison.constant_span), message)
        .label("milliseconds?");
    // Requests may take as long.
    finding.severity = Severity::Warning;
    out.push(with_fix(cx, comparison, finding));
}

fn with_fix(cx: &QueryCx<'_, '_>, comparison: &Comparison<'_>, finding: Diagnostic) -> Diagnostic {
    let new = decimal(comparison.constant / Exact::from_integer(1000));
    let fix = cx.replace(&comparison.constant_span, &new, Applicability::Unsafe);
    let help = format!("use `{new}` if you meant milliseconds");
    finding.help(help).maybe_fix(fix)
}

fn shown(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    let Site::Panel(dashboard, panel, _) = cx.site else {
        return;
    };
    let Some(unit) = panel.unit.as_ref().filter(|_| !panel.overrides_units) else {
        return;
    };
    let Some((measured, series)) = cx.measure(cx.expr) else {
        return;
    };
    let (right, words) = match (measured, unit.value.as_str()) {
        (Measure::Seconds, "ms" | "µs" | "ns") => ("s", "seconds"),
        (Measure::Milliseconds, "s" | "µs" | "ns") => ("ms", "milliseconds"),
        _ => return,
    };
    let message = format!(
        "`{}` is in {words}, but the panel has the unit `{}`",
        series.name, unit.value
    );
    let finding = out.at(unit.span(), message);
    let set = || fixes::set_unit(cx, unit, right, Applicability::Unsafe);
    let fix = quantity::is_plain(dashboard, panel).then(set).flatten();
    let help = format!("set the unit to `{right}`");
    out.push(finding.help(help).maybe_fix(fix));
}
