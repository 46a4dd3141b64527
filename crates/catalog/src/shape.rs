//! What one family looks like: type, labels, label values, bucket boundaries.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use slosmith_promql::Series;

const BUCKET: &str = Series::Bucket.suffix();
const SUM: &str = Series::Sum.suffix();
const COUNT: &str = Series::Count.suffix();

#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum MetricType {
    Counter,
    Gauge,
    Histogram,
    Summary,
    /// OpenMetrics info: the labels are the message, the value is 1.
    Info,
    StateSet,
    GaugeHistogram,
    /// No type was declared (`untyped`, `unknown`).
    #[default]
    Untyped,
}

impl MetricType {
    /// The word the classic and OpenMetrics formats use, either spelling.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "counter" => Self::Counter,
            "gauge" => Self::Gauge,
            "histogram" => Self::Histogram,
            "summary" => Self::Summary,
            "info" => Self::Info,
            "stateset" => Self::StateSet,
            "gaugehistogram" => Self::GaugeHistogram,
            "untyped" | "unknown" => Self::Untyped,
            _ => return None,
        })
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
            Self::Summary => "summary",
            Self::Info => "info",
            Self::StateSet => "stateset",
            Self::GaugeHistogram => "gaugehistogram",
            Self::Untyped => "untyped",
        }
    }

    /// What a family's sample names may add to its name, besides nothing.
    pub fn suffixes(self) -> &'static [&'static str] {
        match self {
            Self::Histogram => const { &[BUCKET, SUM, COUNT] },
            Self::Summary => const { &[SUM, COUNT] },
            Self::GaugeHistogram => const { &[BUCKET, "_gsum", "_gcount"] },
            _ => &[],
        }
    }
}

impl fmt::Display for MetricType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What a family looks like on one page; also how a spec's own families are described.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape {
    pub kind: MetricType,
    pub labels: Vec<String>,
    /// The labels are not known for certain or differ between deployments: never check them.
    pub open_labels: bool,
    /// All values of the labels whose domain is small and known.
    pub values: BTreeMap<String, Vec<String>>,
    /// `le` values exactly as exposed, in order, with `+Inf`; empty for all but histograms.
    pub buckets: Vec<String>,
    /// The boundaries are not known or differ between deployments: never check them.
    pub open_buckets: bool,
}

impl Shape {
    /// False only when the family certainly lacks the label.
    pub fn may_have_label(&self, label: &str) -> bool {
        self.open_labels || self.has_label(label)
    }

    /// True if recordings show which labels it has where deployments add none.
    pub fn has_recorded_labels(&self) -> bool {
        !(self.open_labels && self.labels.is_empty())
    }

    /// True if recordings show the boundaries of a server without options for them: a page made from source has `+Inf` alone.
    pub fn has_recorded_buckets(&self) -> bool {
        !self.open_buckets || self.buckets.len() > 1
    }

    /// True when the family was seen with the label, or its type brings it (`le`, `quantile`).
    pub fn has_label(&self, label: &str) -> bool {
        let is_brought = match label {
            "le" => self.has_buckets(),
            "quantile" => self.kind == MetricType::Summary,
            _ => false,
        };
        is_brought || self.labels.iter().any(|known| known == label)
    }

    /// True for a type whose series `_bucket` have the label `le`.
    /// True if its type has such series, as far as the type is known.
    pub fn serves(&self, part: Series) -> bool {
        let has_count =
            self.has_buckets() || matches!(self.kind, MetricType::Summary | MetricType::Untyped);
        match part {
            Series::Bucket => self.has_buckets() || self.kind == MetricType::Untyped,
            Series::Sum | Series::Count => has_count,
            Series::Whole | Series::Created => true,
        }
    }

    pub fn has_buckets(&self) -> bool {
        matches!(
            self.kind,
            MetricType::Histogram | MetricType::GaugeHistogram
        )
    }

    /// The values the label can take, when that is known.
    pub fn domain(&self, label: &str) -> Option<&[String]> {
        self.values.get(label).map(Vec::as_slice)
    }

    /// The spelling of the boundary equal to `bound`, compared as numbers.
    pub fn bucket(&self, bound: f64) -> Option<&str> {
        let same = |spelling: &&String| spelling.parse::<f64>().is_ok_and(|b| b == bound);
        self.buckets.iter().find(same).map(String::as_str)
    }

    /// The nearest boundaries below and above `bound`, neither equal to it.
    pub fn neighbours(&self, bound: f64) -> (Option<&str>, Option<&str>) {
        let parsed = || {
            self.buckets
                .iter()
                .filter_map(|s| Some((s.parse::<f64>().ok()?, s.as_str())))
        };
        let below = parsed().filter(|(b, _)| *b < bound);
        let above = parsed().filter(|(b, _)| *b > bound);
        (
            below.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, s)| s),
            above.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, s)| s),
        )
    }
}
