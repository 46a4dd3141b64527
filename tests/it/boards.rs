//! What must hold of every generated dashboard, whatever its spec.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use slosmith::plan::{Condition, Dashboard, Plan, Signal, Source, words};
use slosmith::promql::ast::{AggregateOp, ExprKind};
use slosmith::promql::{Dialect, parse_with};
use slosmith::target::Target;

use crate::bundled;

mod missing;

const SPECS: [&str; 7] = [
    "specs/fleet.yaml",
    "specs/gateway.yaml",
    "specs/mangaassist.yaml",
    "specs/sglang.yaml",
    "specs/vllm-production.yaml",
    "specs/vllm-serving.yaml",
    "tests/fixtures/reference.yaml",
];

struct Board {
    /// For messages: spec and dashboard.
    name: String,
    json: Value,
}

fn plan(spec: &str) -> Plan {
    bundled::plan(&bundled::text(spec))
}

fn boards_of(spec: &str, plan: &Plan) -> Vec<Board> {
    let rendered = bundled::rendered(plan, Target::Grafana);
    let dashboards = rendered.files.iter().filter(|file| {
        file.path.starts_with("grafana/dashboards/") && file.path.ends_with(".json")
    });
    dashboards
        .map(|file| Board {
            name: format!("{spec}: {}", file.path),
            json: serde_json::from_str(&file.text).unwrap(),
        })
        .collect()
}

fn boards() -> Vec<Board> {
    SPECS
        .iter()
        .flat_map(|spec| boards_of(spec, &plan(spec)))
        .collect()
}

/// The board that a dashboard became, and its panels by id.
fn drawn<'b>(boards: &'b [Board], dashboard: &Dashboard) -> (&'b Board, BTreeMap<u64, &'b Value>) {
    let mut boards = boards.iter();
    let board = boards
        .find(|board| board.json["uid"] == dashboard.uid)
        .unwrap();
    let panels = board.panels().into_iter();
    let by_id = panels.map(|panel| (panel["id"].as_u64().unwrap(), panel));
    (board, by_id.collect())
}

impl Board {
    fn panels(&self) -> Vec<&Value> {
        fn inside(value: &Value) -> impl Iterator<Item = &Value> {
            value["panels"].as_array().into_iter().flatten()
        }
        let all = inside(&self.json).flat_map(|panel| std::iter::once(panel).chain(inside(panel)));
        all.filter(|panel| panel["type"] != "row" && panel["type"] != "text")
            .collect()
    }

    fn variables(&self) -> impl Iterator<Item = &Value> {
        let all = self.json["templating"]["list"].as_array().unwrap().iter();
        all.filter(|variable| variable["type"] == "query" && variable["hide"] == 0)
    }

    fn hidden(&self) -> impl Iterator<Item = &Value> {
        let all = self.json["templating"]["list"].as_array().unwrap().iter();
        all.filter(|variable| variable["hide"] == 2)
    }
}

fn targets(panel: &Value) -> impl Iterator<Item = (&str, &str)> {
    let targets = panel["targets"].as_array().into_iter().flatten();
    targets.map(|t| {
        (
            t["expr"].as_str().unwrap(),
            t["legendFormat"].as_str().unwrap_or_default(),
        )
    })
}

/// Queries that are not the line of a bound.
fn values(panel: &Value) -> impl Iterator<Item = &str> {
    let all = targets(panel).map(|(expr, _)| expr);
    all.filter(|expr| !expr.starts_with("vector("))
}

fn title(panel: &Value) -> &str {
    panel["title"].as_str().unwrap()
}

#[test]
fn nothing_is_stacked_that_does_not_add_up() {
    let mut stacked = 0;
    for board in boards() {
        for panel in board.panels() {
            if panel["fieldConfig"]["defaults"]["custom"]["stacking"]["mode"] != "normal" {
                continue;
            }
            for expr in values(panel) {
                stacked += 1;
                let parsed = parse_with(expr, Dialect::Grafana).unwrap();
                let sums = match &parsed.kind {
                    ExprKind::Aggregate(sum) => sum.op == AggregateOp::Sum,
                    ExprKind::Binary(scaled) => {
                        matches!(&scaled.lhs.kind, ExprKind::Aggregate(sum) if sum.op == AggregateOp::Sum)
                    }
                    _ => false,
                };
                let one = !expr.contains(" by (");
                assert!(sums || one, "{}: {}: {expr}", board.name, title(panel));
                assert!(
                    !expr.contains("histogram_quantile"),
                    "{}: {expr}",
                    board.name
                );
            }
        }
    }
    assert!(stacked > 10, "{stacked}");
}

