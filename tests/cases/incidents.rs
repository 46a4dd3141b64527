//! The incidents of `tests/fixtures/incidents.yaml`, played on generated rules: each alert fires at its minute, and no other alert fires.

use libtest_mimic::Trial;
use serde_json::Value;

use crate::bundled;
use crate::promtool::check_files;
use crate::trial::{Needs, in_ci, trial};

/// How long after its beginning an incident is watched, in minutes.
const WATCHED: u64 = 70;

pub(crate) fn trials() -> Vec<Trial> {
    let incidents = bundled::yaml("tests/fixtures/incidents.yaml");
    let mut all = Vec::new();
    for kind in ["failures", "look_alikes"] {
        for incident in incidents[kind].as_array().expect("a list") {
            let name = incident["name"].as_str().expect("a name");
            let name = format!("incidents::{}", name.to_lowercase().replace(' ', "_"));
            let first = kind == "failures" && all.is_empty();
            let plain = if first { trial } else { in_ci };
            let (incidents, incident) = (incidents.clone(), incident.clone());
            all.push(plain(name, Needs::Promtool, move || {
                for (key, spec) in [("fleet", "fleet"), ("serving", "vllm-serving")] {
                    if let Some(alerts) = incident[key].as_object() {
                        play(spec, &incidents, &incident, alerts);
                    }
                }
            }));
        }
    }
    all
}

/// Plays an incident; `alerts` are all that fire, and the minutes until then.
fn play(spec: &str, incidents: &Value, incident: &Value, alerts: &serde_json::Map<String, Value>) {
    let minutes = |key: &str, default: &str| {
        let text = incident[key].as_str().unwrap_or(default);
        let time: slosmith::units::Duration = text.parse().expect("a duration");
        time.as_secs() / 60
    };
    let (every, begins) = (minutes("every", "1m"), minutes("begins", "10m"));
    let files = bundled::folder(spec);
    let rules = files.iter().filter_map(|file| {
        let name = file.path.strip_prefix("prometheus/rules/")?;
        // Days are played on alerts alone: objectives would take minutes.
        (every == 1 || name.starts_with("alert")).then(|| name.trim_end_matches(".yaml"))
    });
    let rules: Vec<_> = rules.collect();
    let mut series = Vec::new();
    for all in [&incidents["healthy"], &incident["series"]] {
        for (name, values) in all.as_object().expect("series") {
            let mut name = name.clone();
            for (short, labels) in incidents["labels"].as_object().expect("labels") {
                name = name.replace(
                    &format!("${short}, "),
                    &format!("{}, ", labels.as_str().expect("text")),
                );
            }
            series.push((name, values.as_str().expect("values")));
        }
    }
    let series: Vec<_> = series
        .iter()
        .map(|(name, values)| (name.as_str(), *values))
        .collect();
    let end = format!("{}m", begins + WATCHED);
    let fired = format!(
        "count(count by (alertname) (count_over_time(ALERTS{{alertstate=\"firing\"}}[{WATCHED}m])))"
    );
    let count = u32::try_from(alerts.len()).expect("few");
    let mut checks = vec![(fired, end, (count > 0).then_some(f64::from(count)))];
    for (alert, after) in alerts {
        let first = begins + after.as_u64().expect("minutes");
        let firing = format!("ALERTS{{alertname=\"{alert}\", alertstate=\"firing\"}}");
        checks.push((firing.clone(), format!("{}m", first - every), None));
        checks.push((
            format!("count({firing}) > bool 0"),
            format!("{first}m"),
            Some(1.0),
        ));
    }
    let checks: Vec<_> = checks
        .iter()
        .map(|(expr, at, value)| (expr.as_str(), at.as_str(), *value))
        .collect();
    check_files(&files, &rules, &format!("{every}m"), &series, &checks);
}
