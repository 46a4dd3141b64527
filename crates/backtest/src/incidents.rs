//! Firings beside the incidents that a team remembers.

use crate::report::{Firing, Incident, Outcome, Page, Report};

/// How long before an incident an alert may fire for it, in seconds: what a team takes for the beginning is often late.
const BEFORE: i64 = 15 * 60;

/// The outcome of each incident in the time of a report, and the firings of this severity outside any incident.
pub fn compare(report: &Report, incidents: &[Incident], page: &str) -> (Vec<Outcome>, Vec<Page>) {
    let alerts = report.alerts.iter().filter(|alert| alert.severity == page);
    let mut pages: Vec<(&str, i64, i64)> = alerts
        .flat_map(|alert| {
            let of = |f: &Firing| (alert.name.as_str(), f.start, f.end.unwrap_or(report.to));
            alert.firings.iter().map(of)
        })
        .collect();
    pages.sort_by_key(|(_, start, _)| *start);
    let is_of = |(_, start, end): &(&str, i64, i64), incident: &Incident| {
        begins_for(*start, incident) && *end >= incident.start
            || *start < incident.start && *end > incident.start
    };
    let in_time = |incident: &&Incident| incident.start <= report.to && incident.end >= report.from;
    let outcomes = incidents.iter().filter(in_time).map(|incident| {
        let first = pages.iter().find(|page| is_of(page, incident));
        Outcome {
            incident: incident.clone(),
            caught: first.map(|page| begin(page, Some(incident))),
        }
    });
    let outside = pages
        .iter()
        .filter(|page| !incidents.iter().any(|i| is_of(page, i)));
    let outside = outside.map(|page| begin(page, None));
    (outcomes.collect(), outside.collect())
}

/// Whether what begins at this time is due to an incident.
pub(crate) fn begins_for(time: i64, incident: &Incident) -> bool {
    (incident.start - BEFORE..=incident.end).contains(&time)
}

fn begin((alert, start, _): &(&str, i64, i64), of: Option<&Incident>) -> Page {
    Page {
        alert: (*alert).to_owned(),
        start: *start,
        after: of.map(|incident| start - incident.start),
    }
}
