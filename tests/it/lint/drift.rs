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
fn fates_are_told_with_the_fix() {
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
