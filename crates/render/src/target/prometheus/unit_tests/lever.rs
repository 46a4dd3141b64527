//! What drives a condition in the author's PromQL.
//!
//! What its series mean is not known. So they stay at one level, and the model says which other level of one of them makes the
//! condition hold, and where the threshold lies between both; or that the condition holds while one of them has no samples.

use super::course::Course;
use super::labels::{self, LabelSet};
use super::values::{self, Phase};
use crate::target::prometheus::view::Input;
use slosmith_plan::plan::Query;
use slosmith_promql::ast::{Expr, ExprKind};
use slosmith_promql::sampled::Model;
use slosmith_promql::visit;
use slosmith_text::units::{Number, parse_decimal};

/// Series of more metrics than this are not tried.
const SERIES: usize = 4;

/// Minutes of a window, and steps of a subquery, that are tried: each try costs as many.
const LONGEST: u64 = 360;

/// Levels of the other series, and of a counter's growth in a minute.
const OTHERS: [f64; 4] = [1.0, 1_000.0, 0.0, 1e6];

/// Levels that are tried, so that the condition holds at one and not at the next.
#[rustfmt::skip]
const TRIED: [f64; 18] = [
    0.0, 0.001, 0.01, 0.05, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 60.0, 100.0, 1e3, 1e4, 1e5, 1e6, 1e8, 1e10,
];

/// Halvings of the way between two levels: to less than a thousandth of it.
const HALVINGS: usize = 12;

/// One series whose level decides whether a condition holds.
#[derive(Clone, Debug)]
pub(super) struct Lever {
    series: Vec<Of>,
    /// Which of them.
    moved: usize,
    others: Number,
    good: Number,
    /// Just beyond the threshold; none where the condition holds without samples.
    bad: Option<Number>,
    /// Minutes that the condition looks back.
    pub(super) window: u64,
}

#[derive(Clone, Debug)]
struct Of {
    series: String,
    is_counter: bool,
}

impl Lever {
    /// `None` where no level of one series decides, or where the model does not know the PromQL.
    pub(super) fn find(query: &Query) -> Option<Self> {
        let set: LabelSet = query
            .labels
            .iter()
            .map(|label| (label.clone(), labels::made_up(label)))
            .collect();
        let counters = counters(&query.expr);
        let series: Vec<_> = labels::selected(&[&query.expr], &set)
            .into_iter()
            .map(|series| Of {
                is_counter: counters.iter().any(|of| labels::is_selected(of, &series)),
                series,
            })
            .collect();
        let window = visit::longest_range(&query.expr).div_ceil(60_000);
        let is_long = window > LONGEST || steps(&query.expr) > LONGEST;
        // What Prometheus writes itself cannot be given.
        let is_given = |of: &Of| !of.series.starts_with("ALERTS");
        if series.is_empty() || series.len() > SERIES || is_long || !series.iter().all(is_given) {
            return None;
        }
        let zero = Number::from_integer(0);
        let mut lever = Self {
            series,
            moved: 0,
            others: zero,
            good: zero,
            bad: None,
            window,
        };
        // What the model does not know, it does not know at any level.
        lever.holds(&query.expr, 1.0, false)?;
        let ways = (0..lever.series.len()).flat_map(|moved| OTHERS.map(|others| (moved, others)));
        ways.into_iter().find_map(|(moved, others)| {
            (lever.moved, lever.others) = (moved, number(others)?);
            lever.set(&query.expr)
        })
    }

