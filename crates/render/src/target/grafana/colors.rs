//! Colours that mean the same in every panel: percentiles, status codes, reasons.

use serde_json::{Value, json};

use super::view::{Override, ref_id};
use slosmith_plan::plan::dashboard::{Origin, Panel, Series};
use slosmith_spec::spec::{GraphKind, Stat};
use slosmith_text::units::Number;

/// Values of a label and their colour: what went well is green, what the client did blue or yellow, what failed red.
const VALUES: [(&str, &str); 7] = [
    ("2(xx|[0-9][0-9])|stop|success|ok", "green"),
    ("3(xx|[0-9][0-9])|length", "blue"),
    ("4(xx|[0-9][0-9])|cancelled", "yellow"),
    ("429|abort|rejected", "orange"),
    ("5(xx|[0-9][0-9])|error|failed", "red"),
    ("capacity", "orange"),
    ("deferred", "blue"),
];

/// Colours of burn rates, from the shortest window to the longest.
const WINDOWS: [&str; 5] = [
    "purple",
    "blue",
    "light-blue",
    "super-light-blue",
    "super-light-purple",
];

/// Labels whose values have a meaning.
const MEANING: [&str; 6] = [
    "status",
    "status_code",
    "code",
    "finished_reason",
    "reason",
    "result",
];

/// Fixed colours of series, from the general to the special: the last one wins.
pub(super) fn overrides(panel: &Panel) -> Vec<Override> {
    let over_time = panel.draw.graph().is_some_and(GraphKind::is_over_time);
    if !over_time {
        return Vec::new();
    }
    let mut all = percentiles(panel);
    all.extend(objective(panel));
    let labels = panel.series.iter().flat_map(|series| &series.query.labels);
    if labels
        .into_iter()
        .any(|label| MEANING.contains(&label.as_str()))
    {
        all.extend(VALUES.iter().map(|(values, color)| Override {
            matcher: json!({"id": "byRegexp", "options": format!("/(^| )({values})( |$)/")}),
            properties: vec![color_property("fixed", color)],
        }));
    }
    all
}

/// A percentile has its colour everywhere; of several groups, its shades.
fn percentiles(panel: &Panel) -> Vec<Override> {
    let colored = panel.series.iter().enumerate().filter_map(|(i, series)| {
        let Origin::Signal(read) = &series.origin else {
            return None;
        };
        let Stat::Quantile(quantile) = read.stat else {
            return None;
        };
        Some(Override {
            matcher: json!({"id": "byFrameRefID", "options": ref_id(i)}),
            properties: vec![color_property("shades", percentile(quantile))],
        })
    });
    let all: Vec<_> = colored.collect();
    // One percentile by itself may use all colours for its groups.
    if all.len() > 1 { all } else { Vec::new() }
}

/// Burn rates in colours that no threshold has, the shortest window first; the line of even spending is dashed.
fn objective(panel: &Panel) -> Vec<Override> {
    let about = |wanted: fn(&Origin) -> bool| panel.series.iter().any(|s| wanted(&s.origin));
    let burns = about(|origin| matches!(origin, Origin::Burn(..)));
    let is_budget = about(|origin| matches!(origin, Origin::Budget(_)));
    let look = |(i, series): (usize, &Series)| {
        let properties = match &series.origin {
            Origin::Burn(..) => vec![color_property("fixed", WINDOWS[i.min(WINDOWS.len() - 1)])],
            Origin::Query(_) if is_budget => vec![
                color_property("fixed", "text"),
                json!({"id": "custom.lineStyle", "value": {"fill": "dash", "dash": [4, 8]}}),
            ],
            _ => return None,
        };
        Some(Override {
            matcher: json!({"id": "byFrameRefID", "options": ref_id(i)}),
            properties,
        })
    };
    match burns || is_budget {
        true => panel.series.iter().enumerate().filter_map(look).collect(),
        false => Vec::new(),
    }
}

fn percentile(quantile: Number) -> &'static str {
    let percent = quantile * 100;
    match () {
        () if percent <= Number::from_integer(50) => "light-blue",
        () if percent <= Number::from_integer(95) => "blue",
        () => "dark-purple",
    }
}

fn color_property(mode: &str, color: &str) -> Value {
    json!({"id": "color", "value": {"mode": mode, "fixedColor": color}})
}
