//! Alarms: from the conditions of alerts to what CloudWatch can watch.
//!
//! `{all: [usage above 90 %, preemptions above 10/min]}` becomes two metric alarms without actions, and a composite
//! one on both, which has the alert's name and severity.

use super::builder::Builder;
use super::delivery::Scrapes;
use super::promql;
use super::timing::{self, Timing};
use super::value::{self, Purpose, SignalValue, ValueRequest};
use crate::cloudwatch::{Statistic, limits};
use crate::diag::Diagnostic;
use crate::naming;
use crate::plan::cloudwatch::{
    Alarm, AlarmKind, Composite, Difference, Dimensions, MetricAlarm, MetricStat, NotExpressible,
    Parity, Rule, Test, Value, Verdict, What,
};
use crate::plan::{Absent, Bound, Compare, CompareOp, Condition, Marks, Outside, Query};
use crate::source::{Span, Spanned};
use crate::spec::{AlarmOverride, LowSamples, Missing, Side, Stat, Via};
use crate::units::{Duration, Number, Unit, shown};

/// Standard deviations of the band that replaces a comparison with the past.
const USUAL_BAND: Number = Number::new_raw(2, 1);

/// An alert, or an objective's alert, that wants an alarm.
pub struct AlarmRequest<'a> {
    /// What it was made from.
    pub what: What,
    /// What the parity report calls it.
    pub name: String,
    /// Name of the alarm.
    pub alarm: String,
    /// Where it is declared.
    pub at: Span,
    /// For people.
    pub description: String,
    /// Whose actions it takes.
    pub severity: &'a str,
    /// When it fires.
    pub condition: &'a Condition,
    /// How long that must hold.
    pub hold: Duration,
    /// True when it compares with recorded series, which only Prometheus has.
    pub recorded: bool,
    /// What else the alert carries.
    pub marks: &'a Marks,
    /// What the author wants otherwise.
    pub over: Option<&'a Spanned<AlarmOverride>>,
}

/// Alarms of one alert, until it is known that all of it can be said.
#[derive(Default)]
struct Draft {
    alarms: Vec<Alarm>,
    differences: Vec<Difference>,
    scraped: Scrapes,
    /// Numbers the parts; an alert of one part has none.
    parts: Option<usize>,
}

impl Draft {
    fn note(&mut self, difference: Difference) {
        if !self.differences.contains(&difference) {
            self.differences.push(difference);
        }
    }
}

