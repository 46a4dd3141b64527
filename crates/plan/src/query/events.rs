//! Bad and total events of an SLI as PromQL, over any window.
//!
//! Where rates count events, each evaluation records those of the base window up to now, and those of a minute that ended
//! when the base window began: all that is stored late has arrived by then. Longer windows sum up the minutes and add the
//! base window.

use super::family::{measured, unmeasured};
use super::growth::{self, Stretch};
use super::{NewSeries, SignalQuery, bin, bucket_rate, or_zero, positive, range};
use crate::plan::marker::at_window;
use crate::plan::selection::{self, Matcher};
use crate::plan::{
    BASE_WINDOW, Counted, EventSli, Good, Increase, Signal, Source, TimeSli, Window, slo_series,
};
use slosmith_promql::ast::{BinaryOp, Expr, MatchOp, Selector};
use slosmith_promql::build;
use slosmith_spec::naming;
use slosmith_spec::spec::Stat;
use slosmith_text::units::Duration;

/// The base window, up to now.
const BASE: Stretch = Stretch {
    length: BASE_WINDOW,
    ago: Duration::from_secs(0),
};

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
        EventSli::Own(own) => [&own.part, &own.total].into_iter().all(growth::counts),
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

    /// Bad events from a part of all; rounding never makes a count negative.
    fn bad(&self, part: Expr, good: bool, all: &Expr) -> Expr {
        rest(self.or_none(part, all), good, || all.clone())
    }

    /// A missing series of the part counts as none.
    fn or_none(&self, part: Expr, all: &Expr) -> Expr {
        match self.sli {
            // A histogram has all its buckets or none, so nothing replaces a missing one.
            EventSli::Latency { .. } => part,
            _ => or_zero(part, all),
        }
    }

    /// Bad events over a window and all, per second where signals count them, as rates have them.
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
        let bad = self.bad(part, good, &total);
        Ok(Counted { bad, total })
    }

    /// Rates of the good or the bad events, whether these are the good ones, and rates of all, where they can be counted from
    /// evaluation to evaluation.
    fn each(&self) -> Option<(Expr, bool, Expr)> {
        if let EventSli::Latency { family, within, .. } = &self.sli {
            // Events of a histogram without the bucket are not measured: they are not bad.
            let [all, good] = measured(family, within, BASE_WINDOW, &self.labels);
            return Some((good, true, all));
        }
        let rates = self.rates(BASE_WINDOW).ok();
        rates.filter(|_| has_each(&self.sli))
    }

    /// True where the number of events is known, not only their share.
    pub fn is_counted(&self) -> bool {
        has_each(&self.sli)
    }

    /// What longer windows sum up, and what is recorded over the base window.
    pub fn recorded(&self, recorded: &Recorded<'_>) -> Option<(Vec<Increase>, Counted)> {
        let Some((part, good, total)) = self.each() else {
            let Counted { bad, total } = self.counted(BASE_WINDOW).ok()?;
            let [bad, total] = match self.sli {
                EventSli::Time(_) => {
                    [bad, total].map(|moments| bin(BinaryOp::Div, moments, seconds(BASE_WINDOW)))
                }
                _ => [bad, total],
            };
            return Some((Vec::new(), Counted { bad, total }));
        };
        let each = Stretch {
            length: recorded.every,
            ago: BASE_WINDOW,
        };
        let sum = |selector: Selector| super::sum(&self.labels, selector.into());
        let increase = |name, window, expr| Increase { name, window, expr };
        let per_second = |rates| bin(BinaryOp::Div, self.grown(rates, BASE), seconds(BASE_WINDOW));
        let mut increases = Vec::new();
        let ([of_all, of_part], [all, part]) = match self.shared() {
            Some((rates, matchers)) => {
                increases.extend([
                    increase(
                        naming::EVENTS,
                        recorded.every,
                        self.grown(rates.clone(), each),
                    ),
                    increase(naming::EVENTS_RATE, BASE_WINDOW, per_second(rates)),
                ]);
                let both = |events: Selector| {
                    let part = events.clone().with_matchers(&matchers);
                    [events, part].map(sum)
                };
                (
                    both(recorded.each(naming::EVENTS)),
                    both(recorded.series(naming::EVENTS_RATE)),
                )
            }
            None => (
                [&total, &part].map(|rates| self.grown(rates.clone(), each)),
                [total, part].map(per_second),
            ),
        };
        let of_part = self.or_none(of_part, &sum(recorded.each(naming::ALL_EVENTS)));
        increases.extend([
            increase(naming::ALL_EVENTS, recorded.every, of_all),
            increase(naming::part_events(good), recorded.every, of_part),
        ]);
        let counted = Counted {
            bad: self.bad(part, good, &sum(recorded.series(naming::TOTAL_EVENTS))),
            total: all,
        };
        Some((increases, counted))
    }

    /// Where both sides of a ratio read one metric: its events by the labels that tell the part, and what selects the part of them.
    fn shared(&self) -> Option<(Expr, Vec<Matcher>)> {
        let EventSli::Ratio { part, total, .. } = &self.sli else {
            return None;
        };
        let matchers = part.narrows(total)?;
        let labels = matchers.iter().map(|(label, ..)| label);
        if labels
            .clone()
            .any(|label| naming::RESERVED_LABELS.contains(&label.as_str()))
        {
            return None;
        }
        let mut by = self.labels.clone();
        by.extend(labels.cloned());
        by.sort();
        by.dedup();
        Some((super::events(total, BASE_WINDOW, None, &by), matchers))
    }

    /// What far windows sum up: a fifth of the samples. Another group records what they are made of, at another second or at the
    /// same one. Then Prometheus 2 would read the sample at the start of an even window, too.
    pub fn sums(&self, recorded: &Recorded<'_>) -> Vec<Increase> {
        let uneven = Duration::from_secs(recorded.every.as_secs() - 1);
        let sum = |name| {
            let each = super::ago(recorded.each(name), uneven);
            Increase {
                name,
                window: BASE_WINDOW,
                expr: build::call("sum_over_time", [range(each, BASE_WINDOW)]),
            }
        };
        let names = [naming::ALL_EVENTS, self.sli.part_events()].into_iter();
        names.filter(|_| has_each(&self.sli)).map(sum).collect()
    }

    /// The events that rates count, in a stretch of time.
    fn grown(&self, rates: Expr, stretch: Stretch) -> Expr {
        let family = self.sli.signal().and_then(Signal::family);
        let new = self.new_series.as_ref().zip(family);
        growth::events(rates, stretch, new)
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
        let total = self.counted(window).ok()?.total;
        Some(bin(BinaryOp::Mul, total, seconds(window)))
    }

    /// True where a window has so many events.
    pub fn enough(&self, window: Duration, least: u32, recorded: &Recorded<'_>) -> Expr {
        let number = match self.each() {
            Some((.., total)) if window <= BASE_WINDOW => self.grown(total, upto(window)),
            None if window <= direct_up_to(&self.sli) => self
                .number(window)
                .unwrap_or_else(|| self.all(window, recorded)),
            _ => self.all(window, recorded),
        };
        at_least(number, least)
    }

    /// All events in a window, from what is recorded.
    fn all(&self, window: Duration, recorded: &Recorded<'_>) -> Expr {
        let total = recorded.sum(naming::ALL_EVENTS, before_base(window));
        self.with_base(total, naming::TOTAL_EVENTS, recorded)
    }

    /// Bad events in a window, from what is recorded.
    fn all_bad(&self, window: Duration, recorded: &Recorded<'_>, good: bool) -> Expr {
        let sum = |name| recorded.sum(name, before_base(window));
        let bad = rest(sum(naming::part_events(good)), good, || {
            sum(naming::ALL_EVENTS)
        });
        self.with_base(bad, naming::BAD_EVENTS, recorded)
    }

    /// Events up to the base window, and those in it.
    fn with_base(&self, sum: Expr, rate: &str, recorded: &Recorded<'_>) -> Expr {
        let base = bin(
            BinaryOp::Mul,
            seconds(BASE_WINDOW),
            recorded.series(rate).into(),
        );
        super::sum(&self.labels, bin(BinaryOp::Or, sum, base))
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
        let Some((part, good, total)) = self.each() else {
            return match window <= direct_up_to(&self.sli) {
                true => self.direct(window),
                false if matches!(self.sli, EventSli::OwnRatio(_)) => {
                    recorded.over("avg_over_time", naming::ERROR_RATIO, window, &self.labels)
                }
                false => {
                    let [bad, total] = [naming::BAD_EVENTS, naming::TOTAL_EVENTS]
                        .map(|name| recorded.over("sum_over_time", name, window, &self.labels));
                    bin(BinaryOp::Div, bad, positive(total))
                }
            };
        };
        let (bad, total) = if window < BASE_WINDOW {
            let total = self.grown(total, upto(window));
            (
                self.bad(self.grown(part, upto(window)), good, &total),
                total,
            )
        } else if window == BASE_WINDOW {
            let base = |name| Expr::from(recorded.series(name));
            (base(naming::BAD_EVENTS), base(naming::TOTAL_EVENTS))
        } else if window <= recorded.near {
            (
                self.all_bad(window, recorded, good),
                self.all(window, recorded),
            )
        } else {
            let sum = |name| {
                let sum = build::call("sum_over_time", [range(recorded.past(name), window)]);
                recorded.joined(sum, &self.labels)
            };
            let total = || sum(naming::ALL_EVENTS);
            (rest(sum(naming::part_events(good)), good, total), total())
        };
        bin(BinaryOp::Div, bad, positive(total))
    }
}

