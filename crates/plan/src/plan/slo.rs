//! Objectives with an error budget.
//!
//! 99.9% over 30 days is a [`Budget`] of 0.001, and its first [`Tier`] fires at 14.4 times that over 1h and 5m.

use super::{CompareOp, Family, Links, Marks, Query, Signal};
use slosmith_promql::ast::Expr;
use slosmith_spec::naming;
use slosmith_text::units::{Duration, Number};

/// Events are recorded over this window; longer ratios sum them.
pub const BASE_WINDOW: Duration = Duration::from_mins(5);

/// How long the short window keeps its last ratio after the data has ended: an outage that takes the targets with it goes on.
pub const HELD: Duration = Duration::from_mins(60);

/// Long windows of tiers up to this page; longer ones open a ticket.
pub const PAGE_UP_TO: Duration = Duration::from_secs(6 * 3_600);

/// A service level objective.
#[derive(Clone, Debug)]
pub struct Slo {
    pub name: String,
    pub title: String,
    pub description: String,
    pub period: Duration,
    /// Labels of its series beside `service`, `slo` and `window`.
    pub labels: Vec<String>,
    pub events: EventSlo,
    pub alert_name: String,
    /// One line for the on-call person, where the author wrote it; may hold template code.
    pub summary: Option<String>,
    /// Labels of its objective that tell whose it is.
    pub facts: Vec<(String, String)>,
    /// Where its alerts point.
    pub links: Links,
    /// Series for other tools' dashboards.
    pub compat: Option<Compat>,
}

impl Slo {
    pub fn signals(&self) -> Vec<&Signal> {
        match &self.events.sli {
            EventSli::Ratio { part, total, .. } => vec![part, total],
            sli => sli.signal().into_iter().collect(),
        }
    }

    /// What its alerts carry, by severity, in the order of its tiers.
    pub fn marks(&self) -> Vec<(&str, &Marks)> {
        let tiers = self.events.tiers.iter();
        tiers
            .map(|tier| (tier.severity.as_str(), &tier.marks))
            .collect()
    }
}

/// An objective with an error budget.
#[derive(Clone, Debug)]
pub struct EventSlo {
    pub budget: Budget,
    pub sli: EventSli,
    /// What is counted over the base window, per group; nothing where only a ratio is known.
    pub counted: Option<Counted>,
    /// Error ratios that are recorded, ascending; the last is the period.
    pub ratios: Vec<WindowRatio>,
    /// Burn-rate alerts, fastest first.
    pub tiers: Vec<Tier>,
    /// Events since the last evaluation, which longer windows sum up.
    pub increases: Vec<Increase>,
    /// Sums of these over the base window, which the period sums up; recorded as often.
    pub sums: Vec<Increase>,
    /// True where what new series begin with is counted.
    pub count_new_series: bool,
    /// The places where all of its targets are up; `None` where their job is not known.
    pub all_up: Option<Query>,
    /// True where its places are values of a label that its counter has and its targets have not: a place ends as soon as it has no events,
    /// and the data of the targets goes on.
    pub places_end: bool,
    /// Events in a tier's long window without which it does not fire; 0 when any will do.
    pub min_events: u32,
}

impl EventSlo {
    /// What reads the counters: of all events, and of the bad or the good ones.
    pub fn read(&self) -> Option<[&Expr; 2]> {
        let first = |name| self.increases.iter().find(|found| found.name == name);
        if let Some(both) = first(naming::EVENTS) {
            return Some([&both.expr; 2]);
        }
        match [naming::ALL_EVENTS, self.sli.part_events()].map(first) {
            [Some(total), Some(part)] => Some([&total.expr, &part.expr]),
            _ => self.counted.as_ref().map(|c| [&c.total, &c.bad]),
        }
    }

    /// True where the short window keeps its last ratio after the data has ended. A longer one remembers by itself, the end of a
    /// shorter one than the base window is not seen, and where only a ratio is known, its end may be an idle hour.
    pub fn is_held(&self, tier: &Tier) -> bool {
        self.counted.is_some() && (BASE_WINDOW..HELD).contains(&tier.short)
    }
}