impl Builder<'_> {
    /// Makes the alarm of an alert, or says why there is none.
    pub fn alert(&mut self, request: &AlarmRequest<'_>) {
        self.check_name(request);
        let made = self.alarms.len();
        let leaf = matches!(
            request.condition,
            Condition::Compare(_) | Condition::Absent(_) | Condition::Raw(_)
        );
        let mut draft = Draft {
            parts: (!leaf).then_some(0),
            ..Draft::default()
        };
        let verdict = match self.condition(&mut draft, request, request.condition) {
            Ok(rule) => self.adopt(request, draft, rule),
            Err(why) => self.by_promql(request, why),
        };
        self.tag(made, request.marks);
        self.parity.push(Parity {
            what: request.what,
            name: request.name.clone(),
            prometheus: Verdict::of(interpolated(request.condition)),
            resource: verdict.is_expressible().then(|| request.alarm.clone()),
            cloudwatch: verdict,
        });
    }

    fn check_name(&mut self, request: &AlarmRequest<'_>) {
        let at = request.over.and_then(|over| over.value.name.as_ref());
        let at = at.map_or(request.at, |name| name.span);
        if !limits::is_alarm_name(&request.alarm) {
            let most = limits::NAME;
            let message =
                format!("an alarm's name has 1 to {most} characters, none of them for control");
            let error = Diagnostic::error("alarm-limit", at, message);
            self.sink.push(error);
        }
        if self.alarms.iter().any(|alarm| alarm.name == request.alarm) {
            let message = format!("two alarms would be called `{}`", request.alarm);
            self.sink
                .push(Diagnostic::error("duplicate-name", at, message));
        }
    }

    /// Takes over what was made, with the alert's severity on its outermost alarm.
    fn adopt(&mut self, request: &AlarmRequest<'_>, mut draft: Draft, rule: Rule) -> Verdict {
        match rule {
            Rule::Alarm(_) => {
                if let Some(alarm) = draft.alarms.last_mut() {
                    alarm.severity = Some(request.severity.to_owned());
                }
            }
            rule => draft.alarms.push(Alarm {
                name: request.alarm.clone(),
                description: request.description.clone(),
                severity: Some(request.severity.to_owned()),
                tags: Vec::new(),
                kind: AlarmKind::Composite(Composite {
                    rule,
                    suppressor: None,
                }),
            }),
        }
        self.alarms.extend(draft.alarms);
        self.scraped.extend(draft.scraped);
        Verdict::of(draft.differences)
    }

    fn by_promql(&mut self, request: &AlarmRequest<'_>, why: NotExpressible) -> Verdict {
        if self.via != Via::Otlp {
            return Verdict::NotExpressible(vec![why]);
        }
        if request.recorded {
            return Verdict::NotExpressible(vec![why, NotExpressible::NeedsRecords]);
        }
        let query = self.ask(&request.condition.query().expr);
        match query.and_then(|query| promql::alarm(&query, request.hold)) {
            Ok(alarm) => {
                self.alarms.push(Alarm {
                    name: request.alarm.clone(),
                    description: request.description.clone(),
                    severity: Some(request.severity.to_owned()),
                    tags: Vec::new(),
                    kind: AlarmKind::PromQl(alarm),
                });
                Verdict::Identical
            }
            Err(more) => Verdict::NotExpressible(vec![why, more]),
        }
    }

    fn condition(
        &mut self,
        draft: &mut Draft,
        request: &AlarmRequest<'_>,
        condition: &Condition,
    ) -> Result<Rule, NotExpressible> {
        match condition {
            Condition::Compare(c) => self.compare(draft, request, c),
            Condition::Absent(a) => self.absent(draft, request, a),
            Condition::Raw(raw) if raw.words.is_some() => Err(NotExpressible::Correlation),
            Condition::Raw(_) => Err(NotExpressible::AuthorsPromQl),
            Condition::All(parts, query) => {
                joined(draft, parts, query);
                Ok(Rule::All(self.parts(draft, request, parts)?))
            }
            Condition::Any(parts, _) => Ok(Rule::Any(self.parts(draft, request, parts)?)),
            Condition::Unless(parts, query) => {
                joined(draft, &parts[..], query);
                let first = self.condition(draft, request, &parts[0])?;
                let second = self.condition(draft, request, &parts[1])?;
                Ok(Rule::Unless(Box::new([first, second])))
            }
        }
    }

    fn parts(
        &mut self,
        draft: &mut Draft,
        request: &AlarmRequest<'_>,
        parts: &[Condition],
    ) -> Result<Vec<Rule>, NotExpressible> {
        parts
            .iter()
            .map(|part| self.condition(draft, request, part))
            .collect()
    }

    fn compare(
        &mut self,
        draft: &mut Draft,
        request: &AlarmRequest<'_>,
        c: &Compare,
    ) -> Result<Rule, NotExpressible> {
        if let Bound::Outside(o) = &c.bound
            && o.sides().any(|(_, limit)| limit.is_some())
        {
            return self.limited(draft, request, c, o);
        }
        let statistic = timing::statistic(self.sink, request.over);
        let found = value::read(ValueRequest {
            signal: &c.signal,
            stat: c.stat,
            purpose: match is_upper(&c.bound) {
                true => Purpose::HighAlarm,
                false => Purpose::LowAlarm,
            },
            statistic: statistic.as_ref(),
            by: &[],
            via: self.via,
        })?;
        let timing = timing::of(c, request.hold)?.with(self.sink, request.over);
        for difference in &found.differences {
            draft.note(difference.clone());
        }
        one_for_all(draft, &c.query, &found.value);
        match request.over.filter(|over| over.value.changes_timing()) {
            Some(_) => chosen(draft, &found.value, timing),
            None => held(draft, c, request.hold, timing),
        }
        let test = test(draft, c, &found, timing);
        draft.scraped.extend(found.scraped.iter().cloned());
        let over = request.over.map(|over| &over.value);
        let extended = |stat: &&MetricStat| stat.statistic.is_extended();
        let percentile = found.value.metrics().iter().any(extended);
        let low_samples = over.and_then(|over| over.low_samples).map(|low| low.value);
        let alarm = MetricAlarm {
            test,
            period: timing.period,
            evaluate: timing.evaluate,
            datapoints: timing.datapoints,
            missing: over
                .and_then(|over| over.missing)
                .map_or(usual_missing(c), |missing| missing.value),
            low_samples: percentile.then(|| low_samples.unwrap_or(LowSamples::Evaluate)),
            value: found.value,
            label: c.signal.title.clone(),
        };
        Ok(push(draft, request, alarm))
    }

    /// A band has no limit beside it: each side is an alarm on its band and one on its limit.
    fn limited(
        &mut self,
        draft: &mut Draft,
        request: &AlarmRequest<'_>,
        c: &Compare,
        o: &Outside,
    ) -> Result<Rule, NotExpressible> {
        draft.parts.get_or_insert(0);
        let mut sides = Vec::new();
        for (op, limit) in o.sides() {
            let band = Bound::Outside(Outside {
                side: if op.is_upper() { Side::High } else { Side::Low },
                floor: None,
                ceiling: None,
                ..o.clone()
            });
            let limit = limit.map(|l| Bound::Fixed(op, l.value, l.text.clone()));
            let parts = [Some(band), limit].into_iter().flatten().map(|bound| {
                let part = Compare { bound, ..c.clone() };
                self.compare(draft, request, &part)
            });
            sides.push(only_or(Rule::All, parts.collect::<Result<_, _>>()?));
        }
        Ok(only_or(Rule::Any, sides))
    }

    /// No sample at all: silence is the fault.
    fn absent(
        &mut self,
        draft: &mut Draft,
        request: &AlarmRequest<'_>,
        a: &Absent,
    ) -> Result<Rule, NotExpressible> {
        let samples = Statistic::SampleCount;
        let samples = value::metric_stat(&a.signal, samples, &[], self.via, &mut draft.scraped)?;
        let value = Value::Statistic(samples);
        one_for_all(draft, &a.query, &value);
        draft.note(Difference::AllSilent);
        let timing = timing::each_minute(request.hold)?.with(self.sink, request.over);
        let alarm = MetricAlarm {
            value,
            label: a.signal.title.clone(),
            test: Test::Threshold(CompareOp::Below, Number::from_integer(1)),
            period: timing.period,
            evaluate: timing.evaluate,
            datapoints: timing.datapoints,
            missing: Missing::Breaching,
            low_samples: None,
        };
        Ok(push(draft, request, alarm))
    }
}

