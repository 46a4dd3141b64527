//! Alerts on conditions.
//!
//! `QueueOverflow: {severity: critical, when: {signal: queue_depth, above: 80}, for: 2m}` is an [`Alert`] that holds a
//! [`Condition`] for two minutes.

use super::{Condition, Links, Marks, Query, Slo, SloKind, Source, words};
use crate::units::Duration;

#[derive(Clone, Debug)]
pub struct Alert {
    pub name: String,
    pub severity: String,
    pub hold: Duration,
    /// Time that it keeps firing after its condition has ended.
    pub keep: Duration,
    pub evaluation: Duration,
    pub condition: Condition,
    /// Recorded values that the condition compares with.
    pub records: Vec<AlertRecord>,
    pub summary: String,
    /// True when the author wrote it: then it may hold template code.
    pub summary_is_own: bool,
    /// What the summary leaves out, if anything.
    pub description: Option<String>,
    pub action: Option<String>,
    pub links: Links,
    pub marks: Marks,
}

/// An alert on a condition: one of the spec's alerts, or that of a percentile objective.
#[derive(Clone, Debug)]
pub struct ConditionAlert<'a> {
    pub name: &'a str,
    pub severity: &'a str,
    pub condition: &'a Condition,
    pub hold: Duration,
    pub summary: String,
    pub action: Option<&'a str>,
    pub links: &'a Links,
}

/// All alerts on conditions: those of percentile objectives, then the spec's own, in its order.
pub fn on_conditions<'a>(
    slos: &'a [Slo],
    alerts: &'a [Alert],
) -> impl Iterator<Item = ConditionAlert<'a>> {
    slos.iter()
        .filter_map(of_percentile)
        .chain(alerts.iter().map(Alert::on_condition))
}

fn of_percentile(slo: &Slo) -> Option<ConditionAlert<'_>> {
    let SloKind::Percentile(percentile) = &slo.kind else {
        return None;
    };
    let alert = percentile.alert.as_ref()?;
    Some(ConditionAlert {
        name: &slo.alert_name,
        severity: &alert.severity,
        condition: &alert.condition,
        hold: alert.hold,
        summary: words::alert(slo, percentile, alert),
        action: None,
        links: &slo.links,
    })
}

impl Alert {
    fn on_condition(&self) -> ConditionAlert<'_> {
        ConditionAlert {
            name: &self.name,
            severity: &self.severity,
            condition: &self.condition,
            hold: self.hold,
            summary: self.summary.clone(),
            action: self.action.as_deref(),
            links: &self.links,
        }
    }
}

/// A value recorded because its own past is asked for.
#[derive(Clone, Debug)]
pub struct AlertRecord {
    /// The service, the alert, by their oldest names, and the key of the expression: another one has a history of its own.
    pub labels: [(&'static str, String); 3],
    pub query: Query,
}

/// Whose state it is that all is well, and what that rests on: missing data would be a state of its own.
pub fn about_fine(slos: &[Slo], alerts: &[Alert]) -> &'static str {
    let of_alerts = alerts.iter().flat_map(|a| a.condition.signals());
    let mut signals = slos.iter().flat_map(Slo::signals).chain(of_alerts);
    // No job is known of PromQL.
    match signals.any(|signal| !matches!(signal.source, Source::Raw(_))) {
        true => "all SLOs and alerts, with data from all jobs",
        false => "all SLOs and alerts",
    }
}
