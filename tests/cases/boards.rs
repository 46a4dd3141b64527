//! What the tables of an overview say, asked of Prometheus.

use std::path::Path;
use std::process::Command;

use libtest_mimic::Trial;
use serde_json::Value;
use slosmith::target::{Target, services};
use slosmith::template::Templates;

use crate::bundled;
use crate::promtool::check_files;

pub(crate) fn trials() -> Vec<Trial> {
    trials! {
        "boards",
        Promtool:
            trial missing_data_is_never_healthy,
            trial a_page_hides_the_ticket_of_its_objective_only,
            trial services_with_the_worst_budgets_are_told,
            in_ci an_objective_without_data_is_not_ok,
            trial objectives_have_a_state,
            trial no_query_calls_missing_data_healthy,
            trial an_alert_shows_its_value_and_recovers,
            trial the_verdict_says_since_when_and_until_when,
            trial what_changed_has_releases,
            trial replicas_start_that_do_not_tell_it,
            trial legends_name_clusters_where_there_are_several;
        DashboardLinter:
            trial dashboard_linter_finds_nothing;
    }
}

/// With the exceptions that are built beside the dashboards, and only with them.
fn dashboard_linter_finds_nothing() {
    for spec in ["fleet", "mangaassist", "vllm-production", "vllm-serving"] {
        let folder = tempfile::tempdir().unwrap();
        let files = bundled::build_for(&bundled::spec(spec), None, Target::Grafana);
        let boards = files
            .iter()
            .filter(|file| file.path.starts_with("grafana/dashboards/"));
        let names = boards.map(|file| {
            let name = file.path.rsplit('/').next().unwrap();
            std::fs::write(folder.path().join(name), &file.text).unwrap();
            name
        });
        let names: Vec<_> = names.filter(|name| *name != ".lint").collect();
        assert!(!names.is_empty());
        for name in &names {
            let (passed, said) = linted(&folder.path().join(name));
            assert!(passed, "{spec}: {name}: {said}");
        }
        std::fs::remove_file(folder.path().join(".lint")).unwrap();
        let (passed, _) = linted(&folder.path().join(names[0]));
        assert!(
            !passed,
            "the linter finds nothing without exceptions either"
        );
    }
}

fn linted(dashboard: &Path) -> (bool, String) {
    let ran = Command::new("dashboard-linter")
        .args(["lint", "--strict"])
        .arg(dashboard)
        .output()
        .unwrap();
    let said = [ran.stdout, ran.stderr].concat();
    (
        ran.status.success(),
        String::from_utf8_lossy(&said).into_owned(),
    )
}

fn overview(spec: &str) -> Value {
    let text = bundled::spec(spec);
    let files = bundled::build_for(&text, None, Target::Grafana);
    let overview = files
        .iter()
        .find(|file| file.path == "grafana/dashboards/overview.json");
    serde_json::from_str(&overview.expect("an overview").text).unwrap()
}

/// A query of a panel, with all groups chosen.
fn query(title: &str, target: usize) -> String {
    query_of("vllm-serving", title, target)
}

fn query_of(spec: &str, title: &str, target: usize) -> String {
    let board = overview(spec);
    let panels = board["panels"].as_array().unwrap();
    let panel = panels.iter().find(|panel| panel["title"] == title).unwrap();
    let query = panel["targets"][target]["expr"].as_str().unwrap();
    ["$cluster", "$model_name", "$role"]
        .iter()
        .fold(query.to_owned(), |query, name| query.replace(name, ".*"))
}

/// How many rows of a table have some labels and a state.
fn rows(title: &str, labels: &[(&str, &str)], state: u32) -> String {
    rows_of(&query(title, 0), labels, state)
}

fn rows_of(query: &str, labels: &[(&str, &str)], state: u32) -> String {
    let row = labels
        .iter()
        .fold("vector(1)".to_owned(), |row, (label, value)| {
            format!("label_replace({row}, \"{label}\", \"{value}\", \"\", \"\")")
        });
    let names: Vec<_> = labels.iter().map(|(label, _)| *label).collect();
    format!(
        "count((({query}) == {state}) and on ({}) {row})",
        names.join(", ")
    )
}

