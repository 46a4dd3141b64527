//! `slosmith health`: pathologies on pages that vLLM 0.33.0 served, with values edited.

use std::process::Command;

use serde_json::Value;

const SPEC: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/specs/vllm-production.yaml");

/// A page as it was served, with what dcgm-exporter would add.
fn page() -> String {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/catalog/vllm/0.33.0/default.prom"
    );
    let page = std::fs::read_to_string(path).expect("a recording");
    let gpu = "gpu=\"0\",Hostname=\"h\",container=\"vllm\"";
    format!(
        "{page}# TYPE DCGM_FI_PROF_SM_ACTIVE gauge\nDCGM_FI_PROF_SM_ACTIVE{{{gpu}}} 0.9\n\
         # TYPE DCGM_FI_DEV_FB_USED gauge\nDCGM_FI_DEV_FB_USED{{{gpu}}} 70000\n"
    )
}

/// The page with every series of a name, and of some text in its labels, changed.
fn with(page: &str, name: &str, labels: &str, change: impl Fn(f64) -> f64) -> String {
    let mut changed = false;
    let lines = page.lines().map(|line| {
        let Some((series, value)) = line.rsplit_once(' ') else {
            return line.to_owned();
        };
        let own = series.split('{').next() == Some(name) && series.contains(labels);
        if !own {
            return line.to_owned();
        }
        changed = true;
        format!("{series} {}", change(value.parse().expect("a number")))
    });
    let text: Vec<_> = lines.collect();
    assert!(changed, "{name}{{{labels}}} is on the page");
    text.join("\n") + "\n"
}

/// So many observations at a value: every bucket from it on grows.
fn observe(page: &str, family: &str, value: f64, count: f64) -> String {
    let mut text = with(page, &format!("{family}_count"), "", |v| v + count);
    text = with(&text, &format!("{family}_sum"), "", |v| v + value * count);
    let bounds: Vec<String> = text
        .lines()
        .filter(|line| line.starts_with(&format!("{family}_bucket{{")))
        .filter_map(|line| {
            line.split("le=\"")
                .nth(1)?
                .split('"')
                .next()
                .map(str::to_owned)
        })
        .collect();
    for bound in bounds {
        let end = if bound == "+Inf" {
            f64::INFINITY
        } else {
            bound.parse().expect("a bound")
        };
        if value <= end {
            let le = format!("le=\"{bound}\"");
            text = with(&text, &format!("{family}_bucket"), &le, |v| v + count);
        }
    }
    text
}

/// A server that does its work: requests finish quickly, prompts are found in the cache.
fn healthy(page: &str) -> String {
    let text = observe(page, "vllm:time_to_first_token_seconds", 0.2, 100.0);
    let text = observe(&text, "vllm:inter_token_latency_seconds", 0.02, 1000.0);
    let text = with(
        &text,
        "vllm:request_success_total",
        "finished_reason=\"stop\"",
        |v| v + 100.0,
    );
    let text = with(&text, "vllm:generation_tokens_total", "", |v| v + 60_000.0);
    let text = with(&text, "vllm:prefix_cache_queries_total", "", |v| {
        v + 10_000.0
    });
    let text = with(&text, "vllm:prefix_cache_hits_total", "", |v| v + 6_000.0);
    let text = with(&text, "vllm:num_requests_running", "", |_| 20.0);
    with(&text, "vllm:kv_cache_usage_perc", "", |_| 0.6)
}

/// Runs the command on two pages a minute apart; gives back the alerts that hold, and the exit code.
fn run(before: &str, after: &str, more: &[&str]) -> (Vec<String>, i32) {
    let folder = tempfile::tempdir().expect("a folder");
    let (since, now) = (
        folder.path().join("since.prom"),
        folder.path().join("now.prom"),
    );
    std::fs::write(&since, before).expect("written");
    std::fs::write(&now, after).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_slosmith"));
    command.arg("health").arg(&now).arg("--since").arg(&since);
    command.args(["--interval", "60s", "--spec", SPEC, "--format", "json"]);
    let done = command.args(more).output().expect("runs");
    let report: Value = serde_json::from_slice(&done.stdout).unwrap_or_else(|_| {
        panic!("{}", String::from_utf8_lossy(&done.stderr));
    });
    let conditions = report["conditions"].as_array().expect("a list").iter();
    let holding = conditions.filter(|c| c["verdict"] == "holds");
    let names = holding.map(|c| {
        assert!(
            c["runbook"]
                .as_str()
                .is_some_and(|url| url.contains("/runbooks/"))
        );
        c["alert"].as_str().expect("a name").to_owned()
    });
    (names.collect(), done.status.code().expect("an exit code"))
}

#[test]
fn a_healthy_server_has_no_pathology() {
    let before = page();
    // Some conditions need the history in Prometheus: they are unknown.
    assert_eq!(run(&before, &healthy(&before), &[]), (Vec::new(), 3));
}

