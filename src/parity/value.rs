//! Values: how CloudWatch reads a signal over a period. The one decision for alarms, lines and consoles.
//!
//! `vllm.kv_cache_usage` read as `last` is the `Maximum` of the metric under each name that the range of
//! releases has for it, for one series or for each group; its `slope` is the growth of the `Average`.

use super::delivery::Scrapes;
use super::dimensions::dimensions;
use crate::cloudwatch::Statistic;
use crate::plan::cloudwatch::{
    Delivery, Difference, Dimensions, MetricStat, NotExpressible, Share, Value,
};
use crate::plan::{Bucket, EventSli, Signal, SignalKind, Source};
use crate::spec::{Across, Stat, Via};
use crate::units::Number;

/// How a signal is wanted.
#[derive(Clone, Copy)]
pub(super) struct ValueRequest<'a> {
    pub(super) signal: &'a Signal,
    pub(super) stat: Stat,
    pub(super) purpose: Purpose,
    /// A statistic that the author prefers.
    pub(super) statistic: Option<&'a Statistic>,
    /// Labels whose values stay apart.
    pub(super) by: &'a [String],
    pub(super) via: Via,
}

/// What the newest value of a gauge is wanted for: for an alarm, the worst sample of a period counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Picture,
    HighAlarm,
    LowAlarm,
}

/// What CloudWatch has of a signal.
pub(super) struct SignalValue {
    pub(super) value: Value,
    /// What one of its units is worth in the signal's unit.
    pub(super) worth: Number,
    /// True when it adds up over a period, so that a bound on a rate grows with the period.
    pub(super) adds_up: bool,
    /// How it differs from what Prometheus sees.
    pub(super) differences: Vec<Difference>,
    pub(super) scraped: Scrapes,
}

const ONE: Number = Number::new_raw(1, 1);

