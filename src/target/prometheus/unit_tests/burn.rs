//! Tests of burn-rate alerts, one file per tier.

use super::drive::{Driver, Level};
use super::{firing, minutes, slo_rule_file, step_for, test_file, value_is};
use crate::naming::{self, SLO, TIER};
use crate::plan::{EventSli, EventSlo, Plan, Slo, Tier};
use crate::promql::ast::Expr;
use crate::resolve::{BASE_WINDOW, slo_series};
use crate::target::prometheus::annotations;
use crate::target::prometheus::rules;
use crate::target::prometheus::view::{AlertCheck, ExpectedAlert, Input, Named, Test, TestFile};
use crate::units::{Duration, Number};

/// Windows up to this one read counters; longer ones sum ratios recorded over the base window.
const DIRECT_UP_TO: Duration = Duration::from_secs(3_600);

/// All files of an SLO's tiers; idle traffic and missing series are tested with the first.
pub(super) fn files(plan: &Plan, slo: &Slo, events: &EventSlo) -> Vec<Named<TestFile>> {
    let tier_file = |(i, tier): (usize, &Tier)| {
        let step = step_for(tier.long.min(Duration::from_secs(3 * 86_400)), 2);
        let run = Run {
            plan,
            slo,
            events,
            tier,
            driver: Driver {
                plan,
                step,
                weights: &[],
            },
        };
        let mut tests = vec![run.sustained()?, run.outage()?, run.near()?];
        if i == 0 {
            tests.extend([run.idle()?, run.no_series()?].into_iter().flatten());
        }
        let name = format!("{}-{}", rules::slo_file(slo), tier.name);
        let title = format!("{}, tier {}.", slo.alert_name, tier.name);
        Some(test_file(name, title, &[slo_rule_file(slo)], step, tests))
    };
    events
        .tiers
        .iter()
        .enumerate()
        .filter_map(tier_file)
        .collect()
}

/// Series for an SLI at error ratios; without `parts`, no series counts the part.
pub(super) fn inputs(
    driver: &Driver<'_>,
    events: &EventSlo,
    levels: &[Level],
    parts: bool,
) -> Option<Vec<Input>> {
    match &events.sli {
        EventSli::Ratio { part, good, total } => driver.events(part, *good, total, levels, parts),
        EventSli::Latency { signal, within } => driver.latency(signal, within, levels),
    }
}

struct Run<'a> {
    plan: &'a Plan,
    slo: &'a Slo,
    events: &'a EventSlo,
    tier: &'a Tier,
    driver: Driver<'a>,
}

/// Minutes, from the first at which something may be to the first at which it surely is.
struct Minutes {
    earliest: u64,
    latest: u64,
}

fn float(n: Number) -> f64 {
    *n.numer() as f64 / *n.denom() as f64
}

