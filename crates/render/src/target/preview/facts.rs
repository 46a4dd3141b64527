//! The verdict and the facts beside it on a simulated day.

use super::simulated::{Day, INCIDENT, label_set, whom};
use super::tables::{self, Given, NO_DATA, ago, no_data, of_conditions, spent, spent_in, state};
use super::view::{Sketch, Word};
use crate::target::grafana::color_name;
use slosmith_plan::plan::dashboard::{self, CAUSE_FIRST, Column, Draw, Fact};
use slosmith_plan::plan::{Plan, alert, words};

/// Replicas, each with the minutes since its start: the first starts again shortly before the incident.
const REPLICAS: [&str; 2] = ["replica 1", "replica 2"];
const DAYS: f64 = 3.0 * 24.0 * 60.0;
const BEFORE: f64 = 5.0;

fn started(day: Day, index: usize) -> f64 {
    match day {
        Day::Incident if index == 0 => INCIDENT + BEFORE,
        _ => DAYS,
    }
}

/// A time of a start, which is known also when it is long ago.
fn when(since: f64) -> String {
    match since {
        DAYS.. => format!("{:.0} days ago", since / 24.0 / 60.0),
        since => ago(since),
    }
}

pub(super) fn changes(columns: &[Column], plan: &Plan, day: Day, empty: Sketch) -> Sketch {
    let replicas = if day == Day::Silent {
        0
    } else {
        REPLICAS.len()
    };
    let rows: Vec<_> = (0..replicas).collect();
    let groups = label_set(plan);
    let given = |index: &usize, column: &Column| match column.heading.as_str() {
        "When" => Some(Given::Text(when(started(day, *index)))),
        "Replica" => Some(Given::Text(REPLICAS[*index].to_owned())),
        heading => {
            let mut groups = groups.iter();
            let group =
                groups.find(|(label, _)| words::capital(&label.replace('_', " ")) == heading);
            group.map(|(_, value)| Given::Text(value.clone()))
        }
    };
    Sketch {
        note: "Releases and settings are not simulated.".to_owned(),
        ..tables::table(columns, &rows, given, empty)
    }
}

/// A state, whose it is, for how many minutes, and what to do.
struct Ranked<'p> {
    state: &'p dashboard::Word,
    whose: String,
    since: Option<f64>,
    action: String,
    runbook: String,
    /// How much worse it counts in the advice.
    cause: u32,
}

fn ranked<'p>(plan: &Plan, states: &'p [dashboard::Word], day: Day) -> Vec<Ranked<'p>> {
    let find = |state: &str| states.iter().find(|(_, word, _)| word == state);
    let of_slos = plan.slos.iter().filter_map(|slo| {
        let (state, since) = state(plan, slo, day);
        Some(Ranked {
            state: find(state)?,
            whose: slo.title.clone(),
            since,
            action: plan.runbooks.action(&slo.title, None, &slo.links),
            runbook: slo.links.runbook.clone(),
            cause: 0,
        })
    });
    let (alerts, _) = of_conditions(plan, day);
    let firing = alerts.into_iter().filter_map(|alert| {
        let pages = alert.severity == plan.service.severities.page;
        let state = match alert.state {
            "firing" if pages => "paging alert fires",
            "firing" => "ticket alert fires",
            NO_DATA => NO_DATA,
            _ => return None,
        };
        Some(Ranked {
            state: find(state)?,
            cause: if state == NO_DATA { 0 } else { CAUSE_FIRST },
            action: match state {
                NO_DATA => words::about_missing(&alert.name),
                _ => alert.action,
            },
            whose: alert.name,
            since: Some(alert.since),
            runbook: alert.runbook,
        })
    });
    of_slos.chain(firing).collect()
}

