//! Signals as they are found on every release of the range.
//!
//! `vllm.kv_cache_usage` is a [`Signal`] in ratios whose [`Source::Family`] lists each name the gauge has in the range.

use std::sync::Arc;

use crate::plan::Names;
use crate::plan::cloudwatch::{Delivery, Metric};
use crate::plan::selection::{self, Matcher};
use slosmith_catalog::Series;
use slosmith_promql::ast::{Expr, MatchOp};
use slosmith_spec::spec::{Across, FamilyKind, Stat};
use slosmith_text::units::{Duration, Number, Unit};

#[derive(Clone, Debug)]
pub struct Signal {
    /// Its name in the spec, or `vllm.*`.
    pub name: String,
    pub title: String,
    pub description: Option<String>,
    pub unit: Unit,
    /// What one unit on the page is worth in `unit`; 1 for most.
    pub scale: Number,
    pub across: Across,
    pub labels: Vec<String>,
    pub source: Source,
    pub cloudwatch: Option<Metric>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalKind {
    Gauge,
    Counter,
    Histogram,
    Ratio,
}

impl From<slosmith_spec::spec::FamilyKind> for SignalKind {
    fn from(kind: slosmith_spec::spec::FamilyKind) -> Self {
        match kind {
            slosmith_spec::spec::FamilyKind::Gauge => SignalKind::Gauge,
            slosmith_spec::spec::FamilyKind::Counter => SignalKind::Counter,
            slosmith_spec::spec::FamilyKind::Histogram => SignalKind::Histogram,
        }
    }
}

impl SignalKind {
    pub fn as_str(self) -> &'static str {
        match self {
            SignalKind::Gauge => "gauge",
            SignalKind::Counter => "counter",
            SignalKind::Histogram => "histogram",
            SignalKind::Ratio => "ratio",
        }
    }
}

/// The time a signal is looked back over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    Fixed(Duration),
    /// As long as the zoom of a graph makes it; see [`super::marker::ZOOM`].
    Zoom,
}

impl Window {
    pub fn usual(self) -> Duration {
        match self {
            Window::Fixed(window) => window,
            Window::Zoom => DEFAULT_WINDOW,
        }
    }
}

pub const DEFAULT_WINDOW: Duration = Duration::from_mins(5);

#[derive(Clone, Debug)]
pub enum Source {
    Family(Family),
    /// Numerator over denominator; `before` is the gauge that older releases publish instead.
    Ratio {
        of: Box<Signal>,
        over: Box<Signal>,
        /// The same ratio as a ready-made gauge on releases without the two counters.
        before: Option<Box<Signal>>,
    },
    Raw(Box<Raw>),
}

#[derive(Clone, Debug)]
pub struct Raw {
    pub kind: slosmith_spec::spec::FamilyKind,
    /// Of a gauge its value; of a counter its events per second over [`WINDOW`](super::marker::WINDOW), of a histogram those
    /// in each bucket.
    pub expr: Expr,
    /// Upper bounds of a histogram's buckets, ascending, without `+Inf`.
    pub buckets: Vec<Bucket>,
    /// True for PromQL of the library, whose series are recorded.
    pub recorded: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    pub kind: slosmith_spec::spec::FamilyKind,
    /// What the store calls it on releases of the range; joined with `or` per instance.
    pub names: Names,
    /// The same as releases serve it: names in catalogs, and on `/metrics`.
    pub served: Names,
    /// Selections, sorted by label.
    pub matchers: Vec<Matcher>,
    /// Upper bounds that exist on every release of the range, ascending, without `+Inf`; empty where they
    /// differ between deployments. Shared: signals are copied for every place that asks for them.
    pub buckets: Arc<[Bucket]>,
    /// True when the names were judged by recordings, false when the spec declares the family.
    pub recorded: bool,
}

