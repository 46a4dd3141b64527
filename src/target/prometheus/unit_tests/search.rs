//! Tests of conditions whose right minute no formula gives: parts that share series, changes that their own past soon
//! catches up with, windows longer than that past.
//!
//! Inputs are tried, and the first taken under which the rule does what they were made for.

use super::course::Course;
use super::model::{Firing, Model, Record};
use super::part::{Part, Try, course};
use super::scenario::{Faults, firing as firing_sets, holds, names};
use super::subject::Subject;
use super::{SHORT_MEMORY, firing, labels, minutes, value_is};
use crate::naming;
use crate::plan::{Condition, Plan, words};
use crate::target::prometheus::view::{ExprCheck, Input, Test};

/// How far towards the fault a part goes without there being one: as far as possible.
const SHORT_OF: [i128; 8] = [95, 85, 70, 50, 30, 15, 5, 0];

/// What was found of tests for an alert.
pub(super) enum Found {
    Tests(Vec<Test>),
    /// No input that was tried makes it fire; and what its parts did.
    None(String),
    /// Not all inputs can be tried: names or query are beyond the model, or signals that move together are asked for more.
    Unknown,
}

/// The tests of an alert.
pub(super) fn tests(plan: &Plan, subject: &Subject<'_>, step: u64) -> Found {
    let leaves = subject.condition.leaves().into_iter();
    let parts: Option<Vec<_>> = leaves.map(|leaf| Part::of(plan, leaf, step)).collect();
    let Some(parts) = parts else {
        return Found::Unknown;
    };
    let search = Search {
        plan,
        subject,
        names: names(subject.condition),
        course: course(&parts, subject.hold.mins_up().div_ceil(step)),
        parts,
        step,
    };
    match search.tests() {
        Some(tests) => Found::Tests(tests),
        None if search.is_known() => Found::None(search.why()),
        None => Found::Unknown,
    }
}

struct Search<'a> {
    plan: &'a Plan,
    subject: &'a Subject<'a>,
    parts: Vec<Part<'a>>,
    /// What the parts are called.
    names: Vec<String>,
    course: Course,
    step: u64,
}

/// What both ways to read a window agree on.
struct Agreed {
    open: Firing,
    closed: Firing,
}

impl Agreed {
    fn at(&self, step: u64) -> Option<u64> {
        let at = usize::try_from(step).ok()?;
        let (open, closed) = (self.open.get(at)?, self.closed.get(at)?);
        (open == closed).then_some(*open)
    }

    fn is(&self, steps: impl IntoIterator<Item = u64>, wanted: impl Fn(u64) -> bool) -> bool {
        steps.into_iter().all(|s| self.at(s).is_some_and(&wanted))
    }
}

