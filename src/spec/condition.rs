//! Conditions: what must hold for an alert to fire.

use schemars::JsonSchema;
use serde::Deserialize;

use super::schema::SignalName;
use super::{Matchers, Text};
use crate::source::Spanned;
use crate::units::{Duration, Number, Quantity, Unit};

/// A comparison of one signal, a combination of conditions, or raw PromQL.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Condition {
    /// The signal compared.
    #[schemars(with = "Option<SignalName>")]
    pub signal: Option<Text>,
    /// PromQL in place of a signal; without a comparison it must be a condition itself.
    pub promql: Option<Text>,
    /// Unit of `promql`; a plain count when absent.
    pub unit: Option<Spanned<Unit>>,
    /// How the signal is read over time; the kind's usual one when absent.
    pub stat: Option<Spanned<Stat>>,
    /// Look-back; 5m when absent.
    pub window: Option<Spanned<Duration>>,
    /// Labels kept beside the service's `group_by`.
    pub by: Vec<Text>,
    /// Label values to select.
    #[serde(rename = "where")]
    pub matchers: Matchers,
    /// Fires above this.
    pub above: Option<Spanned<Bound>>,
    /// Fires below this.
    pub below: Option<Spanned<Bound>>,
    /// Fires at this or above.
    pub at_least: Option<Spanned<Bound>>,
    /// Fires at this or below.
    pub at_most: Option<Spanned<Bound>>,
    /// Fires when the value leaves its usual range.
    pub outside: Option<Spanned<Outside>>,
    /// Fires while the signal moves together with another one.
    pub correlated: Option<Spanned<Correlated>>,
    /// `true`: fires when series that were there are gone, until they are back.
    pub absent: Option<Spanned<bool>>,
    /// All of these must hold.
    pub all: Option<Spanned<Vec<Spanned<Condition>>>>,
    /// One of these must hold.
    pub any: Option<Spanned<Vec<Spanned<Condition>>>>,
    /// This must not hold.
    pub unless: Option<Box<Spanned<Condition>>>,
    /// Labels on which the parts are joined, when they differ.
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
    /// How many standard deviations away from the mean count as unusual.
    pub sigma: Spanned<Quantity>,
    /// The time the mean is taken over.
    pub window: Spanned<Duration>,
    /// Fewer samples in the window mean that nothing is known yet.
    #[serde(default = "default_min_samples")]
    pub min_samples: Spanned<u32>,
    /// Which side counts.
    #[serde(default)]
    pub side: Side,
    /// Values that are unusually high count above this only: three requests in a queue that is empty at night do not.
    pub and_above: Option<Spanned<Quantity>>,
    /// Values that are unusually low count below this only.
    pub and_below: Option<Spanned<Quantity>>,
}

/// Two signals that move together: Pearson's coefficient of correlation.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Correlated {
    /// The other signal.
    #[schemars(with = "SignalName")]
    pub with: Text,
    /// How the other signal is read over time; the kind's usual one when absent.
    pub stat: Option<Spanned<Stat>>,
    /// The time over which they are compared.
    pub window: Spanned<Duration>,
    /// The coefficient above which it fires, below 1.
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
