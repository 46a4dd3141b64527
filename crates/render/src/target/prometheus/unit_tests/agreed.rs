//! What an alert does under the inputs of a test, where both ways to read a window agree.

use super::subject::Subject;
use crate::target::prometheus::view::{Input, Test};
use slosmith_promql::ast::Duration;
use slosmith_promql::sampled::{Firing, Model, Record};
use slosmith_spec::naming;

/// The steps at which a test queries.
pub(super) fn steps(test: &Test, step: u64) -> Option<Vec<u64>> {
    let checks = test.promql_expr_test.iter();
    let steps = checks.map(|check| {
        let at = Duration::parse(&check.eval_time)?;
        u64::try_from(at.millis).ok()?.checked_div(60_000 * step)
    });
    steps.collect()
}

/// Series and records of an alert, for so many steps.
pub(super) fn model(
    subject: &Subject<'_>,
    inputs: &[Input],
    step: u64,
    steps: u64,
    closed: bool,
) -> Option<Model> {
    model_every(subject, inputs, (step, 1), steps, closed)
}

/// The same, evaluated every so many steps.
pub(super) fn model_every(
    subject: &Subject<'_>,
    inputs: &[Input],
    (step, every): (u64, usize),
    steps: u64,
    closed: bool,
) -> Option<Model> {
    let mut model =
        Model::of_inputs(Input::pairs(inputs), step, steps, closed)?.evaluated_every(every);
    for (labels, expr) in &subject.records {
        let name = naming::BASELINE;
        model.record(&Record { name, labels, expr })?;
    }
    Some(model)
}

/// What both ways to read a window agree on.
pub(super) struct Agreed {
    pub(super) open: Firing,
    pub(super) closed: Firing,
}

impl Agreed {
    /// What an alert does under these inputs, for so many steps.
    pub(super) fn of(
        subject: &Subject<'_>,
        inputs: &[Input],
        step: u64,
        steps: u64,
    ) -> Option<Self> {
        let condition = &subject.condition.query().expr;
        let run = |closed| {
            let model = model(subject, inputs, step, steps, closed)?;
            model.firing(condition, subject.hold, subject.keep)
        };
        Some(Self {
            open: run(false)?,
            closed: run(true)?,
        })
    }

    pub(super) fn at(&self, step: u64) -> Option<u64> {
        let at = usize::try_from(step).ok()?;
        let (open, closed) = (self.open.get(at)?, self.closed.get(at)?);
        (open == closed).then_some(*open)
    }

    /// True where both do the same at these steps.
    pub(super) fn agrees(&self, other: &Self, steps: &[u64]) -> bool {
        let mut steps = steps.iter();
        steps.all(|at| self.at(*at).is_some() && self.at(*at) == other.at(*at))
    }

    pub(super) fn is(
        &self,
        steps: impl IntoIterator<Item = u64>,
        wanted: impl Fn(u64) -> bool,
    ) -> bool {
        steps.into_iter().all(|s| self.at(s).is_some_and(&wanted))
    }
}