    /// With the levels between which the condition begins to hold.
    fn set(&self, expr: &Expr) -> Option<Self> {
        let holds = |level| self.holds(expr, level, false);
        let held: Option<Vec<_>> = TRIED.into_iter().map(holds).collect();
        let held = held?;
        let Some(at) = (1..TRIED.len()).find(|at| held[*at] != held[at - 1]) else {
            let found = Self {
                good: Number::from_integer(1),
                ..self.clone()
            };
            let is_missed = |closed| self.at(expr, None, closed) == Some(true);
            return (!held[0] && is_missed(false) && is_missed(true)).then_some(found);
        };
        let (good, bad) = if held[at] { (at - 1, at) } else { (at, at - 1) };
        let (mut silent, mut fires) = (TRIED[good], TRIED[bad]);
        for _ in 0..HALVINGS {
            let middle = (silent + fires) / 2.0;
            match holds(middle)? {
                true => fires = middle,
                false => silent = middle,
            }
        }
        // Half of the threshold away from it.
        let half = silent + (silent / 2.0).copysign(silent - fires);
        let good = match holds(half)? {
            true => TRIED[good],
            false => half,
        };
        let beyond = silent + (fires - silent) * 2.0 + (fires - good) * 0.01;
        // `== 0` holds at one level only.
        let bad = match holds(beyond)? {
            true => beyond,
            false => TRIED[bad],
        };
        let bad = number(bad)?;
        let found = Self {
            good: number(good)?,
            bad: Some(bad),
            ..self.clone()
        };
        let is_held = |closed| self.at(expr, Some(bad), closed) == Some(true);
        (is_held(false) && is_held(true)).then_some(found)
    }

    fn holds(&self, expr: &Expr, level: f64, closed: bool) -> Option<bool> {
        self.at(expr, Some(number(level)?), closed)
    }

    /// Whether the condition holds after a long time at one level, or without samples, by one way to read a window.
    fn at(&self, expr: &Expr, level: Option<Number>, closed: bool) -> Option<bool> {
        let steps = self.window + 10;
        let mut inputs = self.with(&[(steps, level.unwrap_or(self.others))]);
        if level.is_none() {
            inputs.remove(self.moved);
        }
        let model = Model::of_inputs(Input::pairs(&inputs), 1, steps + 1, closed)?;
        let elements = model.elements(expr, i64::try_from(steps * 60).ok()?)?;
        Some(!elements.is_empty())
    }

    fn with(&self, phases: &[Phase]) -> Vec<Input> {
        let input = |(i, of): (usize, &Of)| {
            let level = |phase: &Phase| match i == self.moved {
                true => *phase,
                false => (phase.0, self.others),
            };
            let phases: Vec<_> = phases.iter().map(level).collect();
            Input {
                series: of.series.clone(),
                values: match of.is_counter {
                    true => values::counter(&phases),
                    false => values::gauge(&phases),
                },
            }
        };
        self.series.iter().enumerate().map(input).collect()
    }

    /// The series, of which one goes so many hundredths of the way to where the condition holds.
    pub(super) fn inputs(&self, course: &Course, share: i128) -> Vec<Input> {
        let bad = self.bad.unwrap_or(self.good);
        let during = self.good + (bad - self.good) * Number::new(share, 100);
        let mut inputs = self.with(&[
            (course.history, self.good),
            (course.fault, during),
            (course.after, self.good),
        ]);
        if self.bad.is_none() && share == 100 {
            inputs[self.moved].values = values::absent(course);
        }
        inputs
    }
}

/// Selectors whose series are read as counters.
fn counters(expr: &Expr) -> Vec<&slosmith_promql::ast::Selector> {
    let mut found = Vec::new();
    visit::walk(expr, &mut |node| {
        if let ExprKind::Call(call) = &node.kind
            && ["rate", "increase", "irate"].contains(&call.function.text.as_str())
        {
            found.extend(visit::selectors(node));
        }
    });
    found
}

/// Steps of the longest subquery. One without a step has that of the evaluation.
fn steps(expr: &Expr) -> u64 {
    let mut most = 0;
    visit::walk(expr, &mut |node| {
        if let ExprKind::Subquery(sub) = &node.kind {
            let step = sub.step.as_ref().map_or(60_000, |step| step.millis);
            let steps = sub.range.millis.checked_div(step).unwrap_or(i64::MAX);
            most = most.max(u64::try_from(steps).unwrap_or(u64::MAX));
        }
    });
    most
}

/// A level with few digits.
fn number(level: f64) -> Option<Number> {
    parse_decimal(&decimal_of(level)).ok()
}

fn decimal_of(level: f64) -> String {
    if level == 0.0 {
        return "0".into();
    }
    let digits = 3 - level.abs().log10().floor() as i32;
    match usize::try_from(digits) {
        Ok(digits) => format!("{level:.digits$}"),
        Err(_) => format!("{level:.0}"),
    }
}
