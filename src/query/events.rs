//! Bad and total events of an SLI as PromQL, over any window.

use super::{NewSeries, SignalQuery, bin, bucket_rate, gaps, or_zero, positive, range};
use crate::naming;
use crate::plan::marker::at_window;
use crate::plan::{BASE_WINDOW, Counted, EventSli, Good, TimeSli, Window, slo_series};
use crate::promql::ast::{BinaryOp, Expr, Selector};
use crate::promql::build;
use crate::spec::Stat;
use crate::units::Duration;

/// Sums up to this window add up what each evaluation recorded. Longer ones read one base window after the other: a fifth.
const EACH_UP_TO: Duration = Duration::from_secs(3 * 86_400);

/// Ratios of an SLI up to this window read the counters themselves.
pub fn direct_up_to(sli: &EventSli) -> Duration {
    let hours = match sli {
        // Each moment is a query of its own.
        EventSli::Time(_) => 1,
        _ => 6,
    };
    Duration::from_secs(hours * 3_600)
}

/// How rates over a window are read.
type Read = fn(Expr, Duration) -> Expr;

/// By Prometheus alone.
fn as_they_are(rates: Expr, _: Duration) -> Expr {
    rates
}

/// Events of an SLI, per group.
pub struct Events {
    /// What they are.
    pub sli: EventSli,
    /// Labels of the result.
    pub labels: Vec<String>,
    /// Where the first values of new series are counted, if they are.
    pub new_series: Option<NewSeries>,
}

impl Events {
    /// All events over a window, per second where signals count them.
    ///
    /// # Errors
    /// The share of bad events, where only that is known.
    fn total(&self, window: Duration, read: Read) -> Result<Expr, &Expr> {
        Ok(match &self.sli {
            EventSli::Ratio { total: all, .. } | EventSli::Latency { signal: all, .. } => {
                let events = super::events(all, window, None, &self.labels);
                self.with_new(read(events, window), naming::NEW_TOTAL_EVENTS, window)
            }
            EventSli::Time(time) => moments("count_over_time", self.value(time), time, window),
            EventSli::Own(own) => read(at_window(&own.total, window), window),
            EventSli::OwnRatio(ratio) => return Err(ratio),
        })
    }

    /// The same with the first values of new series, where `count_new_series` is set.
    fn with_new(&self, expr: Expr, name: &str, window: Duration) -> Expr {
        match &self.new_series {
            Some(new) => new.with(expr, name, window, &self.labels),
            None => expr,
        }
    }

    /// What is recorded of the first values of new series, by name.
    pub fn first_values(&self) -> Vec<(&'static str, Expr)> {
        let rates = |signal| super::events(signal, BASE_WINDOW, None, &self.labels);
        let (part, all) = match &self.sli {
            EventSli::Ratio { part, total, .. } => (rates(part), total),
            EventSli::Latency {
                family,
                within,
                signal,
            } => {
                let good = bucket_rate(family, within, BASE_WINDOW, &self.labels);
                (good, signal)
            }
            EventSli::Time(_) | EventSli::Own(_) | EventSli::OwnRatio(_) => return Vec::new(),
        };
        let (Some(new), Some(family)) = (&self.new_series, all.family()) else {
            return Vec::new();
        };
        vec![
            (naming::NEW_PART_EVENTS, new.found(part, family)),
            (naming::NEW_TOTAL_EVENTS, new.found(rates(all), family)),
        ]
    }

