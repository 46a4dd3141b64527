//! Conditions: when an alert fires.
//!
//! `{signal: queue_depth, above: 80}` is a [`Compare`] with [`Bound::Fixed`] and the query
//! `sum by (cluster) (vllm:num_requests_waiting) > 80`.

use super::selection::Matcher;
use super::{Query, Signal};
use slosmith_promql::ast::{Expr, ExprKind};
use slosmith_spec::spec::{Baseline, Side, Stat};
use slosmith_text::units::{Duration, Number, Per, Unit};

#[derive(Clone, Debug)]
pub enum Condition {
    Compare(Box<Compare>),
    Absent(Box<Absent>),
    Raw(Box<RawCondition>),
    All(Vec<Condition>, Query),
    Any(Vec<Condition>, Query),
    Unless(Box<[Condition; 2]>, Query),
}

impl Condition {
    /// The query that gives elements exactly while the condition holds.
    pub fn query(&self) -> &Query {
        match self {
            Condition::Compare(c) => &c.query,
            Condition::Absent(c) => &c.query,
            Condition::Raw(c) => &c.query,
            Condition::All(_, query) | Condition::Any(_, query) | Condition::Unless(_, query) => {
                query
            }
        }
    }

    /// The part whose value the query shows; none where it may be one of several.
    pub fn valued(&self) -> Option<&Condition> {
        match self {
            Condition::Compare(_) | Condition::Absent(_) | Condition::Raw(_) => Some(self),
            Condition::All(parts, _) => parts.first()?.valued(),
            Condition::Any(parts, _) => match &parts[..] {
                [part] => part.valued(),
                _ => None,
            },
            Condition::Unless(parts, _) => parts[0].valued(),
        }
    }

    /// The first of its parts.
    pub fn leading(&self) -> &Condition {
        match self {
            Condition::Compare(_) | Condition::Absent(_) | Condition::Raw(_) => self,
            Condition::All(parts, _) | Condition::Any(parts, _) => {
                parts.first().map_or(self, Condition::leading)
            }
            Condition::Unless(parts, _) => parts[0].leading(),
        }
    }

    /// Its parts that have no parts themselves, in order.
    pub fn leaves(&self) -> Vec<&Condition> {
        match self {
            Condition::All(parts, _) | Condition::Any(parts, _) => {
                parts.iter().flat_map(Condition::leaves).collect()
            }
            Condition::Unless(parts, _) => parts.iter().flat_map(Condition::leaves).collect(),
            Condition::Compare(_) | Condition::Absent(_) | Condition::Raw(_) => vec![self],
        }
    }

    /// The leaves that hold while it holds, or may.
    pub fn holding(&self) -> Vec<&Condition> {
        match self {
            Condition::All(parts, _) | Condition::Any(parts, _) => {
                parts.iter().flat_map(Condition::holding).collect()
            }
            Condition::Unless(parts, _) => parts[0].holding(),
            Condition::Compare(_) | Condition::Absent(_) | Condition::Raw(_) => vec![self],
        }
    }

    /// The comparison, if the condition is one.
    pub fn compare(&self) -> Option<&Compare> {
        match self {
            Condition::Compare(c) => Some(c),
            _ => None,
        }
    }

    /// The comparisons among its leaves, in order.
    pub fn compares(&self) -> impl Iterator<Item = &Compare> {
        self.leaves().into_iter().filter_map(Condition::compare)
    }

    pub fn slo_data(&self) -> Option<&SliData> {
        match self {
            Condition::Raw(raw) => raw.of_slos.as_ref(),
            _ => None,
        }
    }

    /// True where a part remembers missing series for a time: the alert has no labels when it has forgotten them.
    pub fn forgets(&self) -> bool {
        let leaves = self.leaves();
        let mut absent = leaves.into_iter().filter_map(|leaf| match leaf {
            Condition::Absent(absent) => Some(absent),
            _ => None,
        });
        absent.any(|absent| absent.memory.is_some())
    }

    pub fn signals(&self) -> Vec<&Signal> {
        let leaves = self.leaves().into_iter();
        let signals = leaves.filter_map(|leaf| match leaf {
            Condition::Compare(c) => Some(&c.signal),
            Condition::Absent(a) => Some(&a.signal),
            _ => None,
        });
        signals.collect()
    }

