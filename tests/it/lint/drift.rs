//! `slosmith drift`.

use super::rules;
use crate::project::Project;

fn project() -> Project {
    let project = Project::new();
    let text = rules(&[
        "vllm:num_requests_waiting > 80",
        "vllm:gpu_cache_usage_perc > 0.9",
        "vllm:num_requests_waiting_by_reason > 9",
        "vllm:nothing > 1",
        "sum by (model_name) (rate(vllm:request_success_total[5m])) < 1",
    ]);
    project.write("rules.yaml", &text);
    project
}

#[test]
fn statuses_are_shown_with_the_fix() {
    let project = project();
    let args = ["drift", "--from", "0.10.2", "--to", "0.33.0", "rules.yaml"];
    let text = project.run(&args).exits(1).out;
    insta::assert_snapshot!("drift-text", text);
    let markdown = project
        .run(&[&args[..], &["--format", "markdown"]].concat())
        .exits(1)
        .out;
    insta::assert_snapshot!("drift-markdown", markdown);
    let json = project
        .run(&[&args[..], &["--format", "json"]].concat())
        .exits(1)
        .out;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let items = json["items"].as_array().expect("items").iter();
    let fates: Vec<_> = items
        .map(|item| item["fate"].as_str().expect("words"))
        .collect();
    assert_eq!(
        fates,
        [
            "works",
            "dies",
            "revived",
            "dead before and after",
            "changes meaning"
        ]
    );
}

#[test]
fn only_what_a_change_is_about_changes_meaning() {
    let project = project();
    let queries = [
        "sum(rate(vllm:iteration_tokens_total_count[5m])) > 1",
        "sum(rate(vllm:request_success_total{finished_reason=\"stop\"}[5m])) > 1",
        "sum(rate(vllm:request_success_total{finished_reason=~\"stop|error\"}[5m])) > 1",
        "vllm:kv_offload_load_size_count > 1",
    ];
    project.write("rules.yaml", &rules(&queries));
    let board = r#"{"title": "b", "schemaVersion": 36, "panels": [{"type": "stat", "title": "t", "targets": [
        {"expr": "vllm:num_requests_waiting"}, {"expr": "vllm:gpu_cache_usage_perc"}]}]}"#;
    project.write("board.json", board);
    let args = [
        "drift",
        "--from",
        "0.10.2",
        "--to",
        "0.33.0",
        "rules.yaml",
        "board.json",
        "--format",
        "json",
    ];
    let json: serde_json::Value = serde_json::from_str(&project.run(&args).out).expect("JSON");
    let items = json["items"].as_array().expect("items");
    let fate = |what: &str| {
        let item = items
            .iter()
            .find(|item| item["what"].as_str().is_some_and(|w| w.contains(what)));
        item.map(|item| item["fate"].as_str().expect("words"))
    };
    assert_eq!(fate("A0"), Some("works"));
    assert_eq!(fate("A1"), Some("works"));
    assert_eq!(fate("A2"), Some("changes meaning"));
    assert_eq!(fate("A3"), Some("dead before and after"));
    let panel = items
        .iter()
        .find(|item| item["what"].as_str().is_some_and(|w| w.contains("panel")));
    assert_eq!(
        panel.expect("a panel")["reasons"][0],
        "1 of 2 queries return no data"
    );
}

#[test]
fn without_harm_all_is_well() {
    let project = project();
    project.write("fine.yaml", &rules(&["vllm:num_requests_waiting > 80"]));
    project
        .run(&["drift", "--from", "0.32.0", "--to", "0.33.0", "fine.yaml"])
        .exits(0);
    project
        .run(&["drift", "--from", "0.32.0", "--to", "0.33.0"])
        .exits(0);
    project
        .run(&["drift", "--from", "0.32.0", "--to", "0.99.0"])
        .exits(2)
        .says("not recorded");
}
