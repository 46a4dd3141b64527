//! The tables of SLOs and alerts on a simulated day.

use super::simulated::{Day, Errors, INCIDENT, NOW, course, minutes};
use super::value::value;
use super::view::{Sketch, Word};
use crate::plan::alert::{self, ConditionAlert};
use crate::plan::dashboard::{self, Cells, Column, Field, Panel, Threshold};
use crate::plan::{BASE_WINDOW, Bound, Condition, EventSlo, Plan, Slo, SloKind, Tier, words};
use crate::target::grafana::{color_name, color_of};
use crate::units::{Unit, decimal, float, readable, shown};

/// A value of a cell before it is formatted.
enum Given {
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

/// What a cell shows; `-` where there is nothing.
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
        _ => plain("-"),
    };
    Word { href, ..word }
}

/// A table: `given` returns the value in a column of a row.
fn table<R>(
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

/// All SLOs with their states.
pub(super) fn objectives(plan: &Plan, columns: &[Column], day: Day, empty: Sketch) -> Sketch {
    let given = |slo: &&Slo, column: &Column| objective(plan, slo, column, day);
    let rows: Vec<&Slo> = plan.slos.iter().collect();
    table(columns, &rows, given, empty)
}

fn objective(plan: &Plan, slo: &Slo, column: &Column, day: Day) -> Option<Given> {
    let heading = column.heading.as_str();
    match (heading, &slo.kind) {
        ("SLO", _) => Some(Given::Link(slo.name.clone(), format!("#slo-{}", slo.name))),
        ("Runbook", _) => Some(Given::Link(String::new(), slo.links.runbook.clone())),
        ("State", _) => Some(Given::Text(state(plan, slo, day)?.to_owned())),
        ("Since", SloKind::Events(_)) => {
            let since = tier(slo, day)?.since;
            Some(Given::Text(format!("{since:.0} minutes ago")))
        }
        ("Spent in", _) => Some(Given::Text(spent(spent_in(slo, day)?))),
        ("Objective", SloKind::Events(events)) => {
            let objective = shown(events.budget.objective, Unit::Ratio);
            Some(Given::Text(format!("{objective} over {}", slo.period)))
        }
        ("Objective", SloKind::Percentile(percentile)) => {
            Some(Given::Text(words::promise(slo, percentile)))
        }
        (_, SloKind::Events(events)) => {
            let errors = Errors::of(events);
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
        (_, SloKind::Percentile(percentile)) => {
            let of_unit = |unit| unit == percentile.signal.unit;
            let own = matches!(&column.cells, Cells::Number(unit, bounds) if bounds.is_empty() && of_unit(unit.unit));
            let number = measured(plan, slo, day).filter(|_| own)?;
            Some(Given::Number(number))
        }
    }
}

/// Nothing started on a simulated day.
pub(super) fn changes(columns: &[Column], empty: Sketch) -> Sketch {
    Sketch {
        note: "Replicas are not simulated.".to_owned(),
        ..table(columns, &[(); 0], |(), _| None, empty)
    }
}

/// The worst state of SLOs and alerts, and whose it is.
pub(super) fn verdict(plan: &Plan, words: &[dashboard::Word], day: Day, empty: Sketch) -> Sketch {
    match worst(plan, words, day) {
        Some((_, Word { text, color, .. })) => Sketch {
            value: text,
            color,
            ..empty
        },
        None => empty,
    }
}

/// The same as a word, with the number of the state.
pub(super) fn worst(plan: &Plan, words: &[dashboard::Word], day: Day) -> Option<(u32, Word)> {
    let of_slos = plan
        .slos
        .iter()
        .filter_map(|slo| Some((state(plan, slo, day)?, slo.title.as_str())));
    let alerts = alert::on_conditions(&plan.slos, &plan.alerts).filter(|alert| {
        let beyond = excess(plan, alert, day).is_some_and(|times| times > 1.0);
        beyond && active(alert, 1.0).state == "firing"
    });
    let firing = alerts.map(|alert| match alert.severity {
        page if page == plan.service.severities.page => ("paging alert fires", alert.name),
        _ => ("ticket alert fires", alert.name),
    });
    let all = of_slos.chain(firing).filter_map(|(state, whose)| {
        let word = words.iter().find(|(_, word, _)| word == state)?;
        Some((word, whose))
    });
    let ((number, word, color), whose) = all.max_by_key(|((number, ..), _)| *number)?;
    let word = Word {
        text: match number {
            0 => word.clone(),
            _ => format!("{whose}: {word}"),
        },
        color: color_name(*color).to_owned(),
        ..Word::default()
    };
    Some((*number, word))
}

/// The hours in which the budget of an SLO is spent, while it burns now.
fn spent_in(slo: &Slo, day: Day) -> Option<f64> {
    let SloKind::Events(events) = &slo.kind else {
        return None;
    };
    let errors = Errors::of(events);
    let burn = errors.burn(BASE_WINDOW, day, NOW);
    let left = errors.left(slo.period, day, NOW).max(0.0);
    (burn >= 1.0).then(|| left * minutes(slo.period) / burn / 60.0)
}

fn spent(hours: f64) -> String {
    match hours {
        0.0 => "none left".to_owned(),
        hours if hours > 48.0 => format!("{:.1} days", hours / 24.0),
        hours => format!("{hours:.1} hours"),
    }
}

/// What belongs to the verdict: since when, and when a budget is spent.
pub(super) fn fact(plan: &Plan, cells: &Cells, day: Day, empty: Sketch) -> Sketch {
    let value = match cells {
        Cells::Since => {
            let page = &plan.service.severities.page;
            let (rows, _) = actives(plan, day);
            let firing = rows.iter().filter(|row| row.state == "firing");
            // The first of the paging alerts, else of the others.
            let first = firing.max_by(|a, b| {
                let paging = (a.severity == *page).cmp(&(b.severity == *page));
                paging.then(a.since.total_cmp(&b.since))
            });
            first.map(|row| format!("{}: {:.0} minutes ago", row.name, row.since))
        }
        _ => {
            let spending = plan.slos.iter();
            let spending = spending.filter_map(|slo| Some((spent_in(slo, day)?, slo)));
            let first = spending.min_by(|a, b| a.0.total_cmp(&b.0));
            first.map(|(hours, slo)| format!("{}: {}", slo.title, spent(hours)))
        }
    };
    Sketch {
        value: value.unwrap_or_else(|| "-".to_owned()),
        ..empty
    }
}

/// The state of an SLO; none for a percentile without a panel.
fn state(plan: &Plan, slo: &Slo, day: Day) -> Option<&'static str> {
    Some(match &slo.kind {
        SloKind::Events(events) => burning(plan, slo, events, day),
        SloKind::Percentile(percentile) => {
            match measured(plan, slo, day)? > float(percentile.below.0) {
                true => "missed",
                false => "ok",
            }
        }
    })
}

/// The first that holds, as in the table's query.
fn burning(plan: &Plan, slo: &Slo, events: &EventSlo, day: Day) -> &'static str {
    let errors = Errors::of(events);
    let left = errors.left(slo.period, day, NOW);
    match firing(events, day) {
        Some(tier) if tier.severity == plan.service.severities.page => "burning fast",
        Some(_) => "burning",
        None if errors.burn(BASE_WINDOW, day, NOW) >= 1.0 => "burning now",
        None if left <= 0.0 => "budget spent",
        None if left < 0.25 => "budget low",
        None => "ok",
    }
}

