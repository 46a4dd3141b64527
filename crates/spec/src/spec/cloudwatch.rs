//! CloudWatch: sources of metrics, actions of alarms, and overrides of a single alarm.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Map, Text};
use slosmith_text::source::Spanned;
use slosmith_text::units::Duration;

/// Alarms and dashboards of the service in CloudWatch.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloudWatch {
    /// AWS region.
    pub region: Text,
    /// Account ID, twelve digits. Default: the account of the first ARN in `actions`.
    pub account: Option<Text>,
    /// Namespace of the metrics that the service publishes or that are scraped for it. Required for signals without a namespace
    /// of their own.
    pub namespace: Option<Text>,
    /// How scraped metrics get to CloudWatch. Default: `agent`.
    #[serde(default)]
    pub via: Via,
    /// ARNs that an alarm notifies, by severity.
    #[serde(default)]
    pub actions: Map<Vec<Text>>,
    /// ARNs that an alarm notifies when it returns to OK, by severity. Default: for paging alerts, the ARNs in `actions`.
    pub ok_actions: Option<Map<Vec<Text>>>,
    /// ARNs that an alarm notifies when it has too little data, by severity.
    #[serde(default)]
    pub insufficient_data_actions: Map<Vec<Text>>,
    /// Tags of every alarm.
    #[serde(default)]
    pub tags: Map<Text>,
    /// All values of a label. An alert that is grouped by the label gets one alarm for each value.
    #[serde(default)]
    pub values: Map<Spanned<Vec<Text>>>,
    /// Maintenance windows, by name.
    #[serde(default)]
    pub maintenance: Map<Maintenance>,
}

/// A maintenance window: alarms change state but send no notifications.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Maintenance {
    /// Start: `cron(0 2 * * SUN)` (minute, hour, day of the month, month, day of the week), or once
    /// `at(2027-01-01T02:00)`.
    pub schedule: Text,
    /// Length, from 1m to 15d.
    pub duration: Spanned<Duration>,
    /// Time zone of the schedule, such as `Europe/Berlin`. Default: `UTC`.
    pub timezone: Option<Text>,
    /// Description of the maintenance.
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

/// How scraped metrics get to CloudWatch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    /// The CloudWatch agent, as embedded metrics: counters become differences, histograms never arrive.
    #[default]
    Agent,
    /// OpenTelemetry: all metrics arrive, and only PromQL can query them.
    Otlp,
}

/// A CloudWatch metric.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MetricBinding {
    /// Name of the metric. Default: the name of the Prometheus metric.
    pub metric: Option<Text>,
    /// Namespace of the metric, if another service publishes it. Default: the service's.
    pub namespace: Option<Text>,
    /// Unit of the published values (`Milliseconds`, `Percent`, `Count`, …). Default: the signal's base unit.
    pub unit: Option<Text>,
    /// Dimension sets of the published metric; each set is a separate metric. Default: only the empty set.
    pub dimension_sets: Option<Spanned<Vec<Vec<Text>>>>,
    /// Dimensions, with the values that alarms and dashboards select.
    pub dimensions: Map<Text>,
    /// `true`: the agent scrapes the Prometheus metric.
    pub scraped: bool,
}

/// Settings of an alarm that differ from the defaults.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AlarmOverride {
    /// Name of the alarm. Default: made from the service and the alert.
    pub name: Option<Text>,
    /// `Average`, `Sum`, `Minimum`, `Maximum`, `SampleCount`, `p95`, `TM(10%:90%)`, …
    pub statistic: Option<Text>,
    /// Length of one data point.
    pub period: Option<Spanned<Duration>>,
    /// Number of data points to evaluate.
    pub evaluate: Option<Spanned<u32>>,
    /// Number of data points that must be beyond the threshold. Default: all.
    pub datapoints: Option<Spanned<u32>>,
    /// Treatment of missing data points.
    pub missing: Option<Spanned<Missing>>,
    /// Treatment of percentiles of too few samples. Default: `evaluate`.
    pub low_samples: Option<Spanned<LowSamples>>,
}

impl AlarmOverride {
    /// True when it changes the statistic, or how often it is evaluated.
    pub fn changes_timing(&self) -> bool {
        self.statistic.is_some()
            || self.period.is_some()
            || self.evaluate.is_some()
            || self.datapoints.is_some()
    }
}

/// Treatment of missing data points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Missing {
    /// A missing data point is beyond the threshold.
    Breaching,
    /// A missing data point is within the threshold.
    NotBreaching,
    /// The alarm keeps its state.
    Ignore,
    /// The alarm has insufficient data if all data points are missing.
    Missing,
}

/// Treatment of percentiles of too few samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LowSamples {
    /// The percentile is evaluated like any other.
    #[default]
    Evaluate,
    /// The alarm keeps its state.
    Ignore,
}
