//! The threshold lines of a panel: from the spec of the panel, else from the alerts and SLOs on the same values.

use crate::bound;
use crate::context::Context;
use slosmith_plan::plan;
use slosmith_plan::plan::dashboard::{Color, Role, Threshold};
use slosmith_plan::plan::{
    Alert, Bound, Compare, Condition, EventSli, Good, Limit, Signal, Slo, ValueUnit, words,
};
use slosmith_spec::spec::{self, Stat};
use slosmith_text::source::Spanned;
use slosmith_text::units::{Duration, Number, Per, Unit, shown};

pub(super) struct Watch<'a> {
    pub(super) alert: &'a str,
    pub(super) compare: &'a Compare,
    role: Role,
    color: Color,
    part: &'a Condition,
    leading: bool,
    hold: Duration,
    severity: &'a str,
    promised: Option<&'a Limit>,
    pub(super) runbook: &'a str,
}

impl Watch<'_> {
    pub(super) fn is_upper(&self) -> Option<bool> {
        match &self.compare.bound {
            Bound::Fixed(op, ..) => Some(op.is_upper()),
            _ => None,
        }
    }

    /// True when a value beyond the threshold is enough to fire the alert.
    pub(super) fn fires_alone(&self) -> bool {
        self.role == Role::Alert
    }

    pub(super) fn leading(&self) -> bool {
        self.leading
    }

    /// True when a panel with these labels shows why the alert fires: its first comparison, by all labels that it has.
    pub(super) fn leads_to(&self, labels: &[String]) -> bool {
        let own = &self.compare.query.labels;
        self.leading && own.iter().all(|label| labels.contains(label))
    }

    /// True where the value of the panel is one of what is compared, or the other way round: a limit by route says nothing of a value by code.
    pub(super) fn fits(&self, labels: &[String]) -> bool {
        let own = &self.compare.query.labels;
        let within = |some: &[String], all: &[String]| some.iter().all(|label| all.contains(label));
        self.fires_alone() || within(own, labels) || within(labels, own)
    }

    /// What the team promises of the value, per the panel's unit of time.
    fn target(&self, unit: ValueUnit) -> Option<Threshold> {
        let promised = self.promised?;
        let seconds = unit.per.map_or(1, |per| i128::from(per.seconds));
        Some(Threshold {
            name: "target".to_owned(),
            upper: self.is_upper()?,
            ..target(promised.value * seconds, promised.text.clone())
        })
    }

    /// The lines of a panel of its own.
    pub(super) fn lines(&self, unit: ValueUnit) -> Vec<Threshold> {
        let both = line(self, unit).into_iter().chain(self.target(unit));
        drawn(both.collect())
    }

    /// A sentence for people: `Alert QueueOverflow (critical): waiting requests > 80 for 2m.`
    pub(super) fn words(&self) -> String {
        let held = words::condition_held(self.part, self.hold);
        let alert = match self.role {
            Role::Alert => "Alert",
            _ => "One of several conditions of alert",
        };
        format!("{alert} {} ({}): {held}.", self.alert, self.severity)
    }
}

pub(super) fn of_alert(alert: &Alert) -> String {
    let what = match alert.condition.leading() {
        Condition::Raw(raw) if raw.words.is_none() => match alert.hold == Duration::default() {
            true => alert.summary.clone(),
            false => format!("{} (for {})", alert.summary, alert.hold),
        },
        _ => words::condition_held(&alert.condition, alert.hold),
    };
    let what = what.trim_end_matches('.');
    format!("Alert {} ({}): {what}.", alert.name, alert.severity)
}

pub(super) fn watches<'a>(alerts: &'a [Alert], page: &str) -> Vec<Watch<'a>> {
    let mut all = Vec::new();
    for alert in alerts {
        collect(&alert.condition, alert, page, true, &mut all);
    }
    all
}

/// The comparisons of one part of an alert's condition; `alone` when the part is enough to fire the alert.
fn collect<'a>(
    part: &'a Condition,
    alert: &'a Alert,
    page: &str,
    alone: bool,
    all: &mut Vec<Watch<'a>>,
) {
    match part {
        Condition::Compare(compare) => all.push(watch(compare, part, alert, page, alone)),
        Condition::All(parts, _) => {
            for part in parts {
                collect(part, alert, page, false, all);
            }
        }
        Condition::Any(parts, _) => {
            for part in parts {
                collect(part, alert, page, alone, all);
            }
        }
        Condition::Unless(parts, _) => collect(&parts[0], alert, page, false, all),
        Condition::Absent(_) | Condition::Raw(_) => {}
    }
}

fn watch<'a>(
    compare: &'a Compare,
    part: &'a Condition,
    alert: &'a Alert,
    page: &str,
    alone: bool,
) -> Watch<'a> {
    Watch {
        alert: &alert.name,
        compare,
        // One of several conditions does not fire the alert.
        role: if alone { Role::Alert } else { Role::Advisory },
        color: if alert.severity == page {
            Color::Red
        } else {
            Color::Orange
        },
        part,
        leading: std::ptr::eq(alert.condition.leading(), part),
        hold: alert.hold,
        severity: &alert.severity,
        promised: alert.target.as_ref(),
        runbook: &alert.links.runbook,
    }
}

