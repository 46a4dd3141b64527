//! Objectives of every kind before promtool: what it says of the rules, of their unit tests, and of days that it is shown.
//!
//! The specs of `tests/fixtures/sloth/` say what examples of another generator say; what its alerts do is written here by the
//! definition, with the ratios over whole windows.

use std::path::Path;
use std::process::Command;

use libtest_mimic::Trial;
use slosmith::target::OutFile;

use crate::bundled;
use crate::promtool::{check_files, is_slow, test_rules};
use crate::trial::{Needs, in_ci, slow, trial};

/// A plain run has the unit tests of the first.
const SPECS: [&str; 6] = [
    "sloth/getting-started",
    "slis",
    "sloth/kubernetes-apiserver",
    "sloth/home-wifi",
    "tiers",
    "listed",
];

pub(crate) fn trials() -> Vec<Trial> {
    let mut all = Vec::new();
    for spec in SPECS {
        all.push(trial(
            format!("slis::{spec}::rules"),
            Needs::Promtool,
            move || rules_pass(spec),
        ));
        let name = format!("slis::{spec}::tests");
        let tests = move || tests_pass(spec, false);
        all.push(match spec == SPECS[0] {
            true => trial(name, Needs::Promtool, tests),
            false => in_ci(name, Needs::Promtool, tests),
        });
        all.push(slow(
            format!("slis::{spec}::slow_tests"),
            Needs::Promtool,
            move || tests_pass(spec, true),
        ));
    }
    all.extend(trials! {
        "slis",
        Promtool:
            in_ci tiers_of_any_lengths,
            in_ci counters_that_are_promql,
            in_ci budgets_outlive_a_name,
            in_ci a_missing_gauge_is_not_zero,
            trial a_label_that_targets_get_counts_nothing,
            trial targets_of_another_environment_know_nothing,
            trial a_route_that_was_taken_back_pages_no_longer,
            in_ci a_histogram_that_is_promql,
            trial a_probe_down_for_a_third_of_an_hour,
            in_ci requests_as_the_definition_has_them,
            trial latencies_as_the_definition_has_them,
            trial clients_as_the_definition_has_them;
    });
    all
}

fn files(spec: &str) -> Vec<OutFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let text = std::fs::read_to_string(root.join(format!("{spec}.yaml"))).expect("a spec");
    bundled::build(&text, None)
}

