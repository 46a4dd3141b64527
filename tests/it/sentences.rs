//! Titles of signals are noun phrases that fit every sentence: the sentences of each library signal and of each signal of
//! the bundled specs.

use std::collections::BTreeSet;
use std::fmt::Write;

use slosmith::catalog::Catalog;
use slosmith::library;

use crate::bundled;

/// A spec with an alert for each way in which a signal can be read, and a step that asks for each.
fn spec(signal: &str, head: &str, stats: &[&str]) -> String {
    let past = "above: {times: 2, of: {offset: 7d}}";
    let mut alerts = String::new();
    let mut steps = String::new();
    for (at, stat) in stats.iter().enumerate() {
        let when = match *stat {
            "absent" => format!("{{signal: {signal}, absent: true}}"),
            stat => format!("{{signal: {signal}, stat: {stat}, window: 5m, {past}}}"),
        };
        let _ = writeln!(alerts, "  Read{at}: {{severity: warning, when: {when}}}");
        if *stat != "absent" {
            let _ = writeln!(steps, "      - {{when: {when}}}");
        }
    }
    let (first, second) = head.split_once("\n---\n").unwrap_or((head, ""));
    let second = match second {
        "" => String::new(),
        second => format!("---\n{second}\n"),
    };
    format!(
        "{first}\nalerts:\n{alerts}runbooks:\n  page:\n    title: Page\n    steps:\n{steps}{second}"
    )
}

/// The sentences of a spec: the description and condition of each alert, the titles of queries and steps.
fn sentences(spec: &str) -> Result<BTreeSet<String>, String> {
    let files = bundled::outputs(&[spec])?;
    let rules = files
        .iter()
        .filter(|(path, _)| path.starts_with("prometheus/rules/"));
    let notes = rules.flat_map(|(_, text)| text.lines());
    let notes = notes.filter_map(|line| line.trim().strip_prefix("description: "));
    let mut said: BTreeSet<String> = notes.map(str::to_owned).collect();
    for page in ["runbooks/README.md", "runbooks/page.md"] {
        let lines = files[page].lines();
        let asked = |line: &&str| line.starts_with("- Fires if") || line.starts_with("### ");
        let titled = |line: &&str| line.ends_with(':') && !line.starts_with("This");
        let said_there = lines.filter(|line| asked(line) || titled(line));
        said.extend(said_there.map(str::to_owned));
    }
    said.retain(|line| !line.starts_with("### Read"));
    Ok(said)
}

/// How signals of each kind are read.
const READ: [&[&str]; 7] = [
    &["last", "avg", "max", "slope", "absent"],
    &["p95", "avg", "rate", "increase", "absent"],
    &["rate", "increase", "absent"],
    // Metrics of connectors begin with the first event.
    &["last", "avg", "max", "slope"],
    &["p95", "avg", "rate", "increase"],
    &["rate", "increase"],
    &["avg"],
];

fn told(name: &str, signal: &str, head: &str) -> String {
    let said = READ
        .iter()
        .find_map(|stats| sentences(&spec(signal, head, stats)).ok());
    let said = said.into_iter().flatten();
    let lines: Vec<_> = said.map(|line| format!("  {line}\n")).collect();
    format!("{name}\n{}", lines.concat())
}

const HEAD: &str = "apiVersion: slosmith/v1\nservice: {name: svc, title: Svc}\nruntime: {vllm: VLLM}\n\
    links: {runbooks: https://git.example/runbooks, grafana: https://grafana.example}\n\
    prometheus: {selector: {job: vllm}, scrape_labels: [cluster], group_by: [cluster]}\n";

#[test]
#[ignore = "ci"]
fn every_title_fits_every_sentence() {
    let mut page = String::new();
    for name in library::names() {
        let mut on = ["==0.33.0", "==0.20.2", "==0.7.3"]
            .into_iter()
            .map(|range| {
                let head = HEAD.replace("VLLM", &format!("\"{range}\""));
                let profiles = format!("profiles: [{}]}}", Catalog::vllm().profiles().join(", "));
                told(
                    &name,
                    &name,
                    &head.replace("\"}\nlinks", &format!("\", {profiles}\nlinks")),
                )
            });
        // The newest release that has it.
        let found = on.find(|text| text.lines().count() > 1);
        page += &found.unwrap_or_else(|| format!("{name}\n"));
    }
    for spec in [
        "fleet",
        "mangaassist",
        "inference",
        "vllm-production",
        "vllm-serving",
    ] {
        let text = bundled::value(&bundled::spec(spec));
        let mut all = text["signals"].clone();
        // Prometheus has nothing of what only CloudWatch has.
        let elsewhere = |signal: &serde_json::Value| {
            let bound = ["prometheus", "use", "ratio", "per"];
            bound.iter().all(|field| signal[field].is_null())
        };
        let of_elsewhere = |side: &serde_json::Value| {
            side.as_str()
                .is_some_and(|name| elsewhere(&text["signals"][name]))
        };
        if let Some(all) = all.as_object_mut() {
            all.retain(|_, signal| !elsewhere(signal) && !of_elsewhere(&signal["ratio"]["of"]));
        }
        for signal in all
            .as_object_mut()
            .into_iter()
            .flat_map(|all| all.values_mut())
        {
            signal
                .as_object_mut()
                .and_then(|signal| signal.shift_remove("cloudwatch"));
        }
        let mut head = HEAD.replace("VLLM", "\">=0.20, <0.34\"") + &format!("signals: {all}");
        if spec == "fleet" {
            // Its signals need connectors, roles and a proven rate.
            let runtime = text["runtime"].to_string();
            head = head.replace("{vllm: \">=0.20, <0.34\"}", &runtime);
            head = head.replace(
                "scrape_labels: [cluster]",
                "scrape_labels: [cluster, namespace, pod, role]",
            );
            head = head.replace(
                "group_by: [cluster]",
                "group_by: [cluster, model_name, role]",
            );
            let _ = write!(
                head,
                "\n---\napiVersion: slosmith/v1beta1\nload_tests: {}",
                text["load_tests"]
            );
        }
        for (name, signal) in all.as_object().into_iter().flatten() {
            if !signal["title"].is_null() {
                page += &told(&format!("{spec}: {name}"), name, &head);
            }
        }
    }
    insta::assert_snapshot!(page);
}
