//! The tables of SLOs and alerts on a simulated day.

use super::simulated::{Day, Errors, NOW, compared, evaluated, held, minutes, whom};
use super::value::value;
use super::view::{Sketch, Word};
use crate::target::grafana::{color_name, color_of};
use slosmith_plan::plan::dashboard::{BEGAN, Cells, Color, Column, Field};
use slosmith_plan::plan::{Alert, BASE_WINDOW, Bound, Condition, Plan, Slo, Tier, words};
use slosmith_text::units::{Unit, decimal, float, readable, shown};

/// A value of a cell before it is formatted.
pub(super) enum Given {
    Text(String),
    /// A text and where it leads.
    Link(String, String),
    Number(f64),
}

/// A text without a colour.
pub(super) fn plain(text: &str) -> Word {
    Word {
        text: text.to_owned(),
        ..Word::default()
    }
}

/// A number without a value, as Grafana shows it.
pub(super) fn no_data(empty: Sketch) -> Sketch {
    Sketch {
        value: NO_DATA.to_owned(),
        color: "blue".to_owned(),
        ..empty
    }
}

/// The state of what has no data.
pub(super) const NO_DATA: &str = "no data";

fn cell(column: &Column, given: Option<Given>) -> Word {
    let colored = |text: String, color: Option<&str>| Word {
        text,
        color: color.unwrap_or_default().to_owned(),
        ..Word::default()
    };
    let (given, href) = match given {
        Some(Given::Link(text, href)) => (Some(Given::Text(text)), href),
        given => (given, String::new()),
    };
    let word = match (&column.cells, given) {
        (Cells::Always(word), Some(_)) => plain(word),
        (Cells::Number(unit, bounds), Some(Given::Number(number))) => {
            let color = (!bounds.is_empty()).then(|| color_of(bounds, number));
            // The state of a row says whether it is well.
            let color = color.filter(|color| color != color_name(Color::Green));
            colored(value(number, *unit), color.as_deref())
        }
        (Cells::Share(digits), Some(Given::Number(number))) => {
            let digits = usize::try_from(*digits).unwrap_or(1);
            plain(&format!("{:.digits$}%", number * 100.0))
        }
        (Cells::Words(words), Some(Given::Text(text))) => {
            let color = words.iter().find(|(_, word, _)| *word == text);
            colored(text, color.map(|(_, _, color)| color_name(*color)))
        }
        (Cells::Coloured(values), Some(Given::Text(text))) => {
            let color = values.iter().find(|(value, _)| *value == text);
            colored(text, color.map(|(_, color)| color_name(*color)))
        }
        (Cells::Text(texts), Some(Given::Text(text))) => {
            let known = texts.iter().find(|(value, _)| *value == text);
            plain(known.map_or(&text, |(_, text)| text))
        }
        (_, Some(Given::Text(text))) => plain(&text),
        _ => plain(""),
    };
    Word { href, ..word }
}

/// A table: `given` returns the value in a column of a row.
pub(super) fn table<R>(
    columns: &[Column],
    rows: &[R],
    given: impl Fn(&R, &Column) -> Option<Given>,
    empty: Sketch,
) -> Sketch {
    let shown = || columns.iter().filter(|c| c.cells != Cells::Hidden);
    let row = |row: &R| shown().map(|c| cell(c, given(row, c))).collect();
    Sketch {
        headings: shown().map(|column| column.heading.clone()).collect(),
        rows: rows.iter().map(row).collect(),
        ..empty
    }
}

pub(super) fn objectives(plan: &Plan, columns: &[Column], day: Day, empty: Sketch) -> Sketch {
    let given = |slo: &&Slo, column: &Column| objective(plan, slo, column, day);
    let rows: Vec<&Slo> = plan.slos.iter().collect();
    table(columns, &rows, given, empty)
}

fn objective(plan: &Plan, slo: &Slo, column: &Column, day: Day) -> Option<Given> {
    let heading = column.heading.as_str();
    match heading {
        "SLO" => Some(Given::Link(slo.name.clone(), format!("#slo-{}", slo.name))),
        "Runbook" => Some(Given::Link(String::new(), slo.links.runbook.clone())),
        "State" => Some(Given::Text(state(plan, slo, day).0.to_owned())),
        "For" if day != Day::Silent => Some(Given::Text(whom(plan))),
        "Since" => Some(Given::Text(ago(state(plan, slo, day).1?))),
        "Budget lasts" => Some(Given::Text(spent(spent_in(slo, day)?))),
        "Objective" => {
            let objective = shown(slo.events.budget.objective, Unit::Ratio);
            Some(Given::Text(format!("{objective} over {}", slo.period)))
        }
        _ if day == Day::Silent => None,
        _ => {
            let errors = Errors::of(&slo.events);
            let number = match heading {
                "Current" => 1.0 - errors.over(slo.period, day, NOW),
                "Budget left" => errors.left(slo.period, day, NOW),
                other => {
                    let window = other.strip_prefix("Burn rate ")?.parse().ok()?;
                    errors.burn(window, day, NOW)
                }
            };
            Some(Given::Number(number))
        }
    }
}

