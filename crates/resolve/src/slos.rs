//! Objectives: events, windows, tiers.
//!
//! `{objective: 99.9%, period: 30d, sli: {ratio: {bad: errors, total: requests}}}` becomes a budget of 0.1%, four
//! burn-rate tiers, and the error ratio over each of their windows.

use super::context::{Context, Outcome};
use super::names::slo_alert_name;
use super::tiers::{self, Objective};
use super::{absence, doubts, slis};
use super::{service, templates};
use slosmith_plan::plan::{
    Alert, BASE_WINDOW, Bound, Compat, EventSli, EventSlo, Marks, Slo, Tier, WindowRatio,
    near_up_to,
};
use slosmith_plan::query::Recorded;
use slosmith_promql::Kept;
use slosmith_spec::naming;
use slosmith_spec::spec::{self, Stat, Text};
use slosmith_text::diag::Diagnostic;
use slosmith_text::units::{Duration, Number, decimal};

const SHORTEST_PERIOD: Duration = Duration::from_secs(3_600);
const LONGEST_PERIOD: Duration = Duration::from_secs(90 * 86_400);

pub(super) fn resolve(cx: &mut Context<'_>) -> Vec<Slo> {
    let spec = cx.spec;
    let slos = spec.slos.iter();
    let slos: Vec<_> = slos.filter_map(|(name, slo)| one(cx, name, slo)).collect();
    for (i, slo) in slos.iter().enumerate() {
        let Some(other) = slos[..i].iter().find(|other| is_same(slo, other)) else {
            continue;
        };
        let message = format!("`{}` counts the same events as `{}`", slo.name, other.name);
        let name = spec.slos.get_key_value(slo.name.as_str());
        // One objective for a week and one for a month are common, and so are a promise and a stricter goal.
        // One SLO has one policy.
        let objectives = [slo, other].map(|slo| {
            let tiers = slo.events.tiers.iter();
            let tiers: Vec<_> = tiers.map(|t| (t.long, t.short, t.threshold)).collect();
            let events = &slo.events;
            (
                slo.period,
                events.budget.objective,
                events.min_events,
                tiers,
            )
        });
        match name.filter(|_| objectives[0] == objectives[1]) {
            None => cx.notes.push(message),
            Some((name, _)) => {
                let message = format!("{message}, with the same objective and period");
                let warning = Diagnostic::warning("contradiction", name.span, message);
                cx.sink.push(
                    warning.help("if one is a copy, change its `sli`, `where` or `group_by`"),
                );
            }
        }
    }
    doubts::latencies(cx, &slos);
    note_new_series(cx);
    slos
}

/// Notes the SLOs that do not count the first events of new series, beside one that does. Series with labels of their own begin with an
/// event.
fn note_new_series(cx: &mut Context<'_>) {
    let spec = cx.spec;
    let counts = |slo: &spec::Slo| slo.count_new_series.map(|counts| counts.value);
    let mut slos = spec.slos.iter();
    let Some((counting, _)) = slos.find(|(_, slo)| counts(slo) == Some(true)) else {
        return;
    };
    let begins = |name: &&Text| {
        let mut signal = spec.signals.get(name.value.as_str());
        // Not more often than there are signals: they may use each other in a circle.
        for _ in 0..spec.signals.len() {
            let Some(base) = signal.and_then(|signal| signal.base.as_ref()) else {
                break;
            };
            signal = spec.signals.get(base.value.as_str());
        }
        let labels = signal.and_then(|signal| signal.has_labels.as_ref());
        labels.is_some_and(|labels| !labels.is_empty())
    };
    for (name, slo) in &spec.slos {
        let counted = slo.sli.value.ratio.is_some() || slo.sli.value.latency.is_some();
        let of_sli = signals(&slo.sli.value);
        if counts(slo).is_none() && counted && of_sli.iter().any(begins) {
            cx.notes.push(format!(
                "`{name}` does not count the first event of a new series, and `{counting}` does: write `count_new_series: true` or `false`"
            ));
        }
    }
}

