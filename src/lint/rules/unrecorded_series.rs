//! Series of SLOs and signals that no rule records.

use crate::diag::{Fixes, Group, Severity, did_you_mean, one_of};
use crate::lint::query::{QueryCx, Series};
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::lint::scope::{Labels, OF_SERVICE};
use crate::naming::{SERVICE, WINDOW};
use crate::promql::ast::MatchOp;

declare_rule! {
    /// ### What it does
    ///
    /// Reports queries on series of SLOs and signals that no rule of the same run records: with an unknown `slo` or
    /// `window` of a service that has rules in the run, or with a misspelled `service`.
    ///
    /// ### Why
    ///
    /// The query never has a value: the alert never fires, and the panel is empty.
    ///
    /// ### Example
    ///
    /// ```promql
    /// slo:error_ratio:rate{service="cart", slo="success", window="3h"} > 0.01
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// slo:error_ratio:rate{service="cart", slo="success", window="6h"} > 0.01
    /// ```
    ///
    /// ### Limits
    ///
    /// - Only series whose recording rules set `service` are checked, as the rules that slosmith generates do.
    /// - A service without rules in the run can have its rules elsewhere. It is reported only if a service of the run has
    ///   a similar name.
    pub const RULE: Rule = Rule {
        name: "unrecorded-series",
        summary: "no recording rule writes series with these labels",
        group: Group::Slo,
        level: Severity::Warning,
        certain: "Certain if the run has all rules of the service. The rule assumes that the files of one run are loaded together.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    if cx.is_evaluated() {
        for series in cx.series {
            check_series(cx, out, series);
        }
    }
}

fn check_series(cx: &QueryCx<'_, '_>, out: &mut Findings, series: &Series<'_, '_>) {
    let mut written: Vec<&Labels> = cx.scope.written(series.name).iter().collect();
    let mut by_service = false;
    for (i, label) in OF_SERVICE.into_iter().enumerate() {
        let known: Option<Vec<_>> = written.iter().map(|set| set[i].as_deref()).collect();
        // A rule that does not set the label may take it from its query.
        let Some(mut known) = known else {
            return;
        };
        let mut matchers = series.context.selector.matchers.iter();
        let Some(matcher) = matchers.find(|m| {
            m.label.text == label && m.op == MatchOp::Equal && m.value.placeholders.is_empty()
        }) else {
            continue;
        };
        let wanted = matcher.value.value.as_str();
        if known.contains(&wanted) {
            by_service |= label == SERVICE;
            written.retain(|set| set[i].as_deref() == Some(wanted));
            continue;
        }
        known.sort_unstable();
        known.dedup();
        let slip = did_you_mean(wanted, known.iter().copied());
        if by_service || slip.is_some() {
            let message = format!(
                "no rule records `{}` with `{label}=\"{wanted}\"`",
                series.name
            );
            let finding = out.at(cx.span(&matcher.value_span), message);
            let slip = slip.filter(|_| label != WINDOW);
            out.push(finding.help(slip.unwrap_or_else(|| format!("use {}", one_of(&known)))));
        }
        return;
    }
}
