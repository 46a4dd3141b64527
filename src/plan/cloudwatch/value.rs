//! Values: what CloudWatch is to compute over a period, whatever a target calls its parts.
//!
//! The error ratio of an objective is `Value::Share`; a target with ids spells it `FILL(m1, 0) / m2`. The
//! same statistic for one series, or for each group of a graph, differs in its `Dimensions` alone.

use crate::cloudwatch::Statistic;
use crate::plan::Names;
use crate::units::Number;

/// What is computed over a period.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A statistic of a metric.
    Statistic(MetricStat),
    /// How much a statistic grows a second, from one period to the next.
    Growth(MetricStat),
    /// A share of events.
    Share(Share),
    /// A share of events, divided by the share that an SLO allows.
    BurnRate(Share, Number),
    /// The same, or 0 while there are fewer events than this.
    BurnRateOf(Share, Number, u32),
}

/// A share of events. A missing part counts as zero; without any events, the share has no value.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// The events that are counted.
    pub part: MetricStat,
    /// All events.
    pub whole: MetricStat,
    /// True for the share of all other events.
    pub others: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct MetricStat {
    pub namespace: String,
    pub names: Names,
    /// Which of its series.
    pub dimensions: Dimensions,
    pub statistic: Statistic,
}

/// Which series of a metric.
#[derive(Clone, Debug, PartialEq)]
pub enum Dimensions {
    /// The one that is published under exactly these.
    Exactly(Vec<(String, String)>),
    /// Each one that is published under a set of dimensions: a graph draws a line for each.
    Each(Groups),
}

/// Series distinguished by dimensions.
#[derive(Clone, Debug, PartialEq)]
pub struct Groups {
    /// All dimensions of the series.
    pub set: Vec<String>,
    /// Those that have one value.
    pub fixed: Vec<(String, String)>,
    /// Those that show a reader which line is which.
    pub shown: Vec<String>,
}

impl Value {
    pub fn metrics(&self) -> Vec<&MetricStat> {
        match self {
            Value::Statistic(stat) | Value::Growth(stat) => vec![stat],
            Value::Share(share) | Value::BurnRate(share, _) | Value::BurnRateOf(share, ..) => {
                vec![&share.part, &share.whole]
            }
        }
    }
}