/// Notes the alerts that do not see the first event of a new series, beside an SLO that counts it.
pub(super) fn note_first_events(cx: &mut Context<'_>, slos: &[Slo], alerts: &[Alert]) {
    for alert in alerts {
        let of_zero = alert.condition.compares().filter_map(|c| match &c.bound {
            Bound::Fixed(_, bound, _)
                if c.stat == Stat::Increase && *bound == Number::from_integer(0) =>
            {
                c.signal.family()
            }
            _ => None,
        });
        let of_zero: Vec<_> = of_zero.map(|family| family.names.newest()).collect();
        let counting = slos.iter().find(|slo| {
            let EventSli::Ratio { part, total, .. } = &slo.events.sli else {
                return false;
            };
            let mut read = [part, total]
                .into_iter()
                .filter_map(|signal| signal.family());
            slo.events.count_new_series
                && read.any(|family| of_zero.contains(&family.names.newest()))
        });
        if let Some(slo) = counting {
            cx.notes.push(format!(
                "`{}` does not see the first event of a new series, and `{}` does: use the counts of the SLO where that matters",
                alert.name, slo.name
            ));
        }
    }
}

/// True where two SLOs count the same events in the same groups.
fn is_same(one: &Slo, other: &Slo) -> bool {
    one.labels == other.labels
        && match (&one.events.sli, &other.events.sli) {
            (
                EventSli::Ratio { part, good, total },
                EventSli::Ratio {
                    part: other_part,
                    good: other_good,
                    total: other_total,
                },
            ) => {
                good == other_good
                    && part
                        .family()
                        .is_some_and(|f| Some(f) == other_part.family())
                    && total.family() == other_total.family()
            }
            (
                EventSli::Latency { family, within, .. },
                EventSli::Latency {
                    family: other_family,
                    within: other_within,
                    ..
                },
            ) => family == other_family && within == other_within,
            _ => false,
        }
}

fn one(cx: &mut Context<'_>, name: &Text, slo: &spec::Slo) -> Option<Slo> {
    let period = slo.period.value;
    if period < SHORTEST_PERIOD || period > LONGEST_PERIOD {
        let message = format!(
            "the `period` of an SLO must be between {SHORTEST_PERIOD} and {LONGEST_PERIOD}; found {period}"
        );
        cx.sink
            .push(Diagnostic::error("bad-window", slo.period.span, message));
        return None;
    }
    let (events, labels) = events(cx, name, slo)?;
    doubts::slo(cx, name, slo, &signals(&slo.sli.value));
    let alert_name = slo_alert_name(name, slo);
    let compat = cx.spec.prometheus.compat.map(|_| Compat {
        id: format!("{}-{name}", cx.spec.service.name),
    });
    let text = |t: &Option<Text>| t.as_ref().map(|t| t.value.clone());
    let facts = facts(cx, slo);
    Some(Slo {
        title: text(&slo.title).unwrap_or_else(|| name.value.replace('-', " ")),
        description: text(&slo.description).unwrap_or_default(),
        summary: text(&slo.notice.summary),
        facts,
        name: name.value.clone(),
        period,
        labels,
        events,
        links: cx.links(&alert_name, slo.notice.runbook.as_ref()),
        alert_name,
        compat,
    })
}

/// Reports SLOs that lack a label of the service's `group_by` and do not say so: the errors of one group would be hidden among
/// all others.
pub(super) fn check_groups(cx: &mut Context<'_>, slos: &[Slo], unknown: &[String]) {
    let spec = cx.spec;
    for slo in slos {
        let Some(written) = spec.slos.get(slo.name.as_str()) else {
            continue;
        };
        if written.groups.group_by.is_some() {
            continue;
        }
        let service = spec.prometheus.group_by.iter().map(|label| &label.value);
        let lacking: Vec<_> = service
            .filter(|label| !slo.labels.contains(label) && !unknown.contains(label))
            // These have been reported.
            .filter(|label| {
                !spec
                    .prometheus
                    .external_labels
                    .iter()
                    .any(|l| l.value == **label)
            })
            .collect();
        let own = written.sli.value.promql.as_ref();
        if let (Some(query), Some(label)) = (own, lacking.first()) {
            let message = format!(
                "the queries of `{}` do not return the label `{label}`, by which `prometheus.group_by` groups SLOs",
                slo.name
            );
            let warning = Diagnostic::warning("unknown-label", query.span, message);
            cx.sink.push(warning.help(format!(
                "add the label to `by` in the queries, or write the labels of this SLO: `group_by: [{}]`",
                slo.labels.join(", ")
            )));
        }
        for name in signals(&written.sli.value) {
            let Outcome::Ready(signal) = cx.outcome(name) else {
                continue;
            };
            let lacks = |label: &&&String| !signal.labels.contains(label);
            let lacking: Vec<_> = lacking.iter().filter(lacks).map(|l| l.as_str()).collect();
            if lacking.is_empty() {
                continue;
            }
            let message = format!(
                "`{name}` has no label `{}`, by which `prometheus.group_by` groups the SLO",
                lacking.join("`, `")
            );
            let error = Diagnostic::error("unknown-label", name.span, message);
            let own = cx.spec.signals.get(name.value.as_str());
            let declares = own.is_some_and(|own| own.prometheus.is_some());
            cx.sink.push(error.help(format!(
                "{}write the labels of this SLO{}: `group_by: [{}]`",
                match declares {
                    true => "add the label to the `has_labels` of the signal, or ",
                    false => "",
                },
                if written.groups.by.0.is_empty() {
                    ""
                } else {
                    " instead of `by`"
                },
                slo.labels.join(", ")
            )));
            break;
        }
    }
}