/// Reads a signal.
///
/// # Errors
/// Says why CloudWatch cannot.
pub(super) fn read(request: ValueRequest<'_>) -> Result<SignalValue, NotExpressible> {
    let (signal, via) = (request.signal, request.via);
    let mut scraped = Scrapes::new();
    if let (Source::Ratio { of, over, .. }, None) = (&signal.source, &signal.cloudwatch) {
        let share = Share {
            part: events(of, via, &mut scraped)?,
            whole: events(over, via, &mut scraped)?,
            others: false,
        };
        return match request.by.is_empty() {
            false => Err(NotExpressible::Computed(signal.name.clone())),
            true => Ok(SignalValue {
                value: Value::Share(share),
                worth: ONE,
                adds_up: false,
                differences: Vec::new(),
                scraped,
            }),
        };
    }
    let usual = usual_statistic(request);
    let statistic = request.statistic.cloned().unwrap_or(usual);
    let adds_up = adds_up(signal.kind(), &statistic);
    let differences = differences(request, &statistic);
    let stat = metric_stat(signal, statistic, request.by, via, &mut scraped)?;
    let counted = adds_up && signal.kind() == SignalKind::Histogram;
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

/// What is taken of the values of a period.
fn usual_statistic(request: ValueRequest<'_>) -> Statistic {
    match (request.signal.kind(), request.stat) {
        (SignalKind::Counter, _) => Statistic::Sum,
        (SignalKind::Ratio, _) => Statistic::Average,
        (SignalKind::Histogram, Stat::Quantile(share)) => Statistic::percentile(share),
        (SignalKind::Histogram, Stat::Avg) => Statistic::Average,
        (SignalKind::Histogram, _) => Statistic::SampleCount,
        (SignalKind::Gauge, Stat::Max) => Statistic::Maximum,
        (SignalKind::Gauge, Stat::Min) => Statistic::Minimum,
        (SignalKind::Gauge, Stat::Last) => match (request.purpose, request.signal.across) {
            (Purpose::HighAlarm, _) | (Purpose::Picture, Across::Max) => Statistic::Maximum,
            (Purpose::LowAlarm, _) | (Purpose::Picture, Across::Min) => Statistic::Minimum,
            (Purpose::Picture, Across::Sum | Across::Avg) => Statistic::Average,
        },
        (SignalKind::Gauge, _) => Statistic::Average,
    }
}

fn adds_up(kind: SignalKind, statistic: &Statistic) -> bool {
    match kind {
        SignalKind::Counter => *statistic == Statistic::Sum,
        SignalKind::Histogram => *statistic == Statistic::SampleCount,
        SignalKind::Gauge | SignalKind::Ratio => false,
    }
}

/// How a metric's statistic differs from what Prometheus makes of the same pages.
fn differences(request: ValueRequest<'_>, statistic: &Statistic) -> Vec<Difference> {
    let signal = request.signal;
    let Some(metric) = &signal.cloudwatch else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if !request.by.is_empty() && metric.names.len() > 1 {
        found.push(Difference::OneLineForEachName(metric.names.to_vec()));
    }
    let replicas = metric.delivery == Delivery::Scraped && signal.kind() == SignalKind::Gauge;
    let told_apart = request.by.iter().any(|label| label == "instance");
    if replicas && !told_apart {
        found.extend(over_replicas(request, statistic));
    }
    if request.stat == Stat::Slope {
        found.push(Difference::GrowthOfTwoPoints);
    }
    found
}

/// CloudWatch takes a statistic of all samples; Prometheus reads each replica over time, and combines those.
fn over_replicas(request: ValueRequest<'_>, statistic: &Statistic) -> Option<Difference> {
    let across = request.signal.across;
    let same = match across {
        Across::Sum => return Some(Difference::OfSingleReplicas(statistic.clone())),
        Across::Max => Statistic::Maximum,
        Across::Min => Statistic::Minimum,
        Across::Avg => Statistic::Average,
    };
    let differs = *statistic != same && request.stat != Stat::Slope;
    differs.then(|| Difference::OfAllReplicas {
        statistic: statistic.clone(),
        across,
    })
}

/// A statistic of a signal's metric.
///
/// # Errors
/// Says why CloudWatch does not have it.
pub(super) fn metric_stat(
    signal: &Signal,
    statistic: Statistic,
    by: &[String],
    via: Via,
    scraped: &mut Scrapes,
) -> Result<MetricStat, NotExpressible> {
    let Some(metric) = &signal.cloudwatch else {
        return Err(unbound(signal, via));
    };
    let dimensions = dimensions(signal, metric, by)?;
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
        Source::Family(family) if family.recorded && via == Via::Otlp => {
            NotExpressible::ByOpenTelemetry(name)
        }
        Source::Family(family) if family.recorded => NotExpressible::HistogramDropped(name),
        _ => NotExpressible::Unbound(name),
    }
}

/// What a signal counts.
fn events(signal: &Signal, via: Via, scraped: &mut Scrapes) -> Result<MetricStat, NotExpressible> {
    let statistic = match signal.kind() {
        SignalKind::Counter => Statistic::Sum,
        SignalKind::Histogram => Statistic::SampleCount,
        SignalKind::Gauge | SignalKind::Ratio => Statistic::Average,
    };
    metric_stat(signal, statistic, &[], via, scraped)
}

/// Bad events out of all events.
///
/// # Errors
/// Says why CloudWatch has no such value.
pub(super) fn bad_share(
    sli: &EventSli,
    via: Via,
    scraped: &mut Scrapes,
) -> Result<Share, NotExpressible> {
    match sli {
        EventSli::Ratio { part, good, total } => Ok(Share {
            part: events(part, via, scraped)?,
            whole: events(total, via, scraped)?,
            others: *good,
        }),
        EventSli::Latency { signal, within, .. } => {
            let statistic = Statistic::count_up_to(bound(signal, within));
            Ok(Share {
                part: metric_stat(signal, statistic, &[], via, scraped)?,
                whole: metric_stat(signal, Statistic::SampleCount, &[], via, scraped)?,
                others: true,
            })
        }
        EventSli::Time(time) => Err(NotExpressible::ShareOfTime(time.signal.name.clone())),
        EventSli::Own(_) | EventSli::OwnRatio(_) => Err(NotExpressible::AuthorsPromQl),
    }
}

/// A bucket's bound in the metric's unit.
fn bound(signal: &Signal, within: &Bucket) -> Number {
    let worth = signal.cloudwatch.as_ref().map_or(ONE, |m| m.worth);
    within.bound * signal.scale / worth
}
