//! Bad and total events of an SLI as PromQL, over any window.

use super::{bin, bucket_rate, new, or_zero, positive, range};
use crate::naming;
use crate::plan::{BASE_WINDOW, EventSli, Signal, slo_series};
use crate::promql::ast::{BinaryOp, Expr, Selector};
use crate::promql::build;
use crate::units::Duration;

/// Ratios up to this window read the counters themselves.
const DIRECT_UP_TO: Duration = Duration::from_secs(3_600);

/// Events of an SLI, per group.
pub struct Events {
    /// What they are.
    pub sli: EventSli,
    /// Labels of the result.
    pub labels: Vec<String>,
    /// True where what new series begin with is counted.
    pub count_new_series: bool,
}

impl Events {
    /// All events per second over a window.
    pub fn total(&self, window: Duration) -> Expr {
        let total = super::events(self.all(), window, None, &self.labels);
        self.with_new(total, window)
    }

    /// The signal that counts all events.
    fn all(&self) -> &Signal {
        match &self.sli {
            EventSli::Ratio { total, .. } => total,
            EventSli::Latency { signal, .. } => signal,
        }
    }

    /// The same with what new series begin with, where that is asked for.
    fn with_new(&self, expr: Expr, window: Duration) -> Expr {
        match self.all().family() {
            Some(all) if self.count_new_series => new::counted(expr, all, window, &self.labels),
            _ => expr,
        }
    }

    /// Bad events per second over a window.
    ///
    /// A missing series of good or bad events counts as none; rounding never makes a count negative.
    pub fn bad(&self, window: Duration) -> Expr {
        let total = self.total(window);
        let rest = |good: Expr| {
            let rest = bin(BinaryOp::Sub, total.clone(), good);
            build::call("clamp_min", vec![rest, build::number("0")])
        };
        match &self.sli {
            EventSli::Ratio { part, good, .. } => {
                let part = super::events(part, window, None, &self.labels);
                let part = or_zero(self.with_new(part, window), &total);
                if *good { rest(part) } else { part }
            }
            // A histogram has all its buckets or none, so nothing replaces a missing one.
            EventSli::Latency { family, within, .. } => {
                let good = bucket_rate(family, within, window, &self.labels);
                rest(self.with_new(good, window))
            }
        }
    }

    /// The share of bad events in a window: of the counters themselves where it is short, else of recorded events.
    pub fn ratio(&self, window: Duration, service: &str, slo: &str) -> Expr {
        if window <= DIRECT_UP_TO {
            let whole = positive(self.total(window));
            return bin(BinaryOp::Div, self.bad(window), whole);
        }
        let base = BASE_WINDOW.to_string();
        let summed = |series: &str| {
            let range = range(slo_series(series, service, slo, &base), window);
            build::call("sum_over_time", vec![range])
        };
        let whole = positive(summed(naming::TOTAL_EVENTS));
        bin(BinaryOp::Div, summed(naming::BAD_EVENTS), whole)
    }
}

/// Bad events out of all events over a window, from the counters themselves.
pub fn direct_ratio(sli: &EventSli, labels: &[String], window: Duration) -> Expr {
    let events = Events {
        sli: sli.clone(),
        labels: labels.to_vec(),
        count_new_series: false,
    };
    let whole = positive(events.total(window));
    bin(BinaryOp::Div, events.bad(window), whole)
}

/// The number of events in a window, from those recorded over the base window: one of these after the other has each
/// event once, however often they are recorded.
pub fn counted(total: Selector, window: Duration) -> Expr {
    let sum = super::over_by("sum_over_time", total.into(), window, BASE_WINDOW);
    let seconds = build::number(BASE_WINDOW.as_secs().to_string());
    bin(BinaryOp::Mul, sum, seconds)
}

/// True where a window has so many events, counted by the counters themselves.
pub fn enough(sli: &EventSli, labels: &[String], window: Duration, least: u32) -> Expr {
    let events = Events {
        sli: sli.clone(),
        labels: labels.to_vec(),
        count_new_series: false,
    };
    let seconds = build::number(window.as_secs().to_string());
    let count = bin(BinaryOp::Mul, events.total(window), seconds);
    bin(BinaryOp::Ge, count, build::number(least.to_string()))
}
