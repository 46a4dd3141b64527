//! Which numbers of a spec keep a promise on its history: at most so many firings a week, and no incident is missed.
//!
//! A value is chosen on the first two thirds of the history, and checked on the rest, which had no part in the choice.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use slosmith_plan::plan::Plan;
use slosmith_text::units::float;

use crate::ask::{Queries, Server};
use crate::error::Error;
use crate::evaluate::{Also, History, history};
use crate::incidents::begins_for;
use crate::report::{self, Alert, Gap, Incident, Report, time};
use crate::tries::{Change, Tries, What};

/// Part of the allowed firings, and of an error budget, that a value may use in the part of the history on which it is chosen: other weeks are worse.
const FIRINGS_USED: f64 = 0.5;
const BUDGET_USED: f64 = 0.8;

/// Firings this close are one notification, in seconds: Alertmanager's usual `group_interval`.
const GROUPED: i64 = 300;

/// A firing notifies again after this time, in seconds: Alertmanager's usual `repeat_interval`. Without this, an alert that always fires
/// would seem to fire once.
const REPEATED: i64 = 4 * 3_600;

/// With another value, an incident is found at most so many times later, or so many seconds after its begin.
const LATER: i64 = 2;
const AT_LEAST: i64 = 600;

const WEEK: f64 = 7.0 * 86_400.0;

/// The JSON Schema of a list of [`Suggestions`].
///
/// # Panics
///
/// Never: a schema is JSON.
pub fn schema() -> String {
    report::schema_of::<Vec<Suggestions>>()
}

/// What the numbers must keep.
#[derive(Clone, Debug)]
pub struct Wish {
    /// Most firings of an alert a week, outside of incidents.
    pub a_week: f64,
    pub incidents: Vec<Incident>,
}

/// Numbers for a service, as `slosmith suggest --format json` prints them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Suggestions {
    pub service: String,
    #[serde(serialize_with = "time")]
    #[schemars(with = "String")]
    pub from: i64,
    /// Values are chosen on the history before this time, and checked on the history after it.
    #[serde(serialize_with = "time")]
    #[schemars(with = "String")]
    pub divided: i64,
    #[serde(serialize_with = "time")]
    #[schemars(with = "String")]
    pub to: i64,
    pub advice: Vec<Advice>,
    /// Incidents that no page finds, also with the suggested values.
    pub missed: Vec<Incident>,
    /// Times without any data of the service.
    pub gaps: Vec<Gap>,
    pub queries: Queries,
}

/// What becomes of the numbers of an alert or SLO.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Advice {
    /// Name of the alert or SLO.
    pub name: String,
    pub verdict: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<Change>,
    /// Firings a week before and after the division.
    pub learned: Rates,
    pub checked: Rates,
    pub why: String,
}

/// Firings a week outside of incidents, as the spec is, and with the other value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Rates {
    pub now: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The value keeps the promise.
    Keep,
    /// The other value keeps it.
    Change,
    /// The other value keeps it where it was chosen, but not where it was checked.
    NotHeld,
    /// No other value keeps it.
    NoValue,
    /// The history does not tell.
    Unknown,
}

/// The numbers that keep a wish on the history of a server between two times, in seconds since 1970.
///
/// # Errors
///
/// If the server does not answer a query, or the history is too short for the wish.
pub fn suggest(
    plan: &Plan,
    server: &dyn Server,
    (from, to): (i64, i64),
    wish: &Wish,
) -> Result<Suggestions, Error> {
    let history = history(plan, server, (from, to), Also::Tries)?;
    let begin = history
        .report
        .begins
        .unwrap_or(from)
        .max(history.report.from);
    let judge = Judge {
        report: &history.report,
        wish,
        divided: history.divided,
        page: &plan.service.severities.page,
    };
    let learned = judge.weeks(begin, history.divided);
    if learned * wish.a_week < 1.0 {
        return Err(Error::Short {
            service: plan.service.name.clone(),
            days: judge.weeks(begin, history.report.to) * 7.0,
            a_week: wish.a_week,
            needed: 7.0 / wish.a_week * 1.5,
        });
    }
    let subjects = judge.subjects(plan, &history);
    let mut advice: Vec<Advice> = subjects.iter().map(|of| judge.advise(of)).collect();
    let missed = judge.find_missed(&subjects, &mut advice);
    // Of what has no number to choose, only too many firings are worth a word.
    let mut has_number = subjects.iter().map(|of| of.choices.len() > 1);
    advice.retain(|of| has_number.next() == Some(true) || of.verdict != Verdict::Keep);
    let report = history.report;
    Ok(Suggestions {
        service: report.service,
        from: begin,
        divided: history.divided,
        to: report.to,
        advice,
        missed,
        gaps: report.gaps,
        queries: report.queries,
    })
}

