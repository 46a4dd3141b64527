//! Tests of alerts on conditions.

use super::absence;
use super::agreed::{self, Agreed};
use super::data;
use super::drive::{Driver, Level};
use super::labels;
use super::left_out;
use super::level::{self, Decider, Levels, busy, levels};
use super::onset::Steps;
use super::scenario::{Faults, excuses, firing as firing_sets, holds, leaves, names};
use super::search::Found;
use super::subject::Subject;
use super::{
    EXCUSED, SELDOM, Tests, firing, minutes, places, replicas, search, step_for, test_file,
};
use crate::target::Untested;
use crate::target::prometheus::annotations;
use crate::target::prometheus::view::{AlertCheck, ExpectedAlert, ExprCheck, Input, Test};
use slosmith_plan::plan::{Bound, Compare, CompareOp, Condition, Plan, SignalKind, Source};
use slosmith_spec::spec::Stat;
use slosmith_text::units::{Duration, float};

/// Adds the test file of one alert, or says why there is none.
pub(super) fn file(plan: &Plan, subject: &Subject<'_>, out: &mut Tests) {
    let step = step(subject);
    let data = subject.condition.slo_data();
    let plain = match subject.condition {
        _ if data.is_some() => data.map(|data| data::tests(plan, subject, data)),
        Condition::Absent(absent) => {
            let of_memory = search::of_memory(plan, subject, step);
            let test = absence::test(plan, subject, absent);
            let tests = |test| [test].into_iter().chain(of_memory.into_iter().flatten());
            test.map(|test| (tests(test).collect(), Vec::new()))
        }
        _ => tests(plan, subject, step).map(|tests| (tests, Vec::new())),
    };
    let found = match plain {
        Some((tests, of_memory)) => Found::Tests(tests, of_memory),
        None => search::tests(plan, subject, step),
    };
    let name = subject.name;
    match found {
        Found::Tests(mut tests, of_memory) => {
            if subject.condition.slo_data().is_none() {
                left_out::add(subject, &mut tests, step);
            }
            replicas::beside(subject, &mut tests, step);
            tests.extend(replicas::replaced(subject, &tests, step));
            tests.extend(places::apart(subject, &tests, step));
            for test in &mut tests {
                left_out::join_checks(subject, test, step);
            }
            let rules = [subject.rule_file.clone()];
            let (file, title) = (subject.test_name.clone(), format!("{name}."));
            out.files.push(test_file(file, title, &rules, step, tests));
            if !of_memory.is_empty() {
                let (file, title) = super::of_memory(&subject.test_name, name);
                out.files.push(test_file(file, title, &rules, SELDOM, of_memory));
            }
        }
        _ if is_authors(subject.condition) => out.notes.push(format!(
            "no unit test for `{name}`: slosmith cannot predict the result of PromQL from the spec"
        )),
        _ if is_short(subject.condition) => out.notes.push(format!(
            "no unit test for `{name}`: a window below 2m has too few samples (tests have one sample per minute)"
        )),
        Found::Unknown => out.notes.push(format!(
            "no unit test for `{name}`: too many combinations of inputs to try"
        )),
        Found::None(why) => out.untested.push(Untested {
            alert: name.to_owned(),
            why,
        }),
    }
}

/// True where a window holds no two samples of a test.
fn is_short(condition: &Condition) -> bool {
    let is_short = |c: &Compare| !c.signal.is_instant(c.stat) && c.window < Duration::from_mins(2);
    condition.compares().any(is_short)
}

/// True where a part is PromQL by the author.
fn is_authors(condition: &Condition) -> bool {
    condition.leaves().into_iter().any(|leaf| match leaf {
        Condition::Compare(c) => c.signal.has_own_promql(),
        Condition::Raw(r) => match &r.correlated {
            Some(correlated) => {
                let mut read = correlated.of.iter();
                read.any(|reading| reading.signal.has_own_promql())
            }
            None => true,
        },
        _ => false,
    })
}

/// The tests of an alert, again for each limit beside a usual range.
fn tests(plan: &Plan, subject: &Subject<'_>, step: u64) -> Option<Vec<Test>> {
    let tests = |decider| Setting::new(plan, subject, step, decider).and_then(|s| s.tests());
    let mut all = tests(Decider::Range)?;
    for (op, field) in [
        (CompareOp::Above, "and_above"),
        (CompareOp::Below, "and_below"),
    ] {
        if leaves(subject.condition)?.iter().any(|c| is_limited(c, op)) {
            let named = |test: Test| Test {
                name: format!("{}, by `{field}`", test.name),
                ..test
            };
            all.extend(tests(Decider::Limit(op))?.into_iter().map(named));
        }
    }
    Some(all)
}