#[test]
fn every_line_says_what_it_is() {
    let mut lines = 0;
    for spec in SPECS {
        let plan = plan(spec);
        let boards = boards_of(spec, &plan);
        for dashboard in &plan.dashboards {
            let (board, drawn) = drawn(&boards, dashboard);
            for panel in dashboard.panels() {
                let graph = panel.draw.graph().is_some_and(|kind| kind.is_over_time());
                let Some(shown) = drawn
                    .get(&u64::from(panel.id))
                    .filter(|p| graph && p["type"] == "timeseries")
                else {
                    continue;
                };
                // Only the tiers of burn rates are shaded, and nothing that calls nobody.
                let defaults = &shown["fieldConfig"]["defaults"];
                let burns = defaults["custom"]["scaleDistribution"]["type"] == "log";
                let (mode, base) = match burns {
                    true => ("area", "transparent"),
                    false => ("off", ""),
                };
                assert_eq!(defaults["custom"]["thresholdsStyle"]["mode"], mode);
                assert!(!burns || defaults["thresholds"]["steps"][0]["color"] == base);
                for bound in &panel.thresholds {
                    lines += 1;
                    let name = words::line(bound);
                    assert!(name.contains(' ') && name.ends_with(&bound.text), "{name}");
                    let named = targets(shown)
                        .any(|(expr, legend)| expr.starts_with("vector(") && legend == name);
                    assert!(named, "{}: {}: no line {name}", board.name, panel.title);
                }
            }
        }
    }
    assert!(lines > 50, "{lines}");
}

#[test]
fn the_regions_of_a_panel_end_in_their_worst_colour() {
    let weight = |color: &Value| {
        ["green", "blue", "yellow", "orange", "red"]
            .iter()
            .position(|c| color == c)
    };
    for spec in SPECS {
        let plan = plan(spec);
        let boards = boards_of(spec, &plan);
        for dashboard in &plan.dashboards {
            let (board, drawn) = drawn(&boards, dashboard);
            for panel in dashboard
                .panels()
                .filter(|panel| !panel.thresholds.is_empty())
            {
                let Some(shown) = drawn.get(&u64::from(panel.id)) else {
                    continue;
                };
                let steps = shown["fieldConfig"]["defaults"]["thresholds"]["steps"]
                    .as_array()
                    .unwrap();
                let colors: Vec<_> = steps.iter().map(|step| weight(&step["color"])).collect();
                let sorted = |mut order: Vec<_>, down: bool| {
                    order.sort();
                    if down {
                        order.reverse();
                    }
                    order
                };
                let bad = panel
                    .thresholds
                    .iter()
                    .filter(|line| line.role != slosmith::plan::dashboard::Role::Target);
                let sides: BTreeSet<_> = bad.map(|line| line.upper).collect();
                if sides.len() == 1 {
                    let down = !sides.contains(&true);
                    assert_eq!(
                        colors,
                        sorted(colors.clone(), down),
                        "{}: {}",
                        board.name,
                        panel.title
                    );
                }
            }
        }
    }
}

#[test]
fn no_two_panels_have_one_title() {
    for board in boards() {
        let mut seen = BTreeSet::new();
        for panel in board.panels() {
            assert!(
                seen.insert(title(panel)),
                "{}: two panels `{}`",
                board.name,
                title(panel)
            );
        }
    }
}

fn families(signal: &Signal) -> Vec<String> {
    match &signal.source {
        Source::Family(family) => family.names.iter().cloned().collect(),
        Source::Ratio { of, over, .. } => [families(of), families(over)].concat(),
        Source::Raw(_) => Vec::new(),
    }
}

