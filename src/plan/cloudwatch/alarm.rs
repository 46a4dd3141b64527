//! Alarms: on a value, on other alarms, or on PromQL.
//!
//! `{all: [a, b]}` is a `Composite` on `Rule::All` of two `MetricAlarm`s that have no severity of their own.

use super::Value;
use crate::plan::CompareOp;
use crate::spec::{LowSamples, Missing, Side};
use crate::units::Number;

/// An alarm.
#[derive(Clone, Debug)]
pub struct Alarm {
    /// Unique in its region.
    pub name: String,
    /// For people.
    pub description: String,
    /// Whose actions it takes; none for a part of another alarm.
    pub severity: Option<String>,
    /// What it looks at.
    pub kind: AlarmKind,
    /// Tags beside those of every alarm.
    pub tags: Vec<(String, String)>,
}

/// What an alarm looks at.
#[derive(Clone, Debug)]
pub enum AlarmKind {
    /// Metrics, or an expression over them.
    Metric(Box<MetricAlarm>),
    /// Other alarms.
    Composite(Composite),
    /// PromQL.
    PromQl(PromQl),
}

/// An alarm on metrics.
#[derive(Clone, Debug)]
pub struct MetricAlarm {
    /// What is compared.
    pub value: Value,
    /// What the value is, for people.
    pub label: String,
    /// With what.
    pub test: Test,
    /// Seconds of a data point.
    pub period: u64,
    /// Data points that are looked at.
    pub evaluate: u32,
    /// Data points that must be beyond the threshold.
    pub datapoints: u32,
    /// What a missing data point counts as.
    pub missing: Missing,
    /// What a percentile of few samples counts as.
    pub low_samples: Option<LowSamples>,
}

/// What a value is compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Test {
    /// A number, in the metric's unit.
    Threshold(CompareOp, Number),
    /// The anomaly detection band, so many standard deviations wide.
    Band(Side, Number),
}

/// An alarm on other alarms.
#[derive(Clone, Debug)]
pub struct Composite {
    /// When it holds.
    pub rule: Rule,
    /// While the suppressor fires, this alarm sends no notifications.
    pub suppressor: Option<Suppressor>,
}

/// A rule over other alarms.
#[derive(Clone, Debug)]
pub enum Rule {
    /// The alarm of this name fires.
    Alarm(String),
    /// All hold.
    All(Vec<Rule>),
    /// One holds.
    Any(Vec<Rule>),
    /// The first holds and the second does not.
    Unless(Box<[Rule; 2]>),
}

impl Rule {
    /// Names of the alarms in it.
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
    /// Its name.
    pub alarm: String,
    /// Seconds to wait for it.
    pub wait: u64,
    /// Seconds it goes on after it.
    pub extension: u64,
}

/// An alarm on PromQL.
#[derive(Clone, Debug)]
pub struct PromQl {
    /// Gives elements exactly while the alarm fires.
    pub query: String,
    /// Seconds it must hold.
    pub pending: u64,
    /// Seconds between two looks.
    pub interval: u64,
}
