//! Dashboards as boxes on a grid, with the lines that their thresholds become.

use super::view::{Dashboard, Link, Panel, Query, Row, Threshold};
use crate::plan::dashboard::{self, Color, Draw, Role};
use crate::promql::pretty;
use crate::spec::GraphKind;
use crate::target::grafana::SPELLING;
use crate::units::Number;

/// Lines of queries break here.
const WIDTH: usize = 80;

pub(super) fn dashboard(dashboard: &dashboard::Dashboard) -> Dashboard {
    let variables: Vec<_> = dashboard
        .variables
        .iter()
        .map(|v| v.label.as_str())
        .collect();
    Dashboard {
        title: dashboard.title.clone(),
        description: dashboard.description.clone(),
        uid: dashboard.uid.clone(),
        refresh: dashboard.refresh.to_string(),
        range: dashboard.range.to_string(),
        variables: variables.join(", "),
        rows: dashboard.rows.iter().map(row).collect(),
    }
}

fn row(row: &dashboard::Row) -> Row {
    let repeat = row
        .repeat
        .as_ref()
        .map(|label| format!("once for each {label}"));
    let closed = row.collapsed.then(|| "closed at first".to_owned());
    let note: Vec<_> = repeat.into_iter().chain(closed).collect();
    Row {
        title: row.title.clone(),
        note: note.join(", "),
        panels: row.placed().map(|(place, p)| panel(p, place)).collect(),
    }
}

fn name(kind: GraphKind) -> &'static str {
    match kind {
        GraphKind::Number => "number",
        GraphKind::Gauge => "gauge",
        GraphKind::Timeseries => "time series",
        GraphKind::Stacked => "stacked",
        GraphKind::Bars => "bars",
        GraphKind::Heatmap => "heatmap",
        GraphKind::Table => "table",
        GraphKind::Status => "status",
    }
}

fn panel(panel: &dashboard::Panel, place: dashboard::Place) -> Panel {
    let (kind, graph) = match &panel.draw {
        Draw::Graph(kind) => (name(*kind), kind.is_over_time()),
        Draw::Tile => ("tile", false),
        Draw::Text(_) => ("text", false),
        Draw::Alerts(_) => ("alerts", false),
        Draw::Objectives(_) => ("objectives", false),
    };
    Panel {
        column: place.x + 1,
        line: place.y + 1,
        width: place.w,
        height: place.h,
        title: panel.title.clone(),
        kind: kind.to_owned(),
        description: panel.description.clone(),
        text: match &panel.draw {
            Draw::Text(text) => text.clone(),
            _ => String::new(),
        },
        graph,
        thresholds: thresholds(panel),
        queries: panel.series.iter().map(query).collect(),
        links: panel
            .links
            .iter()
            .map(|(title, url)| Link {
                title: title.clone(),
                url: url.clone(),
            })
            .collect(),
    }
}

fn query(series: &dashboard::Series) -> Query {
    Query {
        title: series.title.clone(),
        expr: pretty(&SPELLING.of(&series.query.expr), WIDTH),
    }
}

/// Lines of which less of the height is between have their texts beside each other, so many percent apart.
const CLOSE: f64 = 16.0;
const INDENT: u32 = 32;

/// Thresholds from the highest to the lowest, at their heights on an axis that begins at zero.
fn thresholds(panel: &dashboard::Panel) -> Vec<Threshold> {
    let highest = panel.thresholds.iter().map(|t| t.value).max();
    let top = highest.unwrap_or_default() * Number::new(6, 5);
    let height = |value: Number| match top == Number::default() {
        true => 100.0,
        false => share(Number::from_integer(1) - value / top) * 100.0,
    };
    let one = |t: &dashboard::Threshold| {
        let side = if t.upper { "above" } else { "below" };
        let side = if t.role == Role::Target {
            "target"
        } else {
            side
        };
        Threshold {
            text: format!("{side} {}", t.text),
            role: match t.role {
                Role::Alert => "alert",
                Role::Target => "target",
                Role::Advisory => "advisory",
            }
            .to_owned(),
            color: match t.color {
                Color::Green => "green",
                Color::Blue => "blue",
                Color::Yellow => "yellow",
                Color::Orange => "orange",
                Color::Red => "red",
            }
            .to_owned(),
            from_top: height(t.value),
            indent: 0,
        }
    };
    let mut lines: Vec<Threshold> = panel.thresholds.iter().rev().map(one).collect();
    for i in 1..lines.len() {
        // The text of a line would cover that of the last.
        if lines[i].from_top - lines[i - 1].from_top < CLOSE {
            lines[i].indent = (lines[i - 1].indent + INDENT) % (3 * INDENT);
        }
    }
    lines
}

/// Two digits are as fine as a picture can be.
fn share(value: Number) -> f64 {
    let percent = (value * 10_000).round().to_integer();
    // At most some tens of thousands.
    f64::from(i32::try_from(percent).unwrap_or_default()) / 10_000.0
}