/// A single rule needs nothing around it.
fn only_or(several: fn(Vec<Rule>) -> Rule, mut rules: Vec<Rule>) -> Rule {
    match rules.len() {
        1 => rules.remove(0),
        _ => several(rules),
    }
}

fn push(draft: &mut Draft, request: &AlarmRequest<'_>, alarm: MetricAlarm) -> Rule {
    let name = match &mut draft.parts {
        None => request.alarm.clone(),
        Some(parts) => {
            *parts += 1;
            naming::alarm_part(&request.alarm, *parts)
        }
    };
    draft.alarms.push(Alarm {
        name: name.clone(),
        description: request.description.clone(),
        severity: None,
        tags: Vec::new(),
        kind: AlarmKind::Metric(Box::new(alarm)),
    });
    Rule::Alarm(name)
}

fn is_upper(bound: &Bound) -> bool {
    match bound {
        Bound::Fixed(op, ..) | Bound::Times(op, ..) => op.is_upper(),
        Bound::Outside(outside) => outside.side != Side::Low,
    }
}

/// Silence of something that says whether it is up is a fault; of anything else it is no traffic.
fn usual_missing(c: &Compare) -> Missing {
    match c.signal.unit == Unit::Bool && !is_upper(&c.bound) {
        true => Missing::Breaching,
        false => Missing::NotBreaching,
    }
}

