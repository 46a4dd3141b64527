//! Service level objectives.

use schemars::JsonSchema;
use serde::Deserialize;

use super::name::SignalName;
use super::{Across, Comparison, Groups, Notice, RatioSide, Text};
use slosmith_text::source::Spanned;
use slosmith_text::units::{Duration, Quantity};

/// A service level objective.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Slo {
    /// Name that the SLO had before: its error budget still counts the events recorded under it.
    pub renamed_from: Option<Text>,
    /// Title to display.
    pub title: Option<Text>,
    /// Meaning of the SLO for its users.
    pub description: Option<Text>,
    /// Objective: percentage of good events, below 100%.
    pub objective: Spanned<Quantity>,
    /// SLO window, 1h to 90d.
    pub period: Spanned<Duration>,
    /// The SLI.
    pub sli: Spanned<Sli>,
    /// The series of the SLI.
    #[serde(rename = "<groups>")]
    pub groups: Groups,
    /// Burn-rate alerts. Default: the tiers of the `sre-workbook` policy that fit the SLO window and the objective.
    pub burn: Option<Spanned<Burn>>,
    /// Minimum number of events in the long window; below it the alert does not fire. Default: any number.
    pub min_events: Option<Spanned<u32>>,
    /// `true`: count the first value of a new series as events (`rate()` ignores it), for example the first 5xx responses
    /// after a start.
    pub count_new_series: Option<Spanned<bool>>,
    /// `false`: leave the SLO out of the generated alerts `SLODataLost` and `SLONotMeasured`, for example because its service is
    /// scaled to zero. `true`: include an SLO with `burn: none`. Default: `true` if the SLO has burn-rate alerts.
    pub data_alerts: Option<Spanned<bool>>,
    /// Name of the alerts. Default: made from the name of the SLO.
    pub alert_name: Option<Text>,
    /// What all its alerts say.
    #[serde(rename = "<notice>")]
    pub notice: Notice,
}

/// An SLI: exactly one of these.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sli {
    /// Good or bad events out of all events.
    pub ratio: Option<Spanned<EventRatio>>,
    /// Events at or below a bucket boundary.
    pub latency: Option<Spanned<Latency>>,
    /// Percentage of time in which a gauge is good.
    pub time: Option<Spanned<GoodTime>>,
    /// Events or an error ratio in PromQL, with `$window` as the range.
    pub promql: Option<Spanned<PromQlSli>>,
    /// Requests that meet several latency SLOs at once, counted from vLLM's traces by an OpenTelemetry collector.
    pub goodput: Option<Spanned<Goodput>>,
}

/// The latency SLOs that a request must all meet.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Goodput {
    /// Names of latency SLOs of this spec; their thresholds are the conditions.
    pub of: Vec<Text>,
}

/// A gauge, and one comparison.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GoodTime {
    /// A gauge.
    #[schemars(with = "SignalName")]
    pub signal: Text,
    /// When it is good.
    #[serde(rename = "<comparison>")]
    pub comparison: Comparison,
    /// How the values of replicas and engines are combined. Default: the signal's own `across`.
    pub across: Option<Spanned<Across>>,
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
    /// Share of bad events in the window, for sources that export only a ratio; each minute then has the same weight.
    pub error_ratio: Option<Text>,
}

/// `total`, and one of `good` and `bad`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventRatio {
    /// Counter of bad events.
    pub bad: Option<RatioSide>,
    /// Counter of good events.
    pub good: Option<RatioSide>,
    /// Counter of all events.
    pub total: RatioSide,
}

/// Observations at or below a bucket boundary are good.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Latency {
    /// A histogram.
    #[schemars(with = "SignalName")]
    pub signal: Text,
    /// Good at or below this: a bucket boundary that exists on every selected vLLM release.
    pub at_most: Spanned<Quantity>,
}

/// Burn-rate alerts: a policy or your own tiers.
#[derive(Clone, Debug)]
pub enum Burn {
    Policy(Policy),
    Tiers(Vec<Spanned<Tier>>),
}

impl Burn {
    /// Your own tiers; none of a policy.
    pub fn tiers(&self) -> &[Spanned<Tier>] {
        match self {
            Self::Policy(_) => &[],
            Self::Tiers(tiers) => tiers,
        }
    }
}

/// Named sets of tiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// Paging alerts for 2% in 1h and 5% in 6h, ticket alerts for 10% in 1d and 10% in 3d.
    SreWorkbook,
    /// No burn-rate alerts.
    None,
}

/// One burn-rate alert: `{consumes: 2%, long: 1h}`, `{ratio: 0.5%, long: 1h}` or `{times: 14.4, long: 1h}`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tier {
    /// Share of the error budget spent within `long`.
    pub consumes: Option<Spanned<Quantity>>,
    /// Error ratio over `long`.
    pub ratio: Option<Spanned<Quantity>>,
    /// Burn rate: how many times faster than allowed the budget is spent.
    pub times: Option<Spanned<Quantity>>,
    /// Long window.
    pub long: Spanned<Duration>,
    /// Short window, so that the alert resolves soon. Default: a twelfth of the long window.
    pub short: Option<Spanned<Duration>>,
    /// Severity. Default: `page` for windows up to 6h, else `ticket`.
    pub severity: Option<Text>,
}
