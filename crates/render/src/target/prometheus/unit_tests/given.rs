//! Tests of burn-rate alerts on recorded ratios, where good and bad in the author's PromQL are unknown.

use super::{burn, burns, labels, minutes, own, promised, share_of, test_file};
use crate::target::prometheus::rules;
use crate::target::prometheus::view::{AlertCheck, Input, Named, Test, TestFile};
use slosmith_plan::plan::{BASE_WINDOW, Plan, Slo, Tier, slo_series};
use slosmith_plan::query::direct_up_to;
use slosmith_promql::ast::Selector;
use slosmith_spec::naming;
use slosmith_text::units::{Duration, Number, decimal, float};

/// Just beyond a threshold, and just short of it.
const BEYOND: Number = Number::new_raw(101, 100);
const SHORT_OF: Number = Number::new_raw(99, 100);

/// The minute that is looked at, or the first evaluation after it; the ratios are held up to it.
const LOOK: u64 = 10;

/// A file for each tier, and whether they test each threshold.
pub(super) fn files(plan: &Plan, slo: &Slo) -> (Vec<Named<TestFile>>, bool) {
    let events = &slo.events;
    let mut is_whole = true;
    let file = |(i, tier): (usize, &Tier)| {
        let name = format!("{}-{}", rules::slo_file(slo), tier.name);
        let title = format!(
            "{}, tier {}, of ratios as recorded.",
            slo.alert_name, tier.name
        );
        let every = burn::every(tier, 3);
        let run = own::Run::new(plan, slo, tier, every);
        let mut tests = match events.min_events {
            0 => tests(plan, slo, tier, every),
            _ => run.as_ref().and_then(own::Run::enough).unwrap_or_default(),
        };
        is_whole &= !tests.is_empty();
        if let Some(first) = tests.first_mut().filter(|_| i == 0) {
            let at = LOOK.next_multiple_of(every);
            first
                .promql_expr_test
                .extend(promised(&plan.service.name, slo, at));
        }
        let run = run.as_ref();
        tests.extend(run.and_then(own::Run::windows));
        tests.extend(run.and_then(own::Run::without_part));
        if i == 0 && events.min_events > 0 {
            tests.extend(run.and_then(own::Run::all_fire));
        }
        if i == 0 && events.counted.is_none() {
            let look = LOOK.next_multiple_of(every);
            let run = Run {
                plan,
                slo,
                tier,
                look,
            };
            tests.extend(run.all_fire());
        }
        test_file(name, title, &[rules::slo_file(slo)], every, tests)
    };
    let files = events.tiers.iter().enumerate().map(file).collect();
    (files, is_whole)
}

/// A file for each tier of an SLO on counted events whose windows are too short or too long for tests on recorded events.
pub(super) fn thresholds(plan: &Plan, slo: &Slo) -> Vec<Named<TestFile>> {
    let file = |tier: &Tier| {
        let name = format!("{}-{}", rules::slo_file(slo), tier.name);
        let title = format!(
            "{}, tier {}, of ratios as recorded.",
            slo.alert_name, tier.name
        );
        let every = burn::every(tier, 3);
        let tests = tests(plan, slo, tier, every);
        test_file(name, title, &[rules::slo_file(slo)], every, tests)
    };
    slo.events.tiers.iter().map(file).collect()
}

/// Both windows beyond a tier's threshold, and one of them short of it, where rules are evaluated every so many minutes.
pub(super) fn tests(plan: &Plan, slo: &Slo, tier: &Tier, every: u64) -> Vec<Test> {
    let run = Run {
        plan,
        slo,
        tier,
        look: LOOK.next_multiple_of(every),
    };
    vec![
        run.test(
            "fires above the threshold in both windows",
            [BEYOND, BEYOND],
        ),
        run.test(
            "silent below the threshold in the long window",
            [SHORT_OF, BEYOND],
        ),
        run.test(
            "silent below the threshold in the short window",
            [BEYOND, SHORT_OF],
        ),
    ]
}

struct Run<'a> {
    plan: &'a Plan,
    slo: &'a Slo,
    tier: &'a Tier,
    look: u64,
}

impl Run<'_> {
    fn test(&self, name: &str, shares: [Number; 2]) -> Test {
        let windows = [self.tier.long, self.tier.short];
        let levels = shares.map(|share| share_of(self.tier.threshold, share));
        let inputs = windows.iter().zip(levels);
        let fires = shares == [BEYOND, BEYOND];
        let shown = self.shown(levels[0]).filter(|_| fires);
        let inputs = inputs.map(|(window, level)| self.input(*window, level));
        let checks = vec![burns(self.tier, self.look, fires)];
        Test {
            alert_rule_test: shown.into_iter().collect(),
            ..Test::new(name, minutes(1), inputs.collect(), checks)
        }
    }

    fn input(&self, window: Duration, level: Number) -> Input {
        let service = &self.plan.service.name;
        let series = slo_series(
            naming::ERROR_RATIO,
            service,
            &self.slo.name,
            &window.to_string(),
        );
        let series =
            labels::groups(self.slo)
                .iter()
                .fold(series, |series: Selector, (label, value)| {
                    series.matcher(label, slosmith_promql::ast::MatchOp::Equal, value)
                });
        Input {
            series: series.to_string(),
            values: format!("{}+0x{}", decimal(level), self.look),
        }
    }

    /// The alerts of all tiers as the on-call person sees them, where long windows read the same ratios as short ones.
    fn all_fire(&self) -> Option<Test> {
        let tiers = self.slo.events.tiers.iter();
        let mut read: Vec<_> = tiers.flat_map(|tier| [tier.long, tier.short]).collect();
        read.push(BASE_WINDOW);
        read.retain(|window| *window <= direct_up_to(&self.slo.events.sli));
        read.sort();
        read.dedup();
        let inputs = read
            .into_iter()
            .map(|window| self.input(window, Number::from_integer(1)));
        let shown = burn::all_shown(self.plan, self.slo, &labels::groups(self.slo), self.look)?;
        Some(burn::of_all_tiers(inputs.collect(), shown))
    }

    /// The alert as the on-call person sees it, where no other tier reads the same ratios.
    fn shown(&self, level: Number) -> Option<AlertCheck> {
        self.slo.events.counted.as_ref()?;
        let (plan, value) = (self.plan, float(level));
        let alert = burn::expected(plan, self.slo, self.tier, &labels::groups(self.slo), value);
        Some(AlertCheck {
            eval_time: minutes(self.look),
            alertname: self.slo.alert_name.clone(),
            exp_alerts: vec![alert?],
        })
    }
}