/// Minutes of a past for each minute of a step: promtool evaluates all of it.
const LONG_PAST: u64 = 2_000;

/// Hundredths of a threshold that are far beyond it.
const FAR: i128 = 1_000;

/// Steps of a fault whose samples are written one by one.
const SHORT: u64 = 20;

/// True where a usual range has a limit beside it on a side.
fn is_limited(c: &Compare, side: CompareOp) -> bool {
    match &c.bound {
        Bound::Outside(o) => o.sides().any(|(op, limit)| op == side && limit.is_some()),
        Bound::Fixed(..) | Bound::Times(..) => false,
    }
}

/// Minutes of a step: 1, or as many as keep the longest query within what promtool loads; with a past of days, three in the
/// shortest window.
fn step(subject: &Subject<'_>) -> u64 {
    let shortest = leaves(subject.condition)
        .into_iter()
        .flatten()
        .map(|c| c.window)
        .chain([subject.hold])
        .min();
    let shortest = shortest.unwrap_or_default().mins_up();
    let of = |c: &Compare| {
        let series = match (c.stat, c.signal.family()) {
            (Stat::Quantile(_), Some(family)) => family.buckets.len().max(3) as u64 + 1,
            _ => 2,
        };
        let past = c.bound.past().unwrap_or_default();
        let long = past.mins_up().div_ceil(LONG_PAST).min(shortest / 3);
        step_for(c.window, series).max(step_for(past, 1)).max(long)
    };
    subject.condition.compares().map(of).max().unwrap_or(1)
}

/// Everything the scenarios of one alert share.
struct Setting<'a> {
    subject: &'a Subject<'a>,
    driver: Driver<'a>,
    leaves: Vec<(&'a Compare, Levels)>,
    /// Steps of good history.
    history: u64,
    /// Steps of the fault, enough for every window to be full of it.
    fault: u64,
    /// Steps of a fault after which it may have become usual.
    stays: u64,
    /// Steps after it.
    after: u64,
}

/// Steps of a window.
fn window_steps(c: &Compare, step: u64) -> u64 {
    c.window.mins_up().div_ceil(step)
}

/// What one leaf does while the fault lasts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Good,
    Bad,
    /// To the end of the test.
    Stays,
    Near,
    /// Far beyond its threshold, and just short of it after the fault.
    Ends,
    Idle,
}

impl<'a> Setting<'a> {
    fn new(plan: &'a Plan, subject: &'a Subject<'a>, step: u64, decider: Decider) -> Option<Self> {
        let leaves: Vec<_> = leaves(subject.condition)?
            .into_iter()
            .map(|c| Some((c, levels(c, step, decider)?)))
            .collect::<Option<_>>()?;
        // The newest value has no window that must fill.
        let window = |c: &Compare| match c.signal.is_instant(c.stat) {
            true => 0,
            false => window_steps(c, step),
        };
        let widest = leaves.iter().map(|(c, _)| window(c)).max().unwrap_or(0);
        let history = leaves.iter().map(|(_, l)| l.history).max().unwrap_or(0);
        let onset = leaves
            .iter()
            .map(|(_, l)| l.onset.latest)
            .max()
            .unwrap_or(1);
        let reset = leaves
            .iter()
            .map(|(_, l)| l.reset.latest)
            .max()
            .unwrap_or(1);
        let hold = subject.hold.mins_up().div_ceil(step);
        let excused = excuses(subject.condition).contains(&true);
        // The usual range leaves out what may belong to the fault.
        let unusual = |(c, _): &(&Compare, Levels)| matches!(c.bound, Bound::Outside(_));
        let left_out = match leaves.iter().any(unusual) {
            true => hold + widest + 5,
            false => 0,
        };
        let fault = onset.max(widest + 2) + hold + 2;
        // A fault that becomes usual while it lasts shows nothing.
        let stays = |(c, l): &(&Compare, Levels)| match c.bound {
            Bound::Outside(_) => hold + window_steps(c, step) + 5,
            Bound::Fixed(..) | Bound::Times(..) => l.stays,
        };
        let stays = leaves.iter().map(stays).min().unwrap_or(u64::MAX);
        if stays < fault {
            return None;
        }
        Some(Self {
            subject,
            driver: Driver { plan, step },
            leaves,
            history: history + left_out + widest + 5,
            fault,
            stays,
            after: reset
                + subject.keep.as_secs().div_ceil(step * 60)
                + if excused { hold + 4 } else { 3 },
        })
    }