fn test(draft: &mut Draft, c: &Compare, found: &SignalValue, timing: Timing) -> Test {
    match &c.bound {
        Bound::Fixed(op, value, _) => Test::Threshold(*op, threshold(c, *value, found, timing)),
        Bound::Times(op, factor, baseline) => {
            draft.note(Difference::LearntBand {
                width: USUAL_BAND,
                factor: *factor,
                baseline: *baseline,
            });
            let side = if op.is_upper() { Side::High } else { Side::Low };
            Test::Band(side, USUAL_BAND)
        }
        Bound::Outside(o) => {
            draft.note(Difference::LearntFrom(o.window));
            Test::Band(o.side, o.sigma)
        }
    }
}

/// The bound in the metric's unit; one on a rate grows with the period that is added up.
fn threshold(c: &Compare, value: Number, found: &SignalValue, timing: Timing) -> Number {
    let period = Number::from_integer(i128::from(timing.period));
    let per = c.unit.per.map_or(1, |per| i128::from(per.seconds));
    let amount = match (found.adds_up, c.stat) {
        (true, Stat::Increase) => value * period / c.window.number(),
        (true, _) => value / per * period,
        (false, _) => value / per,
    };
    amount / found.worth
}

/// One alarm has no groups.
fn one_for_all(draft: &mut Draft, query: &Query, value: &Value) {
    let metrics = value.metrics();
    let fixed: Vec<_> = metrics
        .iter()
        .filter_map(|metric| match &metric.dimensions {
            Dimensions::Exactly(pairs) => Some(pairs),
            Dimensions::Each(_) => None,
        })
        .flatten()
        .collect();
    let open = query.labels.iter();
    let open = open.filter(|label| !fixed.iter().any(|(name, _)| name == *label));
    let open: Vec<_> = open.cloned().collect();
    if !open.is_empty() {
        draft.note(Difference::OneForAll(open));
    }
}

fn joined(draft: &mut Draft, parts: &[Condition], query: &Query) {
    if !query.labels.is_empty() && parts.len() > 1 {
        draft.note(Difference::PartsNotJoined);
    }
}

/// What the author wants in place of the alert's own look-back.
fn chosen(draft: &mut Draft, value: &Value, timing: Timing) {
    if let Some(metric) = value.metrics().first() {
        draft.note(Difference::AuthorsTiming {
            statistic: metric.statistic.clone(),
            period: Duration::from_secs(timing.period),
            datapoints: timing.datapoints,
            evaluate: timing.evaluate,
        });
    }
}

/// How holding differs.
fn held(draft: &mut Draft, c: &Compare, hold: Duration, chosen: Timing) {
    if timing::is_instant(&c.signal, c.stat)
        || hold.as_secs() == 0
        || matches!(c.bound, Bound::Outside(_))
    {
        return;
    }
    let period = Duration::from_secs(chosen.period);
    draft.note(
        if chosen.evaluate == 1 && hold == period && c.window == period {
            Difference::LooksOnce { over: period }
        } else {
            Difference::LooksRarely {
                datapoints: chosen.datapoints,
                evaluate: chosen.evaluate,
                period,
                window: c.window,
                hold,
            }
        },
    );
}

/// Prometheus interpolates a percentile between two boundaries, which CloudWatch knows exactly.
fn interpolated(condition: &Condition) -> Vec<Difference> {
    let parts: &[Condition] = match condition {
        Condition::All(parts, _) | Condition::Any(parts, _) => parts,
        Condition::Unless(parts, _) => &parts[..],
        _ => std::slice::from_ref(condition),
    };
    let compares = parts.iter().filter_map(|part| match part {
        Condition::Compare(c) => Some(c),
        _ => None,
    });
    compares.filter_map(|c| between(c)).collect()
}

fn between(c: &Compare) -> Option<Difference> {
    let (Stat::Quantile(_), Bound::Fixed(_, value, text)) = (c.stat, &c.bound) else {
        return None;
    };
    let raw = *value / c.signal.scale;
    let buckets = &c.signal.family()?.buckets;
    if buckets.iter().any(|bucket| bucket.bound == raw) {
        return None;
    }
    let below = buckets.iter().rev().find(|bucket| bucket.bound < raw)?;
    let above = buckets.iter().find(|bucket| bucket.bound > raw)?;
    let shown = |bound: Number| shown(bound * c.signal.scale, c.signal.unit);
    Some(Difference::Interpolated {
        bound: text.clone(),
        below: shown(below.bound),
        above: shown(above.bound),
    })
}