fn rules_pass(spec: &str) {
    let dir = tempfile::tempdir().expect("temp dir");
    let files = files(spec);
    bundled::write(dir.path(), &files);
    let rules = files.iter().filter(|f| f.path.contains("/rules/"));
    let mut command = Command::new("promtool");
    command.args(["check", "rules", "--lint=all", "--lint-fatal"]);
    command.args(rules.map(|f| dir.path().join(&f.path)));
    let output = command.output().expect("promtool");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

fn tests_pass(spec: &str, slowly: bool) {
    let dir = tempfile::tempdir().expect("temp dir");
    let files = files(spec);
    bundled::write(dir.path(), &files);
    let tests = files.iter().filter(|f| f.path.contains("/tests/"));
    let tests: Vec<_> = tests.filter(|f| is_slow(&f.path) == slowly).collect();
    assert!(slowly || !tests.is_empty(), "{spec}: no tests");
    for test in tests {
        test_rules(&dir.path().join(&test.path));
    }
}

/// A long window that is twice the short one, and up to 24 times; each tier is of an objective of its own.
fn tiers_of_any_lengths() {
    let mut text = String::from(
        "apiVersion: slosmith/v1
service: {name: tiers, owner: web}
links: {runbooks: https://git.example/runbooks}
signals:
  requests: {kind: counter, unit: requests, has_labels: [code], prometheus: {metric: requests_total, job: shop}}
  failed: {use: requests, where: {code: {matches: \"5..\"}}}
  latency: {kind: histogram, unit: seconds, prometheus: {metric: wait_seconds, job: shop, buckets: [100ms, 1s]}}
  up: {kind: gauge, unit: bool, across: min, prometheus: {metric: probe_success, job: ping}}
slos:
",
    );
    let kinds = [
        ("ratio: {bad: failed, total: requests}", 20),
        ("latency: {signal: latency, at_most: 1s}", 55),
        ("time: {signal: up, equals: 1}", 0),
    ];
    let objectives = [
        "99%, period: 28d",
        "99.9%, period: 30d",
        "99.99%, period: 30d",
    ];
    let lengths = [2, 3, 4, 6, 12, 24]
        .into_iter()
        .flat_map(|ratio| [20, 60, 360, 1_440, 2_880].map(|long| (long, ratio)))
        .filter(|(long, ratio)| long / ratio >= 5);
    for (i, (long, ratio)) in lengths.enumerate() {
        let (sli, min_events) = kinds[i % kinds.len()];
        let (objective, factor) = (objectives[i / 3 % 3], [2, 6, 14][i % 3]);
        let enough = match long >= 360 && min_events > 0 {
            true => format!(", min_events: {min_events}"),
            false => String::new(),
        };
        let short = long / ratio;
        text += &format!(
            "  of-{long}-by-{ratio}: {{objective: {objective}, sli: {{{sli}}}{enough}, \
             burn: [{{times: {factor}, long: {long}m, short: {short}m, severity: page}}]}}\n"
        );
    }
    let dir = tempfile::tempdir().expect("temp dir");
    let files = bundled::build(&text, None);
    bundled::write(dir.path(), &files);
    // Two for events, one for time.
    let of_tier = |f: &&OutFile| f.path.contains("/tests/slo-of-") && !f.path.contains("-period");
    let tests: Vec<_> = files.iter().filter(of_tier).collect();
    assert_eq!(tests.len(), 44);
    for test in tests {
        test_rules(&dir.path().join(&test.path));
    }
}

/// Twenty minutes of sixty, looked at every fifteen seconds; time without a probe is neither good nor bad.
fn a_probe_down_for_a_third_of_an_hour() {
    let ratio =
        |window: &str| format!("slo:error_ratio:rate{{slo=\"reachable\", window=\"{window}\"}}");
    check_files(
        &files("slis"),
        &["slo-reachable"],
        "1m",
        &[(
            "probe_success{job=\"ping\", cluster=\"c\"}",
            "1+0x60 0+0x19 1+0x40 _x59 stale 1+0x30",
        )],
        &[
            (&ratio("5m"), "66m", Some(1.0)),
            // Of 240 moments, or of 241 where both ends count.
            (&format!("round({}, 0.01)", ratio("1h")), "119m", Some(0.33)),
            (&ratio("5m"), "140m", None),
            (&ratio("1h"), "175m", Some(0.0)),
        ],
    );
}

/// Two gateways, one of which has had no error, and restarts: 6 of 120 requests a minute fail.
fn counters_that_are_promql() {
    check_files(
        &files("slis"),
        &["slo-both", "records"],
        "1m",
        &[
            ("old_requests_total{cluster=\"c\", pod=\"a\"}", "0+60x300"),
            ("old_errors_total{cluster=\"c\", pod=\"a\"}", "0+6x300"),
            // It restarts after two hours: a rate over the sum of both would fall there.
            (
                "new_requests_total{cluster=\"c\", pod=\"b\"}",
                "0+60x120 0+60x180",
            ),
        ],
        &[
            (
                "slo:total_events:rate{slo=\"both\", window=\"5m\"}",
                "90m",
                Some(2.0),
            ),
            (
                "slo:error_ratio:rate{slo=\"both\", window=\"5m\"}",
                "90m",
                Some(0.05),
            ),
            (
                "round(slo:error_ratio:rate{slo=\"both\", window=\"1h\"}, 0.001)",
                "150m",
                Some(0.05),
            ),
            ("round(signal:both_failed:increase)", "200m", Some(360.0)),
            ("signal:both_errors:avg", "90m", Some(0.05)),
        ],
    );
}

/// Per minute 60 waits at one gateway, all of 50 ms, and 20 at the other, all of 750 ms.
fn a_histogram_that_is_promql() {
    let series = |gateway: &str, rest: &str| format!("{gateway}_wait_seconds_{rest}");
    let bucket =
        |gateway: &str, le: &str| series(gateway, &format!("bucket{{cluster=\"c\", le=\"{le}\"}}"));
    let whole = |gateway: &str, what: &str| series(gateway, &format!("{what}{{cluster=\"c\"}}"));
    let rates = [
        ("old", [60, 60, 60, 60], "count", "sum", 60, 3),
        ("new", [0, 0, 20, 20], "count", "sum", 20, 15),
    ];
    let mut input = Vec::new();
    for (gateway, buckets, count, sum, counted, added) in rates {
        for (le, by) in ["0.1", "0.5", "1.0", "+Inf"].into_iter().zip(buckets) {
            input.push((bucket(gateway, le), format!("0+{by}x200")));
        }
        input.push((whole(gateway, count), format!("0+{counted}x200")));
        input.push((whole(gateway, sum), format!("0+{added}x200")));
    }
    let input: Vec<_> = input
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    check_files(
        &files("slis"),
        &["slo-both-wait", "records"],
        "1m",
        &input,
        &[
            (
                "slo:error_ratio:rate{slo=\"both-wait\", window=\"5m\"}",
                "90m",
                Some(0.25),
            ),
            ("round(signal:both_mean:avg, 0.001)", "90m", Some(0.225)),
            // 76 of 80 is 16 of the 20 between 500 ms and 1 s.
            ("round(signal:both_wait:p95, 0.001)", "90m", Some(0.9)),
        ],
    );
}

/// A power draw that is not reported is not a low one.
fn a_missing_gauge_is_not_zero() {
    let spec = "apiVersion: slosmith/v1
service: {name: gpus}
links: {runbooks: 'https://git.example/runbooks', grafana: 'https://grafana.example'}
signals:
  power: {kind: gauge, unit: watts, across: sum, prometheus: {metric: gpu_power_watts}}
  limit: {kind: gauge, unit: watts, across: sum, prometheus: {metric: gpu_limit_watts}}
  share: {ratio: {of: power, over: limit}}
alerts:
  GPUsIdle: {severity: ticket, when: {signal: share, below: 5%}}
";
    check_files(
        &bundled::build(spec, None),
        &["alerts"],
        "1m",
        &[
            ("gpu_power_watts", "300x9 10x9 stale"),
            ("gpu_limit_watts", "700x60"),
        ],
        &[
            ("ALERTS", "5m", None),
            ("ALERTS", "15m", Some(1.0)),
            ("ALERTS", "40m", None),
        ],
    );
}

const PAY: &str = "apiVersion: slosmith/v1
service: {name: pay}
links: {runbooks: 'https://git.example/runbooks', grafana: 'https://grafana.example'}
prometheus: {jobs: {pay: {selector: {env: prod}}}}
signals:
  requests: {kind: counter, unit: requests, has_labels: [code], prometheus: {metric: requests_total, job: pay}}
  failed: {use: requests, where: {code: {matches: '5..'}}}
slos:
  availability:
    objective: 99.9%
    period: 30d
    count_new_series: true
    sli: {ratio: {bad: failed, total: requests}}
";

/// A sum of five minutes' events that an SLO counted until a time.
fn counted(name: &str) -> String {
    format!("sum(sum_over_time(slo:{name}_events:increase{{window=\"1m\"}}[2h]))")
}

/// Relabelling gives a label to running targets: their processes have not restarted, and what they counted before is not new.
fn a_label_that_targets_get_counts_nothing() {
    let of = |series: &str, more: &str| {
        format!("{series}env=\"prod\", job=\"pay\", instance=\"a\"{more}}}")
    };
    let zone = ", zone=\"z\"";
    check_files(
        &bundled::build(PAY, None),
        &["slo-availability"],
        "1m",
        &[
            (&of("up{", ""), "1+0x59 stale"),
            (&of("up{", zone), "_x60 1+0x60"),
            (&of("requests_total{code=\"200\", ", ""), "9000+60x59 stale"),
            (
                &of("requests_total{code=\"200\", ", zone),
                "_x60 12600+60x60",
            ),
            (&of("requests_total{code=\"500\", ", ""), "700+0x59 stale"),
            (&of("requests_total{code=\"500\", ", zone), "_x60 700+0x60"),
            // It begins later, at a target that is known by then.
            (&of("requests_total{code=\"503\", ", zone), "_x90 3+0x30"),
        ],
        &[
            (&counted("bad"), "85m", Some(0.0)),
            (&counted("bad"), "110m", Some(3.0)),
            (&counted("total"), "110m", Some(60.0 * 104.0 + 3.0)),
        ],
    );
}

/// A server that was found late, and has the address of one in another environment: what it counted before is not new.
fn targets_of_another_environment_know_nothing() {
    let of = |series: &str, env: &str| {
        format!("{series}env=\"{env}\", job=\"pay\", instance=\"pay-0\"}}")
    };
    check_files(
        &bundled::build(PAY, None),
        &["slo-availability"],
        "1m",
        &[
            (&of("up{", "staging"), "1+0x120"),
            (&of("requests_total{code=\"200\", ", "staging"), "0+60x120"),
            (&of("up{", "prod"), "_x60 1+0x60"),
            (
                &of("requests_total{code=\"200\", ", "prod"),
                "_x60 9000+60x60",
            ),
            (
                &of("requests_total{code=\"500\", ", "prod"),
                "_x60 700+0x60",
            ),
        ],
        &[(&counted("bad"), "110m", Some(0.0))],
    );
}

/// A route fails, and is taken back; others go on, and one target of the job is down all the time. If all targets die, the page goes on.
fn a_route_that_was_taken_back_pages_no_longer() {
    let spec = PAY
        .replace("has_labels: [code]", "has_labels: [code, handler]")
        .replace(
            "prometheus: {jobs",
            "prometheus: {group_by: [handler], jobs",
        )
        .replace("    count_new_series: true\n", "");
    let files = bundled::build(&spec, None);
    let of = |series: &str, instance: &str| {
        format!("{series}env=\"prod\", job=\"pay\", instance=\"{instance}\"}}")
    };
    let requests = |handler: &str, code: &str| {
        of(
            &format!("requests_total{{handler=\"{handler}\", code=\"{code}\", "),
            "a",
        )
    };
    let pages = |handler: &str| {
        format!("count(ALERTS{{alertstate=\"firing\", handler=\"{handler}\", tier=\"1h\"}})")
    };
    for (up, fine, while_gone) in [
        ("1+0x200", "0+600x200", None),
        ("1+0x90 0+0x110", "0+600x90 stale", Some(1.0)),
    ] {
        check_files(
            &files,
            &["slo-availability"],
            "1m",
            &[
                (&of("up{", "a"), up),
                (&of("up{", "b"), "0+0x200"),
                (&requests("/buy", "200"), fine),
                (&requests("/v2", "200"), "0+600x90 stale"),
                (&requests("/v2", "500"), "0+0x60 0+600x29 stale"),
            ],
            &[
                (&pages("/v2"), "88m", Some(1.0)),
                (&pages("/v2"), "110m", while_gone),
                (&pages("/v2"), "125m", while_gone),
                (&pages("/buy"), "88m", None),
            ],
        );
    }
}

/// Sixteen hours under the old names, with one bad event in twenty, and eight under the new ones, with none.
fn budgets_outlive_a_name() {
    let under = |series: &str, service: &str, slo: &str| {
        format!("{series}{{service=\"{service}\", slo=\"{slo}\", window=\"5m\"}}")
    };
    let (all, part) = ("slo:total_events:increase", "slo:bad_events:increase");
    let now = "_x193 1000x95";
    let series = [
        (under(all, "old-shop", "answers"), "1000x191 stale"),
        (under(part, "old-shop", "answers"), "50x191 stale"),
        (under(all, "shop", "availability"), now),
        (under(part, "shop", "availability"), "_x193 0x95"),
        // Other names are those of others.
        (under(all, "old-shop", "availability-2"), "1000x290"),
        (under(all, "other", "availability"), "1000x290"),
        (
            under("slo:bad_events:rate", "old-shop", "up"),
            "0.2x191 stale",
        ),
        (
            under("slo:total_events:rate", "old-shop", "up"),
            "1x191 stale",
        ),
        (under("slo:bad_events:rate", "shop", "ready"), "_x193 0x95"),
        (
            under("slo:total_events:rate", "shop", "ready"),
            "_x193 1x95",
        ),
        (
            under("slo:error_ratio:rate", "old-shop", "satisfaction"),
            "0.03x191 stale",
        ),
        (
            under("slo:error_ratio:rate", "shop", "satisfaction"),
            "_x193 0x95",
        ),
    ];
    let series = series.each_ref().map(|(s, values)| (s.as_str(), *values));
    let left = |slo: &str| format!("slo:error_budget_remaining:ratio{{slo=\"{slo}\"}}");
    let files = files("renamed");
    check_files(
        &files,
        &[
            "slo-availability-period",
            "slo-ready-period",
            "slo-satisfaction-period",
        ],
        "5m",
        &series,
        &[
            (
                &left("availability"),
                "1440m",
                Some(1.0 - 192.0 * 50.0 / (288.0 * 1000.0) / 0.01),
            ),
            (
                &format!("round({}, 0.1)", left("ready")),
                "1440m",
                Some(-12.4),
            ),
            (
                &format!("round({}, 0.1)", left("satisfaction")),
                "1440m",
                Some(-1.0),
            ),
        ],
    );
    let key = "          alert: QueueGrows";
    let rules = files.iter().filter(|f| f.path.contains("/rules/alert"));
    assert!(rules.into_iter().any(|f| f.text.contains(key)));
}

/// What is left between an alert of ours and its definition: zero while both fire, and while neither does.
fn differs(
    alert: &str,
    severity: &str,
    bad: &str,
    total: &str,
    tiers: [(&str, &str, f64); 2],
) -> String {
    let ratio = |window: &str| {
        let at = |query: &str| query.replace("$window", window);
        format!("(({} or vector(0)) / ({}))", at(bad), at(total))
    };
    let tier = |(long, short, threshold): (&str, &str, f64)| {
        format!(
            "({} > {threshold} and {} > {threshold})",
            ratio(long),
            ratio(short)
        )
    };
    let fires = |what: String| format!("(count({what}) > bool 0 or vector(0))");
    let ours = fires(format!(
        "ALERTS{{alertname=\"{alert}\", severity=\"{severity}\", alertstate=\"firing\"}}"
    ));
    let theirs = fires(format!("{} or {}", tier(tiers[0]), tier(tiers[1])));
    format!("{ours} + 10 * {theirs}")
}

/// Tiers that page, for an error budget.
fn pages(budget: f64) -> [(&'static str, &'static str, f64); 2] {
    [("1h", "5m", 14.4 * budget), ("6h", "30m", 6.0 * budget)]
}

/// Both fire: 11; none does: 0.
fn judge(
    spec: &str,
    slo: &str,
    series: &[(&str, &str)],
    differs: &str,
    firing: &[&str],
    silent: &[&str],
) {
    let firing = firing.iter().map(|at| (differs, *at, Some(11.0)));
    let silent = silent.iter().map(|at| (differs, *at, Some(0.0)));
    let checks: Vec<_> = firing.chain(silent).collect();
    check_files(
        &files(spec),
        &[&format!("slo-{slo}")],
        "1m",
        series,
        &checks,
    );
}

fn requests_as_the_definition_has_them() {
    let bad = "sum(rate(http_request_duration_seconds_count{job=\"myservice\",code=~\"5..|429\"}[$window]))";
    let total = "sum(rate(http_request_duration_seconds_count{job=\"myservice\"}[$window]))";
    let one = |code: &str| {
        format!("http_request_duration_seconds_count{{job=\"myservice\", code=\"{code}\"}}")
    };
    // An hour without errors, twenty minutes with a tenth of them, and hours with less than a hundredth.
    judge(
        "sloth/getting-started",
        "requests-availability",
        &[
            (&one("200"), "0+1000x60 60900+900x19 78997+997x400"),
            (&one("503"), "0+0x60 100+100x19 2003+3x400"),
            (&one("404"), "0+5x480"),
        ],
        &differs(
            "MyServiceHighErrorRate",
            "pageteam",
            bad,
            total,
            pages(0.001),
        ),
        &["75m", "80m", "84m", "100m"],
        &["30m", "59m", "115m", "200m", "400m"],
    );
}

fn latencies_as_the_definition_has_them() {
    let all = "sum(rate(apiserver_request_duration_seconds_count{verb!=\"WATCH\"}[$window]))";
    let fast =
        "sum(rate(apiserver_request_duration_seconds_bucket{le=\"0.4\",verb!=\"WATCH\"}[$window]))";
    let slow = format!("({all} - {fast})");
    let one =
        |name: &str, labels: &str| format!("apiserver_request_duration_seconds_{name}{{{labels}}}");
    judge(
        "sloth/kubernetes-apiserver",
        "requests-latency",
        &[
            (&one("count", "verb=\"GET\""), "0+1000x300"),
            (
                &one("bucket", "verb=\"GET\", le=\"0.4\""),
                "0+1000x60 60400+400x19 68990+990x220",
            ),
            (&one("count", "verb=\"WATCH\""), "0+1000x300"),
            (&one("bucket", "verb=\"WATCH\", le=\"0.4\""), "0+0x300"),
        ],
        &differs(
            "K8sApiserverLatencyAlert",
            "critical",
            &slow,
            all,
            pages(0.01),
        ),
        &["78m", "80m", "84m"],
        &["30m", "60m", "120m", "250m"],
    );
}

fn clients_as_the_definition_has_them() {
    let count = |what: &str| {
        format!("sum_over_time(count(unifipoller_client_satisfaction_ratio{what})[$window:1m])")
    };
    let one = |name: &str| format!("unifipoller_client_satisfaction_ratio{{name=\"{name}\"}}");
    // Three of four clients are badly off for three quarters of an hour.
    let bad = "0.9+0x60 0.3+0x44 0.9+0x200";
    judge(
        "sloth/home-wifi",
        "risk-wifi-client-satisfaction",
        &[
            (&one("a"), bad),
            (&one("b"), bad),
            (&one("c"), bad),
            (&one("d"), "0.8+0x305"),
        ],
        &differs(
            "RiskWifiClientSatisfaction",
            "home",
            &count(" < 0.5"),
            &count(""),
            pages(0.001),
        ),
        &["65m", "90m", "104m", "106m"],
        &["30m", "60m", "150m"],
    );
}
