//! What is looked at, and how a run ends.

use super::rules;
use crate::project::Project;

const CLEAN: &str = "vllm:num_requests_waiting > 80";
const DEAD: &str = "vllm:gpu_cache_usage_perc > 0.9";

fn project(files: &[(&str, &str)]) -> Project {
    let project = Project::new();
    project.remove("specs/svc.yaml");
    for (path, text) in files {
        project.write(path, text);
    }
    project
}

#[test]
fn exit_codes_are_the_usual_ones() {
    let project = project(&[
        ("clean.yaml", &rules(&[CLEAN])),
        ("dead.yaml", &rules(&[DEAD])),
        (
            "warned.yaml",
            &rules(&["sum by (finished_reason) (vllm:num_requests_waiting) > 8"]),
        ),
    ]);
    project
        .run(&["lint", "clean.yaml"])
        .exits(0)
        .says("No findings in 1 file, checked against vLLM");
    project
        .run(&["lint", "warned.yaml"])
        .exits(0)
        .says("Found 1 warning in 1 file");
    project
        .run(&["lint", "warned.yaml", "--fail-on", "warning"])
        .exits(1);
    project
        .run(&["lint", "dead.yaml"])
        .exits(1)
        .says("Found 1 error in 1 file");
    project
        .run(&["lint", "dead.yaml", "--vllm", "0.8.5"])
        .exits(0);
    project
        .run(&["lint", "dead.yaml", "--level", "removed-metric=off"])
        .exits(0);
    project.run(&["lint"]).exits(1).says("in 3 files");
    for wrong in [
        &["lint", "none.yaml"][..],
        &["lint", "clean.yaml", "--vllm", "newest"],
        &["lint", "clean.yaml", "--vllm", ">9"],
        &["lint", "clean.yaml", "--profile", "lorra"],
        &["lint", "clean.yaml", "--level", "removed-metrics=off"],
        &["lint", "clean.yaml", "--write-baseline"],
    ] {
        project.run(wrong).exits(2).says("error");
    }
}

