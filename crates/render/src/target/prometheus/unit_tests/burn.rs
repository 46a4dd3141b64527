//! Tests of the recorded ratios of an SLO, and of its burn-rate alerts.

mod born;
mod selected;

use super::drive::{Driver, Level, TRAFFIC};
use super::labels::{self, LabelSet};
use super::{SELDOM, burns, minutes, near, of_window, test_file, value_is, values};
use crate::target::prometheus::annotations;
use crate::target::prometheus::rules;
use crate::target::prometheus::view::{AlertCheck, ExpectedAlert, Input, Named, Test, TestFile};
use slosmith_plan::plan::{BASE_WINDOW, EVALUATION, HELD};
use slosmith_plan::plan::{EventSli, Plan, Slo, Tier};
use slosmith_promql::ast::MatchOp;
use slosmith_spec::naming;
use slosmith_text::units::{Duration, Number, decimal, float};

/// What is bearable after an outage, of a threshold.
const SHORT_OF: Number = Number::new_raw(97, 100);

/// Samples, or minutes, of good traffic before a test begins: the base window is full. promtool pays for each.
const BEFORE: u64 = 8;

/// How much busier an outage is than usual: an SLI that divided by yesterday's traffic would show.
const BUSY: i128 = 3;

/// How much busier it is after one: an SLI that divided by the traffic of an outage would show.
const BUSIER: i128 = 6;

/// The files of an SLO: how events are counted, and the alert of the fastest tier from beginning to end; and what is remembered for an
/// hour.
pub(super) fn files(plan: &Plan, slo: &Slo) -> Option<Vec<Named<TestFile>>> {
    let tier = slo.events.tiers.first()?;
    let every = every(tier, 2);
    let step = every.min(BASE_WINDOW.mins_up());
    let run = Run {
        plan,
        slo,
        tier,
        driver: Driver { plan, step },
        every,
    };
    let mut tests: Vec<_> = [
        run.outage(),
        run.end(),
        run.idle(),
        run.selected(),
        run.no_series()?,
        run.no_bucket(),
        run.gets_bucket(),
        run.respelled(),
    ]
    .into_iter()
    .flatten()
    .collect();
    tests.extend(
        [
            run.born(false),
            run.born(true),
            run.born_in_bucket(),
            run.restarts(),
            run.late(),
            run.gap(),
        ]
        .into_iter()
        .flatten(),
    );
    let title = format!("{}.", slo.alert_name);
    let rules = [rules::slo_file(slo)];
    let mut files = vec![test_file(rules::slo_file(slo), title, &rules, every, tests)];
    files.extend(run.unreachable().map(|test| {
        let (name, title) = super::of_memory(&rules[0], &slo.alert_name);
        test_file(name, title, &rules, SELDOM, vec![test])
    }));
    Some(files)
}

/// Minutes from evaluation to evaluation: as many as leave so many in the short window, in whole base windows, or each sample
/// its own: events of an evaluation are those of a minute. Each reads the whole of a long one, so that a window of days would
/// cost seconds of CPU at one a minute, and prove nothing more.
pub(super) fn every(tier: &Tier, in_short: u64) -> u64 {
    let (rare, base) = (tier.short.mins_up() / in_short, BASE_WINDOW.mins_up());
    match rare < base {
        true => 1,
        false => rare - rare % base,
    }
}

/// Series for an SLI at error ratios; without `parts`, no series counts the part.
pub(super) fn inputs(
    driver: &Driver<'_>,
    slo: &Slo,
    levels: &[Level],
    parts: bool,
) -> Option<Vec<Input>> {
    match &slo.events.sli {
        EventSli::Ratio { part, good, total } => driver.events(part, *good, total, levels, parts),
        EventSli::Latency { signal, within, .. } => driver.latency(signal, within, levels),
        EventSli::Time(_) | EventSli::Own(_) | EventSli::OwnRatio(_) => None,
    }
}