fn alert(name: &str, state: u32) -> String {
    rows("Alerts", &[("alertname", name)], state)
}

const FOR_WHOM: &str = "Affected, and since when";

/// Servers without the start time of their process: seen for the first time, or again after they were down, and not where they are down
/// or removed.
fn replicas_start_that_do_not_tell_it() {
    let up =
        |instance: &str| format!("up{{job=\"sglang\", cluster=\"c\", instance=\"{instance}\"}}");
    let series = [
        (up("old"), "1+0x600"),
        (up("new"), "_x550 1+0x50"),
        (up("restarted"), "1+0x500 0+0x4 1+0x95"),
        (up("down"), "1+0x590 0+0x10"),
        (up("removed"), "1+0x500 stale"),
    ];
    let since = query_of("sglang", "Starts and releases", 0);
    let started = |instance: &str| {
        format!(
            "sum(({since}) and on (instance) label_replace(vector(1), \"instance\", \"{instance}\", \"\", \"\"))"
        )
    };
    let checks = [
        (started("old"), Some(0.0)),
        (started("new"), Some(33_000_000.0)),
        (started("restarted"), Some(30_300_000.0)),
        (started("down"), None),
        (started("removed"), None),
    ];
    let checks: Vec<_> = checks
        .iter()
        .map(|(expr, value)| (expr.as_str(), "600m", *value))
        .collect();
    let series = series
        .each_ref()
        .map(|(series, values)| (series.as_str(), *values));
    ask(&[], &series, &checks);
}

const ENGINE: &str =
    "vllm:kv_cache_usage_perc{job=\"vllm\", cluster=\"c\", model_name=\"m\", instance=\"i\"}";
const REQUESTS: &str = "http_requests_total{job=\"vllm\", cluster=\"c\", handler=\"/v1/completions\", method=\"POST\", status=\"2xx\", instance=\"i\"}";

fn ask(rules: &[&str], series: &[(&str, &str)], checks: &[(&str, &str, Option<f64>)]) {
    let files = bundled::folder_for("vllm-serving", None);
    check_files(&files, rules, "1m", series, checks);
}

fn missing_data_is_never_healthy() {
    let engine = ENGINE.replace("kv_cache_usage_perc", "num_requests_running");
    let fine = alert("nothing is firing", 0);
    let silent = alert("no data from vllm", 4);
    let unruled = alert("no data from the recording rules", 4);
    // Nothing at all.
    ask(
        &[],
        &[],
        &[
            (&fine, "10m", None),
            (&silent, "10m", Some(1.0)),
            (&unruled, "10m", Some(1.0)),
        ],
    );
    // Data, but nobody evaluates the rules.
    ask(
        &[],
        &[(&engine, "0x20")],
        &[
            (&fine, "10m", None),
            (&silent, "10m", None),
            (&unruled, "10m", Some(1.0)),
        ],
    );
    // Both, until the data ends.
    let rules = ["slo-availability"];
    ask(
        &rules,
        &[(&engine, "0x20 _x40"), (REQUESTS, "0+60x60")],
        &[
            (&fine, "10m", Some(1.0)),
            (&silent, "10m", None),
            (&fine, "40m", None),
            (&silent, "40m", Some(1.0)),
        ],
    );
}

