//! Panels and widgets without data: never green, and never an old number.

use std::collections::BTreeSet;

use serde_json::Value;
use slosmith::plan::dashboard::Draw;
use slosmith::spec::GraphKind;
use slosmith::target::Target;

use super::{SPECS, boards_of, drawn, plan};
use crate::bundled;

/// Every way to draw a panel. A new one does not compile here until a test says how it looks without data.
fn kind(draw: &Draw) -> &'static str {
    match draw {
        Draw::Graph(GraphKind::Number) => "number",
        Draw::Graph(GraphKind::Gauge) => "gauge",
        Draw::Graph(GraphKind::Status) => "status",
        Draw::Graph(GraphKind::Timeseries) => "lines",
        Draw::Graph(GraphKind::Stacked) => "stacked",
        Draw::Graph(GraphKind::Bars) => "bars",
        Draw::Graph(GraphKind::Heatmap) => "heatmap",
        Draw::Graph(GraphKind::Table) => "table",
        Draw::Tile => "tile",
        Draw::Text(_) => "text",
        Draw::Alerts(_) => "alerts",
        Draw::Objectives(_) => "objectives",
        Draw::Changes(_) => "changes",
        Draw::Verdict(_) => "verdict",
        Draw::Fact(_) => "fact",
    }
}

const KINDS: [&str; 15] = [
    "alerts",
    "bars",
    "changes",
    "fact",
    "gauge",
    "heatmap",
    "lines",
    "number",
    "objectives",
    "stacked",
    "status",
    "table",
    "text",
    "tile",
    "verdict",
];

/// The text and the colour that Grafana gives a missing value: those of a mapping, else `noValue` in the colour of the lowest region.
fn missing(field: &Value) -> (String, String) {
    let mappings = field["mappings"].as_array().into_iter().flatten();
    let mapped = mappings.filter(|m| {
        m["type"] == "special"
            && ["null", "null+nan"]
                .iter()
                .any(|kind| m["options"]["match"] == *kind)
    });
    let result = mapped.map(|m| &m["options"]["result"]).next();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let base = text(&field["thresholds"]["steps"][0]["color"]);
    match result {
        Some(result) => (
            text(&result["text"]),
            result["color"].as_str().map_or(base, str::to_owned),
        ),
        None => (text(&field["noValue"]), base),
    }
}

/// The look of a panel without data: each text with its colour. Values over time are not drawn, so they have none.
fn without_data(kind: &str, panel: &Value) -> Vec<(String, String)> {
    let defaults = &panel["fieldConfig"]["defaults"];
    let overrides = panel["fieldConfig"]["overrides"]
        .as_array()
        .into_iter()
        .flatten();
    let properties = overrides.map(|of| {
        let all = of["properties"].as_array().unwrap().iter();
        let named = all.map(|p| (p["id"].as_str().unwrap().to_owned(), p["value"].clone()));
        Value::Object(named.collect())
    });
    match kind {
        "text" | "heatmap" => Vec::new(),
        "lines" | "stacked" | "bars" => {
            let custom = &defaults["custom"];
            assert_eq!(custom["spanNulls"], false, "a gap stays a gap");
            let shaded = custom["thresholdsStyle"]["mode"] != "off";
            let base = defaults["thresholds"]["steps"][0]["color"]
                .as_str()
                .unwrap();
            let base = if shaded { base } else { "" };
            vec![(missing(defaults).0, base.to_owned())]
        }
        "number" | "gauge" | "status" | "tile" | "verdict" | "fact" => {
            let words = properties.map(|field| missing(&field));
            std::iter::once(missing(defaults)).chain(words).collect()
        }
        _ => {
            // Text without a background has the colour of text.
            let colored = properties.filter(|field| {
                let style = &field["custom.cellOptions"]["type"];
                *style == "color-text" || *style == "color-background"
            });
            colored.map(|field| missing(&field)).collect()
        }
    }
}

