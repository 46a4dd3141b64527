//! Alarms: from the conditions of alerts to CloudWatch alarms.
//!
//! `{all: [usage above 90 %, preemptions above 10/min]}` becomes two metric alarms without actions, and a composite
//! alarm on both with the alert's name and severity.

use std::collections::BTreeSet;

use super::builder::Builder;
use super::description::with_notes;
use super::dimensions::Slice;
use super::draft::{AlarmRequest, Draft, Values};
use super::groups::groups;
use super::holding::{chosen, held, later};
use super::promql;
use super::timing::{self, Timing};
use super::value::{self, AddsUp, Purpose, SignalValue, ValueRequest};
use crate::plan::cloudwatch::{
    Alarm, AlarmKind, Composite, Delivery, Difference, Grade, MetricAlarm, MetricStat,
    NotExpressible, Note, Parity, Reference, Rule, Test, Value, Verdict, What,
};
use crate::plan::{Absent, Bound, Compare, CompareOp, Condition, Outside, Signal, SignalKind};
use crate::query;
use slosmith_cloudwatch::{Statistic, limits};
use slosmith_spec::spec::{LowSamples, Missing, Side, Stat, Via};
use slosmith_text::diag::Diagnostic;
use slosmith_text::units::Duration;
use slosmith_text::units::{Number, Unit, shown};

const USUAL_BAND: Number = Number::new_raw(2, 1);

const MOST_GROUPS: usize = 500;