/// Without any series, no number has a value, and no state is the best one.
fn no_query_calls_missing_data_healthy() {
    let board = overview("vllm-serving");
    let panels = board["panels"].as_array().unwrap();
    let mut checks = Vec::new();
    for panel in panels {
        let title = panel["title"].as_str().unwrap();
        let targets = panel["targets"].as_array().map_or(0, Vec::len);
        match panel["type"].as_str().unwrap() {
            // NaN is not itself.
            "stat" if !["Verdict", FOR_WHOM, "What to do"].contains(&title) => {
                checks.extend((0..targets).map(|i| {
                    let query = query(title, i);
                    format!("({query}) == ({query})")
                }));
            }
            "stat" if title != FOR_WHOM => checks.push(format!("({}) == 0", query(title, 0))),
            "table" if title != "Starts and releases" => {
                checks.push(format!("({}) == 0", query(title, 0)));
                checks.extend((1..targets).map(|i| query(title, i)));
            }
            _ => {}
        }
    }
    assert!(checks.len() > 20, "{}", checks.len());
    let checks: Vec<_> = checks
        .iter()
        .map(|expr| (expr.as_str(), "5m", None))
        .collect();
    ask(&[], &[], &checks);
    // A budget covers weeks, and is known for as long.
    let left = "slo:error_budget_remaining:ratio{service=\"vllm-serving\", slo=\"ttft\"}";
    let lasts = format!("({}) == -1", query("Budget lasts, at this rate", 0));
    ask(&[], &[(left, "1x20")], &[(&lasts, "5m", None)]);
}

fn an_alert_shows_its_value_and_recovers() {
    let bucket = |le: &str| {
        format!(
            "vllm:time_to_first_token_seconds_bucket{{job=\"vllm\", cluster=\"c\", model_name=\"m\", instance=\"i\", le=\"{le}\"}}"
        )
    };
    let [fast, slow, all] = ["2.5", "5.0", "+Inf"].map(bucket);
    let alerts = |name: &str, more: &str| {
        format!(
            "ALERTS{{service=\"vllm-serving\", alertname=\"{name}\", severity=\"critical\", alertstate=\"firing\", cluster=\"c\", model_name=\"m\"{more}}}"
        )
    };
    let high = alerts("VLLMHighTTFT", "");
    let burning = alerts("TtftErrorBudgetBurn", ", slo=\"ttft\", tier=\"1h\"");
    let ratio = |window: &str| {
        format!(
            "slo:error_ratio:rate{{service=\"vllm-serving\", slo=\"ttft\", window=\"{window}\", cluster=\"c\", model_name=\"m\"}}"
        )
    };
    let (short, long) = (ratio("5m"), ratio("1h"));
    let series = [
        // Every request takes between 2.5 and 5 seconds, then at most 2.5.
        (fast.as_str(), "0x20 0+60x20"),
        (&slow, "0+60x40"),
        (&all, "0+60x40"),
        (&high, "1x40"),
        (&burning, "1x40"),
        (&short, "0.3x20 0.001x20"),
        (&long, "0.25x40"),
        (
            "slo:error_budget:ratio{service=\"vllm-serving\", slo=\"ttft\"}",
            "0.01x40",
        ),
        (ENGINE, "0x40"),
    ];
    let shown = |name: &str, value: &str, bound: &str| {
        let labels = [
            ("alertname", name),
            ("measured", value),
            ("threshold", bound),
        ];
        rows_of(&query("Alerts", 2), &labels, 1)
    };
    let value = shown("VLLMHighTTFT", "4.88s", "> 3s");
    let burn = shown("TtftErrorBudgetBurn", "25", "burn rate > 13.44 in 1h");
    let state = |name: &str, state: u32| {
        let labels = [("alertname", name), ("for", "m c"), ("alert_name", name)];
        rows("Alerts", &labels, state)
    };
    let checks = [
        (value, "15m", Some(1.0)),
        (burn, "15m", Some(1.0)),
        (state("VLLMHighTTFT", 3), "15m", Some(1.0)),
        (state("TtftErrorBudgetBurn", 3), "15m", Some(1.0)),
        (state("VLLMHighTTFT", 2), "35m", Some(1.0)),
        (state("TtftErrorBudgetBurn", 2), "35m", Some(1.0)),
        (state("VLLMHighTTFT", 3), "35m", None),
    ];
    let checks: Vec<_> = checks
        .iter()
        .map(|(expr, at, value)| (expr.as_str(), *at, *value))
        .collect();
    ask(&[], &series, &checks);
}