/// The worst; of several, the one that began first.
fn first<'p>(all: Vec<Ranked<'p>>, number: impl Fn(&Ranked<'p>) -> u32) -> Option<Ranked<'p>> {
    // Of equal ones, the maximum is the last.
    all.into_iter().rev().max_by(|a, b| {
        let began = a.since.unwrap_or(0.0).total_cmp(&b.since.unwrap_or(0.0));
        number(a).cmp(&number(b)).then(began)
    })
}

fn worst<'p>(plan: &Plan, words: &'p [dashboard::Word], day: Day) -> Option<Ranked<'p>> {
    first(ranked(plan, words, day), |one| one.state.0)
}

fn states(plan: &Plan) -> &[dashboard::Word] {
    let mut panels = plan.dashboards.iter().flat_map(|d| d.panels());
    let words = panels.find_map(|panel| match &panel.draw {
        Draw::Verdict(words) => Some(words.as_slice()),
        _ => None,
    });
    words.unwrap_or_default()
}

/// The worst state of SLOs and alerts, and whose it is.
pub(super) fn verdict(plan: &Plan, words: &[dashboard::Word], day: Day, empty: Sketch) -> Sketch {
    let Some(worst) = worst(plan, words, day) else {
        return empty;
    };
    let (number, word, color) = worst.state;
    Sketch {
        name: match number {
            0 => alert::about_fine(&plan.slos, &plan.alerts).to_owned(),
            _ => worst.whose,
        },
        value: word.clone(),
        color: color_name(*color).to_owned(),
        ..empty
    }
}

/// The same as a word, with the number of the state.
pub(super) fn summary(plan: &Plan, day: Day) -> Option<(u32, Word)> {
    let worst = worst(plan, states(plan), day)?;
    let (number, word, color) = worst.state;
    let text = match number {
        0 => word.clone(),
        _ => format!("{}: {word}", worst.whose),
    };
    let color = color_name(*color).to_owned();
    Some((
        *number,
        Word {
            text,
            color,
            ..Word::default()
        },
    ))
}

/// What belongs to the verdict: for whom and since when, when a budget is spent, what to do, and what changed last.
pub(super) fn fact(plan: &Plan, fact: Fact, day: Day, empty: Sketch) -> Sketch {
    let said = |name: &str, value: &str| (name.to_owned(), value.to_owned(), String::new());
    let (name, value, href) = match fact {
        Fact::Lasts | Fact::Changed if day == Day::Silent => return no_data(empty),
        Fact::Since => match worst(plan, states(plan), day).and_then(|worst| worst.since) {
            Some(since) if day == Day::Silent => said("the whole service", &ago(since)),
            Some(since) => (whom(plan), ago(since), String::new()),
            None => said("none", "nothing fires"),
        },
        Fact::Lasts => {
            let spending = plan.slos.iter();
            let spending = spending.filter_map(|slo| Some((spent_in(slo, day)?, slo)));
            let first = spending
                .min_by(|(a, _), (b, _)| (*a == 0.0).cmp(&(*b == 0.0)).then(a.total_cmp(b)));
            match first {
                Some((hours, slo)) => (slo.title.clone(), spent(hours), String::new()),
                None => said("all budgets", "not spent at this rate"),
            }
        }
        Fact::Advice => {
            let all = ranked(plan, states(plan), day);
            match first(all, |one| one.state.0 + one.cause).filter(|one| one.state.0 > 0) {
                Some(one) if one.runbook.is_empty() => (one.action, String::new(), String::new()),
                Some(one) => (one.action, "open the runbook".to_owned(), one.runbook),
                None => said("all SLOs and alerts", "nothing to do"),
            }
        }
        Fact::Changed => {
            let newest =
                (0..REPLICAS.len()).min_by(|a, b| started(day, *a).total_cmp(&started(day, *b)));
            let newest = newest.unwrap_or(0);
            said(
                &format!("started: {}", REPLICAS[newest]),
                &when(started(day, newest)),
            )
        }
    };
    Sketch {
        name,
        value,
        href,
        ..empty
    }
}
