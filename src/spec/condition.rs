//! Conditions: what must hold for an alert to fire.

use schemars::JsonSchema;
use serde::Deserialize;

use super::name::SignalName;
use super::{Matchers, Text};
use crate::source::Spanned;
use crate::units::{Duration, Number, Quantity, Unit};

/// A comparison of one signal, a combination of conditions, or raw PromQL.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Condition {
    /// The signal to compare.
    #[schemars(with = "Option<SignalName>")]
    pub signal: Option<Text>,
    /// PromQL instead of a signal. Without a comparison, it must be a condition itself.
    pub promql: Option<Text>,
    /// Unit of `promql`. Default: `count`.
    pub unit: Option<Spanned<Unit>>,
    /// Statistic of the signal. Default: the usual one of its kind.
    pub stat: Option<Spanned<Stat>>,
    /// Look-back. Default: 5m.
    pub window: Option<Spanned<Duration>>,
    /// Labels to keep in addition to the service's `group_by`.
    pub by: Vec<Text>,
    /// Label values to select.
    #[serde(rename = "where")]
    pub matchers: Matchers,
    /// Fires if the value is above this.
    pub above: Option<Spanned<Bound>>,
    /// Fires if the value is below this.
    pub below: Option<Spanned<Bound>>,
    /// Fires if the value is at or above this.
    pub at_least: Option<Spanned<Bound>>,
    /// Fires if the value is at or below this.
    pub at_most: Option<Spanned<Bound>>,
    /// Fires if the value leaves its usual range.
    pub outside: Option<Spanned<Outside>>,
    /// Fires while the signal correlates with another one.
    pub correlated: Option<Spanned<Correlated>>,
    /// `true`: fires while series that existed are missing.
    pub absent: Option<Spanned<bool>>,
    /// All of these must hold.
    pub all: Option<Spanned<Vec<Spanned<Condition>>>>,
    /// At least one of these must hold.
    pub any: Option<Spanned<Vec<Spanned<Condition>>>>,
    /// This must not hold.
    pub unless: Option<Box<Spanned<Condition>>>,
    /// Labels to join the parts on, if their labels differ.
    #[serde(rename = "match")]
    pub join: Option<Vec<Text>>,
}

/// What a value is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// A fixed quantity.
    Quantity(Quantity),
    /// A multiple of the signal's own past.
    Times(Number, Baseline),
}

/// A signal's own past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// Its value this long ago.
    Offset(Duration),
    /// Its mean over this time.
    AvgOver(Duration),
}

/// The usual range of a signal: mean and standard deviation over a window.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outside {
    /// Number of standard deviations from the mean that counts as unusual.
    pub sigma: Spanned<Quantity>,
    /// Period of the mean.
    pub window: Spanned<Duration>,
    /// Least number of samples in the window; with fewer, the condition does not hold. Default: 20.
    #[serde(default = "default_min_samples")]
    pub min_samples: Spanned<u32>,
    /// Side that counts. Default: `both`.
    #[serde(default)]
    pub side: Side,
    /// Unusually high values count only above this, so that three requests in a queue that is usually empty do not.
    pub and_above: Option<Spanned<Quantity>>,
    /// Unusually low values count only below this.
    pub and_below: Option<Spanned<Quantity>>,
}

/// Two signals that correlate: Pearson's coefficient.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Correlated {
    /// The other signal.
    #[schemars(with = "SignalName")]
    pub with: Text,
    /// Statistic of the other signal. Default: the usual one of its kind.
    pub stat: Option<Spanned<Stat>>,
    /// Period over which the signals are compared.
    pub window: Spanned<Duration>,
    /// Fires if the coefficient is above this; below 1.
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