/// The labels of a verdict.
fn whose<'s>(what: &'s str, cluster: &'s str) -> [(&'static str, &'s str); 2] {
    [("what", what), ("cluster", cluster)]
}

/// A budget burns, a ticket is older, and a second incident pages in other clusters.
fn the_verdict_says_since_when_and_until_when() {
    let of = |name: &str, more: &str| {
        format!(
            "{name}{{service=\"vllm-serving\", slo=\"ttft\", cluster=\"c\", model_name=\"m\"{more}}}"
        )
    };
    let ratio = of("slo:error_ratio:rate", ", window=\"5m\"");
    let left = of("slo:error_budget_remaining:ratio", "");
    let total = of("slo:total_events:rate", "");
    let tier = ", alertname=\"TtftErrorBudgetBurn\", severity=\"critical\", tier=\"1h\"";
    let fires = of("ALERTS", &format!("{tier}, alertstate=\"firing\""));
    let since = of("ALERTS_FOR_STATE", tier);
    let condition = |name: &str, alert: &str, severity: &str, cluster: &str| {
        let firing = if name == "ALERTS" {
            ", alertstate=\"firing\""
        } else {
            ""
        };
        format!(
            "{name}{{service=\"vllm-serving\", alertname=\"{alert}\", severity=\"{severity}\", cluster=\"{cluster}\", model_name=\"m\"{firing}}}"
        )
    };
    let both = |alert: &str, severity: &str, cluster: &str| {
        ["ALERTS", "ALERTS_FOR_STATE"].map(|name| condition(name, alert, severity, cluster))
    };
    let [ticket, ticket_since] = both("VLLMQueueTimeHigh", "warning", "c");
    let [page, page_since] = both("VLLMHighTTFT", "critical", "d");
    let [second, second_since] = both("VLLMHighTTFT", "critical", "e");
    let running = ENGINE.replace("kv_cache_usage_perc", "num_requests_running");
    let fine = [
        "availability",
        "engine-errors",
        "inter-token-latency",
        "cache-room",
        "replicas-up",
    ]
    .map(|slo| left.replace("\"ttft\"", &format!("\"{slo}\"")));
    let series = [
        (ratio.as_str(), "0.001x10 0.2x500"),
        (&left, "0.5x500"),
        (&total, "1x500"),
        (
            "slo:error_budget:ratio{service=\"vllm-serving\", slo=\"ttft\"}",
            "0.01x500",
        ),
        (
            "slo:objective:ratio{service=\"vllm-serving\", slo=\"availability\"}",
            "0.999x500",
        ),
        // The ticket is the oldest; two pages end after the others.
        (&ticket, "_x13 1x40"),
        (&ticket_since, "_x8 480x45"),
        (&fires, "_x20 1x29"),
        (&since, "_x15 900x34"),
        (&page, "_x26 1x29"),
        (&page_since, "_x24 1440x31"),
        (&second, "_x28 1x27"),
        (&second_since, "_x23 1380x32"),
        (&running, "0x53 _x12 0x400"),
    ];
    let said = |title: &str, labels: &[(&str, &str)], value: f64| {
        let row = labels
            .iter()
            .fold("vector(1)".to_owned(), |row, (label, value)| {
                format!("label_replace({row}, \"{label}\", \"{value}\", \"\", \"\")")
            });
        let names: Vec<_> = labels.iter().map(|(label, _)| *label).collect();
        format!(
            "count((round({}) == {value}) and on ({}) {row})",
            query(title, 0),
            names.join(", ")
        )
    };
    let spent = "Budget lasts, at this rate";
    let (ttft, p95) = ("Time to first token", "P95 time to first token");
    let silent = "no data from vllm";
    let all = "all SLOs and alerts";
    let seen = "all SLOs and alerts, with data from all jobs";
    let ticketed = "P95 queue time";
    let both = |at: &'static str, state: f64, what, cluster: &str, since: f64| {
        let whom = match cluster {
            "" => "the whole service".to_owned(),
            cluster => format!("m {cluster}"),
        };
        [
            (said("Verdict", &whose(what, cluster), state), at, Some(1.0)),
            (said(FOR_WHOM, &[("for", &whom)], since), at, Some(1.0)),
        ]
    };
    let base = "https://git.example/inference/ops/blob/main/generated/vllm-serving/runbooks";
    let advice = |at: &'static str, state: f64, action: &str, page: &str| {
        let runbook = format!("{base}/{page}");
        let row = [("action", action), ("runbook", runbook.as_str())];
        (said("What to do", &row, state), at, Some(1.0))
    };
    let burns = "Time to first token: follow the runbook (High time to first token and queue time)";
    let high =
        "VLLMHighTTFT: Compare offered load and prompt lengths with the last healthy period.";
    let checks_of_data =
        "no data from vllm: check that the targets are up and that the rules are evaluated";
    let mut checks = vec![
        (said("Verdict", &whose(seen, ""), 0.0), "5m", Some(1.0)),
        (said(FOR_WHOM, &[("for", "none")], -1.0), "5m", Some(1.0)),
        (
            said(spent, &whose("all budgets", ""), -1.0),
            "5m",
            Some(1.0),
        ),
        advice("5m", 0.0, all, "README.md"),
        // Half of the budget of 28 days, at a burn rate of 20.
        (
            said(spent, &whose(ttft, "c"), 0.5 * 28.0 * 86_400.0 / 20.0),
            "15m",
            Some(1.0),
        ),
        advice("12m", 3.0, burns, "queueing.md#ttfterrorbudgetburn"),
        // The action of the alert is nearer to the cause than the SLO.
        advice(
            "18m",
            6.0,
            "VLLMQueueTimeHigh: Check replicas and load balancing, then shed load or scale out.",
            "queueing.md#vllmqueuetimehigh",
        ),
        advice("22m", 10.0, burns, "queueing.md#ttfterrorbudgetburn"),
        advice("27m", 11.0, high, "queueing.md#vllmhighttft"),
        advice("62m", 8.0, checks_of_data, "README.md"),
    ];
    for rows in [
        // The last moment without a burn.
        both("12m", 3.0, ttft, "c", 600_000.0),
        // The ticket is worse, and older.
        both("18m", 4.0, ticketed, "c", 480_000.0),
        // The SLO is worse, and burns since the same moment.
        both("22m", 10.0, ttft, "c", 600_000.0),
        // Pages about causes in other clusters do not hide it.
        both("27m", 10.0, ttft, "c", 600_000.0),
        both("32m", 10.0, ttft, "c", 600_000.0),
        // Of two equal states, the older.
        both("56m", 9.0, p95, "e", 1_380_000.0),
        both("62m", 8.0, silent, "", 3_180_000.0),
        both("70m", 3.0, ttft, "c", 600_000.0),
        // It began too long ago.
        both("400m", 3.0, ttft, "c", 0.0),
    ] {
        checks.extend(rows);
    }
    let checks: Vec<_> = checks
        .iter()
        .map(|(expr, at, value)| (expr.as_str(), *at, *value))
        .collect();
    let fine = fine.iter().map(|slo| (slo.as_str(), "1x500"));
    let series: Vec<_> = series.into_iter().chain(fine).collect();
    ask(&[], &series, &checks);
}