#[test]
fn every_pathology_is_found() {
    let before = page();
    let well = healthy(&before);
    let slow = |text: &str| observe(text, "vllm:time_to_first_token_seconds", 6.0, 500.0);
    let cases = [
        (
            "KVCacheThrashing",
            with(
                &with(&slow(&well), "vllm:kv_cache_usage_perc", "", |_| 0.98),
                "vllm:num_preemptions_total",
                "",
                |v| v + 900.0,
            ),
        ),
        (
            "PrefillStarvation",
            with(&slow(&well), "vllm:num_requests_waiting", "", |_| 30.0),
        ),
        (
            "GPUUnderutilized",
            with(
                &with(&well, "vllm:num_requests_running", "", |_| 4.0),
                "DCGM_FI_PROF_SM_ACTIVE",
                "",
                |_| 0.2,
            ),
        ),
        (
            "GPUMemoryGrowing",
            with(&well, "DCGM_FI_DEV_FB_USED", "", |v| v + 200.0),
        ),
        (
            "PrefixCacheMisses",
            with(&well, "vllm:prefix_cache_hits_total", "", |v| v - 5_900.0),
        ),
    ];
    for (alert, after) in cases {
        // Utilization is a mean of both pages.
        let before = match alert {
            "GPUUnderutilized" => with(&before, "DCGM_FI_PROF_SM_ACTIVE", "", |_| 0.3),
            _ => before.clone(),
        };
        let (found, _) = run(&before, &after, &[]);
        assert_eq!(found.first().map(String::as_str), Some(alert), "{found:?}");
    }
}

#[test]
fn the_severity_decides_about_the_exit_code() {
    let before = page();
    let misses = with(&healthy(&before), "vllm:prefix_cache_hits_total", "", |v| {
        v - 5_900.0
    });
    assert_eq!(run(&before, &misses, &[]).1, 0);
    assert_eq!(run(&before, &misses, &["--fail-on", "warning"]).1, 1);
    let full = with(&healthy(&before), "vllm:kv_cache_usage_perc", "", |_| 0.97);
    // A full cache alone is normal.
    assert_eq!(run(&before, &full, &[]).1, 3);
    let slow = observe(&full, "vllm:time_to_first_token_seconds", 6.0, 500.0);
    let full = with(&slow, "vllm:num_preemptions_total", "", |v| v + 900.0);
    assert_eq!(run(&before, &full, &[]).1, 1);
    assert_eq!(run(&before, &full, &["--fail-on", "never"]).1, 0);
}

/// A counter that fell was reset: what it shows has been counted since.
#[test]
fn a_restart_is_no_negative_rate() {
    let before = with(&page(), "vllm:num_preemptions_total", "", |_| 1e6);
    let after = healthy(&page());
    assert_eq!(run(&before, &after, &[]), (Vec::new(), 3));
}

