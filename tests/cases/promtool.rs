//! Generated rules under promtool: what they say of traffic that others get wrong.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use libtest_mimic::Trial;
use serde_json::{Value, json};
use slosmith::health::quantile;
use slosmith::source::FileId;
use slosmith::target::OutFile;

use crate::bundled;
use crate::trial::{Needs, in_ci, slow, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let mut all = trials! {
        "promtool",
        Promtool:
            trial a_burst_weighs_as_much_as_its_events,
            trial idle_time_leaves_no_nan_behind,
            trial service_without_any_traffic_yields_nothing,
            trial replicas_on_old_and_new_releases_count_once_each,
            trial gauges_of_both_names_combine,
            trial correlation_is_seen,
            trial percentiles_are_those_of_prometheus;
    };
    all.extend(["mangaassist", "vllm-serving"].map(|spec| {
        let name = format!("promtool::rules_of::{spec}");
        trial(name, Needs::Promtool, move || generated_rules_pass(spec))
    }));
    all.extend(conditions());
    all
}

/// Runs one promtool unit test against rule files of a bundled spec.
pub(crate) fn check(
    spec: &str,
    vllm: Option<&str>,
    rules: &[&str],
    series: &[(&str, &str)],
    checks: &[(&str, &str, Option<f64>)],
) {
    check_files(
        &bundled::folder_for(spec, vllm),
        rules,
        "1m",
        series,
        checks,
    );
}

/// The same against what was built from any spec, evaluated and scraped so often.
pub(crate) fn check_files(
    files: &[OutFile],
    rules: &[&str],
    every: &str,
    series: &[(&str, &str)],
    checks: &[(&str, &str, Option<f64>)],
) {
    let dir = tempfile::tempdir().expect("temp dir");
    bundled::write(dir.path(), files);
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
        "evaluation_interval": every,
        "tests": [{"interval": every, "input_series": inputs, "promql_expr_test": checks}],
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
    test_rules(&path);
}

const SERVICE: &str = "service=\"mangaassist-vllm\", slo=\"availability\"";

