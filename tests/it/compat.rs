//! `compat: sloth` writes the series and labels that sloth's dashboards read.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::bundled;

const SPEC: &str = r#"
apiVersion: slosmith/v1
service: {name: myservice}
links: {runbooks: "https://r.example", grafana: "https://g.example"}
prometheus: {compat: sloth}
signals:
  requests: {kind: counter, unit: requests, has_labels: [code], prometheus: {metric: http_requests_total}}
  errors: {use: requests, where: {code: {matches: "5.."}}}
slos:
  availability: {objective: 99.9%, period: 28d, sli: {ratio: {bad: errors, total: requests}}}
"#;

/// Series as sloth 0.16 names them, with the labels they carry beside the three identifying ones.
const SERIES: [(&str, &[&str]); 15] = [
    ("slo:sli_error:ratio_rate5m", &["sloth_window"]),
    ("slo:sli_error:ratio_rate30m", &["sloth_window"]),
    ("slo:sli_error:ratio_rate1h", &["sloth_window"]),
    ("slo:sli_error:ratio_rate2h", &["sloth_window"]),
    ("slo:sli_error:ratio_rate6h", &["sloth_window"]),
    ("slo:sli_error:ratio_rate1d", &["sloth_window"]),
    ("slo:sli_error:ratio_rate3d", &["sloth_window"]),
    ("slo:sli_error:ratio_rate4w", &["sloth_window"]),
    ("slo:objective:ratio", &[]),
    ("slo:error_budget:ratio", &[]),
    ("slo:time_period:days", &[]),
    ("slo:current_burn_rate:ratio", &[]),
    ("slo:period_burn_rate:ratio", &[]),
    ("slo:period_error_budget_remaining:ratio", &[]),
    (
        "sloth_slo_info",
        &[
            "sloth_mode",
            "sloth_objective",
            "sloth_spec",
            "sloth_version",
        ],
    ),
];

#[test]
fn sloth_dashboards_find_their_series() {
    let mut found = BTreeMap::new();
    let mut severities = Vec::new();
    for file in bundled::build(SPEC, None) {
        if !file.path.starts_with("prometheus/rules/slo-") {
            continue;
        }
        let rules: Value =
            slosmith::yaml::read(slosmith::source::FileId(0), &file.text).expect("rules");
        for rule in rules["groups"][0]["rules"].as_array().expect("rules") {
            let labels = rule["labels"].as_object().expect("labels");
            let own: Vec<_> = labels
                .keys()
                .filter(|k| k.starts_with("sloth"))
                .cloned()
                .collect();
            match rule["record"].as_str() {
                Some(name) if !own.is_empty() => {
                    assert_eq!(labels["sloth_id"], "myservice-availability");
                    found.insert(name.to_owned(), own);
                }
                Some(_) => {}
                None => {
                    severities.push(labels["sloth_severity"].as_str().expect("text").to_owned())
                }
            }
        }
    }
    for (name, more) in SERIES {
        let mut labels = vec!["sloth_id", "sloth_service", "sloth_slo"];
        labels.extend(more);
        labels.sort_unstable();
        let mut own = found.remove(name).unwrap_or_default();
        own.sort_unstable();
        assert_eq!(own, labels, "{name}");
    }
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(severities, ["page", "page", "ticket", "ticket"]);
}
