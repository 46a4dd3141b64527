//! Generated rules under promtool: what they say of traffic that others get wrong.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::bundled;

/// False where promtool is not installed: then nothing is tested, and that is said.
pub(crate) fn is_installed() -> bool {
    let found = Command::new("promtool").arg("--version").output().is_ok();
    if !found {
        println!("no promtool here: not tested");
    }
    found
}

/// Runs one promtool unit test against rule files of a bundled spec.
pub(crate) fn check(
    spec: &str,
    vllm: Option<&str>,
    rules: &[&str],
    series: &[(&str, &str)],
    checks: &[(&str, &str, Option<f64>)],
) {
    if !is_installed() {
        return;
    }
    let dir = tempfile::tempdir().expect("temp dir");
    bundled::write(dir.path(), &bundled::folder_for(spec, vllm));
    let files: Vec<_> = rules
        .iter()
        .map(|r| format!("prometheus/rules/{r}.yaml"))
        .collect();
    let inputs: Vec<_> = series
        .iter()
        .map(|(s, v)| json!({"series": s, "values": v}))
        .collect();
    let checks: Vec<_> = checks
        .iter()
        .map(|(expr, at, value)| expectation(expr, at, *value))
        .collect();
    let test = json!({
        "rule_files": files,
        "evaluation_interval": "1m",
        "tests": [{"interval": "1m", "input_series": inputs, "promql_expr_test": checks}],
    });
    run(dir.path(), &test);
}

/// `None`: no result at all; a number: within a thousandth of it.
fn expectation(expr: &str, at: &str, value: Option<f64>) -> Value {
    match value {
        None => json!({"expr": format!("count({expr})"), "eval_time": at, "exp_samples": []}),
        Some(value) => json!({
            "expr": format!("abs(sum({expr}) - {value}) < bool 0.001"),
            "eval_time": at,
            "exp_samples": [{"labels": "{}", "value": 1}],
        }),
    }
}

fn run(dir: &Path, test: &Value) {
    let path = dir.join("test.yaml");
    std::fs::write(&path, test.to_string()).expect("test file");
    let output = Command::new("promtool")
        .args(["test", "rules"])
        .arg(&path)
        .output()
        .expect("promtool");
    let text = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
}

const SERVICE: &str = "service=\"mangaassist-vllm\", slo=\"availability\"";

#[test]
fn a_burst_weighs_as_much_as_its_events() {
    // 60 min at 10 a minute, 10 min at 6000 with one in ten failing, 110 min at 10: 9.728 %, not 0.78 %.
    let ok = "mangaassist_requests_total{cluster=\"c\", status=\"200\"}";
    let bad = "mangaassist_requests_total{cluster=\"c\", status=\"500\"}";
    check(
        "mangaassist",
        None,
        &["slo-availability", "slo-availability-period"],
        &[
            (ok, "0+10x60 6000+5400x9 54610+10x109"),
            (bad, "0+0x60 600+600x9 6000+0x109"),
        ],
        &[(
            &format!("slo:error_ratio:rate{{{SERVICE}, window=\"30d\"}}"),
            "179m",
            Some(0.0973),
        )],
    );
}

#[test]
fn idle_time_leaves_no_nan_behind() {
    let ok = "mangaassist_requests_total{cluster=\"c\", status=\"200\"}";
    let ratio = |window| format!("slo:error_ratio:rate{{{SERVICE}, window=\"{window}\"}}");
    let left = format!("slo:error_budget_remaining:ratio{{{SERVICE}}}");
    check(
        "mangaassist",
        None,
        &["slo-availability", "slo-availability-period"],
        &[(ok, "0+10x30 300+0x20 310+10x30")],
        &[
            // While idle there is no ratio of the moment, but the period's stands.
            (&ratio("5m"), "48m", None),
            (&ratio("1h"), "48m", Some(0.0)),
            (&ratio("30d"), "48m", Some(0.0)),
            (&left, "48m", Some(1.0)),
            (&ratio("5m"), "70m", Some(0.0)),
            (&left, "70m", Some(1.0)),
            // NaN is the only number that differs from itself.
            (&format!("{left} != {left}"), "70m", None),
            (&format!("{} != {}", ratio("1h"), ratio("1h")), "48m", None),
        ],
    );
}

