//! Metric math: values of the plan as metrics with ids, and an expression over them.
//!
//! `Value::Share` of the metrics `errors` and `requests` becomes `m1`, `m2` and `FILL(m1, 0) / m2`; a metric with
//! two names becomes `m1`, `m2` and `SUM([m1, m2])`; what has groups is a `SEARCH(…)` without ids.

use slosmith_cloudwatch::{Search, Statistic};
use slosmith_plan::plan::cloudwatch::{Dimensions, Groups, MetricStat, Share, Shown, Value};
use slosmith_spec::spec::Across;
use slosmith_text::units::{Number, decimal};

/// Seconds of a minute, the usual period.
const MINUTE: u64 = 60;

pub(in crate::target) struct Formula<'v> {
    pub(in crate::target) metrics: Vec<Named<'v>>,
    pub(in crate::target) expression: Option<String>,
}

pub(in crate::target) struct Named<'v> {
    pub(in crate::target) id: String,
    pub(in crate::target) name: &'v str,
    pub(in crate::target) stat: &'v MetricStat,
}

impl Named<'_> {
    /// Dimensions that the metric is published under.
    pub(in crate::target) fn dimensions(&self) -> &[(String, String)] {
        match &self.stat.dimensions {
            Dimensions::Exactly(pairs) => pairs,
            Dimensions::Each(groups) => &groups.fixed,
        }
    }
}

/// Spells values, each metric under the next free id.
pub(in crate::target) struct Speller {
    prefix: String,
    last: usize,
}

impl Speller {
    pub(in crate::target) fn of_alarm() -> Self {
        Self::new("m")
    }

    pub(in crate::target) fn of_series(series: usize) -> Self {
        Self::new(&format!("{}m", letters(series)))
    }

    fn new(prefix: &str) -> Self {
        Self {
            prefix: prefix.to_owned(),
            last: 0,
        }
    }

    /// An id for what has no metrics.
    pub(in crate::target) fn search_id(&mut self) -> String {
        let id = format!("{}{}", self.prefix, self.last);
        self.last += 1;
        id
    }

    /// A value as it is, over so many seconds.
    pub(in crate::target) fn value<'v>(&mut self, value: &'v Value, period: u64) -> Formula<'v> {
        let mut metrics = Vec::new();
        let text = match value {
            Value::Statistic(stat) => self.stat(&mut metrics, stat, period),
            Value::Total(across, stats) => {
                let stats = stats.iter();
                let stats = stats.map(|stat| self.stat(&mut metrics, stat, period));
                let stats = stats.collect::<Vec<_>>().join(", ");
                let together = match across {
                    Across::Avg => "AVG",
                    _ => "SUM",
                };
                format!("{together}([{stats}])")
            }
            Value::Growth(stat) => format!("RATE({})", self.stat(&mut metrics, stat, period)),
            Value::Share(share) => self.share(&mut metrics, share, period),
            Value::BurnRate(share, budget) => {
                let share = self.share(&mut metrics, share, period);
                format!("{share} / {}", decimal(*budget))
            }
            Value::BurnRateOf(share, budget, least) => {
                let (part, whole) = self.events(&mut metrics, share, period);
                let share = share_of(&part, &whole, share.others);
                format!("IF({whole} >= {least}, {share} / {}, 0)", decimal(*budget))
            }
        };
        let alone = matches!((value, metrics.as_slice()), (Value::Statistic(_), [_]));
        Formula {
            metrics,
            expression: (!alone).then_some(text),
        }
    }

    pub(in crate::target) fn shown<'v>(
        &mut self,
        value: &'v Value,
        shown: Shown,
        period: u64,
    ) -> Formula<'v> {
        let Formula {
            metrics,
            expression,
        } = self.value(value, period);
        let period = match metrics.first() {
            Some(first) => format!("PERIOD({})", first.id),
            None => period.to_string(),
        };
        // One metric, or one search, is an operand as it is.
        let (bare, operand) = match (&expression, metrics.as_slice()) {
            (Some(text), []) => (text.clone(), text.clone()),
            (Some(text), _) => (text.clone(), format!("({text})")),
            (None, metrics) => {
                let id = metrics.first().map_or_else(String::new, |m| m.id.clone());
                (id.clone(), id)
            }
        };
        let one = Number::from_integer(1);
        let expression = match shown {
            Shown::Times(times) if times == one => expression,
            Shown::Times(times) => Some(format!("{operand} * {}", decimal(times))),
            Shown::PerSecond(times) if times == one => Some(format!("{operand} / {period}")),
            Shown::PerSecond(times) => Some(format!("{operand} / {period} * {}", decimal(times))),
            Shown::RestInPercent => Some(format!("100 * (1 - {bare})")),
        };
        Formula {
            metrics,
            expression,
        }
    }

    fn share<'v>(&mut self, metrics: &mut Vec<Named<'v>>, share: &'v Share, period: u64) -> String {
        let (part, whole) = self.events(metrics, share, period);
        share_of(&part, &whole, share.others)
    }

    fn events<'v>(
        &mut self,
        metrics: &mut Vec<Named<'v>>,
        share: &'v Share,
        period: u64,
    ) -> (String, String) {
        let part = self.stat(metrics, &share.part, period);
        let whole = self.stat(metrics, &share.whole, period);
        (part, whole)
    }

    fn stat<'v>(
        &mut self,
        metrics: &mut Vec<Named<'v>>,
        stat: &'v MetricStat,
        period: u64,
    ) -> String {
        if let Dimensions::Each(groups) = &stat.dimensions {
            return search(stat, groups, period);
        }
        let mut ids = Vec::new();
        for name in &stat.names {
            self.last += 1;
            let id = format!("{}{}", self.prefix, self.last);
            ids.push(id.clone());
            metrics.push(Named { id, name, stat });
        }
        match ids.as_slice() {
            [one] => one.clone(),
            several => format!("{}([{}])", together(&stat.statistic), several.join(", ")),
        }
    }
}