#[test]
fn every_alert_leads_to_a_panel_of_its_signal() {
    let mut led = 0;
    for spec in SPECS {
        let plan = plan(spec);
        let boards = boards_of(spec, &plan);
        for alert in plan.alerts.iter().filter(|alert| alert.is_stored()) {
            let Condition::Compare(first) = alert.condition.leading() else {
                continue;
            };
            let (_, rest) = alert.links.dashboard.rsplit_once("/d/").unwrap();
            let (uid, id) = rest.split_once("?viewPanel=").unwrap();
            let board = boards
                .iter()
                .find(|board| board.json["uid"] == uid)
                .unwrap();
            let panels = board.panels();
            let panel = panels
                .iter()
                .find(|p| p["id"].as_u64() == id.parse().ok())
                .unwrap();
            let shown: Vec<_> = values(panel).collect();
            for family in families(&first.signal) {
                let has = shown.iter().any(|expr| expr.contains(&family));
                assert!(
                    has,
                    "{spec}: {} leads to `{}`: {shown:?}",
                    alert.name,
                    title(panel)
                );
            }
            // Grouped as the alert is: else the line of the group that fires is not there.
            for label in &first.query.labels {
                let has = shown.iter().any(|expr| expr.contains(label.as_str()));
                assert!(
                    has,
                    "{spec}: {} by {label} leads to `{}`",
                    alert.name,
                    title(panel)
                );
            }
            led += 1;
        }
    }
    assert!(led > 20, "{led}");
}

#[test]
fn the_percentiles_of_a_panel_look_back_over_one_time() {
    let mut several = 0;
    for board in boards() {
        for panel in board.panels() {
            let quantiles = values(panel).filter(|expr| expr.contains("histogram_quantile"));
            let windows: Vec<_> = quantiles
                .map(|expr| {
                    expr.split_once('[')
                        .and_then(|(_, rest)| rest.split_once(']'))
                        .unwrap()
                        .0
                })
                .collect();
            several += u32::from(windows.len() > 1);
            let different: BTreeSet<_> = windows.into_iter().collect();
            assert!(
                different.len() < 2,
                "{}: {}: {different:?}",
                board.name,
                title(panel)
            );
        }
    }
    assert!(several > 5, "{several}");
}

#[test]
fn variables_filter_everything_and_offer_all_values() {
    for board in boards() {
        let labels: Vec<_> = board
            .variables()
            .map(|v| v["name"].as_str().unwrap())
            .collect();
        for variable in board.variables() {
            let query = variable["query"].as_str().unwrap();
            let (series, _) = query.split_once('(').unwrap().1.rsplit_once(", ").unwrap();
            let series = parse_with(series, Dialect::Grafana).unwrap();
            let ExprKind::Selector(selector) = &series.kind else {
                panic!("{query}");
            };
            // The job, and the variables before it: nothing that one signal selects.
            for matcher in &selector.matchers {
                let name = matcher.label.text.as_str();
                assert!(
                    ["job", "__name__"].contains(&name) || labels.contains(&name),
                    "{}: {query}",
                    board.name
                );
            }
        }
        let Some(first) = labels.first() else {
            continue;
        };
        for panel in board.panels() {
            // An author's PromQL is as it is written.
            if panel["description"] == "A query from the spec." || title(panel) == "Raw" {
                continue;
            }
            let names = [
                format!("{{{{{first}}}}}"),
                format!("{{{{$legend_{first}}}}}"),
            ];
            let grouped =
                targets(panel).any(|(_, legend)| names.iter().any(|n| legend.contains(n)));
            let table =
                panel["type"] == "table" && values(panel).any(|expr| expr.contains("ALERTS"));
            let filtered = values(panel).any(|expr| expr.contains(&format!("${first}")));
            assert!(
                filtered || !(grouped || table),
                "{}: {} ignores ${first}",
                board.name,
                title(panel)
            );
        }
        for mark in board.json["annotations"]["list"].as_array().unwrap() {
            let Some(expr) = mark["expr"].as_str() else {
                let tags = json!(["deploy", board.json["tags"][1]]);
                assert_eq!(mark["target"]["tags"], tags);
                continue;
            };
            let timed = expr.starts_with("(process_start_time_seconds");
            assert_eq!(mark["useValueForTime"], timed, "{expr}");
            assert!(timed || expr.contains(&format!("${first}")), "{expr}");
        }
    }
}