pub(super) fn signals(sli: &spec::Sli) -> Vec<&Text> {
    let ratio = sli.ratio.as_ref().map(|ratio| &ratio.value);
    let ratio = ratio.map(|r| [Some(&r.total), r.bad.as_ref(), r.good.as_ref()]);
    let ratio = ratio.into_iter().flatten().flatten();
    let single = [
        sli.latency.as_ref().map(|latency| &latency.value.signal),
        sli.time.as_ref().map(|time| &time.value.signal),
    ];
    let sides = ratio.map(|side| &side.signal);
    sides.chain(single.into_iter().flatten()).collect()
}

fn facts(cx: &mut Context<'_>, slo: &spec::Slo) -> Vec<(String, String)> {
    // Faults in them are reported with the alerts.
    let told = std::mem::take(&mut cx.sink);
    let marks = cx.marks("", &slo.notice.marks, &Kept::any());
    cx.sink = told;
    let owner = marks.owner.iter();
    let owner = owner.map(|owner| (naming::OWNER.to_owned(), owner.clone()));
    marks.fixed().cloned().chain(owner).collect()
}

fn kept(labels: &[String]) -> Kept {
    let own = [naming::SERVICE, naming::SLO];
    let all = labels.iter().map(String::as_str).chain(own);
    Kept::Only(all.map(Into::into).collect())
}

/// Warns of a label that only the good or the bad events are selected by: each of its values is all good or all bad.
fn check_split(cx: &mut Context<'_>, slo: &spec::Slo, sli: &EventSli, labels: &[String]) {
    let EventSli::Ratio { part, total, .. } = sli else {
        return;
    };
    let Some((bad, all)) = part
        .family()
        .zip(total.family())
        .filter(|(a, b)| a.served == b.served)
    else {
        return;
    };
    let splits = |label: &&String| {
        let [bad, all] = [bad, all].map(|of| of.matchers.iter().filter(|m| m.0 == **label));
        bad.clone().next().is_some() && !bad.eq(all)
    };
    if let Some(label) = labels.iter().find(splits) {
        let message = format!(
            "the SLO is grouped by `{label}`, by which only `{}` selects: each value of `{label}` has an error ratio of 0% or 100%",
            part.name
        );
        let warning = Diagnostic::warning("contradiction", slo.sli.span, message);
        cx.sink
            .push(warning.help(format!("group the SLO by labels without `{label}`")));
    }
}

fn mark(cx: &mut Context<'_>, slo: &spec::Slo, severity: &str, kept: &Kept) -> Marks {
    if let Some(summary) = &slo.notice.summary {
        templates::check(cx, summary, kept);
    }
    cx.marks(severity, &slo.notice.marks, kept)
}

