//! Threshold lines of a graph, each with a name in the legend.
//!
//! Grafana's own threshold lines have no names, and lower limits would look like upper ones. So each threshold is a series of
//! its own: `vector(2)`, called `alert HighTTFT 2s`, dashed and in the colour of the threshold. A percentile that stays at the last
//! boundary of its histogram has a line that says so.

use serde_json::json;

use super::SPELLING;
use super::field::{color_name, regions};
use super::view::{Override, Query, WIDTH, ref_id};
use slosmith_plan::plan::dashboard::{Color, Draw, Origin, Panel, Role, Threshold};
use slosmith_plan::plan::words;
use slosmith_promql::ast::{AggregateOp, BinaryOp, Expr};
use slosmith_promql::{build, pretty};
use slosmith_spec::spec::{GraphKind, Stat};
use slosmith_text::units::{Number, decimal, printed_float};

pub(super) struct Line {
    pub(super) query: Query,
    pub(super) look: Override,
}

/// The thresholds of a graph; other panels show thresholds as colours.
pub(super) fn lines(panel: &Panel) -> Vec<Line> {
    let kind = panel.draw.graph();
    let drawn = kind.is_some_and(|kind| kind.is_over_time() && kind != GraphKind::Heatmap);
    if !drawn {
        return Vec::new();
    }
    let bounds = panel.thresholds.iter().map(|bound| {
        let at = build::call("vector", [build::number(decimal(bound.value))]);
        (words::line(bound), at, color_name(bound.color))
    });
    let lines = bounds.chain(end(panel).map(|at| (END.to_owned(), at, "text")));
    let numbered = (panel.series.len()..).zip(lines);
    let line = |(i, (name, at, color)): (usize, (String, Expr, &str))| line(i, name, &at, color);
    numbered.map(line).collect()
}

/// The name of the line at the end of a histogram.
const END: &str = "histogram ends here";

/// The last boundary of the histogram, while the highest percentile is there: a percentile is never above it.
fn end(panel: &Panel) -> Option<Expr> {
    let last = || Some(build::number(decimal(panel.ends?)));
    let highest = panel
        .series
        .iter()
        .max_by_key(|series| match &series.origin {
            Origin::Signal(read) => match read.stat {
                Stat::Quantile(quantile) => Some(quantile),
                _ => None,
            },
            _ => None,
        })?;
    let none: [&str; 0] = [];
    let value = SPELLING.of(&highest.query.expr);
    let worst = build::aggregate(AggregateOp::Max, &none, value);
    let reached = build::binary(BinaryOp::Eq, worst, last()?);
    let at = build::call("vector", [last()?]);
    Some(
        build::binary(BinaryOp::And, at, Expr::from(reached))
            .on(&none)
            .into(),
    )
}

fn line(index: usize, name: String, at: &Expr, color: &str) -> Line {
    let query = Query {
        name: ref_id(index),
        expr: pretty(at, WIDTH),
        // What is in braces would be taken for a label.
        legend: name.replace("{{", "{ {"),
        heading: name,
        exemplar: false,
        instant: false,
    };
    let property = |id: &str, value: serde_json::Value| json!({"id": id, "value": value});
    let look = Override {
        matcher: json!({"id": "byFrameRefID", "options": query.name}),
        properties: vec![
            property("color", json!({"mode": "fixed", "fixedColor": color})),
            property("custom.lineStyle", json!({"fill": "dash", "dash": [8, 6]})),
            property("custom.lineWidth", json!(1)),
            property("custom.drawStyle", json!("line")),
            property("custom.fillOpacity", json!(0)),
            property("custom.stacking", json!({"group": "A", "mode": "none"})),
        ],
    };
    Line { query, look }
}

/// The state of a tile in a word, beside its value: colours alone do not say it to every reader.
pub(super) fn word(panel: &Panel) -> Option<Line> {
    let regions = judged(panel)?;
    let value = panel.series.first()?;
    let query = Query {
        name: ref_id(panel.series.len()),
        expr: pretty(&SPELLING.of(&value.query.expr), WIDTH),
        legend: "state".to_owned(),
        heading: "state".to_owned(),
        exemplar: false,
        instant: true,
    };
    // The first that fits is taken: from the highest values to the lowest. The value itself says that it has no data.
    let missing = json!({"type": "special", "options": {"match": "null+nan", "result": {"index": 0, "text": ""}}});
    let words = (1..).zip(regions.iter().rev()).map(|(index, (from, worst))| {
        let text = worst.map_or("ok", said);
        let result = json!({"index": index, "text": text});
        json!({"type": "range", "options": {"from": from.map(printed_float), "to": null, "result": result}})
    });
    let mappings: Vec<_> = std::iter::once(missing).chain(words).collect();
    let look = Override {
        matcher: json!({"id": "byFrameRefID", "options": query.name}),
        properties: vec![json!({"id": "mappings", "value": mappings})],
    };
    Some(Line { query, look })
}

pub(in crate::target) fn state_of(panel: &Panel, value: f64) -> Option<&'static str> {
    let regions = judged(panel)?;
    let reached = |from: &Option<Number>| from.is_none_or(|from| printed_float(from) <= value);
    let (_, worst) = regions.iter().rfind(|(from, _)| reached(from))?;
    Some(worst.map_or("ok", said))
}

/// The regions of a tile whose value has a state.
fn judged(panel: &Panel) -> Option<Vec<(Option<Number>, Option<&Threshold>)>> {
    let regions = regions(&panel.thresholds);
    (panel.draw == Draw::Tile && regions.len() > 1).then_some(regions)
}

/// The state of a value beyond a threshold.
fn said(bound: &Threshold) -> &'static str {
    match (bound.role, bound.color) {
        (Role::Target, _) => "missed",
        (Role::Alert, _) => "alert",
        (Role::Advisory, Color::Red) => "critical",
        (Role::Advisory, _) => "degraded",
    }
}