/// The widest group is behind another word of a legend only where the series shown have several values of it.
#[test]
fn legends_leave_out_what_is_always_the_same() {
    let mut used = 0;
    for board in boards() {
        let labels = board.variables().map(|v| v["name"].as_str().unwrap());
        let labels: Vec<_> = labels.collect();
        let [widest, _, ..] = labels[..] else {
            continue;
        };
        let panels = board.panels();
        let legends = panels.iter().flat_map(|p| targets(p)).map(|(_, l)| l);
        let reference = format!(" {{{{$legend_{widest}}}}}");
        let mut here = 0;
        for legend in legends {
            let named = legend.find(&format!("{{{{{widest}}}}}"));
            assert!(named.is_none_or(|at| at == 0), "{}: {legend}", board.name);
            assert_eq!(
                legend.contains('$'),
                legend.ends_with(&reference),
                "{legend}"
            );
            here += usize::from(legend.ends_with(&reference));
        }
        let hidden: Vec<_> = board.hidden().collect();
        assert_eq!(hidden.len(), usize::from(here > 0), "{}", board.name);
        for variable in hidden {
            assert_eq!(variable["name"], format!("legend_{widest}"));
            assert_eq!(variable["skipUrlSync"], true, "links carry none of it");
        }
        used += here;
    }
    assert!(used > 100, "{used}");
}

#[test]
fn an_overview_begins_with_the_verdict() {
    for board in boards()
        .iter()
        .filter(|board| board.name.ends_with("overview.json"))
    {
        let panels = board.panels();
        assert_eq!(title(panels[0]), "Verdict");
        assert!(FACTS.contains(&title(panels[1])), "{}", title(panels[1]));
        let facts = panels[1..].iter();
        let facts: Vec<_> = facts.take_while(|p| FACTS.contains(&title(p))).collect();
        let last: Vec<_> = facts.iter().rev().take(2).map(|p| title(p)).collect();
        assert_eq!(last, ["What changed last", "What to do"]);
        let panels = &panels[1 + facts.len()..];
        let tiles: Vec<_> = panels.iter().take_while(|p| p["type"] == "stat").collect();
        assert!((2..=8).contains(&tiles.len()), "{}", board.name);
        for tile in &tiles {
            // Nothing older than the end of the time that is shown.
            assert_eq!(
                tile["options"]["reduceOptions"]["calcs"],
                serde_json::json!(["last"])
            );
            assert!(
                values(tile).all(|expr| expr.ends_with("vector(NaN)")),
                "{tile}"
            );
        }
        let tables = &panels[tiles.len()..tiles.len() + 2];
        assert_eq!(
            tables.iter().map(|p| title(p)).collect::<Vec<_>>(),
            ["Alerts", "SLOs"]
        );
        let place = &tables[1]["gridPos"];
        // 1000 pixels are 24 lines of 38 below the head of the page: the first rows of both tables are in sight.
        let top = place["y"].as_u64().unwrap();
        assert!(top + 2 <= 24, "{}: {top}", board.name);
    }
}

#[test]
fn what_has_no_value_says_so() {
    for board in boards() {
        for panel in board
            .panels()
            .iter()
            .filter(|panel| panel["type"] != "heatmap")
        {
            assert_eq!(
                panel["fieldConfig"]["defaults"]["noValue"],
                "no data",
                "{}: {}",
                board.name,
                title(panel)
            );
        }
    }
}

/// The panels beside the verdict.
const FACTS: [&str; 5] = [
    "Affected, and since when",
    "Since when",
    "Budget lasts, at this rate",
    "What to do",
    "What changed last",
];

/// A number is the newest one or "no data": never an old value, and never in a colour that judges.
#[test]
fn a_number_is_new_or_says_no_data() {
    for board in boards() {
        assert!(
            !board.json.to_string().contains("lastNotNull"),
            "{}",
            board.name
        );
        let is_number = |panel: &&&Value| panel["type"] == "stat" || panel["type"] == "gauge";
        for panel in board.panels().iter().filter(is_number) {
            let at = format!("{}: {}", board.name, title(panel));
            assert_eq!(
                panel["options"]["reduceOptions"]["calcs"],
                json!(["last"]),
                "{at}"
            );
            for target in panel["targets"].as_array().unwrap() {
                let ends = target["expr"].as_str().unwrap().ends_with("vector(NaN)");
                assert!(target["instant"] == true || ends, "{at}");
            }
            // The verdict has a value: missing data is one of its states. Facts have neutral colours.
            if title(panel) != "Verdict" && !FACTS.contains(&title(panel)) {
                let mappings = panel["fieldConfig"]["defaults"]["mappings"]
                    .as_array()
                    .unwrap();
                let missing = mappings
                    .iter()
                    .find(|m| m["options"]["match"] == "null+nan");
                let result = &missing.expect(&at)["options"]["result"];
                assert_eq!(
                    (&result["text"], &result["color"]),
                    (&json!("no data"), &json!("blue")),
                    "{at}"
                );
            }
        }
    }
}

