//! What lines a panel shows: the author's, else the bounds of the alerts and objectives on the same values.

use crate::plan::alert::{self, ConditionAlert};
use crate::plan::dashboard::{Color, Role, Threshold};
use crate::plan::{Alert, Bound, Compare, Condition, Signal, Slo, SloKind, ValueUnit, words};
use crate::resolve::bound;
use crate::resolve::context::Context;
use crate::source::Spanned;
use crate::spec::{self, Stat};
use crate::units::{Number, Per};

/// An alert's comparison of a value.
pub(super) struct Watch<'a> {
    /// Name of the alert.
    pub(super) alert: &'a str,
    /// When it compares what.
    pub(super) compare: &'a Compare,
    /// What crossing the bound means.
    role: Role,
    color: Color,
    /// For people: `QueueOverflow (critical): above 80 for 2m`.
    pub(super) words: String,
    /// Where it points for help.
    pub(super) runbook: &'a str,
}

/// All comparisons that alerts make.
pub(super) fn watches<'a>(slos: &'a [Slo], alerts: &'a [Alert], page: &str) -> Vec<Watch<'a>> {
    let mut all = Vec::new();
    for alert in alert::on_conditions(slos, alerts) {
        collect(alert.condition, &alert, page, true, &mut all);
    }
    all
}

/// The comparisons of one part of an alert's condition; `alone` when the part is enough to fire the alert.
fn collect<'a>(
    part: &'a Condition,
    alert: &ConditionAlert<'a>,
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
    part: &Condition,
    alert: &ConditionAlert<'a>,
    page: &str,
    alone: bool,
) -> Watch<'a> {
    let together = if alone { "" } else { ", together with others" };
    let (name, severity) = (alert.name, alert.severity);
    let held = words::condition_held(part, alert.hold);
    Watch {
        alert: name,
        compare,
        // Beyond the bound of one part of a condition no alert fires yet.
        role: if alone { Role::Alert } else { Role::Advisory },
        color: if severity == page {
            Color::Red
        } else {
            Color::Orange
        },
        words: format!("{name} ({severity}): {held}{together}"),
        runbook: &alert.links.runbook,
    }
}

/// True when an alert looks at this very value.
pub(super) fn is_on(watch: &Watch<'_>, signal: &Signal, stat: Stat) -> bool {
    let other = &watch.compare.signal;
    let matchers = |signal: &Signal| signal.family().map(|family| family.matchers.clone());
    watch.compare.stat == stat && other.name == signal.name && matchers(other) == matchers(signal)
}

/// The bound of a watch in a panel's time.
pub(super) fn line(watch: &Watch<'_>, unit: ValueUnit) -> Option<Threshold> {
    let Bound::Fixed(op, value, text) = &watch.compare.bound else {
        return None;
    };
    // `above 0` as one part of a condition only asks whether there is anything at all.
    if watch.role == Role::Advisory && *value == Number::from_integer(0) {
        return None;
    }
    Some(Threshold {
        value: in_time(*value, watch.compare.unit.per, unit.per),
        text: text.clone(),
        role: watch.role,
        color: watch.color,
        upper: op.is_upper(),
    })
}

/// The bounds of percentile objectives on a value: where it should stay.
pub(super) fn targets(slos: &[Slo], signal: &Signal, stat: Stat) -> Vec<Threshold> {
    let percentiles = slos.iter().filter_map(|slo| match &slo.kind {
        SloKind::Percentile(p) => Some(p),
        SloKind::Events(_) => None,
    });
    let same =
        percentiles.filter(|p| p.signal.name == signal.name && stat == Stat::Quantile(p.quantile));
    same.map(|p| target(p.below.0, p.below.1.clone())).collect()
}

/// Where a value should be.
pub(super) fn target(value: Number, text: String) -> Threshold {
    Threshold {
        value,
        text,
        role: Role::Target,
        color: Color::Green,
        upper: true,
    }
}

/// A threshold that the author gave.
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
    Some(Threshold {
        value: in_time(value, given.at.value.per(), unit.per),
        text: given.at.to_string(),
        role: given.role,
        color,
        upper,
    })
}

/// A rate in another time: 10 a minute are 600 an hour.
fn in_time(value: Number, from: Option<Per>, to: Option<Per>) -> Number {
    match (from, to) {
        (Some(from), Some(to)) => value * i128::from(to.seconds) / i128::from(from.seconds),
        _ => value,
    }
}
