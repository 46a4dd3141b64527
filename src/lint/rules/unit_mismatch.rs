//! Seconds taken for milliseconds.

use crate::diag::{Applicability, Diagnostic, Group, Severity};
use crate::lint::mend;
use crate::lint::quantity::{self, Measure};
use crate::lint::query::{QueryCx, Series, Site};
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::promql::ast::BinaryOp;
use crate::promql::usage::{Comparison, Exact};
use crate::units::decimal;

declare_rule! {
    /// vLLM measures time in seconds. A threshold far above what a request can take, or a panel unit of
    /// milliseconds without a factor of 1000, comes from taking seconds for milliseconds.
    ///
    /// ```promql
    /// histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[5m]))) > 500   # bad
    /// histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[5m]))) > 0.5   # good
    /// ```
    ///
    /// A threshold is called impossible above eight times the largest bucket that vLLM had before 0.8.4: 80 s
    /// for the time to first token, 20 s between two tokens, 480 s for requests and their phases.
    pub const RULE: Rule = Rule {
        name: "unit-mismatch",
        summary: "seconds are compared with, or shown as, milliseconds",
        group: Group::Type,
        level: Severity::Error,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

/// What a family's name holds, and the seconds that nobody waits for: eight times the largest bucket that the
/// family had before 0.8.4 (10 s, 2.5 s, 60 s).
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
        "`{}` is in seconds: {} s cannot be meant",
        series.name,
        decimal(threshold)
    );
    let finding = out
        .at(cx.span(&comparison.constant_span), message)
        .label("milliseconds?");
    out.push(mended(cx, comparison, finding));
}

fn mended(cx: &QueryCx<'_, '_>, comparison: &Comparison<'_>, finding: Diagnostic) -> Diagnostic {
    let new = decimal(comparison.constant / Exact::from_integer(1000));
    let fix = cx.replace(&comparison.constant_span, &new, Applicability::Unsafe);
    let help = format!("if milliseconds were meant, use `{new}`");
    finding.help(help).maybe_fix(fix)
}

/// The unit of the panel against what the query measures.
fn shown(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    let Site::Panel(dashboard, panel, _) = cx.site else {
        return;
    };
    let Some(unit) = &panel.unit else {
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
        "`{}` is in {words}, shown with the unit `{}`",
        series.name, unit.value
    );
    let finding = out.at(unit.span(), message);
    let set = || mend::set_unit(cx, unit, right, Applicability::Unsafe);
    let fix = quantity::is_plain(dashboard, panel).then(set).flatten();
    let help = format!("use the unit `{right}`");
    out.push(finding.help(help).maybe_fix(fix));
}
