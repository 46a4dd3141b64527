//! PromQL beside what the spec declares: jobs, alerts, units of its metrics.

use super::{equal, is_now};
use crate::context::Context;
use crate::matchers::JOB;
use crate::names::slo_alert_name;
use slosmith_catalog::meant_value;
use slosmith_promql::ast::{AggregateOp, BinaryOp, Call, Expr, ExprKind, Selector};
use slosmith_promql::{split_series, visit};
use slosmith_spec::spec::Text;
use slosmith_text::diag::Diagnostic;

/// Warns of what the query and the declarations cannot both mean.
pub(super) fn doubt(cx: &mut Context<'_>, text: &Text, expr: &Expr) {
    for selector in visit::selectors(expr) {
        let found = other_job(cx, text, selector).or_else(|| unknown_alert(cx, text, selector));
        if let Some(warning) = found {
            cx.sink.push(warning);
        }
    }
    let (mut of_time, mut external) = (None, None);
    visit::walk(expr, &mut |node| {
        of_time = of_time.take().or_else(|| milliseconds(cx, text, node));
        external = external.take().or_else(|| external_label(cx, text, node));
    });
    for warning in of_time.into_iter().chain(external) {
        cx.sink.push(warning);
    }
}

/// A label that Prometheus adds on sending: rules see no series with it.
fn external_label(cx: &Context<'_>, text: &Text, node: &Expr) -> Option<Diagnostic> {
    let used: Vec<_> = match &node.kind {
        ExprKind::Selector(selector) => selector.matchers.iter().map(|m| &m.label).collect(),
        ExprKind::Aggregate(aggregate) => {
            let by = aggregate
                .grouping
                .iter()
                .filter(|grouping| !grouping.without);
            by.flat_map(|grouping| &grouping.labels).collect()
        }
        _ => return None,
    };
    let external = &cx.spec.prometheus.external_labels;
    let name = used
        .into_iter()
        .find(|name| external.iter().any(|label| label.value == name.text))?;
    let message = format!(
        "`{}` is an external label: the rules see no series with it",
        name.text
    );
    let at = cx.document.inside(text, name.span.clone());
    Some(Diagnostic::warning("external-label", at, message).help(
        "remove the label, or let rules in the store that has the series of all servers compare them: `prometheus: {ruler: thanos}`, with the label in `scrape_labels`",
    ))
}

/// Warns of a rate of events that is read as a share: nothing divides it. Seconds in a second are a share.
pub(crate) fn doubt_share(cx: &mut Context<'_>, text: &Text, expr: &Expr) {
    let mut inner = visit::bare(expr);
    while let ExprKind::Aggregate(aggregate) = &inner.kind {
        inner = visit::bare(&aggregate.expr);
    }
    let is_rate = |call: &Call| matches!(&*call.function.text, "rate" | "irate" | "increase");
    let ExprKind::Call(call) = &inner.kind else {
        return;
    };
    let selector = visit::selectors(inner).into_iter().next();
    let name = selector.and_then(|selector| selector.metric.as_ref());
    let of_time = |name: &str| name.split('_').any(|word| word == "seconds");
    let Some(name) = name.filter(|name| is_rate(call) && !of_time(&name.text)) else {
        return;
    };
    let at = cx.document.inside(text, name.span.clone());
    let message = format!(
        "the rate of `{}` is a number of events, not a share",
        name.text
    );
    let warning = Diagnostic::warning("wrong-unit", at, message);
    cx.sink
        .push(warning.help("divide it by the rate of all events, or write the unit of the events"));
}

/// A metric that signals declare with other jobs.
fn other_job(cx: &Context<'_>, text: &Text, selector: &Selector) -> Option<Diagnostic> {
    let name = &selector.metric.as_ref()?.text;
    let job = equal(selector, JOB)?;
    let bindings = cx.spec.signals.values();
    let bindings = bindings.filter_map(|signal| signal.prometheus.as_ref());
    let declared: Option<Vec<&str>> = bindings
        .filter(|binding| {
            let metric = binding.value.metric.as_ref();
            metric.is_some_and(|metric| [name, split_series(name).0].contains(&&*metric.value))
        })
        .map(|binding| Some(binding.value.job.as_ref()?.value.as_str()))
        .collect();
    let declared = declared?;
    let first = declared.first()?;
    if declared.contains(&job.value.value.as_str()) {
        return None;
    }
    let at = cx.document.inside(text, job.value_span.clone());
    let message = format!(
        "the query selects the job `{}`, and the spec declares `{name}` with the job `{first}`",
        job.value.value
    );
    let warning = Diagnostic::warning("contradiction", at, message);
    Some(warning.help(format!(
        "write `job=\"{first}\"`, or declare a signal with the other job"
    )))
}

/// `ALERTS` of a name one slip away from an alert of the spec.
fn unknown_alert(cx: &Context<'_>, text: &Text, selector: &Selector) -> Option<Diagnostic> {
    let is_alerts = |name: &str| matches!(name, "ALERTS" | "ALERTS_FOR_STATE");
    let metric = selector.metric.as_ref()?;
    let name = equal(selector, "alertname").filter(|_| is_alerts(&metric.text))?;
    let slos = cx.spec.slos.iter();
    let of_slos: Vec<_> = slos.map(|(slo, spec)| slo_alert_name(slo, spec)).collect();
    let own = cx.spec.alerts.keys().map(|name| name.value.as_str());
    let known: Vec<_> = own.chain(of_slos.iter().map(String::as_str)).collect();
    let value = name.value.value.as_str();
    let meant = meant_value(value, &known).filter(|_| !known.contains(&value))?;
    let at = cx.document.inside(text, name.value_span.clone());
    let message = format!("the spec has no alert `{value}`");
    let warning = Diagnostic::warning("unknown-name", at, message);
    Some(warning.help(format!("did you mean `{meant}`?")))
}

/// Seconds of `time()` and milliseconds of a metric in one sum.
fn milliseconds(cx: &Context<'_>, text: &Text, node: &Expr) -> Option<Diagnostic> {
    let ExprKind::Binary(b) = &node.kind else {
        return None;
    };
    let past = match (is_now(&b.lhs), is_now(&b.rhs)) {
        (true, false) => &b.rhs,
        (false, true) => &b.lhs,
        _ => return None,
    };
    let in_milliseconds = |name: &str| {
        let unit = name.rsplit('_').next().unwrap_or_default();
        matches!(unit, "milliseconds" | "millis" | "ms")
    };
    // A division or a multiplication may convert it.
    let read = match &visit::bare(past).kind {
        ExprKind::Aggregate(a) if matches!(a.op, AggregateOp::Max | AggregateOp::Min) => &a.expr,
        _ => past,
    };
    let ExprKind::Selector(selector) = &visit::bare(read).kind else {
        return None;
    };
    let name = selector.metric.as_ref()?;
    let is_sum = matches!(b.op, BinaryOp::Sub | BinaryOp::Add);
    if !is_sum || !in_milliseconds(&name.text) {
        return None;
    }
    let at = cx.document.inside(text, name.span.clone());
    let message = format!(
        "`time()` is in seconds, and `{}` in milliseconds",
        name.text
    );
    let warning = Diagnostic::warning("wrong-unit", at, message);
    Some(warning.help(format!("divide: `{} / 1000`", name.text)))
}
