//! Bad and total events of an SLI as PromQL, over any window.

use super::{bin, bucket_rate, or_zero, positive, range};
use crate::naming;
use crate::plan::{BASE_WINDOW, EventSli, slo_series};
use crate::promql::ast::{BinaryOp, Expr};
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
}

impl Events {
    /// All events per second over a window.
    pub fn total(&self, window: Duration) -> Expr {
        let signal = match &self.sli {
            EventSli::Ratio { total, .. } => total,
            EventSli::Latency { signal, .. } => signal,
        };
        super::events(signal, window, None, &self.labels)
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
                let part = or_zero(super::events(part, window, None, &self.labels), &total);
                if *good { rest(part) } else { part }
            }
            // A histogram has all its buckets or none, so nothing replaces a missing one.
            EventSli::Latency { family, within, .. } => {
                rest(bucket_rate(family, within, window, &self.labels))
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
    };
    let whole = positive(events.total(window));
    bin(BinaryOp::Div, events.bad(window), whole)
}