fn a_burst_weighs_as_much_as_its_events() {
    // 60 min at 10 a minute, 10 min at 6000 with one in ten failing, 110 min at 10: 9.728 %, not 0.78 %.
    let ok =
        "mangaassist_requests_total{job=\"mangaassist-gateway\", cluster=\"c\", status=\"200\"}";
    let bad =
        "mangaassist_requests_total{job=\"mangaassist-gateway\", cluster=\"c\", status=\"500\"}";
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

fn idle_time_leaves_no_nan_behind() {
    let ok =
        "mangaassist_requests_total{job=\"mangaassist-gateway\", cluster=\"c\", status=\"200\"}";
    let ratio = |window| format!("slo:error_ratio:rate{{{SERVICE}, window=\"{window}\"}}");
    let left = format!("slo:error_budget_remaining:ratio{{{SERVICE}}}");
    check(
        "mangaassist",
        None,
        &["slo-availability", "slo-availability-period"],
        &[(ok, "0+10x30 300+0x20 310+10x30")],
        &[
            // While idle there is no ratio of the moment, but there is the period's.
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

fn service_without_any_traffic_yields_nothing() {
    let ok =
        "mangaassist_requests_total{job=\"mangaassist-gateway\", cluster=\"c\", status=\"200\"}";
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
    check_files(
        &on_old_releases(">=0.9,<0.13"),
        &["slo-inter-token-latency"],
        "1m",
        &series,
        &[(total, "20m", Some(6.0)), (bad, "20m", Some(0.5))],
    );
}

/// The files of a spec for releases with names that newer ones replaced.
fn on_old_releases(vllm: &str) -> Vec<OutFile> {
    let text = "
apiVersion: slosmith/v1
service: {name: chat}
runtime: {vllm: '>=0.8'}
links: {runbooks: https://git.example/runbooks, grafana: https://grafana.example}
prometheus: {selector: {job: vllm}, group_by: [cluster, model_name], scrape_labels: [cluster, pod]}
signals:
  itl: {use: vllm.inter_token_latency}
  kv_cache_usage: {use: vllm.kv_cache_usage}
slos:
  inter-token-latency: {objective: 99%, period: 28d, sli: {latency: {signal: itl, at_most: 200ms}}}
records:
  kv_cache_usage: {signal: kv_cache_usage}
";
    bundled::build(text, Some(vllm))
}

fn gauges_of_both_names_combine() {
    let labels =
        |pod| format!("cluster=\"c\", model_name=\"m\", engine=\"0\", job=\"vllm\", pod=\"{pod}\"");
    check_files(
        &on_old_releases(">=0.8.5,<0.13"),
        &["records"],
        "1m",
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

fn generated_rules_pass(spec: &str) {
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
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

/// The generated unit tests of every kind of condition: each file is a test of its own.
///
/// promtool evaluates all alerts of the spec in every minute of a test, so a test of one alert has the rules of that
/// alert; with the rules of all it is left to `.ci/run`.
fn conditions() -> Vec<Trial> {
    let text = include_str!("../fixtures/conditions.yaml");
    let files = Arc::new(bundled::build(text, None));
    let tests = files
        .iter()
        .filter(|f| f.path.starts_with("prometheus/tests/"));
    let tests: Vec<_> = tests.map(|f| f.path.clone()).collect();
    assert!(tests.len() > 25, "only {} test files", tests.len());
    let unit_test = |path: String| {
        let name = format!("promtool::conditions::{}", path.rsplit('/').next().unwrap());
        let plain = if is_one_of_many(&path) { in_ci } else { trial };
        let run = |own: bool| {
            let (files, path) = (Arc::clone(&files), path.clone());
            move || unit_test(&files, &path, own)
        };
        if is_slow(&path) {
            vec![slow(name, Needs::Promtool, run(false))]
        } else if path.contains("/alert-") {
            let all = slow(
                format!("{name}::slow::all_rules"),
                Needs::Promtool,
                run(false),
            );
            vec![plain(name, Needs::Promtool, run(true)), all]
        } else {
            vec![plain(name, Needs::Promtool, run(false))]
        }
    };
    tests.into_iter().flat_map(unit_test).collect()
}

/// Unit tests that take a second or more, and are of a kind that a plain run has without them.
fn is_one_of_many(path: &str) -> bool {
    const MANY: [&str; 5] = [
        "/alert-unusually-",
        "/alert-yesterday",
        "/slo-jobs-",
        "/slo-latency.",
        "/slo-latency-period",
    ];
    MANY.iter().any(|part| path.contains(part))
}

/// Runs one file of unit tests, with all rules of the spec or with those of its own alert.
fn unit_test(files: &[OutFile], path: &str, own: bool) {
    let dir = tempfile::tempdir().expect("temp dir");
    bundled::write(dir.path(), files);
    let path = dir.path().join(path);
    let test = std::fs::read_to_string(&path).expect("a test");
    // An alert in a file of its own is alone.
    if own && test.contains("/alerts.yaml") {
        let rules = dir.path().join("prometheus/rules/alerts.yaml");
        let all = std::fs::read_to_string(&rules).expect("rules");
        std::fs::write(rules, rules_of(&test, &all)).expect("a file");
    }
    test_rules(&path);
}

/// The rules of the alert that a unit test is of, and what is recorded for it.
fn rules_of(test: &str, all: &str) -> String {
    let names = test.split("alertname").skip(1);
    let names = names.filter_map(|rest| {
        let name = rest.trim_start_matches([':', '=', ' ', '"']);
        name.split(['"', '\n']).next()
    });
    let names: BTreeSet<_> = names.collect();
    let mut rules: Value = slosmith::yaml::read(FileId(0), all).expect("rules");
    let groups = rules["groups"].as_array_mut().expect("groups");
    let of_test = |rule: &Value| {
        let of = rule["alert"].as_str().or(rule["labels"]["alert"].as_str());
        of.is_some_and(|of| names.contains(of))
    };
    for group in groups.iter_mut() {
        let rules = group["rules"].as_array_mut().expect("rules");
        rules.retain(of_test);
    }
    groups.retain(|group| {
        group["rules"]
            .as_array()
            .is_some_and(|rules| !rules.is_empty())
    });
    assert!(!groups.is_empty(), "{names:?}");
    rules.to_string()
}

/// Runs the unit tests of one file.
pub(crate) fn test_rules(path: &Path) {
    let run = || {
        let mut command = Command::new("promtool");
        let output = command.args(["test", "rules"]).arg(path).output();
        output.expect("promtool")
    };
    let mut output = run();
    // Before 3.4, a new series may lose its first sample where a test spans more than 36 hours (docs/prometheus.md).
    if !output.status.success() {
        output = run();
    }
    let text = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
}

/// Files of unit tests that take seconds: those of long windows.
pub(crate) fn is_slow(path: &str) -> bool {
    const SLOW: [&str; 6] = [
        "-6h.yaml",
        "-1d.yaml",
        "-3d.yaml",
        "-28d.yaml",
        "adapter-latency",
        "-1d-",
    ];
    SLOW.iter().any(|part| path.contains(part))
}

/// The alert on correlation fires when both move together, and not when one moves against the other.
fn correlation_is_seen() {
    let ramp = |low: &str, high: &str| {
        let pair = format!("{low}+0x2 {high}+0x2 ");
        pair.repeat(10)
    };
    let rules = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/generated/vllm-production/prometheus/rules/alerts.yaml"
    );
    let rules = std::fs::read_to_string(rules).expect("rules");
    let (_, records) = rules
        .split_once("alert: KVCachePressureDrivesTTFT")
        .expect("its first record");
    let series = |record: usize, cluster: &str| {
        let part = records.split("part: ").nth(record + 1).expect("a part");
        let part = &part.trim_start_matches('"')[..8];
        format!(
            "alert:baseline:value{{service=\"vllm-production\", alert=\"KVCachePressureDrivesTTFT\", part=\"{part}\", cluster=\"{cluster}\", model_name=\"m\"}}"
        )
    };
    check(
        "vllm-production",
        None,
        &["alerts"],
        &[
            (&series(0, "a"), &ramp("0.6", "0.9")),
            (&series(1, "a"), &ramp("1", "4")),
            (&series(0, "b"), &ramp("0.6", "0.9")),
            (&series(1, "b"), &ramp("4", "1")),
        ],
        &[
            (
                "ALERTS{alertname=\"KVCachePressureDrivesTTFT\", alertstate=\"firing\", cluster=\"a\"}",
                "50m",
                Some(1.0),
            ),
            (
                "ALERTS{alertname=\"KVCachePressureDrivesTTFT\", cluster=\"b\"}",
                "50m",
                None,
            ),
        ],
    );
}

/// Percentiles are those of `histogram_quantile`.
fn percentiles_are_those_of_prometheus() {
    let bounds = ["0.1", "0.25", "1", "2.5", "10", "+Inf"];
    let histograms: [[f64; 6]; 5] = [
        [0.0, 10.0, 40.0, 90.0, 99.0, 100.0],
        [5.0, 5.0, 5.0, 5.0, 5.0, 5.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 7.0],
        [1.0, 3.0, 2.0, 8.0, 9.0, 12.0],
        [100.0, 100.0, 200.0, 200.0, 200.0, 200.0],
    ];
    let mut tests = Vec::new();
    for counts in histograms {
        let series: Vec<_> = bounds
            .iter()
            .zip(counts)
            .map(|(le, count)| {
                serde_json::json!({"series": format!("h_bucket{{le=\"{le}\"}}"), "values": format!("{count}")})
            })
            .collect();
        let buckets: Vec<(f64, f64)> = bounds
            .iter()
            .zip(counts)
            .map(|(le, count)| (le.parse().unwrap_or(f64::INFINITY), count))
            .collect();
        let checks: Vec<_> = [0.01, 0.5, 0.9, 0.95, 0.99, 1.0]
            .iter()
            .map(|q| {
                let ours = quantile(*q, &buckets).expect("observations");
                serde_json::json!({
                    "expr": format!("abs(histogram_quantile({q}, h_bucket) - {ours}) < bool 1e-9"),
                    "eval_time": "0m",
                    "exp_samples": [{"labels": "{}", "value": 1}],
                })
            })
            .collect();
        tests.push(serde_json::json!({"interval": "1m", "input_series": series, "promql_expr_test": checks}));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("test.yaml");
    let test = serde_json::json!({"evaluation_interval": "1m", "tests": tests});
    std::fs::write(&path, test.to_string()).expect("written");
    test_rules(&path);
    assert_eq!(quantile(0.5, &[(1.0, 0.0), (f64::INFINITY, 0.0)]), None);
}