    fn tests(&self) -> Option<Vec<Test>> {
        let sets = firing_sets(self.subject.condition);
        let mut tests = Vec::new();
        for faults in &sets {
            tests.push(self.fires(faults, sets.len() > 1)?);
            tests.extend(self.longest_window(faults));
        }
        tests.extend(self.silent_near(&sets)?);
        tests.extend(self.silent_both(&sets, &tests[0])?);
        tests.extend(self.excuse_ends(&sets[0]));
        if self.idle_is_silent() {
            let state = |c: &Compare| {
                if is_traffic(c) {
                    State::Idle
                } else {
                    State::Bad
                }
            };
            let states: Vec<_> = self.leaves.iter().map(|(c, _)| state(c)).collect();
            tests.push(self.silent("silent without traffic", &states, true)?);
        }
        if let [(c, _)] = &self.leaves[..]
            && c.signal.kind() == SignalKind::Ratio
            && matches!(&c.bound, Bound::Fixed(op, ..) if op.is_upper())
        {
            let name = "silent while the counter of the part has no series";
            tests.push(self.silent(name, &[State::Bad], false)?);
        }
        Some(tests)
    }

    /// Minute of a step after the last good sample.
    fn minute(&self, steps: u64) -> u64 {
        (self.history + steps) * self.driver.step
    }

    fn hold(&self) -> (u64, u64) {
        self.steps(self.subject.hold)
    }

    /// The steps within a time, and those that it takes.
    fn steps(&self, time: Duration) -> (u64, u64) {
        let step = self.driver.step * 60;
        (time.as_secs() / step, time.as_secs().div_ceil(step))
    }

    fn names(&self) -> Vec<String> {
        names(self.subject.condition)
    }

    fn fires(&self, faults: &Faults, several: bool) -> Option<Test> {
        let state = |bad: &bool| if *bad { State::Bad } else { State::Good };
        let together: Vec<_> = faults.iter().map(state).collect();
        let later = self.longest_ends(&together, |c| c.signal.is_instant(c.stat));
        let (inputs, states) = [self.nearly_excused(&later), later, together]
            .into_iter()
            .find_map(|states| Some((self.inputs(&states, true)?, states)))?;
        let bad = || self.leaves.iter().zip(faults).filter(|(_, bad)| **bad);
        let onset = bad().fold(Steps::NEXT, |s, ((_, l), _)| s.and(l.onset));
        let end = self.leaves.iter().zip(states);
        let end = end.filter(|(_, state)| *state == State::Bad);
        let reset = end.map(|((_, l), _)| l.reset).reduce(Steps::or)?;
        let (least, most) = self.hold();
        let check = |steps, fires| firing(self.subject.name, &[], self.minute(steps), fires);
        let onset = [onset.earliest + least - 1, onset.latest + most];
        let [silent, fires] = self.exact_onset(&inputs, onset).unwrap_or(onset);
        let mut checks = vec![check(silent, false), check(fires, true)];
        let (kept, ended) = self.steps(self.subject.keep);
        let last = self.fault + reset.earliest - 1;
        if reset.earliest + kept > 1 && last < self.stays {
            checks.push(check(last + kept, true));
        }
        checks.push(check(self.fault + reset.latest + ended, false));
        let which = faults.iter().position(|bad| *bad).filter(|_| several);
        let name = match which {
            Some(which) => format!("fires because of {}", self.names()[which]),
            None => "fires at the right minute and resets".to_owned(),
        };
        Some(Test {
            alert_rule_test: self.shown(faults).into_iter().collect(),
            ..self.test(name, inputs, checks)
        })
    }

    fn test(&self, name: impl Into<String>, inputs: Vec<Input>, checks: Vec<ExprCheck>) -> Test {
        Test::new(name, minutes(self.driver.step), inputs, checks)
    }

