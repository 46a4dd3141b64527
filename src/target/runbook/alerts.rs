//! Alerts as their runbooks describe them: the same bounds, durations and queries.

use serde::Serialize;

use super::query::{self, Query};
use crate::plan::{
    Alert, BASE_WINDOW, Compare, Condition, EventSlo, Plan, Slo, SloKind, slo, words,
};
use crate::plan::{Links, Marks};
use crate::promql::ast::Expr;
use crate::promql::kept_labels;
use crate::spec::Stat;

/// An alert, as the template sees it.
#[derive(Debug, Serialize)]
pub(super) struct AlertView<'p> {
    /// Its name; the heading that links lead to.
    pub(super) name: &'p str,
    /// How urgent it is; several for the tiers of an objective.
    severity: String,
    /// One line, where it says more than the name.
    summary: Option<String>,
    /// When it fires, in words: one of these is enough.
    when: Vec<String>,
    /// Labels of which each combination fires on its own.
    each: Vec<String>,
    /// The objective behind a percentile's alert, in words.
    objective: Option<String>,
    /// What to do first.
    action: Option<&'p str>,
    /// Who answers for it, where that is not the service's owner.
    owner: Option<&'p str>,
    /// Labels it can be routed by; for the tiers of an objective each severity's.
    labels: Vec<String>,
    /// What its annotations say beside all this.
    notes: Vec<(&'p str, &'p str)>,
    /// What to look at.
    queries: Vec<Query>,
    /// Its panel.
    dashboard: &'p str,
    /// Its alarms in CloudWatch.
    alarms: Vec<&'p str>,
    /// Its runbook, where that is no page of this service.
    elsewhere: Option<&'p str>,
}

impl AlertView<'_> {
    /// True where its runbook is no page of this service.
    pub(super) fn is_elsewhere(&self) -> bool {
        self.elsewhere.is_some()
    }
}

/// Alerts that lead to a runbook, or those that lead to none; objectives first.
pub(super) fn of<'p>(plan: &'p Plan, page: Option<&str>) -> Vec<AlertView<'p>> {
    let leads = |links: &Links| links.page.as_deref() == page;
    let slos = plan.slos.iter().filter(|slo| leads(&slo.links));
    let alerts = plan.alerts.iter().filter(|alert| leads(&alert.links));
    slos.filter_map(|slo| objective(plan, slo))
        .chain(alerts.map(|alert| self::alert(plan, alert)))
        .collect()
}

fn alert<'p>(plan: &'p Plan, alert: &'p Alert) -> AlertView<'p> {
    AlertView {
        name: &alert.name,
        severity: alert.severity.clone(),
        summary: (!repeats(&alert.summary, &alert.name)).then(|| alert.summary.clone()),
        when: vec![words::condition_held(&alert.condition, alert.hold)],
        each: each(&alert.condition.query().expr),
        objective: None,
        action: alert.action.as_deref(),
        owner: owner(&alert.marks),
        labels: labels(&[(&alert.severity, &alert.marks)]),
        notes: notes(&alert.marks),
        queries: queries(plan, &alert.condition),
        dashboard: &alert.links.dashboard,
        alarms: alarms(plan, |name| name == alert.name),
        elsewhere: elsewhere(&alert.links),
    }
}

/// The alert of an objective, if it has one.
fn objective<'p>(plan: &'p Plan, slo: &'p Slo) -> Option<AlertView<'p>> {
    let marks = slo.marks();
    let first = marks.first().map(|(_, marks)| *marks);
    let (severity, when, objective, queries) = match &slo.kind {
        SloKind::Percentile(p) => {
            let alert = p.alert.as_ref()?;
            let when = words::condition_held(&alert.condition, alert.hold);
            let objective = format!("below {} over {}", p.below.1, slo.period);
            let queries = queries(plan, &alert.condition);
            (alert.severity.clone(), vec![when], Some(objective), queries)
        }
        SloKind::Events(events) if events.tiers.is_empty() => return None,
        SloKind::Events(events) => {
            let tiers = events.tiers.iter();
            let when = tiers.map(|tier| words::tier(slo, &events.sli, tier));
            (
                severities(events),
                when.collect(),
                None,
                ratio(plan, events),
            )
        }
    };
    let of_slo = format!("{}: ", slo.name);
    Some(AlertView {
        name: &slo.alert_name,
        severity,
        summary: Some(match slo.description.as_str() {
            "" => slo.title.clone(),
            description => format!("{}: {description}", slo.title),
        }),
        when,
        each: slo.labels.clone(),
        objective,
        action: None,
        owner: first.and_then(owner),
        labels: labels(&marks),
        notes: first.map(notes).unwrap_or_default(),
        queries,
        dashboard: &slo.links.dashboard,
        alarms: alarms(plan, |name| name.starts_with(&of_slo)),
        elsewhere: elsewhere(&slo.links),
    })
}

