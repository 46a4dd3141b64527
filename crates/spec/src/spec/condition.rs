//! Conditions: what must hold for an alert to fire.

use std::ops::Deref;

use schemars::JsonSchema;
use serde::Deserialize;

use super::name::SignalName;
use super::{Across, Comparison, Groups, Reading, Selection, Stat, Text};
use slosmith_text::source::Spanned;
use slosmith_text::units::{Duration, Quantity};

/// A comparison of one signal, a combination of conditions, or raw PromQL.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Condition {
    /// The value to compare.
    #[serde(rename = "<reading>")]
    pub reading: Reading,
    /// What the value is compared with.
    #[serde(rename = "<comparison>")]
    pub comparison: Comparison,
    /// Fires if the value leaves its usual range.
    pub outside: Option<Spanned<Outside>>,
    /// Correlation of the signal with another one.
    pub correlated: Option<Spanned<Correlated>>,
    /// `true`: fires while series of the signal are missing. `window` sets how long the alert remembers a label set.
    pub absent: Option<Spanned<bool>>,
    /// Conditions that must all be true.
    pub all: Option<Spanned<Vec<Spanned<Condition>>>>,
    /// Conditions of which at least one must be true.
    pub any: Option<Spanned<Vec<Spanned<Condition>>>>,
    /// A condition that must be false.
    pub unless: Option<Box<Spanned<Condition>>>,
    /// Labels to join the conditions on, if their labels differ, or the values that they select of a label.
    #[serde(rename = "on")]
    pub join: Option<Vec<Text>>,
}

impl Deref for Condition {
    type Target = Reading;

    fn deref(&self) -> &Reading {
        &self.reading
    }
}

/// The usual range of a signal: mean and standard deviation over a window.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outside {
    /// Number of standard deviations from the mean beyond which a value is unusual.
    pub sigma: Spanned<Quantity>,
    /// Length of the window for mean and standard deviation.
    pub window: Spanned<Duration>,
    /// Minimum number of samples in the window; with fewer, the alert does not fire. Default: half of the samples in the window; 20 or more, and
    /// a day of them at most. A new service has no usual range yet.
    pub min_samples: Option<Spanned<u32>>,
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
    /// Statistic of the other signal. Default: `last` of a gauge, `rate` of a counter.
    pub stat: Option<Spanned<Stat>>,
    /// How the values of its replicas and engines are combined. Default: the signal's own `across`.
    pub across: Option<Spanned<Across>>,
    /// Its series.
    #[serde(rename = "<groups>")]
    pub groups: Groups,
    /// Length of the window in which the signals are compared.
    pub window: Spanned<Duration>,
    /// Threshold of the coefficient, below 1.
    pub above: Spanned<Quantity>,
}

impl Correlated {
    /// The series of the other signal.
    pub fn selection(&self) -> Selection<'_> {
        self.groups.across(self.across)
    }
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
