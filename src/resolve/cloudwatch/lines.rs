//! Lines of a graph: what a panel's series are in CloudWatch.

use super::alarms::Builder;
use super::value::{self, Gather, Wanted};
use crate::plan::cloudwatch::{Delivery, Line, Metric, Value};
use crate::plan::dashboard::Reading;
use crate::plan::{EventSlo, Kind, Slo, SloKind};
use crate::spec::Stat;
use crate::units::{Duration, Number, Per, Unit, decimal};

/// Seconds of a point when a panel follows the zoom.
const USUAL: u64 = 300;

const ONE: Number = Number::new_raw(1, 1);

/// A line, what one of its units is worth in the signal's unit, and how it differs.
pub(super) struct Drawn {
    pub(super) line: Line,
    pub(super) worth: Number,
    pub(super) notes: Vec<String>,
}

/// What a reading is multiplied with to fit its axis.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    pub(super) unit: Unit,
    pub(super) per: Option<Per>,
}

/// Ratios are shown in percent.
pub(super) fn shown_worth(axis: Axis, worth: Number) -> Number {
    match axis.unit {
        Unit::Ratio => Number::new(1, 100),
        _ => worth,
    }
}

fn period(window: Option<Duration>) -> u64 {
    window.map_or(USUAL, |w| w.as_secs().div_ceil(60).max(1) * 60)
}

/// A gauge is worth a point each minute.
fn period_of(r: &Reading) -> u64 {
    match (r.window, r.stat, r.signal.kind()) {
        (None, Stat::Last, Kind::Gauge) => 60,
        (window, ..) => period(window),
    }
}

impl Builder<'_, '_> {
    /// A signal as one line, or as one for each value of some labels.
    ///
    /// # Errors
    /// Says why CloudWatch cannot show it.
    pub(super) fn reading(
        &mut self,
        r: &Reading,
        axis: Axis,
        title: &str,
        prefix: &str,
    ) -> Result<Drawn, String> {
        if !r.by.is_empty() {
            return self.search(r, axis, prefix);
        }
        let found = value::read(Wanted {
            signal: &r.signal,
            stat: r.stat,
            upper: None,
            statistic: None,
            via: self.via,
            prefix,
        })?;
        self.scraped.extend(found.scraped);
        let per_second = found.sums && r.stat == Stat::Rate;
        let mut value = found.value;
        if let Some(times) = times(axis, found.worth, per_second) {
            let inner = inner(&value);
            let rate = match per_second {
                true => format!("{inner} / PERIOD({})", value.metrics[0].id),
                false => inner,
            };
            value.expression = Some(scaled(&rate, times));
        }
        value.label = match title {
            "" => r.signal.title.clone(),
            title => title.to_owned(),
        };
        Ok(Drawn {
            line: Line::Value(value, period_of(r)),
            worth: shown_worth(axis, found.worth),
            notes: found.notes,
        })
    }

    fn search(&mut self, r: &Reading, axis: Axis, prefix: &str) -> Result<Drawn, String> {
        let metric = match &r.signal.cloudwatch {
            Some(metric) => metric.clone(),
            None => {
                let mut gather = Gather::new(prefix, self.via);
                gather.add(&r.signal, "Average")?;
                return Err(format!(
                    "`{}` is computed, and cannot be searched",
                    r.signal.name
                ));
            }
        };
        if super::bind::dimensions(&r.signal, &metric)? != metric.dimensions {
            let message = format!("`{}` is narrowed, and cannot be searched", r.signal.name);
            return Err(message);
        }
        let (set, shown) = set(&metric, &r.by)?;
        if metric.delivery == Delivery::Scraped {
            self.scraped.push((r.signal.clone(), set.clone()));
        }
        let mut notes = Vec::new();
        if set.len() > shown.len() {
            notes.push(format!(
                "one line for each combination of {}",
                set.join(", ")
            ));
        }
        let period = period(r.window);
        let stat = statistic(r);
        let schema = std::iter::once(&metric.namespace).chain(&set);
        let schema: Vec<_> = schema.map(|name| format!("\"{name}\"")).collect();
        let name = &metric.names[0];
        let whole = format!("{{{}}} MetricName=\"{name}\"", schema.join(","));
        if whole.contains('\'') {
            return Err(format!("the name of `{name}` cannot stand in a search"));
        }
        let search = format!("SEARCH('{whole}', '{stat}', {period})");
        let per_second = stat == "Sum" && r.stat == Stat::Rate;
        let expression = match times(axis, metric.worth, per_second) {
            None => search,
            Some(times) if per_second => scaled(&format!("{search} / {period}"), times),
            Some(times) => scaled(&search, times),
        };
        let label: Vec<_> = shown
            .iter()
            .map(|d| format!("${{PROP('Dim.{d}')}}"))
            .collect();
        Ok(Drawn {
            line: Line::Search {
                id: format!("{prefix}0"),
                expression,
                label: label.join(" "),
            },
            worth: shown_worth(axis, metric.worth),
            notes,
        })
    }