/// The fastest tier whose two windows are above its threshold.
fn firing(events: &EventSlo, day: Day) -> Option<&Tier> {
    let errors = Errors::of(events);
    let above = |tier: &&Tier| {
        let windows = [tier.long, tier.short];
        windows
            .iter()
            .all(|window| errors.over(*window, day, NOW) > float(tier.threshold))
    };
    events.tiers.iter().find(above)
}

/// The percentile of an SLO, as its panel shows it.
fn measured(plan: &Plan, slo: &Slo, day: Day) -> Option<f64> {
    let mut panels = plan.dashboards.iter().flat_map(|d| d.panels());
    let panel = panels.find(|panel| panel.objective.as_ref() == Some(&slo.name))?;
    let series = panel.series.first()?;
    Some(course(plan, panel, series, 0).at(day, NOW))
}

/// An alert that is pending or firing.
struct Active {
    name: String,
    /// Where the page says more.
    href: String,
    runbook: String,
    severity: String,
    state: &'static str,
    /// Minutes.
    since: f64,
    /// The value and the threshold, where both are known.
    value: Option<String>,
    bound: Option<String>,
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
    let mut rows: Vec<Active> = plan.slos.iter().filter_map(|slo| tier(slo, day)).collect();
    let mut unknown = 0;
    for alert in alert::on_conditions(&plan.slos, &plan.alerts) {
        match excess(plan, &alert, day) {
            None => unknown += 1,
            Some(times) if times > 1.0 => rows.push(active(&alert, times)),
            Some(_) => {}
        }
    }
    rows.sort_by_key(|row| (row.state == "pending", row.severity != *page));
    (rows, unknown)
}

