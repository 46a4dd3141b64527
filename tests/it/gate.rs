//! `slosmith gate`: results of vLLM's benchmark and of k6.

use std::process::Command;

use serde_json::{Value, json};

const SPEC: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/specs/mangaassist.yaml");

fn run(result: &str, more: &[&str]) -> (String, i32) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("result.json");
    std::fs::write(&path, result).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_slosmith"));
    command
        .arg("gate")
        .arg(&path)
        .args(["--spec", SPEC])
        .args(more);
    let done = command.output().expect("runs");
    let text = if done.stdout.is_empty() {
        done.stderr
    } else {
        done.stdout
    };
    let text = String::from_utf8(text).expect("text");
    let text = text.replace(&path.display().to_string(), "result.json");
    (text, done.status.code().expect("an exit code"))
}

/// What `vllm bench serve --save-result` writes, as far as it matters.
fn vllm(median_ttft: f64, p99_e2e: f64, failed: u32) -> String {
    json!({
        "date": "20261120-120000", "backend": "openai-chat", "model_id": "m", "num_prompts": 1000,
        "request_rate": 10.0, "max_concurrency": 20, "duration": 100.0, "completed": 1000 - failed, "failed": failed,
        "request_throughput": 9.9, "output_throughput": 1800.5, "total_token_throughput": 4000.0,
        "mean_ttft_ms": median_ttft + 20.0, "median_ttft_ms": median_ttft, "p99_ttft_ms": 900.0,
        "mean_e2el_ms": 900.0, "median_e2el_ms": 800.0, "p99_e2el_ms": p99_e2e,
        "mean_tpot_ms": 20.0, "p99_tpot_ms": 40.0, "mean_itl_ms": 20.0, "p99_itl_ms": 60.0
    })
    .to_string()
}

const GIVEN: [&str; 2] = ["--given", "oom_events=0"];

#[test]
fn a_good_result_passes() {
    let (text, code) = run(&vllm(150.0, 1800.0, 0), &GIVEN);
    assert_eq!(code, 0, "{text}");
    assert!(text.ends_with("pass\n"), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn between_the_bounds_it_is_degraded() {
    let result = vllm(250.0, 1800.0, 0);
    let (text, code) = run(&result, &GIVEN);
    assert!(text.ends_with("degraded\n") && code == 0, "{text}");
    let (_, code) = run(&result, &[&GIVEN[..], &["--fail-on", "degraded"]].concat());
    assert_eq!(code, 1);
}

#[test]
fn each_bound_can_fail() {
    for (result, more) in [
        (vllm(301.0, 1800.0, 0), vec!["--given", "oom_events=0"]),
        (vllm(150.0, 3001.0, 0), vec!["--given", "oom_events=0"]),
        (vllm(150.0, 1800.0, 6), vec!["--given", "oom_events=0"]),
        (vllm(150.0, 1800.0, 0), vec!["--given", "oom_events=1"]),
        (
            vllm(150.0, 1800.0, 0),
            vec![
                "--given",
                "oom_events=0",
                "--given",
                "prefix-cache-hit-rate=49%",
                "--scenario",
                "cache-validation",
            ],
        ),
    ] {
        let (text, code) = run(&result, &more);
        assert!(code == 1 && text.ends_with("fail\n"), "{more:?}: {text}");
    }
}

#[test]
fn what_is_not_measured_is_no_pass() {
    let (text, code) = run(&vllm(150.0, 1800.0, 0), &[]);
    assert!(text.contains("not measured") && code == 0, "{text}");
    let (_, code) = run(&vllm(150.0, 1800.0, 0), &["--fail-on", "degraded"]);
    assert_eq!(code, 1);
}

/// Both forms of a summary say the same.
#[test]
fn k6_is_read_in_both_forms() {
    let flat = json!({"metrics": {
        "ttft": {"avg": 160.0, "med": 150.0, "p(50)": 150.0, "p(95)": 300.0, "p(99)": 400.0},
        "e2e": {"avg": 900.0, "med": 800.0, "p(99)": 1800.0},
        "http_req_failed": {"passes": 0, "fails": 1000, "value": 0.0},
        "http_reqs": {"count": 1000, "rate": 10.0}
    }});
    let nested = json!({"metrics": {
        "ttft": {"type": "trend", "contains": "time", "values": {"avg": 160.0, "med": 150.0, "p(99)": 400.0}},
        "e2e": {"type": "trend", "contains": "time", "values": {"avg": 900.0, "p(99)": 1800.0}},
        "http_req_failed": {"type": "rate", "values": {"rate": 0.0, "passes": 0, "fails": 1000}},
        "http_reqs": {"type": "counter", "values": {"count": 1000, "rate": 10.0}}
    }});
    let (first, code) = run(&flat.to_string(), &GIVEN);
    assert_eq!(code, 0, "{first}");
    assert_eq!(run(&nested.to_string(), &GIVEN), (first, 0));
}

#[test]
fn reports_are_for_programs_too() {
    let result = vllm(250.0, 3500.0, 0);
    let (text, code) = run(&result, &[&GIVEN[..], &["--format", "json"]].concat());
    let report: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((report["verdict"].as_str(), code), (Some("fail"), 1));
    let (xml, _) = run(&result, &[&GIVEN[..], &["--format", "junit"]].concat());
    let document = roxmltree::Document::parse(&xml).expect("XML");
    let cases = document
        .descendants()
        .filter(|n| n.has_tag_name("testcase"))
        .count();
    let failures = document
        .descendants()
        .filter(|n| n.has_tag_name("failure"))
        .count();
    assert_eq!((cases, failures), (4, 1), "{xml}");
}

#[test]
fn nonsense_is_refused() {
    for (result, more, wanted) in [
        ("{", vec![], "not JSON"),
        (
            "{\"a\": 1}",
            vec![],
            "result.json:1:1: this is neither the result",
        ),
        ("[]", vec![], "result.json:1:1: this is neither the result"),
        (
            vllm(1.0, 1.0, 0).as_str(),
            vec!["--scenario", "peek"],
            "did you mean `peak`",
        ),
        (
            vllm(1.0, 1.0, 0).as_str(),
            vec!["--given", "oom=0"],
            "no such measure",
        ),
        (
            vllm(1.0, 1.0, 0).as_str(),
            vec!["--given", "oom_events=many"],
            "no number",
        ),
        (
            vllm(1.0, 1.0, 0).as_str(),
            vec!["--given", "oom_events=nan"],
            "no number",
        ),
    ] {
        let (text, code) = run(result, &more);
        assert!(code == 2 && text.contains(wanted), "{text}");
    }
}
