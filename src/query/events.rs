//! Bad and total events of an SLI as PromQL, over any window.

use super::{NewSeries, SignalQuery, bin, bucket_rate, gaps, new, or_zero, positive, range};
use crate::naming;
use crate::plan::marker::at_window;
use crate::plan::{BASE_WINDOW, Counted, EventSli, Good, Signal, TimeSli, Window, slo_series};
use crate::promql::ast::{BinaryOp, Expr, Selector};
use crate::promql::build;
use crate::spec::Stat;
use crate::units::Duration;

/// Sums up to this window add up what each evaluation recorded. Longer ones read one base window after the other: a fifth.
const EACH_UP_TO: Duration = Duration::from_secs(86_400);

/// Ratios of an SLI up to this window read the counters themselves.
pub fn direct_up_to(sli: &EventSli) -> Duration {
    match has_each(sli) {
        true => BASE_WINDOW,
        false => Duration::from_secs(3_600),
    }
}

/// True where events can be counted from evaluation to evaluation.
fn has_each(sli: &EventSli) -> bool {
    match sli {
        EventSli::Ratio { .. } | EventSli::Latency { .. } => true,
        EventSli::Own(own) => [&own.part, &own.total].into_iter().all(gaps::counts),
        EventSli::Time(_) | EventSli::OwnRatio(_) => false,
    }
}

