//! Signals: named measurable quantities.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use super::name::SignalName;
use super::{MetricBinding, Text};
use slosmith_text::source::Spanned;
use slosmith_text::units::{Quantity, Unit};

/// A signal of your own, an alias of a built-in signal, or a quotient of two signals.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Signal {
    /// The signal to alias, optionally filtered with `where`.
    #[serde(rename = "use")]
    #[schemars(with = "Option<SignalName>")]
    pub base: Option<Text>,
    /// A share: two signals that count the same, such as errors and requests.
    pub ratio: Option<Spanned<RatioOf>>,
    /// A quotient of two signals that count different things, such as tokens per request; its unit is the unit of `of`.
    pub per: Option<Spanned<RatioOf>>,
    /// Title to display.
    pub title: Option<Text>,
    /// Meaning and importance of the signal.
    pub description: Option<Text>,
    /// Metric type.
    pub kind: Option<Spanned<FamilyKind>>,
    /// Unit of the values.
    pub unit: Option<Spanned<Unit>>,
    /// Meaning of the value 1 in the `/metrics` output: `1%` for a gauge from 0 to 100, `1ms` for milliseconds.
    pub scale: Option<Spanned<Quantity>>,
    /// Labels that the exporter sets.
    pub has_labels: Option<Vec<Text>>,
    /// Label values to select.
    #[serde(rename = "where")]
    pub matchers: Matchers,
    /// How the values of replicas and engines are combined. Required for a gauge of your own, unless it is `promql`. Of a gauge
    /// in `bool`, `sum` is the number of ones, and `avg` their share. Default for a counter: `sum`.
    pub across: Option<Spanned<Across>>,
    /// `true`: if no selected vLLM release has the metric, the build omits the signal and lists it.
    pub optional: bool,
    /// The Prometheus metric, or PromQL.
    pub prometheus: Option<Spanned<PrometheusBinding>>,
    /// The CloudWatch metric; for a ratio, a metric of zeros and ones whose average is the ratio.
    pub cloudwatch: Option<Spanned<MetricBinding>>,
}

/// Numerator and denominator.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RatioOf {
    /// Numerator.
    pub of: RatioSide,
    /// Denominator.
    pub over: RatioSide,
}

/// A side of a ratio: the name of a signal, or a signal and the label values to select.
#[derive(Clone, Debug)]
pub struct RatioSide {
    pub signal: Text,
    /// Label values to select in this side only.
    pub matchers: Matchers,
}

/// A metric in `/metrics` output, or PromQL.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PrometheusBinding {
    /// Name of the metric: a counter with `_total`, a histogram without `_bucket`.
    pub metric: Option<Text>,
    /// Bucket boundaries of a histogram, without `+Inf`.
    pub buckets: Option<Vec<Spanned<Quantity>>>,
    /// Scrape job of the series (their `job` label). Default: any; for vLLM, the job in `prometheus.selector`.
    pub job: Option<Text>,
    /// PromQL instead of `metric`. It must return the value of a gauge, the events per second of a counter, or the bucket rates
    /// of a histogram, with `$window` as the range.
    pub promql: Option<Text>,
}

/// Metric type of a signal.
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
    pub fn as_str(self) -> &'static str {
        match self {
            FamilyKind::Gauge => "gauge",
            FamilyKind::Counter => "counter",
            FamilyKind::Histogram => "histogram",
        }
    }
}

/// How the values of replicas and engines are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Across {
    /// The sum.
    Sum,
    /// The highest value.
    Max,
    /// The lowest value.
    Min,
    /// The mean.
    Avg,
}

impl Across {
    pub fn as_str(self) -> &'static str {
        match self {
            Across::Sum => "sum",
            Across::Max => "max",
            Across::Min => "min",
            Across::Avg => "avg",
        }
    }
}

/// Label selections: `{status: "500", path: {matches: "/v1/.*"}, reason: [stop, length], tenant: {not: [test, probe]}}`.
pub type Matchers = IndexMap<Text, MatchValue>;

#[derive(Clone, Debug, PartialEq)]
pub enum MatchValue {
    /// One of these.
    Is {
        values: Vec<Text>,
        /// True where `is` says it, so that they may look like regular expressions.
        said: bool,
    },
    /// None of these.
    Not(Vec<Text>),
    /// A regular expression for the whole value.
    Matches(Text),
    /// Anything this regular expression does not match.
    NotMatches(Text),
}
