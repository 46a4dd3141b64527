//! Alerts in runbooks: the same thresholds, durations and queries as in the rules.

use serde::Serialize;

use super::query::{self, Query};
use slosmith_plan::plan::{
    Alert, Compare, Condition, EventSlo, Plan, Slo, Tier, recorded, slo, words,
};
use slosmith_plan::plan::{Links, Marks, is_stored};
use slosmith_promql::ast::{Expr, MatchOp};
use slosmith_promql::kept_labels;
use slosmith_spec::naming;
use slosmith_spec::spec::Stat;
use slosmith_text::units::{Number, Unit, decimal, readable, shown};

#[derive(Debug, Serialize)]
pub(super) struct AlertView<'p> {
    pub(super) name: &'p str,
    details: String,
    details_anchor: String,
    severity: String,
    /// The problem in one sentence; the condition, where the summary repeats the name.
    summary: String,
    /// The condition and its duration; none for several tiers of an SLO.
    fires: Option<String>,
    tiers: Vec<TierView>,
    /// Labels with one alert for each combination of their values.
    each: Vec<String>,
    /// The fewest events for the tiers of an SLO: `20 requests in 1h`.
    minimum: String,
    objective: Option<String>,
    promise: Option<(String, &'p str)>,
    target: Option<&'p str>,
    action: Option<&'p str>,
    owner: Option<&'p str>,
    /// Labels for routing, as severity and labels; without a severity where all severities have the same labels.
    labels: Vec<(String, String)>,
    notes: Vec<(&'p str, &'p str)>,
    queries: Vec<Query>,
    dashboard: &'p str,
    alarms: Vec<&'p str>,
    elsewhere: Option<&'p str>,
    /// True if slosmith adds the alert, on the data of the SLOs.
    #[serde(skip)]
    pub(super) is_on_data: bool,
}

#[derive(Debug, Serialize)]
struct TierView {
    name: String,
    severity: String,
    threshold: String,
    factor: String,
    long: String,
    short: String,
    spent: String,
}

impl AlertView<'_> {
    pub(super) fn is_elsewhere(&self) -> bool {
        self.elsewhere.is_some()
    }
}

/// The alerts that lead to a page, or the alerts without a page; SLOs first.
pub(super) fn of<'p>(plan: &'p Plan, page: Option<&str>) -> Vec<AlertView<'p>> {
    let leads = |links: &Links| links.page.as_deref() == page;
    let slos = plan.slos.iter().filter(|slo| leads(&slo.links));
    let alerts = plan.alerts.iter().filter(|alert| leads(&alert.links));
    slos.filter_map(|slo| objective(plan, slo))
        .chain(alerts.map(|alert| self::alert(plan, alert)))
        .collect()
}

fn named<'p>(name: &'p str, links: &'p Links) -> AlertView<'p> {
    let details = format!("Details: {name}");
    AlertView {
        name,
        details_anchor: naming::slug(&details),
        details,
        severity: String::new(),
        summary: String::new(),
        fires: None,
        tiers: Vec::new(),
        each: Vec::new(),
        minimum: String::new(),
        objective: None,
        promise: None,
        target: None,
        action: None,
        owner: None,
        labels: Vec::new(),
        notes: Vec::new(),
        queries: Vec::new(),
        dashboard: links.dashboard_url(),
        alarms: Vec::new(),
        elsewhere: links.elsewhere.then_some(links.runbook.as_str()),
        is_on_data: false,
    }
}

fn alert<'p>(plan: &'p Plan, alert: &'p Alert) -> AlertView<'p> {
    let fires = words::condition_held(&alert.condition, alert.hold);
    let summary = match repeats(&alert.summary, &alert.name) {
        true => words::capital(&fires),
        false => words::without_templates(&alert.summary),
    };
    let kept = match alert.keep.as_secs() {
        0 => String::new(),
        _ => format!("; the alert keeps firing for {} after that", alert.keep),
    };
    AlertView {
        severity: alert.severity.clone(),
        summary: sentence(summary),
        fires: Some(fires + &kept),
        each: each(&alert.condition.query().expr),
        target: alert.target.as_ref().map(|target| target.text.as_str()),
        action: alert.action.as_deref(),
        owner: owner(&alert.marks),
        labels: labels(&[(&alert.severity, &alert.marks)]),
        notes: notes(&alert.marks),
        queries: queries(plan, &alert.condition),
        alarms: alarms(plan, |name| name == alert.name),
        is_on_data: alert.condition.slo_data().is_some(),
        ..named(&alert.name, &alert.links)
    }
}