    pub fn value(&self) -> &Expr {
        let expr = &self.query().expr;
        match (self, &expr.kind) {
            (Condition::Compare(c), ExprKind::Binary(comparison))
                if matches!(c.bound, Bound::Fixed(..)) =>
            {
                &comparison.lhs
            }
            _ => expr,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Compare {
    pub signal: Signal,
    pub stat: Stat,
    pub window: Duration,
    pub bound: Bound,
    pub unit: ValueUnit,
    pub query: Query,
}

#[derive(Clone, Debug)]
pub enum Bound {
    Fixed(CompareOp, Number, String),
    Times(CompareOp, Number, Baseline),
    Outside(Outside),
}

impl Bound {
    /// How far back the values go that the bound is computed from; none for a fixed one.
    pub fn past(&self) -> Option<Duration> {
        match self {
            Bound::Fixed(..) => None,
            Bound::Times(_, _, Baseline::Offset(past) | Baseline::AvgOver(past)) => Some(*past),
            Bound::Outside(o) => Some(o.window),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Outside {
    pub sigma: Number,
    pub window: Duration,
    /// Samples needed before anything is said.
    pub min_samples: u32,
    pub side: Side,
    /// Above this only does what is unusually high count.
    pub floor: Option<Limit>,
    /// Below this only does what is unusually low count.
    pub ceiling: Option<Limit>,
}

impl Outside {
    /// The sides that count, each with the limit it has beside the usual range.
    pub fn sides(&self) -> impl Iterator<Item = (CompareOp, Option<&Limit>)> {
        let high = (self.side != Side::Low).then_some((CompareOp::Above, self.floor.as_ref()));
        let low = (self.side != Side::High).then_some((CompareOp::Below, self.ceiling.as_ref()));
        high.into_iter().chain(low)
    }
}

#[derive(Clone, Debug)]
pub struct Limit {
    /// In base units, a rate per second.
    pub value: Number,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareOp {
    Above,
    Below,
    AtLeast,
    AtMost,
}

impl CompareOp {
    pub fn is_upper(self) -> bool {
        matches!(self, CompareOp::Above | CompareOp::AtLeast)
    }

    /// The sign in text: `>`.
    pub fn symbol(self) -> &'static str {
        match self {
            CompareOp::Above => ">",
            CompareOp::Below => "<",
            CompareOp::AtLeast => ">=",
            CompareOp::AtMost => "<=",
        }
    }

    pub fn holds<T: PartialOrd>(self, value: T, bound: T) -> bool {
        match self {
            CompareOp::Above => value > bound,
            CompareOp::Below => value < bound,
            CompareOp::AtLeast => value >= bound,
            CompareOp::AtMost => value <= bound,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            CompareOp::Above => "above",
            CompareOp::Below => "below",
            CompareOp::AtLeast => "at or above",
            CompareOp::AtMost => "at or below",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueUnit {
    pub unit: Unit,
    pub per: Option<Per>,
}

impl ValueUnit {
    /// Of a value that is not a rate.
    pub fn plain(unit: Unit) -> Self {
        Self { unit, per: None }
    }
}

#[derive(Clone, Debug)]
pub struct Absent {
    pub signal: Signal,
    /// How long a label set is remembered after its last series; `None` where no label set is.
    pub memory: Option<Duration>,
    pub query: Query,
}

#[derive(Clone, Debug)]
pub struct RawCondition {
    /// What it means, when it is not the author's.
    pub words: Option<String>,
    /// The two signals that move together, when it is not the author's.
    pub correlated: Option<Correlated>,
    /// The SLOs whose data it watches, when it is not the author's.
    pub of_slos: Option<SliData>,
    /// The expression without the comparison that the spec adds.
    pub expr: Expr,
    pub unit: ValueUnit,
    /// What the spec compares the value with, as text: `> 90%`.
    pub threshold: Option<String>,
    pub query: Query,
}

/// What an alert on the data of SLOs reads.
#[derive(Clone, Debug)]
pub struct SliData {
    /// SLOs whose events end together with their series, and that fire for no other reason then.
    pub ended: Vec<String>,
    /// Labels of the places at which they end: those that all series of a target have. One model or one route may end on purpose.
    pub places: Vec<String>,
    /// Where the alert is on missing measurements, the SLOs on a bucket of a histogram or on statuses.
    pub undecided: Vec<String>,
    /// Where the alert is on missing measurements, the SLOs that have series from the start of their targets on, apart by what tells that
    /// they are to be measured.
    pub unmeasured: Option<Vec<Unmeasured>>,
    /// Where the alert is on missing measurements, the SLOs that have series after the first request.
    pub late: Vec<String>,
    /// Labels of the targets of the first of these SLOs: while one stays up, nothing is lost.
    pub targets: Option<Vec<Matcher>>,
    /// How long ended series are remembered.
    pub memory: Duration,
    /// The same while targets are down, where the alert is on lost data.
    pub down: Option<Duration>,
    /// Where the alert is on lost data, the alerts that also page while the metrics of the same targets are missing, and the SLOs on these.
    pub paged_by: Vec<(String, Vec<String>)>,
}

/// SLOs that are to be measured under the same conditions.
#[derive(Clone, Debug)]
pub struct Unmeasured {
    pub slos: Vec<String>,
    /// Labels of their targets: while none is up, nothing is to be measured.
    pub targets: Option<Vec<Matcher>>,
    /// Labels of places: each whose targets are up is to be measured.
    pub place: Vec<String>,
    /// How long they may be idle and without series.
    pub idle: Option<Duration>,
}

#[derive(Clone, Debug)]
pub struct Correlated {
    pub of: [Reading; 2],
    pub window: Duration,
    pub above: Number,
}

#[derive(Clone, Debug)]
pub struct Reading {
    pub signal: Signal,
    pub stat: Stat,
    pub window: Duration,
}
