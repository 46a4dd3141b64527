//! Dashboards: what they show, where their lines are, and where links lead.

use serde_json::Value;
use slosmith::target::{self, OutFile, Target};

use crate::bundled::{self, text as read};

/// The files of a spec; they fit Grafana's schema.
fn build(text: &str, vllm: Option<&str>) -> Vec<OutFile> {
    let files = bundled::build_for(text, vllm, Target::Grafana);
    target::validate(Target::Grafana, &files).expect("fits its schema");
    files
}

fn dashboard(files: &[OutFile], name: &str) -> Value {
    let path = format!("grafana/dashboards/{name}.json");
    let file = files.iter().find(|file| file.path == path);
    serde_json::from_str(&file.expect("a dashboard").text).expect("JSON")
}

/// All panels but rows, those of closed rows included.
fn panels(dashboard: &Value) -> Vec<&Value> {
    let inside = |value: &'_ Value| value["panels"].as_array().cloned().unwrap_or_default();
    assert!(!inside(dashboard).is_empty());
    let top = dashboard["panels"].as_array().into_iter().flatten();
    top.flat_map(|panel| {
        let inner = panel["panels"].as_array().into_iter().flatten();
        std::iter::once(panel).chain(inner)
    })
    .filter(|panel| panel["type"] != "row")
    .collect()
}

fn panel<'v>(dashboard: &'v Value, title: &str) -> &'v Value {
    let mut all = panels(dashboard).into_iter();
    all.find(|panel| panel["title"] == title)
        .unwrap_or_else(|| panic!("no panel {title}"))
}

fn steps(panel: &Value) -> Vec<(Option<f64>, &str)> {
    let steps = panel["fieldConfig"]["defaults"]["thresholds"]["steps"].as_array();
    let steps = steps.expect("steps").iter();
    steps
        .map(|s| (s["value"].as_f64(), s["color"].as_str().expect("a colour")))
        .collect()
}

