//! Alarms: from the conditions of alerts to what CloudWatch can watch.

use super::promql;
use super::timing::{self, Timing};
use super::value::{self, Found, Wanted};
use crate::diag::Diagnostic;
use crate::naming;
use crate::plan::cloudwatch::{
    Alarm, AlarmKind, Composite, MetricAlarm, Parity, Rule, Test, Value, Verdict, What,
};
use crate::plan::{Absent, Bound, Compare, CompareOp, Condition, Kind, Query, Signal};
use crate::resolve::context::Context;
use crate::source::{Span, Spanned};
use crate::spec::{AlarmOverride, Baseline, LowSamples, Missing, Side, Stat, Via};
use crate::units::{Duration, Number, Unit, decimal, shown};

/// Standard deviations of the band that stands in for a comparison with the past.
const USUAL_BAND: Number = Number::new_raw(2, 1);

/// What the alarms of a service are made with.
pub(super) struct Builder<'a, 'b> {
    pub(super) cx: &'a mut Context<'b>,
    pub(super) via: Via,
    pub(super) service: String,
    pub(super) alarms: Vec<Alarm>,
    pub(super) parity: Vec<Parity>,
    pub(super) scraped: Vec<(Signal, Vec<String>)>,
}

/// An alert, or an objective's alert, that wants an alarm.
pub(super) struct Wish<'a> {
    pub(super) what: What,
    /// What the parity report calls it.
    pub(super) name: String,
    pub(super) alarm: String,
    pub(super) at: Span,
    pub(super) description: String,
    pub(super) severity: &'a str,
    pub(super) condition: &'a Condition,
    pub(super) hold: Duration,
    /// True when it compares with recorded series, which only Prometheus has.
    pub(super) recorded: bool,
    pub(super) over: Option<&'a Spanned<AlarmOverride>>,
}

/// Alarms of one alert, until it is known that all of it can be said.
#[derive(Default)]
struct Draft {
    alarms: Vec<Alarm>,
    notes: Vec<String>,
    scraped: Vec<(Signal, Vec<String>)>,
    /// Numbers the parts; an alert of one part has none.
    parts: Option<usize>,
}

impl Draft {
    fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

impl Builder<'_, '_> {
    /// Makes the alarm of an alert, or says why there is none.
    pub(super) fn alert(&mut self, wish: &Wish<'_>) {
        self.check_name(wish);
        let leaf = matches!(
            wish.condition,
            Condition::Compare(_) | Condition::Absent(_) | Condition::Raw(_)
        );
        let mut draft = Draft {
            parts: (!leaf).then_some(0),
            ..Draft::default()
        };
        let made = self.condition(&mut draft, wish, wish.condition);
        let verdict = match made {
            Ok(rule) => self.adopt(wish, draft, rule),
            Err(why) => self.by_promql(wish, why),
        };
        let resource = !matches!(verdict, Verdict::NotExpressible(_));
        self.parity.push(Parity {
            what: wish.what,
            name: wish.name.clone(),
            prometheus: Verdict::of(interpolated(wish.condition)),
            cloudwatch: verdict,
            resource: resource.then(|| wish.alarm.clone()),
        });
    }

    fn check_name(&mut self, wish: &Wish<'_>) {
        let at = wish.over.and_then(|over| over.value.name.as_ref());
        let at = at.map_or(wish.at, |name| name.span);
        let length = wish.alarm.chars().count();
        if !(1..=255).contains(&length) || wish.alarm.chars().any(|c| c.is_ascii_control()) {
            let message = "an alarm's name has 1 to 255 characters, none of them for control";
            let error = Diagnostic::error("alarm-limit", at, message);
            self.cx.sink.push(error);
        }
        if self.alarms.iter().any(|alarm| alarm.name == wish.alarm) {
            let message = format!("two alarms would be called `{}`", wish.alarm);
            self.cx
                .sink
                .push(Diagnostic::error("duplicate-name", at, message));
        }
    }

    /// Takes over what was made, with the alert's severity on its outermost alarm.
    fn adopt(&mut self, wish: &Wish<'_>, mut draft: Draft, rule: Rule) -> Verdict {
        match rule {
            Rule::Alarm(_) => {
                if let Some(alarm) = draft.alarms.last_mut() {
                    alarm.severity = Some(wish.severity.to_owned());
                }
            }
            rule => draft.alarms.push(Alarm {
                name: wish.alarm.clone(),
                description: wish.description.clone(),
                severity: Some(wish.severity.to_owned()),
                kind: AlarmKind::Composite(Composite {
                    rule,
                    suppressor: None,
                }),
            }),
        }
        self.alarms.extend(draft.alarms);
        self.scraped.extend(draft.scraped);
        Verdict::of(draft.notes)
    }