fn objective<'p>(plan: &'p Plan, slo: &'p Slo) -> Option<AlertView<'p>> {
    let marks = slo.marks();
    let first = marks.first().map(|(_, marks)| *marks);
    let of_slo = format!("{}: ", slo.name);
    let promise = slo.description.as_str();
    let shared = AlertView {
        promise: (!promise.is_empty()).then(|| (slo.period.to_string(), promise)),
        each: slo.labels.clone(),
        owner: first.and_then(owner),
        labels: labels(&marks),
        notes: first.map(notes).unwrap_or_default(),
        alarms: alarms(plan, |name| name.starts_with(&of_slo)),
        ..named(&slo.alert_name, &slo.links)
    };
    let events = &slo.events;
    if events.tiers.is_empty() {
        return None;
    }
    Some(AlertView {
        severity: severities(events),
        summary: format!(
            "{}: the error budget is spent too fast.",
            words::capital(&slo.title)
        ),
        fires: match &events.tiers[..] {
            [only] => Some(format!(
                "the error ratio {} over both {} and {}",
                threshold(events, only),
                only.long,
                only.short
            )),
            _ => None,
        },
        minimum: match &events.tiers[..] {
            [only] => words::minimum(events, &only.long.to_string()),
            _ => words::minimum(events, "the long window") + words::outlives(events),
        },
        objective: (!states(promise, events.budget.objective)
            && !states(promise, events.budget.budget))
        .then(|| {
            format!(
                "{}{} over {}",
                shown(events.budget.objective, Unit::Ratio),
                words::of_counted(&events.sli),
                slo.period
            )
        }),
        tiers: events.tiers.iter().map(|t| tier(slo, t)).collect(),
        queries: match slo.is_stored() {
            true => events.tiers.iter().map(|t| ratios(plan, slo, t)).collect(),
            false => Vec::new(),
        },
        ..shared
    })
}

fn tier(slo: &Slo, tier: &Tier) -> TierView {
    TierView {
        name: tier.name.clone(),
        severity: tier.severity.clone(),
        threshold: threshold(&slo.events, tier),
        factor: decimal(readable(tier.factor)),
        long: tier.long.to_string(),
        short: tier.short.to_string(),
        spent: format!(
            "{} of {} in {}",
            shown(readable(tier.consumed), Unit::Ratio),
            slo.period,
            tier.long
        ),
    }
}

fn threshold(events: &EventSlo, tier: &Tier) -> String {
    let ratio = shown(readable(tier.threshold), Unit::Ratio);
    format!("> {ratio}{}", words::of_counted(&events.sli))
}

fn states(promise: &str, share: Number) -> bool {
    promise.contains(&format!("{}%", decimal(share * 100)))
}

fn sentence(text: String) -> String {
    match text.trim_end().ends_with(['.', '!', '?']) {
        true => text,
        false => format!("{}.", text.trim_end()),
    }
}

/// True for a summary that repeats the name: `Queue overflow` for `QueueOverflow`.
fn repeats(summary: &str, name: &str) -> bool {
    let letters = |text: &str| -> String {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    letters(summary) == letters(name)
}

fn each(expr: &Expr) -> Vec<String> {
    kept_labels(expr).names().unwrap_or_default()
}

fn owner(marks: &Marks) -> Option<&str> {
    marks.owner.as_deref().filter(|_| marks.owner_is_own)
}

fn labels(all: &[(&str, &Marks)]) -> Vec<(String, String)> {
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
        return some.collect();
    }
    some.take(1)
        .map(|(_, line)| (String::new(), line))
        .collect()
}

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

fn queries(plan: &Plan, condition: &Condition) -> Vec<Query> {
    let title = |leaf: &Condition| match leaf {
        Condition::Compare(c) => title(c),
        Condition::Absent(_) => "Missing series".to_owned(),
        _ => "Query of this condition".to_owned(),
    };
    let leaves = condition.leaves().into_iter();
    let stored = leaves.filter(|leaf| is_stored(&leaf.query().expr));
    stored
        .map(|leaf| query::titled(plan, title(leaf), leaf.value()))
        .collect()
}

fn title(c: &Compare) -> String {
    let reading = words::capital(&words::reading(&c.signal, c.stat, c.window));
    // An increase has its window in its name.
    match c.signal.is_instant(c.stat) || matches!(c.stat, Stat::Increase | Stat::Slope) {
        true => reading,
        false => format!("{reading}, over {}", c.window),
    }
}

fn ratios(plan: &Plan, slo: &Slo, tier: &Tier) -> Query {
    let (long, short) = (tier.long, tier.short);
    let labels = [
        (naming::SERVICE, plan.service.name.as_str()),
        (naming::SLO, slo.name.as_str()),
    ];
    let series = recorded(naming::ERROR_RATIO, &labels);
    let series = series.matcher(naming::WINDOW, MatchOp::Match, &format!("{long}|{short}"));
    let title = format!("Error ratio over {long} and over {short}");
    query::titled(plan, title, &series.into())
}

fn alarms(plan: &Plan, named: impl Fn(&str) -> bool) -> Vec<&str> {
    let parity = plan.cloudwatch.iter().flat_map(|cw| &cw.parity);
    let found = parity.filter(|entry| named(&entry.name));
    found
        .flat_map(|entry| entry.resources.iter().map(String::as_str))
        .collect()
}