/// Bad events, from the bad or the good ones.
fn rest(part: Expr, good: bool, all: impl Fn() -> Expr) -> Expr {
    match good {
        false => part,
        true => build::call(
            "clamp_min",
            vec![bin(BinaryOp::Sub, all(), part), build::number("0")],
        ),
    }
}

/// A window up to now.
fn upto(length: Duration) -> Stretch {
    Stretch { length, ..BASE }
}

/// What is left of a window before its last base window.
fn before_base(window: Duration) -> Duration {
    Duration::from_secs(window.as_secs() - BASE_WINDOW.as_secs())
}

fn seconds(window: Duration) -> Expr {
    build::number(window.as_secs().to_string())
}

/// What is recorded of an objective over the base window.
pub struct Recorded<'a> {
    /// The service.
    pub service: &'a str,
    /// The objective.
    pub slo: &'a str,
    /// What the service was called, and the objective: their events count over the SLO window.
    pub renamed_from: [Option<&'a str>; 2],
    /// The time from evaluation to evaluation.
    pub every: Duration,
    /// Longer windows sum up base windows.
    pub near: Duration,
}

impl Recorded<'_> {
    /// What is recorded over the base window.
    fn series(&self, name: &str) -> Selector {
        slo_series(name, self.service, self.slo, &BASE_WINDOW.to_string())
    }

    /// What is recorded over the base window, under the old names, too.
    fn past(&self, name: &str) -> Selector {
        if !self.is_renamed() {
            return self.series(name);
        }
        let window = BASE_WINDOW.to_string();
        let names = [(naming::SERVICE, self.service), (naming::SLO, self.slo)];
        let named = names.into_iter().zip(self.renamed_from);
        named
            .fold(
                build::metric(name),
                |series, ((label, now), old)| match old {
                    Some(old) => series.matcher(label, MatchOp::Match, &format!("{now}|{old}")),
                    None => series.matcher(label, MatchOp::Equal, now),
                },
            )
            .matcher(naming::WINDOW, MatchOp::Equal, &window)
    }

    fn is_renamed(&self) -> bool {
        self.renamed_from.iter().any(Option::is_some)
    }

    /// What stands under the old and the new names, as one.
    fn joined(&self, past: Expr, labels: &[String]) -> Expr {
        match self.is_renamed() {
            true => super::sum(labels, past),
            false => past,
        }
    }

    /// What is recorded of each evaluation alone.
    fn each(&self, name: &str) -> Selector {
        slo_series(name, self.service, self.slo, &self.every.to_string())
    }

    /// The sum of those of so much time. Prometheus 2 would read the sample at its start, too.
    fn sum(&self, name: &str, length: Duration) -> Expr {
        let open = Duration::from_secs(length.as_secs() - 1);
        build::call("sum_over_time", [range(self.each(name), open)])
    }

    fn over(&self, function: &str, name: &str, window: Duration, labels: &[String]) -> Expr {
        if window > self.near {
            // Another group records the newest value at the same time, or has not yet.
            let known = (window, self.every);
            let past = self.joined(self.past(name).into(), labels);
            return super::over_by(function, past, known, BASE_WINDOW);
        }
        build::call(function, [range(self.series(name), window)])
    }
}

