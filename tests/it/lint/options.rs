//! What is asked, how it is shown, and where it goes.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::rules;
use crate::project::Project;

const DEAD: &str = "vllm:gpu_cache_usage_perc > 0.9";

/// An error of the catalog, twice, and two alerts without a runbook.
fn project() -> Project {
    let project = Project::empty();
    let mut text = "groups:\n  - name: g\n    rules:\n".to_owned();
    for name in ["A", "B"] {
        text.push_str(&format!("      - alert: {name}\n        expr: {DEAD}\n"));
    }
    project.write("a.yaml", &text);
    project
}

/// Runs with an environment and standard input.
fn run(project: &Project, args: &[&str], env: &[(&str, &str)], stdin: &str) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_slosmith"));
    for name in ["NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    let mut child = command
        .args(args)
        .current_dir(project.path("."))
        .envs(env.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(stdin.as_bytes()).expect("written");
    drop(input);
    let done = child.wait_with_output().expect("it ends");
    let text = String::from_utf8(done.stdout).expect("text");
    (done.status.code().expect("a code"), text)
}

#[test]
fn style_is_asked_only_by_name() {
    let project = project();
    let found = |args: &[&str]| {
        let base = ["lint", "a.yaml", "--format", "concise", "--exit-zero"];
        project.run(&[&base[..], args].concat()).exits(0).out
    };
    let (dead, style) = ("removed-metric", "alert-without-runbook");
    let plain = found(&[]);
    assert!(plain.contains(dead) && !plain.contains(style), "{plain}");
    let only = found(&["--select", "style"]);
    assert!(!only.contains(dead) && only.contains(style), "{only}");
    let all = found(&["--select", "all", "--ignore", "catalog"]);
    assert!(!all.contains(dead) && all.contains(style), "{all}");
    let level = found(&["--level", "alert-without-runbook=info"]);
    assert!(level.contains(dead) && level.contains(style), "{level}");
    project.write(
        "slosmith.toml",
        "select = [\"truth\", \"style\"]\nignore = [\"removed-metric\"]\n",
    );
    let configured = found(&[]);
    assert!(
        !configured.contains(dead) && configured.contains(style),
        "{configured}"
    );
    let over = found(&["--select", "removed-metric"]);
    assert_eq!(over, "", "what the configuration ignores stays ignored");
    let wrong = project.run(&["lint", "--select", "stile"]).exits(2);
    wrong.says("unknown rule or rule category `stile`: did you mean `style`?");
}

#[test]
fn equal_findings_are_shown_once_and_counted() {
    let project = project();
    let out = project
        .run(&["lint", "--vllm", "0.33.0", "a.yaml"])
        .exits(1)
        .out;
    assert_eq!(out.matches("error[removed-metric]").count(), 1, "{out}");
    assert!(out.contains("note: also at "), "{out}");
    let table =
        "findings  files  fixable  level  rule\n       2      1        2  error  removed-metric\n";
    assert!(out.ends_with(&format!("{table}\n")), "{out}");
    let counted = ["lint", "--vllm", "0.33.0", "a.yaml", "--statistics"];
    assert_eq!(project.run(&counted).exits(1).out, table);
    let as_format = |format| project.run(&[&counted[..], &["--format", format]].concat());
    let json: Value = serde_json::from_str(&as_format("json").exits(1).out).expect("JSON");
    assert_eq!(json[0]["findings"], 2);
    assert_eq!(json[0]["group"], "catalog");
    as_format("sarif")
        .exits(2)
        .says("`--statistics` has the formats");
}

#[test]
fn a_report_goes_where_it_is_sent() {
    let project = project();
    let quiet = project.run(&["lint", "a.yaml", "--quiet"]).exits(1);
    assert!(
        quiet.err.is_empty() && !quiet.out.contains("findings  files"),
        "{quiet:?}"
    );
    let args = [
        "lint",
        "a.yaml",
        "--format",
        "json",
        "--output-file",
        "out/report.json",
    ];
    let sent = project.run(&args).exits(1);
    assert_eq!(sent.out, "");
    let report: Value = serde_json::from_str(&project.read("out/report.json")).expect("JSON");
    assert_eq!(report["summary"]["errors"], 2);
    project.run(&["lint", "a.yaml", "--exit-zero"]).exits(0);
    project.run(&["lint", "none.yaml", "--exit-zero"]).exits(2);
}

#[test]
fn standard_input_is_a_file_with_a_name() {
    let project = Project::empty();
    let text = rules(&[DEAD]);
    let lint = |args: &[&str]| {
        let base = ["lint", "--vllm", "0.33.0", "-", "--format", "concise"];
        run(&project, &[&base[..], args].concat(), &[], &text)
    };
    let (code, out) = lint(&[]);
    assert_eq!(code, 1);
    assert!(out.starts_with("stdin.yaml:5:"), "{out}");
    let (_, out) = lint(&["--stdin-filename", "rules/x.yml"]);
    assert!(out.starts_with("rules/x.yml:5:"), "{out}");
    let (code, out) = lint(&["--diff"]);
    assert_eq!(code, 0, "{out}");
    assert!(
        out.contains("+") && out.contains("vllm:kv_cache_usage_perc"),
        "{out}"
    );
    assert_eq!(lint(&["--fix"]).0, 2);
}

#[test]
fn colours_are_for_those_who_want_them() {
    let project = project();
    let styled = |args: &[&str], env: &[(&str, &str)]| {
        let (_, out) = run(&project, &[&["lint", "a.yaml"], args].concat(), env, "");
        out.contains("\u{1b}[")
    };
    assert!(!styled(&[], &[]));
    assert!(styled(&["--color", "always"], &[]));
    assert!(styled(&["--color", "always"], &[("NO_COLOR", "1")]));
    assert!(styled(&[], &[("FORCE_COLOR", "1")]));
    assert!(styled(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!styled(&[], &[("FORCE_COLOR", "1"), ("NO_COLOR", "1")]));
    assert!(!styled(&[], &[("FORCE_COLOR", "0")]));
    assert!(!styled(&["--color", "never"], &[("FORCE_COLOR", "1")]));
}

#[test]
fn an_empty_walk_says_so() {
    let project = Project::empty();
    project
        .run(&["lint"])
        .exits(0)
        .says("no YAML, JSON, HCL or Markdown files found");
    project.write("a/values.yaml", "a: 1\n");
    let words = "1 file of YAML, JSON, HCL or Markdown checked, but no file contains a query";
    project.run(&["lint", "a"]).exits(0).says(words);
}

#[test]
fn the_configuration_decides_the_language_of_paths() {
    let project = Project::empty();
    let rules =
        "groups:\n- name: g\n  rules:\n  - record: a\n    expr: rate(vllm:prompt_tokens_total)\n";
    let found = |tables: &str| {
        project.write("slosmith.toml", tables);
        project.write("victoria/rules/a.yaml", rules);
        let run = project.run(&["lint", ".", "--format", "concise", "--exit-zero"]);
        run.exits(0).out.contains("invalid-promql")
    };
    let table =
        |dialect: &str| format!("[[queries]]\npaths = [\"victoria\"]\ndialect = \"{dialect}\"\n");
    assert!(found(""));
    for dialect in ["metricsql", "logql"] {
        assert!(!found(&table(dialect)), "{dialect}");
    }
    let over = table("metricsql") + "[[queries]]\npaths = [\"**/a.yaml\"]\ndialect = \"promql\"\n";
    assert!(found(&over), "the last table wins");
    project.write("slosmith.toml", &table("sql"));
    let wrong = project.run(&["lint", "."]).exits(2);
    wrong.says("unknown value `sql`");
}

#[test]
fn templatefile_names_templates_of_terraform() {
    let project = Project::empty();
    // Without `$${`, only the call says who fills in the file.
    let board = r#"{"title": "t", "schemaVersion": 39, "panels": [{"id": 1, "type": "stat",
        "targets": [{"expr": "x{a=\"${join("|", ms)}\", b=\"${c}\"}"}, {"expr": "sum(vllm:num_requests_waiting"}]}]}"#;
    project.write("boards/a.json", board);
    let found = || {
        let run = project.run(&["lint", ".", "--format", "concise", "--exit-zero"]);
        run.out
    };
    assert!(found().contains("invalid-json"), "{}", found());
    let call = "config_json = templatefile(\"${path.module}/boards/${each.key}.json\", {})";
    let block = format!("resource \"grafana_dashboard\" \"a\" {{\n  {call}\n}}\n");
    project.write("main.tf", &block);
    let (now, lines) = (found(), found().lines().count());
    assert!(now.contains("invalid-promql") && lines == 1, "{now}");
    project.write(
        "boards/b.yaml.tftpl",
        "a: ${x\nb: $${y} vllm:num_requests_waiting\n",
    );
    let run = project.run(&["lint", "."]);
    run.says("1 Terraform template not checked");
}

#[test]
fn a_data_source_speaks_one_language() {
    let project = Project::empty();
    let board = |source: &str, expr: &str| {
        format!(
            r#"{{"title": "t", "schemaVersion": 39, "panels": [{{"id": 1, "type": "stat", "datasource": "{source}", "targets": [{{"expr": "{expr}"}}]}}]}}"#
        )
    };
    project.write("a.json", &board("Metrics", "topk_max(3, x)"));
    project.write("b.json", &board("Metrics", "rate(x) or sum(x)[5m]"));
    project.write("c.json", &board("Metrics", "sum(rate(x[5m])"));
    project.write("d.json", &board("Others", "rate(x)"));
    let run = project.run(&["lint", ".", "--format", "concise", "--exit-zero"]);
    let found = run.exits(0).out;
    let files: Vec<_> = found.lines().filter_map(|line| line.get(..1)).collect();
    assert_eq!(files, ["c", "d"], "{found}");
}
