//! Reports: every format, and what regions point at.

use serde_json::Value;

use super::rules;
use crate::project::Project;

fn project() -> Project {
    let project = Project::new();
    let text = rules(&[
        "vllm:gpu_cache_usage_perc > 0.9",
        "\"sum(rate(vllm_generation_tokens_total{a=\\\"é\\\"}[5m])) > 1\"",
        "|-\n          sum by (model_name) (\n            vllm:num_requests_swapped\n          ) > 1",
    ]);
    project.write("a.yaml", &text);
    let board = r#"{"title": "D", "panels": [{"type": "stat", "title": "T", "fieldConfig": {"defaults": {"unit": "s"}}, "targets": [{"expr": "sum(\"\\\"\" == bool 1) or\tvllm:nothing_here"}]}]}"#;
    project.write(
        "board.json",
        &board.replace("sum(\\\"\\\\\\\"\\\" == bool 1) or\\t", "1 +\\n"),
    );
    project
}

#[test]
fn every_format_says_the_same() {
    let project = project();
    for format in ["human", "concise", "json", "sarif", "github", "junit"] {
        let ran = project
            .run(&["lint", "a.yaml", "board.json", "--format", format])
            .exits(1);
        for rule in ["removed-metric", "normalised-name", "unknown-metric"] {
            assert!(ran.out.contains(rule), "{format}: {rule}\n{}", ran.out);
        }
    }
}

#[test]
fn json_and_sarif_fit_their_schemas() {
    let project = project();
    for (format, schema) in [
        (
            "json",
            include_str!("../../../schemas/report.schema.json").to_owned(),
        ),
        (
            "sarif",
            include_str!("../../schemas/sarif-schema-2.1.0.json")
                .replace("-[a-zA-Z]{2}]?$", "-[a-zA-Z]{2}$"),
        ),
    ] {
        let schema: Value = serde_json::from_str(&schema).expect("a schema");
        let out = project
            .run(&["lint", "a.yaml", "board.json", "--format", format])
            .exits(1)
            .out;
        let report: Value = serde_json::from_str(&out).expect("JSON");
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        let errors: Vec<_> = validator
            .iter_errors(&report)
            .map(|e| e.to_string())
            .collect();
        assert!(errors.is_empty(), "{format}: {errors:#?}");
    }
}

#[test]
fn every_region_is_the_text_its_message_names() {
    let project = project();
    let out = project
        .run(&["lint", "a.yaml", "board.json", "--format", "sarif"])
        .exits(1)
        .out;
    let report: Value = serde_json::from_str(&out).expect("JSON");
    let results = report["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 4, "{results:#?}");
    for result in results {
        let place = &result["locations"][0]["physicalLocation"];
        let path = place["artifactLocation"]["uri"].as_str().expect("a path");
        let text = project.read(path);
        let region = &place["region"];
        let number = |key: &str| usize::try_from(region[key].as_u64().expect(key)).expect("small");
        let line = |n: usize| text.lines().nth(n - 1).expect("a line");
        let offset =
            |l: usize, c: usize| -> usize { line(l).chars().take(c - 1).map(char::len_utf8).sum() };
        assert_eq!(
            number("startLine"),
            region
                .get("endLine")
                .map_or(number("startLine"), |_| number("endLine"))
        );
        let start = offset(number("startLine"), number("startColumn"));
        let end = offset(number("startLine"), number("endColumn"));
        let found = &line(number("startLine"))[start..end];
        let message = result["message"]["text"].as_str().expect("words");
        let last = message.lines().next().expect("a line");
        assert!(
            last.contains(&format!("`{found}`")),
            "`{found}` is not in: {last}"
        );
    }
}