/// A tier's alert with its value, for series with these labels.
pub(super) fn expected(
    plan: &Plan,
    slo: &Slo,
    tier: &Tier,
    set: &LabelSet,
    value: f64,
) -> Option<ExpectedAlert> {
    let mut labels = rules::burn_labels(plan, slo, tier);
    for label in &slo.labels {
        labels.insert(label.clone(), set.get(label)?.clone());
    }
    let labels = annotations::shown_labels(&labels)?;
    let annotations = annotations::burn(&plan.service, slo, tier);
    Some(ExpectedAlert {
        exp_annotations: annotations.shown_about(value, &labels)?,
        exp_labels: labels,
    })
}

/// The alerts of all tiers, for series with these labels, where all events are bad in all windows.
pub(super) fn all_shown(plan: &Plan, slo: &Slo, set: &LabelSet, at: u64) -> Option<AlertCheck> {
    let tiers = slo.events.tiers.iter();
    let alerts = tiers.map(|tier| expected(plan, slo, tier, set, 1.0));
    Some(AlertCheck {
        eval_time: minutes(at),
        alertname: slo.alert_name.clone(),
        exp_alerts: alerts.collect::<Option<_>>()?,
    })
}

/// The test of [`all_shown`].
pub(super) fn of_all_tiers(inputs: Vec<Input>, shown: AlertCheck) -> Test {
    Test {
        alert_rule_test: vec![shown],
        ..Test::new(
            "shows the alerts of all tiers",
            minutes(1),
            inputs,
            Vec::new(),
        )
    }
}

struct Run<'a> {
    plan: &'a Plan,
    slo: &'a Slo,
    tier: &'a Tier,
    driver: Driver<'a>,
    /// Minutes from evaluation to evaluation, a multiple of the driver's step.
    every: u64,
}

/// Minutes, from the first at which something may be to the first at which it surely is.
struct Minutes {
    earliest: u64,
    latest: u64,
}

