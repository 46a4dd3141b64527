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
      - alertname=\"VLLMMetricsAbsent\"
    target_matchers:
      - service=\"vllm-serving\"
      - alertname=\"SLODataLost\"
      - slo=~\"availability|engine-errors|ttft|inter-token-latency\"
    equal:
      - cluster
";
    assert!(inhibition(&spec).ends_with(covered));
    for (found, other) in [
        (
            "VLLMMetricsAbsent:\n    severity: critical",
            "VLLMMetricsAbsent:\n    severity: warning",
        ),
        (
            "{signal: running, absent: true, window: 6h}",
            "{signal: gpu_clock, absent: true, window: 6h}",
        ),
        (
            "      all:\n        - {signal: running, absent: true",
            "      any:\n        - {signal: running, absent: true",
        ),
    ] {
        assert_eq!(spec.matches(found).count(), 1, "{found}");
        let written = inhibition(&spec.replace(found, other));
        assert!(!written.contains("VLLMMetricsAbsent"), "{other}\n{written}");
    }
}
