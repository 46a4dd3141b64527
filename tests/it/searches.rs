//! A graph with a line for each group asks CloudWatch for the same as the alarm on the same signal.

use serde_json::Value;
use slosmith::target::Target;

use crate::bundled;

const SPEC: &str = r#"
apiVersion: slosmith/v1
service: {name: grouped, title: Grouped}
runtime: {vllm: ">=0.9, <0.13"}
links: {runbooks: "https://git.example/runbooks", grafana: "https://grafana.example"}
prometheus: {selector: {job: vllm}, scrape_labels: [cluster]}
cloudwatch: {region: eu-central-1, namespace: Team/App}
signals:
  usage: {use: vllm.kv_cache_usage}
  waiting: {use: vllm.requests_waiting}
  preempted: {use: vllm.preemptions}
  hits: {use: vllm.prefix_cache_hits}
  latency:
    kind: histogram
    unit: seconds
    has_labels: [route, method]
    prometheus: {metric: app_latency_seconds, buckets: [100ms, 250ms, 500ms, 1s]}
    cloudwatch: {metric: LatencyMs, unit: Milliseconds, dimension_sets: [[], [Route], [Method], [Method, Route]]}
  get_latency: {use: latency, where: {method: GET}}
  headroom:
    kind: gauge
    unit: ratio
    across: min
    has_labels: [route]
    prometheus: {metric: app_headroom}
    cloudwatch: {metric: Headroom, dimension_sets: [[], [Route]]}
  hit_rate:
    ratio: {of: vllm.prefix_cache_hits, over: vllm.prefix_cache_queries}
  quality:
    ratio: {of: good, over: answers}
    cloudwatch: {metric: Quality, dimension_sets: [[], [Route]]}
  answers: {kind: counter, unit: count, has_labels: [route], prometheus: {metric: app_answers_total}, cloudwatch: {metric: Answers}}
  good: {kind: counter, unit: count, has_labels: [route], prometheus: {metric: app_good_total}, cloudwatch: {metric: Good}}
"#;

/// Signal, how it is read, the label it is grouped by, and a bound.
const CASES: &[(&str, &str, &str, &str)] = &[
    ("usage", "last", "model_name", "above: 90%"),
    ("usage", "max", "model_name", "above: 90%"),
    ("usage", "min", "model_name", "above: 90%"),
    ("usage", "avg", "model_name", "above: 90%"),
    ("usage", "slope", "model_name", "above: 1%/min"),
    ("waiting", "max", "model_name", "above: 10"),
    ("waiting", "avg", "model_name", "above: 10"),
    ("waiting", "slope", "model_name", "above: 1/s"),
    ("preempted", "rate", "model_name", "above: 10/min"),
    ("preempted", "increase", "model_name", "above: 10"),
    ("hits", "rate", "model_name", "below: 10/s"),
    ("latency", "p95", "route", "above: 300ms"),
    ("latency", "avg", "route", "above: 300ms"),
    ("latency", "rate", "route", "above: 10/s"),
    ("latency", "increase", "route", "above: 10"),
    ("get_latency", "p50", "route", "above: 300ms"),
    ("headroom", "last", "route", "below: 10%"),
    ("headroom", "slope", "route", "above: 1%/s"),
    ("quality", "avg", "route", "below: 90%"),
];

fn built(name: &str) -> String {
    let mut text = SPEC.to_owned() + "alerts:\n";
    for (i, (signal, stat, _, bound)) in CASES.iter().enumerate() {
        let window = if *stat == "last" { "" } else { "window: 10m, " };
        text += &format!(
            "  A{i}: {{severity: critical, when: {{signal: {signal}, stat: {stat}, {window}{bound}}}}}\n"
        );
    }
    text += "  Percentile:\n    severity: critical\n    when: {signal: usage, above: 90%}\n    cloudwatch: {statistic: p90}\n";
    text += "dashboards:\n  main:\n    rows:\n      - title: All\n        panels:\n";
    for (i, (signal, stat, by, _)) in CASES.iter().enumerate() {
        for (title, by) in [("P", format!(", by: [{by}]")), ("Q", String::new())] {
            let panel = format!("{{title: {title}{i}, signal: {signal}, stat: [{stat}]{by}}}");
            text += &format!("          - {panel}\n");
        }
    }
    text += "          - {title: Share, signal: hit_rate, by: [model_name]}\n";
    let rendered = bundled::rendered(&bundled::plan(&text), Target::CloudWatch);
    let mut files = rendered.files.into_iter().chain(rendered.beside);
    let found = files.find(|file| file.path == name);
    found.unwrap_or_else(|| panic!("no {name}")).text
}