/// A new release of the gateway by the label that the spec has, and that of a replica by the image of its container.
fn what_changed_has_releases() {
    let served = |release: &str| {
        format!(
            "mangaassist_generation_seconds_count{{job=\"mangaassist-gateway\", instance=\"g\", backend_version=\"{release}\"}}"
        )
    };
    let (old, new) = (served("v1"), served("v2"));
    let since = query_of("mangaassist", "Starts and releases", 0);
    let seen = |release: &str, at: f64| {
        format!(
            "count(({since}) == {at} and on (instance, backend_version) label_replace(label_replace(vector(1), \"instance\", \"mangaassist-gateway\", \"\", \"\"), \"backend_version\", \"{release}\", \"\", \"\"))"
        )
    };
    let replica = "cluster=\"c\", namespace=\"n\", pod=\"p\"";
    let start = format!(
        "process_start_time_seconds{{job=\"vllm\", instance=\"i\", role=\"decode\", {replica}}}"
    );
    let container = |name: &str, image: &str| {
        format!(
            "kube_pod_container_info{{job=\"kube-state-metrics\", role=\"decode\", {replica}, container=\"{name}\", image=\"{image}\"}}"
        )
    };
    let (engine, proxy) = (
        container("vllm", "vllm:v0.33.0"),
        container("proxy", "envoy"),
    );
    let image = query_of("fleet", "Starts and releases", 1);
    let images = format!(
        "count(({image}) and on (instance, image) label_replace(label_replace(vector(1), \"instance\", \"i\", \"\", \"\"), \"image\", \"vllm:v0.33.0\", \"\", \"\"))"
    );
    let rows = format!("count({image})");
    let checks = [
        // What has been there from the beginning has no known begin.
        (seen("v1", 0.0), "400m", Some(1.0)),
        (seen("v2", 18_000_000.0), "400m", Some(1.0)),
        (images, "400m", Some(1.0)),
        (rows, "400m", Some(1.0)),
    ];
    let checks: Vec<_> = checks
        .iter()
        .map(|(expr, at, value)| (expr.as_str(), *at, *value))
        .collect();
    let series = [
        (old.as_str(), "0+1x450"),
        (&new, "_x300 0+1x150"),
        (&start, "60x450"),
        (&engine, "1x450"),
        (&proxy, "1x450"),
    ];
    ask(&[], &series, &checks);
}