/// A spec that promises times to the first token, and nothing else.
const BUDGETS: &str = "\
apiVersion: slosmith/v1
service: {name: chat, owner: ml}
runtime: {vllm: \"0.33.0\"}
links: {runbooks: https://git.example/books, grafana: https://grafana.example}
prometheus: {selector: {job: vllm}, scrape_labels: [job, instance]}
slos:
  ttft:
    objective: 99%
    period: 30d
    sli: {latency: {signal: vllm.time_to_first_token, at_most: 500ms}}
";

/// The report on pages, in text, and the exit code.
fn text(spec: &str, pages: &[&str], more: &[&str]) -> (String, Option<i32>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("spec.yaml"), spec).expect("written");
    for (i, page) in pages.iter().enumerate() {
        std::fs::write(path(&i.to_string()), page).expect("written");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_slosmith"));
    command
        .arg("health")
        .arg(path("0"))
        .arg("--spec")
        .arg(path("spec.yaml"));
    if pages.len() > 1 {
        command.arg("--since").arg(path("1"));
        command.args(["--interval", "60s"]);
    }
    let done = command.args(more).output().expect("runs");
    assert!(
        done.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let text = String::from_utf8(done.stdout).expect("UTF-8");
    (text, done.status.code())
}

/// A page with no events, then 90 fast and 10 slow requests.
fn slow_tenth() -> (String, String) {
    let recorded = page();
    let ttft = "vllm:time_to_first_token_seconds";
    let mut idle = recorded;
    for suffix in ["_count", "_sum", "_bucket"] {
        idle = with(&idle, &format!("{ttft}{suffix}"), "", |_| 0.0);
    }
    let fast = observe(&idle, ttft, 0.2, 90.0);
    let slow = observe(&fast, ttft, 6.0, 10.0);
    (idle, slow)
}

#[test]
fn objectives_without_alerts_are_judged_by_their_budget() {
    let spec = format!("{BUDGETS}    burn: none\n");
    let (idle, slow) = slow_tenth();
    let (report, code) = text(&spec, &[&slow, &idle], &["--fail-on", "warning"]);
    assert!(report.contains("warning ttft: "), "{report}");
    assert!(
        report.contains("burn rate 10 (error budget 1%)"),
        "{report}"
    );
    assert_eq!(code, Some(1), "{report}");
}

#[test]
fn an_error_budget_is_judged_between_two_pages() {
    let (idle, slow) = slow_tenth();
    let (report, code) = text(BUDGETS, &[&slow, &idle], &[]);
    assert!(
        report.contains(
            "10% of events were bad between the two snapshots: burn rate 10 (error budget 1%)"
        ),
        "{report}"
    );
    // Ten times is less than the tier of an hour wants, and more than that of six hours.
    assert!(
        report.contains("chat: degraded: 1 of 1 conditions is true"),
        "{report}"
    );
    assert_eq!(code, Some(1));
    let (report, code) = text(BUDGETS, &[&slow, &slow], &[]);
    assert!(report.contains("no events were counted"), "{report}");
    assert!(
        report.contains("chat: unknown: no condition could be checked"),
        "{report}"
    );
    assert_eq!(code, Some(3));
    assert_eq!(
        text(BUDGETS, &[&slow, &slow], &["--fail-on", "never"]).1,
        Some(0)
    );
}

#[test]
fn one_page_shows_an_error_budget_since_the_start() {
    let (idle, slow) = slow_tenth();
    let (report, code) = text(BUDGETS, &[&slow], &[]);
    assert!(
        report.contains("10% of events were bad since the server started"),
        "{report}"
    );
    assert_eq!(code, Some(1));
    let fast = observe(&idle, "vllm:time_to_first_token_seconds", 0.2, 90.0);
    let (report, code) = text(BUDGETS, &[&fast], &[]);
    assert!(
        report.contains("chat: healthy: none of 1 conditions is true"),
        "{report}"
    );
    assert_eq!(code, Some(0));
}

#[test]
fn too_few_events_are_not_judged() {
    let (_, slow) = slow_tenth();
    let spec = format!("{BUDGETS}    min_events: 101\n");
    let (report, _) = text(&spec, &[&slow], &[]);
    assert!(
        report.contains("fewer than 101 events were counted"),
        "{report}"
    );
    let spec = format!("{BUDGETS}    min_events: 100\n");
    assert_eq!(text(&spec, &[&slow], &[]).1, Some(1));
}

#[test]
fn the_headlines_are_printed_for_a_healthy_server_too() {
    let (idle, _) = slow_tenth();
    let idle = with(&idle, "vllm:num_requests_waiting", "", |_| 7.0);
    let idle = with(&idle, "vllm:kv_cache_usage_perc", "", |_| 0.25);
    let now = observe(&idle, "vllm:time_to_first_token_seconds", 0.2, 90.0);
    let now = with(&now, "vllm:generation_tokens_total", "", |v| v + 6000.0);
    let (report, code) = text(BUDGETS, &[&now, &idle], &[]);
    let lines: Vec<_> = report.lines().collect();
    assert_eq!(
        lines,
        [
            "chat: healthy: none of 1 conditions is true",
            "P95 time to first token: 242.5ms between the two snapshots",
            "Rate of generated tokens: 100/s between the two snapshots",
            "Waiting requests: 7",
            "Running requests: 0",
            "KV cache usage: 25%",
        ]
    );
    assert_eq!(code, Some(0));
    let (report, _) = text(BUDGETS, &[&now], &[]);
    assert!(
        report.contains("first token: 242.5ms since the server started"),
        "{report}"
    );
    assert!(
        report.contains("tokens: needs earlier `/metrics` output"),
        "{report}"
    );
}

#[test]
fn a_missing_label_value_is_no_missing_metric() {
    let spec = "apiVersion: slosmith/v1
service: {name: chat}
runtime: {vllm: '0.33.0'}
prometheus: {scrape_labels: [job, instance]}
links: {runbooks: 'https://git.example/runbooks', grafana: 'https://g.example'}
signals:
  other: {use: vllm.requests_waiting, where: {engine: '7'}}
alerts:
  Busy: {when: {signal: other, above: 5}, for: 5m, severity: ticket, summary: Busy}
";
    let (report, _) = text(spec, &[&page()], &[]);
    let why =
        "`vllm:num_requests_waiting` has no series with `engine=\"7\"` in the `/metrics` output";
    assert!(report.contains(why), "{report}");
    let without = page().replace("vllm:num_requests_waiting", "vllm:other");
    let (report, _) = text(spec, &[&without], &[]);
    let why = "`vllm:num_requests_waiting` is not in the `/metrics` output";
    assert!(report.contains(why), "{report}");
}

/// Other series of the metric do not stand for the selected ones, also where they are missing.
#[test]
fn missing_series_of_a_selection() {
    let spec = |engine: &str| {
        format!(
            "apiVersion: slosmith/v1
service: {{name: chat}}
runtime: {{vllm: '0.33.0'}}
prometheus: {{scrape_labels: [job, instance]}}
links: {{runbooks: 'https://git.example/runbooks', grafana: 'https://g.example'}}
signals:
  other: {{use: vllm.requests_waiting, where: {{engine: '{engine}'}}}}
alerts:
  Lost: {{when: {{signal: other, absent: true}}, for: 5m, severity: ticket, summary: Lost}}
"
        )
    };
    let (report, _) = text(&spec("7"), &[&page()], &[]);
    assert!(report.contains("1 of 1 conditions is true"), "{report}");
    let (report, _) = text(&spec("0"), &[&page()], &[]);
    assert!(report.contains("none of 1 conditions is true"), "{report}");
}