fn events(cx: &mut Context<'_>, name: &Text, slo: &spec::Slo) -> Option<(EventSlo, Vec<String>)> {
    let objective = &slo.objective;
    let budget = cx.sink.take(tiers::budget(objective));
    if let Some(budget) = budget.filter(|budget| budget.objective < Number::new(1, 2)) {
        let message = format!("the objective of `{name}` allows more bad events than good ones");
        let warning = Diagnostic::warning("objective-out-of-range", objective.span, message);
        let share = decimal(budget.budget * 100);
        let allow = format!("to allow {objective} bad events, write `{share}%`");
        let meant = budget.objective * 10_000;
        // A share, with the sign of a percentage.
        cx.sink
            .push(warning.help(match (50..100).contains(&meant.to_integer()) {
                true => format!("write `{}%`; {allow}", decimal(meant)),
                false => allow,
            }));
    }
    let events = slis::events(cx, name, slo)?;
    let budget = budget?;
    let severities = service::severities(cx);
    let mut tiers = tiers::resolve(
        &Objective {
            name: &name.value,
            budget,
            at: objective.span,
            period: slo.period,
            severities: &severities,
        },
        slo.burn.as_ref(),
        &mut cx.notes,
        &mut cx.sink,
    );
    for tier in slo.burn.iter().flat_map(|burn| burn.value.tiers()) {
        if let Some(severity) = &tier.value.severity {
            cx.check_severity(severity);
        }
    }
    for tier in &mut tiers {
        tier.severity = cx.severity(&tier.severity);
        tier.marks = mark(cx, slo, &tier.severity, &kept(&events.labels));
    }
    let given = slo.burn.as_ref().map(|burn| burn.value.tiers());
    tiers::check_severities(&severities, given.unwrap_or_default(), &tiers, &mut cx.sink);
    // A short window may lack the events that a longer one has.
    if slo.min_events.is_none() {
        tiers::check_order(&severities, given.unwrap_or_default(), &tiers, &mut cx.sink);
    }
    check_min_events(cx, name, slo, &tiers);
    check_split(cx, slo, &events.sli, &events.labels);
    let mut windows: Vec<_> = tiers.iter().flat_map(|t| [t.long, t.short]).collect();
    windows.extend([BASE_WINDOW, slo.period.value]);
    windows.sort();
    windows.dedup();
    let written = given.unwrap_or_default().iter().map(|tier| &tier.value);
    let mut written = written
        .flat_map(|tier| [Some(&tier.long), tier.short.as_ref()])
        .flatten();
    let shortest = written.find(|window| window.value == windows[0]);
    cx.check_window(
        windows[0],
        shortest.map_or(slo.period.span, |window| window.span),
    );
    let recorded = Recorded {
        service: &cx.spec.service.name.value,
        slo: &name.value,
        renamed_from: [&cx.spec.service.renamed_from, &slo.renamed_from]
            .map(|old| old.as_ref().map(|old| old.value.as_str())),
        every: cx.recording_interval(),
        near: near_up_to(&tiers),
    };
    let min_events = slo.min_events.map_or(0, |least| least.value);
    for tier in tiers.iter_mut().filter(|_| min_events > 0) {
        tier.enough = Some(events.enough(tier.long, min_events, &recorded));
    }
    let ratios = windows
        .into_iter()
        .map(|window| WindowRatio {
            window,
            expr: events.ratio(window, &recorded),
        })
        .collect();
    let (increases, counted) = events.recorded(&recorded).unzip();
    let sums = match slo.period.value > recorded.near {
        true => events.sums(&recorded),
        false => Vec::new(),
    };
    let mut of_events = EventSlo {
        budget,
        counted,
        ratios,
        tiers,
        increases: increases.unwrap_or_default(),
        sums,
        count_new_series: events.new_series.is_some(),
        all_up: None,
        places_end: false,
        min_events,
        sli: events.sli,
    };
    of_events.all_up = absence::all_up(cx, &of_events, &events.labels);
    of_events.places_end = absence::places_end(cx, &of_events, &events.labels);
    Some((of_events, events.labels))
}

fn check_min_events(cx: &mut Context<'_>, name: &Text, slo: &spec::Slo, tiers: &[Tier]) {
    let page = cx.severity("page");
    // One bad event of so many is not above the threshold.
    let safe = |tier: &Tier| tier.threshold.recip().ceil().to_integer();
    let pages = page != cx.severity("ticket");
    let paging = tiers.iter().filter(|tier| pages && tier.severity == page);
    if let Some(events) = slo.min_events
        && let Some(tier) = paging.max_by_key(|tier| safe(tier))
        && i128::from(events.value) < safe(tier)
    {
        cx.notes.push(format!(
            "`{name}`: one bad event pages if it is one of {events} to {} events in {}, because it is above {}. `min_events: {}` prevents that",
            safe(tier) - 1,
            tier.long,
            format_args!("{}%", decimal(tier.threshold * 100)),
            safe(tier)
        ));
    }
    let least = Duration::from_secs(BASE_WINDOW.as_secs() * 6);
    let short = tiers.iter().find(|tier| tier.long < least);
    if let (Some(events), Some(tier)) = (slo.min_events, short) {
        let message = format!(
            "`min_events` needs tiers with long windows of at least {least}; found {}",
            tier.long
        );
        let error = Diagnostic::error("bad-window", events.span, message);
        cx.sink
            .push(error.help(format!("use long windows of {least} or more")));
    }
}