    /// Burn rate over a window.
    pub(super) fn burn_line(
        &mut self,
        slo: &EventSlo,
        window: Duration,
        prefix: &str,
    ) -> Result<Drawn, String> {
        let mut gather = Gather::new(prefix, self.via);
        let burn = value::burn(&mut gather, &slo.sli, slo.budget.budget)?;
        self.finish(gather, burn, &window.to_string(), window)
    }

    /// Share of good events over a window, in percent.
    pub(super) fn good_line(
        &mut self,
        slo: &EventSlo,
        window: Duration,
        prefix: &str,
    ) -> Result<Drawn, String> {
        super::timing::once(window)?;
        let mut gather = Gather::new(prefix, self.via);
        let bad = value::bad_share(&mut gather, &slo.sli)?;
        self.finish(
            gather,
            format!("100 * (1 - {bad})"),
            &window.to_string(),
            window,
        )
    }

    /// What is left of a budget after the time that is shown, in percent.
    pub(super) fn budget_line(&mut self, slo: &Slo, prefix: &str) -> Result<Drawn, String> {
        let SloKind::Events(events) = &slo.kind else {
            return Err("it has no budget".to_owned());
        };
        let mut gather = Gather::new(prefix, self.via);
        let burn = value::burn(&mut gather, &events.sli, events.budget.budget)?;
        let mut drawn = self.finish(
            gather,
            format!("100 * (1 - {burn})"),
            "budget left",
            Duration::from_mins(5),
        )?;
        drawn.notes.push(format!(
            "of the time that the dashboard shows, not of {}",
            slo.period
        ));
        Ok(drawn)
    }

    fn finish(
        &mut self,
        mut gather: Gather<'_>,
        expression: String,
        label: &str,
        window: Duration,
    ) -> Result<Drawn, String> {
        self.scraped.append(&mut gather.scraped);
        Ok(Drawn {
            line: Line::Value(gather.value(expression, label), period(Some(window))),
            worth: ONE,
            notes: Vec::new(),
        })
    }
}

fn statistic(r: &Reading) -> String {
    match (r.signal.kind(), r.stat) {
        (Kind::Counter, _) => "Sum".to_owned(),
        (Kind::Histogram, Stat::Quantile(q)) => format!("p{}", decimal(q * 100)),
        (Kind::Histogram, Stat::Rate | Stat::Increase) => "SampleCount".to_owned(),
        (_, Stat::Max) => "Maximum".to_owned(),
        (_, Stat::Min) => "Minimum".to_owned(),
        _ => "Average".to_owned(),
    }
}

/// The set of dimensions that has all of some labels, and what those labels are called.
fn set(metric: &Metric, by: &[String]) -> Result<(Vec<String>, Vec<String>), String> {
    if metric.delivery == Delivery::Scraped {
        return Ok((by.to_vec(), by.to_vec()));
    }
    let called = |label: &String| {
        let pair = metric.labels.iter().find(|(l, _)| l == label);
        pair.map(|(_, dimension)| dimension.clone())
            .ok_or_else(|| format!("`{label}` is no dimension of `{}`", metric.names[0]))
    };
    let shown: Vec<String> = by.iter().map(called).collect::<Result<_, _>>()?;
    let holds = |set: &&Vec<String>| shown.iter().all(|name| set.contains(name));
    let mut sets: Vec<_> = metric.dimension_sets.iter().filter(holds).collect();
    sets.sort_by_key(|set| set.len());
    match sets.first() {
        Some(set) => Ok(((*set).clone(), shown)),
        None => Err(format!(
            "`{}` is not published under {}",
            metric.names[0],
            shown.join(", ")
        )),
    }
}

/// What a value is multiplied with, unless that is 1 and it adds nothing up.
fn times(axis: Axis, worth: Number, per_second: bool) -> Option<Number> {
    let per = axis.per.map_or(1, |per| i128::from(per.seconds));
    let times = worth / shown_worth(axis, worth) * if per_second { per } else { 1 };
    (per_second || times != ONE).then_some(times)
}

fn inner(value: &Value) -> String {
    match &value.expression {
        Some(expression) => format!("({expression})"),
        None => value.metrics[0].id.clone(),
    }
}

fn scaled(expression: &str, times: Number) -> String {
    match times == ONE {
        true => expression.to_owned(),
        false => format!("{expression} * {}", decimal(times)),
    }
}