/// What an SLI has in place of rates.
enum Unrated<'a> {
    Moments(&'a TimeSli),
    Share(&'a Expr),
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
    /// Rates of the good or the bad events, whether these are the good ones, and rates of all.
    fn rates(&self, window: Duration) -> Result<(Expr, bool, Expr), Unrated<'_>> {
        let of = |signal| super::events(signal, window, None, &self.labels);
        match &self.sli {
            EventSli::Ratio { part, good, total } => Ok((of(part), *good, of(total))),
            EventSli::Latency {
                family,
                within,
                signal,
            } => {
                let good = bucket_rate(family, within, window, &self.labels);
                Ok((good, true, of(signal)))
            }
            EventSli::Own(own) => {
                let [part, total] = [&own.part, &own.total].map(|own| at_window(own, window));
                Ok((part, own.good, total))
            }
            EventSli::Time(time) => Err(Unrated::Moments(time)),
            EventSli::OwnRatio(share) => Err(Unrated::Share(share)),
        }
    }

    /// Bad events from a part of all: a missing series counts as none; rounding never makes a count negative.
    fn bad(&self, part: Expr, good: bool, all: &Expr) -> Expr {
        let part = match self.sli {
            // A histogram has all its buckets or none, so nothing replaces a missing one.
            EventSli::Latency { .. } => part,
            _ => or_zero(part, all),
        };
        if !good {
            return part;
        }
        let rest = bin(BinaryOp::Sub, all.clone(), part);
        build::call("clamp_min", vec![rest, build::number("0")])
    }

    /// Bad events over a window and all, per second where signals count them.
    ///
    /// # Errors
    /// The share of bad events, where only that is known.
    fn counted(&self, window: Duration) -> Result<Counted, &Expr> {
        let (part, good, total) = match self.rates(window) {
            Ok(rates) => rates,
            Err(Unrated::Share(share)) => return Err(share),
            Err(Unrated::Moments(time)) => {
                let total = moments("count_over_time", self.value(time), time, window);
                // NaN is not good.
                let good = moments("sum_over_time", self.is_good(time), time, window);
                let bad = bin(BinaryOp::Sub, total.clone(), good);
                return Ok(Counted { bad, total });
            }
        };
        let with_new = |rates, name| match &self.new_series {
            Some(new) => new.with(rates, name, window, &self.labels),
            None => rates,
        };
        let part = with_new(part, naming::NEW_PART_EVENTS);
        let total = with_new(total, naming::NEW_TOTAL_EVENTS);
        let bad = self.bad(part, good, &total);
        Ok(Counted { bad, total })
    }

    /// What is recorded over the base window, and what that is made from at each evaluation, by name. Sums of these lose nothing
    /// to a gap between scrapes.
    pub fn recorded(
        &self,
        recorded: &Recorded<'_>,
    ) -> Option<(Vec<(&'static str, Expr)>, Counted)> {
        let rates = self.rates(BASE_WINDOW).ok();
        let Some((part, good, total)) = rates.filter(|_| has_each(&self.sli)) else {
            return Some((Vec::new(), self.counted(BASE_WINDOW).ok()?));
        };
        let mut each = self.first_values(&part, &total);
        let grown = |rates, new| {
            let grown = gaps::events(rates, recorded.every);
            match &self.new_series {
                Some(_) => {
                    let new = bin(BinaryOp::Or, grown, recorded.each(new).into());
                    super::sum(&self.labels, new)
                }
                None => grown,
            }
        };
        each.push((naming::PART_EVENTS, grown(part, naming::NEW_PART_EVENTS)));
        each.push((naming::ALL_EVENTS, grown(total, naming::NEW_TOTAL_EVENTS)));
        let [part, total] = [naming::PART_EVENTS, naming::ALL_EVENTS].map(|name| {
            let sum = new::inside(recorded.each(name), BASE_WINDOW);
            super::sum(&self.labels, sum)
        });
        let all = super::sum(&self.labels, recorded.series(naming::TOTAL_EVENTS).into());
        let bad = self.bad(part, good, &all);
        Some((each, Counted { bad, total }))
    }

    /// The first values of new series, by name, where `count_new_series` is set.
    fn first_values(&self, part: &Expr, total: &Expr) -> Vec<(&'static str, Expr)> {
        let family = self.sli.signal().and_then(Signal::family);
        let (Some(new), Some(family)) = (&self.new_series, family) else {
            return Vec::new();
        };
        let both = [
            (naming::NEW_PART_EVENTS, part),
            (naming::NEW_TOTAL_EVENTS, total),
        ];
        both.map(|(name, rates)| (name, new.found(rates.clone(), family)))
            .into()
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
        Some(bin(
            BinaryOp::Mul,
            self.counted(window).ok()?.total,
            seconds,
        ))
    }

    /// True where a window has so many events: of those scraped where it is short, else of those of each evaluation.
    pub fn enough(&self, window: Duration, least: u32, recorded: &Recorded<'_>) -> Expr {
        let is_direct = window <= direct_up_to(&self.sli);
        let direct = self.number(window).filter(|_| is_direct);
        let each = || self.each(naming::ALL_EVENTS, window, recorded);
        at_least(direct.unwrap_or_else(each), least)
    }

    /// Events in a window, from those of each evaluation.
    fn each(&self, name: &str, window: Duration, recorded: &Recorded<'_>) -> Expr {
        let sum = build::call(
            "sum_over_time",
            [range(recorded.each(name), new::open(window))],
        );
        super::sum(&self.labels, sum)
    }

    /// The share of bad events in a window, from what was scraped.
    fn direct(&self, window: Duration) -> Expr {
        if let EventSli::Time(time) = &self.sli {
            let good = moments("avg_over_time", self.is_good(time), time, window);
            return bin(BinaryOp::Sub, build::number("1"), good);
        }
        match self.counted(window) {
            Ok(Counted { bad, total }) => bin(BinaryOp::Div, bad, positive(total)),
            Err(share) => at_window(share, window),
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
        let (bad, total) = match self.rates(window) {
            Ok((_, good, _)) if has_each(&self.sli) && window <= EACH_UP_TO => {
                let total = self.each(naming::ALL_EVENTS, window, recorded);
                let part = self.each(naming::PART_EVENTS, window, recorded);
                (self.bad(part, good, &total), total)
            }
            _ => {
                let sum = |series| recorded.over("sum_over_time", series, window);
                (sum(naming::BAD_EVENTS), sum(naming::TOTAL_EVENTS))
            }
        };
        bin(BinaryOp::Div, bad, positive(total))
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

    /// What is recorded of each evaluation alone.
    fn each(&self, name: &str) -> Selector {
        slo_series(name, self.service, self.slo, &self.every.to_string())
    }

    fn over(&self, function: &str, series: &str, window: Duration) -> Expr {
        let series = self.series(series);
        if window > EACH_UP_TO {
            // Another group records the newest value at the same time, or has not yet.
            let known = super::ago(series, self.every);
            return super::over_by(function, known.into(), window, BASE_WINDOW);
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
