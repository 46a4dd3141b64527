//! What a rule does with made-up series: enough of PromQL to choose inputs by, not to judge rules with.
//!
//! A generated test says what an input was made for, and promtool decides whether the rule agrees. This only spares
//! inputs that do not do what they were made for. Ranges are read in both ways: Prometheus 2 counts the sample at the
//! start of a window, Prometheus 3 does not.

mod functions;
mod operators;
mod series;

pub(super) use series::Labels;

use series::{Series, expand, offset, unnamed};

use crate::target::prometheus::view::Input;
use slosmith_promql::ast::{Expr, ExprKind, Selector};
use slosmith_promql::{self as promql, visit};
use slosmith_text::units::Duration;

/// How long the newest sample of a series is taken for its value, in seconds.
const LOOK_BACK: i64 = 300;

/// An element of a vector with its value at each moment that is asked for.
type Row = (Labels, Vec<Option<f64>>);

/// What an expression is worth at some moments.
enum Value {
    Scalar(f64),
    Rows(Vec<Row>),
}

/// A value that a rule records: name, labels beside its own, expression.
pub(super) struct Record<'a> {
    pub(super) name: &'a str,
    pub(super) labels: &'a Labels,
    pub(super) expr: &'a Expr,
}

/// Series a few minutes apart.
pub(super) struct Model {
    /// Seconds from sample to sample.
    step: i64,
    /// True where a window holds the sample at its start.
    closed: bool,
    series: Vec<Series>,
    /// Moments of evaluation.
    moments: Vec<i64>,
}

/// At each step, how many elements of an alert fire.
pub(super) type Firing = Vec<u64>;

impl Model {
    /// Input series as a test has them, over so many steps; `None` where one is beyond this model.
    pub(super) fn new(inputs: &[Input], minutes: u64, steps: u64, closed: bool) -> Option<Self> {
        let read = |input: &Input| {
            let parsed = promql::parse(&input.series).ok()?;
            let selector = visit::selectors(&parsed).into_iter().next()?.clone();
            Some(Series {
                labels: series::labels(&selector)?,
                samples: expand(&input.values)?,
            })
        };
        let (step, steps) = (
            i64::try_from(minutes * 60).ok()?,
            i64::try_from(steps).ok()?,
        );
        Some(Self {
            step,
            closed,
            series: inputs.iter().map(read).collect::<Option<_>>()?,
            moments: (0..steps).map(|i| i * step).collect(),
        })
    }

    /// The same, evaluated only every so many steps.
    pub(super) fn evaluated_every(mut self, steps: usize) -> Self {
        self.moments = self.moments.into_iter().step_by(steps).collect();
        self
    }

    /// Adds a series of each element that a rule records; `None` where it uses what this model does not know.
    pub(super) fn record(&mut self, record: &Record<'_>) -> Option<()> {
        let reads_itself = visit::selectors(record.expr).iter().any(|read| {
            let name = read.metric.as_ref();
            name.is_some_and(|name| name.text == record.name)
        });
        // What it reads of itself must be recorded before.
        let at_once = if reads_itself {
            1
        } else {
            self.moments.len().max(1)
        };
        for moments in self.moments.clone().chunks(at_once) {
            for (mut labels, values) in self.rows(record.expr, moments)? {
                labels.insert("__name__".into(), record.name.to_owned());
                labels.extend(record.labels.clone());
                let at = self.series.iter().position(|known| known.labels == labels);
                let at = at.unwrap_or_else(|| {
                    let samples = Vec::new();
                    self.series.push(Series { labels, samples });
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
    pub(super) fn value(&self, expr: &Expr, time: i64) -> Option<f64> {
        match self.elements(expr, time)?.as_slice() {
            [(_, value)] => Some(*value),
            _ => None,
        }
    }

    /// The elements of an expression at a time in seconds.
    pub(super) fn elements(&self, expr: &Expr, time: i64) -> Option<Vec<(Labels, f64)>> {
        let rows = self.rows(expr, &[time])?.into_iter();
        let elements =
            rows.filter_map(|(labels, values)| Some((unnamed(labels), values.first().copied()??)));
        Some(elements.collect())
    }

    /// What an alert does.
    pub(super) fn firing(
        &self,
        condition: &Expr,
        hold: Duration,
        keep: Duration,
    ) -> Option<Firing> {
        let seconds = |time: Duration| i64::try_from(time.as_secs()).ok();
        let (hold, keep) = (seconds(hold)?, seconds(keep)?);
        let rows = self.rows(condition, &self.moments)?;
        let rows = operators::merged(rows.into_iter().map(|(l, v)| (unnamed(l), v)));
        let mut firing = vec![0; self.moments.len()];
        for (_, values) in rows {
            let (mut since, mut ended, mut fires) = (None, None, false);
            for (i, now) in self.moments.iter().enumerate() {
                match values[i] {
                    Some(_) => {
                        ended = None;
                        fires |= now - *since.get_or_insert(*now) >= hold;
                    }
                    None if fires && now - *ended.get_or_insert(*now) < keep => {}
                    None => (since, ended, fires) = (None, None, false),
                }
                firing[i] += u64::from(fires);
            }
        }
        Some(firing)
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

    /// The newest samples; after a missing one a series is over.
    fn instant(&self, selector: &Selector, times: &[i64]) -> Option<Vec<Row>> {
        let ago = offset(&selector.at)?;
        let newest = |series: &Series, now: i64| {
            let at = usize::try_from(now.div_euclid(self.step)).ok()?;
            let young = now.rem_euclid(self.step) < LOOK_BACK;
            series.samples.get(at).copied().flatten().filter(|_| young)
        };
        let row = |series: &Series| {
            let values = times.iter().map(|t| newest(series, t - ago)).collect();
            (series.labels.clone(), values)
        };
        Some(self.selected(selector).map(row).collect())
    }
}