impl Run<'_> {
    fn minutes(&self, window: Duration) -> f64 {
        window.as_secs() as f64 / 60.0
    }

    /// When a window's ratio has moved by `share` of the change: sums over recorded ratios lag by the base
    /// window, and each sample may count or not at either end.
    fn until(&self, share: f64, window: Duration) -> Minutes {
        let length = self.minutes(window);
        let (step, lag) = if window > BASE_WINDOW {
            let every = self.every as f64;
            (every, self.minutes(BASE_WINDOW) + 2.0 * every)
        } else {
            (self.driver.step as f64, 0.0)
        };
        let floor = |x: f64| x.max(0.0).floor() as u64;
        let down = |m: u64| m - m % self.every;
        let up = |m: u64| m.next_multiple_of(self.every);
        Minutes {
            earliest: down(floor(share * (length - step))).max(self.every),
            latest: up(floor(share * (length + step) + lag) + 1),
        }
    }

    fn check(&self, at: u64, fires: bool) -> crate::target::prometheus::view::ExprCheck {
        burns(self.tier, at, fires)
    }

    /// Good minutes before a fault: the base window is full of them.
    fn history(&self) -> u64 {
        (BASE_WINDOW.mins_up() + self.every).next_multiple_of(self.every)
    }

    fn levels(&self, phases: &[(u64, Number)]) -> Vec<Level> {
        let steps = |minutes: u64| minutes.div_ceil(self.driver.step);
        phases
            .iter()
            .map(|(m, ratio)| Level::new(steps(*m), *ratio))
            .collect()
    }

    fn test(&self, name: &str, levels: &[Level]) -> Option<Test> {
        let inputs = inputs(&self.driver, self.slo, levels, true)?;
        let interval = minutes(self.driver.step);
        Some(Test::new(name, interval, inputs, Vec::new()))
    }

    /// The alerts as the on-call person sees them while everything fails.
    fn shown(&self, at: u64) -> Option<AlertCheck> {
        let signal = self.slo.events.sli.signal()?;
        let set = labels::of(self.plan, signal, signal.family()?);
        all_shown(self.plan, self.slo, &set, at)
    }

    /// Everything fails under more traffic than usual, then it is just bearable: fires early, and resets
    /// about one short window after recovery, while the long window still remembers.
    fn outage(&self) -> Option<Test> {
        let (one, zero) = (Number::from_integer(1), Number::from_integer(0));
        let threshold = self.tier.threshold;
        let bearable = threshold * SHORT_OF;
        let busy = Number::from_integer(BUSY);
        let fires = float(threshold / (busy - threshold * (BUSY - 1)));
        let recovers = busy * (one - threshold);
        let recovers = float(recovers / (recovers + (threshold - bearable) * BUSIER));
        let (start, step, every) = (self.history(), self.driver.step, self.every);
        let fires = self.until(fires, self.tier.long);
        let resets = self.until(recovers, self.tier.short);
        let short = self.tier.short.mins_up();
        let lasts =
            (fires.latest.max(short + BASE_WINDOW.mins_up()) + every).next_multiple_of(every);
        let after = resets.latest.max(BASE_WINDOW.mins_up() + every) + 3 * every;
        // Then as quiet as before: what counted more of the past would see bad events where there are none.
        let quiet = short.max(BASE_WINDOW.mins_up()) + 2 * every;
        let end = start + lasts;
        let last = (end + after + quiet).next_multiple_of(every);
        if last - start >= self.tier.long.mins_up() {
            return None;
        }
        let levels = [
            Level::new(start.div_ceil(step), zero),
            Level::new(lasts / step, one).busy(BUSY),
            Level::new(after.div_ceil(step), bearable).busy(BUSIER),
            Level::new((quiet + every).div_ceil(step), bearable),
        ];
        let mut test = self.test("fires early in an outage and resets", &levels)?;
        let base = BASE_WINDOW.mins_up();
        // The evaluation at the end is the last one that counts the outage; a shorter window has forgotten it by the next.
        let still = match every + base < short {
            true => (resets.earliest - every).max(every),
            false => resets.earliest - every,
        };
        let bad = format!(
            "count({} > {})",
            self.recorded(naming::ERROR_RATIO),
            decimal(threshold)
        );
        test.promql_expr_test = vec![
            self.check(start + fires.latest, true),
            self.check(end + still, true),
            self.check(end + resets.latest, false),
            value_is(
                bad.clone(),
                (end + base + every).next_multiple_of(every),
                None,
            ),
            self.check(last, false),
        ];
        if every < base {
            let quiet = (end + after + base + every).next_multiple_of(every);
            let checks = [(quiet, None), (end + every, Some(1))];
            let checks = checks.map(|(at, value)| value_is(bad.clone(), at, value));
            test.promql_expr_test.extend(checks);
        }
        Some(test)
    }

    /// The minute of the first evaluation after some samples.
    fn after(&self, samples: u64) -> u64 {
        (samples * self.driver.step).next_multiple_of(self.every)
    }

    /// A series recorded over the base window.
    fn recorded(&self, series: &str) -> String {
        self.series(series, BASE_WINDOW)
    }

    /// A series recorded over a window.
    fn series(&self, series: &str, window: Duration) -> String {
        of_window(series, window).to_string()
    }

    /// No traffic after an outage of all there was: two evaluations after the last ratio, there is none, above all no NaN, and no
    /// alert.
    fn idle(&self) -> Option<Test> {
        let is_held = self.slo.events.is_held(self.tier);
        let end = self.after(BEFORE);
        let mut levels = self.levels(&[(end, Number::from_integer(1))]);
        let at = match is_held && self.every == 1 && self.tier.short == BASE_WINDOW {
            true => end + BASE_WINDOW.mins_up() + 2,
            // The windows have just emptied.
            false => {
                let short = self.tier.short.max(BASE_WINDOW).mins_up();
                (end + short + BASE_WINDOW.mins_up() + 2).next_multiple_of(self.every) + self.every
            }
        };
        levels.push(Level::idle((at - end).div_ceil(self.driver.step) + 2));
        let mut test = self.test(
            "shows an outage, no data and silent without traffic",
            &levels,
        )?;
        let total = self.recorded(naming::TOTAL_EVENTS);
        test.promql_expr_test = vec![
            value_is(
                format!("count({})", self.recorded(naming::ERROR_RATIO)),
                at,
                None,
            ),
            value_is(format!("sum({total})"), at, Some(0)),
            self.check(at, false),
        ];
        test.alert_rule_test = self.shown(end).into_iter().collect();
        Some(test)
    }

    /// All targets die in an outage: the alert goes on for most of an hour, and ends when what it remembers is too old.
    fn end(&self) -> Option<Test> {
        let (end, levels) = self.broken_off()?;
        let (every, held) = (self.every, HELD.mins_up());
        let mut test = self.test("goes on when all targets die", &levels)?;
        if self.tier.long <= HELD {
            // The long window forgets as soon as the alert does, or before.
            let forgotten = 2 * self.tier.short.mins_up() + BASE_WINDOW.mins_up();
            let stays = end + forgotten.min(self.tier.long.mins_up() - every);
            let stays = stays - stays % every;
            test.promql_expr_test = vec![self.check(end, true), self.check(stays, true)];
            return Some(test);
        }
        // The long window still holds some of the outage.
        let stays = held - 2 * BASE_WINDOW.mins_up();
        let stays = end + stays - stays % every;
        let over = end + held + self.tier.short.mins_up() + BASE_WINDOW.mins_up() + 2 * every;
        test.promql_expr_test = vec![
            self.check(end, true),
            self.check(stays, true),
            self.check(over.next_multiple_of(every), false),
        ];
        Some(test)
    }

    /// An outage that is broken off in its midst, and the minute at which.
    fn broken_off(&self) -> Option<(u64, Vec<Level>)> {
        if !self.slo.events.is_held(self.tier) {
            return None;
        }
        let (one, zero) = (Number::from_integer(1), Number::from_integer(0));
        let (start, every) = (self.history(), self.every);
        let fires = self.until(float(self.tier.threshold), self.tier.long);
        let lasts = fires.latest.next_multiple_of(every);
        Some((start + lasts, self.levels(&[(start, zero), (lasts, one)])))
    }

    /// True where the events of each minute are recorded.
    fn has_minutes(&self) -> bool {
        self.every == 1 && self.plan.evaluation == EVALUATION
    }

    /// Half of all fails, in five processes one after the other, of which the second and the third live for a minute or two and a
    /// scrape before the last fails: counts what there is, and nothing twice.
    fn restarts(&self) -> Option<Test> {
        const LIVES: [(i128, u64); 5] = [(1, 12), (1, 3), (2, 0), (1, 20), (2, 11)];
        if !self.has_minutes() {
            return None;
        }
        let half = Number::new(1, 2);
        // Of a process that begins with so many steps at once.
        let life = |(first, steps): (i128, u64)| {
            let levels = [Level::new(1, half).busy(first), Level::new(steps, half)];
            let levels = &levels[..if steps > 0 { 2 } else { 1 }];
            inputs(&self.driver, self.slo, levels, true)
        };
        let [first, lives @ ..] = LIVES.map(life);
        let mut test = self.test("counts on after restarts", &[Level::new(1, half)])?;
        test.input_series = first?;
        for (i, life) in lives.into_iter().enumerate() {
            let missed = if i + 2 == LIVES.len() { "_ " } else { "" };
            for (input, then) in test.input_series.iter_mut().zip(life?) {
                let values = values::after_start(&then.values);
                input.values = format!("{} {missed}{values}", input.values);
            }
        }
        // Two samples in each minute.
        test.interval = "30s".into();
        let per_step = Number::from_integer(TRAFFIC);
        let counted = |series: &str, steps: Number| {
            let each = self.series(series, self.plan.evaluation);
            near(
                &format!("sum_over_time({each}[1h])"),
                per_step * steps,
                per_step / 1_000,
                34,
            )
        };
        let rate = |series: &str, steps: Number, at: u64| {
            let rate = per_step * steps / i128::from(BASE_WINDOW.as_secs());
            near(&self.recorded(series), rate, rate / 1_000, at)
        };
        let steps = Number::from_integer(53);
        // Both sides of one metric are read once.
        let is_shared = self.is_shared();
        test.promql_expr_test = vec![counted(naming::ALL_EVENTS, steps)];
        if !is_shared {
            test.promql_expr_test
                .push(counted(self.slo.events.sli.part_events(), steps * half));
        }
        // After the first restart, after the third and fourth, without any, and from the missed scrape on.
        for (at, steps) in [(8, 10), (14, 10), (16, 10), (25, 11)] {
            // Of two metrics, the other tests show how long the window is.
            if at == 16 && !is_shared {
                continue;
            }
            let steps = Number::from_integer(steps);
            test.promql_expr_test
                .push(rate(naming::TOTAL_EVENTS, steps, at));
            if !is_shared {
                test.promql_expr_test
                    .push(rate(naming::BAD_EVENTS, steps * half, at));
            }
        }
        Some(test)
    }

    fn is_shared(&self) -> bool {
        let mut increases = self.slo.events.increases.iter();
        increases.any(|increase| increase.name == naming::EVENTS)
    }

    /// A process restarts after its first scrape: what it counted before that is not known, and what it counts then is.
    fn late(&self) -> Option<Test> {
        if !self.has_minutes() {
            return None;
        }
        let half = Number::new(1, 2);
        let mut test = self.test(
            "counts nothing from before the first scrape",
            &[Level::new(1, half)],
        )?;
        test.input_series = inputs(&self.driver, self.slo, &[Level::new(20, half)], true)?;
        let mut late = test.input_series.clone();
        for input in &mut test.input_series {
            let values = values::after_start(&input.values);
            // Its only sample and the first one after it are in one minute.
            input.values = format!("_x5 900000000 {values}");
        }
        // A target that did not restart, and counts nothing more.
        for input in &mut late {
            input.series = input.series.replace("instance=\"i1\"", "instance=\"i2\"");
            input.values = "_x5 900000000+0x20".into();
        }
        test.input_series.extend(late);
        test.interval = "30s".into();
        let counted = Number::from_integer(TRAFFIC * 20);
        let each = self.series(naming::ALL_EVENTS, self.plan.evaluation);
        let part = self.series(self.slo.events.sli.part_events(), self.plan.evaluation);
        let sum = |each: &str, counted: Number| {
            let sum = format!("sum_over_time({each}[1h])");
            near(&sum, counted, counted / 20, 22)
        };
        // Five samples, and what `increase` adds at their beginning.
        let rate = Number::new(TRAFFIC * 11, 2) / i128::from(BASE_WINDOW.as_secs());
        let near_rate =
            |series: &str, rate: Number| near(&self.recorded(series), rate, rate / 8, 5);
        test.promql_expr_test = vec![sum(&each, counted), near_rate(naming::TOTAL_EVENTS, rate)];
        if !self.is_shared() {
            test.promql_expr_test.extend([
                sum(&part, counted * half),
                near_rate(naming::BAD_EVENTS, rate * half),
            ]);
        }
        Some(test)
    }

    /// A page lacks the series of bad events for one scrape: they are not counted again.
    fn gap(&self) -> Option<Test> {
        let [part, _] = self.begun().filter(|_| self.has_minutes())?;
        let levels = [Level::new(40, Number::from_integer(0))];
        let mut test = self.test(
            "counts nothing again after a page without the series",
            &levels,
        )?;
        test.input_series = inputs(&self.driver, self.slo, &levels, false)?;
        let mut bad = self.driver.born(part, 0, Number::from_integer(TRAFFIC))?;
        // At 6m, when the evaluations at 11m and 12m look for it.
        bad.values = format!("{TRAFFIC}+0x11 stale {TRAFFIC}+0x27");
        test.input_series.push(bad);
        test.interval = "30s".into();
        let part = self.series(self.slo.events.sli.part_events(), self.plan.evaluation);
        test.promql_expr_test = [11, 12]
            .map(|at| {
                value_is(
                    format!("sum({})", self.recorded(naming::BAD_EVENTS)),
                    at,
                    Some(0),
                )
            })
            .into();
        test.promql_expr_test.push(value_is(
            format!("sum(sum_over_time({part}[1h]))"),
            20,
            Some(0),
        ));
        Some(test)
    }

    /// No series of the part yet: bad events are none, and everything evaluates.
    fn no_series(&self) -> Option<Option<Test>> {
        let EventSli::Ratio { good: false, .. } = &self.slo.events.sli else {
            return Some(None);
        };
        let at = self.after(BEFORE);
        let levels = [Level::new(at / self.driver.step, Number::from_integer(0))];
        let mut test = self.test("evaluates before the first bad event", &levels)?;
        test.input_series = inputs(&self.driver, self.slo, &levels, false)?;
        test.promql_expr_test = vec![
            value_is(
                format!("sum({})", self.recorded(naming::ERROR_RATIO)),
                at,
                Some(0),
            ),
            value_is(
                format!(
                    "sum({})",
                    self.series(self.slo.events.sli.part_events(), self.plan.evaluation)
                ),
                at,
                Some(0),
            ),
            self.check(at, false),
        ];
        Some(Some(test))
    }

    /// The bucket appears in a histogram that counts since long: what was counted before is neither good nor bad.
    fn gets_bucket(&self) -> Option<Test> {
        const APPEARS: u64 = 12;
        let EventSli::Latency { .. } = &self.slo.events.sli else {
            return None;
        };
        if !self.has_minutes() {
            return None;
        }
        let levels = [Level::new(2 * APPEARS, Number::from_integer(0))];
        let mut test = self.test("measures a bucket that appears from then on", &levels)?;
        let [bucket, ..] = &mut test.input_series[..] else {
            return None;
        };
        let counted = TRAFFIC * i128::from(APPEARS);
        bucket.values = format!("_x{APPEARS} {counted}+{TRAFFIC}x{APPEARS}");
        let ratio = self.recorded(naming::ERROR_RATIO);
        test.promql_expr_test = vec![
            value_is(ratio.clone(), APPEARS + 3, None),
            value_is(format!("sum({ratio})"), 2 * APPEARS, Some(0)),
            self.check(2 * APPEARS, false),
        ];
        Some(test)
    }

    /// Prometheus 3 stores the bucket under another spelling of `le`. What was counted while it was updated is neither good nor bad.
    fn respelled(&self) -> Option<Test> {
        const UPDATED: u64 = 12;
        let EventSli::Latency { within, .. } = &self.slo.events.sli else {
            return None;
        };
        let is_fine = self.has_minutes();
        if within.op != MatchOp::Match || !is_fine {
            return None;
        }
        let levels = [Level::new(2 * UPDATED, Number::from_integer(0))];
        let mut test = self.test("counts no event while `le` gets another spelling", &levels)?;
        let mut old = test.input_series.first()?.clone();
        let other = match within.le.strip_suffix(".0") {
            Some(whole) => whole.to_owned(),
            None => format!("{}.0", within.le),
        };
        let [of_new, of_old] = [&within.le, &other].map(|le| format!("le=\"{le}\""));
        old.series = old.series.replace(&of_new, &of_old);
        let before = format!("0 {TRAFFIC}+{TRAFFIC}x{}", UPDATED - 4);
        let counted = TRAFFIC * i128::from(UPDATED);
        let after = format!("{counted}+{TRAFFIC}x{UPDATED}");
        let [new, all] = &mut test.input_series[..] else {
            return None;
        };
        new.values = format!("_x{UPDATED} {after}");
        // No page is read in between.
        all.values = format!("{before} _x2 {after}");
        old.values = before;
        test.input_series.push(old);
        let bad = self.series(self.slo.events.sli.part_events(), self.plan.evaluation);
        let all = self.series(naming::ALL_EVENTS, self.plan.evaluation);
        test.promql_expr_test = vec![
            self.check(UPDATED + 2, false),
            value_is(
                format!("sum(sum_over_time({all}[1h])) - sum(sum_over_time({bad}[1h]))"),
                2 * UPDATED,
                Some(0),
            ),
        ];
        Some(test)
    }

    /// No series of the bucket: there is no ratio, and longer windows count no event.
    fn no_bucket(&self) -> Option<Test> {
        let EventSli::Latency { .. } = &self.slo.events.sli else {
            return None;
        };
        // Rarer samples leave most minutes empty.
        if self.driver.step > 1 {
            return None;
        }
        let window = self.slo.events.increases.first()?.window;
        let at = self.after(BEFORE);
        let levels = [Level::new(at / self.driver.step, Number::from_integer(0))];
        let mut test = self.test("counts no event without its bucket", &levels)?;
        test.input_series.remove(0);
        let all = self.series(naming::ALL_EVENTS, window);
        let ratio = self.recorded(naming::ERROR_RATIO);
        test.promql_expr_test = [all, ratio].map(|series| value_is(series, at, None)).into();
        Some(test)
    }
}
