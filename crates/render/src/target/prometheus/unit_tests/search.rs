//! Tests of conditions whose right minute no formula gives: parts that share series, changes that their own past soon
//! catches up with, windows longer than that past.
//!
//! Inputs are tried, and the first taken under which the rule does what they were made for.

use super::agreed::{Agreed, model, model_every};
use super::course::Course;
use super::part::{Part, Shape, Try, course};
use super::scenario::{Faults, firing as firing_sets, holds, names};
use super::subject::Subject;
use super::{EXCUSED, SELDOM, SHORT_MEMORY, firing, labels, minutes, number_firing, values};
use crate::target::prometheus::annotations;
use crate::target::prometheus::view::{AlertCheck, ExpectedAlert, ExprCheck, Input, Test};
use slosmith_plan::plan::{Bound, Condition, Plan, SignalKind, words};
use slosmith_promql::sampled::{Firing, Labels};
use slosmith_spec::spec::Stat;
use slosmith_text::units::Unit;

/// How far towards the fault a part goes without there being one: as far as possible.
const SHORT_OF: [i128; 8] = [95, 85, 70, 50, 30, 15, 5, 0];

/// What was found of tests for an alert; those of its memory have an evaluation every `SELDOM` minutes.
pub(super) enum Found {
    Tests(Vec<Test>, Vec<Test>),
    /// No input that was tried makes it fire; and what its parts did.
    None(String),
    /// Not all inputs can be tried: names or query are beyond the model, or signals that move together are asked for more.
    Unknown,
}

/// The tests of an alert.
pub(super) fn tests(plan: &Plan, subject: &Subject<'_>, step: u64) -> Found {
    let Some(search) = Search::new(plan, subject, step) else {
        return Found::Unknown;
    };
    match search.tests() {
        Some(tests) => Found::Tests(
            tests,
            search.forgotten(SELDOM).into_iter().flatten().collect(),
        ),
        None if search.is_known() => Found::None(search.why()),
        None => Found::Unknown,
    }
}