fn a_page_hides_the_ticket_of_its_objective_only() {
    let series = |name: &str, severity: &str, tier: &str, cluster: &str| {
        format!(
            "ALERTS{{service=\"vllm-serving\", alertname=\"{name}\", severity=\"{severity}\", alertstate=\"firing\", tier=\"{tier}\", cluster=\"{cluster}\"}}"
        )
    };
    let page = series("TtftErrorBudgetBurn", "critical", "1h", "c");
    let ticket = series("TtftErrorBudgetBurn", "warning", "1d", "c");
    let elsewhere = series("TtftErrorBudgetBurn", "warning", "1d", "d");
    let series = [
        (page.as_str(), "1x20"),
        (&ticket, "1x20"),
        (&elsewhere, "_x10 1x10"),
        (ENGINE, "0x20"),
    ];
    let paged = rows(
        "Alerts",
        &[
            ("alertname", "TtftErrorBudgetBurn"),
            ("severity", "critical"),
        ],
        3,
    );
    let warned = rows(
        "Alerts",
        &[
            ("alertname", "TtftErrorBudgetBurn"),
            ("severity", "warning"),
        ],
        3,
    );
    let fine = alert("nothing is firing", 0);
    ask(
        &[],
        &series,
        &[
            (&paged, "5m", Some(1.0)),
            (&warned, "5m", None),
            (&warned, "15m", Some(1.0)),
            (&fine, "5m", None),
        ],
    );
}

/// What is left of a budget is recorded for a whole period after the last event.
fn an_objective_without_data_is_not_ok() {
    let rules = ["slo-availability", "slo-availability-period"];
    let state = |state| rows("SLOs", &[("slo", "availability")], state);
    let (ok, lost) = (state(0), state(7));
    ask(
        &rules,
        &[(REQUESTS, "0+60x20 _x1600")],
        &[
            (&ok, "15m", Some(1.0)),
            (&lost, "15m", None),
            (&ok, "40m", None),
            (&lost, "40m", Some(1.0)),
            // A day later the group is taken to be retired.
            (&lost, "26h", None),
            (&ok, "26h", Some(1.0)),
        ],
    );
    // Nobody asks anything: that is fine.
    ask(
        &rules,
        &[(REQUESTS, "0+60x20 1200x60")],
        &[(&ok, "60m", Some(1.0)), (&lost, "60m", None)],
    );
}

