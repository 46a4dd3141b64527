//! Tests of the windows inside an author's PromQL.
//!
//! What its series mean is not known. So one of them changes for a while, such that the ratio of bad events does, and the
//! model says what is recorded while a window holds the change and once it has passed.

use super::labels;
use super::values::{self, Phase};
use super::{burn, burns, minutes, near, of_window, share_of};
use crate::target::prometheus::view::{ExprCheck, Input, Test};
use slosmith_plan::plan::{BASE_WINDOW, Plan, Slo, Tier};
use slosmith_promql::ast::{Expr, ExprKind};
use slosmith_promql::sampled::{Labels, Model, Record};
use slosmith_spec::naming;
use slosmith_text::units::{Duration, Number, float};

/// What a series changes to, in hundredths of what it is.
const LEVELS: [i128; 3] = [0, 50, 300];

/// What a counter grows by in a minute.
const GROWS: i128 = 60;

/// By how much the ratio must change at least.
const LEAST: f64 = 0.02;

/// The minutes after which there is a value over the base window.
const LOOK: u64 = 2 * BASE_WINDOW.mins_up();

/// Beyond a threshold, and short of it.
const BEYOND: Number = Number::new_raw(105, 100);
const SHORT_OF: Number = Number::new_raw(95, 100);

/// How exactly the model must be met, of the highest value.
const HAIR: f64 = 0.01;

/// A change of one series.
#[derive(Clone, Copy)]
struct Change {
    counters: bool,
    series: usize,
    level: i128,
}

/// The PromQL of an objective, under made-up series, for a tier.
pub(super) struct Run<'a> {
    plan: &'a Plan,
    slo: &'a Slo,
    tier: &'a Tier,
    /// Minutes from evaluation to evaluation.
    every: u64,
    /// Series that the PromQL reads.
    series: Vec<String>,
}

/// Series that the author's PromQL reads, with one value for each label of the groups.
fn series(slo: &Slo, queries: &[&Expr]) -> Vec<String> {
    let mut series = labels::selected(queries, &labels::groups(slo));
    series.retain(|series| !series.starts_with(naming::ALL_EVENTS));
    series
}

impl<'a> Run<'a> {
    /// `every`: minutes from evaluation to evaluation.
    pub(super) fn new(plan: &'a Plan, slo: &'a Slo, tier: &'a Tier, every: u64) -> Option<Self> {
        let queries = match slo.events.read() {
            Some(queries) => queries.to_vec(),
            None => vec![&slo.events.ratios.first()?.expr],
        };
        Some(Self {
            plan,
            slo,
            tier,
            every,
            series: series(slo, &queries),
        })
    }

    /// A test that notices another window in what a tier reads; `None` where no change of a series shows in the ratio, or the
    /// model does not know the PromQL.
    pub(super) fn windows(&self) -> Option<Test> {
        let changes = [false, true].into_iter().flat_map(|counters| {
            let series = 0..self.series.len();
            series.flat_map(move |series| {
                LEVELS.map(|level| Change {
                    counters,
                    series,
                    level,
                })
            })
        });
        let mut changes = changes.filter(|change| self.shows(*change) == Some(true));
        self.test(changes.next()?)
    }

    /// Tests of a tier with `min_events`: around its threshold in both windows and in each one, and with more and fewer events than it
    /// needs. One series grows such that the model finds the ratio. `None` where none does.
    pub(super) fn enough(&self) -> Option<Vec<Test>> {
        (0..self.series.len()).find_map(|lever| self.around(lever))
    }

    /// The alerts of all tiers as the on-call person sees them, where one of the series counts bad events only.
    pub(super) fn all_fire(&self) -> Option<Test> {
        (0..self.series.len()).find_map(|only| self.all_bad(only))
    }