struct Judge<'a> {
    report: &'a Report,
    wish: &'a Wish,
    divided: i64,
    page: &'a str,
}

/// An alert, or the alerts of an SLO, with the values of the spec and with others.
struct Subject {
    name: String,
    is_page: bool,
    unknown: Option<String>,
    /// Weeks with data, before and after the division.
    weeks: [f64; 2],
    /// The first one has the values of the spec.
    choices: Vec<Choice>,
}

struct Choice {
    change: Option<Change>,
    /// Firings outside of incidents, before and after the division.
    outside: [usize; 2],
    /// Incidents that it finds, and seconds from their begin to the first firing, before and after the division.
    caught: [BTreeMap<usize, i64>; 2],
    /// Whether the error budget suffices, before and after the division.
    fits: [bool; 2],
}

impl Judge<'_> {
    fn subjects(&self, plan: &Plan, history: &History) -> Vec<Subject> {
        let alerts = self.report.alerts.iter().zip(&history.tries);
        let mut subjects = Vec::new();
        for (slo, bad) in plan.slos.iter().zip(&history.bad) {
            let is_of = |(alert, _): &(&Alert, &Tries)| {
                alert.tier.as_ref().is_some_and(|tier| tier.slo == slo.name)
            };
            let tiers: Vec<_> = alerts.clone().filter(is_of).collect();
            let own = slo.events.budget.budget;
            let fits = |change: Option<&Change>| {
                let budget = float(change.and_then(|of| of.budget).unwrap_or(own));
                let used = if change.is_some() { BUDGET_USED } else { 1.0 };
                let [learned, checked] = *bad;
                [
                    learned.unwrap_or(0.0) <= budget * used,
                    checked.unwrap_or(0.0) <= budget,
                ]
            };
            subjects.extend(self.subject(&slo.name, &tiers, fits));
        }
        for pair in alerts.filter(|(alert, _)| alert.tier.is_none()) {
            subjects.extend(self.subject(&pair.0.name, &[pair], |_| [true; 2]));
        }
        subjects
    }

    /// None of rules that slosmith writes without numbers of the spec.
    fn subject(
        &self,
        name: &str,
        alerts: &[(&Alert, &Tries)],
        fits: impl Fn(Option<&Change>) -> [bool; 2],
    ) -> Option<Subject> {
        let unknown = alerts.iter().find_map(|(alert, _)| alert.unknown.clone());
        let number = alerts.iter().map(|(_, of)| of.tries.len()).min()?;
        if number == 0 && unknown.is_none() {
            return None;
        }
        // Before, windows reach behind the history.
        let exact = alerts
            .iter()
            .filter_map(|(alert, _)| alert.exact_from)
            .max();
        let begin = exact
            .unwrap_or(self.report.from)
            .max(self.report.begins.unwrap_or(0));
        let is_page = |alert: &Alert| alert.severity == self.page;
        let has_pages = alerts.iter().any(|(alert, _)| is_page(alert));
        let choice = |i: usize| {
            // Tiers of one severity are one notification.
            let mut pages: BTreeMap<&str, Vec<(i64, i64)>> = BTreeMap::new();
            for (alert, of) in alerts {
                let pages = pages.entry(&alert.severity).or_default();
                pages.extend(&of.tries[i].pages);
            }
            let change = alerts[0].1.tries[i].change.clone();
            let mut choice = Choice {
                fits: fits(change.as_ref()),
                change,
                outside: [0; 2],
                caught: Default::default(),
            };
            for (severity, pages) in pages {
                let mut outside = [0; 2];
                let part = |time: i64| usize::from(time >= self.divided);
                for (start, end) in joined(pages) {
                    let start = start.max(begin);
                    let incidents = self.wish.incidents.iter().enumerate();
                    let found = incidents.filter(|(_, of)| begins_for(start, of));
                    let found = found.map(|(incident, of)| (incident, start - of.start));
                    let found: Vec<(usize, i64)> = found.collect();
                    if start < end && found.is_empty() {
                        outside[part(start)] += 1;
                    }
                    if severity == self.page || !has_pages {
                        for (incident, after) in found {
                            choice.caught[part(start)].entry(incident).or_insert(after);
                        }
                    }
                    let mut again = start + REPEATED;
                    while again < end {
                        let is_expected = |of: &Incident| {
                            begins_for(again, of) || (of.end..of.end + REPEATED).contains(&again)
                        };
                        if !self.wish.incidents.iter().any(is_expected) {
                            outside[part(again)] += 1;
                        }
                        again += REPEATED;
                    }
                }
                choice.outside = [0, 1].map(|part| choice.outside[part].max(outside[part]));
            }
            choice
        };
        Some(Subject {
            name: name.to_owned(),
            is_page: has_pages,
            unknown,
            weeks: [
                weeks(alerts, begin, self.divided),
                weeks(alerts, self.divided, self.report.to),
            ],
            choices: (0..number).map(choice).collect(),
        })
    }

    /// Weeks with data between two times.
    fn weeks(&self, from: i64, to: i64) -> f64 {
        let gaps = self.report.gaps.iter();
        let without = gaps.map(|gap| (gap.to.min(to) - gap.from.max(from)).max(0));
        ((to - from).max(0) - without.sum::<i64>()).max(0) as f64 / WEEK
    }

    fn advise(&self, subject: &Subject) -> Advice {
        let nothing = |why: String| Advice {
            name: subject.name.clone(),
            verdict: Verdict::Unknown,
            change: None,
            learned: Rates::default(),
            checked: Rates::default(),
            why,
        };
        if let Some(why) = &subject.unknown {
            return nothing(why.clone());
        }
        let own = &subject.choices[0];
        let [learned, checked] = subject.weeks;
        if learned * self.wish.a_week < 1.0 {
            return nothing("it has too little data with full windows".into());
        }
        let as_it_is = |verdict, why| Advice {
            verdict,
            learned: rates(own.outside[0], None, learned),
            checked: rates(own.outside[1], None, checked),
            ..nothing(why)
        };
        let fired = own.outside[0] + own.outside[1];
        let in_budget = own.fits == [true; 2];
        if in_budget && fired as f64 <= self.wish.a_week * (learned + checked) {
            let why = match fired + own.caught[0].len() + own.caught[1].len() {
                0 => "did not fire",
                _ => "keeps the promise",
            };
            return as_it_is(Verdict::Keep, why.to_owned());
        }
        let quiet = |choice: &&Choice| {
            choice.steps() > 0 && choice.fits[0] && self.is_quiet(choice, learned)
        };
        let keeps = |choice: &&Choice| self.lost(own, choice, 0).is_none();
        let mut others = subject.choices.iter().filter(quiet);
        let found = others.clone().filter(keeps);
        if let Some(nearest) = found.clone().min_by_key(|choice| choice.steps()) {
            // The first value that seems right often is so by chance.
            let next = |choice: &&Choice| {
                choice.what() == nearest.what() && choice.steps() > nearest.steps()
            };
            let next = found.filter(next).min_by_key(|choice| choice.steps());
            let is_threshold = matches!(nearest.what(), Some(What::Threshold { .. }));
            let choice = next.filter(|_| is_threshold).unwrap_or(nearest);
            let why = match (in_budget, choice.steps() > nearest.steps()) {
                (true, true) => "the nearest value with so few firings, and one step more",
                (true, false) => "the nearest value with so few firings",
                (false, _) => {
                    "the error budget does not suffice; the nearest objective whose budget does"
                }
            };
            return self.changed(subject, choice, why.to_owned());
        }
        let why = match (
            subject.choices.iter().any(|of| of.steps() > 0),
            others.next(),
        ) {
            (false, _) => "slosmith does not choose the numbers of its condition".to_owned(),
            (true, None) if !in_budget => {
                "no objective with up to ten times the error budget suffices".to_owned()
            }
            (true, None) => match subject.has_thresholds() {
                true => "no threshold up to 8 times as far and no `for` fires so seldom".to_owned(),
                false => {
                    "no other `for` fires so seldom, and slosmith does not choose its threshold"
                        .to_owned()
                }
            },
            (true, Some(choice)) => {
                let lost = self.lost(own, choice, 0).unwrap_or_default();
                format!("each value that fires so seldom misses `{lost}`, or finds it much later")
            }
        };
        as_it_is(Verdict::NoValue, why)
    }

    /// The title of an incident that a choice misses, or finds much later.
    fn lost(&self, own: &Choice, choice: &Choice, part: usize) -> Option<String> {
        let is_lost = |(incident, after): &(&usize, &i64)| {
            // A larger error budget is spent later by nature.
            let latest = match choice.what() {
                Some(What::Objective) => i64::MAX,
                _ => (*after * LATER).max(AT_LEAST),
            };
            choice.caught[part]
                .get(incident)
                .is_none_or(|after| *after > latest)
        };
        let (incident, _) = own.caught[part].iter().find(is_lost)?;
        Some(self.wish.incidents[*incident].title.clone())
    }

    /// Whether a value fires so seldom that other weeks may be worse.
    fn is_quiet(&self, choice: &Choice, weeks: f64) -> bool {
        choice.outside[0] as f64 <= self.wish.a_week * weeks * FIRINGS_USED
    }

    fn changed(&self, subject: &Subject, choice: &Choice, why: String) -> Advice {
        let own = &subject.choices[0];
        let [learned, checked] = subject.weeks;
        let holds = choice.fits[1]
            && choice.outside[1] as f64 <= self.wish.a_week * checked
            && self.lost(own, choice, 1).is_none();
        Advice {
            name: subject.name.clone(),
            verdict: if holds {
                Verdict::Change
            } else {
                Verdict::NotHeld
            },
            change: choice.change.clone(),
            learned: rates(own.outside[0], Some(choice.outside[0]), learned),
            checked: rates(own.outside[1], Some(choice.outside[1]), checked),
            why: match (holds, self.lost(own, choice, 1)) {
                (true, _) => why,
                (false, Some(lost)) => {
                    format!("{why}, but it misses `{lost}` where it was checked")
                }
                (false, None) => format!("{why}, but it did not hold where it was checked"),
            },
        }
    }

    /// Chooses values that find incidents which no page finds; returns those that are still missed.
    fn find_missed(&self, subjects: &[Subject], advice: &mut [Advice]) -> Vec<Incident> {
        let pages = || subjects.iter().filter(|of| of.is_page);
        let found = pages().filter_map(|of| of.choices.first());
        let mut found: BTreeSet<usize> = found
            .flat_map(|own| own.caught.iter().flat_map(|of| of.keys().copied()))
            .collect();
        let mut missed = Vec::new();
        for (i, incident) in self.wish.incidents.iter().enumerate() {
            let is_in_time = incident.start <= self.report.to && incident.end >= self.report.from;
            if found.contains(&i) || !is_in_time {
                continue;
            }
            let mut best: Option<(usize, &Subject, &Choice)> = None;
            let places = subjects.iter().enumerate().filter(|(_, of)| of.is_page);
            for (place, subject) in places {
                let finds = |choice: &&Choice| {
                    choice.steps() < 0
                        && choice.caught[0].contains_key(&i)
                        && choice.fits[0]
                        && self.is_quiet(choice, subject.weeks[0])
                };
                let is_kept = advice[place].verdict == Verdict::Keep;
                let choice = subject
                    .choices
                    .iter()
                    .filter(finds)
                    .max_by_key(|choice| choice.steps());
                if let Some(choice) = choice.filter(|_| is_kept)
                    && best.is_none_or(|(_, _, other)| choice.steps() > other.steps())
                {
                    best = Some((place, subject, choice));
                }
            }
            match best {
                Some((place, subject, choice)) => {
                    // It may find others, too.
                    found.extend(choice.caught.iter().flat_map(BTreeMap::keys));
                    let why = format!("finds `{}`, which no page finds", incident.title);
                    advice[place] = self.changed(subject, choice, why);
                }
                None => missed.push(incident.clone()),
            }
        }
        missed
    }
}