/// The state of a tile is written beside its value: one word for each of its colours.
#[test]
fn a_tile_says_its_state_in_a_word() {
    let mut words = BTreeSet::new();
    for board in boards() {
        for panel in board.panels() {
            let tile = panel["options"]["graphMode"] == "area";
            let steps = panel["fieldConfig"]["defaults"]["thresholds"]["steps"].as_array();
            let Some(steps) = steps.filter(|steps| tile && steps.len() > 1) else {
                continue;
            };
            let at = format!("{}: {}", board.name, title(panel));
            let state = &panel["targets"][1];
            assert_eq!(
                (&state["instant"], &state["expr"]),
                (&json!(true), &panel["targets"][0]["expr"]),
                "{at}"
            );
            let own = &panel["fieldConfig"]["overrides"][0];
            assert_eq!(own["matcher"]["options"], state["refId"], "{at}");
            let mappings = own["properties"][0]["value"].as_array().unwrap();
            let ranges: Vec<_> = mappings.iter().filter(|m| m["type"] == "range").collect();
            let from: Vec<_> = ranges.iter().rev().map(|m| &m["options"]["from"]).collect();
            assert_eq!(
                from,
                steps.iter().map(|step| &step["value"]).collect::<Vec<_>>(),
                "{at}"
            );
            for (range, step) in ranges.iter().rev().zip(steps) {
                let word = range["options"]["result"]["text"].as_str().unwrap();
                assert_eq!(word == "ok", step["color"] == "#1AA39A", "{at}: {word}");
                words.insert(word.to_owned());
            }
        }
    }
    assert!(words.len() >= 4, "{words:?}");
}

/// A percentile at the last boundary of its histogram has a line that says so, and only there.
#[test]
fn percentiles_say_where_their_histogram_ends() {
    let mut ends = 0;
    for board in boards() {
        for panel in board.panels() {
            let end = targets(panel).find(|(_, legend)| *legend == "histogram ends here");
            let Some((expr, _)) = end else { continue };
            ends += 1;
            let at = format!("{}: {}", board.name, title(panel));
            let (bound, reached) = expr.split_once("and on ()").expect(&at);
            let bound = bound
                .trim()
                .strip_prefix("vector(")
                .and_then(|rest| rest.strip_suffix(')'));
            let bound = bound.expect(&at);
            assert!(
                reached.trim_end().ends_with(&format!("== {bound}")),
                "{at}: {expr}"
            );
            assert!(reached.contains("histogram_quantile("), "{at}: {expr}");
        }
    }
    assert!(ends > 10, "{ends}");
}

/// Red, green and blue as light, from 0 to 1.
fn light(color: &str) -> [f64; 3] {
    [1, 3, 5].map(|at| {
        let byte = u8::from_str_radix(&color[at..at + 2], 16).expect("a colour");
        let value = f64::from(byte) / 255.0;
        match value <= 0.04045 {
            true => value / 12.92,
            false => ((value + 0.055) / 1.055).powf(2.4),
        }
    })
}

type Matrix = [[f64; 3]; 3];

fn times(matrix: &Matrix, by: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row.iter().zip(by).map(|(a, b)| a * b).sum())
}

/// Light for people who see all colours, and for those who lack one kind of cone: Machado, Oliveira and Fernandes, "A
/// Physiologically-based Model for Simulation of Color Vision Deficiency", 2009, severity 1.
const SIGHTS: [(&str, Matrix); 4] = [
    ("all", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protanopia",
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
    ),
    (
        "deuteranopia",
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
    ),
    (
        "tritanopia",
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ),
];

/// CIE XYZ of sRGB light, by its white (D65).
const XYZ: Matrix = [
    [0.4124 / 0.9505, 0.3576 / 0.9505, 0.1805 / 0.9505],
    [0.2126, 0.7152, 0.0722],
    [0.0193 / 1.089, 0.1192 / 1.089, 0.9505 / 1.089],
];

