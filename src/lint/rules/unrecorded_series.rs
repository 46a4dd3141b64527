//! Series of SLOs that no rule records.

use crate::diag::{Fixes, Group, Severity, did_you_mean, one_of};
use crate::lint::query::{QueryCx, Series};
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::lint::spec::RecordedSlo;
use crate::naming::{self, SERVICE, SLO, WINDOW};
use crate::promql::ast::{MatchOp, Matcher};

declare_rule! {
    /// ### What it does
    ///
    /// Reports queries on series of SLOs that no generated rule records: with an unknown name, `slo` or `window` of a service
    /// whose spec is in the run, or with a misspelled `service`. Only error ratios have all windows.
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
    /// - Only SLOs of specs in the run are known: lint the folder of the project.
    /// - A service without a spec in the run can have its spec elsewhere. It is reported only if a service of the run has a
    ///   similar name.
    pub const RULE: Rule = Rule {
        name: "unrecorded-series",
        summary: "no generated rule records series with these labels",
        group: Group::Slo,
        level: Severity::Warning,
        certain: "Certain for a service whose spec is in the run. The rule assumes that its rules are generated from this spec.",
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
    if !naming::is_of_slo(series.name) {
        return;
    }
    let asked = |label: &str| {
        let mut matchers = series.context.selector.matchers.iter();
        matchers.find(|m| {
            m.label.text == label && m.op == MatchOp::Equal && m.value.placeholders.is_empty()
        })
    };
    let Some(service) = asked(SERVICE) else {
        return;
    };
    let slos = cx.scope.slos();
    let of_service = |slo: &&RecordedSlo| slo.service == service.value.value;
    let of_service: Vec<_> = slos.iter().filter(of_service).collect();
    if of_service.is_empty() {
        let services = slos.iter().map(|slo| slo.service.as_str());
        if let Some(help) = did_you_mean(&service.value.value, services) {
            report(cx, out, series, service, help);
        }
        return;
    }
    let Some(name) = asked(SLO) else {
        return;
    };
    let mut named = of_service.iter();
    let Some(slo) = named.find(|slo| slo.name == name.value.value) else {
        let known: Vec<_> = of_service.iter().map(|slo| slo.name.as_str()).collect();
        let help = did_you_mean(&name.value.value, known.iter().copied());
        let help = help.unwrap_or_else(|| format!("use {}", one_of(&known)));
        return report(cx, out, series, name, help);
    };
    let Some(recorded) = &slo.series else {
        return;
    };
    let windows = recorded.iter().filter(|(name, _)| *name == series.name);
    let mut windows: Vec<_> = windows.map(|(_, window)| *window).collect();
    if windows.is_empty() {
        // A rule of the author may record another name.
        if naming::OF_SLOS.contains(&series.name) || !cx.scope.is_recorded(series.name) {
            let known: Vec<_> = recorded.iter().map(|(name, _)| *name).collect();
            unknown_name(cx, out, series, known);
        }
        return;
    }
    windows.sort();
    windows.dedup();
    let windows: Vec<_> = windows.into_iter().flatten().collect();
    let windows: Vec<_> = windows.iter().map(ToString::to_string).collect();
    let known = |window: &&Matcher| windows.contains(&window.value.value);
    if let Some(window) = asked(WINDOW).filter(|window| !known(window)) {
        let help = match windows.is_empty() {
            true => format!("remove the matcher: `{}` has no `{WINDOW}`", series.name),
            false => format!("use {}", one_of(&windows)),
        };
        report(cx, out, series, window, help);
    }
}

fn unknown_name(
    cx: &QueryCx<'_, '_>,
    out: &mut Findings,
    series: &Series<'_, '_>,
    mut known: Vec<&'static str>,
) {
    known.sort_unstable();
    known.dedup();
    let help = did_you_mean(series.name, known.iter().copied());
    let help = help.unwrap_or_else(|| format!("use {}", one_of(&known)));
    let message = format!("no rule of this SLO records `{}`", series.name);
    out.push(out.at(cx.span(&series.name_span), message).help(help));
}

fn report(
    cx: &QueryCx<'_, '_>,
    out: &mut Findings,
    series: &Series<'_, '_>,
    matcher: &Matcher,
    help: String,
) {
    let (name, label, value) = (series.name, &matcher.label.text, &matcher.value.value);
    let message = format!("no rule records `{name}` with `{label}=\"{value}\"`");
    out.push(out.at(cx.span(&matcher.value_span), message).help(help));
}
