//! Bad and total events of an SLI as PromQL, over any window.

use super::query::{self, bin};
use crate::naming;
use crate::plan::{BASE_WINDOW, EventSli, slo_series};
use crate::promql::ast::{BinaryOp, Expr};
use crate::promql::build;
use crate::units::Duration;

/// Ratios up to this window read the counters themselves.
const DIRECT_UP_TO: Duration = Duration::from_secs(3_600);

/// Bad and total events per second over a window.
pub(super) struct Events {
    pub(super) sli: EventSli,
    pub(super) labels: Vec<String>,
}

impl Events {
    pub(super) fn total(&self, window: Duration) -> Expr {
        let signal = match &self.sli {
            EventSli::Ratio { total, .. } => total,
            EventSli::Latency { signal, .. } => signal,
        };
        query::events(signal, window, None, &self.labels)
    }

    /// A missing series of good or bad events counts as none; rounding never makes a count negative.
    pub(super) fn bad(&self, window: Duration) -> Expr {
        let total = self.total(window);
        let rest = |good: Expr| {
            let rest = bin(BinaryOp::Sub, total.clone(), good);
            build::call("clamp_min", vec![rest, build::number("0")])
        };
        match &self.sli {
            EventSli::Ratio { part, good, .. } => {
                let part = query::or_zero(query::events(part, window, None, &self.labels), &total);
                if *good { rest(part) } else { part }
            }
            // A histogram has all its buckets or none, so nothing stands in for a missing one.
            EventSli::Latency { signal, within } => match signal.family() {
                Some(family) => rest(query::bucket_rate(family, within, window, &self.labels)),
                None => total,
            },
        }
    }

    pub(super) fn ratio(&self, window: Duration, service: &str, slo: &str) -> Expr {
        if window <= DIRECT_UP_TO {
            let whole = query::positive(self.total(window));
            return bin(BinaryOp::Div, self.bad(window), whole);
        }
        let base = BASE_WINDOW.to_string();
        let summed = |series: &str| {
            let range = query::range(slo_series(series, service, slo, &base), window);
            build::call("sum_over_time", vec![range])
        };
        let whole = query::positive(summed(naming::TOTAL_EVENTS));
        bin(BinaryOp::Div, summed(naming::BAD_EVENTS), whole)
    }
}

/// Bad events out of all events over a window, from the counters themselves.
pub(super) fn direct_ratio(sli: &EventSli, labels: &[String], window: Duration) -> Expr {
    let events = Events {
        sli: sli.clone(),
        labels: labels.to_vec(),
    };
    let whole = query::positive(events.total(window));
    bin(BinaryOp::Div, events.bad(window), whole)
}
