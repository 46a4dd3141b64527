//! Objectives: event SLOs with an error budget, and percentile SLOs.
//!
//! 99.9% over 30 days is a [`Budget`] of 0.001, and its first [`Tier`] fires at 14.4 times that over 1h and 5m.

use super::{Condition, Family, Links, Query, Signal};
use crate::promql::ast::Expr;
use crate::units::{Duration, Number};

/// Events are recorded over this window; longer ratios sum them.
pub const BASE_WINDOW: Duration = Duration::from_mins(5);

/// A service level objective.
#[derive(Clone, Debug)]
pub struct Slo {
    /// Its name in the spec.
    pub name: String,
    /// For people.
    pub title: String,
    /// What it promises.
    pub description: String,
    /// The period it is kept over.
    pub period: Duration,
    /// Labels of its series beside `service`, `slo` and `window`.
    pub labels: Vec<String>,
    /// How it is measured.
    pub kind: SloKind,
    /// Name of its alerts.
    pub alert_name: String,
    /// Where its alerts point.
    pub links: Links,
    /// Series for other tools' dashboards.
    pub compat: Option<Compat>,
}

impl Slo {
    /// Signals that it is measured by.
    pub fn signals(&self) -> Vec<&Signal> {
        match &self.kind {
            SloKind::Events(events) => match &events.sli {
                EventSli::Ratio { part, total, .. } => vec![part, total],
                EventSli::Latency { signal, .. } => vec![signal],
            },
            SloKind::Percentile(percentile) => vec![&percentile.signal],
        }
    }
}

/// How an objective is measured.
#[derive(Clone, Debug)]
pub enum SloKind {
    /// Bad events out of all events.
    Events(Box<EventSlo>),
    /// A percentile below a bound.
    Percentile(Box<PercentileSlo>),
}

/// An objective with an error budget.
#[derive(Clone, Debug)]
pub struct EventSlo {
    /// Objective and budget.
    pub budget: Budget,
    /// What the events are.
    pub sli: EventSli,
    /// Bad events per second over the base window, per group.
    pub bad: Expr,
    /// All events per second over the base window, per group.
    pub total: Expr,
    /// Error ratios that are recorded, ascending; the last is the period.
    pub ratios: Vec<WindowRatio>,
    /// Burn-rate alerts, fastest first.
    pub tiers: Vec<Tier>,
    /// True where what new series begin with is counted.
    pub count_new_series: bool,
    /// Events in a tier's long window without which it does not fire; 0 when any will do.
    pub min_events: u32,
}

/// Objective and error budget, exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Share of events that must be good.
    pub objective: Number,
    /// Share of events that may be bad.
    pub budget: Number,
}

/// What the events of an SLI are.
#[derive(Clone, Debug)]
pub enum EventSli {
    /// Counted by two counters; `good` says which events `part` counts.
    Ratio {
        /// The good or the bad events.
        part: Box<Signal>,
        /// True when `part` counts good events.
        good: bool,
        /// All events.
        total: Box<Signal>,
    },
    /// Observations of a histogram; good at or below a boundary.
    Latency {
        /// The histogram.
        signal: Box<Signal>,
        /// Its family.
        family: Box<Family>,
        /// The boundary.
        within: super::Bucket,
    },
}

/// An error ratio over one window.
#[derive(Clone, Debug)]
pub struct WindowRatio {
    /// The window.
    pub window: Duration,
    /// The ratio, per group.
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
    /// Long window.
    pub long: Duration,
    /// Short window.
    pub short: Duration,
    /// Share of the period's budget that is gone when it fires.
    pub consumed: Number,
}

/// An objective on a percentile.
#[derive(Clone, Debug)]
pub struct PercentileSlo {
    /// The histogram.
    pub signal: Signal,
    /// The percentile as a share (0.95).
    pub quantile: Number,
    /// The bound in base units, and as written.
    pub below: (Number, String),
    /// The percentile over the SLO's window.
    pub query: Query,
    /// Its alert, if it has one.
    pub alert: Option<PercentileAlert>,
}

/// The alert of a percentile objective.
#[derive(Clone, Debug)]
pub struct PercentileAlert {
    /// When it fires.
    pub condition: Condition,
    /// How long it must hold.
    pub hold: Duration,
    /// Value of the `severity` label.
    pub severity: String,
}

/// Names for series that sloth's dashboards read.
#[derive(Clone, Debug)]
pub struct Compat {
    /// `sloth_id`.
    pub id: String,
}
