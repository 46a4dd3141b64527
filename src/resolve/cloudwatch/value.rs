//! Values: how CloudWatch reads a signal over a period.

use super::bind;
use crate::plan::cloudwatch::{Delivery, Metric, MetricStat, Value};
use crate::plan::{Bucket, EventSli, Kind, Signal, Source};
use crate::spec::{Across, Stat, Via};
use crate::units::{Number, decimal};

/// How a signal is wanted.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) signal: &'a Signal,
    pub(super) stat: Stat,
    /// True when high values are the bad ones: the worst sample of a period counts. `None` for pictures.
    pub(super) upper: Option<bool>,
    /// A statistic that the author prefers.
    pub(super) statistic: Option<&'a str>,
    pub(super) via: Via,
    /// What the ids of its metrics begin with.
    pub(super) prefix: &'a str,
}

/// What CloudWatch has.
pub(super) struct Found {
    pub(super) value: Value,
    /// What one of its units is worth in the signal's unit.
    pub(super) worth: Number,
    /// True when it adds up over a period, so that a bound on a rate grows with the period.
    pub(super) sums: bool,
    /// How it differs from what Prometheus sees.
    pub(super) notes: Vec<String>,
    /// Metrics that the agent has to deliver, each with its dimensions.
    pub(super) scraped: Vec<(Signal, Vec<String>)>,
}

const ONE: Number = Number::new_raw(1, 1);

/// Gathers metrics under ids.
pub(super) struct Gather<'a> {
    prefix: &'a str,
    via: Via,
    pub(super) metrics: Vec<MetricStat>,
    pub(super) scraped: Vec<(Signal, Vec<String>)>,
}

impl<'a> Gather<'a> {
    pub(super) fn new(prefix: &'a str, via: Via) -> Self {
        Self {
            prefix,
            via,
            metrics: Vec::new(),
            scraped: Vec::new(),
        }
    }

    /// Adds a statistic of a signal; gives what expressions call it.
    ///
    /// # Errors
    /// Says why CloudWatch does not have it.
    pub(super) fn add(&mut self, signal: &Signal, stat: &str) -> Result<String, String> {
        let metric = metric(signal, self.via)?;
        let dimensions = bind::dimensions(signal, metric)?;
        if metric.delivery == Delivery::Scraped {
            let names = dimensions.iter().map(|(name, _)| name.clone()).collect();
            self.scraped.push((signal.clone(), names));
        }
        let mut ids = Vec::new();
        for name in &metric.names {
            let id = format!("{}{}", self.prefix, self.metrics.len() + 1);
            self.metrics.push(MetricStat {
                id: id.clone(),
                namespace: metric.namespace.clone(),
                name: name.clone(),
                dimensions: dimensions.clone(),
                stat: stat.to_owned(),
            });
            ids.push(id);
        }
        let together = match stat {
            "Maximum" => "MAX",
            "Minimum" => "MIN",
            "Average" => "AVG",
            _ => "SUM",
        };
        Ok(match ids.as_slice() {
            [one] => one.clone(),
            // Replicas on an old release publish under the old name.
            several => format!("{together}([{}])", several.join(", ")),
        })
    }

    /// Adds what a signal counts.
    pub(super) fn events(&mut self, signal: &Signal) -> Result<String, String> {
        let stat = match signal.kind() {
            Kind::Counter => "Sum",
            Kind::Histogram => "SampleCount",
            Kind::Gauge | Kind::Ratio => "Average",
        };
        self.add(signal, stat)
    }

    /// The gathered metrics: one as it is, several by an expression.
    pub(super) fn value(self, expression: String, label: &str) -> Value {
        let alone = matches!(self.metrics.as_slice(), [one] if one.id == expression);
        Value {
            metrics: self.metrics,
            expression: (!alone).then_some(expression),
            label: label.to_owned(),
        }
    }
}

fn metric(signal: &Signal, via: Via) -> Result<&Metric, String> {
    if let Some(metric) = &signal.cloudwatch {
        return Ok(metric);
    }
    let name = &signal.name;
    Err(match &signal.source {
        Source::Raw(_) => format!("`{name}` is PromQL of the author's"),
        Source::Family(family) if family.recorded && via == Via::Otlp => {
            format!("`{name}` arrives by OpenTelemetry, where only PromQL can ask for it")
        }
        Source::Family(family) if family.recorded => {
            format!("the CloudWatch agent drops histograms, and `{name}` is one")
        }
        _ => format!("`{name}` has no `cloudwatch` binding"),
    })
}

