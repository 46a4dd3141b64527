//! Alerts: conditions with what the on-call person needs to know.

use super::conditions::Resolver;
use super::context::Context;
use super::describe;
use crate::diag::Diagnostic;
use crate::naming;
use crate::plan::Alert;
use crate::plan::alert::Links;
use crate::spec::{self, Text};
use crate::units::Duration;

/// All alerts of a spec.
pub(super) fn resolve(cx: &mut Context<'_>) -> Vec<Alert> {
    let spec = cx.spec;
    spec.alerts
        .iter()
        .filter_map(|(name, alert)| one(cx, name, alert))
        .collect()
}

fn one(cx: &mut Context<'_>, name: &Text, alert: &spec::Alert) -> Option<Alert> {
    cx.check_severity(&alert.severity);
    let taken = cx.spec.slos.keys().find(|slo| {
        [
            naming::burn_alert(&slo.value),
            naming::percentile_alert(&slo.value),
        ]
        .contains(&name.value)
    });
    if let Some(slo) = taken {
        let message = format!("`{name}` is the name of the alert of the SLO `{slo}`");
        let error = Diagnostic::error("duplicate-name", name.span, message);
        cx.sink.push(error.related(slo.span, "this SLO"));
    }
    let mut resolver = Resolver {
        cx,
        alert: &name.value,
        records: Vec::new(),
    };
    let condition = resolver.condition(&alert.when)?;
    let records = resolver.records;
    let summary = match &alert.summary {
        Some(text) => text.value.clone(),
        None => describe::sentence(&condition),
    };
    Some(Alert {
        name: name.value.clone(),
        severity: alert.severity.value.clone(),
        hold: alert.hold.map_or(Duration::default(), |h| h.value),
        condition,
        records,
        summary,
        description: alert.description.as_ref().map(|d| d.value.clone()),
        action: alert.action.as_ref().map(|a| a.value.clone()),
        links: cx.links(&name.value, alert.runbook.as_ref()),
    })
}

impl Context<'_> {
    /// Where an alert points; a spec without `links` has been refused already.
    pub(super) fn links(&mut self, alert: &str, runbook: Option<&Text>) -> Links {
        if let Some(name) = runbook {
            self.check_name(name, true);
        }
        let links = self.spec.links.as_ref();
        let runbook = runbook.map(|r| r.value.as_str());
        let base = |pick: fn(&spec::Links) -> &Text| links.map_or("", |l| &pick(l).value);
        Links {
            runbook: naming::runbook_url(base(|l| &l.runbooks), runbook, alert),
            dashboard: naming::dashboard_url(base(|l| &l.grafana), &self.spec.service.name.value),
        }
    }

    /// A severity is a label value that routing rules name: a plain word.
    pub(super) fn check_severity(&mut self, severity: &Text) {
        if naming::refuse_name(&severity.value, false).is_some() {
            let message = format!("`{}` is not a severity", severity.value.escape_debug());
            let known = &self.spec.severities;
            let error = Diagnostic::error("bad-name", severity.span, message).help(format!(
                "use a word such as `{}` or `{}`",
                known.page, known.ticket
            ));
            self.sink.push(error);
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
