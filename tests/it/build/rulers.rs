//! Rules for a ruler: groups that can be spread, files that can lie side by side.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::project::{Project, spec};

fn project(options: &str) -> Project {
    let project = Project::empty();
    let alert = |i: u32| {
        format!(
            "  A{i}: {{severity: critical, when: {{signal: wait, stat: p95, above: {i}00ms}}, for: 2m}}\n"
        )
    };
    let alerts: String = (1..=45).map(alert).collect();
    for name in ["a", "b"] {
        let spec = spec(name)
            .replace("prometheus:\n", &format!("prometheus:\n  {options}\n"))
            .replace(
                "buckets: [100ms, 500ms, 1s]",
                "buckets: [100ms, 500ms, 1s, 5s]",
            )
            .replacen("alerts:\n", &format!("alerts:\n{alerts}"), 1);
        project.write(&format!("specs/{name}.yaml"), &spec);
    }
    project
}

fn groups(text: &str) -> Vec<Value> {
    let file: Value = slosmith::yaml::read(Default::default(), text).expect("YAML");
    file["groups"].as_array().expect("groups").clone()
}

#[test]
fn groups_are_small_and_names_of_files_differ() {
    let project = project("ruler: mimir");
    project.run(&["build", "--validate"]).exits(0);
    let mut names = BTreeSet::new();
    for service in ["a", "b"] {
        let text = project.read(&format!(
            "generated/{service}/prometheus/ruler/{service}.yaml"
        ));
        assert!(
            text.contains(&format!("\nnamespace: {service}\n")),
            "{text}"
        );
        for group in groups(&text) {
            let rules = group["rules"].as_array().expect("rules").len();
            assert!(rules <= 20, "{}: {rules}", group["name"]);
            assert!(names.insert(group["name"].to_string()), "{}", group["name"]);
        }
    }
    assert!(names.contains("\"a.alerts.3\""), "{names:?}");
}

#[test]
fn a_plain_prometheus_keeps_its_groups() {
    let project = project("selector: {}");
    project.edit("specs/a.yaml", "  selector: {}\n", "");
    project.edit("specs/b.yaml", "  selector: {}\n", "");
    project.run(&["build"]).exits(0);
    assert!(!project.has("generated/a/prometheus/ruler"));
    let alerts = project.read("generated/a/prometheus/rules/alerts.yaml");
    assert_eq!(groups(&alerts).len(), 1);
}

#[test]
#[ignore = "ci"]
fn options_stand_in_every_group_of_the_ruler_and_its_resource_alone() {
    for (options, line, resource) in [
        (
            "ruler: thanos\n  partial_response: warn",
            "    partial_response_strategy: warn\n",
            true,
        ),
        (
            "ruler: thanos\n  query_offset: 1m",
            "    query_offset: 1m\n",
            true,
        ),
        (
            "ruler: prometheus\n  query_offset: 1m",
            "    query_offset: 1m\n",
            true,
        ),
        (
            "ruler: mimir\n  query_offset: 1m",
            "    query_offset: 1m\n",
            false,
        ),
        (
            "ruler: mimir\n  source_tenants: [x, \"1\"]",
            "      - x\n      - \"1\"\n",
            false,
        ),
        (
            "ruler: victoriametrics\n  query_offset: 30s",
            "    eval_delay: 30s\n",
            false,
        ),
    ] {
        let project = project(options);
        project.run(&["build", "--validate"]).exits(0);
        let read = |file: &str| project.read(&format!("generated/a/prometheus/{file}"));
        let text = read("ruler/a.yaml");
        assert_eq!(text.matches(line).count(), groups(&text).len(), "{options}");
        let word = line.trim().split(':').next().expect("a word");
        assert_eq!(
            read("prometheusrule.yaml").contains(word),
            resource,
            "{options}"
        );
        assert!(!read("rules/alerts.yaml").contains(line), "{options}");
    }
}

#[test]
fn an_option_of_another_ruler_is_told_at_its_place() {
    for (options, at, words) in [
        (
            "query_offset: 1m",
            "specs/a.yaml:5:3",
            "`query_offset` has no effect without `ruler`",
        ),
        (
            "ruler: thanos\n  source_tenants: [a]",
            "specs/a.yaml:6:3",
            "`source_tenants` needs `ruler: mimir`",
        ),
        (
            "ruler: mimir\n  partial_response: warn",
            "specs/a.yaml:6:3",
            "`partial_response` needs `ruler: thanos`",
        ),
        (
            "ruler: thano",
            "specs/a.yaml:5:10",
            "did you mean `thanos`?",
        ),
        (
            "ruler: thanos\n  partial_response: warm",
            "specs/a.yaml:6:21",
            "did you mean `warn`?",
        ),
    ] {
        let project = project(options);
        let ran = project.run(&["build"]).exits(2).says(words);
        assert!(ran.err.contains(at), "{}", ran.err);
    }
}
