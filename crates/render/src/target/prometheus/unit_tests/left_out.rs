//! Series that the matchers of a condition leave out, beside those of its tests: a fault of another job or of another status does not
//! make an alert fire, and their health does not excuse one.

use super::agreed::{self, Agreed};
use super::scenario::excuses;
use super::subject::Subject;
use super::{EXCUSED, labels, throughout};
use crate::target::prometheus::view::{Input, Test};
use slosmith_promql::ast::Matcher;
use slosmith_promql::visit;

/// Statuses that a wrong pattern may select, too.
const STATUSES: [&str; 4] = ["500", "429", "404", "200"];

/// Adds such series to the tests of an alert, the first of which fires. Each is in one test.
pub(super) fn add(subject: &Subject<'_>, tests: &mut [Test], step: u64) {
    let Some((fires, others)) = tests.split_first_mut() else {
        return;
    };
    let leaves = subject.condition.leaves().into_iter();
    let excuses = leaves.zip(excuses(subject.condition));
    let excuses = excuses.filter(|(_, excuses)| *excuses);
    let excuses: Vec<_> = excuses.map(|(leaf, _)| &leaf.query().expr).collect();
    let is_excuse = |input: &Input| excuses.iter().any(|of| labels::reads(of, &input.series));
    let mut known = Vec::new();
    for silent in others.iter_mut().filter(|test| is_silent(test)) {
        let mut faulty = differing(fires, silent);
        faulty.retain(|input| !is_excuse(input));
        extend(subject, silent, &faulty, &mut known, step);
    }
    let mut known = Vec::new();
    let is_unless = others.iter().any(|test| test.name == EXCUSED);
    let excused = |test: &&Test| is_silent(test) && (!is_unless || test.name == EXCUSED);
    for silent in others.iter().filter(excused) {
        let mut healthy = differing(silent, fires);
        healthy.retain(is_excuse);
        extend(subject, fires, &healthy, &mut known, step);
    }
    let mut known = Vec::new();
    for excused in others.iter_mut().filter(|test| test.name == EXCUSED) {
        let mut healthy = differing(fires, excused);
        healthy.retain(is_excuse);
        extend(subject, excused, &healthy, &mut known, step);
    }
}

fn is_silent(test: &Test) -> bool {
    let mut checks = test.promql_expr_test.iter();
    test.alert_rule_test.is_empty() && checks.all(|check| check.exp_samples.is_empty())
}

/// Makes one check of several that find an alert silent: of the whole time, where it is silent throughout.
pub(super) fn join_checks(subject: &Subject<'_>, test: &mut Test, step: u64) {
    let Some(ends) = agreed::steps(test, step).filter(|ends| is_silent(test) && ends.len() > 1)
    else {
        return;
    };
    let last = ends.into_iter().max().unwrap_or(0);
    let found = Agreed::of(subject, &test.input_series, step, last + 1);
    if !found.is_some_and(|found| found.is(0..=last, |n| n == 0)) {
        return;
    }
    let check = throughout(&test.promql_expr_test[0], last * step);
    test.promql_expr_test = vec![check];
}

/// The series of a test that go another way in the other one.
fn differing(test: &Test, other: &Test) -> Vec<Input> {
    let own = test.input_series.iter();
    own.filter(|input| !other.input_series.contains(input))
        .cloned()
        .collect()
}

/// Adds these series with each label changed that a matcher selects by, where the alert does then what it did.
fn extend(
    subject: &Subject<'_>,
    test: &mut Test,
    inputs: &[Input],
    known: &mut Vec<String>,
    step: u64,
) {
    let records = subject.records.iter().map(|(_, expr)| *expr);
    let queries = std::iter::once(&subject.condition.query().expr).chain(records);
    let selectors: Vec<_> = queries.flat_map(visit::selectors).collect();
    let mut more: Vec<Input> = Vec::new();
    for input in inputs {
        let of_input = selectors
            .iter()
            .filter(|s| labels::is_selected(s, &input.series));
        for matcher in of_input.flat_map(|selector| &selector.matchers) {
            let changed = outside(matcher)
                .and_then(|value| labels::with(&input.series, &matcher.label.text, &value));
            let is_new = |series: &String| {
                let mut all = test.input_series.iter().chain(&more);
                !known.contains(series) && all.all(|input| input.series != *series)
            };
            if let Some(series) = changed.filter(is_new) {
                let values = input.values.clone();
                more.push(Input { series, values });
            }
        }
    }
    let Some(ends) = agreed::steps(test, step) else {
        return;
    };
    let last = ends.iter().copied().max().unwrap_or(0);
    let run = |inputs: &[Input]| Agreed::of(subject, inputs, step, last + 1);
    let with = |more: &[Input]| {
        let inputs = test.input_series.iter().chain(more);
        run(&inputs.cloned().collect::<Vec<_>>())
    };
    let Some(before) = run(&test.input_series).filter(|_| !more.is_empty()) else {
        return;
    };
    let is_same = |after: Option<Agreed>| after.is_some_and(|after| after.agrees(&before, &ends));
    if !is_same(with(&more)) {
        return;
    }
    known.extend(more.iter().map(|input| input.series.clone()));
    test.input_series.extend(more);
}

/// A value that a matcher does not select.
fn outside(matcher: &Matcher) -> Option<String> {
    let (op, own) = (matcher.op, &matcher.value.value);
    let statuses = labels::is_status(&labels::meeting(op, own)).then_some(STATUSES);
    let statuses = statuses.into_iter().flatten().map(str::to_owned);
    let mut all = statuses.chain([labels::meeting(op.opposite(), own)]);
    all.find(|value| !value.is_empty() && !labels::meets(op, own, value))
}