    /// A test without the series of the bad or the good events: there are none of these, where the model says so, too.
    pub(super) fn without_part(&self) -> Option<Test> {
        let [total, _] = self.slo.events.read()?;
        let run = Run {
            series: series(self.slo, &[total]),
            ..*self
        };
        let look = LOOK.next_multiple_of(run.every);
        let inputs = run.inputs(
            Change {
                counters: true,
                series: 0,
                level: 100,
            },
            [look, 0, 0],
        );
        let model = Model::of_inputs(Input::pairs(&inputs), 1, look + 1, false)?;
        let mut model = model.evaluated_every(usize::try_from(look).ok()?);
        run.record_base(&mut model)?;
        let bad = of_window(naming::BAD_EVENTS, BASE_WINDOW);
        let none = model.value(&bad, seconds(look))? == 0.0;
        let zero = Number::from_integer(0);
        let name = "evaluates before the first bad event";
        let checks = vec![near(&bad.to_string(), zero, Number::new(1, 1_000), look)];
        none.then(|| Test::new(name, minutes(1), inputs, checks))
    }

    /// Series that are as usual, changed, and as usual again, for so many minutes.
    fn inputs(&self, change: Change, lengths: [u64; 3]) -> Vec<Input> {
        let input = |(i, series): (usize, &String)| {
            let during = if i == change.series {
                change.level
            } else {
                100
            };
            let unit = if change.counters { GROWS } else { 1 };
            let levels = [100, during, 100].map(|level| Number::new(level * unit, 100));
            let phases: Vec<Phase> = lengths.into_iter().zip(levels).collect();
            let values = match change.counters {
                true => values::counter(&phases),
                false => values::gauge(&phases),
            };
            Input {
                series: series.clone(),
                values,
            }
        };
        self.series.iter().enumerate().map(input).collect()
    }

    /// True where the change alone makes another ratio of bad events, of those that there can be.
    fn shows(&self, change: Change) -> Option<bool> {
        let length = 3 * BASE_WINDOW.mins_up();
        let inputs = self.inputs(change, [length, length, 0]);
        let look = length - 1;
        let model = Model::of_inputs(Input::pairs(&inputs), 1, 2 * length + 1, false)?;
        let mut model = model.evaluated_every(usize::try_from(look).ok()?);
        self.record_base(&mut model)?;
        let ratio =
            |minute: u64| model.value(&self.slo.events.ratios.first()?.expr, seconds(minute));
        let (before, after) = (ratio(look)?, ratio(2 * look)?);
        let possible = [before, after].iter().all(|r| (0.0..=1.0).contains(r));
        Some(possible && (before - after).abs() > LEAST)
    }

    /// The tests with this series as the one that makes the ratio.
    fn around(&self, lever: usize) -> Option<Vec<Test>> {
        let ratio = |share| self.growth(lever, share_of(self.tier.threshold, share));
        let [above, below] = [ratio(BEYOND)?, ratio(SHORT_OF)?];
        let enough = self.number(lever, above)?;
        let exact = ratio_of(f64::from(self.slo.events.min_events) / enough)?;
        let [more, fewer, many] =
            [(13, 10), (7, 10), (4, 1)].map(|(of, whole)| exact * Number::new(of, whole));
        // The growth at first and in the last windows, its multiple, and whether the long ratio, the short one and the events suffice.
        let tests = [
            (
                "fires above the threshold in both windows",
                ([above, above], more),
                [true; 3],
            ),
            (
                "silent with fewer events than `min_events`",
                ([above, above], fewer),
                [true, true, false],
            ),
            (
                "silent below the threshold in both windows",
                ([below, below], more),
                [false, false, true],
            ),
            (
                "silent below the threshold in the long window",
                ([below, above], many),
                [false, true, true],
            ),
            (
                "silent below the threshold in the short window",
                ([above, below], many),
                [true, false, true],
            ),
        ];
        let tests = tests.into_iter().map(|(name, (levels, times), holds)| {
            let (inputs, look) = self.growing(lever, levels, times);
            let fires = holds == [true; 3];
            let checks = vec![burns(self.tier, look, fires)];
            self.agrees(&inputs, look, holds)
                .then(|| Test::new(name, minutes(1), inputs, checks))
        });
        tests.collect()
    }

