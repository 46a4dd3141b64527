//! The JSON Schemas of our own files: committed, true of our specs, false of wrong ones.

use std::path::Path;

use serde_json::Value;
use slosmith::library::{beta_schema, json_schema};
use slosmith::source::FileId;

const COMMITTED: &str = "schemas/spec.schema.json";
const BETA: &str = "schemas/beta.schema.json";

fn validator(schema: &str) -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(schema).expect("JSON");
    jsonschema::validator_for(&schema).expect("a schema")
}

fn read(text: &str) -> Value {
    slosmith::yaml::read(FileId::default(), text).unwrap_or_else(|d| panic!("{}", d.message))
}

fn bundled(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("specs")
        .join(name);
    std::fs::read_to_string(path).expect(name)
}

#[test]
fn the_committed_schema_is_fresh() {
    crate::update::check(COMMITTED, &json_schema());
    crate::update::check(BETA, &beta_schema());
}

#[test]
fn bundled_specs_fit() {
    let validators = [json_schema(), beta_schema()].map(|schema| validator(&schema));
    for name in ["fleet.yaml", "mangaassist.yaml", "vllm-serving.yaml"] {
        let text = bundled(name);
        let (spec, beta) = crate::bundled::documents(&text);
        let documents = [spec, beta.expect("a second document")];
        for (validator, document) in validators.iter().zip(documents) {
            let document = read(document);
            let errors: Vec<_> = validator
                .iter_errors(&document)
                .map(|e| format!("{}: {e}", e.instance_path()))
                .collect();
            assert!(errors.is_empty(), "{name}: {errors:#?}");
            assert_eq!(
                validators.iter().filter(|v| v.is_valid(&document)).count(),
                1
            );
        }
    }
}

#[test]
fn bundled_specs_point_editors_at_the_schema() {
    for name in ["fleet.yaml", "mangaassist.yaml", "vllm-serving.yaml"] {
        let first = format!("# yaml-language-server: $schema=../{COMMITTED}\n");
        let text = bundled(name);
        assert!(text.starts_with(&first), "{name}");
        let second = format!("\n---\n# yaml-language-server: $schema=../{BETA}\n");
        assert!(text.contains(&second), "{name}");
    }
}

#[test]
fn wrong_specs_do_not_fit() {
    let right = include_str!("build/spec.yaml");
    let validator = validator(&json_schema());
    assert!(validator.is_valid(&read(right)));
    for (from, to) in [
        ("apiVersion: slosmith/v1", "apiversion: slosmith/v1"),
        ("owner: team", "team: owner"),
        ("name: NAME, ", ""),
        ("kind: counter", "kind: countre"),
        ("kind: counter", "kind: [counter]"),
        ("has_labels: [code]", "labels: code"),
        ("buckets: [100ms, 500ms, 1s]", "buckets: 1s"),
        ("period: 30d", "period: a month"),
        ("period: 30d", "period: 30"),
        ("stat: p95", "stat: percentile"),
        ("{matches: \"5..\"}", "{matches: \"5..\", not: \"2..\"}"),
        ("for: 5m", "for: true"),
        (
            "ratio: {bad: failed, total: requests}",
            "ratios: {bad: failed}",
        ),
    ] {
        assert!(right.contains(from), "{from}");
        let wrong = read(&right.replace(from, to));
        assert!(!validator.is_valid(&wrong), "{from} → {to} fits the schema");
    }
}

#[test]
fn the_committed_schema_of_reports_is_current() {
    let schema = slosmith::diag::render::json::schema();
    crate::update::check("schemas/report.schema.json", &schema);
}

#[test]
fn the_committed_schema_of_backtests_is_current() {
    crate::update::check(
        "schemas/backtest.schema.json",
        &slosmith::backtest::report::schema(),
    );
}

#[test]
fn the_committed_schema_of_suggestions_is_current() {
    crate::update::check(
        "schemas/suggest.schema.json",
        &slosmith::backtest::suggest::schema(),
    );
}

#[test]
fn the_committed_schema_of_the_configuration_is_current() {
    let schema = slosmith::config::json_schema();
    crate::update::check("schemas/config.schema.json", &schema);
}
