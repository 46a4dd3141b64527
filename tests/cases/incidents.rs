//! The incidents of `tests/fixtures/incidents`, played on generated rules: each alert fires at its minute, and no other alert fires.
//! Five minutes after the first alert, promtool evaluates the queries of the runbook, from its first step to the fix.
//!
//! `.ci/run` plays the first incident of each alert and every third look-alike, `.ci/more` all of them.

use std::collections::{BTreeMap, BTreeSet};

use libtest_mimic::Trial;
use serde_json::Value;
use slosmith::target::OutFile;

use crate::bundled;
use crate::promtool::check_files;
use crate::trial::{Needs, in_ci, trial};
use crate::walk;

/// How long after its beginning an incident is watched, if it says nothing else.
const WATCHED: &str = "70m";

pub(crate) fn trials() -> Vec<Trial> {
    let mut all = Vec::new();
    for fleet in walk::FLEETS {
        let incidents = walk::incidents(fleet);
        let mut fired = BTreeSet::new();
        for kind in ["failures", "look_alikes"] {
            let list = incidents[kind].as_array().expect("a list");
            for (i, incident) in list.iter().enumerate() {
                let name = incident["name"].as_str().expect("a name");
                let name = name.to_lowercase().replace(' ', "_");
                let is_one_of_many = match kind {
                    "failures" => !fires_first(&incidents, incident, &mut fired),
                    _ => i % 3 != 0,
                };
                let more = if is_one_of_many { "more::" } else { "" };
                let plain = if all.is_empty() { trial } else { in_ci };
                let (incidents, incident) = (incidents.clone(), incident.clone());
                all.push(plain(
                    format!("incidents::{fleet}::{more}{name}"),
                    Needs::Promtool,
                    move || {
                        for (column, spec) in incidents["specs"].as_object().expect("specs") {
                            if let Some(alerts) = incident[column].as_object() {
                                let spec = spec.as_str().expect("a spec");
                                play(&bundled::folder(spec), spec, &incidents, &incident, alerts);
                            }
                        }
                    },
                ));
            }
        }
    }
    all
}

/// True where an incident fires an alert of a spec that no earlier incident fired.
fn fires_first(
    incidents: &Value,
    incident: &Value,
    fired: &mut BTreeSet<(String, String)>,
) -> bool {
    let before = fired.len();
    for column in incidents["specs"].as_object().expect("specs").keys() {
        let alerts = incident[column].as_object().into_iter().flatten();
        fired.extend(alerts.map(|(alert, _)| (column.clone(), alert.clone())));
    }
    fired.len() > before
}

/// True where an incident of a spec goes otherwise with these files.
pub(crate) fn notices(files: &[OutFile], spec: &str, name: &str) -> bool {
    for fleet in walk::FLEETS {
        let incidents = walk::incidents(fleet);
        let lists = ["failures", "look_alikes"].map(|kind| incidents[kind].as_array());
        let mut all = lists.into_iter().flatten().flatten();
        if let Some(incident) = all.find(|incident| incident["name"] == name) {
            let mut specs = incidents["specs"].as_object().expect("specs").iter();
            let (column, _) = specs.find(|(_, own)| *own == spec).expect("a column");
            let alerts = incident[column].as_object().expect("alerts");
            let played = || play(files, spec, &incidents, incident, alerts);
            return std::panic::catch_unwind(played).is_err();
        }
    }
    panic!("no incident `{name}`");
}

/// Minutes from an alert until its runbook is read.
const READ: u64 = 5;