    /// Only this series grows, and the model counts no good event.
    fn all_bad(&self, only: usize) -> Option<Test> {
        let look = (4 * LOOK).next_multiple_of(self.every);
        let input = |(i, series): (usize, &String)| {
            let growth = if i == only {
                self.slo.events.min_events
            } else {
                0
            };
            Input {
                series: series.clone(),
                values: values::counter(&[(look, Number::from_integer(growth.into()))]),
            }
        };
        let inputs: Vec<_> = self.series.iter().enumerate().map(input).collect();
        let model = self.model(&inputs, look, false)?;
        let ratio = of_window(naming::ERROR_RATIO, BASE_WINDOW);
        let recorded = model.elements(&ratio, seconds(look))?;
        let [(labels, value)] = &recorded[..] else {
            return None;
        };
        let own = self.slo.labels.iter();
        let own = own.filter_map(|label| Some((label.clone(), labels.get(label)?.clone())));
        let shown = burn::all_shown(self.plan, self.slo, &own.collect(), look)?;
        ((value - 1.0).abs() < 1e-9).then(|| burn::of_all_tiers(inputs, shown))
    }

    /// All series grow, and the lever by as much at first and by another number in the last windows; and the minute that is looked at.
    fn growing(&self, lever: usize, levels: [Number; 2], times: Number) -> (Vec<Input>, u64) {
        let last = self.tier.short.mins_up() + 2 * BASE_WINDOW.mins_up();
        let [first, last] = [4 * last, last].map(|steps| steps.next_multiple_of(self.every));
        let input = |(i, series): (usize, &String)| {
            let levels = match i == lever {
                true => levels,
                false => [Number::from_integer(GROWS); 2],
            };
            let phases = levels.map(|level| level * times);
            let phases: Vec<Phase> = [first, last + 2].into_iter().zip(phases).collect();
            Input {
                series: series.clone(),
                values: values::counter(&phases),
            }
        };
        let inputs = self.series.iter().enumerate().map(input).collect();
        (inputs, first + last)
    }

    /// By how much a series grows in a minute, beside the others, for a ratio: bad events and all are linear in it.
    fn growth(&self, lever: usize, ratio: Number) -> Option<Number> {
        let events = |growth: i128| {
            let growth = Number::from_integer(growth);
            let one = Number::from_integer(1);
            let (inputs, look) = self.growing(lever, [growth; 2], one);
            let model = self.model(&inputs, look, false)?;
            let of = |name| model.value(&of_window(name, BASE_WINDOW), seconds(look));
            Some([of(naming::BAD_EVENTS)?, of(naming::TOTAL_EVENTS)?])
        };
        let [[bad, all], [more_bad, more]] = [events(GROWS)?, events(2 * GROWS)?];
        let [by_bad, by] = [more_bad - bad, more - all];
        let ratio = float(ratio);
        let units = (ratio * all - bad) / (by_bad - ratio * by) + 1.0;
        ratio_of(units)
            .filter(|_| units > 0.0)
            .map(|units| units * GROWS)
    }

    /// The number of events that the tier compares with `min_events`.
    fn number(&self, lever: usize, growth: Number) -> Option<f64> {
        let (inputs, look) = self.growing(lever, [growth; 2], Number::from_integer(1));
        let model = self.model(&inputs, look, false)?;
        let ExprKind::Binary(enough) = &self.tier.enough.as_ref()?.kind else {
            return None;
        };
        model.value(&enough.lhs, seconds(look))
    }

    /// True where the model, by either way to read a window, finds the long and the short ratio above the threshold, and enough events,
    /// as told.
    fn agrees(&self, inputs: &[Input], look: u64, holds: [bool; 3]) -> bool {
        let found = |closed| {
            let model = self.model(inputs, look, closed)?;
            let above = |window| {
                let ratio = model.value(&of_window(naming::ERROR_RATIO, window), seconds(look))?;
                Some(ratio > float(self.tier.threshold))
            };
            let enough = model.value(self.tier.enough.as_ref()?, seconds(look));
            Some([
                above(self.tier.long)?,
                above(self.tier.short)?,
                enough.is_some(),
            ])
        };
        [false, true].map(found) == [Some(holds); 2]
    }

