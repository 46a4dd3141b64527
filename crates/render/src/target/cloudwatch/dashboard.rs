//! Bodies of dashboards: panels of the plan as widgets.
//!
//! A graph of two lines becomes a widget of type `metric` with a row for each metric and expression, the marks of
//! its thresholds, and an axis that says what it counts in.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::api::number;
use super::expression::{Speller, group_label};
use super::layout::{self, Widget};
use crate::template::Tree;
use slosmith_plan::plan::cloudwatch::{
    ChartQuery, CloudWatchDashboard, CloudWatchPanel, Content, Graph, GraphLine, Shown, View,
};
use slosmith_plan::plan::dashboard::{Color, Place, Role, Threshold};
use slosmith_plan::plan::{ValueUnit, words};
use slosmith_text::units::{Duration, Number, Unit};

#[derive(Serialize)]
pub(super) struct DashboardView<'a> {
    start: String,
    region: &'a str,
    widgets: Vec<Tree>,
}

/// `arns` is the beginning of the ARNs of alarms.
pub(super) fn view<'a>(
    dashboard: &CloudWatchDashboard,
    region: &'a str,
    arns: &str,
) -> DashboardView<'a> {
    let widgets = layout::widgets(dashboard).into_iter();
    DashboardView {
        start: format!("-{}", iso(dashboard.range)),
        region,
        widgets: widgets
            .map(|(place, widget)| {
                let (kind, properties) = match widget {
                    Widget::Heading(title) => text(&format!("## {title}")),
                    Widget::Panel(panel) => self::panel(panel, region, arns),
                    Widget::Alarms(title, names) => alarms(title, names, arns),
                    Widget::Missing(lines) => text(&format!(
                        "**Not in CloudWatch**\n\n- {}",
                        lines.join("\n- ")
                    )),
                };
                Tree::of(&at(place, kind, properties))
            })
            .collect(),
    }
}

/// `PT3H` or `P30D`: a length of time as ISO 8601 has it.
fn iso(range: Duration) -> String {
    let seconds = range.as_secs();
    match seconds % 3_600 {
        0 if seconds.is_multiple_of(86_400) => format!("P{}D", seconds / 86_400),
        0 => format!("PT{}H", seconds / 3_600),
        _ => format!("PT{}M", range.mins_up()),
    }
}

// `json!` copies a value that it is given; one that is put in its place is moved.
fn at(p: Place, kind: &str, properties: Value) -> Value {
    let mut widget = json!({"type": kind, "x": p.x, "y": p.y, "width": p.w, "height": p.h});
    widget["properties"] = properties;
    widget
}

fn text(markdown: &str) -> (&'static str, Value) {
    ("text", json!({"markdown": markdown}))
}

fn panel(panel: &CloudWatchPanel, region: &str, arns: &str) -> (&'static str, Value) {
    let title = &panel.title;
    match &panel.content {
        Content::Text(markdown) => text(markdown),
        Content::Alarms(names) => alarms(title, names, arns),
        Content::Graph(graph) => ("metric", self::graph(graph, title, region)),
        Content::Chart(view, queries) => ("chart", chart(*view, queries, title, region)),
    }
}

fn alarms(title: &str, names: &[String], arns: &str) -> (&'static str, Value) {
    let alarms: Vec<_> = names.iter().map(|name| format!("{arns}{name}")).collect();
    ("alarm", json!({"title": title, "alarms": alarms}))
}

fn graph(graph: &Graph, title: &str, region: &str) -> Value {
    let mut p = Map::new();
    let mut put = |key: &str, value: Value| {
        p.insert(key.to_owned(), value);
    };
    put("title", json!(title));
    put("region", json!(region));
    put("view", json!(view_name(graph.view)));
    if graph.view == View::Stacked {
        put("stacked", json!(true));
    }
    put("metrics", Value::Array(rows(graph)));
    let single = matches!(graph.view, View::Number | View::Table);
    if !single {
        put("yAxis", axis(graph));
        put("legend", json!({"position": "bottom"}));
    }
    if let Some(time) = graph.covers {
        put("setPeriodToTimeRange", json!(true));
        put("start", json!(format!("-{}", iso(time))));
    }
    let marks = graph.thresholds.iter();
    let marks: Vec<_> = marks.map(|line| mark(line, graph)).collect();
    if !marks.is_empty() && !single {
        put("annotations", json!({"horizontal": marks}));
    }
    Value::Object(p)
}

fn view_name(view: View) -> &'static str {
    match view {
        View::Number => "singleValue",
        View::Gauge => "gauge",
        View::Lines | View::Stacked => "timeSeries",
        View::Table => "table",
    }
}

