//! Signals: named measurable quantities.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use super::name::SignalName;
use super::{MetricBinding, Text};
use crate::source::Spanned;
use crate::units::{Quantity, Unit};

/// A signal of your own, a name for a library signal, or a ratio of two signals.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Signal {
    /// The signal that this one stands for, optionally narrowed by `where`.
    #[serde(rename = "use")]
    #[schemars(with = "Option<SignalName>")]
    pub base: Option<Text>,
    /// A ratio of two signals.
    pub ratio: Option<Spanned<RatioOf>>,
    /// Title to display.
    pub title: Option<Text>,
    /// What it measures and why it matters.
    pub description: Option<Text>,
    /// How it behaves over time.
    pub kind: Option<Spanned<FamilyKind>>,
    /// Unit of its values.
    pub unit: Option<Spanned<Unit>>,
    /// What 1 on the page means: `1%` for a gauge from 0 to 100, `1ms` for milliseconds.
    pub scale: Option<Spanned<Quantity>>,
    /// Labels that the exporter sets.
    pub labels: Option<Vec<Text>>,
    /// Label values to select.
    #[serde(rename = "where")]
    pub matchers: Matchers,
    /// How the values of replicas and engines combine.
    pub across: Option<Spanned<Across>>,
    /// `true`: leave it out, and list it, if no release in the range has it.
    pub optional: bool,
    /// The Prometheus family or PromQL.
    pub prometheus: Option<Spanned<PrometheusBinding>>,
    /// The CloudWatch metric; for a ratio, a metric of zeros and ones whose average is the ratio.
    pub cloudwatch: Option<Spanned<MetricBinding>>,
}

/// Numerator and denominator.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RatioOf {
    /// The part.
    #[schemars(with = "SignalName")]
    pub of: Text,
    /// The whole.
    #[schemars(with = "SignalName")]
    pub over: Text,
}

/// A family on a `/metrics` page, or PromQL.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PrometheusBinding {
    /// Name of the family: a counter with `_total`, a histogram without `_bucket`.
    pub metric: Option<Text>,
    /// Bucket boundaries of a histogram, without `+Inf`.
    pub buckets: Option<Vec<Spanned<Quantity>>>,
    /// Scrape job of its series: their `job` label. Default: any; for vLLM, that of `prometheus.selector`.
    pub job: Option<Text>,
    /// PromQL instead of `metric`: the value of a gauge, the events per second of a counter, or the buckets of a histogram, as
    /// rates over `$window`.
    pub expr: Option<Text>,
}

/// How a signal behaves over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FamilyKind {
    /// Goes up and down.
    Gauge,
    /// Only goes up.
    Counter,
    /// A distribution in buckets.
    Histogram,
}

impl FamilyKind {
    /// The word a spec uses.
    pub fn as_str(self) -> &'static str {
        match self {
            FamilyKind::Gauge => "gauge",
            FamilyKind::Counter => "counter",
            FamilyKind::Histogram => "histogram",
        }
    }
}

/// How the values of replicas and engines combine into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Across {
    /// They add up.
    Sum,
    /// The highest counts.
    Max,
    /// The lowest counts.
    Min,
    /// Their mean counts.
    Avg,
}

impl Across {
    /// The word a spec uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Across::Sum => "sum",
            Across::Max => "max",
            Across::Min => "min",
            Across::Avg => "avg",
        }
    }
}

/// Label selections: `{status: "500", path: {matches: "/v1/.*"}, reason: [stop, length]}`.
pub type Matchers = IndexMap<Text, MatchValue>;

/// What a label's value must be.
#[derive(Clone, Debug, PartialEq)]
pub enum MatchValue {
    /// Exactly this.
    Is(Text),
    /// One of these.
    OneOf(Vec<Text>),
    /// Anything but this.
    Not(Text),
    /// A regular expression for the whole value.
    Matches(Text),
    /// Anything this regular expression does not match.
    NotMatches(Text),
}