/// On a screen, both streams are one: the summary follows the findings.
#[test]
fn the_summary_comes_last() {
    let project = project(&[("dead.yaml", &rules(&[DEAD]))]);
    let said = std::fs::File::create(project.path("said")).expect("a file");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_slosmith"));
    command
        .current_dir(project.path("."))
        .args(["lint", "dead.yaml"]);
    let streams = command
        .stdout(said.try_clone().expect("a file"))
        .stderr(said);
    streams.status().expect("it runs");
    let said = project.read("said");
    let places = ["removed-metric", "Found 1 error"].map(|words| said.find(words));
    assert!(places[0].is_some() && places[0] < places[1], "{said}");
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_goes_on() {
    let project = project(&[
        ("a.yaml", "a: [vllm:num_requests_waiting"),
        ("b.json", "{\"vllm:num_requests_waiting\" 1}"),
        ("dead.yaml", &rules(&[DEAD])),
        ("notes.txt", "not looked at"),
        ("values.yaml", "replicas: 3\n"),
    ]);
    let ran = project.run(&["lint", "--format", "concise"]).exits(2);
    for words in [
        "a.yaml:1:",
        "b.json:1:30: error[invalid-json]",
        "dead.yaml:5:15: error[removed-metric]",
    ] {
        assert!(ran.out.contains(words), "{words}:\n{}", ran.out);
    }
    assert!(
        !ran.out.contains("notes") && !ran.out.contains("values"),
        "{}",
        ran.out
    );
    let ran = project
        .run(&["lint", "values.yaml", "--format", "concise"])
        .exits(0);
    assert!(ran.out.contains("info[unknown-file]"), "{}", ran.out);
}

#[test]
fn a_broken_dashboard_of_cloudwatch_is_told_in_a_folder_too() {
    let body = r#"{"Resources": {"A": {"Type": "AWS::CloudWatch::Dashboard", "Properties": {"DashboardBody": "{widgets: []}"}}}}"#;
    let project = project(&[("stack/a.json", body)]);
    let ran = project
        .run(&["lint", "stack", "--format", "concise"])
        .exits(1);
    assert!(ran.out.contains("error[invalid-json]"), "{}", ran.out);
}

#[test]
fn what_nobody_asked_about_is_counted_and_named() {
    let project = project(&[
        ("tsconfig.json", "{\n  // comments\n  \"a\": 1,\n}\n"),
        ("broken.yaml", "a: [1"),
        ("latin.yml", "a: 1\n"),
        ("chart/cut.yaml", "a: {{ .Values.x\n"),
        ("chart/odd.yaml", "{{- if .x }}\na: [\n{{- end }}\n"),
        ("role/main.yml", "{% if x %}\na: [\n{% endif %}\n"),
        (
            "map.yaml",
            "kind: ConfigMap\ndata:\n  a.json: '{/* x */}'\n",
        ),
        ("clean.yaml", &rules(&[CLEAN])),
    ]);
    std::fs::write(project.path("latin.yml"), b"a: \xe9\n").expect("a file");
    let ran = project.run(&["lint"]).exits(0);
    for words in [
        "No findings in 1 file,",
        "note: 2 Helm templates not checked (render first, then lint the result): chart/cut.yaml, chart/odd.yaml",
        "note: 1 Jinja template not checked (render first, then lint the result): role/main.yml",
        "note: 3 files not checked (not valid YAML, JSON, HCL or UTF-8): ",
    ] {
        assert!(ran.err.contains(words), "{words}:\n{}", ran.err);
    }
    project.run(&["lint", "tsconfig.json"]).exits(2);
    let named = project.run(&["lint", "chart/odd.yaml"]).exits(2);
    assert!(
        named.out.contains("render the template, then lint"),
        "{}",
        named.out
    );
}

#[test]
fn branches_that_cannot_be_read_are_named() {
    let branches = |second: &str| {
        format!(
            "groups:\n{{{{- if .Values.a }}}}\n- name: a\n  rules: [{{alert: A, expr: 'up == 0'}}]\n\
             {{{{- else }}}}\n- name: b\n{second}\n{{{{- end }}}}\n"
        )
    };
    let many = "{{ if .x }}a: 1 {{ else }}".repeat(20);
    let project = project(&[
        ("chart/half.yaml", &branches("  rules: [")),
        (
            "chart/many.yaml",
            &format!("{}# {many}\n", branches("  rules: []")),
        ),
        (
            "chart/dead.yaml",
            &branches("  rules: [{alert: B, expr: 'vllm:gpu_cache_usage_perc > 1'}]"),
        ),
        (
            "chart/none.yaml",
            "{{- if .a }}\na: 1\n{{- else }}\na: [\n{{- end }}\n",
        ),
    ]);
    let ran = project.run(&["lint", "--format", "concise"]).exits(1);
    let place = "chart/dead.yaml:7:29: error[removed-metric]";
    assert!(ran.out.contains(place), "{}", ran.out);
    let said = "note: 2 templates checked in part (some branches are not YAML, or there are too many; render first, then lint the result): \
                chart/half.yaml, chart/many.yaml\n";
    assert!(ran.err.contains(said), "{}", ran.err);
}

#[test]
fn files_that_name_metrics_and_were_not_read_are_named() {
    let project = project(&[
        ("notes.yaml", "note: watch vllm:num_requests_waiting\n"),
        ("other.yaml", "note: watch vllm:nothing_of_the_kind\n"),
        ("scale.py", "QUERY = 'vllm:num_requests_waiting'\n"),
        ("plain.py", "QUERY = 'up'\n"),
        ("README.md", "Watch vllm:num_requests_waiting.\n"),
        ("clean.yaml", &rules(&[CLEAN])),
    ]);
    let ran = project.run(&["lint"]).exits(0);
    for words in [
        "note: 1 file not checked (recorded metrics outside a known query field): notes.yaml\n",
        "note: 1 file not checked (recorded metrics in another format than YAML, JSON, HCL or Markdown; `--code` checks some languages): scale.py\n",
    ] {
        assert!(ran.err.contains(words), "{words}:\n{}", ran.err);
    }
}

#[test]
fn what_was_not_read_of_a_file_is_named() {
    let terraform = r#"
resource "aws_prometheus_rule_group_namespace" "a" {
  data = yamlencode({ groups = [{ name = "a", rules = [
    { record = "a", expr = "max(vllm:num_requests_running)" },
    { record = "b", expr = format("rate(vllm:prompt_tokens_total{a=%q}[5m])", var.a) },
  ] }] })
}
"#;
    let encoded = r#"
resource "grafana_dashboard" "a" {
  config_json = templatefile("a.json", { query = format("max(vllm:num_requests_running{a=%q})", var.a) })
}
resource "mimir_rule_group_recording" "a" {
  rule {
    record = "a"
    expr   = "max(vllm:num_requests_running)"
  }
}
"#;
    let formation = "Resources:\n  A:\n    Type: AWS::APS::RuleGroupsNamespace\n    Properties:\n      Data: |\n        \
        groups: [{name: a, rules: [{record: a, expr: 'max(vllm:num_requests_running)'}]}]\n  B:\n    Type: AWS::APS::RuleGroupsNamespace\n    \
        Properties:\n      Data: !If [Big, 'groups: [{name: a, rules: [{record: a, expr: max(vllm:num_requests_running)}]}]', '']\n";
    let plan = r#"{"resource_changes": [
      {"type": "aws_prometheus_rule_group_namespace", "change": {"after": {"data": "groups:\n- rules:\n  - record: a\n    expr: max(vllm:num_requests_running)\n"}}},
      {"type": "null_resource", "change": {"after": {"command": "promtool query instant $URL 'max(vllm:num_requests_running)'"}}}
    ]}"#;
    let annotation = "groups:\n- name: a\n  rules:\n  - alert: A\n    expr: max(vllm:num_requests_running) > 1\n    annotations:\n      \
        prose: as max(vllm:num_requests_running) has it\n      \
        value: '{{ printf \"max_over_time(vllm:num_requests_running[%dm])\" 5 | query }}'\n";
    let job = "kind: List\nitems:\n- kind: PrometheusRule\n  spec: {groups: [{rules: [{record: a, expr: max(vllm:num_requests_running)}]}]}\n\
        - kind: CronJob\n  args:\n  # max(vllm:num_requests_running)\n  - promtool query instant 'max(vllm:num_requests_running)'\n";
    let project = project(&[
        ("a.tf", terraform),
        ("b.tf", encoded),
        ("formation.yaml", formation),
        ("job.yaml", job),
        ("plan.json", plan),
        ("value.yaml", annotation),
        ("clean.yaml", &rules(&[CLEAN])),
    ]);
    for (file, place) in [
        ("a.tf", "a.tf:5"),
        ("b.tf", "b.tf:3"),
        ("formation.yaml", "formation.yaml:10"),
        ("job.yaml", "job.yaml:8"),
        ("plan.json", "plan.json:3"),
        ("value.yaml", "value.yaml:8"),
    ] {
        let ran = project.run(&["lint", file]).exits(0);
        let note = format!(
            "note: 1 file checked in part (recorded metrics outside a known query field): {place}\n"
        );
        assert!(ran.err.contains(&note), "{note}:\n{}", ran.err);
    }
    let ran = project.run(&["lint", "clean.yaml"]).exits(0);
    assert!(!ran.err.contains("in part"), "{}", ran.err);
}