    /// The last step of the fault at which the alert is surely silent, and the first at which it surely fires, for fixed thresholds. The
    /// first and the last sample of a window make a rate a little more or less.
    fn exact_onset(&self, inputs: &[Input], formula: [u64; 2]) -> Option<[u64; 2]> {
        let is_fixed = |(c, _): &(&Compare, Levels)| matches!(c.bound, Bound::Fixed(..));
        if !self.leaves.iter().all(is_fixed) {
            return None;
        }
        let is_gauge = |(c, _): &(&Compare, Levels)| c.signal.kind() == SignalKind::Gauge;
        let slack = u64::from(!self.leaves.iter().all(is_gauge));
        let stop = self.history + self.fault;
        let found = Agreed::of(self.subject, inputs, self.driver.step, stop + 1)?;
        let is = |step: u64, firing: u64| found.is([step], |n| n.min(1) == firing);
        let fires = (self.history..=stop).find(|step| is(*step, 1))?;
        let silent = (self.history..fires).rev().find(|step| is(*step, 0))?;
        let [silent, fires] = [silent - self.history, fires - self.history];
        Some([
            silent.saturating_sub(slack).max(formula[0]),
            (fires + slack).min(formula[1]),
        ])
    }

    /// The second part of an `unless` is just short of its threshold.
    fn nearly_excused(&self, states: &[State]) -> Vec<State> {
        let excuses = excuses(self.subject.condition);
        let near = |(excuses, state): (bool, &State)| if excuses { State::Near } else { *state };
        excuses.into_iter().zip(states).map(near).collect()
    }

    /// The part with the longest window ends, and those of shorter ones that this would be hidden by stay bad: of these parts.
    fn longest_ends(&self, states: &[State], stays: impl Fn(&Compare) -> bool) -> Vec<State> {
        let is_bad = |state: &State| *state == State::Bad;
        let bad = self.leaves.iter().zip(states);
        let bad = bad.filter(|(_, state)| is_bad(state));
        let last = bad.map(|((_, l), _)| l.reset.earliest).max().unwrap_or(0);
        let state = |((c, l), state): (&(&Compare, Levels), &State)| {
            let is_fixed = matches!(c.bound, Bound::Fixed(..));
            match is_bad(state) && is_fixed && l.reset.latest < last && stays(c) {
                true => State::Stays,
                false => *state,
            }
        };
        self.leaves.iter().zip(states).map(state).collect()
    }

    /// The alert goes on for the longest window, which a shorter one hides where all parts end together.
    fn longest_window(&self, faults: &Faults) -> Option<Test> {
        let state = |bad: &bool| if *bad { State::Bad } else { State::Good };
        let together: Vec<_> = faults.iter().map(state).collect();
        let states = self.longest_ends(&together, |_| true);
        let mut hidden = self.leaves.iter().zip(&states);
        let is_window = |c: &Compare| !c.signal.is_instant(c.stat);
        if !hidden.any(|((c, _), state)| *state == State::Stays && is_window(c)) {
            return None;
        }
        let end = self.leaves.iter().zip(&states);
        let end = end.filter(|(_, state)| **state == State::Bad);
        let reset = end.map(|((_, l), _)| l.reset).reduce(Steps::or)?;
        let (kept, ended) = self.steps(self.subject.keep);
        let check = |steps, fires| firing(self.subject.name, &[], self.minute(steps), fires);
        let last = self.fault + reset.earliest - 1;
        (last < self.stays).then_some(())?;
        let checks = vec![
            check(last + kept, true),
            check(self.fault + reset.latest + ended, false),
        ];
        let inputs = self.inputs(&states, true)?;
        Some(self.test("goes on for its longest window", inputs, checks))
    }

    /// The alert as the on-call person sees it at the end of the fault.
    fn shown(&self, faults: &Faults) -> Option<AlertCheck> {
        let leading = self.subject.condition.leading().compare();
        let (c, levels) = self.leaves.iter().zip(faults).find(|(_, bad)| **bad)?.0;
        if !leading.is_some_and(|leading| std::ptr::eq(leading, *c)) {
            return None;
        }
        let value = float(levels.bad);
        let family = match &c.signal.source {
            Source::Ratio { of, .. } => (of.family()?, &**of),
            _ => (c.signal.family()?, &c.signal),
        };
        let set = labels::of(self.driver.plan, family.1, family.0);
        let mut expected = self.subject.labels.clone();
        // Parts of an `any` may be grouped in different ways: each keeps its own labels.
        for label in &c.query.labels {
            expected.insert(label.clone(), set.get(label)?.clone());
        }
        let expected = annotations::shown_labels(&expected)?;
        let texts = &self.subject.annotations;
        let annotations = match c.signal.is_instant(c.stat) {
            true => texts.shown(value, &expected)?,
            false => texts.shown_about(value, &expected)?,
        };
        Some(AlertCheck {
            eval_time: minutes(self.minute(self.fault)),
            alertname: self.subject.name.to_owned(),
            exp_alerts: vec![ExpectedAlert {
                exp_labels: expected,
                exp_annotations: annotations,
            }],
        })
    }