/// The hours in which the budget of an SLO is spent, while it burns now.
pub(super) fn spent_in(slo: &Slo, day: Day) -> Option<f64> {
    let errors = Errors::of(&slo.events);
    let burn = errors.burn(BASE_WINDOW, day, NOW);
    let left = errors.left(slo.period, day, NOW).max(0.0);
    (burn >= 1.0).then(|| left * minutes(slo.period) / burn / 60.0)
}

pub(super) fn spent(hours: f64) -> String {
    match hours {
        0.0 => "nothing left".to_owned(),
        hours if hours > 48.0 => format!("{:.1} days", hours / 24.0),
        hours => format!("{hours:.1} hours"),
    }
}

/// Minutes as the dashboards show them.
pub(super) fn ago(since: f64) -> String {
    match since >= minutes(BEGAN) {
        true => format!("more than {BEGAN} ago"),
        false => format!("{since:.0} minutes ago"),
    }
}

/// The state of an SLO and for how many minutes: the first that holds, as in the table's query.
pub(super) fn state(plan: &Plan, slo: &Slo, day: Day) -> (&'static str, Option<f64>) {
    if day == Day::Silent {
        return (NO_DATA, None);
    }
    let is = |word, holds: &dyn Fn(f64) -> bool| Some((word, Some(held(holds)?)));
    let events = &slo.events;
    let errors = Errors::of(events);
    let page = &plan.service.severities.page;
    let fires = |pages: bool| {
        let tiers = events.tiers.iter();
        let mut tiers = tiers.filter(move |tier| (tier.severity == *page) == pages);
        tiers.find_map(|tier| held(|minute| fires(&errors, tier, day, minute)))
    };
    let left = |minute| errors.left(slo.period, day, minute);
    // An SLO burns since its burn rate is above 1, not since an alert noticed.
    let now = is("burning now", &|m| errors.burn(BASE_WINDOW, day, m) >= 1.0);
    let burns = now.and_then(|(_, since)| since);
    let paging = fires(true).map(|since| ("burning fast", burns.or(Some(since))));
    let ticket = || fires(false).map(|since| ("burning", burns.or(Some(since))));
    let found = paging
        .or_else(ticket)
        .or(now)
        .or_else(|| is("budget spent", &|m| left(m) <= 0.0))
        .or_else(|| is("budget low", &|m| left(m) < 0.25));
    found.unwrap_or(("ok", None))
}

/// Whether both windows of a tier are above its threshold.
fn fires(errors: &Errors, tier: &Tier, day: Day, minute: f64) -> bool {
    let mut windows = [tier.long, tier.short].into_iter();
    windows.all(|window| errors.over(window, day, minute) > float(tier.threshold))
}

/// An alert that is pending or firing.
pub(super) struct Active {
    pub(super) name: String,
    /// Where the page says more.
    href: String,
    pub(super) runbook: String,
    /// What to do first.
    pub(super) action: String,
    whom: String,
    pub(super) severity: String,
    pub(super) state: &'static str,
    /// Minutes.
    pub(super) since: f64,
    /// The value and the threshold, where both are known.
    value: Option<String>,
    bound: Option<String>,
}

impl Active {
    /// A row that is not an alert.
    fn row(name: String, state: &'static str) -> Self {
        Self {
            name,
            href: String::new(),
            runbook: String::new(),
            action: String::new(),
            whom: String::new(),
            severity: String::new(),
            state,
            since: minutes(BEGAN),
            value: None,
            bound: None,
        }
    }
}

/// Names of the alerts that fire, paging alerts first.
pub(super) fn firing_on(plan: &Plan, day: Day) -> Vec<Word> {
    let page = &plan.service.severities.page;
    let (rows, _) = actives(plan, day);
    let firing = rows.into_iter().filter(|row| row.state == "firing");
    firing
        .map(|row| Word {
            color: if row.severity == *page {
                "red"
            } else {
                "orange"
            }
            .to_owned(),
            text: row.name,
            href: row.href,
        })
        .collect()
}

