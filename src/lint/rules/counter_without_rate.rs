//! Totals since the start where a rate is meant.

use crate::diag::{Applicability, Group, Severity};
use crate::lint::mend;
use crate::lint::query::{QueryCx, Series};
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::promql::ast::{AggregateOp, BinaryOp, Expr, ExprKind};
use crate::promql::usage::{Use, comparisons};

declare_rule! {
    /// A counter grows from the start of the server to its end. Compared with a number it tells how long the
    /// server has run; a quantile of raw buckets is one of all requests ever served, which hardly moves.
    ///
    /// ```promql
    /// histogram_quantile(0.95, sum by (le) (vllm:time_to_first_token_seconds_bucket))              # bad
    /// histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[5m])))    # good
    /// ```
    ///
    /// Totals that are only shown, counted or tested for absence are no finding.
    pub const RULE: Rule = Rule {
        name: "counter-without-rate",
        summary: "a counter is read as it is",
        group: Group::Type,
        level: Severity::Error,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    if !cx.is_evaluated() {
        return;
    }
    for series in cx.series {
        let raw = series.context.used() == Use::Instant && series.subject.is_counter();
        if !raw || is_harmless(cx, series) {
            continue;
        }
        let name = series.name;
        let message = if series.in_quantile() {
            format!(
                "`{name}` counts from the start of the server: this is a quantile of all time, not of now"
            )
        } else if is_compared(cx, series) {
            format!(
                "`{name}` only grows until the server restarts: this compares its total since the start"
            )
        } else if is_mean(cx, series) {
            format!(
                "`{name}` counts from the start of the server: this is an average of all time, not of now"
            )
        } else {
            continue;
        };
        let finding = out
            .at(cx.span(&series.context.span), message)
            .label("no rate");
        let window = mend::rate_window(cx.dialect());
        let place = &series.context.span;
        let rate = format!("rate({}[{window}])", cx.text(place));
        // A total that is compared is compared with a total: the number would have to change too.
        let replace = || cx.replace_expr(place, &rate, Applicability::Unsafe);
        let fix = series.in_quantile().then(replace).flatten();
        out.push(finding.help(format!("use `{rate}`")).maybe_fix(fix));
    }
}

/// Where the value itself does not matter, or a difference is taken.
fn is_harmless(cx: &QueryCx<'_, '_>, series: &Series<'_, '_>) -> bool {
    const BLIND: [&str; 4] = ["absent", "timestamp", "changes", "resets"];
    series.functions().any(|name| BLIND.contains(&name))
        || series.context.ancestors().any(|node| match &node.kind {
            ExprKind::Aggregate(a) => matches!(a.op, AggregateOp::Count | AggregateOp::Group),
            ExprKind::Binary(b) => {
                b.op == BinaryOp::Sub && both_sides(cx, &b.lhs, &b.rhs, series.name)
            }
            _ => false,
        })
}

fn both_sides(cx: &QueryCx<'_, '_>, lhs: &Expr, rhs: &Expr, name: &str) -> bool {
    let has = |side: &Expr| cx.series_in(side).any(|s| s.name == name);
    has(lhs) && has(rhs)
}

/// Compared with a number other than 0: whether something ever happened may be asked.
fn is_compared(cx: &QueryCx<'_, '_>, series: &Series<'_, '_>) -> bool {
    comparisons(cx.expr).iter().any(|comparison| {
        let zero = *comparison.constant.numer() == 0;
        !zero
            && cx
                .series_in(comparison.subject)
                .any(|s| std::ptr::eq(s, series))
    })
}

/// The upper side of a mean or of a share whose lower side is as raw: both since the start.
fn is_mean(cx: &QueryCx<'_, '_>, series: &Series<'_, '_>) -> bool {
    series.context.ancestors().any(|node| {
        let ExprKind::Binary(binary) = &node.kind else {
            return false;
        };
        let raw = |side: &Expr| {
            let mut inside = cx.series_in(side);
            inside.all(|s| s.context.used() == Use::Instant)
        };
        let upper = cx.series_in(&binary.lhs).any(|s| std::ptr::eq(s, series));
        upper
            && binary.op == BinaryOp::Div
            && raw(&binary.lhs)
            && raw(&binary.rhs)
            && cx.measure(node).is_some()
    })
}