#[test]
fn source_code_is_read_where_that_is_asked_for() {
    let project = project(&[
        ("whole.py", "Q = 'max(vllm:gpu_cache_usage_perc) > 0.9'\n"),
        (
            "pieces.ts",
            "const q = 'max(vllm:gpu_cache_usage_perc) > ' + limit;\n",
        ),
        ("clean.yaml", &rules(&[CLEAN])),
    ]);
    let ran = project.run(&["lint"]).exits(0);
    assert!(ran.err.contains("pieces.ts, whole.py"), "{}", ran.err);
    let ran = project.run(&["lint", "--code", "py,ts"]).exits(1);
    assert!(ran.out.contains("whole.py:1:10"), "{}", ran.out);
    let pieces = "note: 1 file checked in part (some queries are assembled from parts by the program): pieces.ts\n";
    assert!(ran.err.contains(pieces), "{}", ran.err);
    project.write("slosmith.toml", "code = [\"py\"]\n");
    project.run(&["lint", "--vllm", "0.33.0", "--fix"]).exits(0);
    let fixed = "Q = 'max(vllm:kv_cache_usage_perc) > 0.9'\n";
    assert_eq!(project.read("whole.py"), fixed);
}

#[test]
fn helm_templates_are_read_and_mended() {
    let text = r#"{{- if .Values.enabled }}
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: {{ include "app.fullname" . }}
  labels:
    {{- toYaml .Values.labels | nindent 4 }}
spec:
  groups:
  - name: {{ .Values.group | quote }}
    rules:
    {{- range .Values.alerts }}
    - alert: KvCache{{ .name }}
      expr: sum(vllm:gpu_cache_usage_perc{job="{{ .job }}"}) by (pod) > {{ .threshold }}
      for: {{ .for | default "5m" }}
      annotations:
        runbook_url: https://example.com/x
        summary: '{{ "{{" }} $labels.pod }} is full, {{`{{ $labels.instance }}`}} too'
    {{- end }}
    - alert: Queue
      expr: |
        vllm:num_requests_waiting{
          {{- if .Values.namespace }}
          namespace="{{ .Values.namespace }}",
          {{- else }}
          namespace="default",
          {{- end }}
        } > 5 {{ .Values.more }} whatever
      annotations:
        {{- include "app.annotations" . | nindent 8 }}
{{- end }}
"#;
    let project = project(&[("chart/templates/rules.yaml", text)]);
    let out = project.run(&["lint", "--format", "concise"]).exits(1).out;
    for words in [
        "rules.yaml:14:17: error[removed-metric]",
        "rules.yaml:18:60: warning[template-label-dropped]",
    ] {
        assert!(out.contains(words), "{words}:\n{out}");
    }
    assert_eq!(out.lines().count(), 2, "{out}");
    project.run(&["lint", "--vllm", "0.33.0", "--fix"]).exits(0);
    let wanted = text.replace("gpu_cache_usage_perc", "kv_cache_usage_perc");
    assert_eq!(project.read("chart/templates/rules.yaml"), wanted);
}

