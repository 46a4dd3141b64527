//! What conditions, panels, records and SLOs have in common: which series of a signal they read, how these are grouped, and
//! what a value is compared with.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

use super::name::SignalName;
use super::{Across, Matchers, Text};
use slosmith_text::source::Spanned;
use slosmith_text::units::{Duration, Number, Quantity, Unit};

/// Which series are read, and how they are grouped.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Groups {
    /// Labels to keep in addition to the service's `group_by`.
    pub by: By,
    /// Labels to keep instead of the service's `group_by`; `[]`: none.
    pub group_by: Option<Spanned<Vec<Text>>>,
    /// Label values to select; of an SLO, in all signals of the SLI.
    #[serde(rename = "where")]
    pub matchers: Matchers,
}

/// A signal, or PromQL instead of it, and how it is read.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Reading {
    /// The signal.
    #[schemars(with = "Option<SignalName>")]
    pub signal: Option<Text>,
    /// PromQL instead of a signal; in a dashboard, it may use Grafana variables. In a condition without a comparison, the query
    /// itself must be a condition.
    pub promql: Option<Text>,
    /// Unit of `promql`. Default: `count`.
    pub unit: Option<Spanned<Unit>>,
    /// Statistic of the signal; of a panel, also a list with one line for each. Default: `last` of a gauge, `rate` of a counter.
    pub stat: Option<Spanned<Stats>>,
    /// Rate window; with `absent`, how long a label set without series is remembered (5m to 30d). Default: 5m; with `absent`, 1h;
    /// in a panel, the row's, and in a series, the panel's.
    pub window: Option<Spanned<Duration>>,
    /// How the values of replicas and engines are combined. Default: the signal's own `across`.
    pub across: Option<Spanned<Across>>,
    /// The series.
    #[serde(rename = "<groups>")]
    pub groups: Groups,
}

impl Reading {
    /// The only statistic: all but panels have one at most.
    pub fn one_stat(&self) -> Option<Spanned<Stat>> {
        self.stat.as_ref()?.value.0.first().copied()
    }

    pub fn selection(&self) -> Selection<'_> {
        self.groups.across(self.across)
    }
}

/// What a value is compared with: exactly one of these.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Comparison {
    /// True if the value is above this.
    pub above: Option<Spanned<Bound>>,
    /// True if the value is below this.
    pub below: Option<Spanned<Bound>>,
    /// True if the value is at or above this.
    pub at_least: Option<Spanned<Bound>>,
    /// True if the value is at or below this.
    pub at_most: Option<Spanned<Bound>>,
    /// True if the value is equal to this: the lowest or the highest value that the signal can have.
    pub equals: Option<Spanned<Quantity>>,
}

impl Groups {
    pub fn selection(&self) -> Selection<'_> {
        Selection {
            matchers: Some(&self.matchers).filter(|all| !all.is_empty()),
            by: &self.by.0,
            group_by: self.group_by.as_ref(),
            across: None,
        }
    }

    /// The same, with the values of replicas and engines combined.
    pub fn across(&self, across: Option<Spanned<Across>>) -> Selection<'_> {
        Selection {
            across,
            ..self.selection()
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    Quantity(Quantity),
    /// A multiple of an earlier value of the signal.
    Times(Number, Baseline),
}

/// An earlier value of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// The value this long ago.
    Offset(Duration),
    AvgOver(Duration),
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
    Increase,
    /// The value below which this share of observations lies (`p95`: 0.95).
    Quantile(Number),
    /// Change per time, by linear regression over the window.
    Slope,
}

#[derive(Clone, Debug)]
pub struct Stats(pub Vec<Spanned<Stat>>);

/// The fields with which conditions, panels, records and SLOs choose series, borrowed.
#[derive(Clone, Copy, Default)]
pub struct Selection<'a> {
    pub matchers: Option<&'a Matchers>,
    /// Labels in addition to the service's.
    pub by: &'a [Text],
    /// Labels instead of the service's.
    pub group_by: Option<&'a Spanned<Vec<Text>>>,
    /// How the values of replicas and engines are combined; `None`: as the signal says.
    pub across: Option<Spanned<Across>>,
}

impl<'a> Selection<'a> {
    /// Labels that are named here, whether beside the service's or instead of them.
    pub fn named(&self) -> &'a [Text] {
        self.group_by.map_or(self.by, |list| &list.value)
    }
}

/// Labels in addition to the service's `group_by`; at least one where the field is set.
#[derive(Clone, Debug, Default, JsonSchema)]
#[schemars(transparent)]
pub struct By(#[schemars(length(min = 1))] pub Vec<Text>);

impl<'de> Deserialize<'de> for By {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let labels = Vec::<Text>::deserialize(d)?;
        if labels.is_empty() {
            return Err(serde::de::Error::custom(
                "`by` adds labels to `prometheus.group_by`; it must have at least one entry\nto group by nothing, write `group_by: []`",
            ));
        }
        Ok(Self(labels))
    }
}