fn lab(light: [f64; 3]) -> [f64; 3] {
    let [x, y, z] =
        times(&XYZ, light.map(|part| part.clamp(0.0, 1.0))).map(|part| match part > 0.008856 {
            true => part.cbrt(),
            false => 7.787 * part + 16.0 / 116.0,
        });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// The contrast ratio of WCAG 2.
fn contrast(one: &str, other: &str) -> f64 {
    let luminance = [one, other].map(|color| times(&XYZ, light(color))[1]);
    let [dark, bright] = [
        luminance[0].min(luminance[1]),
        luminance[0].max(luminance[1]),
    ];
    (bright + 0.05) / (dark + 0.05)
}

/// The text that Grafana writes on a background: dark on a bright one.
fn text_on(color: &str) -> &'static str {
    let [red, green, blue] =
        [1, 3, 5].map(|at| u32::from_str_radix(&color[at..at + 2], 16).unwrap());
    match (red * 299 + green * 587 + blue * 114) / 1000 > 180 {
        true => "#202226",
        false => "#f7f8fa",
    }
}

#[test]
fn every_reader_can_tell_states_apart() {
    fn colors(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(all) => {
                let color = all.get("color").and_then(Value::as_str);
                found.extend(
                    color
                        .filter(|color| color.starts_with('#'))
                        .map(str::to_owned),
                );
                all.values().for_each(|value| colors(value, found));
            }
            Value::Array(all) => all.iter().for_each(|value| colors(value, found)),
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    for board in boards() {
        colors(&board.json, &mut found);
    }
    // The colour of a number that is well: text, not ground.
    assert!(found.remove(WELL));
    assert_eq!(found.len(), 5, "{found:?}");
    for color in &found {
        let ratio = contrast(color, text_on(color));
        assert!(ratio >= 4.5, "text on {color}: {ratio:.1}");
    }
    told_apart(&found.iter().map(String::as_str).collect::<Vec<_>>(), 15.0);
    // Grafana's own colours of bad and missing numbers, in the dark and the bright theme.
    for (ground, others) in [
        ("#181b1f", ["#FADE2A", "#FF9830", "#F2495C", "#5794F2"]),
        ("#ffffff", ["#F2CC0C", "#FF780A", "#E02F44", "#3274D9"]),
    ] {
        let ratio = contrast(WELL, ground);
        assert!(ratio >= 3.0, "large text on {ground}: {ratio:.1}");
        others
            .iter()
            .for_each(|other| told_apart(&[WELL, other], 12.0));
    }
}

const WELL: &str = "#1AA39A";

/// The distance of each pair of colours in CIE Lab, for every reader.
fn told_apart(colors: &[&str], least: f64) {
    for (i, color) in colors.iter().enumerate() {
        for other in &colors[i + 1..] {
            for (sight, matrix) in &SIGHTS {
                let [one, two] = [color, other].map(|color| lab(times(matrix, light(color))));
                let apart: f64 = one.iter().zip(two).map(|(a, b)| (a - b).powi(2)).sum();
                let apart = apart.sqrt();
                assert!(apart >= least, "{color} and {other}, {sight}: {apart:.0}");
            }
        }
    }
}

/// The states of the preview are text on a panel.
#[test]
fn every_reader_can_tell_the_states_of_the_preview_apart() {
    let style = include_str!("../../templates/preview/style.html");
    let themes: Vec<_> = style.split(":root {").skip(1).take(2).collect();
    assert_eq!(themes.len(), 2);
    for theme in themes {
        let of = |name: &str| {
            let value = theme
                .split(&format!("--{name}: "))
                .nth(1)
                .expect("a colour");
            value.split(';').next().expect("an end")
        };
        // `#fff` is short.
        let ground = match of("box") {
            "#fff" => "#ffffff",
            ground => ground,
        };
        let colors = ["green", "blue", "yellow", "orange", "red"].map(of);
        for color in colors {
            let ratio = contrast(color, ground);
            assert!(ratio >= 4.5, "{color} on {ground}: {ratio:.1}");
        }
        told_apart(&colors, 22.0);
    }
}

#[test]
fn a_tile_is_not_read_as_a_part_of_a_condition_reads_it() {
    // An alert on a fast p50 together with something else says nothing of the latency that users feel.
    let plan = plan("specs/vllm-production.yaml");
    let boards = boards_of("specs/vllm-production.yaml", &plan);
    let overview = boards
        .iter()
        .find(|board| board.name.ends_with("overview.json"))
        .unwrap();
    let panels = overview.panels();
    let tile = panels
        .iter()
        .find(|panel| title(panel).starts_with("ITL"))
        .unwrap();
    assert!(title(tile).starts_with("ITL p95"), "{tile}");
    assert!(values(tile).all(|expr| expr.starts_with("max(")), "{tile}");
}
