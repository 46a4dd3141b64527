//! Counters that have no series until their first event: what a condition on them does not see.

use crate::context::Context;
use crate::matchers::JOB;
use slosmith_plan::plan::{Alert, Bound, Compare, CompareOp, Condition, Signal};
use slosmith_promql::visit;
use slosmith_spec::spec::{self, Stat};
use slosmith_text::diag::Diagnostic;
use slosmith_text::units::{Duration, Number};

/// A number of events of which a missing one matters.
const FEW: i128 = 10;

/// Warns of events that are not seen, and of a time without events that is not, where a counter has no series before the first event.
pub(super) fn silent(cx: &mut Context<'_>, given: &spec::Alert, alert: &Alert) {
    let (leaves, excuses) = apart(&alert.condition);
    let family = |signal: &Signal| {
        signal
            .family()
            .map(|family| family.names.newest().to_owned())
    };
    let is_watched = |signal: &Signal| {
        let mut all = leaves.iter();
        all.any(|leaf| matches!(leaf, Condition::Absent(absent) if family(&absent.signal) == family(signal)))
    };
    // Another part fires without these events.
    let is_excused = |signal: &Signal| {
        let is_upper = |bound: &Bound| matches!(bound, Bound::Fixed(op, ..) if op.is_upper());
        let mut compared = excuses.iter().filter_map(|leaf| leaf.compare());
        compared.any(|c| c.signal.name == signal.name && is_upper(&c.bound))
    };
    let none = Number::from_integer(0);
    let counted = leaves.iter().filter_map(|leaf| match leaf {
        Condition::Compare(c) if matches!(c.stat, Stat::Increase | Stat::Rate) => {
            let late = cx.late_label(&c.signal);
            Some((c, late.or_else(|| pushed(cx, &c.signal))?))
        }
        _ => None,
    });
    let counted: Vec<_> = counted.collect();
    let few = |c: &Compare| match &c.bound {
        Bound::Fixed(op, value, _) if is_any(*op, *value) => Some("does not fire on"),
        Bound::Fixed(op, value, _)
            if op.is_upper() && c.stat == Stat::Increase && *value <= Number::from_integer(FEW) =>
        {
            Some("does not count")
        }
        _ => None,
    };
    let found = counted
        .iter()
        .find_map(|(c, label)| Some((c, label, few(c)?)));
    if let Some((c, label, what)) = found
        && !is_joined(&alert.condition)
        && !is_completed(&alert.condition, &c.signal)
    {
        // A service that creates the series at 0 needs nothing.
        cx.notes.push(format!(
            "`{}` {what} the first event of a series of `{}`, which has the label `{label}`, unless the service creates the series at 0: \
             `{}` needs two samples. An SLO with `count_new_series: true` counts it",
            alert.name, c.signal.name, c.stat
        ));
    }
    let found = counted.into_iter().find_map(|(c, label)| {
        let name = &c.signal.name;
        let starts = format!("`{name}` has the label `{label}`, so it usually has no series until its first event, also after a restart");
        let without =
            |above: &str| without_events(cx, name, &c.query.labels, (c.stat, c.window), above);
        let instead = |above: &str| {
            let form = without(above);
            format!("write the opposite in `unless`, which also holds without series: {form}")
        };
        let at_least = |text: &str| format!("at_least: {text}");
        let (is_none, above) = match &c.bound {
            Bound::Fixed(op, value, _) if !op.is_upper() && *value == none => {
                (true, "above: 0".to_owned())
            }
            Bound::Fixed(op, _, text) if !op.is_upper() => (false, at_least(text)),
            // The opposite would hold in no time without a past.
            Bound::Times(op, ..) if !op.is_upper() => (false, String::new()),
            _ => return None,
        };
        let what = match is_watched(&c.signal) {
            // An absence of its own is reported where it is read.
            true if is_joined(&alert.condition) && alert.hold < c.window => format!(
                "`absent` holds from a restart on, though `{}` may have events in the last {}",
                c.stat, c.window
            ),
            true => return None,
            false if is_excused(&c.signal) => return None,
            false if above.is_empty() && has_alert_on_silence(cx, name) => return None,
            false => format!(
                "`{}` does not hold then, and holds for a series that begins at 0 and is younger than {}",
                if is_none { "equals: 0" } else { "below" },
                c.window
            ),
        };
        let help = match above.is_empty() {
            true => format!("add an alert for a time without events: {}", without("above: 0")),
            false => instead(&above),
        };
        let down = is_none.then(|| {
            "to notice a service that is down, alert on `up`, which exists from the first scrape on".to_owned()
        });
        Some((format!("{starts}: {what}"), help, down))
    });
    if let Some((message, help, down)) = found {
        let warning = Diagnostic::warning("not-from-start", given.when.span, message);
        cx.sink.push(warning.help(help).maybe_help(down));
    }
}