impl Family {
    /// The series that counts its events, or the gauge itself.
    pub fn counted(&self) -> Series {
        match self.kind {
            slosmith_spec::spec::FamilyKind::Histogram => Series::Count,
            slosmith_spec::spec::FamilyKind::Gauge | slosmith_spec::spec::FamilyKind::Counter => {
                Series::Whole
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Bucket {
    pub bound: Number,
    pub le: String,
    /// How a matcher must ask for it: exactly, or by a regular expression that takes both spellings.
    pub op: MatchOp,
    pub pattern: String,
}

impl Signal {
    pub fn kind(&self) -> SignalKind {
        match &self.source {
            Source::Family(family) => family.kind.into(),
            Source::Ratio { .. } => SignalKind::Ratio,
            Source::Raw(raw) => raw.kind.into(),
        }
    }

    /// True where PromQL from the spec computes it, or a part of it.
    pub fn has_own_promql(&self) -> bool {
        match &self.source {
            Source::Raw(_) => true,
            Source::Ratio { of, over, .. } => of.has_own_promql() || over.has_own_promql(),
            Source::Family(_) => false,
        }
    }

    pub fn buckets(&self) -> &[Bucket] {
        match &self.source {
            Source::Family(family) => &family.buckets,
            Source::Ratio { .. } => &[],
            Source::Raw(raw) => &raw.buckets,
        }
    }

    /// What a value read by `stat` is worth in the signal's unit: a histogram's events are counted, not
    /// measured.
    pub fn value_scale(&self, stat: Stat) -> Number {
        let counted = matches!(stat, Stat::Rate | Stat::Increase);
        if counted && self.kind() == SignalKind::Histogram {
            Number::from_integer(1)
        } else {
            self.scale
        }
    }

    /// True if another place reads the same series in the same way: a `where` or an `across` makes another value.
    pub fn reads_as(&self, other: &Self) -> bool {
        let selects = match (&self.source, &other.source) {
            (Source::Family(own), Source::Family(other)) => own.matchers == other.matchers,
            (
                Source::Ratio { of, over, .. },
                Source::Ratio {
                    of: part,
                    over: whole,
                    ..
                },
            ) => of.reads_as(part) && over.reads_as(whole),
            (Source::Raw(own), Source::Raw(other)) => own.expr == other.expr,
            _ => false,
        };
        self.name == other.name && self.across == other.across && selects
    }

    /// What selects this signal in another one that reads more series of the same metric.
    pub fn narrows(&self, whole: &Self) -> Option<Vec<Matcher>> {
        let (own, of_whole) = self.family().zip(whole.family())?;
        let is_same = own.served == of_whole.served
            && own.counted() == of_whole.counted()
            && self.scale == whole.scale;
        let more = own.matchers.iter();
        let more = more.filter(|matcher| !of_whole.matchers.contains(matcher));
        let more: Vec<_> = more.cloned().collect();
        let is_part = is_same && selection::is_within(&own.matchers, &of_whole.matchers);
        (is_part && !more.is_empty()).then_some(more)
    }

    /// What it counts as a side of a ratio: of a histogram, its observations.
    pub fn counts(&self) -> Unit {
        match self.kind() {
            SignalKind::Histogram => Unit::Count,
            _ => self.unit,
        }
    }

    /// True when only the newest samples count, so that a window says nothing: a gauge as it is, or a ratio of
    /// such gauges.
    pub fn is_instant(&self, stat: Stat) -> bool {
        match &self.source {
            Source::Ratio { of, over, .. } => [of, over]
                .into_iter()
                .all(|part| part.is_instant(part.stat_in_ratio())),
            Source::Family(_) | Source::Raw(_) => stat == Stat::Last,
        }
    }

    /// True for values of a gauge as they are sent: nothing is computed of them.
    pub fn is_as_sent(&self, stat: Stat) -> bool {
        let is_gauge = self
            .family()
            .is_some_and(|family| family.kind == FamilyKind::Gauge);
        is_gauge
            && self.value_scale(stat) == Number::from_integer(1)
            && matches!(stat, Stat::Last | Stat::Max | Stat::Min)
    }

    pub fn stat_in_ratio(&self) -> Stat {
        match self.kind() {
            SignalKind::Counter | SignalKind::Histogram => Stat::Rate,
            SignalKind::Gauge => Stat::Last,
            SignalKind::Ratio => Stat::Avg,
        }
    }

    pub fn is_recorded(&self) -> bool {
        match &self.source {
            Source::Family(family) => family.recorded,
            Source::Ratio { of, over, .. } => of.is_recorded() || over.is_recorded(),
            Source::Raw(raw) => raw.recorded,
        }
    }

    /// True where code publishes all of it to CloudWatch, whenever it likes.
    pub fn is_published(&self) -> bool {
        match (&self.source, &self.cloudwatch) {
            (_, Some(metric)) => metric.delivery == Delivery::Published,
            (Source::Ratio { of, over, .. }, None) => of.is_published() && over.is_published(),
            (Source::Family(_) | Source::Raw(_), None) => false,
        }
    }

    /// True where CloudWatch has a metric of the signal itself that arrives in this way.
    pub fn is_delivered(&self, how: Delivery) -> bool {
        let metric = self.cloudwatch.as_ref();
        metric.is_some_and(|metric| metric.delivery == how)
    }

    pub fn family(&self) -> Option<&Family> {
        match &self.source {
            Source::Family(family) => Some(family),
            Source::Ratio { .. } | Source::Raw(_) => None,
        }
    }
}