fn objectives_have_a_state() {
    let left = |slo: &str| {
        format!(
            "slo:error_budget_remaining:ratio{{service=\"vllm-serving\", slo=\"{slo}\", cluster=\"c\"}}"
        )
    };
    let (availability, ttft) = (left("availability"), left("ttft"));
    let page = "ALERTS{service=\"vllm-serving\", slo=\"ttft\", tier=\"1h\", alertstate=\"firing\", severity=\"critical\", cluster=\"c\"}";
    let series = [
        (availability.as_str(), "0.9x9 0.2x9 -0.1x9"),
        (ttft.as_str(), "0.9x29"),
        (page, "_x9 1x19"),
    ];
    let state = |slo: &str, state: u32| rows("SLOs", &[("slo", slo)], state);
    let checks = [
        (state("availability", 0), "5m", Some(1.0)),
        (state("availability", 1), "15m", Some(1.0)),
        (state("availability", 2), "25m", Some(1.0)),
        (state("ttft", 0), "5m", Some(1.0)),
        (state("ttft", 10), "15m", Some(1.0)),
        // There is no series of it.
        (state("replicas-up", 7), "5m", Some(1.0)),
    ];
    let checks: Vec<_> = checks
        .iter()
        .map(|(expr, at, value)| (expr.as_str(), *at, *value))
        .collect();
    ask(&[], &series, &checks);
}

fn legends_name_clusters_where_there_are_several() {
    let board = overview("vllm-serving");
    let variables = board["templating"]["list"].as_array().unwrap();
    let variable = variables.iter().find(|v| v["name"] == "legend_cluster");
    let query = variable.expect("is there")["query"].as_str().unwrap();
    let query = query.strip_prefix("query_result(").unwrap();
    let query = query.strip_suffix(')').unwrap();
    let query = query.replace("$model_name", ".*").replace("$__range", "1h");
    let word =
        |label: &str| format!("label_replace(vector(1), \"legend\", \"{label}\", \"\", \"\")");
    let writes = |clusters: &str, label: &str| {
        let query = query.replace("$cluster", clusters);
        format!(
            "count(({query}) and on (legend) {}) == count({query})",
            word(label)
        )
    };
    let several = writes(".*", "cluster");
    let [one, chosen, none] = [".*", "c", "x"].map(|clusters| writes(clusters, "__none__"));
    let elsewhere = ENGINE.replace("cluster=\"c\"", "cluster=\"d\"");
    let waiting = |series: &str| series.replace("kv_cache_usage_perc", "num_requests_waiting");
    let (here, elsewhere) = (waiting(ENGINE), waiting(&elsewhere));
    let second = here.replace("instance=\"i\"", "instance=\"j\"");
    ask(
        &[],
        &[
            (&here, "0x200"),
            (&second, "0x200"),
            (&elsewhere, "_x20 0x20 _x160"),
        ],
        &[
            // Two replicas of one cluster.
            (&one, "10m", Some(1.0)),
            (&several, "10m", None),
            (&several, "30m", Some(1.0)),
            (&one, "30m", None),
            (&chosen, "30m", Some(1.0)),
            (&none, "30m", Some(1.0)),
            // Its lines are still in sight.
            (&several, "80m", Some(1.0)),
            (&one, "140m", Some(1.0)),
        ],
    );
}

