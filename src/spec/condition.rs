//! Conditions: what must hold for an alert to fire.

use schemars::JsonSchema;
use serde::Deserialize;

use super::name::SignalName;
use super::{Across, By, Matchers, Text};
use crate::source::Spanned;
use crate::units::{Duration, Number, Quantity, Unit};

/// A comparison of one signal, a combination of conditions, or raw PromQL.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Condition {
    /// The signal to compare.
    #[schemars(with = "Option<SignalName>")]
    pub signal: Option<Text>,
    /// PromQL instead of a signal. Without a comparison, the query itself must be a condition.
    pub promql: Option<Text>,
    /// Unit of `promql`. Default: `count`.
    pub unit: Option<Spanned<Unit>>,
    /// Statistic of the signal. Default: the usual statistic of its kind.
    pub stat: Option<Spanned<Stat>>,
    /// Rate window. Default: 5m.
    pub window: Option<Spanned<Duration>>,
    /// Labels to keep in addition to the service's `group_by`.
    pub by: By,
    /// Labels to keep instead of the service's `group_by`; `[]`: none.
    pub group_by: Option<Spanned<Vec<Text>>>,
    /// Label values to select.
    #[serde(rename = "where")]
    pub matchers: Matchers,
    /// How the values of replicas and engines are combined. Default: the signal's own `across`.
    pub across: Option<Spanned<Across>>,
    /// Threshold: fires if the value is above this.
    pub above: Option<Spanned<Bound>>,
    /// Threshold: fires if the value is below this.
    pub below: Option<Spanned<Bound>>,
    /// Threshold: fires if the value is at or above this.
    pub at_least: Option<Spanned<Bound>>,
    /// Threshold: fires if the value is at or below this.
    pub at_most: Option<Spanned<Bound>>,
    /// Fires if the value is equal to this: the lowest or the highest value that the signal can have.
    pub equals: Option<Spanned<Quantity>>,
    /// Fires if the value leaves its usual range.
    pub outside: Option<Spanned<Outside>>,
    /// Correlation of the signal with another one.
    pub correlated: Option<Spanned<Correlated>>,
    /// `true`: fires while series of the signal are missing.
    pub absent: Option<Spanned<bool>>,
    /// Conditions that must all be true.
    pub all: Option<Spanned<Vec<Spanned<Condition>>>>,
    /// Conditions of which at least one must be true.
    pub any: Option<Spanned<Vec<Spanned<Condition>>>>,
    /// A condition that must be false.
    pub unless: Option<Box<Spanned<Condition>>>,
    /// Labels to join the conditions on, if their labels differ.
    #[serde(rename = "on")]
    pub join: Option<Vec<Text>>,
}

/// A threshold.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// A fixed quantity.
    Quantity(Quantity),
    /// A multiple of an earlier value of the signal.
    Times(Number, Baseline),
}

/// An earlier value of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// The value this long ago.
    Offset(Duration),
    /// The mean over this time.
    AvgOver(Duration),
}

/// The usual range of a signal: mean and standard deviation over a window.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outside {
    /// Number of standard deviations from the mean beyond which a value is unusual.
    pub sigma: Spanned<Quantity>,
    /// Length of the window for mean and standard deviation.
    pub window: Spanned<Duration>,
    /// Minimum number of samples in the window; with fewer, the alert does not fire. Default: 20.
    #[serde(default = "default_min_samples")]
    pub min_samples: Spanned<u32>,
    /// Side on which values are unusual. Default: `both`.
    #[serde(default)]
    pub side: Side,
    /// Minimum for unusually high values, so that three requests in a usually empty queue do not fire the alert.
    pub above: Option<Spanned<Quantity>>,
    /// Maximum for unusually low values.
    pub below: Option<Spanned<Quantity>>,
}

/// Two signals that correlate: Pearson's coefficient.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Correlated {
    /// The other signal.
    #[schemars(with = "SignalName")]
    pub signal: Text,
    /// Statistic of the other signal. Default: the usual statistic of its kind.
    pub stat: Option<Spanned<Stat>>,
    /// Length of the window in which the signals are compared.
    pub window: Spanned<Duration>,
    /// Threshold of the coefficient, below 1.
    pub above: Spanned<Quantity>,
}

fn default_min_samples() -> Spanned<u32> {
    Spanned::new(20, crate::source::Span::default())
}

/// A side of the usual range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Above or below.
    #[default]
    Both,
    /// Above only.
    High,
    /// Below only.
    Low,
}

/// How a signal is read over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stat {
    /// The newest value.
    Last,
    /// The mean over the window.
    Avg,
    /// The lowest value in the window.
    Min,
    /// The highest value in the window.
    Max,
    /// Events per time.
    Rate,
    /// Events in the window.
    Increase,
    /// The value below which this share of observations lies (`p95`: 0.95).
    Quantile(Number),
    /// Change per time, by linear regression over the window.
    Slope,
}