    fn test(&self, change: Change) -> Option<Test> {
        let every = |minutes: u64| minutes.next_multiple_of(self.every);
        let [long, short, base] =
            [self.tier.long, self.tier.short, BASE_WINDOW].map(Duration::mins_up);
        let before = every((long * 3 / 10).max(2 * short));
        let lasts = every((long / 10).max(short));
        // When what was recorded over the base window has passed out of a window.
        let passed = |window: u64| every(before + lasts + window + base) + 2 * self.every;
        let half = |window: u64| before + every(window.div_ceil(2));
        let end = passed(long);
        let inputs = self.inputs(change, [before, lasts, end - before - lasts]);
        let models = [
            self.model(&inputs, end, false)?,
            self.model(&inputs, end, true)?,
        ];
        let mut checks = Vec::new();
        if self.slo.events.counted.is_some() {
            for series in [naming::BAD_EVENTS, naming::TOTAL_EVENTS] {
                checks.extend(self.checks(
                    &models,
                    series,
                    BASE_WINDOW,
                    [half(base), passed(short)],
                )?);
            }
        }
        let ratio = naming::ERROR_RATIO;
        checks.extend(self.checks(
            &models,
            ratio,
            self.tier.short,
            [half(short), passed(short)],
        )?);
        // The change is in the window, and the beginning of all is not.
        let full = long + every(before / 2);
        checks.extend(self.checks(&models, ratio, self.tier.long, [every(full), passed(long)])?);
        let name = "counts only events inside its windows";
        Some(Test::new(name, minutes(1), inputs, checks))
    }

    /// What is recorded under these inputs.
    fn model(&self, inputs: &[Input], end: u64, closed: bool) -> Option<Model> {
        let every = usize::try_from(self.every).ok()?;
        let mut model =
            Model::of_inputs(Input::pairs(inputs), 1, end + 1, closed)?.evaluated_every(every);
        for increase in &self.slo.events.increases {
            self.record(&mut model, increase.name, increase.window, &increase.expr)?;
        }
        self.record_base(&mut model)?;
        for ratio in &self.slo.events.ratios {
            if ratio.window <= self.tier.long {
                self.record(&mut model, naming::ERROR_RATIO, ratio.window, &ratio.expr)?;
            }
        }
        Some(model)
    }

    fn record(&self, model: &mut Model, name: &str, window: Duration, expr: &Expr) -> Option<()> {
        let labels = &self.labels(window);
        model.record(&Record { name, labels, expr })
    }

    fn record_base(&self, model: &mut Model) -> Option<()> {
        if let Some(counted) = &self.slo.events.counted {
            self.record(model, naming::TOTAL_EVENTS, BASE_WINDOW, &counted.total)?;
            self.record(model, naming::BAD_EVENTS, BASE_WINDOW, &counted.bad)?;
        }
        Some(())
    }

    fn labels(&self, window: Duration) -> Labels {
        let labels = [
            (naming::SERVICE, self.plan.service.name.clone()),
            (naming::SLO, self.slo.name.clone()),
            (naming::WINDOW, window.to_string()),
        ];
        labels
            .map(|(label, value)| (label.to_owned(), value))
            .into()
    }

    /// What is recorded at two moments, by either way to read a window.
    fn checks(
        &self,
        models: &[Model; 2],
        name: &str,
        window: Duration,
        at: [u64; 2],
    ) -> Option<Vec<ExprCheck>> {
        let series = of_window(name, window);
        let values = at.map(|minute| {
            models
                .each_ref()
                .map(|model| model.value(&series, seconds(minute)))
        });
        let highest = values
            .iter()
            .flatten()
            .flatten()
            .fold(0.0_f64, |most, v| most.max(v.abs()));
        let check = |(at, values): (u64, [Option<f64>; 2])| {
            let [open, closed] = [values[0]?, values[1]?];
            let hair = (open - closed).abs() + HAIR * highest;
            let value = f64::midpoint(open, closed);
            let [value, hair] =
                [value, hair].map(|v| Number::new((v * 1e6).round() as i128, 1_000_000));
            (highest > 0.0).then(|| near(&series.to_string(), value, hair, at))
        };
        at.into_iter().zip(values).map(check).collect()
    }
}

/// A number that tests can hold, if it is one.
fn ratio_of(value: f64) -> Option<Number> {
    let millionths = (value * 1e6).round();
    (millionths.abs() < 1e15).then(|| Number::new(millionths as i128, 1_000_000))
}

/// A minute in seconds.
fn seconds(minute: u64) -> i64 {
    i64::try_from(minute * 60).unwrap_or(i64::MAX)
}