impl Builder<'_> {
    pub fn alert(&mut self, request: &AlarmRequest<'_>) {
        let (alert, made) = (request.alert, self.alarms.len());
        let prometheus = Verdict::of_prometheus(alert.condition.signals());
        let reference = prometheus.reference();
        let verdict = match self.classic(request, reference) {
            Ok(notes) => Verdict::There(notes),
            Err(why) => self.by_promql(request, why, reference),
        };
        self.check_override(request, made);
        self.tag(made, &alert.marks);
        let own = self.alarms[made..]
            .iter()
            .filter(|alarm| alarm.severity.is_some());
        self.parity.push(Parity {
            what: What::Alert,
            name: alert.name.clone(),
            prometheus: match prometheus {
                Verdict::There(_) => Verdict::There(interpolated(&alert.condition)),
                absent => absent,
            },
            resources: own.map(|alarm| alarm.name.clone()).collect(),
            cloudwatch: verdict,
        });
    }

    fn classic(
        &mut self,
        request: &AlarmRequest<'_>,
        reference: Reference,
    ) -> Result<Vec<Note>, NotExpressible> {
        let mut known = self.known_values(&request.alert.condition);
        let drafts = loop {
            match self.drafts(request, &known) {
                // Not all of these labels are dimensions of the metrics.
                Err(_) if known.iter().any(|(_, values)| values.len() == 1) => {
                    known.retain(|(_, values)| values.len() > 1);
                }
                Err(_) if !known.is_empty() => known.clear(),
                drafts => break drafts?,
            }
        };
        let mut notes: Vec<Note> = Vec::new();
        let keep = request.alert.keep;
        if keep > Duration::default() {
            notes.push(Difference::EndsEarlier(keep).at(Grade::Weaker));
        }
        known.retain(|(_, values)| values.len() > 1);
        if !known.is_empty() {
            notes.push(Difference::OneForEach(known).at(Grade::Equivalent));
        }
        for (draft, rule) in drafts {
            let new = draft.notes.iter().filter(|note| !notes.contains(note));
            let new: Vec<_> = new.cloned().collect();
            notes.extend(new);
            self.adopt(request, draft, rule, reference);
        }
        Ok(notes)
    }

    fn drafts(
        &mut self,
        request: &AlarmRequest<'_>,
        known: &[(String, Vec<String>)],
    ) -> Result<Vec<(Draft, Rule)>, NotExpressible> {
        let count = known.iter().map(|(_, values)| values.len());
        let count = count.fold(1, usize::saturating_mul);
        if count > MOST_GROUPS {
            let message = format!("this alert needs {count} CloudWatch alarms");
            let error = Diagnostic::error("alarm-limit", request.at, message);
            let help = format!(
                "group the alert by fewer labels, or list fewer `values`: at most {MOST_GROUPS} alarms are allowed"
            );
            self.sink.push(error.help(help));
            return Ok(Vec::new());
        }
        groups(known)
            .into_iter()
            .map(|only| self.draft(request, known, only))
            .collect()
    }

    fn draft(
        &mut self,
        request: &AlarmRequest<'_>,
        known: &[(String, Vec<String>)],
        only: Values<String>,
    ) -> Result<(Draft, Rule), NotExpressible> {
        let mut draft = Draft::new(request, known, only);
        let rule = self.condition(&mut draft, request, &request.alert.condition)?;
        Ok((draft, rule))
    }

    /// Rejects settings without effect, such as a statistic for a ratio.
    fn check_override(&mut self, request: &AlarmRequest<'_>, made: usize) {
        let Some(over) = request.over.map(|over| &over.value) else {
            return;
        };
        let made = &self.alarms[made..];
        let all: Vec<&MetricAlarm> = made
            .iter()
            .filter_map(|alarm| match &alarm.kind {
                AlarmKind::Metric(metric) => Some(&**metric),
                AlarmKind::Composite(_) | AlarmKind::PromQl(_) => None,
            })
            .collect();
        let statistic = |wanted: &Statistic| {
            let mut of = all.iter().flat_map(|metric| metric.value.metrics());
            of.any(|stat| stat.statistic == *wanted)
        };
        let text = over.statistic.as_ref();
        let text = text.filter(|text| text.value.parse().is_ok_and(|wanted| !statistic(&wanted)));
        let missing = over
            .missing
            .filter(|given| all.iter().all(|metric| metric.missing != given.value));
        let samples = over.low_samples;
        let samples = samples.filter(|_| all.iter().all(|metric| metric.low_samples.is_none()));
        // Queries in PromQL have their own times, and no data points.
        let in_promql = all.is_empty();
        let numbers = [over.evaluate, over.datapoints];
        let [evaluate, datapoints] = numbers.map(|n| n.filter(|_| in_promql));
        let period = over.period.filter(|_| in_promql);
        for (field, at) in [
            ("statistic", text.map(|text| text.span)),
            ("period", period.map(|period| period.span)),
            ("evaluate", evaluate.map(|evaluate| evaluate.span)),
            ("datapoints", datapoints.map(|datapoints| datapoints.span)),
            ("missing", missing.map(|missing| missing.span)),
            ("low_samples", samples.map(|samples| samples.span)),
        ] {
            if let Some(at) = at.filter(|_| !made.is_empty()) {
                let message =
                    format!("`{field}` has no effect on the CloudWatch alarm of this alert");
                let error = Diagnostic::error("alarm-limit", at, message);
                let why = match in_promql {
                    true => ": an alarm on a PromQL query has no data points",
                    false => "",
                };
                self.sink.push(error.help(format!("remove `{field}`{why}")));
            }
        }
    }

    fn check_name(&mut self, request: &AlarmRequest<'_>, name: &str) {
        let at = request.over.and_then(|over| over.value.name.as_ref());
        let at = at.map_or(request.at, |name| name.span);
        if !limits::is_alarm_name(name) {
            let most = limits::NAME;
            let message =
                format!("alarm names must have 1 to {most} characters and no control characters");
            let error = Diagnostic::error("alarm-limit", at, message);
            self.sink.push(error);
        }
        if self.alarms.iter().any(|alarm| alarm.name == name) {
            let message = format!("two alarms have the name `{name}`");
            self.sink
                .push(Diagnostic::error("duplicate-name", at, message));
        }
    }

    fn adopt(
        &mut self,
        request: &AlarmRequest<'_>,
        mut draft: Draft,
        rule: Rule,
        reference: Reference,
    ) {
        let parts = draft.alarms.iter().map(|alarm| alarm.name.clone());
        let names: BTreeSet<_> = parts.chain([draft.name.clone()]).collect();
        for name in names {
            self.check_name(request, &name);
        }
        let description = with_notes(&of_band(&draft), &draft.notes, reference);
        let severity = &request.alert.severity;
        match rule {
            Rule::Alarm(_) => {
                if let Some(alarm) = draft.alarms.last_mut() {
                    alarm.severity = Some(severity.clone());
                    alarm.description = description;
                }
            }
            rule => {
                let kind = AlarmKind::Composite(Composite {
                    rule,
                    suppressor: None,
                });
                let alarm = Alarm::new(draft.name, description, Some(severity), kind);
                draft.alarms.push(alarm);
            }
        }
        self.alarms.extend(draft.alarms);
        self.scraped.extend(draft.scraped);
    }

    fn by_promql(
        &mut self,
        request: &AlarmRequest<'_>,
        why: NotExpressible,
        reference: Reference,
    ) -> Verdict {
        if self.via != Via::Otlp {
            return Verdict::Absent(vec![why]);
        }
        let alert = request.alert;
        let mut notes = Vec::new();
        let query = match &alert.condition {
            // Without the memory of records, the whole signal must be silent.
            Condition::Absent(a) => {
                if self.told_apart(&a.query.labels).next().is_some() {
                    notes.push(Difference::AllSilent.at(Grade::Weaker));
                }
                notes.extend(lasting(a));
                a.signal.family().map(query::silence)
            }
            // Only Prometheus has records.
            other => alert.records.is_empty().then(|| other.query().expr.clone()),
        };
        let Some(query) = query else {
            return Verdict::Absent(vec![why, NotExpressible::NeedsRecords]);
        };
        match self
            .ask(&query)
            .and_then(|query| promql::alarm(&query, alert.hold, alert.keep))
        {
            Ok(alarm) => {
                self.check_name(request, &request.alarm);
                let description = with_notes(&request.description, &notes, reference);
                let (name, kind) = (request.alarm.clone(), AlarmKind::PromQl(alarm));
                let alarm = Alarm::new(name, description, Some(&alert.severity), kind);
                self.alarms.push(alarm);
                Verdict::There(notes)
            }
            Err(more) => Verdict::Absent(vec![why, more]),
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
            _ if condition.slo_data().is_some() => Err(NotExpressible::NeedsRecords),
            Condition::Raw(raw) if raw.words.is_some() => Err(NotExpressible::Correlation),
            Condition::Raw(_) => Err(NotExpressible::AuthorsPromQl),
            Condition::All(parts, query) => {
                self.joined(draft, parts, query);
                Ok(Rule::All(self.parts(draft, request, parts)?))
            }
            Condition::Any(parts, _) => Ok(Rule::Any(self.parts(draft, request, parts)?)),
            Condition::Unless(parts, query) => {
                self.joined(draft, &parts[..], query);
                let first = self.condition(draft, request, &parts[0])?;
                let own = std::mem::take(&mut draft.notes);
                let second = self.condition(draft, request, &parts[1])?;
                let excuse = std::mem::replace(&mut draft.notes, own);
                excuse
                    .into_iter()
                    .for_each(|note| draft.note(note.of_excuse()));
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
        self.doubt_statistic(request, c, statistic.as_ref());
        let purpose = match is_upper(&c.bound) {
            true => Purpose::HighAlarm,
            false => Purpose::LowAlarm,
        };
        let together = match statistic {
            Some(_) => None,
            None => self.of_processes(draft, c, purpose),
        };
        let found = match together {
            Some(found) => found,
            None => value::read(ValueRequest {
                signal: &c.signal,
                stat: c.stat,
                purpose,
                statistic: statistic.as_ref(),
                of: Slice {
                    by: &[],
                    only: &draft.only,
                },
                via: self.via,
            })?,
        };
        let usual = timing::of(c, request.alert.hold)?;
        let timing = usual.with(self.sink, request.over, &c.signal);
        for note in &found.differences {
            draft.note(note.clone());
        }
        if self.counts_beginnings(&c.signal) {
            draft.note(Difference::CountsBeginnings.at(purpose.of_larger()));
        }
        self.one_for_all(draft, &c.query, &found, purpose);
        match request.over.filter(|over| over.value.changes_timing()) {
            Some(over) => {
                // The effect of another statistic on replicas has its own note; its effect on other values is unknown.
                let other = over.value.statistic.is_some() && found.differences.is_empty();
                if let Some(metric) = found.value.metrics().first() {
                    chosen(draft, &metric.statistic, other, (usual, timing));
                }
            }
            None => held(draft, c, request.alert.hold, timing),
        }
        if timing.is_hourly() {
            draft.note(Difference::Hourly.at(Grade::Weaker));
        }
        let missing = request.over.and_then(|over| over.value.missing);
        let missing = missing.map_or(usual_missing(c), |missing| missing.value);
        match (is_quiet(c), missing == Missing::Breaching) {
            (true, true) => {
                // Services of AWS publish nothing exactly while there are no events.
                if !c.signal.is_delivered(Delivery::Vended) {
                    draft.note(Difference::StoppedFires.at(Grade::Stronger));
                }
                // An old value among the periods that CloudWatch looks at beside the evaluated ones.
                later(draft, Duration::from_secs(2 * timing.period));
            }
            (true, false) => draft.note(Difference::QuietIsFine.at(Grade::Weaker)),
            (false, true) => draft.note(Difference::SilenceFires.at(Grade::Stronger)),
            (false, false) => {}
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
            missing,
            low_samples: percentile.then(|| low_samples.unwrap_or(LowSamples::Evaluate)),
            value: found.value,
            label: c.signal.title.clone(),
        };
        Ok(draft.push(alarm))
    }

    /// Warns of a statistic that does not count the events of a counter, or counts samples where the value is compared.
    fn doubt_statistic(
        &mut self,
        request: &AlarmRequest<'_>,
        c: &Compare,
        given: Option<&Statistic>,
    ) {
        let Some(given) = given else {
            return;
        };
        let name = &c.signal.name;
        let (message, right) = match c.signal.kind() {
            SignalKind::Counter if *given != Statistic::Sum => (
                format!(
                    "`{given}` does not count the events of `{name}`: the threshold is for their number"
                ),
                "remove `statistic`: the alarm uses `Sum`",
            ),
            SignalKind::Gauge if *given == Statistic::SampleCount => (
                format!("`{given}` counts the samples of `{name}`: the threshold is for its value"),
                "remove `statistic`, or write `Average`, `Minimum` or `Maximum`",
            ),
            _ => return,
        };
        let over = request.over.and_then(|over| over.value.statistic.as_ref());
        let at = over.map_or(request.at, |text| text.span);
        let warning = Diagnostic::warning("contradiction", at, message);
        self.sink.push(warning.help(right));
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

    /// No sample at all: missing data is the fault.
    fn absent(
        &mut self,
        draft: &mut Draft,
        request: &AlarmRequest<'_>,
        a: &Absent,
    ) -> Result<Rule, NotExpressible> {
        let samples = Statistic::SampleCount;
        let of = Slice {
            by: &[],
            only: &draft.only,
        };
        let samples = value::metric_stat(&a.signal, samples, of, self.via, &mut draft.scraped)?;
        let value = Value::Statistic(samples);
        if !self.open(draft, &a.query, &[]).is_empty() {
            draft.note(Difference::AllSilent.at(Grade::Weaker));
        }
        if let Some(lasting) = lasting(a) {
            draft.note(lasting);
        }
        if is_event(&a.signal) {
            draft.note(Difference::NoEventFires.at(Grade::Stronger));
        }
        let usual = timing::each_value(&a.signal, request.alert.hold)?;
        let timing = usual.with(self.sink, request.over, &a.signal);
        if timing != usual {
            chosen(draft, &Statistic::SampleCount, false, (usual, timing));
        }
        if timing.is_hourly() {
            draft.note(Difference::Hourly.at(Grade::Weaker));
        }
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
        Ok(draft.push(alarm))
    }
}

/// The summary speaks of the alert in Prometheus; a band that CloudWatch learnt is another test.
fn of_band(draft: &Draft) -> String {
    let learnt = |note: &Note| matches!(note.difference, Difference::LearntBand { .. });
    let whole = format!(
        "Outside the range that CloudWatch has learnt. The alert in Prometheus: {}",
        draft.description
    );
    let fits = whole.chars().count() <= limits::DESCRIPTION;
    match fits && draft.notes.iter().any(learnt) {
        true => whole,
        false => draft.description.clone(),
    }
}

fn only_or(several: fn(Vec<Rule>) -> Rule, mut rules: Vec<Rule>) -> Rule {
    match rules.len() {
        1 => rules.remove(0),
        _ => several(rules),
    }
}

fn is_upper(bound: &Bound) -> bool {
    match bound {
        Bound::Fixed(op, ..) | Bound::Times(op, ..) => op.is_upper(),
        Bound::Outside(outside) => outside.side != Side::Low,
    }
}

/// Missing data of a health signal is a fault; for other signals it means no traffic, which may be the fault too.
fn usual_missing(c: &Compare) -> Missing {
    match is_quiet(c) || c.signal.unit == Unit::Bool && !is_upper(&c.bound) {
        true => Missing::Breaching,
        false => Missing::NotBreaching,
    }
}

/// True where only an event makes a data point. The agent sends zeros; code and services of AWS send nothing
/// ("Elastic Load Balancing reports metrics to CloudWatch only when requests are flowing through the load balancer").
fn is_event(signal: &Signal) -> bool {
    signal.cloudwatch.is_some()
        && !signal.is_delivered(Delivery::Scraped)
        && matches!(signal.kind(), SignalKind::Counter | SignalKind::Histogram)
}

/// True where the absence of events fires and leaves no data point.
fn is_quiet(c: &Compare) -> bool {
    is_event(&c.signal)
        && matches!(c.stat, Stat::Rate | Stat::Increase)
        && match &c.bound {
            Bound::Fixed(op, value, _) => op.holds(Number::from_integer(0), *value),
            Bound::Times(op, ..) => !op.is_upper(),
            Bound::Outside(outside) => outside.side != Side::High,
        }
}

fn test(draft: &mut Draft, c: &Compare, found: &SignalValue, timing: Timing) -> Test {
    match &c.bound {
        Bound::Fixed(op, value, _) => Test::Threshold(*op, threshold(c, *value, found, timing)),
        Bound::Times(op, factor, baseline) => {
            let band = Difference::LearntBand {
                width: USUAL_BAND,
                factor: *factor,
                baseline: *baseline,
            };
            draft.note(band.at(Grade::Weaker));
            let side = if op.is_upper() { Side::High } else { Side::Low };
            Test::Band(side, USUAL_BAND)
        }
        Bound::Outside(o) => {
            draft.note(Difference::LearntFrom(o.window).at(Grade::Weaker));
            Test::Band(o.side, o.sigma)
        }
    }
}

/// The threshold in the metric's unit; the threshold of a rate grows with the period of the sum.
fn threshold(c: &Compare, value: Number, found: &SignalValue, timing: Timing) -> Number {
    let period = Number::from_integer(i128::from(timing.period));
    let per = c.unit.per.map_or(1, |per| i128::from(per.seconds));
    let amount = match (found.adds_up, c.stat) {
        (AddsUp::Events, Stat::Increase) => value * period / c.window.number(),
        (AddsUp::Events, _) => value / per * period,
        (AddsUp::Scrapes, _) => value / per * (period / 60),
        (AddsUp::No, _) => value / per,
    };
    amount / found.worth
}

/// Prometheus forgets label sets that are absent; the spec itself sets no such end.
fn lasting(a: &Absent) -> Option<Note> {
    let memory = a.memory.filter(|_| a.signal.is_stored())?;
    Some(Difference::LastingSilence(memory).at(Grade::Stronger))
}

/// Prometheus estimates a percentile between two bucket boundaries; CloudWatch has the exact value.
fn interpolated(condition: &Condition) -> Vec<Note> {
    let parts: &[Condition] = match condition {
        Condition::All(parts, _) | Condition::Any(parts, _) => parts,
        Condition::Unless(parts, _) => &parts[..],
        _ => std::slice::from_ref(condition),
    };
    let compares = parts.iter().filter_map(Condition::compare);
    compares
        .filter_map(between)
        .map(|d| d.at(Grade::Equivalent))
        .collect()
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