#[test]
fn no_kind_of_panel_is_green_without_data() {
    let mut seen = BTreeSet::new();
    for spec in SPECS
        .into_iter()
        .chain(["tests/fixtures/cloudwatch/agent.yaml"])
    {
        let plan = plan(spec);
        let boards = boards_of(spec, &plan);
        for dashboard in &plan.dashboards {
            let (board, drawn) = drawn(&boards, dashboard);
            for panel in dashboard.panels() {
                let kind = kind(&panel.draw);
                seen.insert(kind);
                let Some(shown) = drawn.get(&u64::from(panel.id)) else {
                    assert_eq!(kind, "text");
                    continue;
                };
                let at = format!("{}: {} ({kind})", board.name, panel.title);
                let texts = without_data(kind, shown);
                for (text, color) in &texts {
                    assert!(["no data", ""].contains(&text.as_str()), "{at}: {text}");
                    assert!(
                        !["green", "#14746F", "#1AA39A"].contains(&color.as_str()),
                        "{at}: {text}"
                    );
                }
                let is_value = ![
                    "text",
                    "heatmap",
                    "table",
                    "alerts",
                    "objectives",
                    "changes",
                ]
                .contains(&kind);
                assert!(!is_value || texts[0].0 == "no data", "{at}: {texts:?}");
            }
        }
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), KINDS);
}

const WIDGETS: [&str; 8] = [
    "alarm",
    "chart singleValue",
    "chart timeSeries",
    "metric gauge",
    "metric singleValue",
    "metric table",
    "metric timeSeries",
    "text",
];

/// CloudWatch draws no value where none is: no expression makes one of nothing. Alarms have a state for missing data, and numbers
/// have no colours.
#[test]
fn no_widget_makes_a_value_of_missing_data() {
    let mut seen = BTreeSet::new();
    for spec in [
        "specs/mangaassist.yaml",
        "tests/fixtures/cloudwatch/agent.yaml",
        "tests/fixtures/cloudwatch/otlp.yaml",
    ] {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(root.join(spec)).unwrap();
        let files = bundled::build_for(&text, None, Target::CloudWatch);
        for file in files
            .iter()
            .filter(|file| file.path.contains("/dashboards/"))
        {
            let board: Value = serde_json::from_str(&file.text).unwrap();
            for widget in board["widgets"].as_array().unwrap() {
                let view = widget["properties"]["view"].as_str().unwrap_or_default();
                let kind = format!("{} {view}", widget["type"].as_str().unwrap());
                seen.insert(kind.trim().to_owned());
                let metrics = widget["properties"]["metrics"]
                    .as_array()
                    .into_iter()
                    .flatten();
                let parts = metrics.flat_map(|metric| metric.as_array().unwrap());
                let queries = widget["properties"]["data"]["queries"].as_array();
                for query in queries.into_iter().flatten() {
                    let query = query["query"].as_str().unwrap();
                    assert!(!query.contains("vector("), "{spec}: {query}");
                }
                for expression in parts.filter_map(|part| part["expression"].as_str()) {
                    assert!(
                        needs_data(expression),
                        "{spec}: {}: {expression}",
                        file.path
                    );
                }
            }
        }
    }
    let seen: Vec<_> = seen.iter().map(String::as_str).collect();
    assert_eq!(seen, WIDGETS, "a new kind of widget");
    assert!(!needs_data("FILL(bad, 0) * 100"));
    assert!(needs_data("FILL(bad, 0) / all"));
}

/// True when a metric that is not filled, or a search for metrics, is in the expression: the result is then missing with it.
fn needs_data(expression: &str) -> bool {
    if expression.contains("SEARCH(") {
        return true;
    }
    let mut rest = expression.to_owned();
    while let Some(at) = rest.find("FILL(") {
        let end = rest[at..].find(')').expect("a closed call");
        rest.replace_range(at..=at + end, "");
    }
    let words = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words
        .into_iter()
        .any(|word| word.starts_with(|c: char| c.is_ascii_lowercase()))
}
