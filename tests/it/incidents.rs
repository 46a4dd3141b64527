//! `docs/incidents.md` from `tests/fixtures/incidents.yaml`, with walks that lead through the runbooks of the specs.

use std::fmt::Write;

use serde_json::Value;

use crate::bundled;

const HEAD: &str = "\
# Incidents

<!-- Made from tests/fixtures/incidents.yaml by `tools/refresh`. -->

Failures of a vLLM fleet, played with `promtool` on the rules of two bundled specs: [fleet](../specs/fleet.yaml) for disaggregated fleets,
and [vllm-serving](../specs/vllm-serving.yaml) for one pool of servers. The series are written by hand. Beside each failure a healthy prefill
pod and a healthy decode pod serve ten requests per second each.

The number after an alert is the minutes from the failure to the firing alert. It depends on traffic for burn-rate alerts
(`…ErrorBudgetBurn`): here the service was healthy for six hours before. What is compared with
last week takes eight days, so only alerts are played there, without SLOs. *Walk* is the way through the runbook to the fix.

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

/// The titles along a walk: a runbook, its steps, a fix of the last step.
fn walk(path: &Value, alerts: &Value, specs: &[Value]) -> String {
    let path: Vec<_> = path
        .as_array()
        .expect("a walk")
        .iter()
        .map(|id| id.as_str().expect("an id"))
        .collect();
    let [page, steps @ .., fix] = path.as_slice() else {
        panic!("{path:?}");
    };
    let of_page = specs
        .iter()
        .filter_map(|spec| spec["alerts"].as_object())
        .flatten();
    let mut of_page = of_page.filter(|(_, alert)| alert["runbook"] == **page);
    assert!(
        of_page.any(|(name, _)| alerts.get(name).is_some()),
        "{page} is the page of none of {alerts}"
    );
    let pages = specs.iter().map(|spec| &spec["runbooks"][page]);
    let page = pages
        .into_iter()
        .find(|page| !page["steps"].is_null())
        .expect("a page");
    let mut titles = vec![page["title"].as_str().expect("a title")];
    let mut rest = page["steps"].as_array().expect("steps").iter();
    let mut last = &Value::Null;
    for id in steps {
        last = rest
            .find(|step| step["id"] == **id)
            .unwrap_or_else(|| panic!("{path:?}: {id}"));
        titles.push(last["title"].as_str().expect("a title"));
    }
    assert_eq!(last["fix"], *fix, "{path:?}");
    titles.push(page["fixes"][fix]["title"].as_str().expect("a title"));
    titles.join(" → ")
}

#[test]
fn the_page_about_incidents_is_what_was_played() {
    let specs = ["fleet", "engine"].map(|spec| bundled::yaml(&format!("specs/{spec}.yaml")));
    let incidents = bundled::yaml("tests/fixtures/incidents.yaml");
    let mut page = HEAD.to_owned();
    page += "## Failures\n\n| failure | what happens | fleet | vllm-serving | walk |\n|---|---|---|---|---|\n";
    for incident in incidents["failures"].as_array().expect("failures") {
        let text = |key: &str| incident[key].as_str().expect("text");
        let (fleet, serving) = (&incident["fleet"], &incident["serving"]);
        let walk = match incident.get("walk") {
            Some(path) => walk(path, fleet, &specs),
            None => text("note").to_owned(),
        };
        let (name, what) = (text("name"), text("what"));
        writeln!(
            page,
            "| {name} | {what} | {} | {} | {walk} |",
            alerts(fleet),
            alerts(serving)
        )
        .expect("text");
    }
    page += "\n## Look-alikes\n\nNo alert of the fleet spec fires in these situations:\n\n";
    for incident in incidents["look_alikes"].as_array().expect("look-alikes") {
        assert_eq!(alerts(&incident["fleet"]), "**none**");
        writeln!(page, "- {}", incident["name"].as_str().expect("a name")).expect("text");
    }
    let real = &incidents["real"];
    let about = real["about"].as_str().expect("text");
    write!(
        page,
        "\n## On a real server\n\n{about}\n\n| phase | alerts, and minutes until they fire |\n|---|---|\n"
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
