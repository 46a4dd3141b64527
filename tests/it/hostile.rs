//! Hostile texts in every text of a spec: refused at their place, or outputs that every reader takes as they are meant.

use std::path::Path;
use std::process::Command;

use crate::project::{Project, spec};
use crate::promtool;

/// Runs the judge, where what it needs is installed.
fn judged(args: &[&str]) {
    let yaml = Command::new("python3").args(["-c", "import yaml"]).output();
    if !yaml.is_ok_and(|done| done.status.success()) {
        println!("no python3 with PyYAML here: not tested");
        return;
    }
    let judge = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/hostile-check");
    let mut command = Command::new("python3");
    command.arg(judge).arg(env!("CARGO_BIN_EXE_slosmith"));
    let done = command.args(args).output().expect("python3");
    let said = String::from_utf8_lossy(&done.stderr);
    let listed = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{listed}{said}");
}

/// A share of the texts; all of them take minutes.
#[test]
fn hostile_texts_are_refused_or_harmless() {
    judged(&["--sample", "17"]);
}

#[test]
#[ignore = "takes minutes; .ci/run has it"]
fn all_hostile_texts_are_refused_or_harmless() {
    judged(&[]);
}

/// What an alert's summary may be: both lists are put to promtool too.
const GOOD: &[&str] = &[
    "plain",
    "{{ $value | humanize }}",
    "{{- $labels.job -}}",
    "{{/* comment */}}",
    "{{ if gt $value 5.0 }}high{{ else if eq $value 1.0 }}one{{ else }}low{{ end }}",
    "{{ range query \"up\" }}{{ .Labels.job }}: {{ .Value }}{{ end }}",
    "{{ with query \"up\" }}{{ . | first | value | humanize }}{{ else }}none{{ end }}",
    "{{ with $x := `raw` }}{{ $x }}{{ end }}",
    "{{ range $i, $e := query \"up\" }}{{ $i }}{{ end }}",
    "{{ printf \"%.2f\" $value }}",
    "{{ (query \"up\" | first).Value }}",
    "{{ if and (gt $value 1.0) (lt $value 2.0) }}x{{ end }}",
    "{{ $x := 5 }}{{ $x }}",
    "{{ \"}}\" }}",
    "{{ -1.5e3 }} {{ 0x1F }} {{ true }}",
    "{{ range query \"up\" }}{{ break }}{{ end }}",
    "a } b }} c",
];

const BAD: &[&str] = &[
    "{{ end }}",
    "{{ if }}",
    "{{ if true }}open",
    "{{ else }}",
    "{{ if true }}{{ else }}{{ else }}{{ end }}",
    "{{ $value | nosuch }}",
    "{{ $value | 5 }}",
    "{{ | humanize }}",
    "{{ (1 }}",
    "{{ 1) }}",
    "{{ template x }}",
    "{{ break }}",
    "{{ a ! b }}",
    "{{ end end }}",
    "{{ 5 := 3 }}",
    "{{ \"open }}",
    "{{ range $a, $b, $c := query \"up\" }}{{ end }}",
    "{{ $nosuch }}",
    "{{ }}",
];

#[test]
fn annotation_templates_are_judged_as_prometheus_does() {
    let project = Project::new();
    for (good, text) in GOOD
        .iter()
        .map(|t| (true, t))
        .chain(BAD.iter().map(|t| (false, t)))
    {
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
        if promtool::is_installed() {
            let rule = serde_json::json!({"groups": [{"name": "g", "rules": [
                {"alert": "A", "expr": "up < 1", "annotations": {"summary": text}}
            ]}]});
            let path = project.path("rule.yaml");
            std::fs::write(&path, rule.to_string()).unwrap();
            let done = Command::new("promtool")
                .args(["check", "rules"])
                .arg(&path)
                .output();
            let done = done.expect("promtool");
            let said = String::from_utf8_lossy(&done.stderr);
            assert_eq!(done.status.success(), good, "promtool on {text}: {said}");
        }
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
