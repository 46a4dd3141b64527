//! Alerts on conditions.
//!
//! `QueueOverflow: {severity: critical, when: {signal: queue_depth, above: 80}, for: 2m}` is an [`Alert`] that holds a
//! [`Condition`] for two minutes.

use super::{Condition, Limit, Links, Marks, Query, Slo, Source};
use slosmith_text::units::Duration;

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
    /// What the team promises of the value that the condition compares.
    pub target: Option<Limit>,
    pub summary: String,
    /// True when the author wrote it: then it may hold template code.
    pub summary_is_own: bool,
    /// What the summary leaves out, if anything.
    pub description: Option<String>,
    pub action: Option<String>,
    pub links: Links,
    pub marks: Marks,
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