    fn by_promql(&mut self, wish: &Wish<'_>, why: String) -> Verdict {
        if self.via != Via::Otlp {
            return Verdict::NotExpressible(why);
        }
        if wish.recorded {
            let more = "PromQL would need series that only Prometheus records";
            return Verdict::NotExpressible(format!("{why}; {more}"));
        }
        let query = &wish.condition.query().expr;
        match promql::alarm(query, wish.hold) {
            Ok(alarm) => {
                let notes = promql::notes(query);
                self.alarms.push(Alarm {
                    name: wish.alarm.clone(),
                    description: wish.description.clone(),
                    severity: Some(wish.severity.to_owned()),
                    kind: AlarmKind::PromQl(alarm),
                });
                Verdict::of(notes)
            }
            Err(more) => Verdict::NotExpressible(format!("{why}; {more}")),
        }
    }

    fn condition(
        &mut self,
        draft: &mut Draft,
        wish: &Wish<'_>,
        condition: &Condition,
    ) -> Result<Rule, String> {
        match condition {
            Condition::Compare(c) => self.compare(draft, wish, c),
            Condition::Absent(a) => self.absent(draft, wish, a),
            Condition::Raw(raw) if raw.words.is_some() => {
                Err("CloudWatch computes no correlation".to_owned())
            }
            Condition::Raw(_) => Err("it is PromQL of the author's".to_owned()),
            Condition::All(parts, query) => {
                joined(draft, parts, query);
                Ok(Rule::All(self.parts(draft, wish, parts)?))
            }
            Condition::Any(parts, _) => Ok(Rule::Any(self.parts(draft, wish, parts)?)),
            Condition::Unless(parts, query) => {
                joined(draft, &parts[..], query);
                let first = self.condition(draft, wish, &parts[0])?;
                let second = self.condition(draft, wish, &parts[1])?;
                Ok(Rule::Unless(Box::new([first, second])))
            }
        }
    }

    fn parts(
        &mut self,
        draft: &mut Draft,
        wish: &Wish<'_>,
        parts: &[Condition],
    ) -> Result<Vec<Rule>, String> {
        parts
            .iter()
            .map(|part| self.condition(draft, wish, part))
            .collect()
    }

    fn compare(&mut self, draft: &mut Draft, wish: &Wish<'_>, c: &Compare) -> Result<Rule, String> {
        let statistic = timing::statistic(self.cx, wish.over);
        let found = value::read(Wanted {
            signal: &c.signal,
            stat: c.stat,
            upper: Some(is_upper(&c.bound)),
            statistic,
            via: self.via,
            prefix: "m",
        })?;
        let timing = timing::of(c, wish.hold)?.with(self.cx, wish.over);
        for note in &found.notes {
            draft.note(note.clone());
        }
        one_for_all(draft, &c.query, &found.value);
        match wish.over.filter(|over| over.value.changes_timing()) {
            Some(_) => draft.note(chosen(&found.value, timing)),
            None => differences(draft, c, wish.hold, timing),
        }
        let test = test(draft, c, &found, timing);
        draft.scraped.extend(found.scraped.iter().cloned());
        let over = wish.over.map(|over| &over.value);
        let percentile = found.value.metrics.iter().any(|m| is_percentile(&m.stat));
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
        };
        Ok(push(draft, wish, alarm))
    }

    /// No sample at all: silence is the fault.
    fn absent(&mut self, draft: &mut Draft, wish: &Wish<'_>, a: &Absent) -> Result<Rule, String> {
        let mut gather = value::Gather::new("m", self.via);
        let samples = gather.add(&a.signal, "SampleCount")?;
        draft.scraped.append(&mut gather.scraped);
        let value = gather.value(samples, &a.signal.title);
        one_for_all(draft, &a.query, &value);
        draft.note("fires when all replicas are silent, where Prometheus misses each group that was there an hour ago".to_owned());
        let timing = timing::each_minute(wish.hold)?.with(self.cx, wish.over);
        let alarm = MetricAlarm {
            value,
            test: Test::Threshold(CompareOp::Below, Number::from_integer(1)),
            period: timing.period,
            evaluate: timing.evaluate,
            datapoints: timing.datapoints,
            missing: Missing::Breaching,
            low_samples: None,
        };
        Ok(push(draft, wish, alarm))
    }
}

