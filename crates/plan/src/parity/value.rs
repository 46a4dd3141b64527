//! Values: how CloudWatch reads a signal over a period. The one decision for alarms, lines and consoles.
//!
//! `vllm.kv_cache_usage` read as `last` is the `Maximum` of the metric under each name that the range of
//! releases has for it, for one series or for each group; its `slope` is the growth of the `Average`.

use super::builder::Builder;
use super::delivery::Scrapes;
use super::dimensions::{Slice, dimensions};
use crate::plan::cloudwatch::{
    Delivery, Difference, Dimensions, Grade, MetricStat, NotExpressible, Note, Share, Value,
};
use crate::plan::{Bucket, EventSli, Signal, SignalKind, Source};
use slosmith_cloudwatch::Statistic;
use slosmith_spec::spec::{Across, Stat, Via};
use slosmith_text::units::Number;

#[derive(Clone, Copy)]
pub(super) struct ValueRequest<'a> {
    pub(super) signal: &'a Signal,
    pub(super) stat: Stat,
    pub(super) purpose: Purpose,
    pub(super) statistic: Option<&'a Statistic>,
    pub(super) of: Slice<'a>,
    pub(super) via: Via,
}

/// The use of a value. For published gauges, the number of samples per minute is unknown: an alarm uses the worst sample.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Picture,
    HighAlarm,
    LowAlarm,
}

pub(super) struct SignalValue {
    pub(super) value: Value,
    /// What one of its units is worth in the signal's unit.
    pub(super) worth: Number,
    pub(super) adds_up: AddsUp,
    pub(super) differences: Vec<Note>,
    pub(super) scraped: Scrapes,
}