#[test]
fn specs_speak_for_the_files_beside_them() {
    let project = project(&[]);
    let spec = crate::project::spec("svc").replace("wait_seconds", "http_request_duration_seconds");
    project.write("specs/svc.yaml", &spec);
    project.run(&["build"]).exits(0);
    let by_cluster = rules(&["sum by (cluster) (vllm:num_requests_waiting) > 8"]);
    project.write("by_cluster.yaml", &by_cluster);
    project
        .run(&[
            "lint",
            "--fail-on",
            "info",
            "--level",
            "dead-runbook-link=off",
        ])
        .exits(0);
}

/// Without a setting, the newest release is a guess. A release that the same files run is not.
#[test]
fn a_release_that_files_pin_makes_a_removed_metric_no_error() {
    let project = project(&[("rules.yaml", &rules(&["vllm:gpu_cache_usage_perc > 0.9"]))]);
    project.run(&["lint"]).exits(1);
    project.write("deploy.yaml", "image: vllm/vllm-openai:v0.6.3\n");
    let pinned = project.run(&["lint"]).exits(0);
    let note = "`deploy.yaml` uses vLLM 0.6.3, which exposes the metric; set `vllm = \"0.6.3\"` in `slosmith.toml`";
    assert!(pinned.out.contains(note), "{}", pinned.out);
    project.run(&["lint", "--vllm", "0.33.0"]).exits(1);
    project.write("deploy.yaml", "image: vllm/vllm-openai:v0.20.2\n");
    project.run(&["lint"]).exits(1);
}

