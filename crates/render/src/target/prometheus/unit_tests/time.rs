//! Tests of burn-rate alerts on time: a gauge is bad for as long as is allowed, and a moment longer.
//!
//! Series have a sample for every moment at which the rules look.

use super::labels;
use super::values::{self, Phase};
use super::{burn, burns, given, of_window, promised, test_file, value_is};
use crate::target::prometheus::rules;
use crate::target::prometheus::view::{ExprCheck, Input, Named, Test, TestFile};
use slosmith_plan::plan::{BASE_WINDOW, CompareOp, Good, Plan, Slo, Tier, TimeSli};
use slosmith_plan::query::direct_up_to;
use slosmith_promql::ast::Expr;
use slosmith_spec::naming;
use slosmith_text::units::{Duration, Number};

/// Above this share of bad moments a window has no room for both sides of its threshold.
const HIGHEST: Number = Number::new_raw(1, 2);

/// Sums of what was recorded count a moment at the end of a window a little more or less.
const BLUR: Number = Number::new_raw(4, 100);

/// All files of an objective's tiers; where no series can be made up, those of recorded ratios.
pub(super) fn files(plan: &Plan, slo: &Slo, time: &TimeSli) -> Vec<Named<TestFile>> {
    let tiers = slo.events.tiers.iter().enumerate();
    let files: Option<Vec<_>> = tiers
        .map(|(i, tier)| {
            let run = Run::new(plan, slo, tier, time)?;
            let mut tests = vec![run.bad_for(true), run.bad_for(false)];
            tests.extend(run.outage());
            // Single moments are too few to tell thresholds of a short window apart.
            tests.extend(given::tests(plan, slo, tier, run.every));
            if i == 0 {
                tests.push(run.gone());
            }
            if i + 1 == slo.events.tiers.len() {
                tests.extend(run.shown());
            }
            let name = format!("{}-{}", rules::slo_file(slo), tier.name);
            let title = format!("{}, tier {}.", slo.alert_name, tier.name);
            let rules = [rules::slo_file(slo)];
            Some(test_file(name, title, &rules, run.every, tests))
        })
        .collect();
    files.unwrap_or_else(|| given::files(plan, slo).0)
}

struct Run<'a> {
    plan: &'a Plan,
    slo: &'a Slo,
    tier: &'a Tier,
    time: &'a TimeSli,
    series: String,
    /// Good and bad, as the page has them.
    values: [Number; 2],
    /// Moments in a minute.
    per_minute: u64,
    /// Minutes from evaluation to evaluation.
    every: u64,
}

impl<'a> Run<'a> {
    fn new(plan: &'a Plan, slo: &'a Slo, tier: &'a Tier, time: &'a TimeSli) -> Option<Self> {
        let family = time.signal.family()?;
        let set = labels::of(plan, &time.signal, family);
        let seconds = time.every.as_secs();
        let even = seconds > 0 && 60 % seconds == 0;
        // Each moment must be in as many recorded windows as any other.
        let every = burn::every(tier, 3).min(BASE_WINDOW.mins_up());
        (even && tier.threshold < HIGHEST).then_some(Self {
            plan,
            slo,
            tier,
            time,
            series: labels::series(family.names.first()?, &set),
            values: values_of(time).map(|value| value / time.signal.scale),
            per_minute: 60 / seconds,
            every,
        })
    }

    fn check(&self, at: u64, fires: bool) -> ExprCheck {
        burns(self.tier, at, fires)
    }

    /// Moments of good, bad and good time.
    fn test(&self, name: &str, phases: [u64; 3], checks: Vec<ExprCheck>) -> Test {
        let [good, bad] = self.values;
        let [before, during, after] = phases;
        let phases: [Phase; 3] = [(before, good), (during, bad), (after, good)];
        let input = Input {
            series: self.series.clone(),
            values: values::gauge(&phases),
        };
        Test::new(name, self.time.every.to_string(), vec![input], checks)
    }

    fn moments(&self, window: Duration) -> u64 {
        window.mins_up() * self.per_minute
    }

    /// Good minutes that fill a long window.
    fn history(&self) -> u64 {
        (self.tier.long.mins_up() + 10).next_multiple_of(self.every)
    }

    /// Minutes after which all that was bad is counted.
    fn lag(&self, window: Duration) -> u64 {
        if window > direct_up_to(&self.slo.events.sli) {
            BASE_WINDOW.mins_up()
        } else {
            0
        }
    }

