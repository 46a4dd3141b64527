//! `docs/incidents.md` from `tests/fixtures/incidents`, with walks that lead through the runbooks of the specs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::Value;

use crate::{bundled, walk};

const HEAD: &str = "\
# Incidents

<!-- Made from tests/fixtures/incidents by `tools/refresh`. -->

Failures of LLM fleets, played with `promtool` on the rules of the bundled specs. The series are written by hand. The tests fail if an alert
fires at another minute, if any other alert fires within 70 minutes, or if a walk does not lead to its fix.

The number after an alert is the minutes from the failure to the firing alert. It depends on traffic for burn-rate alerts
(`…ErrorBudgetBurn`). What is compared with last week takes eight days, so only alerts are played there, without SLOs.

*Walk* is the way through the runbook of the first alert to the fix, with the answer to each step. `promtool` evaluates the queries five
minutes after that alert. A person gives answers in *italics*.

";

/// What a spec's alerts do in an incident.
fn alerts(found: &Value) -> String {
    match found.as_object() {
        None => "not played".to_owned(),
        Some(found) if found.is_empty() => "**none**".to_owned(),
        Some(found) => {
            let mut found: Vec<_> = found.iter().collect();
            found.sort_by_key(|(_, after)| after.as_f64().map(f64::to_bits));
            let found: Vec<_> = found
                .iter()
                .map(|(name, after)| format!("`{name}` {after}"))
                .collect();
            found.join(", ")
        }
    }
}

/// The titles along a walk, with the answers.
fn path(walk: walk::Walk) -> String {
    let mut titles = vec![walk.page];
    for step in walk.steps {
        let answer = if step.yes { "yes" } else { "no" };
        let answer = match step.query {
            Some(_) => answer.to_owned(),
            None => format!("*{answer}*"),
        };
        titles.push(format!("{} {answer}", step.title));
    }
    titles.push(walk.fix);
    titles.join(" → ")
}

/// The failures and look-alikes of a fleet.
fn section(page: &mut String, fleet: &str) {
    let incidents = walk::incidents(fleet);
    let text = |value: &Value, key: &str| value[key].as_str().expect("text").to_owned();
    let specs = incidents["specs"].as_object().expect("specs");
    let specs: Vec<_> = specs
        .iter()
        .map(|(column, spec)| (column, spec.as_str().expect("a spec")))
        .collect();
    let columns: Vec<_> = specs
        .iter()
        .map(|(_, spec)| format!("[{spec}](../specs/{spec}.yaml)"))
        .collect();
    let (title, about) = (text(&incidents, "title"), text(&incidents, "about"));
    let lines = "|---".repeat(specs.len() + 3);
    let columns = columns.join(" | ");
    write!(
        page,
        "## {title}\n\n{about}\n\n| failure | what happens | {columns} | walk |\n{lines}|\n"
    )
    .expect("text");
    for incident in incidents["failures"].as_array().expect("failures") {
        let found: Vec<_> = specs
            .iter()
            .map(|(column, _)| alerts(&incident[column.as_str()]))
            .collect();
        let mut walks = specs
            .iter()
            .map(|(column, spec)| walk::walk(incident, spec, &incident[column.as_str()]));
        let walk = match walks.find_map(|walk| walk) {
            Some(walk) => path(walk),
            None => text(incident, "note"),
        };
        let (name, what) = (text(incident, "name"), text(incident, "what"));
        writeln!(page, "| {name} | {what} | {} | {walk} |", found.join(" | ")).expect("text");
    }
    page.push_str("\nNo alert fires in these situations:\n\n");
    for incident in incidents["look_alikes"].as_array().expect("look-alikes") {
        for (column, _) in &specs {
            let found = incident[column.as_str()].as_object();
            assert!(
                found.is_none_or(serde_json::Map::is_empty),
                "{}",
                incident["name"]
            );
        }
        writeln!(page, "- {}", text(incident, "name")).expect("text");
    }
    page.push('\n');
}

#[test]
fn the_page_about_incidents_is_what_was_played() {
    let mut page = HEAD.to_owned();
    for fleet in walk::FLEETS {
        section(&mut page, fleet);
    }
    let real = &walk::incidents("fleet")["real"];
    let about = real["about"].as_str().expect("text");
    write!(
        page,
        "## On a real server\n\n{about}\n\n| phase | alerts, and minutes until they fire |\n|---|---|\n"
    )
    .expect("text");
    for phase in real["phases"].as_array().expect("phases") {
        let what = phase["what"].as_str().expect("text");
        let found = match phase["note"].as_str() {
            Some(note) => note.to_owned(),
            None => alerts(&phase["alerts"]),
        };
        writeln!(page, "| {what} | {found} |").expect("text");
    }
    crate::update::check("docs/incidents.md", &page);
}

/// Alerts that no incident can fire here, and why.
const NOT_PLAYED: [(&str, &str); 3] = [
    ("SLODataLost", "`tests/cases/situations.rs` plays it"),
    ("SLONotMeasured", "`tests/cases/situations.rs` plays it"),
    (
        "EndpointFails",
        "an alarm on metrics of SageMaker, which Prometheus has not",
    ),
];

#[test]
fn every_alert_of_the_specs_fires_in_an_incident() {
    let mut fired: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for fleet in walk::FLEETS {
        let incidents = walk::incidents(fleet);
        for (column, spec) in incidents["specs"].as_object().expect("specs") {
            let of_spec = fired
                .entry(spec.as_str().expect("a spec").to_owned())
                .or_default();
            let failures = incidents["failures"].as_array().expect("failures").iter();
            let alerts = failures.filter_map(|incident| incident[column].as_object());
            of_spec.extend(alerts.flat_map(|alerts| alerts.keys().cloned()));
        }
    }
    let mut missing = Vec::new();
    for (spec, fired) in fired {
        let plan = bundled::plan(&bundled::spec(&spec));
        let alerts = plan.alerts.iter().map(|alert| alert.name.clone());
        let burns = plan.slos.iter().filter(|slo| !slo.events.tiers.is_empty());
        let burns = burns.map(|slo| slo.alert_name.clone());
        let known = |name: &String| NOT_PLAYED.iter().any(|(other, _)| other == name);
        let unknown = alerts
            .chain(burns)
            .filter(|name| !fired.contains(name) && !known(name));
        missing.extend(unknown.map(|name| format!("{spec}: {name}")));
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