fn json(name: &str) -> Value {
    serde_json::from_str(&built(name)).expect("JSON")
}

/// What is asked of CloudWatch, apart from the spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Asked {
    namespace: String,
    names: Vec<String>,
    dimensions: Vec<String>,
    statistic: String,
    seconds: u64,
    /// True when the growth of the statistic is asked for.
    growth: bool,
}

fn quoted(text: &str) -> Vec<String> {
    let parts = text.split('"').skip(1).step_by(2);
    parts.map(str::to_owned).collect()
}

/// What follows a search in its expression: a factor, a time it is divided by.
fn read_search(expression: &str) -> (Asked, String) {
    let (before, rest) = expression.split_once("SEARCH('{").expect("a search");
    let (schema, rest) = rest.split_once("} ").expect("a schema");
    let (terms, rest) = rest.split_once("', '").expect("terms");
    let (statistic, rest) = rest.split_once("', ").expect("a statistic");
    let (seconds, mut rest) = rest.split_once(')').expect("a period");
    let growth = match before {
        "" => false,
        "RATE(" => {
            rest = rest.strip_prefix(')').expect("its end");
            true
        }
        other => panic!("{other}"),
    };
    let mut dimensions = quoted(schema);
    let namespace = dimensions.remove(0);
    let (fixed, names) = terms.split_at(terms.find("MetricName=").expect("a name"));
    for term in fixed.split_whitespace() {
        let (name, value) = term.split_once('=').expect("a value");
        let name = &quoted(name)[0];
        let at = dimensions.iter().position(|known| known == name);
        dimensions[at.expect("a dimension of the schema")] = format!("{name}={}", quoted(value)[0]);
    }
    let asked = Asked {
        namespace,
        names: quoted(names),
        dimensions,
        statistic: statistic.to_owned(),
        seconds: seconds.parse().expect("seconds"),
        growth,
    };
    (asked, rest.to_owned())
}