fn push(draft: &mut Draft, wish: &Wish<'_>, alarm: MetricAlarm) -> Rule {
    let name = match &mut draft.parts {
        None => wish.alarm.clone(),
        Some(parts) => {
            *parts += 1;
            naming::alarm_part(&wish.alarm, *parts)
        }
    };
    draft.alarms.push(Alarm {
        name: name.clone(),
        description: wish.description.clone(),
        severity: None,
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

fn is_percentile(stat: &str) -> bool {
    !crate::cloudwatch::PLAIN.contains(&stat)
}

/// Silence of something that says whether it is up is a fault; of anything else it is no traffic.
fn usual_missing(c: &Compare) -> Missing {
    match c.signal.unit == Unit::Bool && !is_upper(&c.bound) {
        true => Missing::Breaching,
        false => Missing::NotBreaching,
    }
}

fn test(draft: &mut Draft, c: &Compare, found: &Found, timing: Timing) -> Test {
    match &c.bound {
        Bound::Fixed(op, value, _) => Test::Threshold(*op, threshold(c, *value, found, timing)),
        Bound::Times(op, factor, baseline) => {
            let past = match baseline {
                Baseline::Offset(ago) => format!("its value {ago} ago"),
                Baseline::AvgOver(window) => format!("its mean over {window}"),
            };
            draft.note(format!(
                "the band of usual values that CloudWatch learns ({} standard deviations), where Prometheus takes {} times {past}",
                decimal(USUAL_BAND),
                decimal(*factor),
            ));
            let side = if op.is_upper() { Side::High } else { Side::Low };
            Test::Band(side, USUAL_BAND)
        }
        Bound::Outside(o) => {
            draft.note(format!(
                "a band learnt from up to two weeks, where Prometheus takes mean and deviation of {}",
                o.window
            ));
            Test::Band(o.side, o.sigma)
        }
    }
}

/// The bound in the metric's unit; one on a rate grows with the period that is added up.
fn threshold(c: &Compare, value: Number, found: &Found, timing: Timing) -> Number {
    let period = Number::from_integer(i128::from(timing.period));
    let per = c.unit.per.map_or(1, |per| i128::from(per.seconds));
    let amount = match (found.sums, c.stat) {
        (true, Stat::Increase) => value * period / c.window.number(),
        (true, _) => value / per * period,
        (false, _) => value / per,
    };
    amount / found.worth
}

/// One alarm has no groups.
fn one_for_all(draft: &mut Draft, query: &Query, value: &Value) {
    let fixed: Vec<_> = value.metrics.iter().flat_map(|m| &m.dimensions).collect();
    let open: Vec<_> = query
        .labels
        .iter()
        .filter(|label| !fixed.iter().any(|(name, _)| name == *label))
        .map(|label| format!("`{label}`"))
        .collect();
    if !open.is_empty() {
        draft.note(format!("one alarm for all of {}", open.join(", ")));
    }
}

fn joined(draft: &mut Draft, parts: &[Condition], query: &Query) {
    if !query.labels.is_empty() && parts.len() > 1 {
        draft.note("the parts need not hold for the same group".to_owned());
    }
}

/// What the author wants in place of the alert's own look-back.
fn chosen(value: &Value, timing: Timing) -> String {
    let stat = value.metrics.first().map_or("", |metric| &metric.stat);
    let period = Duration::from_secs(timing.period);
    format!(
        "as its `cloudwatch` says: {stat} over {period}, {} of {} values",
        timing.datapoints, timing.evaluate
    )
}

/// How holding differs.
fn differences(draft: &mut Draft, c: &Compare, hold: Duration, timing: Timing) {
    if matches!(c.bound, Bound::Outside(_)) {
        return;
    }
    let period = Duration::from_secs(timing.period);
    let windowed = !(c.stat == Stat::Last && c.signal.kind() == Kind::Gauge);
    if windowed && hold.as_secs() > 0 {
        let looks = match timing.evaluate {
            1 => format!("one value over {period}"),
            n => format!("{} of {n} values over {period}", timing.datapoints),
        };
        if timing.evaluate == 1 && hold == period && c.window == period {
            draft.note(format!(
                "{looks}, where Prometheus wants it to hold for {hold} more"
            ));
        } else {
            draft.note(format!(
                "{looks}, where Prometheus wants every value over {} for {hold}",
                c.window
            ));
        }
    }
}

/// Prometheus interpolates a percentile between two boundaries, which CloudWatch knows exactly.
fn interpolated(condition: &Condition) -> Vec<String> {
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

fn between(c: &Compare) -> Option<String> {
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
    Some(format!(
        "{text} is interpolated between the buckets {} and {}",
        shown(below.bound),
        shown(above.bound)
    ))
}