fn share_of(part: &str, whole: &str, others: bool) -> String {
    match others {
        false => format!("FILL({part}, 0) / {whole}"),
        true => format!("({whole} - FILL({part}, 0)) / {whole}"),
    }
}

fn search(stat: &MetricStat, groups: &Groups, period: u64) -> String {
    let search = Search {
        namespace: &stat.namespace,
        set: &groups.set,
        fixed: &groups.fixed,
        names: &stat.names,
        statistic: &stat.statistic,
        period,
    };
    search.to_string()
}

fn together(statistic: &Statistic) -> &'static str {
    match statistic {
        Statistic::Maximum => "MAX",
        Statistic::Minimum => "MIN",
        Statistic::Sum | Statistic::SampleCount => "SUM",
        Statistic::Extended(extended) if extended.adds_up() => "SUM",
        Statistic::Average | Statistic::Extended(_) => "AVG",
    }
}

pub(in crate::target) fn group_label(value: &Value) -> Option<String> {
    let stat = value.metrics().into_iter().next()?;
    let Dimensions::Each(groups) = &stat.dimensions else {
        return None;
    };
    let mut parts: Vec<_> = groups.shown.iter().map(|d| format!("Dim.{d}")).collect();
    if stat.names.len() > 1 {
        parts.push("MetricName".to_owned());
    }
    let parts: Vec<_> = parts
        .iter()
        .map(|part| format!("${{PROP('{part}')}}"))
        .collect();
    Some(parts.join(" "))
}

/// `a`, `b`, …, `z`, `aa`: ids begin with a small letter.
fn letters(i: usize) -> String {
    let letter = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap_or(0));
    match i / 26 {
        0 => letter(i).to_string(),
        n => format!("{}{}", letter(n - 1), letter(i)),
    }
}

/// A value in words, for readers who look it up in the console.
pub(in crate::target) fn console(value: &Value) -> String {
    let Formula {
        metrics,
        expression,
    } = Speller::of_alarm().value(value, MINUTE);
    let metrics = metrics.iter().map(|m| {
        let dimensions = m.dimensions().iter();
        let dimensions: String = dimensions.map(|(n, v)| format!(" {n}={v}")).collect();
        let id = match &expression {
            Some(_) => format!("{} = ", m.id),
            None => String::new(),
        };
        let stat = m.stat;
        format!(
            "`{id}{} {}{dimensions}, {}`",
            stat.namespace, m.name, stat.statistic
        )
    });
    let metrics = metrics.collect::<Vec<_>>().join(", ");
    match expression {
        Some(expression) => format!("{metrics}, shown as `{expression}`"),
        None => metrics,
    }
}
