//! Series of SLOs that no rule records.

use crate::lint::query::{QueryCx, Series};
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::lint::spec::RecordedSlo;
use slosmith_plan::plan::selection;
use slosmith_promql::ast::Matcher;
use slosmith_spec::naming::{self, SERVICE, SLO, WINDOW};
use slosmith_text::diag::{Fixes, Group, Severity, did_you_mean, one_of};

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
        let matcher =
            matchers.find(|m| m.label.text == label && m.value.placeholders.is_empty())?;
        Some((matcher, selection::named(matcher.op, &matcher.value.value)?))
    };
    let Some((service, services)) = asked(SERVICE) else {
        return;
    };
    let slos = cx.scope.slos();
    // Of several services, one may have its spec elsewhere.
    let is_one = services.len() == 1;
    for named in services {
        let of_service: Vec<_> = slos.iter().filter(|slo| slo.service == named).collect();
        if of_service.is_empty() {
            let known = slos.iter().map(|slo| slo.service.as_str());
            if let Some(help) = did_you_mean(&named, known).filter(|_| is_one) {
                report(cx, out, series, service, help);
            }
        } else if let Some((name, names)) = asked(SLO) {
            check_names(cx, out, series, (&of_service, name, &names), asked(WINDOW));
        }
    }
}

type Asked<'q> = (&'q Matcher, Vec<String>);

fn check_names(
    cx: &QueryCx<'_, '_>,
    out: &mut Findings,
    series: &Series<'_, '_>,
    (of_service, name, names): (&[&RecordedSlo], &Matcher, &[String]),
    window: Option<Asked<'_>>,
) {
    let mut slos = of_service
        .iter()
        .filter(|slo| names.contains(&slo.name))
        .peekable();
    if slos.peek().is_none() {
        let known: Vec<_> = of_service.iter().map(|slo| slo.name.as_str()).collect();
        let help = did_you_mean(&name.value.value, known.iter().copied());
        let help = help.unwrap_or_else(|| format!("use {}", one_of(&known)));
        return report(cx, out, series, name, help);
    }
    let Some(recorded) = slos
        .map(|slo| slo.series.as_ref())
        .collect::<Option<Vec<_>>>()
    else {
        return;
    };
    let recorded: Vec<_> = recorded.into_iter().flatten().collect();
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
    let is_known = |asked: &Asked<'_>| asked.1.iter().any(|window| windows.contains(window));
    if let Some((window, _)) = window.filter(|asked| !is_known(asked)) {
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
    let op = matcher.op.symbol();
    let message = format!("no rule records `{name}` with `{label}{op}\"{value}\"`");
    out.push(out.at(cx.span(&matcher.value_span), message).help(help));
}