    /// Bad events over a window, and all.
    ///
    /// A missing series of good or bad events counts as none; rounding never makes a count negative.
    ///
    /// # Errors
    /// The share of bad events, where only that is known.
    fn counted(
        &self,
        window: Duration,
        read: Read,
        recorded: Option<&Recorded<'_>>,
    ) -> Result<Counted, &Expr> {
        let all = self.total(window, read)?;
        let total = match recorded {
            Some(recorded) => {
                super::sum(&self.labels, recorded.series(naming::TOTAL_EVENTS).into())
            }
            None => all.clone(),
        };
        let rest = |good: Expr| {
            let rest = bin(BinaryOp::Sub, total.clone(), good);
            build::call("clamp_min", vec![rest, build::number("0")])
        };
        let of = |part: Expr, good: bool| {
            let part = or_zero(part, &total);
            if good { rest(part) } else { part }
        };
        let counted =
            |rates: Expr| self.with_new(read(rates, window), naming::NEW_PART_EVENTS, window);
        let bad = match &self.sli {
            EventSli::Ratio { part, good, .. } => {
                let part = super::events(part, window, None, &self.labels);
                of(counted(part), *good)
            }
            // A histogram has all its buckets or none, so nothing replaces a missing one.
            EventSli::Latency { family, within, .. } => {
                rest(counted(bucket_rate(family, within, window, &self.labels)))
            }
            // NaN is not good.
            EventSli::Time(time) => {
                let good = moments("sum_over_time", self.is_good(time), time, window);
                bin(BinaryOp::Sub, total.clone(), good)
            }
            EventSli::Own(own) => of(read(at_window(&own.part, window), window), own.good),
            EventSli::OwnRatio(ratio) => return Err(ratio),
        };
        Ok(Counted { bad, total: all })
    }

    /// What is recorded over the base window, all events first: sums of these lose nothing to a gap between scrapes.
    pub fn recorded(&self, recorded: &Recorded<'_>) -> Option<Counted> {
        let counted = self.counted(BASE_WINDOW, gaps::bridged, Some(recorded));
        counted.ok()
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
            Good::Above => BinaryOp::Gt,
            Good::Below => BinaryOp::Lt,
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
        let total = self.total(window, as_they_are).ok()?;
        Some(bin(BinaryOp::Mul, total, seconds))
    }

    /// True where a window has so many events: of those scraped where it is short, else of events recorded at each evaluation.
    pub fn enough(&self, window: Duration, least: u32, recorded: &Recorded<'_>) -> Expr {
        let is_direct = window <= direct_up_to(&self.sli);
        let direct = self.number(window).filter(|_| is_direct);
        let number = direct.unwrap_or_else(|| {
            let total = range(recorded.series(naming::TOTAL_EVENTS), window);
            let sum = build::call("sum_over_time", [total]);
            bin(
                BinaryOp::Mul,
                sum,
                build::number(recorded.every.as_secs().to_string()),
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
        match self.counted(window, as_they_are, None) {
            Ok(Counted { bad, total }) => bin(BinaryOp::Div, bad, positive(total)),
            Err(ratio) => at_window(ratio, window),
        }
    }

    /// The share of bad events in a window: of what was scraped where it is short, else of recorded events.
    pub fn ratio(&self, window: Duration, recorded: &Recorded<'_>) -> Expr {
        if window <= direct_up_to(&self.sli) {
            return self.direct(window);
        }
        if matches!(self.sli, EventSli::OwnRatio(_)) {
            return recorded.over("avg_over_time", naming::ERROR_RATIO, window);
        }
        let sum = |series| recorded.over("sum_over_time", series, window);
        let whole = positive(sum(naming::TOTAL_EVENTS));
        bin(BinaryOp::Div, sum(naming::BAD_EVENTS), whole)
    }
}

/// What is recorded of an objective over the base window.
pub struct Recorded<'a> {
    /// The service.
    pub service: &'a str,
    /// The objective.
    pub slo: &'a str,
    /// The time from evaluation to evaluation.
    pub every: Duration,
}

impl Recorded<'_> {
    fn series(&self, name: &str) -> Selector {
        slo_series(name, self.service, self.slo, &BASE_WINDOW.to_string())
    }

    fn over(&self, function: &str, series: &str, window: Duration) -> Expr {
        let series = self.series(series);
        if window > EACH_UP_TO {
            return super::over_by(function, series.into(), window, BASE_WINDOW);
        }
        build::call(function, [range(series, window)])
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
        new_series: None,
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
