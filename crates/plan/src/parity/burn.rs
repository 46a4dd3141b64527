//! Burn-rate tiers: one alarm for each of the two windows, and a composite alarm on both.
//!
//! The tier `1h` of `availability` becomes `…-availability-burn-1h-14.4x` and `…-burn-5m-14.4x` without actions, and
//! `…-burn-1h`, which has the tier's severity.

use super::builder::Builder;
use super::delivery::Scrapes;
use super::description::{description, with_notes};
use super::promql;
use super::value;
use crate::plan::cloudwatch::{
    Alarm, AlarmKind, Composite, Difference, Grade, MetricAlarm, NotExpressible, Note, Parity,
    Reference, Rule, Share, Suppressor, Test, Value, Verdict, What,
};
use crate::plan::{CompareOp, EventSli, EventSlo, HELD, Slo, Tier, words};
use crate::query::{self, bin, direct_ratio};
use slosmith_promql::ast::{BinaryOp, Expr};
use slosmith_spec::naming;
use slosmith_spec::spec::{Missing, Via};
use slosmith_text::units::{Duration, decimal, readable};

/// Seconds that a slower tier waits for a faster one: two evaluations.
const WAIT: u64 = 120;

impl Builder<'_> {
    /// All tiers of an SLO, fastest first; each is suppressed while a faster one fires.
    pub fn tiers(&mut self, slo: &Slo) {
        let mut faster: Option<(String, Duration)> = None;
        for tier in &slo.events.tiers {
            let name = naming::tier_alarm(self.service, &slo.name, &tier.name);
            let before = self.alarms.len();
            let verdict = match self.classic_tier(slo, tier, &name, faster.as_ref()) {
                Ok(notes) => Verdict::There(notes),
                Err(why) => self.promql_tier(slo, tier, &name, why),
            };
            self.tag(before, &tier.marks);
            let made = verdict.is_expressible();
            if made {
                faster = Some((name.clone(), tier.short));
            }
            self.parity.push(Parity {
                what: What::Slo,
                name: format!("{}: burn rate over {}", slo.name, tier.long),
                prometheus: Verdict::of_prometheus(slo.signals()),
                cloudwatch: verdict,
                resources: made.then_some(name).into_iter().collect(),
            });
        }
    }

    fn classic_tier(
        &mut self,
        slo: &Slo,
        tier: &Tier,
        name: &str,
        faster: Option<&(String, Duration)>,
    ) -> Result<Vec<Note>, NotExpressible> {
        let events = &slo.events;
        let (mut parts, mut scraped) = (Vec::new(), Scrapes::new());
        let mut notes = Vec::new();
        notes.extend(ends_with_data(slo, tier));
        let open: Vec<_> = self.told_apart(&slo.labels).cloned().collect();
        if !open.is_empty() {
            notes.push(Difference::OneForAll(open).at(Grade::Weaker));
        }
        if let EventSli::Ratio {
            part, good: false, ..
        } = &events.sli
            && !events.count_new_series
            && self.counts_beginnings(part)
        {
            notes.push(Difference::CountsBeginnings.at(Grade::Stronger));
        }
        for window in [tier.long, tier.short] {
            let timing = super::timing::once(window)?;
            if timing.is_hourly() {
                notes.push(Difference::Hourly.at(Grade::Weaker));
            }
            let share = value::bad_share(&events.sli, self.via, &mut scraped)?;
            let factor = decimal(tier.factor);
            let part = naming::window_alarm(self.service, &slo.name, window, &factor);
            let description = format!(
                "Part of {name}: burn rate > {} over {window}.",
                decimal(readable(tier.factor))
            );
            let kind = AlarmKind::Metric(Box::new(MetricAlarm {
                value: burn_rate(share, events, window == tier.long),
                label: "burn rate".to_owned(),
                test: Test::Threshold(CompareOp::Above, tier.factor),
                period: timing.period,
                evaluate: 1,
                datapoints: 1,
                missing: Missing::NotBreaching,
                low_samples: None,
            }));
            parts.push(Alarm::new(part, description, None, kind));
        }
        self.scraped.extend(scraped);
        let rule = parts.iter().map(|part| Rule::Alarm(part.name.clone()));
        let rule = Rule::All(rule.collect());
        for part in parts {
            if !self.alarms.iter().any(|alarm| alarm.name == part.name) {
                self.alarms.push(part);
            }
        }
        let reference = Verdict::of_prometheus(slo.signals()).reference();
        let description = with_notes(&described(slo, tier), &notes, reference);
        let kind = AlarmKind::Composite(Composite {
            rule,
            suppressor: faster.map(|(alarm, short)| Suppressor {
                alarm: alarm.clone(),
                wait: WAIT,
                extension: short.as_secs(),
            }),
        });
        let alarm = Alarm::new(name.to_owned(), description, Some(&tier.severity), kind);
        self.alarms.push(alarm);
        Ok(notes)
    }

    fn promql_tier(&mut self, slo: &Slo, tier: &Tier, name: &str, why: NotExpressible) -> Verdict {
        if self.via != Via::Otlp {
            return Verdict::Absent(vec![why]);
        }
        let events = &slo.events;
        let above = |window| -> Expr {
            let ratio = direct_ratio(&events.sli, &slo.labels, window);
            bin(BinaryOp::Gt, ratio, query::number(tier.threshold))
        };
        let mut query = bin(BinaryOp::And, above(tier.long), above(tier.short));
        let least = events.min_events;
        let enough = query::direct_enough(&events.sli, &slo.labels, tier.long, least);
        if let Some(enough) = enough.filter(|_| least > 0) {
            query = bin(BinaryOp::And, query, enough);
        }
        let query = self.ask(&query);
        let notes: Vec<_> = ends_with_data(slo, tier).into_iter().collect();
        match query
            .and_then(|query| promql::alarm(&query, Duration::default(), Duration::default()))
        {
            Ok(alarm) => {
                let description = with_notes(&described(slo, tier), &notes, Reference::Prometheus);
                let kind = AlarmKind::PromQl(alarm);
                let alarm = Alarm::new(name.to_owned(), description, Some(&tier.severity), kind);
                self.alarms.push(alarm);
                Verdict::There(notes)
            }
            Err(more) => Verdict::Absent(vec![why, more]),
        }
    }
}

/// An alarm has no last value of its short window.
fn ends_with_data(slo: &Slo, tier: &Tier) -> Option<Note> {
    let kept = slo.is_stored() && slo.events.is_held(tier);
    kept.then(|| Difference::EndsWithData(HELD).at(Grade::Weaker))
}

/// Events are counted over the long window, which is the period of its alarm.
fn burn_rate(share: Share, events: &EventSlo, long: bool) -> Value {
    let budget = events.budget.budget;
    match events.min_events {
        least if least > 0 && long => Value::BurnRateOf(share, budget, least),
        _ => Value::BurnRate(share, budget),
    }
}

/// The threshold as a burn rate, and the budget that is spent at this rate.
fn described(slo: &Slo, tier: &Tier) -> String {
    let what = format!(
        "{}: burn rate > {} over both {} and {}. At this rate, {}.{}",
        words::capital(&slo.title),
        decimal(readable(tier.factor)),
        tier.long,
        tier.short,
        words::spent(slo, tier),
        words::minimum(&slo.events, &tier.long.to_string()),
    );
    description(&what, None, None, &slo.links)
}
