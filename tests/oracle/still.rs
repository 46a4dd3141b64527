//! Signals that stand still correlate with nothing, whatever rounding makes of their last digits.

use libtest_mimic::Trial;
use serde_json::json;
use std::process::Command;

use crate::bundled;
use crate::trial::{Needs, trial};

const SPEC: &str = "
apiVersion: slosmith/v1
service: {name: still, owner: tests}
links: {runbooks: 'https://runbooks.example', grafana: 'https://grafana.example'}
prometheus: {group_by: [cluster], scrape_labels: [cluster]}
signals:
  latency: {kind: histogram, unit: seconds, prometheus: {metric: app_latency_seconds, buckets: [100ms, 1s]}}
  depth: {kind: gauge, unit: requests, across: sum, prometheus: {metric: app_depth}}
alerts:
  Together: {severity: warning, when: {signal: depth, correlated: {signal: latency, stat: avg, window: 20m, above: 0.5}}}
";

pub(crate) fn trials() -> Vec<Trial> {
    let still = || fires("0+0.3x200", false);
    let moving = || fires("0+0.3x100 31+1x20 60+9x80", true);
    vec![
        trial("correlated::still", Needs::Promtool, still),
        trial("correlated::moving", Needs::Promtool, moving),
    ]
}

/// Whether the alert ever fires while one signal moves, and the other's sum grows like this: by sums that no binary
/// fraction spells.
fn fires(sum: &str, wanted: bool) {
    let folder = tempfile::tempdir().expect("a folder");
    bundled::write(folder.path(), &bundled::build(SPEC, None));
    let series = |name: &str, values: &str| json!({"series": format!("{name}{{cluster=\"c\"}}"), "values": values});
    let ever = "count(max_over_time(ALERTS{alertname=\"Together\"}[3h]))";
    let expected = match wanted {
        true => json!([{"labels": "{}", "value": 1}]),
        false => json!([]),
    };
    let test = json!({
        "rule_files": ["prometheus/rules/alerts.yaml"],
        "evaluation_interval": "1m",
        "tests": [{
            "interval": "1m",
            "input_series": [
                series("app_latency_seconds_sum", sum),
                series("app_latency_seconds_count", "0+3x200"),
                series("app_depth", "1+7x10 80-3x10 4 9 1 77 12 100+1x60 5 3 8 160+2x110"),
            ],
            "promql_expr_test": [{"expr": ever, "eval_time": "175m", "exp_samples": expected}],
        }],
    });
    let path = folder.path().join("test.yaml");
    std::fs::write(&path, test.to_string()).expect("a file");
    let ran = Command::new("promtool")
        .args(["test", "rules"])
        .arg(&path)
        .output();
    let ran = ran.expect("promtool");
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
}