#[test]
fn service_without_any_traffic_yields_nothing() {
    let ok = "mangaassist_requests_total{cluster=\"c\", status=\"200\"}";
    check(
        "mangaassist",
        None,
        &["slo-availability", "slo-availability-period"],
        &[(ok, "0+0x40")],
        &[
            (&format!("slo:error_ratio:rate{{{SERVICE}}}"), "30m", None),
            (
                &format!("slo:error_budget_remaining:ratio{{{SERVICE}}}"),
                "30m",
                None,
            ),
            ("ALERTS", "30m", None),
        ],
    );
}

#[test]
fn replicas_on_old_and_new_releases_count_once_each() {
    let labels =
        |pod| format!("cluster=\"c\", model_name=\"m\", engine=\"0\", job=\"vllm\", pod=\"{pod}\"");
    let old = |pod| {
        format!(
            "vllm:time_per_output_token_seconds_count{{{}}}",
            labels(pod)
        )
    };
    let new = |pod| format!("vllm:inter_token_latency_seconds_count{{{}}}", labels(pod));
    let bucket = |name: &str| name.replace("_count{", "_bucket{le=\"0.2\", ");
    let (a, b) = (old("on-0-10-0"), new("on-0-12-0"));
    let (both_old, both_new) = (old("on-0-10-2"), new("on-0-10-2"));
    let total = "slo:total_events:rate{slo=\"inter-token-latency\"}";
    let bad = "slo:bad_events:rate{slo=\"inter-token-latency\"}";
    let series = [
        (a.clone(), "0+60x30"),
        (bucket(&a), "0+30x30"),
        (b.clone(), "0+120x30"),
        (bucket(&b), "0+120x30"),
        // 0.10.2 shows both names; its observations must not count twice.
        (both_old.clone(), "0+180x30"),
        (bucket(&both_old), "0+180x30"),
        (both_new.clone(), "0+180x30"),
        (bucket(&both_new), "0+180x30"),
    ];
    let series: Vec<_> = series.iter().map(|(s, v)| (s.as_str(), *v)).collect();
    check(
        "vllm-serving",
        Some(">=0.9,<0.13"),
        &["slo-inter-token-latency"],
        &series,
        &[(total, "20m", Some(6.0)), (bad, "20m", Some(0.5))],
    );
}

#[test]
fn gauges_of_both_names_combine() {
    let labels =
        |pod| format!("cluster=\"c\", model_name=\"m\", engine=\"0\", job=\"vllm\", pod=\"{pod}\"");
    check(
        "vllm-serving",
        Some(">=0.8.5,<0.13"),
        &["records"],
        &[
            (
                &format!("vllm:gpu_cache_usage_perc{{{}}}", labels("old")),
                "0.9+0x10",
            ),
            (
                &format!("vllm:kv_cache_usage_perc{{{}}}", labels("new")),
                "0.4+0x10",
            ),
        ],
        &[("signal:kv_cache_usage:last", "5m", Some(0.9))],
    );
}

#[test]
fn generated_rules_pass_promtool() {
    if !is_installed() {
        return;
    }
    for spec in ["mangaassist", "vllm-serving"] {
        let dir = tempfile::tempdir().expect("temp dir");
        let files = bundled::folder(spec);
        bundled::write(dir.path(), &files);
        let rules = files
            .iter()
            .filter(|f| f.path.starts_with("prometheus/rules/"));
        let output = Command::new("promtool")
            .args(["check", "rules", "--lint=all", "--lint-fatal"])
            .args(rules.map(|f| dir.path().join(&f.path)))
            .output()
            .expect("promtool");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn unit_tests_of_every_kind_of_condition_pass() {
    let text = include_str!("../fixtures/conditions.yaml");
    let files = bundled::build(text, None);
    let tests = files
        .iter()
        .filter(|f| f.path.starts_with("prometheus/tests/"));
    let tests: Vec<_> = tests.map(|f| f.path.clone()).collect();
    assert!(tests.len() > 25, "only {} test files", tests.len());
    if !is_installed() {
        return;
    }
    let dir = tempfile::tempdir().expect("temp dir");
    bundled::write(dir.path(), &files);
    let mut failed = String::new();
    for test in tests {
        let output = Command::new("promtool")
            .args(["test", "rules"])
            .arg(dir.path().join(test))
            .output()
            .expect("promtool");
        if !output.status.success() {
            failed += &String::from_utf8_lossy(&output.stderr);
            failed += &String::from_utf8_lossy(&output.stdout);
        }
    }
    assert!(failed.is_empty(), "{failed}");
}
