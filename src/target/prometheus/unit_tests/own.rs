//! Tests of the windows inside an author's PromQL.
//!
//! What its series mean is not known. So one of them changes for a while, such that the ratio of bad events does, and the
//! model says what is recorded while a window holds the change and once it has passed.

use super::labels::{self, LabelSet};
use super::model::{Labels, Model, Record};
use super::values::{self, Phase};
use super::{minutes, near, of_window};
use crate::naming;
use crate::plan::{BASE_WINDOW, EventSlo, Plan, Slo, Tier};
use crate::promql::ast::Expr;
use crate::target::prometheus::view::{ExprCheck, Input, Test};
use crate::units::{Duration, Number};

/// What a series changes to, in hundredths of what it is.
const LEVELS: [i128; 3] = [0, 50, 300];

/// What a counter grows by in a minute.
const GROWS: i128 = 60;

/// By how much the ratio must change at least.
const LEAST: f64 = 0.02;

/// The minutes after which there is a value over the base window.
const LOOK: u64 = 2 * BASE_WINDOW.mins_up();

/// How exactly the model must be met, of the highest value.
const HAIR: f64 = 0.01;

/// A change of one series.
#[derive(Clone, Copy)]
struct Change {
    counters: bool,
    series: usize,
    level: i128,
}

struct Run<'a> {
    plan: &'a Plan,
    slo: &'a Slo,
    events: &'a EventSlo,
    tier: &'a Tier,
    /// Minutes from evaluation to evaluation.
    every: u64,
    /// Series that the PromQL reads.
    series: Vec<String>,
}

/// A test that notices another window in what a tier reads; `None` where no change of a series shows in the ratio, or the
/// model does not know the PromQL.
pub(super) fn windows(
    plan: &Plan,
    slo: &Slo,
    events: &EventSlo,
    tier: &Tier,
    every: u64,
) -> Option<Test> {
    let queries = match events.read() {
        Some(queries) => queries.to_vec(),
        None => vec![&events.ratios.first()?.expr],
    };
    let series = series(slo, &queries);
    let run = Run {
        plan,
        slo,
        events,
        tier,
        every,
        series,
    };
    let changes = [false, true].into_iter().flat_map(|counters| {
        let series = 0..run.series.len();
        series.flat_map(move |series| {
            LEVELS.map(|level| Change {
                counters,
                series,
                level,
            })
        })
    });
    let mut changes = changes.filter(|change| run.shows(*change) == Some(true));
    run.test(changes.next()?)
}

/// A test without the series of the bad or the good events: there are none of these, where the model says so, too.
pub(super) fn without_part(
    plan: &Plan,
    slo: &Slo,
    events: &EventSlo,
    tier: &Tier,
    every: u64,
) -> Option<Test> {
    let [total, _] = events.read()?;
    let run = Run {
        plan,
        slo,
        events,
        tier,
        every,
        series: series(slo, &[total]),
    };
    let look = LOOK.next_multiple_of(every);
    let inputs = run.inputs(
        Change {
            counters: true,
            series: 0,
            level: 100,
        },
        [look, 0, 0],
    );
    let model = Model::new(&inputs, 1, look + 1, false)?;
    let mut model = model.evaluated_every(usize::try_from(look).ok()?);
    run.record_base(&mut model)?;
    let bad = of_window(naming::BAD_EVENTS, BASE_WINDOW);
    let none = model.value(&bad, seconds(look))? == 0.0;
    let zero = Number::from_integer(0);
    none.then(|| Test {
        name: "evaluates before the first bad event".into(),
        interval: minutes(1),
        input_series: inputs,
        alert_rule_test: Vec::new(),
        promql_expr_test: vec![near(&bad.to_string(), zero, Number::new(1, 1_000), look)],
    })
}

/// Series that the author's PromQL reads, with one value for each label of the groups.
fn series(slo: &Slo, queries: &[&Expr]) -> Vec<String> {
    let value = |label: &String| (label.clone(), labels::made_up(label));
    let groups: LabelSet = slo.labels.iter().map(value).collect();
    let mut series = labels::selected(queries, &groups);
    series.retain(|series| !series.starts_with(naming::ALL_EVENTS));
    series
}

impl Run<'_> {
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
        let model = Model::new(&inputs, 1, 2 * length + 1, false)?;
        let mut model = model.evaluated_every(usize::try_from(look).ok()?);
        self.record_base(&mut model)?;
        let ratio = |minute: u64| model.value(&self.events.ratios.first()?.expr, seconds(minute));
        let (before, after) = (ratio(look)?, ratio(2 * look)?);
        let possible = [before, after].iter().all(|r| (0.0..=1.0).contains(r));
        Some(possible && (before - after).abs() > LEAST)
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
        if self.events.counted.is_some() {
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
        Some(Test {
            name: "counts only events inside its windows".into(),
            interval: minutes(1),
            input_series: inputs,
            alert_rule_test: Vec::new(),
            promql_expr_test: checks,
        })
    }

    /// What is recorded under these inputs.
    fn model(&self, inputs: &[Input], end: u64, closed: bool) -> Option<Model> {
        let every = usize::try_from(self.every).ok()?;
        let mut model = Model::new(inputs, 1, end + 1, closed)?.evaluated_every(every);
        for increase in &self.events.increases {
            self.record(&mut model, increase.name, increase.window, &increase.expr)?;
        }
        self.record_base(&mut model)?;
        for ratio in &self.events.ratios {
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
        if let Some(counted) = &self.events.counted {
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

/// A minute in seconds.
fn seconds(minute: u64) -> i64 {
    i64::try_from(minute * 60).unwrap_or(i64::MAX)
}