/// Pending and firing alerts, paging alerts first, and the number of alerts that are not simulated.
fn actives(plan: &Plan, day: Day) -> (Vec<Active>, usize) {
    let page = &plan.service.severities.page;
    let mut rows: Vec<Active> = plan
        .slos
        .iter()
        .filter_map(|slo| tier(plan, slo, day))
        .collect();
    let (alerts, unknown) = of_conditions(plan, day);
    rows.extend(alerts);
    rows.sort_by_key(|row| (row.state == "pending", row.severity != *page));
    (rows, unknown)
}

/// Pending and firing alerts on conditions, and the number of those that are not simulated.
pub(super) fn of_conditions(plan: &Plan, day: Day) -> (Vec<Active>, usize) {
    if day == Day::Silent {
        let missing = format!("no data from {}", plan.scrape.job);
        return (vec![Active::row(missing, NO_DATA)], 0);
    }
    let mut unknown = 0;
    let mut rows = Vec::new();
    for alert in &plan.alerts {
        let holds = evaluated(plan, &alert.condition);
        match holds(day, NOW) {
            None => unknown += 1,
            Some(_) => {
                let since = held(|minute| holds(day, minute) == Some(true));
                rows.extend(since.map(|since| active(plan, alert, day, since)));
            }
        }
    }
    (rows, unknown)
}

pub(super) fn alerts(plan: &Plan, columns: &[Column], day: Day, empty: Sketch) -> Sketch {
    let (mut rows, unknown) = actives(plan, day);
    if rows.is_empty() {
        rows.push(Active::row("nothing is firing".to_owned(), "ok"));
    }
    let note = match unknown {
        0 => String::new(),
        1 => "1 alert has no fixed threshold and is not simulated.".to_owned(),
        n => format!("{n} alerts have no fixed thresholds and are not simulated."),
    };
    Sketch {
        note,
        ..table(columns, &rows, given, empty)
    }
}

fn given(row: &Active, column: &Column) -> Option<Given> {
    let known = !row.severity.is_empty();
    match (column.heading.as_str(), &column.field) {
        ("State", _) => Some(Given::Text(row.state.to_owned())),
        ("Alert", _) => Some(Given::Link(row.name.clone(), row.href.clone())),
        ("Runbook", _) if known => Some(Given::Link(String::new(), row.runbook.clone())),
        ("Severity", _) if known => Some(Given::Text(row.severity.clone())),
        ("Alert since", Field::Value(_)) if known => Some(Given::Text(ago(row.since))),
        ("For", _) if known => Some(Given::Text(row.whom.clone())),
        ("Name", _) if known => Some(Given::Text(row.name.clone())),
        ("Value", _) if known => row.value.clone().map(Given::Text),
        ("Threshold", _) if known => row.bound.clone().map(Given::Text),
        _ => None,
    }
}

fn tier(plan: &Plan, slo: &Slo, day: Day) -> Option<Active> {
    let errors = Errors::of(&slo.events);
    let mut tiers = slo.events.tiers.iter();
    let (tier, since) = tiers.find_map(|tier| {
        let since = held(|minute| fires(&errors, tier, day, minute))?;
        Some((tier, since))
    })?;
    let factor = readable(tier.factor);
    Some(Active {
        name: slo.alert_name.clone(),
        href: format!("#slo-{}", slo.name),
        runbook: slo.links.runbook.clone(),
        action: String::new(),
        whom: whom(plan),
        severity: tier.severity.clone(),
        state: "firing",
        since,
        value: Some(format!("{:.1}", errors.burn(tier.long, day, NOW))),
        bound: Some(format!("burn rate > {} in {}", decimal(factor), tier.long)),
    })
}

fn active(plan: &Plan, alert: &Alert, day: Day, since: f64) -> Active {
    let of_bound = match alert.condition.valued() {
        Some(Condition::Compare(c)) if matches!(c.bound, Bound::Fixed(..)) => {
            let now = compared(plan, &c.signal, c.stat, c.unit).at(day, NOW);
            Some((value(now, c.unit), words::bound(&c.bound)))
        }
        _ => None,
    };
    let (value, bound) = of_bound.unzip();
    Active {
        name: alert.name.clone(),
        href: format!("#alert-{}", alert.name),
        runbook: alert.links.runbook.clone(),
        action: plan
            .runbooks
            .action(&alert.name, alert.action.as_deref(), &alert.links),
        whom: whom(plan),
        severity: alert.severity.clone(),
        state: match since >= minutes(alert.hold) {
            true => "firing",
            false => "pending",
        },
        since,
        value,
        bound,
    }
}