impl Search<'_> {
    fn tests(&self) -> Option<Vec<Test>> {
        let condition = self.subject.condition;
        let sets = firing_sets(condition);
        let every = vec![true; self.parts.len()];
        let more = Some(every).filter(|all| holds(condition, all) && !sets.contains(all));
        let found = sets.iter().chain(&more).filter_map(|set| self.set(set));
        let tests: Vec<Test> = found.flatten().fold(Vec::new(), |mut all, test: Test| {
            if all.iter().all(|known: &Test| known.name != test.name) {
                all.push(test);
            }
            all
        });
        if tests.is_empty() {
            return None;
        }
        let more = self.excused().into_iter().chain(self.forgotten());
        Some(tests.into_iter().chain(more).collect())
    }

    /// Series that `all` misses are forgotten after its memory, while the other parts go on.
    fn forgotten(&self) -> Option<Test> {
        let leaves = self.subject.condition.leaves().into_iter().enumerate();
        let (at, absent) = leaves.into_iter().find_map(|(i, leaf)| match leaf {
            Condition::Absent(absent) => Some((i, absent)),
            _ => None,
        })?;
        let memory = absent.memory.filter(|memory| *memory <= SHORT_MEMORY)?;
        let all = vec![true; self.parts.len()];
        let mut without = all.clone();
        without[at] = false;
        let condition = self.subject.condition;
        if !holds(condition, &all) || holds(condition, &without) {
            return None;
        }
        let set = labels::of(self.plan, &absent.signal, absent.signal.family()?);
        let mut own = absent.query.labels.iter();
        let label = own.find(|label| !self.subject.labels.contains_key(*label))?;
        let value = set.get(label)?;
        let steps = memory.mins_up() / self.step;
        let hold = self.subject.hold.mins_up().div_ceil(self.step);
        let kept = self.subject.keep.mins_up().div_ceil(self.step);
        let long = Search {
            course: Course {
                fault: self.course.fault.max(steps + hold + kept + 10),
                ..self.course
            },
            parts: self.parts.clone(),
            names: self.names.clone(),
            ..*self
        };
        let states = vec![100; self.parts.len()];
        let mut tries = Try::all(&self.parts).into_iter();
        let last = self.course.history + steps - 2;
        let inputs = tries.find_map(|how| {
            let inputs = long.inputs(how, &states)?;
            long.run(&inputs)?.is([last], |n| n > 0).then_some(inputs)
        })?;
        let check = |at, fires| firing(self.subject.name, &[(label, value)], at * self.step, fires);
        let checks = vec![check(last, true), check(last + kept + 5, false)];
        Some(self.test("forgets series after a time".into(), inputs, checks))
    }

    /// True where it can be said what the rule does, and its parts be driven each by itself.
    fn is_known(&self) -> bool {
        if self.parts.len() > 1 && self.parts.iter().any(Part::is_together) {
            return false;
        }
        let states = vec![0; self.parts.len()];
        let mut tries = Try::all(&self.parts).into_iter();
        let inputs = tries.find_map(|how| self.inputs(how, &states));
        inputs.is_some_and(|inputs| self.run(&inputs).is_some())
    }

    /// What the parts did by themselves under all inputs, for the author.
    fn why(&self) -> String {
        let leaves = self.subject.condition.leaves();
        let holds = |(i, leaf): (usize, &&Condition)| {
            let mut states = vec![0; self.parts.len()];
            states[i] = 100;
            let fires = |how| {
                let inputs = self.inputs(how, &states)?;
                let found = self.run_as(leaf, &inputs, |open| self.fires_in_fault(open))?;
                let mut during = self.course.history + 1..self.course.stop();
                Some(during.any(|at| found.at(at).is_some_and(|n| n > 0)))
            };
            let mut tries = Try::all(&self.parts).into_iter();
            tries.any(|how| fires(how) == Some(true))
        };
        let held: Vec<_> = leaves.iter().enumerate().map(holds).collect();
        let those = |wanted: bool| {
            let parts = leaves.iter().zip(&held);
            let parts = parts.filter(|(_, held)| **held == wanted);
            let parts: Vec<_> = parts
                .map(|(leaf, _)| format!("\"{}\"", words::condition(leaf)))
                .collect();
            parts.join(" and ")
        };
        let hold = match self.subject.hold.as_secs() {
            0 => String::new(),
            _ => format!(" for {}", self.subject.hold),
        };
        match held.contains(&false) {
            true => format!("{} never held{hold}", those(false)),
            false if held.len() > 1 => {
                format!("{} held{hold} separately, but never together", those(true))
            }
            false => "the alert fires only where it fires without a fault, too".into(),
        }
    }

    /// Tests in which these parts are at fault.
    fn set(&self, set: &Faults) -> Option<Vec<Test>> {
        let tries = Try::all(&self.parts);
        let mut tries = tries.into_iter().filter(|t| t.first == 0 || set[t.first]);
        let states: Vec<_> = set.iter().map(|bad| if *bad { 100 } else { 0 }).collect();
        let mut seen: Vec<Vec<Input>> = Vec::new();
        let (how, fires) = tries.find_map(|how| {
            let inputs = self.inputs(how, &states)?;
            if seen.contains(&inputs) {
                return None;
            }
            seen.push(inputs.clone());
            Some((how, self.fires(set, inputs)?))
        })?;
        let mut tests = vec![fires];
        for (i, _) in set.iter().enumerate().filter(|(_, bad)| **bad) {
            let mut without = set.clone();
            without[i] = false;
            if !holds(self.subject.condition, &without) {
                tests.extend(self.near(how, &states, i));
            }
        }
        Some(tests)
    }

    /// Series of all parts, each so many hundredths of the way to its fault.
    fn inputs(&self, how: Try, states: &[i128]) -> Option<Vec<Input>> {
        let mut all: Vec<Input> = Vec::new();
        let n = self.parts.len();
        for i in (how.first..n).chain(0..how.first) {
            let part = &self.parts[i];
            if how.shared && all.iter().any(|known| part.reads(&known.series)) {
                continue;
            }
            for input in part.inputs(&self.course, states[i], how)? {
                if all.iter().all(|known| known.series != input.series) {
                    all.push(input);
                }
            }
        }
        Some(all)
    }

    fn run(&self, inputs: &[Input]) -> Option<Agreed> {
        self.run_as(self.subject.condition, inputs, |_| true)
    }

    /// What an alert on this condition would do; nothing where one way to read windows already shows what is not wanted.
    fn run_as(
        &self,
        condition: &Condition,
        inputs: &[Input],
        wanted: impl Fn(&[u64]) -> bool,
    ) -> Option<Agreed> {
        let run = |closed| {
            let steps = self.course.end() + 1;
            let mut model = Model::new(inputs, self.step, steps, closed)?;
            for (labels, expr) in &self.subject.records {
                let name = naming::BASELINE;
                model.record(&Record { name, labels, expr })?;
            }
            model.firing(
                &condition.query().expr,
                self.subject.hold,
                self.subject.keep,
            )
        };
        let open = run(false).filter(|open| wanted(open))?;
        Some(Agreed {
            open,
            closed: run(true)?,
        })
    }

    /// True where it fires during the fault, at its start or at its end.
    fn fires_in_fault(&self, firing: &[u64]) -> bool {
        let steps = (0..).zip(firing);
        let mut during =
            steps.filter(|(at, _)| (self.course.history..=self.course.stop()).contains(at));
        during.any(|(_, firing)| *firing > 0)
    }

    fn check(&self, step: u64, firing: u64) -> ExprCheck {
        let name = self.subject.name;
        let expr = format!("count(ALERTS{{alertname=\"{name}\", alertstate=\"firing\"}})");
        let count = i64::try_from(firing).ok().filter(|n| *n > 0);
        value_is(expr, step * self.step, count)
    }

    fn test(&self, name: String, inputs: Vec<Input>, checks: Vec<ExprCheck>) -> Test {
        Test {
            name,
            interval: minutes(self.step),
            input_series: inputs,
            alert_rule_test: Vec::new(),
            promql_expr_test: checks,
        }
    }

    /// Quiet before the fault, firing in it, quiet after it.
    fn fires(&self, set: &Faults, inputs: Vec<Input>) -> Option<Test> {
        let condition = self.subject.condition;
        let found = self.run_as(condition, &inputs, |open| self.fires_in_fault(open))?;
        let (start, stop, end) = (self.course.history, self.course.stop(), self.course.end());
        if !found.is(start.saturating_sub(5)..=start, |n| n == 0) {
            return None;
        }
        let fires = |at: &u64| found.at(*at).is_some_and(|n| n > 0);
        let goes_on = |at: &u64| fires(at) && found.at(at + 1) == found.at(*at);
        let during = || start + 1..stop;
        let at = during().find(goes_on).or_else(|| during().find(fires))?;
        let quiet = |at: &u64| found.is(at - 1..=*at, |n| n == 0);
        let before = (start..at).rev().find(quiet)?;
        let mut checks = vec![self.check(before, 0), self.check(at, found.at(at)?)];
        let last = (at + 1..=stop)
            .rev()
            .find(|s| found.is(at..=*s, |n| n > 0))?;
        if last > at + 1 {
            checks.push(self.check(last - 1, found.at(last - 1)?));
        }
        let reset = (last + 1..end).find(|s| found.is(*s..end, |n| n == 0));
        checks.extend(reset.map(|at| self.check(at, 0)));
        Some(self.test(self.name("fires because of", set), inputs, checks))
    }

    /// Silent all the time while one part is as near to its fault as it can be.
    fn near(&self, how: Try, states: &[i128], part: usize) -> Option<Test> {
        SHORT_OF.into_iter().find_map(|share| {
            let mut states = states.to_vec();
            states[part] = share;
            let inputs = self.inputs(how, &states)?;
            let condition = self.subject.condition;
            let found = self.run_as(condition, &inputs, |open| !self.fires_in_fault(open))?;
            let (start, stop) = (self.course.history, self.course.stop());
            if !found.is(start..=stop, |n| n == 0) {
                return None;
            }
            let middle = (start + stop) / 2;
            let checks = vec![self.check(middle, 0), self.check(stop, 0)];
            let name = format!(
                "silent while only {} is just short of its threshold",
                self.names[part]
            );
            Some(self.test(name, inputs, checks))
        })
    }

    /// Silent while the first part of an `unless` would fire, and the second holds.
    fn excused(&self) -> Option<Test> {
        let Condition::Unless(parts, _) = self.subject.condition else {
            return None;
        };
        let states = vec![100; self.parts.len()];
        let (start, stop) = (self.course.history, self.course.stop());
        Try::all(&self.parts).into_iter().find_map(|how| {
            let inputs = self.inputs(how, &states)?;
            let own = self.run_as(&parts[0], &inputs, |open| self.fires_in_fault(open))?;
            let whole = self.run(&inputs)?;
            let excused =
                |at: &u64| own.is(*at..=at + 1, |n| n > 0) && whole.is(start..=at + 1, |n| n == 0);
            let first = (start + 1..stop).find(excused)?;
            let last = (first..stop).take_while(excused).last()?;
            let mut checks = vec![self.check(first, 0), self.check(last, 0)];
            checks.truncate(if first == last { 1 } else { 2 });
            Some(self.test(
                "silent while the `unless` condition holds".into(),
                inputs,
                checks,
            ))
        })
    }

    fn name(&self, what: &str, set: &Faults) -> String {
        let parts = self.names.iter().zip(set).filter(|(_, bad)| **bad);
        let parts: Vec<_> = parts.map(|(name, _)| name.as_str()).collect();
        format!("{what} {}", parts.join(" and "))
    }
}