    /// Each leaf just short of its threshold while the others are bad.
    fn silent_near(&self, sets: &[Faults]) -> Option<Vec<Test>> {
        let mut tests: Vec<Test> = Vec::new();
        for faults in sets {
            for i in (0..faults.len()).filter(|i| faults[*i]) {
                let mut without = faults.clone();
                without[i] = false;
                if holds(self.subject.condition, &without) {
                    continue;
                }
                let state = |(j, bad): (usize, &bool)| match bad {
                    _ if j == i => State::Near,
                    true => State::Bad,
                    false => State::Good,
                };
                let states: Vec<_> = faults.iter().enumerate().map(state).collect();
                let name = if faults.len() == 1 {
                    "silent just short of the threshold".to_owned()
                } else {
                    format!(
                        "silent while {} is just short of its threshold",
                        self.names()[i]
                    )
                };
                if tests.iter().all(|t| t.name != name) {
                    let mut test = self.silent(&name, &states, true)?;
                    // A value that stays is nowhere nearer to its threshold than at the end.
                    test.promql_expr_test.reverse();
                    test.promql_expr_test.truncate(1);
                    tests.push(test);
                }
            }
        }
        Some(tests)
    }

    /// All leaves bad, where that does not fire: the second part of an `unless`.
    fn silent_both(&self, sets: &[Faults], fires: &Test) -> Option<Option<Test>> {
        let all = vec![true; sets.first().map_or(0, Vec::len)];
        if holds(self.subject.condition, &all) {
            return Some(None);
        }
        let states = vec![State::Bad; all.len()];
        // Until the excuse holds too, the rest may fire.
        let onset = self.leaves.iter().map(|(_, l)| l.onset.latest).max();
        let mut test = self.silent_from(onset?, EXCUSED, &states, true)?;
        // As soon as the first part alone would fire, where the second one holds by then.
        let soon = *agreed::steps(fires, self.driver.step)?.get(1)?;
        let inputs = &test.input_series;
        let found = Agreed::of(self.subject, inputs, self.driver.step, soon + 1);
        if found.is_some_and(|found| found.is([soon], |n| n == 0)) {
            let at = soon * self.driver.step;
            test.promql_expr_test[0] = firing(self.subject.name, &[], at, false);
        }
        Some(Some(test))
    }

    /// The second part of an `unless` ends, while the first one goes on: how long its window is.
    fn excuse_ends(&self, faults: &Faults) -> Option<Test> {
        let excuses = excuses(self.subject.condition);
        let has_window = |((c, _), excuses): (&(&Compare, Levels), &bool)| {
            *excuses && matches!(c.bound, Bound::Fixed(..)) && !c.signal.is_instant(c.stat)
        };
        if !self.leaves.iter().zip(&excuses).any(has_window) {
            return None;
        }
        let state = |(bad, excuses)| match (bad, excuses) {
            (_, true) => State::Ends,
            (true, false) => State::Stays,
            (false, false) => State::Good,
        };
        let states: Vec<_> = faults.iter().copied().zip(excuses).map(state).collect();
        let inputs = self.inputs(&states, true)?;
        let end = self.history + self.fault;
        let last = end + self.after - 1;
        let found = Agreed::of(self.subject, &inputs, self.driver.step, last + 1)?;
        let fires = (end..=last).find(|step| found.is([*step], |n| n > 0))?;
        let silent = (end..fires)
            .rev()
            .find(|step| found.is([*step], |n| n == 0))?;
        let check = |step, fires| firing(self.subject.name, &[], step * self.driver.step, fires);
        let checks = vec![check(silent, false), check(fires, true)];
        Some(self.test("fires when the `unless` condition ends", inputs, checks))
    }

    fn silent(&self, name: &str, states: &[State], parts: bool) -> Option<Test> {
        self.silent_from(1, name, states, parts)
    }

