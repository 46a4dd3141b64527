//! Conditions: when an alert fires.
//!
//! `{signal: queue_depth, above: 80}` is a [`Compare`] with [`Bound::Fixed`] and the query
//! `sum by (cluster) (vllm:num_requests_waiting) > 80`.

use super::{Query, Signal};
use crate::promql::ast::{Expr, ExprKind};
use crate::spec::{Baseline, Side, Stat};
use crate::units::{Duration, Number, Per, Unit};

/// When an alert fires.
#[derive(Clone, Debug)]
pub enum Condition {
    /// A signal against a bound.
    Compare(Box<Compare>),
    /// Series that were there are gone.
    Absent(Box<Absent>),
    /// PromQL by the author.
    Raw(Box<RawCondition>),
    /// All of them.
    All(Vec<Condition>, Query),
    /// One of them.
    Any(Vec<Condition>, Query),
    /// The first and not the second.
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

    /// The part whose value the query shows.
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

    /// Signals that it looks at.
    pub fn signals(&self) -> Vec<&Signal> {
        let leaves = self.leaves().into_iter();
        let signals = leaves.filter_map(|leaf| match leaf {
            Condition::Compare(c) => Some(&c.signal),
            Condition::Absent(a) => Some(&a.signal),
            _ => None,
        });
        signals.collect()
    }

    /// The value that a fixed bound judges, without the comparison; else the whole query.
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

/// A signal against a bound.
#[derive(Clone, Debug)]
pub struct Compare {
    /// The signal.
    pub signal: Signal,
    /// How it is read over time.
    pub stat: Stat,
    /// Look-back.
    pub window: Duration,
    /// What it is compared with.
    pub bound: Bound,
    /// What its value counts in.
    pub unit: ValueUnit,
    /// The comparison.
    pub query: Query,
}

/// What a value is compared with.
#[derive(Clone, Debug)]
pub enum Bound {
    /// A fixed value: in base units, and as written.
    Fixed(CompareOp, Number, String),
    /// A multiple of the signal's own past.
    Times(CompareOp, Number, Baseline),
    /// The usual range.
    Outside(Outside),
}

/// The usual range of a signal.
#[derive(Clone, Debug)]
pub struct Outside {
    /// Standard deviations.
    pub sigma: Number,
    /// The time the mean is taken over.
    pub window: Duration,
    /// Samples needed before anything is said.
    pub min_samples: u32,
    /// Which side counts.
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

/// A fixed limit beside a usual range.
#[derive(Clone, Debug)]
pub struct Limit {
    /// In base units, a rate per second.
    pub value: Number,
    /// As written.
    pub text: String,
}

/// How a value is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareOp {
    /// `>`
    Above,
    /// `<`
    Below,
    /// `>=`
    AtLeast,
    /// `<=`
    AtMost,
}

impl CompareOp {
    /// True when high values fire.
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

    /// True when a value fires.
    pub fn holds<T: PartialOrd>(self, value: T, bound: T) -> bool {
        match self {
            CompareOp::Above => value > bound,
            CompareOp::Below => value < bound,
            CompareOp::AtLeast => value >= bound,
            CompareOp::AtMost => value <= bound,
        }
    }

    /// The word in diagnostics: `above`.
    pub fn as_str(self) -> &'static str {
        match self {
            CompareOp::Above => "above",
            CompareOp::Below => "below",
            CompareOp::AtLeast => "at or above",
            CompareOp::AtMost => "at or below",
        }
    }
}

/// What a value counts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueUnit {
    /// The unit.
    pub unit: Unit,
    /// The time of a rate.
    pub per: Option<Per>,
}

/// Series that were there are gone.
#[derive(Clone, Debug)]
pub struct Absent {
    /// The signal.
    pub signal: Signal,
    /// The query.
    pub query: Query,
}

/// PromQL by the author, or what has no simpler form.
#[derive(Clone, Debug)]
pub struct RawCondition {
    /// What it means, when it is not the author's.
    pub words: Option<String>,
    /// The two signals that move together, when it is not the author's.
    pub correlated: Option<Correlated>,
    /// The expression without the comparison that the spec adds.
    pub expr: Expr,
    /// What its value counts in.
    pub unit: ValueUnit,
    /// The whole condition.
    pub query: Query,
}

/// Two signals that move together.
#[derive(Clone, Debug)]
pub struct Correlated {
    /// The signals.
    pub of: [Reading; 2],
    /// The time over which they are compared.
    pub window: Duration,
    /// The coefficient above which the condition holds.
    pub above: Number,
}

/// A signal as it is read over time.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The signal.
    pub signal: Signal,
    /// How it is read.
    pub stat: Stat,
    /// Look-back.
    pub window: Duration,
}
