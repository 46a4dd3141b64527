//! The inhibit rules by which one outage pages once.

use crate::bundled;

/// What a spec that extends bundled ones builds for Alertmanager.
fn inhibition(spec: &str) -> String {
    let files = bundled::outputs(&bundled::parts(spec)).expect("the spec builds");
    files["prometheus/alertmanager.yaml"].clone()
}

/// An alert on missing metrics suppresses the page on lost data only where it pages itself, cannot fire for another reason, and watches the
/// same targets.
#[test]
fn an_alert_on_missing_metrics_covers_lost_data_of_its_targets() {
    let spec = bundled::spec("vllm-serving");
    let covered = "  - source_matchers:
      - service=\"vllm-serving\"
      - alertname=\"VLLMModelLost\"
    target_matchers:
      - service=\"vllm-serving\"
      - alertname=\"SLODataLost\"
      - slo=~\"availability|engine-errors|ttft|inter-token-latency\"
    equal:
      - cluster
";
    assert!(inhibition(&spec).contains(covered));
    for (found, other) in [
        (
            "VLLMModelLost:\n    severity: critical",
            "VLLMModelLost:\n    severity: warning",
        ),
        (
            "{all: [{signal: running, absent: true, window: 6h}, {signal: lost_load, above: 0}]}",
            "{all: [{signal: gpu_clock, absent: true, window: 6h}, {signal: lost_load, above: 0}], on: [cluster]}",
        ),
        (
            "{all: [{signal: running, absent: true",
            "{any: [{signal: running, absent: true",
        ),
    ] {
        assert_eq!(spec.matches(found).count(), 1, "{found}");
        let written = inhibition(&spec.replace(found, other));
        let mut rules = written.split("  - source_matchers");
        let covers =
            |rule: &str| rule.contains("VLLMModelLost") && rule.contains("\"SLODataLost\"");
        assert!(!rules.any(covers), "{other}\n{written}");
    }
}

/// The page of one team silences no alert of another.
#[test]
fn owners_are_told_of_their_own_alerts() {
    let spec = bundled::spec("vllm-serving");
    let slo = "  ttft:\n    title:";
    assert_eq!(spec.matches(slo).count(), 1);
    let other = spec.replace(slo, "  ttft:\n    owner: product\n    title:");
    let parts = |spec: &str| {
        let written = inhibition(spec);
        let rules = written.split("  - source_matchers").skip(1);
        rules
            .map(|rule| rule.contains("      - owner\n"))
            .collect::<Vec<_>>()
    };
    let (one, several) = (parts(&spec), parts(&other));
    assert!(one.iter().all(|has| !has), "{one:?}");
    assert!(several.iter().all(|has| *has), "{several:?}");
    assert_eq!(one.len(), several.len());
}

/// Down targets page once: an alert on the best `up` covers them, also with their absence, and one on each replica does not.
#[test]
fn an_alert_on_all_targets_covers_lost_data() {
    let head = "apiVersion: slosmith/v1
service: {name: shop}
links: {runbooks: https://git.example/runbooks, grafana: https://grafana.example}
prometheus: {group_by: [cluster], scrape_labels: [cluster]}
signals:
  up: {kind: gauge, unit: bool, across: max, prometheus: {metric: up, job: shop}}
  worst: {kind: gauge, unit: bool, across: min, prometheus: {metric: up, job: shop}}
  queue: {kind: gauge, unit: count, across: max, prometheus: {metric: shop_queue, job: shop}}
  requests: {kind: counter, unit: requests, has_labels: [code], prometheus: {metric: shop_requests_total, job: shop}}
  failed: {use: requests, where: {code: {matches: '5..'}}}
slos: {errors: {objective: 99%, period: 30d, sli: {ratio: {bad: failed, total: requests}}}}
";
    let covers = |when: &str| {
        let alert = format!("alerts: {{Gone: {{severity: page, for: 5m, when: {when}}}}}\n");
        inhibition(&(head.to_owned() + &alert)).contains("alertname=\"Gone\"")
    };
    for when in [
        "{signal: up, equals: 0}",
        "{signal: up, absent: true}",
        "{any: [{signal: up, equals: 0}, {signal: up, absent: true}]}",
        "{signal: up, stat: avg, window: 15m, below: 50%}",
    ] {
        assert!(covers(when), "{when}");
    }
    for when in [
        "{signal: worst, equals: 0}",
        "{signal: up, by: [instance], equals: 0}",
        "{any: [{signal: up, equals: 0}, {signal: queue, above: 9}]}",
        "{any: [{signal: up, equals: 0}, {signal: worst, equals: 0}]}",
    ] {
        assert!(!covers(when), "{when}");
    }
}

/// A page on a cause silences the other alerts with its runbook, in its label set alone.
#[test]
fn a_page_on_a_cause_silences_the_alerts_with_its_runbook() {
    let written = inhibition(&bundled::spec("mangaassist"));
    let errors = "      - alertname=\"ErrorRateSpike\"
    target_matchers:
      - service=\"mangaassist-vllm\"
      - alertname=~\"GatewayPodDown|GatewayPodRestarts|InstanceDown|EngineRestarts|AvailabilityErrorBudgetBurn|ErrorRateErrorBudgetBurn\"
    equal:
      - cluster
";
    assert!(written.contains(errors), "{written}");
    let written = inhibition(&bundled::spec("vllm-production"));
    // One replica that thrashes says nothing of the time to first token of all.
    let thrashing = "      - alertname=\"KVCacheThrashing\"
    target_matchers:
      - service=\"vllm-production\"
      - alertname=\"KVCacheNearFull\"
    equal:
      - cluster
      - model_name
      - namespace
      - pod
";
    assert!(written.contains(thrashing), "{written}");
}

/// Without ticket tiers, the rules for lost data are written, too.
#[test]
fn lost_data_is_told_once_without_ticket_tiers() {
    let spec = "apiVersion: slosmith/v1
service: {name: shop}
links: {runbooks: https://git.example/runbooks, grafana: https://grafana.example}
signals:
  requests: {kind: counter, unit: requests, has_labels: [code], prometheus: {metric: shop_requests_total, job: shop}}
  failed: {use: requests, where: {code: {matches: '5..'}}}
slos:
  errors: {alert_name: Unpaid, objective: 99%, period: 7d, burn: [{consumes: 10%, long: 1h, severity: page}], sli: {ratio: {bad: failed, total: requests}}, runbook: errors}
alerts:
  Refused: {severity: page, when: {signal: failed, stat: rate, above: 9/s}, runbook: errors}
";
    let written = inhibition(spec);
    // By its own name.
    let refused = "alertname=\"Refused\"\n    target_matchers:\n      - service=\"shop\"\n      - alertname=\"Unpaid\"";
    assert!(written.contains(refused), "{written}");
    assert!(written.contains("alertname=\"SLODataLost\""), "{written}");
    assert!(
        written.contains("alertname=\"SLONotMeasured\""),
        "{written}"
    );
    assert!(!written.contains("slo!=\"\""), "{written}");
}