impl Subject {
    fn has_thresholds(&self) -> bool {
        let mut all = self.choices.iter();
        all.any(|choice| matches!(choice.what(), Some(What::Threshold { .. })))
    }
}

impl Choice {
    fn what(&self) -> Option<What> {
        self.change.as_ref().map(|change| change.what)
    }

    fn steps(&self) -> i32 {
        self.change.as_ref().map_or(0, |change| change.steps)
    }
}

fn rates(now: usize, then: Option<usize>, weeks: f64) -> Rates {
    let rate = |number: usize| match weeks > 0.0 {
        true => number as f64 / weeks,
        false => 0.0,
    };
    Rates {
        now: rate(now),
        then: then.map(rate),
    }
}

/// Weeks between two times in which all alerts had data.
fn weeks(alerts: &[(&Alert, &Tries)], from: i64, to: i64) -> f64 {
    let measured = |(_, of): &(&Alert, &Tries)| -> i64 {
        let parts = of.measured.iter();
        parts
            .map(|(start, end)| (*end.min(&to) - *start.max(&from)).max(0))
            .sum()
    };
    alerts.iter().map(measured).min().unwrap_or(0) as f64 / WEEK
}

/// Firings that are one notification.
fn joined(mut all: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
    all.sort_unstable();
    let mut joined: Vec<(i64, i64)> = Vec::new();
    for (start, end) in all {
        match joined.last_mut() {
            Some((_, last)) if start <= *last + GROUPED => *last = end.max(*last),
            _ => joined.push((start, end)),
        }
    }
    joined
}
