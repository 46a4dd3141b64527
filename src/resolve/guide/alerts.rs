//! Alerts as their runbooks tell of them: the same bounds, durations and queries.

use super::Builder;
use crate::plan::runbook::{AlertNote, Query};
use crate::plan::{
    Alert, BASE_WINDOW, Compare, Condition, EventSli, EventSlo, Kind, Signal, Slo, SloKind, words,
};
use crate::promql::ast::{Expr, ExprKind};
use crate::spec::Spec;
use crate::units::{Unit, decimal, shown};

/// Every comparison and absence in a condition.
fn leaves(condition: &Condition) -> Vec<&Condition> {
    match condition {
        Condition::All(parts, _) | Condition::Any(parts, _) => {
            parts.iter().flat_map(leaves).collect()
        }
        Condition::Unless(parts, _) => parts.iter().flat_map(leaves).collect(),
        leaf => vec![leaf],
    }
}

/// Signals of a condition.
pub(super) fn signals_of(condition: &Condition) -> Vec<Signal> {
    let leaves = leaves(condition).into_iter();
    let signals = leaves.filter_map(|leaf| match leaf {
        Condition::Compare(c) => Some(c.signal.clone()),
        Condition::Absent(a) => Some(a.signal.clone()),
        _ => None,
    });
    signals.collect()
}

/// Signals of everything that leads to a runbook.
pub(super) fn signals(slos: &[Slo], alerts: &[Alert], spec: &Spec, runbook: &str) -> Vec<Signal> {
    let mut found = Vec::new();
    for slo in slos
        .iter()
        .filter(|slo| slo_leads(spec, slo, Some(runbook)))
    {
        match &slo.kind {
            SloKind::Events(events) => match &events.sli {
                EventSli::Ratio { part, total, .. } => {
                    found.extend([Signal::clone(part), Signal::clone(total)]);
                }
                EventSli::Latency { signal, .. } => found.push(Signal::clone(signal)),
            },
            SloKind::Percentile(p) => found.push(p.signal.clone()),
        }
    }
    for alert in alerts
        .iter()
        .filter(|a| alert_leads(spec, a, Some(runbook)))
    {
        found.extend(signals_of(&alert.condition));
    }
    found
}

fn slo_leads(spec: &Spec, slo: &Slo, runbook: Option<&str>) -> bool {
    let declared = spec.slos.get(slo.name.as_str());
    let own = declared.and_then(|slo| slo.runbook.as_ref());
    own.map(|name| name.value.as_str()) == runbook
}

fn alert_leads(spec: &Spec, alert: &Alert, runbook: Option<&str>) -> bool {
    let declared = spec.alerts.get(alert.name.as_str());
    let own = declared.and_then(|alert| alert.runbook.as_ref());
    own.map(|name| name.value.as_str()) == runbook
}

/// The value that a comparison judges, without the comparison.
pub(super) fn value(condition: &Condition) -> &Expr {
    let expr = &condition.query().expr;
    match (condition, &expr.kind) {
        (Condition::Compare(c), ExprKind::Binary(binary))
            if matches!(c.bound, crate::plan::Bound::Fixed(..)) =>
        {
            &binary.lhs
        }
        _ => expr,
    }
}

impl Builder<'_, '_> {
    /// Alerts that lead to a runbook, or those that lead to none; objectives first.
    pub(super) fn notes(&self, runbook: Option<&str>) -> Vec<AlertNote> {
        let spec = self.cx.spec;
        let slos = self.slos.iter().filter(|slo| slo_leads(spec, slo, runbook));
        let alerts = self.alerts.iter();
        let alerts = alerts.filter(|alert| alert_leads(spec, alert, runbook));
        let slos = slos.filter_map(|slo| self.objective(slo));
        slos.chain(alerts.map(|alert| self.alert(alert))).collect()
    }

    fn alert(&self, alert: &Alert) -> AlertNote {
        AlertNote {
            name: alert.name.clone(),
            severity: alert.severity.clone(),
            summary: alert.summary.clone(),
            when: vec![words::condition_held(&alert.condition, alert.hold)],
            action: alert.action.clone(),
            queries: self.queries(&alert.condition),
            dashboard: alert.links.dashboard.clone(),
            alarms: self.alarms(|name| name == alert.name),
        }
    }

    /// What each part of a condition judges.
    fn queries(&self, condition: &Condition) -> Vec<Query> {
        let leaves = leaves(condition).into_iter();
        let queries = leaves.map(|leaf| match leaf {
            Condition::Compare(c) => self.query(title(c), value(leaf)),
            Condition::Absent(_) => self.query("Series that are gone", value(leaf)),
            _ => self.query("The alert's own query", value(leaf)),
        });
        queries.collect()
    }

    fn alarms(&self, named: impl Fn(&str) -> bool) -> Vec<String> {
        let parity = self.cloudwatch.iter().flat_map(|cw| &cw.parity);
        let found = parity.filter(|entry| named(&entry.name));
        found.filter_map(|entry| entry.resource.clone()).collect()
    }

    fn objective(&self, slo: &Slo) -> Option<AlertNote> {
        let of_slo = format!("{}: ", slo.name);
        let alarms = self.alarms(|name| name.starts_with(&of_slo));
        let note = |severity: String, when: Vec<String>, queries: Vec<Query>| AlertNote {
            name: slo.alert_name.clone(),
            severity,
            summary: format!("{}: {}", slo.title, slo.description),
            when,
            action: None,
            queries,
            dashboard: slo.links.dashboard.clone(),
            alarms,
        };
        match &slo.kind {
            SloKind::Percentile(p) => {
                let alert = p.alert.as_ref()?;
                let when = words::condition_held(&alert.condition, alert.hold);
                let objective = format!("the objective is below {} over {}", p.below.1, slo.period);
                let queries = self.queries(&alert.condition);
                Some(note(alert.severity.clone(), vec![when, objective], queries))
            }
            SloKind::Events(events) if events.tiers.is_empty() => None,
            SloKind::Events(events) => {
                let mut severities: Vec<_> =
                    events.tiers.iter().map(|t| t.severity.clone()).collect();
                severities.dedup();
                let queries = self.ratio(events);
                Some(note(severities.join(", "), tiers(slo, events), queries))
            }
        }
    }

    /// The error ratio of the last minutes, from the counters.
    fn ratio(&self, events: &EventSlo) -> Vec<Query> {
        let base = events
            .ratios
            .iter()
            .find(|ratio| ratio.window == BASE_WINDOW);
        let title = format!("Share of bad events in {BASE_WINDOW}");
        base.map(|ratio| self.query(title, &ratio.expr))
            .into_iter()
            .collect()
    }
}

/// What a comparison judges, in words.
fn title(c: &Compare) -> String {
    let subject = words::capital(&words::subject(c));
    match c.signal.kind() {
        Kind::Gauge => subject,
        _ => format!("{subject}, over {}", c.window),
    }
}

fn tiers(slo: &Slo, events: &EventSlo) -> Vec<String> {
    let tier = |t: &crate::plan::Tier| {
        format!(
            "{} ({}): more than {} of all events are bad over {} and over {}, which is {} times what the \
             objective of {} over {} allows",
            t.name,
            t.severity,
            shown(t.threshold, Unit::Ratio),
            t.long,
            t.short,
            decimal(t.factor),
            shown(events.budget.objective, Unit::Ratio),
            slo.period,
        )
    };
    events.tiers.iter().map(tier).collect()
}
