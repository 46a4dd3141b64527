//! Alarms: on a value, on other alarms, or on PromQL.
//!
//! `{all: [a, b]}` is a `Composite` on `Rule::All` of two `MetricAlarm`s that have no severity of their own.

use super::Value;
use crate::plan::CompareOp;
use crate::spec::{LowSamples, Missing, Side};
use crate::units::Number;

#[derive(Clone, Debug)]
pub struct Alarm {
    /// Unique in its region.
    pub name: String,
    pub description: String,
    /// Whose actions it takes; none for a part of another alarm.
    pub severity: Option<String>,
    pub kind: AlarmKind,
    /// Tags beside those of every alarm.
    pub tags: Vec<(String, String)>,
}

#[derive(Clone, Debug)]
pub enum AlarmKind {
    Metric(Box<MetricAlarm>),
    Composite(Composite),
    PromQl(PromQl),
}

#[derive(Clone, Debug)]
pub struct MetricAlarm {
    pub value: Value,
    /// What the value is, for people.
    pub label: String,
    pub test: Test,
    pub period: u64,
    pub evaluate: u32,
    /// Data points that must be beyond the threshold.
    pub datapoints: u32,
    /// What a missing data point counts as.
    pub missing: Missing,
    /// What a percentile of few samples counts as.
    pub low_samples: Option<LowSamples>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Test {
    /// A number, in the metric's unit.
    Threshold(CompareOp, Number),
    /// The anomaly detection band, so many standard deviations wide.
    Band(Side, Number),
}

#[derive(Clone, Debug)]
pub struct Composite {
    /// When it holds.
    pub rule: Rule,
    /// While the suppressor fires, this alarm sends no notifications.
    pub suppressor: Option<Suppressor>,
}

#[derive(Clone, Debug)]
pub enum Rule {
    Alarm(String),
    All(Vec<Rule>),
    Any(Vec<Rule>),
    Unless(Box<[Rule; 2]>),
}

impl Rule {
    pub fn alarms(&self) -> Vec<&str> {
        match self {
            Rule::Alarm(alarm) => vec![alarm],
            Rule::All(rules) | Rule::Any(rules) => rules.iter().flat_map(Rule::alarms).collect(),
            Rule::Unless(rules) => rules.iter().flat_map(Rule::alarms).collect(),
        }
    }
}

/// An alarm that silences another.
#[derive(Clone, Debug)]
pub struct Suppressor {
    pub alarm: String,
    /// Seconds to wait for it.
    pub wait: u64,
    /// Seconds it goes on after it.
    pub extension: u64,
}

#[derive(Clone, Debug)]
pub struct PromQl {
    /// Gives elements exactly while the alarm fires.
    pub query: String,
    /// Seconds it must hold.
    pub pending: u64,
    /// Seconds between two looks.
    pub interval: u64,
}