/// A path below `docs` in another repository says nothing about this one's `docs`.
#[test]
fn runbooks_of_other_repositories_are_not_looked_up() {
    let link = "groups: [{name: g, rules: [{alert: A, expr: up == 0, annotations: {runbook_url: 'https://git.example/Me/REPO/blob/main/docs/FILE'}}]}]\n";
    let project = project(&[("docs/here.md", "# Here\n")]);
    let found = |repository: &str, file: &str| {
        project.write(
            "rules.yaml",
            &link.replace("REPO", repository).replace("FILE", file),
        );
        let ran = project.run(&["lint", "--format", "concise"]);
        ran.out.contains("dead-runbook-link")
    };
    // Which repository this is, is unknown.
    assert!(!found("ops", "none.md"));
    assert!(found("ops", "here.md#none"));
    project.write(
        ".git/config",
        "[remote \"origin\"]\n\turl = git@git.example:me/ops.git\n",
    );
    assert!(found("ops", "none.md"));
    assert!(found("ops", "here.md#none"));
    assert!(!found("ops", "here.md#here"));
    assert!(!found("other", "none.md"));
    assert!(!found("other", "here.md#none"));
}

#[test]
fn folders_of_other_people_are_passed_over() {
    let dead = rules(&[DEAD]);
    let project = project(&[
        ("node_modules/a.yaml", &dead),
        (".hidden/a.yaml", &dead),
        ("old/a.yaml", &dead),
        ("clean.yaml", &rules(&[CLEAN])),
        ("slosmith.toml", "exclude = [\"old\"]\n"),
    ]);
    project
        .run(&["lint"])
        .exits(0)
        .says("No findings in 1 file");
}

#[test]
fn the_configuration_is_found_above_and_its_faults_are_told() {
    let project = project(&[
        (
            "slosmith.toml",
            "vllm = \"0.8.5\"\nlabels = [\"finished_reason\"]\n[levels]\nremoved-metrik = \"off\"\n",
        ),
        (
            "sub/dead.yaml",
            &rules(&[
                DEAD,
                "sum by (finished_reason) (vllm:num_requests_waiting) > 8",
            ]),
        ),
    ]);
    let ran = project.run(&["lint", "--format", "concise"]).exits(0);
    assert!(
        ran.out.contains("slosmith.toml:4:1: warning[unknown-rule]"),
        "{}",
        ran.out
    );
    assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
    project.write("slosmith.toml", "vlm = \"0.8.5\"\n");
    project.run(&["lint"]).exits(2).says("unknown key `vlm`");
}

#[test]
fn specs_are_judged_on_their_own_range() {
    let project = Project::new();
    project.run(&["lint", "specs"]).exits(0);
    project.edit("specs/svc.yaml", "owner: team", "ownr: team");
    let ran = project
        .run(&["lint", "specs", "--format", "concise"])
        .exits(1);
    assert!(
        ran.out.contains("specs/svc.yaml:") && ran.out.contains("ownr"),
        "{}",
        ran.out
    );
}

#[test]
fn suppressions_hold_where_they_stand() {
    let mut text = rules(&[DEAD, CLEAN]);
    text = text.replace(
        "        expr: vllm:gpu",
        "        # slosmith: allow(removed-metric) -- the old fleet has it\n        expr: vllm:gpu",
    );
    let project = project(&[("a.yaml", &text)]);
    project
        .run(&["lint", "a.yaml"])
        .exits(0)
        .says("No findings");
    project.edit(
        "a.yaml",
        "allow(removed-metric)",
        "allow(removed-metric) until 2020-01-01",
    );
    let ran = project
        .run(&["lint", "a.yaml", "--format", "concise"])
        .exits(1);
    assert!(
        ran.out.contains("expired-suppression") && ran.out.contains("removed-metric"),
        "{}",
        ran.out
    );
    project.edit(
        "a.yaml",
        "allow(removed-metric) until 2020-01-01",
        "allow(removed-metric)",
    );
    let ran = project
        .run(&["lint", "a.yaml", "--vllm", "0.8.5", "--format", "concise"])
        .exits(0);
    assert!(ran.out.contains("unused-suppression"), "{}", ran.out);
}

