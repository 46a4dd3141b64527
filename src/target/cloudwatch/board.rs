//! Bodies of dashboards.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::api::number;
use crate::plan::cloudwatch::{Board, Content, Graph, Line, Mark, View, Widget};
use crate::plan::dashboard::Color;
use crate::template::Tree;
use crate::units::Duration;

/// What the template of a dashboard sees.
#[derive(Serialize)]
pub(super) struct BoardView<'a> {
    start: String,
    region: &'a str,
    widgets: Vec<Tree>,
}

/// Alarms are named by region and account.
pub(super) fn view<'a>(board: &Board, region: &'a str, account: &str) -> BoardView<'a> {
    let widgets = board.widgets.iter();
    BoardView {
        start: format!("-{}", iso(board.range)),
        region,
        widgets: widgets.map(|w| widget(w, region, account).into()).collect(),
    }
}

/// `PT3H`: a length of time as ISO 8601 has it.
fn iso(range: Duration) -> String {
    let seconds = range.as_secs();
    match seconds % 3_600 {
        0 => format!("PT{}H", seconds / 3_600),
        _ => format!("PT{}M", range.mins_up()),
    }
}

fn widget(w: &Widget, region: &str, account: &str) -> Value {
    let (kind, properties) = match &w.content {
        Content::Text(markdown) => ("text", json!({"markdown": markdown})),
        Content::Alarms(names) => {
            let arn = |name: &String| format!("arn:aws:cloudwatch:{region}:{account}:alarm:{name}");
            let alarms: Vec<_> = names.iter().map(arn).collect();
            ("alarm", json!({"title": w.title, "alarms": alarms}))
        }
        Content::Graph(graph) => ("metric", self::graph(graph, &w.title, region)),
        Content::Chart(view, queries) => ("chart", chart(*view, queries, &w.title, region)),
    };
    let p = w.place;
    json!({
        "type": kind, "x": p.x, "y": p.y, "width": p.w, "height": p.h, "properties": properties
    })
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
    put("metrics", json!(rows(graph)));
    let single = matches!(graph.view, View::Number | View::Table);
    if !single {
        put("yAxis", axis(graph));
        put("legend", json!({"position": "bottom"}));
    }
    if graph.whole_range {
        put("setPeriodToTimeRange", json!(true));
    }
    let marks: Vec<_> = graph.marks.iter().map(mark).collect();
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
    let mut left = json!({"min": 0});
    if let Some(max) = graph.max {
        left["max"] = number(max);
    }
    if !graph.unit.is_empty() {
        left["label"] = json!(graph.unit);
        left["showUnits"] = json!(false);
    }
    json!({"left": left})
}

fn rows(graph: &Graph) -> Vec<Value> {
    let newest = matches!(graph.view, View::Lines | View::Stacked);
    // The newest value stands in the legend. A dynamic label of the author's is text.
    let label = |text: &str| match newest {
        true => format!("{} ${{LAST}}", text.replace("${", "$ {")),
        false => text.replace("${", "$ {"),
    };
    let mut rows = Vec::new();
    for (i, line) in graph.lines.iter().enumerate() {
        match line {
            Line::Search {
                id,
                expression,
                label,
            } => rows.push(json!([{"id": id, "expression": expression, "label": label}])),
            Line::Value(value, period) => {
                for m in &value.metrics {
                    let mut options = json!({"id": m.id, "stat": m.stat, "period": period});
                    match &value.expression {
                        Some(_) => options["visible"] = json!(false),
                        None => options["label"] = json!(label(&value.label)),
                    }
                    let dimensions = m.dimensions.iter().flat_map(|(n, v)| [json!(n), json!(v)]);
                    let mut row = vec![json!(m.namespace), json!(m.name)];
                    row.extend(dimensions);
                    row.push(options);
                    rows.push(Value::Array(row));
                }
                if let Some(expression) = &value.expression {
                    rows.push(json!([{
                        "id": format!("e{}", i + 1),
                        "expression": expression,
                        "label": label(&value.label),
                        "period": period,
                    }]));
                }
            }
        }
    }
    rows
}

fn mark(mark: &Mark) -> Value {
    let mut line = json!({
        "value": number(mark.value), "label": mark.label, "color": color(mark.color)
    });
    if mark.fill {
        line["fill"] = json!(if mark.upper { "above" } else { "below" });
    }
    line
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

/// A widget on PromQL: its type is another one, and its queries stand elsewhere.
fn chart(view: View, queries: &[(String, String)], title: &str, region: &str) -> Value {
    let queries: Vec<_> = queries
        .iter()
        .enumerate()
        .map(|(i, (label, query))| {
            json!({
                "id": format!("q{}", i + 1),
                "type": "cloudwatch-metrics",
                "language": "PromQL",
                "query": query,
                "label": label,
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
