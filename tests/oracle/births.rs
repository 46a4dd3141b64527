//! Label sets that appear with their first events: what requests say of an objective that counts new series, and one
//! that does not.

use libtest_mimic::Trial;
use serde_json::{Value, json};
use std::process::Command;

use crate::bundled;
use crate::trial::{Needs, trial};

const SPEC: &str = "
apiVersion: slosmith/v1
service: {name: births, owner: tests}
links: {runbooks: 'https://runbooks.example', grafana: 'https://grafana.example'}
prometheus: {group_by: [cluster], scrape_labels: [cluster]}
signals:
  requests: {kind: counter, unit: requests, has_labels: [status], prometheus: {metric: app_requests_total}}
  failed: {use: requests, where: {status: {matches: '4..|5..'}}}
slos:
  answers: {objective: 99%, period: 1d, sli: {ratio: {bad: failed, total: requests}}, count_new_series: NEW, burn: [{times: 5, long: 30m, short: 3m}]}
";

/// Seconds between scrapes, and of the whole story.
const EVERY: usize = 30;
const END: usize = 90 * 60;

/// Requests by their second and status, and when pages cannot be read.
struct Story {
    requests: Vec<(usize, &'static str)>,
    unread: std::ops::Range<usize>,
}

/// 84 good requests a minute.
fn usual() -> Story {
    let good = (0..END * 84 / 60).map(|i| (i * 60 / 84, "200"));
    Story {
        requests: good.collect(),
        unread: 0..0,
    }
}

pub(crate) fn trials() -> Vec<Trial> {
    let cases: [(&str, fn()); 4] = [
        ("first_failures", first_failures),
        ("first_failures_that_nobody_counts", not_counted),
        ("a_target_that_comes_back", comes_back),
        ("a_prometheus_that_comes_late", comes_late),
    ];
    let trial = |(name, run): (&str, fn())| trial(format!("births::{name}"), Needs::Promtool, run);
    cases.into_iter().map(trial).collect()
}

/// Sixty failures between two scrapes, two minutes before the hour.
fn burst() -> Story {
    let mut story = usual();
    let burst = (0..60).map(|i| (3_600 - 120 - i % 20, "404"));
    story.requests.extend(burst);
    story
}

/// What requests say: the share of failures in the five minutes before.
fn truth(story: &Story, at: usize) -> f64 {
    let inside = story
        .requests
        .iter()
        .filter(|(t, _)| *t > at - 300 && *t <= at);
    let bad = inside.clone().filter(|(_, status)| *status != "200");
    bad.count() as f64 / inside.count() as f64
}

/// Samples in promtool's notation.
fn samples(story: &Story, status: &str) -> String {
    let mut count = 0;
    let mut by_second = vec![0; END + 1];
    for (t, _) in story.requests.iter().filter(|(_, s)| *s == status) {
        by_second[*t] += 1;
    }
    let mut text = String::new();
    for (t, new) in by_second.iter().enumerate() {
        count += new;
        if t % EVERY == 0 {
            text += &match story.unread.contains(&t) || count == 0 {
                true => "_ ".to_owned(),
                false => format!("{count} "),
            };
        }
    }
    text
}

/// The recorded ratio lies near this at a time.
fn ratio_is(story: &Story, new: bool, at: usize, wanted: f64) {
    let folder = tempfile::tempdir().expect("a folder");
    let files = bundled::build(&SPEC.replace("NEW", &new.to_string()), None);
    bundled::write(folder.path(), &files);
    let series = |status: &str| {
        json!({
            "series": format!("app_requests_total{{cluster=\"c\", status=\"{status}\"}}"),
            "values": samples(story, status),
        })
    };
    let ratio = "slo:error_ratio:rate{slo=\"answers\", window=\"5m\"}";
    let near = format!("abs(max({ratio}) - {wanted}) < bool 0.003");
    let test: Value = json!({
        "rule_files": ["prometheus/rules/slo-answers.yaml"],
        "evaluation_interval": "1m",
        "tests": [{
            "interval": format!("{EVERY}s"),
            "input_series": [series("200"), series("404")],
            "promql_expr_test": [{
                "expr": near, "eval_time": format!("{at}s"), "exp_samples": [{"labels": "{}", "value": 1}],
            }],
        }],
    });
    let path = folder.path().join("test.yaml");
    std::fs::write(&path, test.to_string()).expect("a file");
    let ran = Command::new("promtool")
        .args(["test", "rules"])
        .arg(&path)
        .output();
    let ran = ran.expect("promtool");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{wanted} at {at} s: {said}");
}

fn first_failures() {
    let story = burst();
    let truth = truth(&story, 3_600);
    assert!((truth - 0.125).abs() < 0.001, "{truth}");
    ratio_is(&story, true, 3_600, truth);
    ratio_is(&story, true, 3_600 + 300, 0.0);
}

fn not_counted() {
    ratio_is(&burst(), false, 3_600, 0.0);
}

/// Failures of long ago on a page that was not read for a quarter of an hour.
fn comes_back() {
    let mut story = burst();
    story.unread = 3_900..4_800;
    ratio_is(&story, true, 4_920, 0.0);
}

/// Ten times as many failures as requests, before Prometheus was there.
fn comes_late() {
    let mut story = usual();
    story.requests.extend((0..5_000).map(|_| (10, "404")));
    story.unread = 0..1_800;
    ratio_is(&story, true, 1_920, 0.0);
}