/// Reads a signal.
///
/// # Errors
/// Says why CloudWatch cannot.
pub(super) fn read(wanted: Wanted<'_>) -> Result<Found, String> {
    let signal = wanted.signal;
    let mut gather = Gather::new(wanted.prefix, wanted.via);
    let kind = signal.kind();
    let own = signal.cloudwatch.is_some();
    let (expression, sums, notes) = match (&signal.source, kind) {
        (Source::Ratio { of, over, .. }, _) if !own => {
            let (of, over) = (gather.events(of)?, gather.events(over)?);
            (format!("FILL({of}, 0) / {over}"), false, Vec::new())
        }
        (Source::Ratio { .. }, _) => (gather.add(signal, stat(wanted, "Average"))?, false, vec![]),
        (_, Kind::Counter) => (
            gather.add(signal, stat(wanted, "Sum"))?,
            wanted.statistic.is_none_or(|s| s == "Sum"),
            Vec::new(),
        ),
        (_, Kind::Histogram) => histogram(&mut gather, wanted)?,
        _ => gauge(&mut gather, wanted)?,
    };
    let worth = match (own, sums && kind == Kind::Histogram) {
        (true, false) => signal.cloudwatch.as_ref().map_or(ONE, |m| m.worth),
        _ => ONE,
    };
    let scraped = std::mem::take(&mut gather.scraped);
    Ok(Found {
        value: gather.value(expression, &signal.title),
        worth,
        sums,
        notes,
        scraped,
    })
}

fn stat<'a>(wanted: Wanted<'a>, usual: &'a str) -> &'a str {
    wanted.statistic.unwrap_or(usual)
}

type Expression = (String, bool, Vec<String>);

fn histogram(gather: &mut Gather<'_>, wanted: Wanted<'_>) -> Result<Expression, String> {
    let signal = wanted.signal;
    let usual = match wanted.stat {
        Stat::Quantile(q) => format!("p{}", decimal(q * 100)),
        Stat::Avg => "Average".to_owned(),
        _ => "SampleCount".to_owned(),
    };
    let sums = usual == "SampleCount";
    Ok((gather.add(signal, stat(wanted, &usual))?, sums, Vec::new()))
}

fn gauge(gather: &mut Gather<'_>, wanted: Wanted<'_>) -> Result<Expression, String> {
    let signal = wanted.signal;
    let usual = match (wanted.stat, wanted.upper) {
        (Stat::Max, _) | (Stat::Last, Some(true)) => "Maximum",
        (Stat::Min, _) | (Stat::Last, Some(false)) => "Minimum",
        (Stat::Last, None) if signal.across == Across::Max => "Maximum",
        (Stat::Last, None) if signal.across == Across::Min => "Minimum",
        _ => "Average",
    };
    let statistic = stat(wanted, usual);
    let scraped = matches!(&signal.cloudwatch, Some(m) if m.delivery == Delivery::Scraped);
    let mut notes = Vec::new();
    if scraped && signal.across == Across::Sum {
        notes.push(format!(
            "{statistic} of single replicas, where Prometheus adds them up: with N replicas the value is up to N times smaller"
        ));
    }
    let one = gather.add(signal, statistic)?;
    if wanted.stat == Stat::Slope {
        notes.push("growth between two data points, in place of a regression".to_owned());
        return Ok((format!("RATE({one})"), false, notes));
    }
    Ok((one, false, notes))
}

/// Share of bad events in units of the budget: the burn rate.
///
/// # Errors
/// Says why CloudWatch cannot tell.
pub(super) fn burn(
    gather: &mut Gather<'_>,
    sli: &EventSli,
    budget: Number,
) -> Result<String, String> {
    Ok(format!("{} / {}", bad_share(gather, sli)?, decimal(budget)))
}

/// Bad events out of all events. A missing part counts as none; without any event there is no value.
pub(super) fn bad_share(gather: &mut Gather<'_>, sli: &EventSli) -> Result<String, String> {
    match sli {
        EventSli::Ratio { part, good, total } => {
            let part = gather.events(part)?;
            let total = gather.events(total)?;
            Ok(match good {
                false => format!("FILL({part}, 0) / {total}"),
                true => format!("({total} - FILL({part}, 0)) / {total}"),
            })
        }
        EventSli::Latency { signal, within, .. } => {
            let good = gather.add(signal, &within_stat(signal, within))?;
            let total = gather.add(signal, "SampleCount")?;
            Ok(format!("({total} - FILL({good}, 0)) / {total}"))
        }
    }
}

/// `TC(:500)`: how many values are at most 500.
fn within_stat(signal: &Signal, within: &Bucket) -> String {
    let worth = signal.cloudwatch.as_ref().map_or(ONE, |m| m.worth);
    let bound = within.bound * signal.scale / worth;
    format!("TC(:{})", decimal(bound))
}
