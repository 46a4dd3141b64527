//! Fractions that are treated as percentages.

use crate::lint::fixes;
use crate::lint::quantity::{self, Measure};
use crate::lint::query::{QueryCx, Site};
use crate::lint::rule::{Check, Findings, declare_rule};
use num_traits::CheckedMul;
use slosmith_promql::ast::{AggregateOp, BinaryOp, ExprKind, TextSpan};
use slosmith_promql::usage::{Comparison, Exact, exact_constant};
use slosmith_text::diag::{Applicability, Diagnostic, Edit, Fix, Fixes, Group, Severity};
use slosmith_text::source::Spanned;
use slosmith_text::units::decimal;
use slosmith_text::yaml::Text;

declare_rule! {
    /// ### What it does
    ///
    /// Reports thresholds, quantiles and panel units that treat a fraction from 0 to 1 as a percentage, and thresholds
    /// that treat a percentage as a fraction.
    ///
    /// ### Why
    ///
    /// Every `_perc` gauge of vLLM is a fraction from 0 to 1, in every release. `> 95` is never true, and `< 50` is
    /// always true. A panel with the unit `percent` shows 0.95 %. A quantile above 1 gives `+Inf`, whatever the data.
    ///
    /// ### Example
    ///
    /// ```promql
    /// vllm:kv_cache_usage_perc > 95           # never true
    /// vllm:kv_cache_usage_perc * 100 > 0.95   # nearly always true
    /// histogram_quantile(95, sum by (le) (rate(vllm:e2e_request_latency_seconds_bucket[5m])))
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// vllm:kv_cache_usage_perc > 0.95
    /// vllm:kv_cache_usage_perc * 100 > 95
    /// histogram_quantile(0.95, sum by (le) (rate(vllm:e2e_request_latency_seconds_bucket[5m])))
    /// ```
    ///
    /// ### Limits
    ///
    /// - A division is a fraction if its dividend is a part of its divisor: the same counter with more matchers, or
    ///   `_bucket` with one `le` over `_count`. Both sides have the same functions, windows and aggregations.
    /// - A threshold below 1 on a percentage is a warning.
    pub const RULE: Rule = Rule {
        name: "fraction-as-percent",
        summary: "a fraction from 0 to 1 is compared with, or displayed as, a percentage",
        group: Group::Type,
        level: Severity::Error,
        certain: "Certain for quantiles outside 0 to 1 and for fractions compared with more than 1. The rule assumes nothing of divisions that it cannot compare.",
        fixes: Fixes::Both { safe: "divides the threshold by 100, or sets the unit to `percentunit`", risky: "multiplies the threshold by 100, or changes the unit and divides thresholds and axis limits by 100" },
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    quantiles(cx, out);
    let one = Exact::from_integer(1);
    // Most comparisons are below: what they compare need not be known.
    let is_suspect = |c: &&Comparison<'_>| c.scale > one || c.threshold() > Some(one);
    for comparison in cx.comparisons().iter().filter(is_suspect) {
        if let Some((Measure::Fraction, series)) = cx.measure(comparison.subject) {
            let what = cx.named(comparison.subject, series);
            compared(cx, out, comparison, &what);
            scaled_twice(cx, out, comparison, series.name);
        }
    }
    shown(cx, out);
}

/// Compares the unit of the panel with the unit of the query.
fn shown(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    let Site::Panel(dashboard, panel, _) = cx.site else {
        return;
    };
    let is_percent = |unit: &&Text| unit.value == "percent" && !panel.overrides_units;
    let Some(unit) = panel.unit.as_ref().filter(is_percent) else {
        return;
    };
    let Some((Measure::Fraction, series)) = cx.measure(cx.expr) else {
        return;
    };
    let message = format!(
        "{} is a fraction from 0 to 1, but the panel has the unit `percent`",
        cx.named(cx.expr, series)
    );
    let finding = out
        .at(unit.span(), message)
        .help("set the unit to `percentunit`");
    let limits = quantity::limits(dashboard, panel).filter(|_| panel.targets.len() == 1);
    out.push(match limits.and_then(|limits| moved(cx, unit, &limits)) {
        Some(fix) => finding.fix(fix),
        None => {
            finding.help("adjust the thresholds, `min`, `max` and other queries of the panel, too")
        }
    });
}

/// The fix for the unit and all numbers that were written as percentages.
fn moved(cx: &QueryCx<'_, '_>, unit: &Text, limits: &[Spanned<f64>]) -> Option<Fix> {
    if limits.iter().all(|limit| limit.value <= 1.0) {
        return fixes::set_unit(cx, unit, "percentunit", Applicability::Safe);
    }
    let mut fix = fixes::set_unit(cx, unit, "percentunit", Applicability::Unsafe)?;
    fix.title += ", and thresholds and limits to fractions";
    let moved = limits.iter().filter(|limit| limit.value != 0.0);
    let edit = |limit: &Spanned<f64>| Edit::replace(limit.span, (limit.value / 100.0).to_string());
    fix.edits.extend(moved.map(edit));
    Some(fix)
}

/// `x * 100 > 0.95`: a threshold below one percent of a cache is implausible.
fn scaled_twice(cx: &QueryCx<'_, '_>, out: &mut Findings, comparison: &Comparison<'_>, name: &str) {
    let exact = Exact::from_integer;
    let half = Exact::new(1, 2);
    let percent = comparison.scale == exact(100);
    let fraction = half <= comparison.constant && comparison.constant < exact(1);
    let above = matches!(comparison.op, BinaryOp::Gt | BinaryOp::Ge);
    if !(percent && fraction && above && name.ends_with("_usage_perc")) {
        return;
    }
    let constant = cx.text(&comparison.constant_span);
    let message =
        format!("`{name} * 100` is a percentage: the threshold `{constant}` means {constant}%");
    let mut finding = out
        .at(cx.span(&comparison.constant_span), message)
        .label("a fraction?");
    finding.severity = Severity::Warning;
    let Some(new) = comparison.constant.checked_mul(&exact(100)).map(decimal) else {
        return out.push(finding);
    };
    let fix = cx.replace(&comparison.constant_span, &new, Applicability::Unsafe);
    out.push(finding.help(format!("use `{new}`")).maybe_fix(fix));
}

fn compared(cx: &QueryCx<'_, '_>, out: &mut Findings, comparison: &Comparison<'_>, what: &str) {
    let one = Exact::from_integer(1);
    let Some(threshold) = comparison.threshold().filter(|t| *t > one) else {
        return;
    };
    let always = match comparison.op {
        BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq => "never",
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Ne => "always",
        _ => return,
    };
    let constant = cx.text(&comparison.constant_span);
    let message = format!(
        "{what} is a fraction from 0 to 1: `{} {constant}` is {always} true",
        comparison.op
    );
    let finding = out
        .at(cx.span(&comparison.constant_span), message)
        .label("a percentage?");
    out.push(with_fix(cx, comparison, threshold, finding));
}

/// Functions whose first argument is a quantile.
const OF_QUANTILES: [&str; 2] = ["histogram_quantile", "quantile_over_time"];

/// `histogram_quantile(95, …)`: Prometheus returns `+Inf` for a quantile above 1, and `-Inf` for one below 0.
fn quantiles(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for node in cx.expressions() {
        let (name, quantile) = match &node.kind {
            ExprKind::Call(call) if OF_QUANTILES.contains(&call.function.text.as_str()) => {
                (call.function.text.as_str(), call.args.first())
            }
            ExprKind::Aggregate(a) if a.op == AggregateOp::Quantile => {
                ("quantile", a.param.as_deref())
            }
            _ => continue,
        };
        let Some((place, value)) = quantile.and_then(|q| Some((&q.span, exact_constant(q)?)))
        else {
            continue;
        };
        let exact = Exact::from_integer;
        let infinity = match value {
            value if value < exact(0) => "-Inf",
            value if value > exact(1) => "+Inf",
            _ => continue,
        };
        let message = format!(
            "`{name}` takes a fraction from 0 to 1: for `{}`, every result is `{infinity}`",
            cx.text(place)
        );
        let finding = out.at(cx.span(place), message);
        out.push(as_fraction(
            cx,
            value,
            place,
            Applicability::Unsafe,
            finding,
        ));
    }
}

/// Adds the fix that divides a percentage by 100. Hardly anybody means 1.1%.
fn as_fraction(
    cx: &QueryCx<'_, '_>,
    value: Exact,
    place: &TextSpan,
    applicability: Applicability,
    finding: Diagnostic,
) -> Diagnostic {
    let hundred = Exact::from_integer(100);
    if value < Exact::from_integer(2) || value > hundred {
        return finding.help("use a number from 0 to 1");
    }
    let new = decimal(value / hundred);
    let fix = cx.replace(place, &new, applicability);
    finding.help(format!("use `{new}`")).maybe_fix(fix)
}

/// Adds the fix that divides the constant by 100.
fn with_fix(
    cx: &QueryCx<'_, '_>,
    comparison: &Comparison<'_>,
    threshold: Exact,
    finding: Diagnostic,
) -> Diagnostic {
    if comparison.scale != Exact::from_integer(1) {
        return finding;
    }
    // Without the fix, the comparison never gives data.
    let applicability = match comparison.op {
        BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq => Applicability::Safe,
        _ => Applicability::Unsafe,
    };
    as_fraction(
        cx,
        threshold,
        &comparison.constant_span,
        applicability,
        finding,
    )
}