impl Run<'_> {
    fn minutes(&self, window: Duration) -> f64 {
        window.as_secs() as f64 / 60.0
    }

    /// When a window's ratio has moved by `share` of the change: sums over recorded ratios lag by the base
    /// window, and each sample may count or not at either end.
    fn until(&self, share: f64, window: Duration) -> Minutes {
        let (step, length) = (self.driver.step as f64, self.minutes(window));
        let lag = if window > DIRECT_UP_TO {
            self.minutes(BASE_WINDOW) + 2.0 * step
        } else {
            0.0
        };
        let floor = |x: f64| x.max(0.0).floor() as u64;
        let down = |m: u64| m - m % self.driver.step;
        let up = |m: u64| m.next_multiple_of(self.driver.step);
        Minutes {
            earliest: down(floor(share * (length - step))).max(self.driver.step),
            latest: up(floor(share * (length + step) + lag) + 1),
        }
    }

    fn check(&self, at: u64, fires: bool) -> crate::target::prometheus::view::ExprCheck {
        firing(
            &self.slo.alert_name,
            &[(SLO, &self.slo.name), (TIER, &self.tier.name)],
            at,
            fires,
        )
    }

    /// Good minutes before a fault: what a window still holds of them when the alert fires.
    fn history(&self) -> u64 {
        let minutes = self.tier.long.mins_up() / 10 + 15;
        minutes.next_multiple_of(self.driver.step)
    }

    fn levels(&self, phases: &[(u64, Number)]) -> Vec<Level> {
        let steps = |minutes: u64| minutes.div_ceil(self.driver.step);
        phases
            .iter()
            .map(|(m, ratio)| (steps(*m), Some(*ratio)))
            .collect()
    }

    fn test(&self, name: &str, levels: &[Level]) -> Option<Test> {
        Some(Test {
            name: name.to_owned(),
            interval: minutes(self.driver.step),
            input_series: inputs(&self.driver, self.events, levels, true)?,
            alert_rule_test: Vec::new(),
            promql_expr_test: Vec::new(),
        })
    }

    /// A share of the way from the threshold to a full outage, at most the given multiple of it.
    fn beyond(&self, percent: i128) -> Number {
        let threshold = self.tier.threshold;
        let halfway = (threshold + 1) / 2;
        (threshold * Number::new(percent, 100)).min(halfway)
    }

    /// Slightly above the threshold: fires once the long window is nearly full of it.
    fn sustained(&self) -> Option<Test> {
        let ratio = self.beyond(105);
        let start = self.history();
        let fires = self.until(float(self.tier.threshold / ratio), self.tier.long);
        let full = (self.tier.long.mins_up() + self.tier.long.mins_up() / 10 + 15)
            .next_multiple_of(self.driver.step);
        let levels = self.levels(&[(start, Number::from_integer(0)), (full, ratio)]);
        let mut test = self.test("fires just above the threshold", &levels)?;
        let step = self.driver.step;
        test.promql_expr_test = vec![
            self.check(start + fires.earliest - step, false),
            self.check(start + fires.latest, true),
        ];
        test.alert_rule_test = self.shown(ratio, start + full).into_iter().collect();
        Some(test)
    }

    /// The alert as the on-call person sees it; only where no other tier fires beside it.
    fn shown(&self, ratio: Number, at: u64) -> Option<AlertCheck> {
        let others = self
            .events
            .tiers
            .iter()
            .filter(|t| t.name != self.tier.name);
        if others.clone().any(|t| t.threshold < ratio) {
            return None;
        }
        let set = self.label_set()?;
        let mut labels = rules::burn_labels(self.plan, self.slo, self.tier);
        labels.insert(naming::WINDOW.into(), self.tier.long.to_string());
        for label in &self.slo.labels {
            labels.insert(label.clone(), set.get(label)?.clone());
        }
        let annotations = annotations::burn(self.slo, self.events, self.tier);
        Some(AlertCheck {
            eval_time: minutes(at),
            alertname: self.slo.alert_name.clone(),
            exp_alerts: vec![ExpectedAlert {
                exp_annotations: annotations.shown(float(ratio), &labels)?,
                exp_labels: labels,
            }],
        })
    }

    fn label_set(&self) -> Option<super::labels::LabelSet> {
        let signal = match &self.events.sli {
            EventSli::Ratio { total, .. } => total,
            EventSli::Latency { signal, .. } => signal,
        };
        Some(super::labels::of(self.plan, signal, signal.family()?))
    }

    /// Everything fails: fires early, and resets about one short window after recovery.
    fn outage(&self) -> Option<Test> {
        let (one, zero) = (Number::from_integer(1), Number::from_integer(0));
        let share = float(self.tier.threshold);
        let (start, step) = (self.history(), self.driver.step);
        let fires = self.until(share, self.tier.long);
        let short = self.minutes(self.tier.short);
        let lasts = (fires.latest.max(short as u64 + 10) + step).next_multiple_of(step);
        // The long window still remembers the outage when the short one has forgotten it.
        let resets = self.until(1.0 - share, self.tier.short);
        let long_share = lasts as f64 / (self.minutes(self.tier.long) + step as f64);
        if long_share <= share {
            return None;
        }
        let after = resets.latest + 3 * step;
        let levels = self.levels(&[(start, zero), (lasts, one), (after, zero)]);
        let mut test = self.test(
            "fires early in an outage and resets within the short window",
            &levels,
        )?;
        test.promql_expr_test = vec![
            self.check(start + fires.latest, true),
            self.check(start + lasts + resets.earliest - step, true),
            self.check(start + lasts + resets.latest, false),
        ];
        Some(test)
    }

    fn near(&self) -> Option<Test> {
        let ratio = self.tier.threshold * Number::new(95, 100);
        let full = (self.tier.long.mins_up() * 12 / 10 + 15).next_multiple_of(self.driver.step);
        let levels = self.levels(&[(full, ratio)]);
        let mut test = self.test("silent just below the threshold", &levels)?;
        test.promql_expr_test = vec![self.check(full, false)];
        Some(test)
    }

    fn ratio(&self) -> String {
        let base = BASE_WINDOW.to_string();
        let service = &self.plan.service.name;
        let series = slo_series(naming::ERROR_RATIO, service, &self.slo.name, &base);
        Expr::from(series).to_string()
    }

    /// No traffic after some: no ratio, above all no NaN, and no alert.
    fn idle(&self) -> Option<Option<Test>> {
        let levels = [(30, Some(Number::from_integer(0))), (20, None)];
        let mut test = self.test("no data and silent without traffic", &levels)?;
        let total = slo_series(
            naming::TOTAL_EVENTS,
            &self.plan.service.name,
            &self.slo.name,
            &BASE_WINDOW.to_string(),
        );
        let at = 45 * self.driver.step;
        test.promql_expr_test = vec![
            value_is(format!("count({})", self.ratio()), at, None),
            value_is(format!("sum({})", Expr::from(total)), at, Some(0)),
            self.check(at, false),
        ];
        Some(Some(test))
    }

    /// No series of the part yet: bad events are none, and everything evaluates.
    fn no_series(&self) -> Option<Option<Test>> {
        let EventSli::Ratio { good: false, .. } = &self.events.sli else {
            return Some(None);
        };
        let levels = [(30, Some(Number::from_integer(0)))];
        let mut test = self.test("evaluates before the first bad event", &levels)?;
        test.input_series = inputs(&self.driver, self.events, &levels, false)?;
        let at = 20 * self.driver.step;
        test.promql_expr_test = vec![
            value_is(format!("sum({})", self.ratio()), at, Some(0)),
            self.check(at, false),
        ];
        Some(Some(test))
    }
}
