//! Tests of alerts on the best or the worst of several replicas.

use super::agreed::{Agreed, steps};
use super::subject::Subject;
use super::{labels, minutes, number_firing};
use crate::target::prometheus::view::{Input, Test};
use slosmith_plan::plan::SignalKind;
use slosmith_spec::spec::{Across, Stat};
use slosmith_text::units::{decimal, parse_decimal};

/// Adds a replica that stays without fault to the first test, or to a copy of it where the alert is silent then: what the alert does
/// tells the best of them from the worst.
pub(super) fn beside(subject: &Subject<'_>, tests: &mut Vec<Test>, step: u64) -> Option<()> {
    let label = "instance";
    let best_or_worst = subject.condition.compares().filter(|c| {
        let is_gauge = c.signal.kind() == SignalKind::Gauge;
        is_gauge && matches!(c.signal.across, Across::Max | Across::Min)
    });
    let compared: Vec<_> = best_or_worst.map(|c| &c.query.expr).collect();
    let grouped = &subject.condition.query().labels;
    if grouped.iter().any(|of| of == label) || compared.is_empty() {
        return None;
    }
    let first = tests.first_mut()?;
    let all = steps(first, step)?;
    let end = all.iter().copied().max()?;
    let alone = Agreed::of(subject, &first.input_series, step, end + 1)?;
    let at = (0..=end).find(|at| alone.is([*at], |n| n > 0))?;
    let mut inputs = first.input_series.clone();
    // Other parts see no other replica: the alert is then silent or not because of the best or the worst of them alone.
    let of_replicas = |input: &&Input| compared.iter().any(|of| labels::reads(of, &input.series));
    for input in first.input_series.iter().filter(of_replicas) {
        if let Some(series) = labels::beside(&input.series, label, "i2") {
            let values = steady(&input.values, end)?;
            inputs.push(Input { series, values });
        }
    }
    if inputs.len() == first.input_series.len() {
        return None;
    }
    let found = Agreed::of(subject, &inputs, step, end + 1)?;
    if found.agrees(&alone, &all) {
        first.input_series = inputs;
        return None;
    }
    let is_silent = |found: &Agreed| found.is(0..=end, |n| n == 0);
    let (firing, what) = match found.at(at)? {
        0 if is_silent(&found) => (0, "silent"),
        0 => return None,
        firing => (firing, "fires"),
    };
    if firing == 0 {
        // So that the mean of both is at fault, too.
        let faulty = |input: &Input| of_replicas(&input) && first.input_series.contains(input);
        let mut far = inputs.clone();
        for input in far.iter_mut().filter(|input| faulty(input)) {
            input.values = lower(&input.values);
        }
        if Agreed::of(subject, &far, step, end + 1).is_some_and(|found| is_silent(&found)) {
            inputs = far;
        }
    }
    let name = format!("{what} beside a replica without fault");
    let checks = vec![number_firing(subject.name, &[], at * step, firing)];
    let test = Test::new(name, first.interval.clone(), inputs, checks);
    tests.push(test);
    Some(())
}

/// A gauge whose second phase is lower: `0.75+0x9 0.45+0x9` becomes `0.75+0x9 0.09+0x9`.
fn lower(values: &str) -> String {
    let mut phases: Vec<_> = values.split(' ').map(str::to_owned).collect();
    let level = |phase: &String| {
        let (level, steps) = phase.split_once("+0x")?;
        Some((parse_decimal(level).ok()?, steps.to_owned()))
    };
    let levels: Option<Vec<_>> = phases.iter().map(level).collect();
    if let Some([first, (second, steps), ..]) = levels.as_deref()
        && second < &first.0
    {
        phases[1] = format!("{}+0x{steps}", decimal(second / 5));
    }
    phases.join(" ")
}

/// An alert on the mean of `up` of the best target fires, too, where each target is a new one: it is down, then up, and is replaced.
pub(super) fn replaced(subject: &Subject<'_>, tests: &[Test], step: u64) -> Option<Test> {
    let mut compares = subject.condition.compares();
    let mean = compares.find(|c| c.stat == Stat::Avg && c.signal.across == Across::Max)?;
    let is_up = mean.signal.family()?.names.newest() == "up";
    let first = tests.first().filter(|_| is_up && step == 1)?;
    let input = first.input_series.first()?;
    // Two thirds of a window each, and a third of this time up.
    let life = mean.window.mins_up() * 2 / 3;
    let (up, end) = (life / 3, subject.hold.mins_up() + 2 * mean.window.mins_up());
    let down = life.checked_sub(up).filter(|_| up > 0)?;
    let target = |n: u64| {
        let series = labels::beside(&input.series, "instance", &format!("p{n}"))?;
        let before = if n > 0 {
            format!("_x{} ", n * life)
        } else {
            String::new()
        };
        let values = format!("{before}0+0x{} 1+0x{} stale", down - 1, up - 1);
        Some(Input { series, values })
    };
    let inputs: Vec<_> = (0..end.div_ceil(life)).map_while(target).collect();
    let found = Agreed::of(subject, &inputs, step, end)?;
    let at = (0..end - 1).find(|at| found.is(*at..at + 2, |n| n > 0))? + 1;
    let name = "fires where each start is a new target";
    let inputs = inputs.into_iter().take((at / life + 1) as usize).collect();
    let checks = vec![number_firing(subject.name, &[], at, found.at(at)?)];
    Some(Test::new(name, minutes(step), inputs, checks))
}

/// The first phase of a series, for so many steps: `0 6+6x4 9+0x3` goes on as `0 6+6x…`.
fn steady(values: &str, steps: u64) -> Option<String> {
    let mut parts = values.split(' ');
    let first = parts.next()?;
    let (before, phase) = match first.contains('x') {
        true => (String::new(), first),
        false => (format!("{first} "), parts.next()?),
    };
    let (phase, _) = phase.rsplit_once('x')?;
    Some(format!("{before}{phase}x{steps}"))
}