pub(super) fn is_on(watch: &Watch<'_>, signal: &Signal, stat: Stat) -> bool {
    watch.compare.stat == stat && watch.compare.signal.reads_as(signal)
}

/// The threshold of a watch, per the panel's unit of time.
pub(super) fn line(watch: &Watch<'_>, unit: ValueUnit) -> Option<Threshold> {
    let Bound::Fixed(op, value, text) = &watch.compare.bound else {
        return None;
    };
    // `above 0` as one of several conditions only checks for any value at all.
    // A state that a part needs, such as a server that is up, is no fault.
    let is_state = watch.compare.signal.unit == Unit::Bool;
    if watch.role == Role::Advisory && (is_state || *value == Number::from_integer(0)) {
        return None;
    }
    Some(Threshold {
        name: watch.alert.to_owned(),
        value: in_time(*value, watch.compare.unit.per, unit.per),
        text: text.clone(),
        role: watch.role,
        color: watch.color,
        upper: op.is_upper(),
        closed: matches!(op, plan::CompareOp::AtLeast | plan::CompareOp::AtMost),
    })
}

/// The objectives and targets of a value. A latency SLO limits the percentiles up to its objective: a higher one may be beyond the limit
/// while the SLO is met.
pub(super) fn targets(
    slos: &[Slo],
    on: &[&Watch<'_>],
    signal: &Signal,
    stat: Stat,
    unit: ValueUnit,
) -> Vec<Threshold> {
    let of_slo = |slo: &Slo| match (stat, &slo.events.sli) {
        (
            Stat::Quantile(quantile),
            EventSli::Latency {
                signal: of, within, ..
            },
        ) if of.reads_as(signal) && quantile <= slo.events.budget.objective => {
            let bound = within.bound * signal.scale;
            Some(target(bound, shown(bound, signal.unit)))
        }
        (Stat::Quantile(_), _) => None,
        _ => of_time(slo, signal),
    };
    let of_alerts = on.iter().filter_map(|watch| watch.target(unit));
    slos.iter().filter_map(of_slo).chain(of_alerts).collect()
}

fn of_time(slo: &Slo, signal: &Signal) -> Option<Threshold> {
    match &slo.events.sli {
        EventSli::Time(time) if time.signal.reads_as(signal) => match time.good {
            Good::Is(op) => Some(Threshold {
                upper: !op.is_upper(),
                ..target(time.bound, time.text.clone())
            }),
            Good::Equals => None,
        },
        _ => None,
    }
}

/// Lines as they are drawn: ascending, with lines of the same value and colour joined.
pub(super) fn drawn(mut all: Vec<Threshold>) -> Vec<Threshold> {
    all.sort_by_key(|line| line.value);
    let mut lines: Vec<Threshold> = Vec::new();
    for line in all {
        match lines.iter_mut().find(|known| known.is_drawn_as(&line)) {
            Some(known) => known.also(&line),
            None => lines.push(line),
        }
    }
    lines
}

pub(super) fn target(value: Number, text: String) -> Threshold {
    Threshold {
        name: "objective".to_owned(),
        role: Role::Target,
        ..Threshold::at(value, text, Color::Green, true)
    }
}

pub(super) fn given(
    cx: &mut Context<'_>,
    threshold: &Spanned<spec::Threshold>,
    unit: ValueUnit,
    upper: bool,
) -> Option<Threshold> {
    let given = &threshold.value;
    let value = match given.at.value.of(unit.unit, unit.per.is_some()) {
        Ok(value) => value,
        Err(mismatch) => {
            cx.sink.push(bound::wrong_unit(given.at.span, mismatch));
            return None;
        }
    };
    let color = given.color.unwrap_or(match given.role {
        Role::Alert => Color::Red,
        Role::Target => Color::Green,
        Role::Advisory => Color::Yellow,
    });
    let value = in_time(value, given.at.value.per(), unit.per);
    Some(Threshold {
        role: given.role,
        ..Threshold::at(value, given.at.to_string(), color, upper)
    })
}

/// A rate in another time: 10 a minute are 600 an hour.
fn in_time(value: Number, from: Option<Per>, to: Option<Per>) -> Number {
    match (from, to) {
        (Some(from), Some(to)) => value * i128::from(to.seconds) / i128::from(from.seconds),
        _ => value,
    }
}

/// The title of a single value, with the objective or target, or else the threshold of an alert: colours alone do not say it
/// to every reader.
pub(super) fn titled(title: &str, lines: &[Threshold]) -> String {
    let of = |role| lines.iter().find(|line| line.role == role);
    match (of(Role::Target), of(Role::Alert)) {
        (Some(line), _) => format!("{title} · {}", words::line(line)),
        (None, Some(line)) => format!("{title} · alert {}", line.text),
        (None, None) => title.to_owned(),
    }
}