/// The table of pending and firing alerts.
pub(super) fn alerts(plan: &Plan, columns: &[Column], day: Day, empty: Sketch) -> Sketch {
    let (mut rows, unknown) = actives(plan, day);
    if rows.is_empty() {
        rows.push(Active {
            name: "nothing is firing".to_owned(),
            href: String::new(),
            runbook: String::new(),
            severity: String::new(),
            state: "ok",
            since: 0.0,
            value: None,
            bound: None,
        });
    }
    let note = match unknown {
        0 => String::new(),
        1 => "1 alert has no fixed threshold on a panel and is not simulated.".to_owned(),
        n => format!("{n} alerts have no fixed threshold on a panel and are not simulated."),
    };
    Sketch {
        note,
        ..table(columns, &rows, given, empty)
    }
}

fn given(row: &Active, column: &Column) -> Option<Given> {
    let known = row.state != "ok";
    match (column.heading.as_str(), &column.field) {
        ("State", _) => Some(Given::Text(row.state.to_owned())),
        ("Alert", _) => Some(Given::Link(row.name.clone(), row.href.clone())),
        ("Runbook", _) if known => Some(Given::Link(String::new(), row.runbook.clone())),
        ("Severity", _) if known => Some(Given::Text(row.severity.clone())),
        ("Since", Field::Value(_)) if known => {
            Some(Given::Text(format!("{:.0} minutes ago", row.since)))
        }
        ("Name", _) if known => Some(Given::Text(row.name.clone())),
        ("Value", _) if known => row.value.clone().map(Given::Text),
        ("Threshold", _) if known => row.bound.clone().map(Given::Text),
        _ => None,
    }
}

fn tier(slo: &Slo, day: Day) -> Option<Active> {
    let SloKind::Events(events) = &slo.kind else {
        return None;
    };
    let tier = firing(events, day)?;
    let errors = Errors::of(events);
    let threshold = float(tier.threshold);
    let factor = readable(tier.factor);
    let after = [tier.long, tier.short]
        .map(|window| errors.crossed_after(window, threshold))
        .into_iter()
        .fold(0.0, f64::max);
    Some(Active {
        name: slo.alert_name.clone(),
        href: format!("#slo-{}", slo.name),
        runbook: slo.links.runbook.clone(),
        severity: tier.severity.clone(),
        state: "firing",
        since: INCIDENT - after,
        value: Some(format!("{:.1}", errors.burn(tier.long, day, NOW))),
        bound: Some(format!("burn rate > {} in {}", decimal(factor), tier.long)),
    })
}

fn active(alert: &ConditionAlert<'_>, excess: f64) -> Active {
    let of_bound = match alert.condition.leading() {
        Condition::Compare(c) => match &c.bound {
            Bound::Fixed(op, bound, _) => {
                let times = if op.is_upper() { excess } else { 1.0 / excess };
                let known = times
                    .is_finite()
                    .then(|| value(times * float(*bound), c.unit));
                Some((known, words::bound(&c.bound)))
            }
            _ => None,
        },
        _ => None,
    };
    let (value, bound) = of_bound.unzip();
    let held = INCIDENT >= minutes(alert.hold);
    Active {
        name: alert.name.to_owned(),
        href: format!("#alert-{}", alert.name),
        runbook: alert.links.runbook.clone(),
        severity: alert.severity.to_owned(),
        state: if held { "firing" } else { "pending" },
        since: INCIDENT,
        value: value.flatten(),
        bound,
    }
}

/// How far the values of panels are beyond the thresholds of an alert: above 1 if all are. `None` without a fixed threshold on a
/// panel, or if more than thresholds decides.
fn excess(plan: &Plan, alert: &ConditionAlert<'_>, day: Day) -> Option<f64> {
    if matches!(alert.condition, Condition::Unless(..)) {
        return None;
    }
    let panels = plan.dashboards.iter().flat_map(|d| d.panels());
    let own = |panel: &'_ Panel| {
        let named = |bound: &&Threshold| bound.name.split(", ").any(|name| name == alert.name);
        let bounds: Vec<_> = panel.thresholds.iter().filter(named).collect();
        let beyond = bounds.iter().map(|bound| beyond(plan, panel, bound, day));
        beyond.reduce(f64::min)
    };
    panels.filter_map(own).reduce(f64::min)
}

/// A value divided by an upper threshold, or a lower threshold divided by the value; the highest of several values.
fn beyond(plan: &Plan, panel: &Panel, bound: &Threshold, day: Day) -> f64 {
    let limit = float(bound.value);
    let times = (0..).zip(&panel.series).map(|(index, series)| {
        let now = course(plan, panel, series, index).at(day, NOW);
        match (limit == 0.0, bound.upper) {
            (true, upper) if upper == (now > 0.0) => f64::INFINITY,
            (true, _) => 0.0,
            (false, true) => now / limit,
            (false, false) if now <= 0.0 => f64::INFINITY,
            (false, false) => limit / now,
        }
    });
    match bound.upper {
        true => times.fold(0.0, f64::max),
        // Some of several percentiles are always low.
        false => times.fold(f64::INFINITY, f64::min),
    }
}