#[test]
fn dashboards_are_suppressed_in_their_descriptions() {
    let board = r#"{"title": "D", "schemaVersion": 42, "panels": [
  {"type": "stat", "title": "T", "description": "Old.\nslosmith: allow(removed-metric) -- the old fleet has it", "fieldConfig": {"defaults": {"unit": "percentunit"}}, "targets": [{"expr": "vllm:gpu_cache_usage_perc"}]}
]}"#;
    let project = project(&[("board.json", board)]);
    project
        .run(&["lint", "board.json"])
        .exits(0)
        .says("No findings");
}

#[test]
fn a_baseline_hides_what_is_known() {
    let project = project(&[
        ("a.yaml", &rules(&[DEAD])),
        ("slosmith.toml", "baseline = \"known.json\"\n"),
    ]);
    project.run(&["lint"]).exits(1);
    project
        .run(&["lint", "--write-baseline"])
        .exits(0)
        .says("1 finding");
    project.run(&["lint"]).exits(0).says("No findings");
    project.write("b.yaml", &rules(&[DEAD]));
    let ran = project.run(&["lint", "--format", "concise"]).exits(1);
    assert!(
        ran.out.starts_with("b.yaml:") && ran.out.lines().count() == 1,
        "{}",
        ran.out
    );
    project.write("a.yaml", &rules(&[CLEAN]));
    let ran = project.run(&["lint", "--format", "concise"]).exits(1);
    assert!(
        ran.out.contains("known.json:") && ran.out.contains("unused-suppression"),
        "{}",
        ran.out
    );
}

#[test]
fn rules_explain_themselves() {
    let project = project(&[]);
    let all = project.run(&["explain"]).exits(0).out;
    for rule in slosmith::lint::rules::infos() {
        assert!(all.contains(rule.name), "{}", rule.name);
        let page = project.run(&["explain", rule.name]).exits(0).out;
        assert!(page.contains(&rule.docs()), "{}", rule.name);
    }
    project
        .run(&["explain", "removed-metrics"])
        .exits(2)
        .says("did you mean `removed-metric`?");
}

#[test]
fn what_programs_of_the_same_folder_publish_is_known() {
    let project = Project::new();
    let names = [
        "vllm_queue_depth > 5",
        "rate(vllm:retries_total[5m]) > 1",
        "vllm_num_requests_waiting > 3",
    ];
    project.write("rules.yaml", &rules(&names));
    project
        .run(&["lint", "."])
        .says("Found 1 error, 1 warning and 1 info finding");
    project.write(
        "exporter/main.py",
        "DEPTH = Gauge(\"vllm_queue_depth\", \"…\")\nMOCK = Gauge('vllm_num_requests_waiting', '…')\n",
    );
    project.write(
        "exporter/main.go",
        "prometheus.NewCounterVec(prometheus.CounterOpts{\n\tName: \"vllm:retries_total\",\n}, nil)\n",
    );
    project.run(&["lint", "."]).exits(0);
    // So are labels that a scrape configuration adds.
    project.write(
        "rules.yaml",
        &rules(&["sum by (model) (vllm:num_requests_waiting) > 3"]),
    );
    project.run(&["lint", "."]).says("1 warning");
    project.write(
        "prometheus.yaml",
        "relabel_configs:\n- source_labels: [a]\n  target_label: model\n",
    );
    project.run(&["lint", "."]).says("No findings");
    // A release's own metric stays what it is, whoever publishes it as well.
    project.write("rules.yaml", &rules(&["vllm:gpu_cache_usage_perc > 0.9"]));
    project.write("mock.py", "Gauge(\"vllm:gpu_cache_usage_perc\", \"…\")\n");
    project.run(&["lint", "."]).exits(1);
}