fn axis(graph: &Graph) -> Value {
    let good = |line: &GraphLine| line.shown == Shown::RestInPercent;
    let mut left = match graph.view {
        View::Gauge => json!({"min": 0, "max": 100}),
        // From 0 to 100, an objective of 99.9 % and 99 % of good events are one line.
        _ if graph.lines.iter().all(good) => json!({"max": 100}),
        _ => json!({"min": 0}),
    };
    let unit = axis_unit(graph.unit, graph.worth);
    if !unit.is_empty() {
        left["label"] = json!(unit);
        left["showUnits"] = json!(false);
    }
    json!({"left": left})
}

fn axis_unit(unit: ValueUnit, worth: Number) -> String {
    let name = match unit.unit {
        Unit::Ratio => "%",
        Unit::Seconds if worth == Number::new(1, 1_000) => "ms",
        Unit::Seconds if worth == Number::new(1, 1_000_000) => "µs",
        Unit::Seconds => "s",
        Unit::Bool | Unit::Count => "",
        other => other.as_str(),
    };
    match unit.per {
        Some(per) => format!("{name}/{}", per.name),
        None => name.to_owned(),
    }
}

/// Metrics and expressions. Ids begin with the letter of the panel's series: no two of a widget are alike.
fn rows(graph: &Graph) -> Vec<Value> {
    let mut rows = Vec::new();
    let mut speller = Speller::of_series(0);
    let mut series = 0;
    for (i, line) in graph.lines.iter().enumerate() {
        if line.series != series {
            series = line.series;
            speller = Speller::of_series(series);
        }
        let label = label(graph.view, line);
        let formula = speller.shown(&line.value, line.shown, line.period);
        if formula.metrics.is_empty() {
            let id = speller.search_id();
            let expression = formula.expression;
            rows.push(json!([{"id": id, "expression": expression, "label": label}]));
            continue;
        }
        for m in &formula.metrics {
            let statistic = m.stat.statistic.to_string();
            let mut options = json!({"id": m.id, "stat": statistic, "period": line.period});
            match &formula.expression {
                Some(_) => options["visible"] = json!(false),
                None => options["label"] = json!(label),
            }
            let dimensions = m.dimensions().iter();
            let mut row = vec![json!(m.stat.namespace), json!(m.name)];
            row.extend(dimensions.flat_map(|(n, v)| [json!(n), json!(v)]));
            row.push(options);
            rows.push(Value::Array(row));
        }
        if let Some(expression) = &formula.expression {
            rows.push(json!([{
                "id": format!("e{}", i + 1),
                "expression": expression,
                "label": in_unit(label, graph),
                "period": line.period,
            }]));
        }
    }
    rows
}

/// The legend shows the newest value. A dynamic label of the author's is text.
fn label(view: View, line: &GraphLine) -> String {
    let own = line.label.replace("${", "$ {");
    match (group_label(&line.value), view) {
        (Some(groups), _) if own.is_empty() => groups,
        (Some(groups), _) => format!("{own} {groups}"),
        (None, View::Lines | View::Stacked) => format!("{own} ${{LAST}}"),
        (None, _) => own,
    }
}

/// A number has no axis, and expressions have no unit in CloudWatch: the label contains the unit.
fn in_unit(label: String, graph: &Graph) -> String {
    let unit = axis_unit(graph.unit, graph.worth);
    match graph.view {
        View::Number | View::Table if !unit.is_empty() => format!("{label}, {unit}"),
        _ => label,
    }
}

fn mark(line: &Threshold, graph: &Graph) -> Value {
    let mut mark = json!({
        "value": number(line.value / graph.worth),
        "label": words::line(line),
        "color": color(line.color),
    });
    if line.role == Role::Alert {
        mark["fill"] = json!(if line.upper { "above" } else { "below" });
    }
    mark
}

/// CloudWatch's own palette.
fn color(color: Color) -> &'static str {
    match color {
        Color::Green => "#2ca02c",
        Color::Blue => "#1f77b4",
        Color::Yellow => "#dbdb8d",
        Color::Orange => "#ff7f0e",
        Color::Red => "#d62728",
    }
}

/// A widget on PromQL: it has another type, and its queries are in another field.
fn chart(view: View, queries: &[ChartQuery], title: &str, region: &str) -> Value {
    let queries: Vec<_> = queries
        .iter()
        .enumerate()
        .map(|(i, query)| {
            json!({
                "id": format!("q{}", i + 1),
                "type": "cloudwatch-metrics",
                "language": "PromQL",
                "query": query.expr.to_string(),
                "label": query.label,
                "step": 60,
            })
        })
        .collect();
    json!({
        "title": title,
        "region": region,
        "view": view_name(view),
        "stacked": view == View::Stacked,
        "data": {"queries": queries},
    })
}
