//! Bad and total events of an SLI as PromQL, over any window.

use super::{SignalQuery, bin, bucket_rate, new, or_zero, positive, range};
use crate::naming;
use crate::plan::marker::at_window;
use crate::plan::{BASE_WINDOW, Counted, EventSli, Good, Signal, TimeSli, Window, slo_series};
use crate::promql::ast::{BinaryOp, Expr, Selector};
use crate::promql::build;
use crate::spec::Stat;
use crate::units::Duration;

/// Ratios up to this window read the counters themselves.
pub const DIRECT_UP_TO: Duration = Duration::from_secs(3_600);

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
    /// All events over a window, per second where signals count them.
    ///
    /// # Errors
    /// The share of bad events, where only that is known.
    fn total(&self, window: Duration) -> Result<Expr, &Expr> {
        Ok(match &self.sli {
            EventSli::Ratio { total: all, .. } | EventSli::Latency { signal: all, .. } => {
                self.with_new(super::events(all, window, None, &self.labels), window)
            }
            EventSli::Time(time) => moments("count_over_time", self.value(time), time, window),
            EventSli::Own(own) => at_window(&own.total, window),
            EventSli::OwnRatio(ratio) => return Err(ratio),
        })
    }

    /// The same with the first values of new series, where `count_new_series` is set.
    fn with_new(&self, expr: Expr, window: Duration) -> Expr {
        match self.sli.signal().and_then(Signal::family) {
            Some(all) if self.count_new_series => new::counted(expr, all, window, &self.labels),
            _ => expr,
        }
    }

    /// Bad events over a window, and all.
    ///
    /// A missing series of good or bad events counts as none; rounding never makes a count negative.
    ///
    /// # Errors
    /// The share of bad events, where only that is known.
    pub fn counted(&self, window: Duration) -> Result<Counted, &Expr> {
        let total = self.total(window)?;
        let rest = |good: Expr| {
            let rest = bin(BinaryOp::Sub, total.clone(), good);
            build::call("clamp_min", vec![rest, build::number("0")])
        };
        let of = |part: Expr, good: bool| {
            let part = or_zero(part, &total);
            if good { rest(part) } else { part }
        };
        let bad = match &self.sli {
            EventSli::Ratio { part, good, .. } => {
                let part = super::events(part, window, None, &self.labels);
                of(self.with_new(part, window), *good)
            }
            // A histogram has all its buckets or none, so nothing replaces a missing one.
            EventSli::Latency { family, within, .. } => {
                let good = bucket_rate(family, within, window, &self.labels);
                rest(self.with_new(good, window))
            }
            // NaN is not good.
            EventSli::Time(time) => {
                let good = moments("sum_over_time", self.is_good(time), time, window);
                bin(BinaryOp::Sub, total.clone(), good)
            }
            EventSli::Own(own) => of(at_window(&own.part, window), own.good),
            EventSli::OwnRatio(ratio) => return Err(ratio),
        };
        Ok(Counted { bad, total })
    }

    fn value(&self, time: &TimeSli) -> Expr {
        let read = SignalQuery {
            signal: &time.signal,
            stat: Stat::Last,
            window: Window::Fixed(BASE_WINDOW),
            labels: self.labels.clone(),
        };
        super::query(&read, None).expr
    }

    /// One while the gauge is good, else zero.
    fn is_good(&self, time: &TimeSli) -> Expr {
        let op = match time.good {
            Good::Is(op) => super::bound::operator(op),
            Good::Equals => BinaryOp::Eq,
        };
        let bound = super::number(time.bound);
        build::binary(op, self.value(time), bound)
            .with_bool()
            .into()
    }

    /// The number of events in a window, from what was scraped; none where only their ratio is known.
    fn number(&self, window: Duration) -> Option<Expr> {
        let seconds = build::number(window.as_secs().to_string());
        Some(bin(BinaryOp::Mul, self.total(window).ok()?, seconds))
    }

    /// True where a window has so many events: of those scraped where it is short, else of recorded events, which are known
    /// minutes later.
    pub fn enough(&self, window: Duration, least: u32, service: &str, slo: &str) -> Expr {
        let direct = self.number(window).filter(|_| window <= DIRECT_UP_TO);
        let number = direct.unwrap_or_else(|| {
            let base = BASE_WINDOW.to_string();
            counted(
                slo_series(naming::TOTAL_EVENTS, service, slo, &base),
                window,
            )
        });
        at_least(number, least)
    }

    /// The share of bad events in a window, from what was scraped.
    fn direct(&self, window: Duration) -> Expr {
        if let EventSli::Time(time) = &self.sli {
            let good = moments("avg_over_time", self.is_good(time), time, window);
            return bin(BinaryOp::Sub, build::number("1"), good);
        }
        match self.counted(window) {
            Ok(Counted { bad, total }) => bin(BinaryOp::Div, bad, positive(total)),
            Err(ratio) => at_window(ratio, window),
        }
    }

    /// The share of bad events in a window: of what was scraped where it is short, else of recorded events.
    pub fn ratio(&self, window: Duration, service: &str, slo: &str) -> Expr {
        if window <= DIRECT_UP_TO {
            return self.direct(window);
        }
        let base = BASE_WINDOW.to_string();
        let over = |function: &str, series: &str| {
            let range = range(slo_series(series, service, slo, &base), window);
            build::call(function, vec![range])
        };
        if self.total(window).is_err() {
            return over("avg_over_time", naming::ERROR_RATIO);
        }
        let whole = positive(over("sum_over_time", naming::TOTAL_EVENTS));
        bin(
            BinaryOp::Div,
            over("sum_over_time", naming::BAD_EVENTS),
            whole,
        )
    }
}

/// A gauge at each moment of a window, put together by a function.
fn moments(function: &str, value: Expr, time: &TimeSli, window: Duration) -> Expr {
    super::over_by(function, value, window, time.every)
}

/// The events of an SLI as they were scraped, without the first values of new series.
fn plain(sli: &EventSli, labels: &[String]) -> Events {
    Events {
        sli: sli.clone(),
        labels: labels.to_vec(),
        count_new_series: false,
    }
}

/// Bad events out of all events over a window, from what was scraped.
pub fn direct_ratio(sli: &EventSli, labels: &[String], window: Duration) -> Expr {
    plain(sli, labels).direct(window)
}

/// True where a window has so many events, from what was scraped; none where only their ratio is known.
pub fn direct_enough(
    sli: &EventSli,
    labels: &[String],
    window: Duration,
    least: u32,
) -> Option<Expr> {
    let number = plain(sli, labels).number(window)?;
    Some(at_least(number, least))
}

fn at_least(number: Expr, least: u32) -> Expr {
    bin(BinaryOp::Ge, number, build::number(least.to_string()))
}

/// The number of events in a window, from those recorded over the base window: one of these after the other has each
/// event once, however often they are recorded.
fn counted(total: Selector, window: Duration) -> Expr {
    let sum = super::over_by("sum_over_time", total.into(), window, BASE_WINDOW);
    let seconds = build::number(BASE_WINDOW.as_secs().to_string());
    bin(BinaryOp::Mul, sum, seconds)
}