/// A gauge at each moment of a window, put together by a function.
fn moments(function: &str, value: Expr, time: &TimeSli, window: Duration) -> Expr {
    super::over_by(function, value, (window, Duration::default()), time.every)
}

/// Over which events without a status are counted: an alert that holds for half an hour sees them in a service whose requests are up to a
/// quarter of an hour apart.
pub const WITHOUT_STATUS: Duration = Duration::from_mins(15);

/// Events per second that an SLI cannot tell good from bad: those of histograms without its bucket over the base window, and those
/// without a status.
pub fn undecided(sli: &EventSli, labels: &[String]) -> Option<Expr> {
    let events = match sli {
        EventSli::Latency { family, within, .. } => unmeasured(family, within, BASE_WINDOW, labels),
        EventSli::Ratio { part, good, total } => {
            let without = without_status(part, *good, total)?;
            super::events(&without, WITHOUT_STATUS, None, labels)
        }
        _ => return None,
    };
    Some(positive(events))
}

/// The events of an SLI on bad statuses that have no status: each counts as good.
pub fn without_status(part: &Signal, good: bool, total: &Signal) -> Option<Signal> {
    let (bad, all) = (part.family()?, total.family()?);
    let label = selection::status_label(&bad.matchers, &all.matchers)?;
    if good || bad.names != all.names {
        return None;
    }
    let mut without = total.clone();
    if let Source::Family(family) = &mut without.source {
        let none = (label.to_owned(), MatchOp::Equal, String::new());
        family.matchers.push(none);
        family.matchers.sort_by(|one, other| one.0.cmp(&other.0));
    }
    Some(without)
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
