//! Service level objectives.

use schemars::JsonSchema;
use serde::Deserialize;

use super::name::SignalName;
use super::{Map, Text};
use crate::source::Spanned;
use crate::units::{Duration, Quantity};

/// A service level objective.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Slo {
    /// For people.
    pub title: Option<Text>,
    /// What it promises, to whom.
    pub description: Option<Text>,
    /// Share of good events, below 100%; a percentile SLI has none of its own.
    pub objective: Option<Spanned<Quantity>>,
    /// The period the objective is kept over, 1h to 90d.
    pub window: Spanned<Duration>,
    /// How good is measured.
    pub sli: Spanned<Sli>,
    /// Labels kept beside the service's `group_by`.
    #[serde(default)]
    pub by: Vec<Text>,
    /// Burn-rate alerts; the `sre-workbook` policy when absent and the period is 28d to 90d.
    pub burn: Option<Spanned<Burn>>,
    /// Fewer events than this in a tier's long window wake nobody; any number does when absent.
    pub min_events: Option<Spanned<u32>>,
    /// `true`: what a series counts already when Prometheus first sees it are events of the window, as the first failures of
    /// a kind; they are in no rate otherwise.
    pub count_new_series: Option<Spanned<bool>>,
    /// Alert of a percentile SLI.
    pub alert: Option<Spanned<SloAlert>>,
    /// Name of its alerts; made from its own when absent.
    pub alert_name: Option<Text>,
    /// One line for the on-call person; made from the title and the burn rate when absent.
    pub summary: Option<Text>,
    /// Name of the runbook for all its alerts, or the URL of one that is elsewhere.
    pub runbook: Option<Text>,
    /// Who answers for it; the service's owner when absent.
    pub owner: Option<Text>,
    /// Labels of its alerts, beside those of the service and the severity.
    #[serde(default)]
    pub labels: Map<Text>,
    /// Annotations of its alerts, beside those of the service and the severity.
    #[serde(default)]
    pub annotations: Map<Text>,
}

/// Exactly one of these.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sli {
    /// Good or bad events out of all events.
    pub ratio: Option<Spanned<EventRatio>>,
    /// Events faster than a bucket boundary.
    pub latency: Option<Spanned<Latency>>,
    /// A percentile below a bound.
    pub percentile: Option<Spanned<Percentile>>,
    /// The share of time in which a gauge is good.
    pub time: Option<Spanned<GoodTime>>,
    /// Events, or their ratio, by PromQL with `$window` as the range.
    pub promql: Option<Spanned<PromQlSli>>,
}

/// A gauge, and one of `above`, `below` and `equals`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GoodTime {
    /// A gauge.
    #[schemars(with = "SignalName")]
    pub signal: Text,
    /// It is good above this.
    pub above: Option<Spanned<Quantity>>,
    /// It is good below this.
    pub below: Option<Spanned<Quantity>>,
    /// It is good at this.
    pub equals: Option<Spanned<Quantity>>,
}

/// `total` with one of `bad` and `good`, or `error_ratio` alone.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PromQlSli {
    /// Bad events in the window: `sum(rate(errors_total[$window]))`.
    pub bad: Option<Text>,
    /// Good events in the window.
    pub good: Option<Text>,
    /// All events in the window.
    pub total: Option<Text>,
    /// Share of bad events in the window, where nothing counts them: each minute then weighs the same.
    pub error_ratio: Option<Text>,
}

/// `total`, and one of `good` and `bad`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventRatio {
    /// Counter of bad events.
    #[schemars(with = "Option<SignalName>")]
    pub bad: Option<Text>,
    /// Counter of good events.
    #[schemars(with = "Option<SignalName>")]
    pub good: Option<Text>,
    /// Counter of all events.
    #[schemars(with = "SignalName")]
    pub total: Text,
}

/// Observations at or below a bucket boundary are good.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Latency {
    /// A histogram.
    #[schemars(with = "SignalName")]
    pub signal: Text,
    /// A boundary of its buckets on every release of the range.
    pub within: Spanned<Quantity>,
}

/// A percentile over the SLO's window must stay below a bound.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Percentile {
    /// A histogram.
    #[schemars(with = "SignalName")]
    pub signal: Text,
    /// The percentile: `50`, `95`, `99.9`.
    pub p: Spanned<Quantity>,
    /// The bound.
    pub below: Spanned<Quantity>,
}

/// Burn-rate alerts: a policy by name, or tiers of one's own.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Burn {
    /// A policy by name.
    pub policy: Option<Spanned<Policy>>,
    /// Tiers of one's own.
    pub tiers: Option<Spanned<Vec<Spanned<Tier>>>>,
}

/// Named sets of tiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// 2% in 1h and 5% in 6h page, 10% in 1d and 10% in 3d open a ticket.
    SreWorkbook,
    /// No burn-rate alerts.
    None,
}

/// One burn-rate alert: `{consumes: 2%, in: 1h}`, `{ratio: 0.5%, in: 1h}` or `{factor: 14.4, long: 1h}`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Tier {
    /// Share of the error budget burnt within `in`.
    pub consumes: Option<Spanned<Quantity>>,
    /// Error ratio over `in`.
    pub ratio: Option<Spanned<Quantity>>,
    /// Long window of `consumes` and `ratio`.
    #[serde(rename = "in")]
    pub within: Option<Spanned<Duration>>,
    /// Burn rate: how many times faster than the objective allows.
    pub factor: Option<Spanned<Quantity>>,
    /// Long window of `factor`.
    pub long: Option<Spanned<Duration>>,
    /// Short window, by which the alert resets; a twelfth of the long one when absent.
    pub short: Option<Spanned<Duration>>,
    /// Severity; `page` for windows up to 6h, else `ticket`, when absent.
    pub severity: Option<Text>,
}

/// Alert of a percentile SLI.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SloAlert {
    /// Fires above this.
    pub above: Spanned<Quantity>,
    /// How long it must hold.
    #[serde(rename = "for")]
    pub hold: Spanned<Duration>,
    /// Look-back of the percentile; 5m when absent.
    pub window: Option<Spanned<Duration>>,
    /// Severity; `page` when absent.
    pub severity: Option<Text>,
}
