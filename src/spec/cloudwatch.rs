//! CloudWatch: where its metrics come from, who is notified, and what an alarm does otherwise than usual.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Map, Text};
use crate::source::Spanned;
use crate::units::Duration;

/// Alarms and dashboards of the service in CloudWatch.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloudWatch {
    /// Where they live.
    pub region: Text,
    /// Twelve digits; those of the first action when absent.
    pub account: Option<Text>,
    /// Of the metrics that the service publishes, and of those that are scraped for it.
    pub namespace: Text,
    /// How the pages that Prometheus scrapes get to CloudWatch; `agent` when absent.
    #[serde(default)]
    pub via: Via,
    /// ARNs that an alarm notifies, by severity.
    #[serde(default)]
    pub actions: Map<Vec<Text>>,
    /// ARNs that an alarm notifies when its state is OK again, by severity; for pages those of `actions` when absent.
    pub ok_actions: Option<Map<Vec<Text>>>,
    /// ARNs that an alarm notifies when it has too little data, by severity.
    #[serde(default)]
    pub insufficient_data_actions: Map<Vec<Text>>,
    /// Tags of every alarm.
    #[serde(default)]
    pub tags: Map<Text>,
    /// Values of labels that are known: an alert by such a label gets an alarm for each of them. A label with one value
    /// tells nothing apart.
    #[serde(default)]
    pub values: Map<Spanned<Vec<Text>>>,
    /// When alarms notify nobody, by name.
    #[serde(default)]
    pub maintenance: Map<Maintenance>,
}

/// A maintenance window: alarms change their state in it, and notify nobody.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Maintenance {
    /// When it begins: `cron(0 2 * * SUN)` (minute, hour, day of the month, month, day of the week), or once
    /// `at(2027-01-01T02:00)`.
    pub schedule: Text,
    /// How long it takes: a minute to 15 days.
    pub duration: Spanned<Duration>,
    /// Where the schedule's hours are those of the clock, such as `Europe/Berlin`; `UTC` when absent.
    pub timezone: Option<Text>,
    /// What is done in it, for people.
    pub description: Option<Text>,
}

impl CloudWatch {
    /// ARNs by severity, for each state that an alarm can come into.
    pub fn all_actions(&self) -> impl Iterator<Item = (&Text, &Vec<Text>)> {
        let ok = self.ok_actions.iter().flatten();
        let alarm_and_ok = self.actions.iter().chain(ok);
        alarm_and_ok.chain(&self.insufficient_data_actions)
    }
}

/// How scraped pages get to CloudWatch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    /// The CloudWatch agent, as embedded metrics: counters become differences, histograms never arrive.
    #[default]
    Agent,
    /// OpenTelemetry: everything arrives, and only PromQL can ask for it.
    Otlp,
}

/// A metric of CloudWatch.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MetricBinding {
    /// Its name; the Prometheus family's when absent.
    pub metric: Option<Text>,
    /// Its namespace; the service's when absent. Another one means that somebody else publishes it.
    pub namespace: Option<Text>,
    /// What it is published in (`Milliseconds`, `Percent`, `Count`, …); the signal's base unit when absent.
    pub unit: Option<Text>,
    /// Dimensions it is published under, each set a metric of its own; the empty set alone when absent.
    pub dimension_sets: Option<Spanned<Vec<Vec<Text>>>>,
    /// Dimensions with the values that alarms and dashboards look at.
    pub dimensions: Map<Text>,
    /// `true`: the agent scrapes it from the Prometheus family, nobody publishes it.
    pub scraped: bool,
}

/// What an alarm does otherwise than its alert says; only where the default would differ.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AlarmOverride {
    /// Its name; service and alert when absent.
    pub name: Option<Text>,
    /// `Average`, `Sum`, `Minimum`, `Maximum`, `SampleCount`, `p95`, `TM(10%:90%)`, …
    pub statistic: Option<Text>,
    /// Seconds of a data point.
    pub period: Option<Spanned<Duration>>,
    /// Data points that are looked at.
    pub evaluate: Option<Spanned<u32>>,
    /// Data points that must be beyond the threshold; all when absent.
    pub datapoints: Option<Spanned<u32>>,
    /// What a missing data point counts as.
    pub missing: Option<Spanned<Missing>>,
    /// What a percentile of too few samples counts as; `evaluate` when absent.
    pub low_samples: Option<Spanned<LowSamples>>,
}

impl AlarmOverride {
    /// True when it changes what is looked at, or how often.
    pub fn changes_timing(&self) -> bool {
        self.statistic.is_some()
            || self.period.is_some()
            || self.evaluate.is_some()
            || self.datapoints.is_some()
    }
}

/// What a missing data point counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Missing {
    /// As beyond the threshold.
    Breaching,
    /// As within it.
    NotBreaching,
    /// The alarm stays as it is.
    Ignore,
    /// The alarm has insufficient data when all are missing.
    Missing,
}

/// What a percentile of too few samples counts as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LowSamples {
    /// As any other.
    #[default]
    Evaluate,
    /// The alarm stays as it is.
    Ignore,
}
