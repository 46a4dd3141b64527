//! Alerts on conditions.
//!
//! `QueueOverflow: {severity: critical, when: {signal: queue_depth, above: 80}, for: 2m}` is an [`Alert`] that holds a
//! [`Condition`] for two minutes.

use super::{Condition, Links, Marks, Query, Slo, SloKind, words};
use crate::units::Duration;

/// An alert on a condition.
#[derive(Clone, Debug)]
pub struct Alert {
    /// Its name.
    pub name: String,
    /// Value of the `severity` label.
    pub severity: String,
    /// How long the condition must hold.
    pub hold: Duration,
    /// How often its rules are evaluated.
    pub evaluation: Duration,
    /// The condition.
    pub condition: Condition,
    /// Recorded values that the condition compares with.
    pub records: Vec<AlertRecord>,
    /// One line.
    pub summary: String,
    /// True when the author wrote it: then it may hold template code.
    pub summary_is_own: bool,
    /// What the summary leaves out, if anything.
    pub description: Option<String>,
    /// What to do first, if it is said.
    pub action: Option<String>,
    /// Where it points.
    pub links: Links,
    /// What else it carries.
    pub marks: Marks,
}

/// An alert on a condition: one of the spec's alerts, or that of a percentile objective.
#[derive(Clone, Debug)]
pub struct ConditionAlert<'a> {
    /// Its name.
    pub name: &'a str,
    /// Value of the `severity` label.
    pub severity: &'a str,
    /// The condition.
    pub condition: &'a Condition,
    /// How long the condition must hold.
    pub hold: Duration,
    /// One line; may hold template code of the author's.
    pub summary: String,
    /// What to do first, if it is said.
    pub action: Option<&'a str>,
    /// Where it points.
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
    /// The key of the expression: another one has a history of its own.
    pub part: String,
    /// The value.
    pub query: Query,
}