    /// Silent that many steps into the fault and after its holding time, and at its end.
    fn silent_from(&self, step: u64, name: &str, states: &[State], parts: bool) -> Option<Test> {
        let (_, most) = self.hold();
        let at = |steps| firing(self.subject.name, &[], self.minute(steps), false);
        let mut checks = vec![at(self.fault)];
        if step + most < self.fault {
            checks.insert(0, at(step + most));
        }
        Some(self.test(name, self.inputs(states, parts)?, checks))
    }

    /// True when the alert must not fire once all traffic has stopped.
    fn idle_is_silent(&self) -> bool {
        let silent: Vec<_> = self.leaves.iter().map(|(c, _)| !is_traffic(c)).collect();
        silent.contains(&false)
            && !holds(self.subject.condition, &silent)
            && self
                .leaves
                .iter()
                .all(|(c, _)| !is_traffic(c) || quiet_when_idle(c))
    }

    fn inputs(&self, states: &[State], parts: bool) -> Option<Vec<Input>> {
        let mut all: Vec<Input> = Vec::new();
        let mut own: Vec<Vec<String>> = Vec::new();
        for ((c, l), state) in self.leaves.iter().zip(states) {
            let series = self.driver.compare(c, &self.phases(c, l, *state), parts)?;
            own.push(series.iter().map(|input| input.series.clone()).collect());
            for input in series {
                match all.iter().find(|known| known.series == input.series) {
                    None => all.push(input),
                    Some(known) if known.values == input.values => {}
                    // Two leaves want the same series to do different things.
                    Some(_) => return None,
                }
            }
        }
        // What one leaf is driven with must not be read by another.
        let mixed = self.leaves.iter().zip(own).any(|((c, _), own)| {
            let mut others = all.iter().filter(|input| !own.contains(&input.series));
            others.any(|input| labels::reads(&c.query.expr, &input.series))
        });
        (!mixed).then_some(all)
    }

    fn phases(&self, c: &Compare, l: &Levels, state: State) -> Vec<Level> {
        let mut phases = match l.swing {
            None => vec![Level::new(self.history, l.good)],
            Some((blocks, low, high)) => blocks.between(self.history, low, high),
        };
        let during = |level| Level::new(self.fault, level).busy(busy(c));
        if state == State::Near && self.fault <= SHORT && alternates(c) {
            // A value that is at fault at times: the lowest of a window is not, and the highest is.
            let level = |step| if step % 2 == 0 { l.near } else { l.bad };
            phases.extend((0..self.fault).map(|step| Level::new(1, level(step))));
            phases.push(Level::new(self.after, l.good));
            return phases;
        }
        phases.push(match state {
            State::Good => during(l.good),
            State::Bad | State::Stays => during(l.bad),
            State::Ends => {
                let far = level::apart(c, FAR, false);
                during(far.map_or(l.bad, |(_, bad, _)| bad))
            }
            State::Near => during(l.near),
            State::Idle => Level::idle(self.fault),
        });
        phases.push(match state {
            State::Stays => Level::new(self.after, l.bad).busy(busy(c)),
            State::Ends => Level::new(self.after, l.near),
            _ => Level::new(self.after, l.good),
        });
        phases
    }
}

/// True where a condition asks for the lowest value to be high, or for the highest one to be low.
fn alternates(c: &Compare) -> bool {
    match (&c.bound, c.stat) {
        (Bound::Fixed(op, ..), Stat::Min) => op.is_upper(),
        (Bound::Fixed(op, ..), Stat::Max) => !op.is_upper(),
        _ => false,
    }
}

/// True when the signal counts requests or the like.
fn is_traffic(c: &Compare) -> bool {
    match c.signal.kind() {
        SignalKind::Counter | SignalKind::Histogram => true,
        SignalKind::Gauge => false,
        SignalKind::Ratio => match &c.signal.source {
            Source::Ratio { of, .. } => of.kind() != SignalKind::Gauge,
            _ => false,
        },
    }
}

/// A plain rate below a threshold is what no traffic looks like; all others say nothing.
fn quiet_when_idle(c: &Compare) -> bool {
    let upper = match &c.bound {
        Bound::Fixed(op, ..) | Bound::Times(op, ..) => op.is_upper(),
        Bound::Outside(o) => o.side == slosmith_spec::spec::Side::High,
    };
    let plain = matches!(c.stat, Stat::Rate | Stat::Increase);
    upper || !plain
}
