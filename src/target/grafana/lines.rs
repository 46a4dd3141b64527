//! Threshold lines of a graph, each with a name in the legend.
//!
//! Grafana's own threshold lines have no names, and lower limits would look like upper ones. So each threshold is a series of
//! its own: `vector(2)`, called `alert HighTTFT 2s`, dashed and in the colour of the threshold.

use serde_json::json;

use super::field::color_name;
use super::view::{Override, Query, ref_id};
use crate::plan::dashboard::{Panel, Threshold};
use crate::plan::words;
use crate::promql::build;
use crate::spec::GraphKind;
use crate::units::decimal;

/// A threshold as a series.
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
    let numbered = (panel.series.len()..).zip(&panel.thresholds);
    numbered.map(|(i, bound)| line(i, bound)).collect()
}

fn line(index: usize, bound: &Threshold) -> Line {
    let name = words::line(bound);
    let query = Query {
        name: ref_id(index),
        expr: build::call("vector", [build::number(decimal(bound.value))]).to_string(),
        // What is in braces would be taken for a label.
        legend: name.replace("{{", "{ {"),
        heading: name,
        exemplar: false,
    };
    let property = |id: &str, value: serde_json::Value| json!({"id": id, "value": value});
    let look = Override {
        matcher: json!({"id": "byFrameRefID", "options": query.name}),
        properties: vec![
            property(
                "color",
                json!({"mode": "fixed", "fixedColor": color_name(bound.color)}),
            ),
            property("custom.lineStyle", json!({"fill": "dash", "dash": [8, 6]})),
            property("custom.lineWidth", json!(1)),
            property("custom.drawStyle", json!("line")),
            property("custom.fillOpacity", json!(0)),
            property("custom.stacking", json!({"group": "A", "mode": "none"})),
        ],
    };
    Line { query, look }
}