    /// The moments that just exceed the threshold, or just do not.
    fn just(&self, exceeds: bool) -> u64 {
        let all = i128::from(self.moments(self.tier.long));
        let share = |n: i128, blur: Number| self.tier.threshold * n * (blur + 1);
        let blurred = self.tier.long > direct_up_to(&self.slo.events.sli);
        let found = match (exceeds, blurred) {
            (true, false) => share(all + 1, 0.into()).floor() + 1,
            (true, true) => share(all, BLUR).floor() + 2,
            (false, false) => share(all, 0.into()).ceil() - 1,
            (false, true) => share(all, -BLUR).ceil() - 2,
        };
        u64::try_from(found.to_integer()).unwrap_or(0)
    }

    fn bad_for(&self, exceeds: bool) -> Test {
        let (before, bad) = (self.history() * self.per_minute, self.just(exceeds));
        let end = (before + bad).div_ceil(self.per_minute) + self.lag(self.tier.long);
        let at = end.next_multiple_of(self.every);
        let after = (at + 1) * self.per_minute - before - bad;
        let name = match exceeds {
            true => "fires just above the threshold",
            false => "silent just below the threshold",
        };
        self.test(name, [before, bad, after], vec![self.check(at, exceeds)])
    }

    /// Bad for longer than the short window, then good again: the long window remembers, the short one does not.
    fn outage(&self) -> Option<Test> {
        let (short, long) = (self.tier.short.mins_up(), self.tier.long.mins_up());
        let allowed = self.tier.threshold * i128::from(long) * Number::new(3, 2);
        let allowed = u64::try_from(allowed.ceil().to_integer()).ok()?;
        let lasts = (short + short / 5)
            .max(allowed)
            .next_multiple_of(self.every);
        let start = self.history();
        let end = start + lasts;
        let still = end + short / 2 - (short / 2) % self.every;
        let resets =
            (end + short + self.lag(self.tier.short)).next_multiple_of(self.every) + self.every;
        if resets + self.every >= start + long {
            return None;
        }
        let phases = [start, lasts, resets + 1 - end].map(|minutes| minutes * self.per_minute);
        let [bad, all] = [naming::BAD_EVENTS, naming::TOTAL_EVENTS].map(|s| self.recorded(s));
        let checks = vec![
            self.check(end, true),
            self.check(still, true),
            self.check(resets, false),
            value_is(format!("count({bad} == {all})"), end, Some(1)),
            value_is(format!("count({bad} > 0)"), resets, None),
        ];
        let name = "fires in an outage and resets within the short window";
        Some(self.test(name, phases, checks))
    }

    /// A series recorded over the base window.
    fn recorded(&self, series: &str) -> Expr {
        of_window(series, BASE_WINDOW)
    }

    /// Time without the gauge is neither good nor bad.
    fn gone(&self) -> Test {
        let at = (30 + 15_u64).next_multiple_of(self.every);
        let ratio = self.recorded(naming::ERROR_RATIO);
        let mut checks = vec![
            value_is(format!("count({ratio})"), at, None),
            self.check(at, false),
        ];
        checks.extend(promised(&self.plan.service.name, self.slo, at));
        let phases = [30 * self.per_minute, 0, 0];
        self.test(
            "no data and silent while the gauge is missing",
            phases,
            checks,
        )
    }

    /// What the on-call person sees while all tiers fire.
    fn shown(&self) -> Option<Test> {
        let lasts = (self.tier.long.mins_up() + 15).next_multiple_of(self.every);
        let set = labels::of(self.plan, &self.time.signal, self.time.signal.family()?);
        let mut test = self.test(
            "shows the measured value",
            [0, (lasts + 1) * self.per_minute, 0],
            Vec::new(),
        );
        let shown = burn::all_shown(self.plan, self.slo, &set, lasts)?;
        test.alert_rule_test.push(shown);
        Some(test)
    }
}

/// Just good, and just bad.
fn values_of(time: &TimeSli) -> [Number; 2] {
    let (zero, bound) = (Number::from_integer(0), time.bound);
    let hair = if bound == zero {
        Number::new(1, 100)
    } else {
        bound / 100
    };
    match time.good {
        Good::Is(CompareOp::Above) => [bound + hair, bound],
        Good::Is(CompareOp::Below) => [bound - hair, bound],
        Good::Is(CompareOp::AtLeast) => [bound, bound - hair],
        Good::Is(CompareOp::AtMost) => [bound, bound + hair],
        Good::Equals if bound == zero => [zero, 1.into()],
        Good::Equals => [bound, zero],
    }
}