/// Plays an incident; `alerts` are all that fire, and the minutes until then.
fn play(
    files: &[OutFile],
    spec: &str,
    incidents: &Value,
    incident: &Value,
    alerts: &serde_json::Map<String, Value>,
) {
    let minutes = |key: &str, default: &str| {
        let text = incident[key].as_str().unwrap_or(default);
        let time: slosmith::units::Duration = text.parse().expect("a duration");
        time.as_secs() / 60
    };
    let (every, begins) = (minutes("every", "1m"), minutes("begins", "10m"));
    let series = series(incidents, incident);
    let own = own_metrics(incidents, incident);
    let rules = files.iter().filter_map(|file| {
        let name = file.path.strip_prefix("prometheus/rules/")?;
        // Days are played on alerts alone: objectives would take minutes. Objectives on metrics of which nothing changes stay as they are.
        let changes = || own.iter().any(|metric| file.text.contains(*metric));
        let is_needed = name.starts_with("alert") || name == "records.yaml";
        let plays = is_needed || (every == 1 && changes());
        plays.then(|| name.trim_end_matches(".yaml"))
    });
    let rules: Vec<_> = rules.collect();
    let series: Vec<_> = series
        .iter()
        .map(|(name, values)| (name.as_str(), values.as_str()))
        .collect();
    let watched = minutes("watched", WATCHED);
    let end = format!("{}m", begins + watched);
    let fired = format!(
        "count(count by (alertname) (count_over_time(ALERTS{{alertstate=\"firing\"}}[{watched}m])))"
    );
    let count = u32::try_from(alerts.len()).expect("few");
    let mut checks = vec![(fired, end, (count > 0).then_some(f64::from(count)))];
    for (alert, after) in alerts {
        let first = begins + after.as_u64().expect("minutes");
        let firing = format!("ALERTS{{alertname=\"{alert}\", alertstate=\"firing\"}}");
        // Alerts on what other groups record: promtool evaluates groups in any order.
        let jitter = if alert.starts_with("SLO") { every } else { 0 };
        checks.push((firing.clone(), format!("{}m", first - every - jitter), None));
        checks.push((
            format!("count({firing}) > bool 0"),
            format!("{}m", first + jitter),
            Some(1.0),
        ));
    }
    if let Some(walk) = walk::walk(incident, spec, &Value::Object(alerts.clone())) {
        let at = format!("{}m", begins + walk.first + READ);
        // An incident that does not end while it is watched has a page that does not, either.
        if incident["ends"].is_null() {
            let firing = format!(
                "ALERTS{{alertname=\"{}\", alertstate=\"firing\"}}",
                walk.alert
            );
            let still = format!("count({firing}) > bool 0");
            checks.push((still, format!("{}m", begins + watched), Some(1.0)));
        }
        for step in walk.steps {
            let answer = |query| (format!("count({query}) > bool 0"), at.clone(), Some(1.0));
            let none = |query| (query, at.clone(), None);
            checks.extend(
                step.query
                    .map(|query| if step.yes { answer(query) } else { none(query) }),
            );
        }
    }
    let checks: Vec<_> = checks
        .iter()
        .map(|(expr, at, value)| (expr.as_str(), at.as_str(), *value))
        .collect();
    check_files(files, &rules, &format!("{every}m"), &series, &checks);
}

/// The incident that another one is like.
fn like<'i>(incidents: &'i Value, incident: &Value) -> Option<&'i Value> {
    let mut failures = incidents["failures"].as_array().expect("failures").iter();
    failures.find(|known| known["name"] == incident["like"])
}

/// The metrics of an incident that differ from those of the healthy fleet; all of them where the fleet is lost.
fn own_metrics<'i>(incidents: &'i Value, incident: &'i Value) -> Vec<&'i str> {
    let lost = incident["lost"].as_bool() == Some(true);
    let all = [Some(incident), like(incidents, incident)];
    let own = all
        .into_iter()
        .flatten()
        .map(|incident| &incident["series"]);
    let all = own.chain(lost.then_some(&incidents["healthy"]));
    let names = all.flat_map(|series| series.as_object().expect("series").keys());
    names
        .map(|name| name.split('{').next().expect("a name"))
        .collect()
}

/// The series of an incident: those of the healthy fleet, of the incident that it is like, and its own, each in place of the one before.
fn series(incidents: &Value, incident: &Value) -> BTreeMap<String, String> {
    let all = [
        Some(&incidents["healthy"]),
        like(incidents, incident).map(|known| &known["series"]),
        Some(&incident["series"]),
    ];
    // All servers of the fleet are lost with the failure.
    let lost = incident["lost"].as_bool() == Some(true);
    let mut series = BTreeMap::new();
    for (i, all) in all.into_iter().enumerate() {
        let all = all.and_then(Value::as_object).into_iter().flatten();
        for (name, values) in all {
            let mut name = name.clone();
            for (short, labels) in incidents["labels"].as_object().expect("labels") {
                let labels = labels.as_str().expect("text");
                name = name.replace(&format!("${short}, "), &format!("{labels}, "));
                name = name.replace(&format!("${short}}}"), &format!("{labels}}}"));
            }
            let mut values = repeated(values.as_str().expect("values"));
            if lost && i == 0 {
                values = values.replace("x2400", "x10 stale");
            }
            series.insert(name, values);
        }
    }
    series
}

/// `(0.92 0.99)x3` stands for `0.92 0.99 0.92 0.99 0.92 0.99`.
fn repeated(values: &str) -> String {
    let Some((before, rest)) = values.split_once('(') else {
        return values.to_owned();
    };
    let (values, rest) = rest.split_once(")x").expect("a number of repetitions");
    let (times, after) = rest.split_once(' ').unwrap_or((rest, ""));
    let all = vec![values; times.parse().expect("a number")].join(" ");
    format!("{before}{all} {}", repeated(after))
        .trim_end()
        .to_owned()
}
