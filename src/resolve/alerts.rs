//! Alerts: conditions with what the on-call person needs to know.
//!
//! `QueueOverflow: {severity: critical, when: {signal: queue_depth, above: 80}, for: 2m}` gets a summary where the
//! author wrote none, links to its runbook and panel, and a name that no other alert, file or anchor takes.

use super::conditions::{ABSENT_MEMORY, Resolver};
use super::context::Context;
use super::templates;
use crate::diag::Diagnostic;
use crate::naming;
use crate::plan::{Alert, Links, words};
use crate::source::Span;
use crate::spec::{self, Text};
use crate::units::Duration;

/// All alerts of a spec.
pub(super) fn resolve(cx: &mut Context<'_>) -> Vec<Alert> {
    let spec = cx.spec;
    check_names(cx);
    spec.alerts
        .iter()
        .filter_map(|(name, alert)| one(cx, name, alert))
        .collect()
}

/// Alerts with different names may not meet in groups, files or anchors, nor in the alerts of SLOs.
fn check_names(cx: &mut Context<'_>) {
    let spec = cx.spec;
    let mut taken: Vec<(String, &Text, &str)> = Vec::new();
    for (name, slo) in &spec.slos {
        let alert = slo_alert_name(&name.value, slo.sli.value.percentile.is_some());
        claim(cx, &mut taken, alert, name, "SLO");
    }
    for name in spec.alerts.keys() {
        claim(cx, &mut taken, name.value.clone(), name, "alert");
    }
}

/// Takes a name for the alert or SLO `owner`, unless another has one too much like it.
fn claim<'a>(
    cx: &mut Context<'_>,
    taken: &mut Vec<(String, &'a Text, &'static str)>,
    alert: String,
    owner: &'a Text,
    what: &'static str,
) {
    let (kebab, anchor) = (naming::kebab(&alert), naming::anchor(&alert));
    let same = |other: &str| naming::kebab(other) == kebab || naming::anchor(other) == anchor;
    let Some((other, first, of)) = taken.iter().find(|(other, ..)| same(other)) else {
        taken.push((alert, owner, what));
        return;
    };
    let message = match (*of, what) {
        ("SLO", "SLO") => format!("the alerts of `{owner}` and `{first}` have the same name"),
        ("SLO", _) => format!("`{owner}` is the name of the alert of the SLO `{first}`"),
        _ => format!(
            "`{owner}` and `{first}` become the same name, `{}`",
            naming::kebab(other)
        ),
    };
    let error = Diagnostic::error("duplicate-name", owner.span, message);
    cx.sink
        .push(error.related(first.span, format!("this {of}")));
}

/// Where a condition asks for absence.
fn absence(condition: &spec::Condition) -> Option<Span> {
    let parts = [&condition.all, &condition.any].into_iter().flatten();
    let mut parts = parts.flat_map(|list| &list.value);
    let own = condition.absent.map(|absent| absent.span);
    own.or_else(|| parts.find_map(|part| absence(&part.value)))
}

/// A group that is gone longer than it is remembered is never named.
fn check_hold(cx: &mut Context<'_>, name: &Text, alert: &spec::Alert) {
    let Some((hold, absent)) = alert.hold.zip(absence(&alert.when.value)) else {
        return;
    };
    if hold.value >= ABSENT_MEMORY {
        let message =
            format!("`{name}` can never name a group: one is missed for {ABSENT_MEMORY} at most");
        let error = Diagnostic::error("never-firing", hold.span, message)
            .related(absent, "groups that are gone are missed here")
            .help("hold it for less, such as `for: 5m`");
        cx.sink.push(error);
    }
}

fn one(cx: &mut Context<'_>, name: &Text, alert: &spec::Alert) -> Option<Alert> {
    cx.check_severity(&alert.severity);
    check_hold(cx, name, alert);
    let mut resolver = Resolver {
        cx,
        alert: &name.value,
        hold: alert.hold.map_or(Duration::default(), |h| h.value),
        records: Vec::new(),
    };
    let condition = resolver.condition(&alert.when)?;
    let records = resolver.records;
    let own = [&alert.summary, &alert.description, &alert.action];
    for text in own.into_iter().flatten() {
        templates::check(cx, text, &condition.query().expr);
    }
    let summary = match &alert.summary {
        Some(text) => text.value.trim().to_owned(),
        None => words::capital(&words::condition(&condition)),
    };
    Some(Alert {
        name: name.value.clone(),
        severity: alert.severity.value.clone(),
        hold: alert.hold.map_or(Duration::default(), |h| h.value),
        condition,
        records,
        summary,
        summary_is_own: alert.summary.is_some(),
        description: alert
            .description
            .as_ref()
            .map(|d| d.value.trim().to_owned()),
        action: alert.action.as_ref().map(|a| a.value.trim().to_owned()),
        links: cx.links(&name.value, alert.runbook.as_ref()),
    })
}

impl Context<'_> {
    /// Where an alert points; a spec without `links` has been rejected already.
    pub(super) fn links(&mut self, alert: &str, runbook: Option<&Text>) -> Links {
        if let Some(name) = runbook {
            self.check_name(name, true);
        }
        let links = self.spec.links.as_ref();
        let page = runbook.map(|name| name.value.clone());
        let base = |pick: fn(&spec::Links) -> &Text| links.map_or("", |l| &pick(l).value);
        Links {
            runbook: naming::runbook_url(base(|l| &l.runbooks), page.as_deref(), alert),
            page,
            dashboard: naming::dashboard_url(base(|l| &l.grafana), &self.spec.service.name.value),
        }
    }

    /// A severity is a label value that routing rules name: a plain word.
    pub(super) fn check_severity(&mut self, severity: &Text) {
        if naming::check_name(&severity.value, false).is_err() {
            let message = format!("`{}` is not a severity", severity.value.escape_debug());
            let error = Diagnostic::error("bad-name", severity.span, message);
            self.sink
                .push(error.help("use one word, such as `critical` or `warning`"));
        }
    }
}

/// Name of an SLO's alerts, by what they are made from.
pub(super) fn slo_alert_name(name: &str, percentile: bool) -> String {
    if percentile {
        naming::percentile_alert(name)
    } else {
        naming::burn_alert(name)
    }
}