/// True for a summary that is the name in words: `Queue overflow` of `QueueOverflow`.
fn repeats(summary: &str, name: &str) -> bool {
    let letters = |text: &str| -> String {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    letters(summary) == letters(name)
}

/// The labels that a query keeps, where they are known.
fn each(expr: &Expr) -> Vec<String> {
    kept_labels(expr).names().unwrap_or_default()
}

fn elsewhere(links: &Links) -> Option<&str> {
    links.elsewhere.then_some(links.runbook.as_str())
}

fn owner(marks: &Marks) -> Option<&str> {
    marks.owner.as_deref().filter(|_| marks.owner_is_own)
}

/// `team=web, tier=2`, and before it the severity where these differ.
fn labels(all: &[(&str, &Marks)]) -> Vec<String> {
    let line = |(severity, marks): &(&str, &Marks)| {
        let pairs = marks.labels.iter();
        let pairs: Vec<_> = pairs
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        ((*severity).to_owned(), pairs.join(", "))
    };
    let mut lines: Vec<_> = all.iter().map(line).collect();
    lines.dedup();
    let differ = lines.windows(2).any(|pair| pair[0].1 != pair[1].1);
    let some = lines.into_iter().filter(|(_, line)| !line.is_empty());
    if differ {
        return some
            .map(|(severity, line)| format!("{severity}: {line}"))
            .collect();
    }
    some.take(1).map(|(_, line)| line).collect()
}

/// Texts that hold no template code.
fn notes(marks: &Marks) -> Vec<(&str, &str)> {
    let notes = marks.annotations.iter();
    let notes = notes.map(|(name, text)| (name.as_str(), text.as_str()));
    notes.filter(|(_, text)| !text.contains("{{")).collect()
}

fn severities(events: &EventSlo) -> String {
    let of_tier = |tier: &slo::Tier| tier.severity.clone();
    let mut severities: Vec<_> = events.tiers.iter().map(of_tier).collect();
    severities.dedup();
    severities.join(", ")
}

/// What each part of a condition judges.
fn queries(plan: &Plan, condition: &Condition) -> Vec<Query> {
    let title = |leaf: &Condition| match leaf {
        Condition::Compare(c) => title(c),
        Condition::Absent(_) => "Absent series".to_owned(),
        _ => "The alert's own query".to_owned(),
    };
    let leaves = condition.leaves().into_iter();
    leaves
        .map(|leaf| query::titled(plan, title(leaf), leaf.value()))
        .collect()
}

/// What a comparison judges, in words.
fn title(c: &Compare) -> String {
    let subject = words::capital(&words::subject(c));
    // An increase says its window itself.
    match c.signal.is_instant(c.stat) || c.stat == Stat::Increase {
        true => subject,
        false => format!("{subject}, over {}", c.window),
    }
}

/// The error ratio of the last minutes, from the counters.
fn ratio(plan: &Plan, events: &EventSlo) -> Vec<Query> {
    let mut ratios = events.ratios.iter();
    let base = ratios.find(|ratio| ratio.window == BASE_WINDOW);
    let what = words::counted(&events.sli).trim_start_matches("the ");
    let title = format!("Share of bad {what} in {BASE_WINDOW}");
    base.map(|ratio| query::titled(plan, title, &ratio.expr))
        .into_iter()
        .collect()
}

/// Alarms in CloudWatch that were made from it.
fn alarms(plan: &Plan, named: impl Fn(&str) -> bool) -> Vec<&str> {
    let parity = plan.cloudwatch.iter().flat_map(|cw| &cw.parity);
    let found = parity.filter(|entry| named(&entry.name));
    found
        .flat_map(|entry| entry.resources.iter().map(String::as_str))
        .collect()
}
