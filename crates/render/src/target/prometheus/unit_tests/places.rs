//! Tests of parts that are joined on labels of a place: what holds in one place says nothing of another.

use super::agreed::{Agreed, steps};
use super::subject::Subject;
use super::{EXCUSED, labels, number_firing, throughout};
use crate::target::prometheus::view::{Input, Test};
use slosmith_promql::ast::{Binary, BinaryOp, ExprKind};
use slosmith_promql::visit;

/// The first test again, with one side of each join in another place, or with an `unless` that holds there.
pub(super) fn apart(subject: &Subject<'_>, tests: &[Test], step: u64) -> Vec<Test> {
    let Some(fires) = tests.first() else {
        return Vec::new();
    };
    let mut joins = Vec::new();
    visit::walk(&subject.condition.query().expr, &mut |node| {
        if let ExprKind::Binary(binary) = &node.kind {
            joins.extend(place(binary).map(|label| (&**binary, label)));
        }
    });
    let excused = tests.iter().find(|test| test.name == EXCUSED);
    let test = |(binary, label): &(&Binary, &str)| match binary.op {
        BinaryOp::And => elsewhere(subject, fires, binary, label, step),
        _ => holds_elsewhere(subject, fires, excused?, label, step),
    };
    joins.iter().filter_map(test).collect()
}

/// The label of a place that two parts are joined on.
fn place(binary: &Binary) -> Option<&str> {
    let matching = binary.matching.as_ref().filter(|matching| matching.on)?;
    let is_join = matches!(binary.op, BinaryOp::And | BinaryOp::Unless);
    let label = matching.labels.first()?;
    is_join.then_some(label.text.as_str())
}

/// Silent where one of two parts holds elsewhere.
fn elsewhere(
    subject: &Subject<'_>,
    fires: &Test,
    binary: &Binary,
    label: &str,
    step: u64,
) -> Option<Test> {
    let moves = |input: &Input| {
        labels::reads(&binary.rhs, &input.series) && !labels::reads(&binary.lhs, &input.series)
    };
    let moved = |input: &Input| match moves(input) {
        true => moved(input, label),
        false => Some(input.clone()),
    };
    let inputs: Vec<_> = fires
        .input_series
        .iter()
        .map(moved)
        .collect::<Option<_>>()?;
    let last = steps(fires, step)?.into_iter().max()?;
    let found = Agreed::of(subject, &inputs, step, last + 1)?;
    let is_silent = inputs != fires.input_series && found.is(0..=last, |n| n == 0);
    let check = number_firing(subject.name, &[], last * step, 0);
    let checks = vec![throughout(&check, last * step)];
    let name = format!("silent where a part holds for another {label}");
    is_silent.then(|| Test::new(name, fires.interval.clone(), inputs, checks))
}

/// Fires where the `unless` condition holds elsewhere.
fn holds_elsewhere(
    subject: &Subject<'_>,
    fires: &Test,
    excused: &Test,
    label: &str,
    step: u64,
) -> Option<Test> {
    let last = steps(fires, step)?.into_iter().max()?;
    let alone = Agreed::of(subject, &fires.input_series, step, last + 1)?;
    let at = (0..=last).find(|at| alone.is([*at], |n| n > 0))?;
    let other = excused.input_series.iter().map(|input| moved(input, label));
    let mut inputs = fires.input_series.clone();
    inputs.extend(other.collect::<Option<Vec<_>>>()?);
    let found = Agreed::of(subject, &inputs, step, at + 1)?;
    let firing = found.at(at).filter(|n| *n > 0)?;
    let checks = vec![number_firing(subject.name, &[], at * step, firing)];
    let name = format!("fires while the `unless` condition holds for another {label}");
    Some(Test::new(name, fires.interval.clone(), inputs, checks))
}

fn moved(input: &Input, label: &str) -> Option<Input> {
    Some(Input {
        series: labels::beside(&input.series, label, labels::OTHER)?,
        values: input.values.clone(),
    })
}