impl Builder<'_> {
    /// True where code publishes each event: Prometheus only sees what is added to a series after its first sample.
    pub(super) fn counts_beginnings(&self, signal: &Signal) -> bool {
        if let (Source::Ratio { of, .. }, None) = (&signal.source, &signal.cloudwatch) {
            return self.counts_beginnings(of);
        }
        let own = |label: &String| {
            let added = self.known.target.iter().any(|added| added.value == *label);
            !added && label != "job" && label != "instance"
        };
        let is_published = signal.is_delivered(Delivery::Published);
        is_published && signal.kind() == SignalKind::Counter && signal.labels.iter().any(own)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AddsUp {
    No,
    /// Events: the threshold of a rate grows with the period.
    Events,
    /// The values of all replicas, one of each per minute: the threshold grows with each minute of the period.
    Scrapes,
}

impl Purpose {
    /// The effect of a smaller value in CloudWatch than in Prometheus.
    fn of_smaller(self) -> Grade {
        match self {
            Purpose::LowAlarm => Grade::Stronger,
            Purpose::HighAlarm | Purpose::Picture => Grade::Weaker,
        }
    }

    /// The effect of a value that is nearer to the threshold, or farther beyond it.
    pub(super) fn of_worse(self) -> Grade {
        match self {
            Purpose::HighAlarm => self.of_larger(),
            Purpose::LowAlarm | Purpose::Picture => self.of_smaller(),
        }
    }

    pub(super) fn of_larger(self) -> Grade {
        match self {
            Purpose::HighAlarm => Grade::Stronger,
            Purpose::LowAlarm | Purpose::Picture => Grade::Weaker,
        }
    }

    pub(super) fn of_all_groups(self, statistic: &Statistic, adds_up: AddsUp) -> Grade {
        match (self, statistic) {
            // The highest value of all is above a threshold when the value of some label set is.
            (Purpose::HighAlarm, Statistic::Maximum) | (Purpose::LowAlarm, Statistic::Minimum) => {
                Grade::Equivalent
            }
            (Purpose::HighAlarm, _) if adds_up != AddsUp::No => Grade::Stronger,
            // Many good values hide a bad one.
            _ => Grade::Weaker,
        }
    }
}

const ONE: Number = Number::new_raw(1, 1);

pub(super) fn read(request: ValueRequest<'_>) -> Result<SignalValue, NotExpressible> {
    let (signal, via) = (request.signal, request.via);
    let mut scraped = Scrapes::new();
    if let (Source::Ratio { of, over, .. }, None) = (&signal.source, &signal.cloudwatch) {
        let share = Share {
            part: events(of, request.of, via, &mut scraped)?,
            whole: events(over, request.of, via, &mut scraped)?,
            others: false,
        };
        return match request.of.by.is_empty() {
            false => Err(NotExpressible::Computed(signal.name.clone())),
            true => Ok(SignalValue {
                value: Value::Share(share),
                worth: ONE,
                adds_up: AddsUp::No,
                differences: Vec::new(),
                scraped,
            }),
        };
    }
    let usual = usual_statistic(request);
    let statistic = request.statistic.cloned().unwrap_or(usual);
    let adds_up = adds_up(signal, &statistic);
    let differences = differences(request, &statistic);
    let stat = metric_stat(signal, statistic, request.of, via, &mut scraped)?;
    let counted = adds_up == AddsUp::Events && signal.kind() == SignalKind::Histogram;
    Ok(SignalValue {
        value: match request.stat {
            Stat::Slope => Value::Growth(stat),
            _ => Value::Statistic(stat),
        },
        worth: match &signal.cloudwatch {
            Some(metric) if !counted => metric.worth,
            _ => ONE,
        },
        adds_up,
        differences,
        scraped,
    })
}

fn usual_statistic(request: ValueRequest<'_>) -> Statistic {
    match (request.signal.kind(), request.stat) {
        (SignalKind::Counter, _) => Statistic::Sum,
        (SignalKind::Ratio, _) => Statistic::Average,
        (SignalKind::Histogram, Stat::Quantile(share)) => Statistic::percentile(share),
        (SignalKind::Histogram, Stat::Avg) => Statistic::Average,
        (SignalKind::Histogram, _) => Statistic::SampleCount,
        (SignalKind::Gauge, Stat::Max) => Statistic::Maximum,
        (SignalKind::Gauge, Stat::Min) => Statistic::Minimum,
        (SignalKind::Gauge, Stat::Slope) => Statistic::Average,
        (SignalKind::Gauge, Stat::Last) if takes_across(request.signal) => {
            over_all(request.signal.across)
        }
        (SignalKind::Gauge, Stat::Last) => match (request.purpose, request.signal.across) {
            (Purpose::HighAlarm, _) | (Purpose::Picture, Across::Max) => Statistic::Maximum,
            (Purpose::LowAlarm, _) | (Purpose::Picture, Across::Min) => Statistic::Minimum,
            (Purpose::Picture, Across::Sum | Across::Avg) => Statistic::Average,
        },
        (SignalKind::Gauge, _) => match (is_scraped(request.signal), request.signal.across) {
            (true, Across::Sum) => Statistic::Sum,
            _ => Statistic::Average,
        },
    }
}

fn over_all(across: Across) -> Statistic {
    match across {
        Across::Sum => Statistic::Sum,
        Across::Max => Statistic::Maximum,
        Across::Min => Statistic::Minimum,
        Across::Avg => Statistic::Average,
    }
}

/// True where `across` is a statistic of a minute's samples. AWS publishes sums as one sample a minute, and the statistic `Sum` would
/// add the minutes of a period.
fn takes_across(signal: &Signal) -> bool {
    let is_vended = signal.is_delivered(Delivery::Vended);
    is_scraped(signal) || is_vended && signal.across != Across::Sum
}

fn is_scraped(signal: &Signal) -> bool {
    signal.is_delivered(Delivery::Scraped)
}

fn adds_up(signal: &Signal, statistic: &Statistic) -> AddsUp {
    match (signal.kind(), statistic) {
        (SignalKind::Counter, Statistic::Sum) | (SignalKind::Histogram, Statistic::SampleCount) => {
            AddsUp::Events
        }
        (SignalKind::Gauge, Statistic::Sum) if is_scraped(signal) => AddsUp::Scrapes,
        _ => AddsUp::No,
    }
}

fn differences(request: ValueRequest<'_>, statistic: &Statistic) -> Vec<Note> {
    let signal = request.signal;
    let Some(metric) = &signal.cloudwatch else {
        return Vec::new();
    };
    let by = request.of.by;
    let mut found = Vec::new();
    if !by.is_empty() && metric.names.len() > 1 {
        let each = Difference::OneLineForEachName(metric.names.to_vec());
        found.push(each.at(Grade::Equivalent));
    }
    let told_apart = by.iter().any(|label| label == "instance");
    if signal.kind() == SignalKind::Gauge && !told_apart {
        found.extend(match metric.delivery {
            Delivery::Scraped => over_replicas(request, statistic),
            Delivery::Published => Some(over_samples(request, statistic)),
            Delivery::Vended => None,
        });
    }
    if request.stat == Stat::Slope {
        found.push(Difference::GrowthOfTwoPoints.at(Grade::Weaker));
    }
    found
}

/// CloudWatch takes a statistic of all samples; Prometheus reads each replica over time, and combines those.
fn over_replicas(request: ValueRequest<'_>, statistic: &Statistic) -> Option<Note> {
    let across = request.signal.across;
    let same = over_all(across);
    if *statistic == same || request.stat == Stat::Slope && across != Across::Sum {
        return None;
    }
    let purpose = request.purpose;
    if across == Across::Sum {
        let single = Difference::OfSingleReplicas(statistic.clone());
        return Some(single.at(purpose.of_smaller()));
    }
    let larger = match (statistic, across) {
        (Statistic::Sum, _) | (_, Across::Min) => true,
        (_, Across::Max) => false,
        _ => *statistic == Statistic::Maximum,
    };
    let grade = match larger {
        true => purpose.of_larger(),
        false => purpose.of_smaller(),
    };
    let statistic = statistic.clone();
    Some(Difference::OfAllReplicas { statistic, across }.at(grade))
}

/// Code publishes as many samples as it likes, in each process; Prometheus reads the newest value of each.
fn over_samples(request: ValueRequest<'_>, statistic: &Statistic) -> Note {
    let (across, purpose) = (request.signal.across, request.purpose);
    if across == Across::Sum && *statistic != Statistic::Sum {
        return Difference::OfSingleReplicas(statistic.clone()).at(purpose.of_smaller());
    }
    let grade = match statistic {
        Statistic::Sum | Statistic::Maximum => purpose.of_larger(),
        Statistic::Minimum => purpose.of_smaller(),
        _ => Grade::Weaker,
    };
    let statistic = statistic.clone();
    Difference::OfAllSamples { statistic, across }.at(grade)
}

pub(super) fn metric_stat(
    signal: &Signal,
    statistic: Statistic,
    of: Slice<'_>,
    via: Via,
    scraped: &mut Scrapes,
) -> Result<MetricStat, NotExpressible> {
    let Some(metric) = &signal.cloudwatch else {
        return Err(unbound(signal, via));
    };
    let dimensions = dimensions(signal, metric, of)?;
    if metric.delivery == Delivery::Scraped {
        let names = match &dimensions {
            Dimensions::Exactly(pairs) => pairs.iter().map(|(name, _)| name.clone()).collect(),
            Dimensions::Each(groups) => groups.set.clone(),
        };
        scraped.push((signal.clone(), names));
    }
    Ok(MetricStat {
        namespace: metric.namespace.clone(),
        names: metric.names.clone(),
        dimensions,
        statistic,
    })
}

fn unbound(signal: &Signal, via: Via) -> NotExpressible {
    let name = signal.name.clone();
    match &signal.source {
        Source::Raw(_) => NotExpressible::AuthorsSignal(name),
        Source::Family(_) if via == Via::Otlp => NotExpressible::ByOpenTelemetry(name),
        Source::Family(family) if family.recorded => NotExpressible::HistogramDropped(name),
        _ => NotExpressible::Unbound(name),
    }
}

fn events(
    signal: &Signal,
    of: Slice<'_>,
    via: Via,
    scraped: &mut Scrapes,
) -> Result<MetricStat, NotExpressible> {
    let statistic = match signal.kind() {
        SignalKind::Counter => Statistic::Sum,
        SignalKind::Histogram => Statistic::SampleCount,
        SignalKind::Gauge | SignalKind::Ratio => Statistic::Average,
    };
    metric_stat(signal, statistic, of, via, scraped)
}

pub(super) fn bad_share(
    sli: &EventSli,
    via: Via,
    scraped: &mut Scrapes,
) -> Result<Share, NotExpressible> {
    let all = Slice::default();
    match sli {
        EventSli::Ratio { part, good, total } => Ok(Share {
            part: events(part, all, via, scraped)?,
            whole: events(total, all, via, scraped)?,
            others: *good,
        }),
        EventSli::Latency { signal, within, .. } => {
            let statistic = Statistic::count_up_to(bound(signal, within));
            Ok(Share {
                part: metric_stat(signal, statistic, all, via, scraped)?,
                whole: metric_stat(signal, Statistic::SampleCount, all, via, scraped)?,
                others: true,
            })
        }
        EventSli::Time(time) => Err(NotExpressible::ShareOfTime(time.signal.name.clone())),
        EventSli::Own(_) | EventSli::OwnRatio(_) => Err(NotExpressible::AuthorsPromQl),
    }
}

fn bound(signal: &Signal, within: &Bucket) -> Number {
    let worth = signal.cloudwatch.as_ref().map_or(ONE, |m| m.worth);
    within.bound * signal.scale / worth
}