/// The longest window of burn-rate alerts, and at least three days: rules over more are in a file of their own, as a test of
/// the others need not load so much.
pub fn near_up_to(tiers: &[Tier]) -> Duration {
    let longest = tiers.iter().map(|tier| tier.long).max();
    longest
        .unwrap_or_default()
        .max(Duration::from_secs(3 * 86_400))
}

/// Events of a length of time, as they are recorded.
#[derive(Clone, Debug)]
pub struct Increase {
    pub name: &'static str,
    pub window: Duration,
    pub expr: Expr,
}

/// Events over a window.
#[derive(Clone, Debug)]
pub struct Counted {
    /// Bad events; reads what is recorded of all events.
    pub bad: Expr,
    pub total: Expr,
}

/// Objective and error budget, exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Share of events that must be good.
    pub objective: Number,
    /// Share of events that may be bad.
    pub budget: Number,
}

#[derive(Clone, Debug)]
pub enum EventSli {
    /// Counted by two counters; `good` says which events `part` counts.
    Ratio {
        part: Box<Signal>,
        /// True when `part` counts good events.
        good: bool,
        total: Box<Signal>,
    },
    /// Observations of a histogram; good at or below a boundary.
    Latency {
        signal: Box<Signal>,
        family: Box<Family>,
        within: super::Bucket,
    },
    /// Moments, good where a gauge is.
    Time(Box<TimeSli>),
    /// Events by PromQL of the author's, with [`WINDOW`](super::marker::WINDOW) where the window stands.
    Own(Box<OwnEvents>),
    /// Their share by such PromQL, where nothing counts them.
    OwnRatio(Box<Expr>),
}

/// Moments at which a gauge is good.
#[derive(Clone, Debug)]
pub struct TimeSli {
    pub signal: Signal,
    pub good: Good,
    pub bound: Number,
    pub text: String,
    /// The time between two moments.
    pub every: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Good {
    /// On one side of a bound.
    Is(CompareOp),
    Equals,
}

impl Good {
    /// The words of messages: `at or above`.
    pub fn as_str(self) -> &'static str {
        match self {
            Good::Is(op) => op.as_str(),
            Good::Equals => "equal to",
        }
    }
}

/// Events by PromQL of the author's.
#[derive(Clone, Debug)]
pub struct OwnEvents {
    pub part: Expr,
    /// True when `part` counts good events.
    pub good: bool,
    pub total: Expr,
}

impl EventSli {
    /// The series of what it counts beside all events.
    pub fn part_events(&self) -> &'static str {
        naming::part_events(match self {
            EventSli::Ratio { good, .. } => *good,
            EventSli::Own(own) => own.good,
            EventSli::Latency { .. } => true,
            EventSli::Time(_) | EventSli::OwnRatio(_) => false,
        })
    }

    pub fn signal(&self) -> Option<&Signal> {
        match self {
            EventSli::Ratio { total, .. } => Some(total),
            EventSli::Latency { signal, .. } => Some(signal),
            EventSli::Time(time) => Some(&time.signal),
            EventSli::Own(_) | EventSli::OwnRatio(_) => None,
        }
    }
}

#[derive(Clone, Debug)]
pub struct WindowRatio {
    pub window: Duration,
    pub expr: Expr,
}

/// A burn-rate alert.
#[derive(Clone, Debug, PartialEq)]
pub struct Tier {
    /// Stable name: the long window.
    pub name: String,
    /// Value of the `severity` label.
    pub severity: String,
    /// Burn rate that fires it.
    pub factor: Number,
    /// Error ratio that fires it.
    pub threshold: Number,
    pub long: Duration,
    pub short: Duration,
    /// Share of the period's budget that is gone when it fires.
    pub consumed: Number,
    /// True where the long window has `min_events`; none where any number will do.
    pub enough: Option<Expr>,
    /// What else the alert carries.
    pub marks: Marks,
}

/// Names for series that sloth's dashboards read.
#[derive(Clone, Debug)]
pub struct Compat {
    /// `sloth_id`.
    pub id: String,
}
