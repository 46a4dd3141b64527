//! Colours of values.

use crate::context::Cx;
use crate::fields::start;
use crate::known::quantity;
use crate::print::{Map, Value};
use slosmith_lint::artifact::Panel;
use slosmith_lint::artifact::Raw;
use slosmith_text::units::Unit;
use slosmith_text::yaml::Node;

pub(super) fn of(
    cx: &mut Cx<'_>,
    raw: &Raw,
    panel: &Panel,
    unit: Option<Unit>,
    comments: &mut Vec<String>,
) -> Value {
    let none = Value::List(Vec::new());
    let pointer = format!("{}/fieldConfig/defaults/thresholds", panel.pointer);
    let kind = panel.kind.as_ref().map_or("", |kind| kind.value.as_str());
    let is_value = matches!(kind, "stat" | "gauge" | "bargauge" | "table");
    let is_drawn = panel
        .thresholds
        .as_ref()
        .is_some_and(|thresholds| thresholds.is_drawn);
    let Some(node) = raw.node(&pointer).filter(|_| is_value || is_drawn) else {
        return none;
    };
    let mut lost = |cx: &mut Cx<'_>, why: &str| {
        comments.push(cx.lost(start(raw.place(node)), format!("thresholds: {why}"), ""));
        Value::List(Vec::new())
    };
    if node.get("mode").and_then(Node::text) == Some("percentage") {
        return lost(cx, "percentages of the axis range are not supported");
    }
    let steps = node.get("steps").map_or(&[][..], Node::items);
    let Some((base, steps)) = steps.split_first() else {
        return none;
    };
    if !matches!(color(base), Some("green" | "blue") | None) {
        return lost(cx, "the lowest step must be green or blue");
    }
    let mut items = Vec::new();
    for step in steps {
        let value = step.get("value").and_then(Node::text).unwrap_or_default();
        let Some(at) = quantity(value, unit, false) else {
            return lost(cx, "a value is not a number");
        };
        let Some(color) = color(step) else {
            return lost(
                cx,
                "unsupported color: use green, blue, yellow, orange or red",
            );
        };
        let mut map = Map::default();
        map.put("at", Value::word(at));
        map.put("color", Value::word(color));
        items.push(map.into());
    }
    Value::List(items)
}

fn color(step: &Node<'_>) -> Option<&'static str> {
    let name = step.get("color").and_then(Node::text).unwrap_or_default();
    let plain = name
        .trim_start_matches("semi-dark-")
        .trim_start_matches("super-light-");
    let plain = plain
        .trim_start_matches("dark-")
        .trim_start_matches("light-");
    // What Grafana's editor and its older releases write.
    let plain = match plain.to_ascii_lowercase().replace(' ', "").as_str() {
        "#eab839" | "rgba(237,129,40,0.89)" => "yellow",
        "#299c46" | "#73bf69" | "rgba(50,172,45,0.97)" => "green",
        "#d44a3a" | "#f2495c" | "rgba(245,54,54,0.9)" => "red",
        "#ff9830" => "orange",
        _ => plain,
    };
    let known = ["green", "blue", "yellow", "orange", "red"];
    known.into_iter().find(|known| *known == plain)
}
