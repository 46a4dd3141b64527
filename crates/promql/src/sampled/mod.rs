//! What PromQL gives on series that have a sample at each step, or none: enough of it for what generated rules read.
//!
//! A value of `None` means that a query uses what is not known here, never that it has no result. Generated unit tests choose their inputs by
//! it, and promtool decides whether the rules agree; a backtest evaluates rules on recorded series, and leaves all else to a Prometheus.
//! Ranges are read in one of two ways: Prometheus 2 counts the sample at the start of a window, Prometheus 3 does not.

mod functions;
mod operators;
mod series;

pub use series::Labels;

use series::{Series, expand, offset, unnamed};

use crate::ast::{Expr, ExprKind, Selector};
use crate::{parse, visit};
use slosmith_text::units::Duration;

/// How long the newest sample of a series is taken for its value, in seconds.
const LOOK_BACK: i64 = 300;

/// An element of a vector with its value at each moment that is asked for.
pub type Row = (Labels, Vec<Option<f64>>);

/// What an expression is worth at some moments.
enum Value {
    Scalar(f64),
    Rows(Vec<Row>),
}

/// A value that a rule records: name, labels beside its own, expression.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    pub name: &'a str,
    pub labels: &'a Labels,
    pub expr: &'a Expr,
}

/// Series with samples at the same distance, and the moments at which rules are evaluated.
#[derive(Debug)]
pub struct Model {
    /// Seconds from sample to sample.
    step: i64,
    /// The time of the first sample, in seconds since 1970.
    origin: i64,
    /// True where a window holds the sample at its start.
    closed: bool,
    series: Vec<Series>,
    /// Moments of evaluation.
    moments: Vec<i64>,
}

/// At each step, how many elements of an alert fire.
pub type Firing = Vec<u64>;

impl Model {
    /// No series yet, over so many steps of so many seconds from a time on.
    pub fn new(origin: i64, step: i64, steps: usize, closed: bool) -> Self {
        let steps = i64::try_from(steps).unwrap_or(i64::MAX);
        Self {
            step,
            origin,
            closed,
            series: Vec::new(),
            moments: (0..steps).map(|i| i * step).collect(),
        }
    }

