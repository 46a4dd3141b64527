//! Test of an SLO's budget: events count, not minutes.

use super::drive::{Driver, Level};
use super::{burn, minutes, near, of_window, test_file};
use crate::target::prometheus::rules;
use crate::target::prometheus::view::{Input, Named, Test, TestFile};
use slosmith_plan::plan::{BASE_WINDOW, Plan, Slo};
use slosmith_spec::naming;
use slosmith_text::units::Number;

/// Minutes of quiet, busy and quiet traffic.
const PHASES: [u64; 3] = [60, 10, 110];

/// Minutes from evaluation to evaluation, and from sample to sample: each reads the whole period.
const EVERY: u64 = BASE_WINDOW.mins_up();

/// How much busier the middle is.
const BUSY: i128 = 600;

/// A short burst with errors must weigh as much as its events do: `None` without a period file.
pub(super) fn file(plan: &Plan, slo: &Slo) -> Option<Named<TestFile>> {
    if !rules::has_period_file(slo) {
        return None;
    }
    let driver = Driver { plan, step: EVERY };
    let one = Number::from_integer(1);
    let ratio = Number::new(1, 10);
    let inputs = busy(&driver, slo, ratio)?;
    let [before, burst, after] = PHASES.map(i128::from);
    let all = Number::from_integer(before + after + BUSY * burst);
    let expected = ratio * BUSY * burst / all;
    let at = PHASES.iter().sum::<u64>() - 5;
    let service = &plan.service.name;
    let found = of_window(naming::ERROR_RATIO, slo.period);
    let left = format!(
        "{}{{service=\"{service}\", slo=\"{}\"}}",
        naming::BUDGET_REMAINING,
        slo.name
    );
    let budget = slo.events.budget.budget;
    let remaining = one - expected / budget;
    // Within one percent: the recorded rates smear the edges of the burst.
    let hair = expected / 100;
    let checks = vec![
        near(&found.to_string(), expected, hair, at),
        near(&left, remaining, hair / budget, at + 2),
    ];
    let name = "weighs a burst by its events";
    let test = Test::new(name, minutes(EVERY), inputs, checks);
    let title = format!("{}, budget over {}.", slo.title, slo.period);
    let files = [rules::slo_file(slo), rules::period_file(slo)];
    Some(test_file(
        rules::period_file(slo),
        title,
        &files,
        EVERY,
        vec![test],
    ))
}

/// Series of quiet traffic without errors around a burst with them.
fn busy(driver: &Driver<'_>, slo: &Slo, ratio: Number) -> Option<Vec<Input>> {
    let zero = Number::from_integer(0);
    let [before, burst, after] = PHASES.map(|minutes| minutes / EVERY);
    let levels = [
        Level::new(before, zero),
        Level::new(burst, ratio).busy(BUSY),
        Level::new(after, zero),
    ];
    burn::inputs(driver, slo, &levels, true)
}
