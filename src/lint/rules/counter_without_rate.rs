//! Totals since the start where a rate is meant.

use crate::diag::{Applicability, RuleInfo, Severity};
use crate::lint::mend;
use crate::lint::query::{QueryCx, Series};
use crate::lint::rule::{Check, Findings, Rule};
use crate::promql::ast::{AggregateOp, BinaryOp, Expr, ExprKind};
use crate::promql::rewrite::replace_node;
use crate::promql::usage::{Use, comparisons};

/// See [`RuleInfo::docs`].
pub const RULE: Rule = Rule {
    info: RuleInfo {
        name: "counter-without-rate",
        summary: "a counter is read as it is",
        docs: "A counter grows from the start of the server to its end. Compared with a number it tells how long the server has run; a quantile of raw buckets is one of all requests ever served, which hardly moves.\n\
               \n\
               ```promql\n\
               histogram_quantile(0.95, sum by (le) (vllm:time_to_first_token_seconds_bucket))              # bad\n\
               histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[5m])))    # good\n\
               ```\n\
               \n\
               Totals that are only shown, counted or tested for absence are no finding.",
        level: Severity::Error,
        since: "0.1.0",
    },
    check: Check::Query(check),
};

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
        let edit = series.in_quantile();
        let edit = edit
            .then(|| replace_node(&cx.query.text, place, &rate, cx.dialect()))
            .flatten();
        let fix = edit.and_then(|edit| {
            cx.fix(
                format!("replace with `{rate}`"),
                &[edit],
                Applicability::Unsafe,
            )
        });
        out.push(mend::with(finding.help(format!("use `{rate}`")), fix));
    }
}

/// Where the value itself does not matter, or a difference is taken.
fn is_harmless(cx: &QueryCx<'_, '_>, series: &Series<'_, '_>) -> bool {
    const BLIND: [&str; 4] = ["absent", "timestamp", "changes", "resets"];
    series.functions().any(|name| BLIND.contains(&name))
        || series
            .context
            .ancestors
            .iter()
            .any(|node| match &node.kind {
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
