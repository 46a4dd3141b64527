//! What rules cost, counted: the tables of `docs/scale.md`.

use std::fmt::Write;

use serde_json::Value;

use crate::bundled;

/// Specs and the names of their services.
const SPECS: [(&str, &str); 4] = [
    ("vllm-serving", "vllm-serving"),
    ("vllm-production", "vllm-production"),
    ("mangaassist", "mangaassist-vllm"),
    ("fleet", "vllm-fleet"),
];

/// What some groups cost.
#[derive(Default)]
struct Cost {
    groups: usize,
    recording: usize,
    alerting: usize,
    /// Recorded once, whatever the service is grouped by.
    single: usize,
    /// Evaluations in an hour.
    hourly: usize,
}

impl Cost {
    fn of(groups: &[Value]) -> Self {
        let mut cost = Self::default();
        for group in groups {
            cost.groups += 1;
            let interval = group["interval"].as_str().expect("an interval");
            let interval: slosmith::units::Duration = interval.parse().expect("a duration");
            let rules = group["rules"].as_array().expect("rules");
            cost.hourly += rules.len() * 3600 / usize::try_from(interval.as_secs()).expect("small");
            for rule in rules {
                let expr = rule["expr"].as_str().expect("a query");
                let records = rule.get("record").is_some();
                cost.recording += usize::from(records);
                cost.alerting += usize::from(!records);
                cost.single += usize::from(records && expr.starts_with("vector("));
            }
        }
        cost
    }

    /// Recorded series where the service has so many label sets.
    fn series(&self, label_sets: usize) -> usize {
        self.single + (self.recording - self.single) * label_sets
    }

    fn row(&self, name: &str) -> String {
        let Self {
            groups,
            recording,
            alerting,
            single,
            ..
        } = self;
        let grouped = recording - single;
        let second = self.hourly as f64 / 3600.0;
        format!(
            "| {name} | {groups} | {recording} | {alerting} | {single} + {grouped} · S | {second:.2} |\n"
        )
    }

    /// The same for so many services.
    fn times(&self, services: usize, label_sets: usize) -> String {
        let rules = (self.recording + self.alerting) * services;
        let series = self.series(label_sets) * services;
        let second = (self.hourly * services) as f64 / 3600.0;
        let groups = self.groups * services;
        format!("| {services} | {label_sets} | {groups} | {rules} | {series} | {second:.0} |\n")
    }
}

/// The groups of a spec's rule files whose names begin so.
fn groups(spec: &str, begin: &str) -> Vec<Value> {
    let mut found = Vec::new();
    for file in bundled::folder(spec) {
        let Some(name) = file.path.strip_prefix("prometheus/rules/") else {
            continue;
        };
        if name.starts_with(begin) {
            let file: Value = slosmith::yaml::read(Default::default(), &file.text).expect("YAML");
            found.extend(file["groups"].as_array().expect("groups").clone());
        }
    }
    found
}

fn counted() -> String {
    let head = "| | groups | recording rules | alerting rules | recorded series | evaluations per second |\n|---|---|---|---|---|---|\n";
    let mut text = format!("<!-- counted -->\n{head}");
    let slo = Cost::of(&groups("vllm-serving", "slo-availability"));
    text += &slo.row("one SLO: `availability` of `vllm-serving`, with four tiers");
    for (spec, service) in SPECS {
        text += &Cost::of(&groups(spec, "")).row(&format!("one service: `{service}`"));
    }
    let head = "| services | label sets of each | groups | rules | recorded series | evaluations per second |\n|---|---|---|---|---|---|\n";
    write!(text, "\nServices like `vllm-serving`:\n\n{head}").expect("text");
    let service = Cost::of(&groups("vllm-serving", ""));
    for (services, label_sets) in [(1, 1), (20, 4), (200, 4), (200, 100), (1000, 10)] {
        text += &service.times(services, label_sets);
    }
    text + "<!-- counted -->"
}

#[test]
#[ignore = "ci"]
fn the_page_about_scale_is_counted() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/scale.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let parts: Vec<_> = page.split("<!-- counted -->").collect();
    let [before, _, after] = parts.as_slice() else {
        panic!("{} parts", parts.len());
    };
    crate::update::check("docs/scale.md", &format!("{before}{}{after}", counted()));
}