    /// Series and values in the notation of promtool's tests; `None` where one is not known here.
    pub fn of_inputs<'a>(
        inputs: impl Iterator<Item = (&'a str, &'a str)>,
        minutes: u64,
        steps: u64,
        closed: bool,
    ) -> Option<Self> {
        let step = i64::try_from(minutes * 60).ok()?;
        let mut model = Self::new(0, step, usize::try_from(steps).ok()?, closed);
        for (series, values) in inputs {
            let parsed = parse(series).ok()?;
            let selector = visit::selectors(&parsed).into_iter().next()?.clone();
            model.add(series::labels(&selector)?, expand(values)?, 1);
        }
        Some(model)
    }

    /// Adds a series with a sample at each `every`th step at most.
    pub fn add(&mut self, labels: Labels, samples: Vec<Option<f64>>, every: usize) {
        self.series.push(Series {
            labels,
            samples,
            every,
        });
    }

    /// Removes the series that have all these labels.
    pub fn remove(&mut self, labels: &Labels) {
        let has = |series: &Series, (name, value): (&String, &String)| {
            series.labels.get(name) == Some(value)
        };
        self.series
            .retain(|series| !labels.iter().all(|label| has(series, label)));
    }

    /// The same, evaluated only every so many steps.
    pub fn evaluated_every(mut self, steps: usize) -> Self {
        self.moments = self.moments.into_iter().step_by(steps).collect();
        self
    }

    /// Adds a series of each element that a rule records; `None` where it uses what is not known here.
    pub fn record(&mut self, record: &Record<'_>) -> Option<()> {
        self.record_every(record, 1)
    }

    /// The same of a rule that is evaluated at each `every`th moment.
    pub fn record_every(&mut self, record: &Record<'_>, every: usize) -> Option<()> {
        let moments: Vec<i64> = self.moments.iter().copied().step_by(every.max(1)).collect();
        let reads_itself = visit::selectors(record.expr).iter().any(|read| {
            let name = read.metric.as_ref();
            name.is_some_and(|name| name.text == record.name)
        });
        // What it reads of itself must be recorded before.
        let at_once = if reads_itself {
            1
        } else {
            moments.len().max(1)
        };
        let apart = match moments.get(..2) {
            Some([one, two]) => usize::try_from((two - one) / self.step).ok()?,
            _ => 1,
        };
        for moments in moments.chunks(at_once) {
            for (mut labels, values) in self.rows(record.expr, moments)? {
                labels.insert("__name__".into(), record.name.to_owned());
                labels.extend(record.labels.clone());
                let at = self.series.iter().position(|known| known.labels == labels);
                let at = at.unwrap_or_else(|| {
                    self.add(labels, Vec::new(), apart);
                    self.series.len() - 1
                });
                let samples = &mut self.series[at].samples;
                for (moment, value) in moments.iter().zip(values) {
                    let at = usize::try_from(moment / self.step).ok()?;
                    if at >= samples.len() {
                        samples.resize(at + 1, None);
                    }
                    samples[at] = value.or(samples[at]);
                }
            }
        }
        Some(())
    }

    /// The only element of an expression at a time in seconds.
    pub fn value(&self, expr: &Expr, time: i64) -> Option<f64> {
        match self.elements(expr, time)?.as_slice() {
            [(_, value)] => Some(*value),
            _ => None,
        }
    }

    /// The elements of an expression at a time in seconds.
    pub fn elements(&self, expr: &Expr, time: i64) -> Option<Vec<(Labels, f64)>> {
        let rows = self.rows(expr, &[time])?.into_iter();
        let elements =
            rows.filter_map(|(labels, values)| Some((unnamed(labels), values.first().copied()??)));
        Some(elements.collect())
    }

    /// How many elements of an alert fire at each moment.
    pub fn firing(&self, condition: &Expr, hold: Duration, keep: Duration) -> Option<Firing> {
        let mut firing = vec![0; self.moments.len()];
        for (_, values) in self.results(condition)? {
            let fires = self.fires(&values, hold, keep);
            for (sum, fires) in firing.iter_mut().zip(fires) {
                *sum += u64::from(fires);
            }
        }
        Some(firing)
    }

    /// The elements of an expression at all moments, each label set once.
    pub fn results(&self, expr: &Expr) -> Option<Vec<Row>> {
        let rows = self.rows(expr, &self.moments)?.into_iter();
        Some(operators::merged(rows.map(|(l, v)| (unnamed(l), v))))
    }

    /// The times of the moments, in seconds since 1970.
    pub fn times(&self) -> impl Iterator<Item = i64> + '_ {
        self.moments.iter().map(|moment| self.origin + moment)
    }

    /// Whether an alert fires at each moment, from whether its condition has this element.
    pub fn fires(&self, values: &[Option<f64>], hold: Duration, keep: Duration) -> Vec<bool> {
        let seconds = |time: Duration| i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
        let (hold, keep) = (seconds(hold), seconds(keep));
        let (mut since, mut ended, mut fires) = (None, None, false);
        let states = self.moments.iter().zip(values).map(|(now, value)| {
            match value {
                Some(_) => {
                    ended = None;
                    fires |= now - *since.get_or_insert(*now) >= hold;
                }
                None if fires && now - *ended.get_or_insert(*now) < keep => {}
                None => (since, ended, fires) = (None, None, false),
            }
            fires
        });
        states.collect()
    }

    fn eval(&self, expr: &Expr, times: &[i64]) -> Option<Value> {
        Some(match &expr.kind {
            ExprKind::Number(number) => Value::Scalar(number.value),
            ExprKind::Paren(inner) => self.eval(inner, times)?,
            ExprKind::Selector(selector) => Value::Rows(self.instant(selector, times)?),
            ExprKind::Call(call) => Value::Rows(self.call(call, times)?),
            ExprKind::Aggregate(aggregate) => Value::Rows(self.aggregate(aggregate, times)?),
            ExprKind::Binary(binary) => self.binary(binary, times)?,
            _ => return None,
        })
    }

    fn rows(&self, expr: &Expr, times: &[i64]) -> Option<Vec<Row>> {
        match self.eval(expr, times)? {
            Value::Rows(rows) => Some(rows),
            Value::Scalar(_) => None,
        }
    }

    fn scalar(&self, expr: &Expr) -> Option<f64> {
        match self.eval(expr, &[])? {
            Value::Scalar(value) => Some(value),
            Value::Rows(_) => None,
        }
    }

    fn selected<'a>(&'a self, selector: &Selector) -> impl Iterator<Item = &'a Series> {
        self.series.iter().filter(move |s| s.meets(selector))
    }

    /// The newest samples; a series is over where it misses one.
    fn instant(&self, selector: &Selector, times: &[i64]) -> Option<Vec<Row>> {
        self.newest(selector, times, |value, _| value)
    }

    /// What a function makes of the newest samples and their times.
    fn newest(
        &self,
        selector: &Selector,
        times: &[i64],
        of: impl Fn(f64, i64) -> f64,
    ) -> Option<Vec<Row>> {
        let ago = offset(&selector.at)?;
        let newest = |series: &Series, now: i64| {
            let last = usize::try_from(now.div_euclid(self.step)).ok()?;
            let mut near = (0..series.every).filter_map(|back| last.checked_sub(back));
            let at = near.find(|at| series.samples.get(*at).is_some_and(Option::is_some))?;
            let time = i64::try_from(at).ok()? * self.step;
            let value = series.samples[at].filter(|_| now - time < LOOK_BACK)?;
            Some(of(value, self.origin + time))
        };
        let row = |series: &Series| {
            let values = times.iter().map(|t| newest(series, t - ago)).collect();
            (series.labels.clone(), values)
        };
        Some(self.selected(selector).map(row).collect())
    }
}