/// What an alarm or the rows of a graph without groups ask for: metrics, then perhaps an expression.
fn read_metrics(metrics: &[(Value, String, u64)], expression: &str) -> Asked {
    let (first, statistic, seconds) = &metrics[0];
    assert!(metrics.iter().all(|(metric, s, p)| s == statistic
        && p == seconds
        && metric["Namespace"] == first["Namespace"]
        && metric["Dimensions"] == first["Dimensions"]));
    let name = |metric: &Value| metric["MetricName"].as_str().expect("a name").to_owned();
    let dimensions = first["Dimensions"].as_array().into_iter().flatten();
    Asked {
        namespace: first["Namespace"].as_str().expect("one").to_owned(),
        names: metrics.iter().map(|(metric, ..)| name(metric)).collect(),
        dimensions: dimensions
            .map(|d| {
                let text = |key: &str| d[key].as_str().expect("text").to_owned();
                format!("{}={}", text("Name"), text("Value"))
            })
            .collect(),
        statistic: statistic.clone(),
        seconds: *seconds,
        growth: expression.contains("RATE("),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn read_alarm(alarm: &Value) -> Asked {
    let Some(entries) = alarm["Metrics"].as_array() else {
        let plain = text(&alarm["Statistic"]);
        let statistic = match plain.as_str() {
            "" => text(&alarm["ExtendedStatistic"]),
            _ => plain,
        };
        let seconds = alarm["Period"].as_u64().expect("seconds");
        return read_metrics(&[(alarm.clone(), statistic, seconds)], "");
    };
    let metrics = entries
        .iter()
        .filter(|entry| entry["MetricStat"].is_object());
    let metrics: Vec<_> = metrics
        .map(|entry| {
            let stat = &entry["MetricStat"];
            let seconds = stat["Period"].as_u64().expect("seconds");
            (stat["Metric"].clone(), text(&stat["Stat"]), seconds)
        })
        .collect();
    let expression = entries
        .iter()
        .find_map(|entry| entry["Expression"].as_str());
    read_metrics(&metrics, expression.unwrap_or_default())
}

fn read_rows(rows: &[Value]) -> (Asked, String) {
    let mut metrics = Vec::new();
    let mut expression = "";
    for row in rows {
        let cells = row.as_array().expect("cells");
        let (options, names) = cells.split_last().expect("options");
        match options["expression"].as_str() {
            Some(text) => expression = text,
            None => {
                let pairs = names[2..].chunks(2);
                let pairs = pairs.map(|p| serde_json::json!({"Name": p[0], "Value": p[1]}));
                let metric = serde_json::json!({
                    "Namespace": names[0], "MetricName": names[1],
                    "Dimensions": pairs.collect::<Vec<_>>(),
                });
                let seconds = options["period"].as_u64().expect("seconds");
                metrics.push((metric, text(&options["stat"]), seconds));
            }
        }
    }
    (read_metrics(&metrics, expression), expression.to_owned())
}

/// What follows the metrics of a graph in its expression.
fn shown_as(expression: &str) -> String {
    let end = match expression.rfind(')') {
        Some(at) => at + 1,
        None => expression.find(' ').unwrap_or(expression.len()),
    };
    match expression.find(" / PERIOD(") {
        Some(_) => format!(" / period{}", &expression[end..]),
        None => expression[end..].to_owned(),
    }
}

fn rows(board: &Value, title: &str) -> Vec<Value> {
    let widgets = board["widgets"].as_array().expect("widgets");
    let found = widgets.iter().find(|w| w["properties"]["title"] == title);
    let found = found.unwrap_or_else(|| panic!("no panel {title}"));
    let rows = found["properties"]["metrics"].as_array();
    rows.expect("rows").clone()
}

#[test]
fn a_search_asks_for_what_the_alarm_asks_for() {
    let board = json("cloudwatch/dashboards/main.json");
    let alarms = json("cloudwatch/alarms.json");
    for (i, (signal, stat, by, _)) in CASES.iter().enumerate() {
        let name = format!("grouped-a{i}");
        let alarms = alarms.as_array().expect("a list");
        let alarm = alarms
            .iter()
            .find(|alarm| alarm["AlarmName"] == name.as_str());
        let alarm = read_alarm(alarm.unwrap_or_else(|| panic!("no {name}: {signal} {stat}")));
        let searched = rows(&board, &format!("P{i}"));
        assert_eq!(searched.len(), 1, "{signal} {stat}");
        let (search, tail) = read_search(&text(&searched[0][0]["expression"]));
        let wanted = Asked {
            dimensions: search.dimensions.clone(),
            seconds: search.seconds,
            ..alarm.clone()
        };
        assert_eq!(search, wanted, "{signal} {stat}");
        let dimension = match *by {
            "route" => "Route",
            other => other,
        };
        let (open, fixed): (Vec<_>, Vec<_>) =
            search.dimensions.iter().partition(|d| !d.contains('='));
        assert_eq!(open, [dimension], "{signal} {stat}");
        let fixed: Vec<_> = fixed.into_iter().cloned().collect();
        assert_eq!(fixed, alarm.dimensions, "{signal} {stat}");
        // The same without groups: period and scale too.
        let (single, expression) = read_rows(&rows(&board, &format!("Q{i}")));
        let wanted = Asked {
            dimensions: search.dimensions.clone(),
            ..single
        };
        assert_eq!(search, wanted, "{signal} {stat} without groups");
        let tail = tail.replace(&format!(" / {}", search.seconds), " / period");
        assert_eq!(tail, shown_as(&expression), "{signal} {stat}: {expression}");
    }
}

/// The report says of a panel with groups what it says of the same panel without, and why it differs more.
#[test]
fn the_report_does_not_call_a_search_identical_that_differs() {
    let parity = json("parity.json");
    let entry = |name: &str| {
        let entries = parity["entries"].as_array().expect("a list");
        let found = entries.iter().find(|entry| entry["name"] == name);
        found.unwrap_or_else(|| panic!("no {name}"))["cloudwatch"].clone()
    };
    for (i, (signal, stat, ..)) in CASES.iter().enumerate() {
        let grouped = entry(&format!("main / P{i}"));
        let single = entry(&format!("main / Q{i}"));
        for note in single["notes"].as_array().expect("notes") {
            let notes = grouped["notes"].as_array().expect("notes");
            assert!(notes.contains(note), "{signal} {stat}: {note}");
        }
    }
    let renamed =
        "one line for each metric name: `vllm:kv_cache_usage_perc`, `vllm:gpu_cache_usage_perc`";
    assert_eq!(entry("main / P0")["notes"][0]["text"], renamed);
    let share = entry("main / Share");
    let computed = "`hit_rate` is computed from several metrics, and a CloudWatch search finds only single metrics";
    assert_eq!(share["notes"][0]["text"], computed);
}

/// A name that would end the quotes around it is reported, not searched for.
#[test]
fn a_name_with_quotes_is_not_searched() {
    let text = bundled::text("tests/fixtures/cloudwatch/names.yaml");
    let files = bundled::build_for(&text, None, Target::CloudWatch);
    let board = files
        .iter()
        .find(|f| f.path == "cloudwatch/dashboards/main.json");
    let board = &board.expect("a dashboard").text;
    assert!(board.contains("cannot be used in a search"), "{board}");
    assert!(!board.contains(r#"MetricName=\"Depth \"${m}"#), "{board}");
}

/// Prometheus combines one value of each replica; CloudWatch takes its statistic of all their samples.
#[test]
fn a_statistic_over_replicas_is_identical_only_where_it_is_the_same() {
    let parity = json("parity.json");
    let notes = |name: &str| {
        let entries = parity["entries"].as_array().expect("a list");
        let found = entries.iter().find(|entry| entry["name"] == name);
        found.expect("an entry")["cloudwatch"]["notes"].clone()
    };
    for (i, (signal, stat, ..)) in CASES.iter().enumerate() {
        let wanted = match (*signal, *stat) {
            ("usage", "min") => {
                "CloudWatch uses the Minimum of the samples of all replicas, but Prometheus uses the highest of all replicas"
            }
            ("usage", "avg") => {
                "CloudWatch uses the Average of the samples of all replicas, but Prometheus uses the highest of all replicas"
            }
            ("waiting", "max") => {
                "CloudWatch uses the value of one replica (Maximum), but Prometheus uses the sum of all replicas: with N replicas, the value can be N times smaller"
            }
            ("usage", "last" | "max") | ("waiting", "last" | "avg") => "",
            _ => continue,
        };
        for name in [
            format!("A{i}"),
            format!("main / P{i}"),
            format!("main / Q{i}"),
        ] {
            let notes = notes(&name);
            let notes = notes.as_array().expect("notes");
            match wanted {
                "" => assert!(
                    !notes.iter().any(|n| text(&n["text"]).contains("replicas")),
                    "{name}: {notes:?}"
                ),
                _ => assert!(
                    notes.iter().any(|n| n["text"] == wanted),
                    "{name}: {notes:?}"
                ),
            }
        }
    }
}

/// Percentiles under two names are not added up.
#[test]
fn a_percentile_under_two_names_stays_one() {
    let alarms = json("cloudwatch/alarms.json");
    let mut alarms = alarms.as_array().expect("a list").iter();
    let alarm = alarms.find(|alarm| alarm["AlarmName"] == "grouped-percentile");
    let metrics = &alarm.expect("the alarm")["Metrics"];
    assert_eq!(metrics[2]["Expression"], "AVG([m1, m2])");
    assert_eq!(metrics[0]["MetricStat"]["Stat"], "p90");
}
