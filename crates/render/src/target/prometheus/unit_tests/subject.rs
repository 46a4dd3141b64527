//! Alerts as their tests see them.

use super::alert_test_name;
use crate::target::prometheus::annotations::{self, Annotations};
use crate::target::prometheus::rules;
use crate::target::prometheus::view::Pairs;
use slosmith_plan::plan::{Alert, AlertRecord, Condition, Plan};
use slosmith_promql::ast::Expr;
use slosmith_promql::sampled::Labels;
use slosmith_text::units::Duration;

/// An alert on a condition.
pub(super) struct Subject<'a> {
    pub(super) name: &'a str,
    pub(super) condition: &'a Condition,
    pub(super) hold: Duration,
    /// Time that it keeps firing after its condition.
    pub(super) keep: Duration,
    pub(super) labels: Pairs,
    pub(super) annotations: Annotations,
    pub(super) rule_file: String,
    pub(super) test_name: String,
    /// What is recorded for it: labels beside those of the value, and the value.
    pub(super) records: Vec<(Labels, &'a Expr)>,
}

impl<'a> Subject<'a> {
    pub(super) fn of_alert(plan: &Plan, alert: &'a Alert) -> Self {
        Self {
            name: &alert.name,
            condition: &alert.condition,
            hold: alert.hold,
            keep: alert.keep,
            labels: rules::condition_labels(plan, alert),
            annotations: annotations::condition(&plan.service, alert),
            rule_file: rules::alert_file(plan, alert),
            test_name: alert_test_name(&alert.name),
            records: alert.records.iter().map(record).collect(),
        }
    }
}

/// The labels and the value that a recording rule of an alert adds.
fn record(record: &AlertRecord) -> (Labels, &Expr) {
    let labels = record.labels.clone();
    let labels = labels.map(|(label, value)| (label.to_owned(), value));
    (labels.into(), &record.query.expr)
}
