//! The `target` of an alert: a line beside the threshold and a line of the runbook, and nothing else.

use std::collections::BTreeMap;

use crate::bundled;

const SPEC: &str = "
apiVersion: slosmith/v1
service: {name: shop, owner: shop}
links: {runbooks: 'https://runbooks.example', grafana: 'https://grafana.example'}
prometheus: {group_by: [cluster], scrape_labels: [cluster]}
cloudwatch: {region: us-east-1, namespace: Shop, via: otlp}
signals:
  errors: {kind: counter, unit: count, prometheus: {metric: shop_errors_total}}
  requests: {kind: counter, unit: requests, prometheus: {metric: shop_requests_total}}
  latency: {kind: histogram, unit: seconds, prometheus: {metric: shop_latency_seconds, buckets: [1s, 2s, 5s]}}
alerts:
  Errors: {severity: warning, when: {signal: errors, above: 10/min}, target: 300/h, runbook: busy}
  Idle: {severity: warning, when: {signal: requests, below: 10/min}, target: 0.5/s, runbook: busy}
  Slow: {severity: warning, when: {signal: latency, stat: p99, above: 3s}, target: 2s, for: 15m, runbook: busy}
runbooks:
  busy: {title: Busy, steps: [{alert: Slow, cause: Load., fix: scale}], fixes: {scale: {title: Scale out, do: [Scale out.]}}}
";

/// Each target as it is written, and its value in the unit of its panel, which is that of the threshold.
const TARGETS: [(&str, &str); 3] = [("300/h", "5"), ("0.5/s", "30"), ("2s", "2")];

fn outputs(spec: &str) -> BTreeMap<String, String> {
    bundled::outputs(&[spec]).expect("the spec builds")
}

#[test]
fn a_target_is_a_line_in_the_panel_and_in_the_runbook() {
    let mut without = SPEC.to_owned();
    for (target, _) in TARGETS {
        without = without.replace(&format!(", target: {target}"), "");
    }
    let (with, without) = (outputs(SPEC), outputs(&without));
    let board = &with["grafana/dashboards/overview.json"];
    let board: serde_json::Value = serde_json::from_str(board).expect("JSON");
    let panels = board["panels"].as_array().expect("panels");
    let runbook = &with["runbooks/busy.md"];
    for (target, value) in TARGETS {
        let lines = panels.iter().filter(|panel| {
            let mut queries = panel["targets"].as_array().into_iter().flatten();
            queries.any(|query| {
                query["legendFormat"] == format!("target {target}")
                    && query["expr"] == format!("vector({value})")
            })
        });
        assert_eq!(lines.count(), 1, "{target}: {board:#}");
        assert!(
            runbook.contains(&format!("\n- Target: {target}\n")),
            "{runbook}"
        );
    }
    let changed = with
        .iter()
        .filter(|(path, text)| without.get(*path) != Some(text));
    for (path, text) in changed {
        let drawn = path.starts_with("grafana/") || path.contains("dashboards/");
        let told = path.starts_with("runbooks/");
        assert!(drawn || told, "{path}: {text}");
    }
    assert_eq!(with.len(), without.len());
}