/// Two owners and a service without one: the budgets of a service that has two places are the worst of both.
fn services_with_the_worst_budgets_are_told() {
    let text = services::dashboard(&Templates::load(None).unwrap()).unwrap();
    let board: Value = serde_json::from_str(&text).unwrap();
    let query = |title: &str, target: usize| {
        let panels = board["panels"].as_array().unwrap();
        let panel = panels.iter().find(|panel| panel["title"] == title).unwrap();
        let query = panel["targets"][target]["expr"].as_str().unwrap();
        query.replace("$service", ".*").replace("$owner", ".*")
    };
    let of_web = |query: String| query.replace("owner=~\".*\"", "owner=~\"web\"");
    let [left, objective, burn, firing] =
        [0, 1, 2, 3].map(|at| query("Error budgets, the worst first", at));
    let tile = |title| query(title, 0);
    let row = |query: &str, service: &str| {
        format!(
            "sum(({query}) and on (service) label_replace(vector(1), \"service\", \"{service}\", \"\", \"\"))"
        )
    };
    let ratio = |service: &str, place: &str, value: &str| {
        let name = "slo:error_budget_remaining:ratio";
        (
            format!(
                "{name}{{service=\"{service}\", slo=\"a\", window=\"28d\", cluster=\"{place}\"}}"
            ),
            value.to_owned(),
        )
    };
    let mut series = vec![
        ratio("pay", "eu", "0.9+0x90"),
        ratio("pay", "us", "-0.5+0x90"),
        ratio("find", "eu", "0.2+0x90"),
        ratio("old", "eu", "1+0x90"),
    ];
    for (service, owner) in [
        ("pay", ", owner=\"web\""),
        ("find", ", owner=\"search\""),
        ("old", ""),
        ("lost", ", owner=\"web\""),
    ] {
        let labels = format!("service=\"{service}\", slo=\"a\"");
        series.push((
            format!("slo:objective:ratio{{{labels}{owner}}}"),
            "0.99+0x90".to_owned(),
        ));
        series.push((
            format!("slo:error_budget:ratio{{{labels}}}"),
            "0.01+0x90".to_owned(),
        ));
        let errors = if service == "lost" {
            "0.02+0x5"
        } else {
            "0.02+0x90"
        };
        for window in ["5m", "1h"] {
            series.push((
                format!("slo:error_ratio:rate{{{labels}, window=\"{window}\", cluster=\"eu\"}}"),
                errors.to_owned(),
            ));
        }
    }
    series.push(("ALERTS{alertname=\"B\", alertstate=\"firing\", severity=\"page\", service=\"pay\", slo=\"a\", owner=\"web\", cluster=\"us\"}".to_owned(), "1+0x90".to_owned()));
    let series: Vec<_> = series
        .iter()
        .map(|(name, values)| (name.as_str(), values.as_str()))
        .collect();
    let checks = [
        (row(&left, "pay"), Some(-0.5)),
        (row(&left, "find"), Some(0.2)),
        (format!("count({left})"), Some(3.0)),
        (format!("count({})", of_web(left.clone())), Some(1.0)),
        (row(&objective, "old"), Some(0.99)),
        (row(&burn, "find"), Some(2.0)),
        (row(&firing, "pay"), Some(1.0)),
        (row(&firing, "find"), None),
        (tile("SLOs"), Some(3.0)),
        (tile("SLOs without budget"), Some(1.0)),
        (tile("Services without budget"), Some(1.0)),
        (tile("SLOs without data"), Some(1.0)),
        (of_web(tile("SLOs without data")), Some(1.0)),
        (query("Firing alerts", 0), Some(1.0)),
        (
            format!("count({})", query("Worst error budget of each owner", 0)),
            Some(3.0),
        ),
        (
            format!(
                "sum({} and on (owner) label_replace(vector(1), \"owner\", \"web\", \"\", \"\"))",
                query("Worst error budget of each owner", 0)
            ),
            Some(-0.5),
        ),
    ];
    let checks: Vec<_> = checks
        .iter()
        .map(|(query, value)| (query.as_str(), "80m", *value))
        .collect();
    check_files(&[], &[], "1m", &series, &checks);
    // Without any service, the numbers are 0.
    check_files(
        &[],
        &[],
        "1m",
        &[("up", "1+0x90")],
        &[
            (&tile("SLOs"), "80m", Some(0.0)),
            (&tile("SLOs without data"), "80m", Some(0.0)),
        ],
    );
}