/// The job of a counter that has it itself: a push gateway serves it from the first push on.
fn pushed(cx: &Context<'_>, signal: &Signal) -> Option<String> {
    let metric = signal.family()?.names.newest();
    let mut declared = cx.spec.signals.values().filter(|declared| {
        let binding = declared.prometheus.as_ref();
        let of = binding.and_then(|binding| binding.value.metric.as_ref());
        of.is_some_and(|of| of.value == *metric)
    });
    let has = |declared: &spec::Signal| {
        let mut labels = declared.has_labels.iter().flatten();
        labels.any(|label| label.value == JOB)
    };
    declared.any(has).then(|| JOB.to_owned())
}

/// A condition that holds without events of a signal, also where it has no series: while the job is up, or for each label set that had
/// events before, because no other metric has its labels.
pub(crate) fn without_events(
    cx: &Context<'_>,
    signal: &str,
    labels: &[String],
    (stat, window): (Stat, Duration),
    above: &str,
) -> String {
    let groups: Vec<_> = cx.spec.prometheus.group_by.iter().collect();
    let own = labels
        .iter()
        .filter(|label| groups.iter().all(|group| group.value != **label));
    let own: Vec<_> = own.map(String::as_str).collect();
    let reading = |by: &str, window: Duration, above: &str| {
        format!("{{signal: {signal}, {by}stat: {stat}, window: {window}, {above}")
    };
    if own.is_empty() {
        let unless = reading("", window, above);
        return format!(
            "`{{signal: up, equals: 1, unless: {unless}}}}}` with `for: 5m`, where `up` is a gauge on `up` of the job"
        );
    }
    let by = format!("by: [{}], ", own.join(", "));
    let before = reading(&by, Duration::from_secs(window.as_secs() * 7), "above: 0");
    let unless = reading(&by, window, above);
    format!("`{before}, unless: {unless}}}}}`, for what had events before")
}

/// True if an alert fires without events of a signal, as the help has it.
fn has_alert_on_silence(cx: &Context<'_>, name: &str) -> bool {
    let unless = cx
        .spec
        .alerts
        .values()
        .filter_map(|alert| alert.when.value.unless.as_ref());
    let mut unless = unless.map(|unless| &unless.value);
    unless.any(|unless| {
        let bounds = &unless.comparison;
        let is_upper = bounds.above.is_some() || bounds.at_least.is_some();
        let read = unless.signal.as_ref();
        is_upper && read.is_some_and(|signal| signal.value == name)
    })
}

/// True where PromQL of the author reads the same metric as an alternative: it can see what `increase` does not.
fn is_completed(condition: &Condition, signal: &Signal) -> bool {
    let (Condition::Any(parts, _), Some(family)) = (condition, signal.family()) else {
        return false;
    };
    let reads = |expr| {
        let names = visit::selectors(expr).into_iter();
        let mut names = names.filter_map(|selector| selector.metric.as_ref());
        names.any(|name| family.names.contains(&name.text))
    };
    parts
        .iter()
        .any(|part| matches!(part, Condition::Raw(raw) if reads(&raw.query.expr)))
}

/// The parts that make a condition hold, and those that are reasons against it.
fn apart(condition: &Condition) -> (Vec<&Condition>, Vec<&Condition>) {
    match condition {
        Condition::Compare(_) | Condition::Absent(_) | Condition::Raw(_) => {
            (vec![condition], Vec::new())
        }
        Condition::All(parts, _) | Condition::Any(parts, _) => {
            let (held, excuses): (Vec<_>, Vec<_>) = parts.iter().map(apart).unzip();
            (held.concat(), excuses.concat())
        }
        Condition::Unless(parts, _) => {
            let (held, excuses) = apart(&parts[0]);
            (held, [excuses, parts[1].leaves()].concat())
        }
    }
}

/// True for a comparison that a single event meets.
fn is_any(op: CompareOp, value: Number) -> bool {
    op.is_upper() && op.holds(Number::from_integer(1), value)
}

/// True where a condition is one of several that must hold, or a reason against others.
fn is_joined(condition: &Condition) -> bool {
    matches!(condition, Condition::All(..) | Condition::Unless(..))
}
