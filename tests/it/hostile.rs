//! Hostile texts in every text of a spec: refused at their place, or outputs that every reader takes as they are meant.

use crate::project::{Project, spec};

include!("../fixtures/go_templates.rs");

#[test]
#[ignore = "ci"]
fn annotation_templates_are_judged_as_prometheus_does() {
    let project = Project::new();
    let bad = BAD.iter().chain(DEAD).map(|(text, _)| (false, text));
    for (good, text) in GOOD.iter().map(|text| (true, text)).chain(bad) {
        let quoted = serde_json::to_string(text).unwrap();
        let summary = format!("summary: {quoted}");
        let spec = spec("svc");
        let at = spec
            .find("  Slow:")
            .or(spec.find("alerts:"))
            .expect("alerts");
        let alert = format!(
            "alerts:\n  Judged:\n    severity: warning\n    when: {{promql: \"sum by (job) (up) < 1\"}}\n    {summary}\n"
        );
        let text_of_spec = spec[at..].replacen("alerts:\n", &alert, 1);
        project.write("specs/svc.yaml", &(spec[..at].to_owned() + &text_of_spec));
        let ran = project.run(&["build", "--target", "prometheus"]);
        assert_eq!(ran.code == Some(0), good, "{text}: {}", ran.err);
    }
}

#[test]
fn names_of_others_steer_no_terminal() {
    let project = Project::new();
    let page = "# TYPE vllm:num_requests_waiting gauge\n\
        vllm:num_requests_waiting{model_name=\"a\\n::error::b\x1b[2J\u{9b}\u{202e}\",engine=\"0\"} 900\n";
    project.write("page.prom", page);
    let formats: [&[&str]; 6] = [
        &["health", "page.prom", "--spec", "specs/svc.yaml"],
        &["lint", "odd.yaml"],
        &["lint", "odd.yaml", "--format", "concise"],
        &["lint", "odd.yaml", "--format", "github"],
        &["lint", "odd.yaml", "--format", "json"],
        &["lint", "no\x1b[2J\n::error::x.yaml"],
    ];
    let rules = "groups:\n- name: g\n  rules:\n  - alert: \"A\\e[2J\\n::error::x\"\n    \
        expr: vllm:no_such_metric > 1 and foo{x=\"\u{202e}\u{9b}\"}\n";
    project.write("odd.yaml", rules);
    for args in formats {
        let ran = project.run(args);
        for said in [&ran.out, &ran.err] {
            let steers = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
            assert!(!said.contains(steers), "{args:?}: {said:?}");
            let mut lines = said
                .lines()
                .filter(|line| line.trim_start().starts_with("::"));
            if !args.contains(&"github") {
                assert_eq!(lines.next(), None, "{args:?}: {said:?}");
            }
            assert!(
                lines.all(|line| line.contains(" file=odd.yaml,")),
                "{said:?}"
            );
        }
    }
}

#[test]
fn a_spec_without_rules_gives_a_file_that_loads() {
    let project = Project::new();
    project.write(
        "specs/svc.yaml",
        "apiVersion: slosmith/v1\nservice: {name: a_b}\n",
    );
    project.run(&["build"]).exits(0);
    let rules = project.read("generated/a_b/prometheus/prometheusrule.yaml");
    assert!(rules.contains("groups:\n    []\n"), "{rules}");
    assert!(rules.contains("\n  name: a-b-"), "{rules}");
}