fn queries(panel: &Value) -> Vec<String> {
    let targets = panel["targets"].as_array().expect("targets").iter();
    let exprs = targets.map(|target| target["expr"].as_str().expect("a query"));
    exprs
        .map(|expr| expr.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

const HEAD: &str = r#"apiVersion: slosmith/v1
service: {name: svc, title: 'A "service" ${x}'}
runtime: {vllm: ">=0.20, <0.34"}
links: {runbooks: https://git.example/r, grafana: https://grafana.example/}
prometheus: {selector: {job: vllm}, group_by: [model_name]}
"#;

#[test]
fn bundled_dashboards_fit_the_schema_on_old_and_new_releases() {
    for spec in bundled::SPECS {
        // vllm-serving counts the engine's errors, which older releases do not.
        let old = match spec {
            "vllm-serving" => [Some("==0.14.0"), Some(">=0.13, <0.18")],
            // The fleet needs metrics of 0.32.
            "fleet" => [Some("==0.32.0"), Some("==0.33.0")],
            // A query names the metric of the cache usage, which is new in 0.9.2.
            "mangaassist" => [Some("==0.12.0"), Some(">=0.9.2, <0.13")],
            _ => [Some("==0.12.0"), Some(">=0.9, <0.13")],
        };
        for vllm in old.into_iter().chain([None]) {
            let files = build(&read(&format!("specs/{spec}.yaml")), vllm);
            let all = files.iter().filter(|f| f.path.ends_with(".json"));
            assert_eq!(all.count(), 2, "{spec}");
        }
    }
}

#[test]
fn every_panel_says_what_it_is() {
    for spec in bundled::SPECS {
        for file in build(&read(&format!("specs/{spec}.yaml")), None) {
            if !file.path.ends_with(".json") {
                continue;
            }
            let board: Value = serde_json::from_str(&file.text).expect("JSON");
            assert_eq!(
                (&board["editable"], &board["schemaVersion"]),
                (&false.into(), &42.into())
            );
            for panel in panels(&board)
                .iter()
                .filter(|panel| panel["type"] != "text")
            {
                let words = |value: &Value| value.as_str().is_some_and(|text| text.len() > 3);
                assert!(
                    words(&panel["title"]) && words(&panel["description"]),
                    "{panel}"
                );
                assert!(
                    panel["fieldConfig"]["defaults"]["unit"].is_string(),
                    "{panel}"
                );
                assert_eq!(panel["datasource"]["uid"], "${datasource}");
                assert!(!queries(panel).is_empty());
            }
        }
    }
}

#[test]
fn every_kind_of_panel_fits_the_schema() {
    let text = format!(
        "{HEAD}{}",
        r#"
slos:
  ttft:
    objective: 99%
    period: 28d
    sli: {latency: {signal: vllm.time_to_first_token, at_most: 2.5s}}
    runbook: queue
signals:
  up: {title: 'It''s "up" ${x} {{y}} é', kind: gauge, unit: bool, across: min, has_labels: [zone], prometheus: {metric: up}}
dashboards:
  all-kinds:
    variables: [model_name, zone]
    rows:
      - title: One
        panels:
          - {kind: number, signal: vllm.requests_running}
          - {kind: gauge, signal: vllm.kv_cache_usage}
          - {kind: status, signal: up}
          - {signal: vllm.time_to_first_token}
          - {kind: heatmap, signal: vllm.time_to_first_token}
          - {kind: stacked, signal: vllm.requests_finished, by: [finished_reason]}
          - {kind: bars, signal: vllm.requests_finished}
          - {kind: slo, slo: ttft}
          - {kind: alerts}
          - {kind: text, title: Read me, text: "Some `code`"}
          - {title: Raw, promql: 'sum(up{zone=~"$zone"})', unit: ratio}
      - title: Two
        collapsed: true
        repeat: zone
        panels:
          - kind: table
            title: Table
            series: [{signal: vllm.requests_running}, {signal: vllm.requests_waiting, title: waiting}]
            position: [2, 1, 20, 5]
"#
    );
    let files = build(&text, None);
    let board = dashboard(&files, "all-kinds");
    assert_eq!(board["uid"], "svc-all-kinds");
    let kinds: Vec<_> = panels(&board).iter().map(|p| p["type"].clone()).collect();
    assert_eq!(
        kinds,
        [
            "stat",
            "gauge",
            "stat",
            "timeseries",
            "heatmap",
            "timeseries",
            "timeseries",
            "timeseries",
            "timeseries",
            "timeseries",
            "table",
            "text",
            "timeseries",
            "table",
            "text"
        ]
    );
    assert_eq!(panel(&board, r#"It's "up" ${x} {{y}} é"#)["type"], "stat");
    let variables = board["templating"]["list"].as_array().expect("a list");
    let names: Vec<_> = variables.iter().map(|v| v["name"].clone()).collect();
    let of_readers = ["datasource", "model_name", "zone"];
    assert_eq!(names[..3], of_readers);
    assert_eq!(names[3..], ["legend_model_name"]);
    assert_eq!(variables[2]["query"], "label_values(up, zone)");
    let row = board["panels"].as_array().expect("panels");
    let closed = row.iter().find(|p| p["title"] == "Two").expect("a row");
    assert_eq!(
        (&closed["collapsed"], &closed["repeat"]),
        (&true.into(), &"zone".into())
    );
    let map = files
        .iter()
        .find(|f| f.path.ends_with("configmaps/all-kinds.yaml"));
    assert!(
        map.expect("a ConfigMap")
            .text
            .contains("svc-all-kinds.json: |")
    );
}

#[test]
fn panels_show_what_alerts_watch() {
    let text = format!(
        "{HEAD}{}",
        r"
alerts:
  Queue: {severity: critical, when: {signal: vllm.requests_waiting, above: 80}, for: 2m, runbook: queue}
  Slow: {severity: warning, when: {signal: vllm.time_to_first_token, stat: p95, window: 10m, above: 3s}}
  Cold: {severity: warning, when: {signal: vllm.prefix_cache_hit_rate, window: 15m, below: 50%}}
  Evictions: {severity: warning, when: {signal: vllm.preemptions, stat: rate, window: 5m, above: 10/min}}
  Both:
    severity: warning
    when: {all: [{signal: vllm.kv_cache_usage, above: 90%}, {signal: vllm.requests_waiting, above: 5}]}
dashboards:
  main:
    rows:
      - title: Row
        panels:
          - {title: Queued, kind: number, signal: vllm.requests_waiting, thresholds: [{at: 50}]}
          - {title: TTFT, signal: vllm.time_to_first_token, stat: [p50, p95]}
          - {title: Hits, signal: vllm.prefix_cache_hit_rate, thresholds: [{at: 70%, role: target}]}
          - {title: Hits now, kind: gauge, signal: vllm.prefix_cache_hit_rate}
          - {title: Prompt tokens now, kind: number, signal: vllm.prompt_tokens}
          - {title: Preemptions, signal: vllm.preemptions}
          - {title: Own line, signal: vllm.requests_waiting, thresholds: [{at: 60, role: alert}]}
"
    );
    let files = build(&text, None);
    let board = dashboard(&files, "main");
    let queued = panel(&board, "Queued · alert 80");
    // Yellow from the author's 50, orange from a part of an alert, red from the alert.
    let colors = [
        (None, "#1AA39A"),
        (Some(5.0), "orange"),
        (Some(50.0), "orange"),
        (Some(80.0), "red"),
    ];
    assert_eq!(steps(queued), colors);
    let ttft = panel(&board, "TTFT");
    assert_eq!(steps(ttft)[1..], [(Some(3.0), "orange")]);
    let asked = queries(ttft);
    assert!(
        asked[..2].iter().all(|query| query.contains("[10m]")),
        "the line and all curves look back alike: {asked:?}"
    );
    assert_eq!(asked[2], "vector(3)");
    assert!(
        asked[3..]
            .iter()
            .all(|query| query.contains("vector(2560) and on ()"))
    );
    let hits = panel(&board, "Hits");
    assert_eq!(steps(hits), [(None, "orange"), (Some(0.5), "green")]);
    assert_eq!(queries(hits)[1..], ["vector(0.5)", "vector(0.7)"]);
    // One value: its title has its window, that of the alert or else the usual one.
    for (title, window) in [
        ("Hits now · last 15m · alert 50%", "[15m]"),
        ("Prompt tokens now · last 5m", "[5m]"),
    ] {
        let asked = queries(panel(&board, title));
        assert!(asked[0].contains(window), "{asked:?}");
    }
    let names: Vec<_> = hits["targets"].as_array().expect("targets")[1..]
        .iter()
        .map(|line| line["legendFormat"].clone())
        .collect();
    assert_eq!(names, ["alert Cold < 50%", "target 70%"]);
    assert_eq!(
        steps(panel(&board, "Hits now · last 15m · alert 50%")),
        [(None, "orange"), (Some(0.5), "green")]
    );
    let preemptions = panel(&board, "Preemptions");
    assert_eq!(steps(preemptions)[1..], [(Some(10.0), "orange")]);
    assert!(
        queries(preemptions)[0].ends_with("* 60"),
        "a line per minute, a curve per minute"
    );
    assert_eq!(steps(panel(&board, "Own line"))[1..], [(Some(60.0), "red")]);
    assert!(queries(queued)[0].contains("model_name=~\"$model_name\""));
}

#[test]
fn alerts_and_panels_lead_to_each_other() {
    for spec in bundled::SPECS {
        let text = read(&format!("specs/{spec}.yaml"));
        let plan = bundled::plan(&text);
        let files = build(&text, None);
        let alerts = plan.alerts.iter().filter(|alert| alert.is_stored());
        let links = alerts.map(|alert| (&alert.name, &alert.links));
        let slos = plan.slos.iter().map(|slo| (&slo.alert_name, &slo.links));
        for (name, links) in links.chain(slos) {
            let (uid, id) = links
                .dashboard
                .rsplit_once("/d/")
                .and_then(|(_, rest)| rest.split_once("?viewPanel="))
                .unwrap_or_else(|| panic!("{name} leads to no panel: {}", links.dashboard));
            let found = plan
                .dashboards
                .iter()
                .find(|d| d.uid == uid)
                .expect("its dashboard");
            let board = dashboard(&files, &found.name);
            let all = panels(&board);
            let panel = all
                .iter()
                .find(|p| p["id"].as_u64() == id.parse().ok())
                .expect("its panel");
            let back = panel["links"].as_array().expect("links").iter();
            let urls: Vec<_> = back.map(|link| link["url"].clone()).collect();
            assert!(
                urls.contains(&links.runbook.clone().into()),
                "{name}: {urls:?}"
            );
        }
    }
}

#[test]
fn an_optional_signal_that_is_not_there_leaves_its_panel_out() {
    let text = read("specs/vllm-serving.yaml");
    let board = dashboard(&build(&text, Some("==0.19.0")), "incident");
    let titles: Vec<_> = panels(&board).iter().map(|p| p["title"].clone()).collect();
    assert!(!titles.contains(&"Waiting requests".into()));
    let footer = panels(&board).pop().expect("a footer")["options"]["content"].clone();
    assert!(
        footer
            .as_str()
            .is_some_and(|t| t.contains("Waiting requests")),
        "{footer}"
    );
}

#[test]
fn graphs_of_histograms_lead_to_traces() {
    let spec = crate::bundled::spec("mangaassist");
    let marked = |text: &str| {
        let board = dashboard(&build(text, None), "inference");
        let all = panels(&board).into_iter().filter(|panel| {
            let targets = panel["targets"].as_array().into_iter().flatten();
            let mut marked = targets.filter(|target| target["exemplar"] == true);
            marked.any(|target| {
                let expr = target["expr"].as_str().unwrap_or_default();
                assert!(
                    expr.contains("_bucket{") || expr.contains("_sum{"),
                    "{expr}"
                );
                assert_eq!(panel["type"], "timeseries");
                true
            })
        });
        all.count()
    };
    assert!(marked(&spec) > 2);
    let (before, after) = spec.split_once("  tool: MLflow\n").expect("a tool");
    assert_eq!(marked(&format!("{before}{after}")), 0);
}

#[test]
fn a_limit_is_drawn_only_on_the_value_that_it_limits() {
    let text = format!(
        r#"{HEAD}
signals:
  depth: {{kind: gauge, unit: count, across: sum, has_labels: [route, model_name], prometheus: {{metric: depth}}}}
  wait: {{kind: histogram, unit: seconds, has_labels: [route], prometheus: {{metric: wait_seconds, buckets: [500ms, 1s]}}}}
  all: {{kind: counter, unit: requests, has_labels: [route, code, model_name], prometheus: {{metric: all_total}}}}
  bad: {{use: all, where: {{code: "500"}}}}
  share: {{ratio: {{of: bad, over: all}}}}
slos:
  pay: {{objective: 99%, period: 30d, group_by: [], where: {{route: pay}}, sli: {{latency: {{signal: wait, at_most: 500ms}}}}}}
alerts:
  Deepest: {{severity: warning, when: {{signal: depth, across: max, above: 7}}}}
  PayShare: {{severity: warning, when: {{signal: share, where: {{route: pay}}, above: 5%}}}}
dashboards:
  own:
    rows:
      - title: All
        panels:
          - {{title: Depth, signal: depth}}
          - {{title: Deepest, signal: depth, across: max}}
          - {{title: Wait, signal: wait, stat: [p95]}}
          - {{title: Wait of pay, signal: wait, stat: [p95], where: {{route: pay}}}}
          - {{title: Share, signal: share}}
          - {{title: Share of pay, signal: share, where: {{route: pay}}}}
"#
    );
    let files = build(&text, None);
    let own = dashboard(&files, "own");
    let limits = |title| {
        let steps = steps(panel(&own, title)).into_iter();
        steps.filter_map(|(value, _)| value).collect::<Vec<_>>()
    };
    assert!(limits("Depth").is_empty());
    assert_eq!(limits("Deepest"), [7.0]);
    let has_objective = |title| queries(panel(&own, title)).contains(&"vector(0.5)".to_owned());
    assert!(!has_objective("Wait"));
    assert!(has_objective("Wait of pay"));
    assert!(limits("Share").is_empty());
    assert_eq!(limits("Share of pay"), [0.05]);
}