/// The tests of the memory of an alert on missing series alone, evaluated as its other tests.
pub(super) fn of_memory(plan: &Plan, subject: &Subject<'_>, step: u64) -> Option<[Test; 2]> {
    Search::new(plan, subject, step)?.forgotten(step)
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

impl<'a> Search<'a> {
    /// `None` where a part cannot be driven.
    fn new(plan: &'a Plan, subject: &'a Subject<'a>, step: u64) -> Option<Self> {
        let leaves = subject.condition.leaves().into_iter();
        let parts: Option<Vec<_>> = leaves.map(|leaf| Part::of(plan, leaf, step)).collect();
        let parts = parts?;
        Some(Self {
            plan,
            subject,
            names: names(subject.condition),
            course: {
                let [hold, keep] =
                    [subject.hold, subject.keep].map(|time| time.mins_up().div_ceil(step));
                course(&parts, hold, keep)
            },
            parts,
            step,
        })
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
            let is_new =
                |known: &Test| known.name != test.name && known.input_series != test.input_series;
            if all.iter().all(is_new) {
                all.push(test);
            }
            all
        });
        if tests.is_empty() {
            return None;
        }
        let more = self.excused().into_iter().chain(self.unseen());
        Some(tests.into_iter().chain(more).collect())
    }

    /// Series that are missing are forgotten after the memory if another label set has series, while the other parts go on.
    fn forgotten(&self, every: u64) -> Option<[Test; 2]> {
        let leaves = self.subject.condition.leaves().into_iter().enumerate();
        let (at, absent) = leaves.into_iter().find_map(|(i, leaf)| match leaf {
            Condition::Absent(absent) => Some((i, absent)),
            _ => None,
        })?;
        let memory = absent.memory.filter(|memory| *memory <= SHORT_MEMORY)?;
        let needs = |set: &&Faults| {
            let mut without = (*set).clone();
            without[at] = false;
            set[at] && !holds(self.subject.condition, &without)
        };
        let sets = firing_sets(self.subject.condition);
        let faults = sets.iter().find(needs)?;
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
        let states: Vec<_> = faults.iter().map(|bad| i128::from(*bad) * 100).collect();
        let mut tries = self.tries().into_iter();
        let last = self.course.history + steps - 2;
        let inputs = tries.find_map(|how| {
            let inputs = long.inputs(how, &states)?;
            long.run(&inputs)?.is([last], |n| n > 0).then_some(inputs)
        })?;
        let check = |at, fires| firing(self.subject.name, &[(label, value)], at, fires);
        let mut lost = inputs.iter();
        let lost = lost.find(|input| self.parts[at].reads(&input.series))?;
        let mut two = inputs.clone();
        two.push(Input {
            series: labels::beside(&lost.series, label, labels::OTHER)?,
            values: format!("1+0x{}", long.course.end() * self.step),
        });
        // As the rules are evaluated in this test.
        let over = ((last + kept + 5) * self.step).next_multiple_of(every);
        let does = |inputs: &[Input]| {
            let run = |closed| self.seldom(inputs, every, long.course.end() + 1, closed);
            Some([run(false)?, run(true)?])
        };
        let (forgets, remembers) = (does(&two)?, does(&inputs)?);
        let fires = |of: &[Firing; 2], at: u64| {
            let at = usize::try_from(at / every).ok()?;
            let [open, closed] = of.each_ref().map(|run| run.get(at).map(|n| *n > 0));
            open.filter(|_| open == closed)
        };
        let mut before = (0..over / every).rev().map(|at| at * every);
        let last = before.find(|at| fires(&forgets, *at) == Some(true))?;
        let is_as_told =
            fires(&forgets, over) == Some(false) && fires(&remembers, over) == Some(true);
        is_as_told.then_some(())?;
        let checks = vec![check(last, true), check(over, false)];
        let forgets = "forgets series after a time, while others exist";
        let remembers = "remembers series while none exists";
        Some([
            self.test(forgets.into(), two, checks),
            self.test(remembers.into(), inputs, vec![check(over, true)]),
        ])
    }

    /// What the alert does under these inputs, with an evaluation every so many minutes.
    fn seldom(&self, inputs: &[Input], every: u64, steps: u64, closed: bool) -> Option<Firing> {
        let every = every.checked_div(self.step).filter(|every| *every > 0)?;
        let every = usize::try_from(every).ok()?;
        let model = model_every(self.subject, inputs, (self.step, every), steps, closed)?;
        model.firing(
            &self.subject.condition.query().expr,
            self.subject.hold,
            self.subject.keep,
        )
    }

    /// Fires where a part never had series.
    fn unseen(&self) -> Option<Test> {
        let leaves = self.subject.condition.leaves().into_iter().enumerate();
        leaves.into_iter().find_map(|(i, leaf)| {
            let Condition::Absent(absent) = leaf else {
                return None;
            };
            let sets = firing_sets(self.subject.condition);
            let set = sets.iter().find(|set| set[i])?;
            let states: Vec<_> = set.iter().map(|bad| i128::from(*bad) * 100).collect();
            self.tries().into_iter().find_map(|how| {
                let mut inputs = self.inputs(how, &states)?;
                inputs.retain(|input| !self.parts[i].reads(&input.series));
                let found = self.run(&inputs)?;
                let fires = |at: &u64| found.is(*at..at + 2, |n| n > 0);
                let at = (1..self.course.stop()).find(fires)?;
                let quiet = |at: &u64| found.is([*at], |n| n == 0);
                let before = (0..at).rev().find(quiet);
                let mut checks: Vec<_> = before.map(|at| self.check(at, 0)).into_iter().collect();
                checks.push(self.check(at, found.at(at)?));
                let name = format!("fires where {} never had series", absent.signal.title);
                Some(self.shown(self.test(name, inputs, checks), at, found.at(at)?))
            })
        })
    }

    /// The test with the alerts as they are sent at a step; where their texts are not known, with their labels.
    fn shown(&self, mut test: Test, at: u64, firing: u64) -> Test {
        match self.sent(&test.input_series, at) {
            Some(sent) => {
                test.alert_rule_test.push(AlertCheck {
                    eval_time: minutes(at * self.step),
                    alertname: self.subject.name.to_owned(),
                    exp_alerts: sent,
                });
            }
            None => {
                let own = self.subject.labels.iter();
                let own = own.filter(|(_, value)| !value.contains("{{"));
                let own: Vec<_> = own.map(|(k, v)| (k.as_str(), v.as_str())).collect();
                let check = number_firing(self.subject.name, &own, at * self.step, firing);
                test.promql_expr_test.push(check);
            }
        }
        test
    }

    /// The alerts at a step; `None` where their values are not exactly known, and their texts have them.
    fn sent(&self, inputs: &[Input], at: u64) -> Option<Vec<ExpectedAlert>> {
        let seconds = i64::try_from(at * self.step * 60).ok()?;
        let condition = self.subject.condition;
        let elements = |closed| {
            let model = model(self.subject, inputs, self.step, at + 1, closed)?;
            let firing = model.firing(
                &condition.query().expr,
                self.subject.hold,
                self.subject.keep,
            )?;
            let elements = model.elements(&condition.query().expr, seconds)?;
            let all = u64::try_from(elements.len()).ok();
            (firing.last().copied() == all).then_some(elements)
        };
        let near = |((ours, a), (theirs, b)): (&(Labels, f64), &(Labels, f64))| {
            ours == theirs && (a == b || (a - b).abs() <= a.abs() * annotations::HAIR)
        };
        let (open, closed) = (elements(false)?, elements(true)?);
        if open.len() != closed.len() || !open.iter().zip(&closed).all(near) {
            return None;
        }
        let is_exact = match condition.valued() {
            Some(Condition::Compare(c)) => {
                let is_gauge = c.signal.kind() == SignalKind::Gauge;
                let is_sample = matches!(c.stat, Stat::Avg | Stat::Min | Stat::Max);
                // The extrapolation of both sides is the same.
                let is_ratio = c.signal.kind() == SignalKind::Ratio;
                c.signal.is_instant(c.stat) || is_gauge && is_sample || is_ratio
            }
            _ => true,
        };
        let expected = |(labels, value): (Labels, f64)| {
            let mut all = self.subject.labels.clone();
            all.extend(
                labels
                    .into_iter()
                    .filter(|(label, _)| !self.subject.labels.contains_key(label)),
            );
            let labels = annotations::shown_labels(&all)?;
            let texts = &self.subject.annotations;
            let shown = texts.shown_about(value, &labels)?;
            let other = || texts.shown(value * 7.0 + 3.0, &labels);
            (is_exact || other().as_ref() == Some(&shown)).then_some(ExpectedAlert {
                exp_labels: labels,
                exp_annotations: shown,
            })
        };
        open.into_iter().map(expected).collect()
    }

    /// True where it can be said what the rule does, and its parts be driven each by itself.
    fn is_known(&self) -> bool {
        if self.parts.len() > 1 && self.parts.iter().any(Part::is_together) {
            return false;
        }
        let states = vec![0; self.parts.len()];
        let mut tries = self.tries().into_iter();
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
            let mut tries = self.tries().into_iter();
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
            false if matches!(self.subject.condition, Condition::Unless(..)) => {
                format!("the conditions held{hold} only while the `unless` condition held, too")
            }
            false if held.len() > 1 => {
                format!("{} held{hold} separately, but never together", those(true))
            }
            false => "the alert fires only where it fires without a fault, too".into(),
        }
    }

    /// Tests in which these parts are at fault.
    fn set(&self, set: &Faults) -> Option<Vec<Test>> {
        let tries = self.tries();
        let is_fading = |t: &Try| t.shape == Shape::Fading;
        let mut tries = tries
            .into_iter()
            .filter(|t| t.first == 0 || set[t.first] || is_fading(t));
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

    /// All ways to try inputs: first those in which a part says how many events another has the ratio of, and those with another replica
    /// last.
    fn tries(&self) -> Vec<Try> {
        let mut plain = Try::all(&self.parts);
        let mut pairs = self
            .parts
            .iter()
            .flat_map(|of| self.parts.iter().map(move |by| (by, of)));
        if pairs.any(|(by, of)| by.counts(of)) {
            let counted = plain.iter().filter(|how| {
                how.shape == Shape::Steps && !how.quiet && !how.shared && how.first == 0
            });
            let counted: Vec<_> = counted
                .map(|how| Try {
                    counted: true,
                    ..*how
                })
                .collect();
            plain.splice(0..0, counted);
        }
        let beside = plain.iter().map(|how| Try {
            beside: true,
            ..*how
        });
        let beside: Vec<_> = match self.only_of_some() {
            Some(_) => beside.collect(),
            None => Vec::new(),
        };
        plain.into_iter().chain(beside).collect()
    }

    /// A label that some parts are grouped by, and others are not.
    fn only_of_some(&self) -> Option<&String> {
        let leaves = self.subject.condition.leaves();
        let has = |label: &String, leaf: &Condition| leaf.query().labels.contains(label);
        let mut labels = leaves.iter().flat_map(|leaf| &leaf.query().labels);
        labels.find(|label| leaves.iter().any(|leaf| !has(label, leaf)))
    }

    /// Series of all parts, each so many hundredths of the way to its fault; beside them those of another value of a label, of which the
    /// parts that are grouped by it are without fault.
    fn inputs(&self, how: Try, states: &[i128]) -> Option<Vec<Input>> {
        let mut all = self.inputs_of_one(how, states)?;
        if !how.beside {
            return Some(all);
        }
        let label = self.only_of_some()?;
        let leaves = self.subject.condition.leaves();
        let is_grouped = |i: usize| leaves[i].query().labels.contains(label);
        let of_other = states.iter().enumerate();
        let of_other: Vec<_> = of_other
            .map(|(i, state)| if is_grouped(i) { 0 } else { *state })
            .collect();
        let first = (0..leaves.len()).find(|i| !is_grouped(*i))?;
        for input in self.inputs_of_one(Try { first, ..how }, &of_other)? {
            let series = labels::beside(&input.series, label, labels::OTHER);
            all.extend(series.map(|series| Input { series, ..input }));
        }
        Some(all)
    }

    fn inputs_of_one(&self, how: Try, states: &[i128]) -> Option<Vec<Input>> {
        let mut all: Vec<Input> = Vec::new();
        let n = self.parts.len();
        for i in (how.first..n).chain(0..how.first) {
            let part = &self.parts[i];
            let counts = |of: &usize| how.counted && self.parts[*of].counts(part);
            let is_counted = |of: &Part<'_>| how.counted && part.counts(of);
            if self.parts.iter().any(is_counted) {
                continue;
            }
            let counter = (0..n).find(counts);
            let events = counter.map(|of| self.parts[of].events(states[of], how));
            let events = match events {
                Some(None) => return None,
                events => events.flatten(),
            };
            if how.shared && all.iter().any(|known| part.reads(&known.series)) {
                continue;
            }
            for input in part.inputs(&self.course, states[i], how, events)? {
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
            let model = model(self.subject, inputs, self.step, steps, closed)?;
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
        number_firing(self.subject.name, &[], step * self.step, firing)
    }

    fn test(&self, name: String, inputs: Vec<Input>, checks: Vec<ExprCheck>) -> Test {
        Test::new(name, minutes(self.step), inputs, checks)
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
        let until = match self.subject.keep.as_secs() {
            0 => stop,
            _ => end - 1,
        };
        let last = (at + 1..=until)
            .rev()
            .find(|s| found.is(at..=*s, |n| n > 0))?;
        if last > at + 1 {
            checks.push(self.check(last - 1, found.at(last - 1)?));
        }
        let reset = (last + 1..end).find(|s| found.is(*s..end, |n| n == 0));
        checks.extend(reset.map(|at| self.check(at, 0)));
        // As soon as its value is known: a window that is full of the fault has an exact one.
        let sent = |at: &u64| self.sent(&inputs, *at).is_some();
        let known = [at, last].into_iter().find(sent).unwrap_or(at);
        let test = self.test(self.fires_because(set), inputs, checks);
        Some(self.shown(test, known, found.at(known)?))
    }

    /// Silent while a state that must have been seen in a window is seen too rarely: a longer window would see it always.
    fn at_times(&self, how: Try, states: &[i128], part: usize) -> Option<Test> {
        let c = self.subject.condition.leaves()[part].compare()?;
        let is_seen = match (&c.bound, c.stat) {
            (Bound::Fixed(op, ..), Stat::Min) => !op.is_upper(),
            (Bound::Fixed(op, ..), Stat::Max) => op.is_upper(),
            _ => false,
        };
        let window = c.window.mins_up().div_ceil(self.step);
        let hold = self.subject.hold.mins_up().div_ceil(self.step);
        if !is_seen || c.signal.unit != Unit::Bool || window < 2 || hold <= window + 2 {
            return None;
        }
        let mut inputs = self.inputs(how, states)?;
        let own = |input: &&mut Input| self.parts[part].reads(&input.series);
        for input in inputs.iter_mut().filter(own) {
            input.values = values::at_times(&input.values, window, hold)?;
        }
        let (start, stop) = (self.course.history, self.course.stop());
        let found = self.run(&inputs)?;
        found.is(start..=stop, |n| n == 0).then_some(())?;
        let checks = vec![self.check((start + stop) / 2, 0), self.check(stop, 0)];
        let name = format!("silent while {} is at fault at times", self.names[part]);
        Some(self.test(name, inputs, checks))
    }

    /// Silent all the time while one part is as near to its fault as it can be.
    fn near(&self, how: Try, states: &[i128], part: usize) -> Option<Test> {
        if let Some(test) = self.at_times(how, states, part) {
            return Some(test);
        }
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
            let name = match self.subject.condition.leaves()[part] {
                Condition::Absent(absent) => {
                    format!("silent while {} has data", absent.signal.title)
                }
                _ if self.parts.len() == 1 => "silent just short of the threshold".to_owned(),
                _ => format!(
                    "silent while only {} is just short of its threshold",
                    self.names[part]
                ),
            };
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
        self.tries().into_iter().find_map(|how| {
            let inputs = self.inputs(how, &states)?;
            let own = self.run_as(&parts[0], &inputs, |open| self.fires_in_fault(open))?;
            let whole = self.run(&inputs)?;
            let excused =
                |at: &u64| own.is(*at..=at + 1, |n| n > 0) && whole.is(start..=at + 1, |n| n == 0);
            let first = (start + 1..stop).find(excused)?;
            let last = (first..stop).take_while(excused).last()?;
            let mut checks = vec![self.check(first, 0), self.check(last, 0)];
            checks.truncate(if first == last { 1 } else { 2 });
            Some(self.test(EXCUSED.into(), inputs, checks))
        })
    }

    fn fires_because(&self, set: &Faults) -> String {
        if self.parts.len() == 1 {
            return "fires at the right minute and resets".to_owned();
        }
        let parts = self.names.iter().zip(set).filter(|(_, bad)| **bad);
        let parts: Vec<_> = parts.map(|(name, _)| name.as_str()).collect();
        format!("fires because of {}", parts.join(" and "))
    }
}
