//! Bodies of dashboards.
//!
//! `{"widgets": [{"type": "metric", "x": 20, "width": 12, …}]}` has a violation at `/widgets/0/width`: the grid has 24
//! columns.

use serde_json::Value;

use super::fields::Fields;
use super::math;
use super::violation::{Fault, Violation};

const TYPES: [&str; 7] = [
    "metric", "chart", "text", "log", "alarm", "explorer", "custom",
];
const VIEWS: [&str; 6] = ["timeSeries", "singleValue", "gauge", "bar", "pie", "table"];

/// Quotas: widgets, metrics of a widget, metrics of all.
const WIDGETS: usize = 500;
const PER_WIDGET: usize = 500;
const METRICS: usize = 2500;

/// Everything wrong with the body of a dashboard.
pub fn dashboard(body: &Value) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut f = Fields::new(body, &mut found);
    f.only(&["start", "end", "periodOverride", "variables", "widgets"]);
    if f.has("end") && !f.has("start") {
        f.wrong("end", "end needs start");
    }
    f.one_of("periodOverride", &["auto", "inherit"]);
    if !f.has("widgets") {
        f.wrong("", "widgets is missing");
    }
    let widgets = f.list("widgets");
    if widgets.len() > WIDGETS {
        f.wrong(
            "widgets",
            format!("{} widgets; {WIDGETS} are allowed", widgets.len()),
        );
    }
    let mut metrics = 0;
    for (i, widget) in widgets.iter().enumerate() {
        metrics += one(&mut f.at(&format!("widgets/{i}"), widget));
    }
    if metrics > METRICS {
        f.wrong(
            "widgets",
            format!("{metrics} metrics on the dashboard; {METRICS} are allowed"),
        );
    }
    found
}

/// Checks a widget; gives back how many metrics it shows.
fn one(f: &mut Fields<'_, '_>) -> usize {
    f.only(&["type", "x", "y", "width", "height", "properties"]);
    let kind = f.one_of("type", &TYPES);
    if kind.is_none() && !f.has("type") {
        f.wrong("", "type is missing");
    }
    place(f);
    let Some(properties) = f.get("properties") else {
        f.wrong("", "properties is missing");
        return 0;
    };
    let mut p = f.at("properties", properties);
    match kind {
        Some("metric") => metric(&mut p),
        Some("text") => {
            if p.text("markdown").is_none() && !p.has("markdown") {
                p.wrong("", "markdown is missing");
            }
            p.one_of("background", &["solid", "transparent"]);
            0
        }
        Some("alarm") => {
            if p.list("alarms").is_empty() {
                p.wrong("", "alarms is missing or empty");
            }
            p.one_of("sortBy", &["default", "stateUpdatedTimestamp", "timestamp"]);
            0
        }
        _ => 0,
    }
}

fn place(f: &mut Fields<'_, '_>) {
    for (key, least, most) in [
        ("x", 0, 23),
        ("y", 0, i64::MAX),
        ("width", 1, 24),
        ("height", 1, 1000),
    ] {
        if f.whole(key)
            .is_some_and(|number| !(least..=most).contains(&number))
        {
            let range = if most == i64::MAX {
                "0 or more".to_owned()
            } else {
                format!("{least} to {most}")
            };
            f.wrong(key, format!("{key} is {range}"));
        }
    }
    if let (Some(x), Some(width)) = (f.whole("x"), f.whole("width"))
        && x + width > 24
    {
        f.wrong(
            "width",
            format!("x + width is {}; the grid has 24 columns", x + width),
        );
    }
}

fn metric(p: &mut Fields<'_, '_>) -> usize {
    let view = p.one_of("view", &VIEWS);
    let alarms = p
        .get("annotations")
        .is_some_and(|a| a.get("alarms").is_some());
    let rows = p.list("metrics");
    match (rows.is_empty(), alarms) {
        (true, false) => p.wrong("", "metrics is missing or empty"),
        (false, true) => p.wrong(
            "annotations",
            "a graph of an alarm has no metrics of its own",
        ),
        _ => {}
    }
    if !p.has("region") {
        p.wrong("", "region is missing");
    }
    if rows.len() > PER_WIDGET {
        p.wrong(
            "metrics",
            format!("{} metrics; {PER_WIDGET} are allowed", rows.len()),
        );
    }
    if view == Some("gauge") {
        let left = &p.value["yAxis"]["left"];
        if !left["min"].is_number() || !left["max"].is_number() {
            p.wrong("yAxis", "a gauge needs yAxis.left with min and max");
        }
    }
    if p.value["setPeriodToTimeRange"] == true && p.value["sparkline"] == true {
        p.wrong(
            "sparkline",
            "sparkline cannot be combined with setPeriodToTimeRange",
        );
    }
    if let Some(seconds) = p.whole("period") {
        super::dimensions::period(p, "period", seconds);
    }
    let options = |row: &Value| row.as_array().and_then(|row| row.last()).cloned();
    let ids: Vec<_> = rows.iter().filter_map(options).collect();
    let ids: Vec<_> = ids.iter().filter_map(|o| o["id"].as_str()).collect();
    let mut selects = 0;
    for (i, row) in rows.iter().enumerate() {
        selects += usize::from(self::row(&mut p.at(&format!("metrics/{i}"), row), &ids));
    }
    if selects > 1 {
        p.wrong("metrics", "a widget holds one Metrics Insights query");
    }
    rows.len()
}

/// `[namespace, name, dimension, value, …, {options}]` or `[{expression}]`; says whether it is a query.
fn row(f: &mut Fields<'_, '_>, ids: &[&str]) -> bool {
    let Some(cells) = f.value.as_array() else {
        f.wrong("", "a metric is a list");
        return false;
    };
    let (options, names): (Vec<_>, Vec<_>) = cells.iter().partition(|cell| cell.is_object());
    let expression = options.iter().find_map(|options| options.get("expression"));
    if options.len() > 1 {
        f.wrong("", "a metric has one object of options, at its end");
    }
    match expression.and_then(Value::as_str) {
        Some(text) if names.is_empty() => {
            undefined(f, text, ids);
            text.trim_start().to_ascii_lowercase().starts_with("select")
        }
        Some(_) => {
            f.wrong("", "an expression has no namespace and name");
            false
        }
        None => {
            // `...` repeats all that the row before says up to here.
            let short = names.first().is_some_and(|name| *name == "...");
            if !short && (names.len() < 2 || names.len() % 2 == 1) {
                f.wrong(
                    "",
                    "a metric is a namespace, a name, and pairs of dimensions and values",
                );
            }
            false
        }
    }
}

/// Ids of an expression that no metric of the widget has. What cannot be read is not judged: dashboards know
/// more functions than alarms do.
fn undefined(f: &mut Fields<'_, '_>, text: &str, ids: &[&str]) {
    let Ok(usage) = math::read(text) else { return };
    for id in usage.ids.iter().filter(|id| !ids.contains(&id.as_str())) {
        f.fault(
            Fault::UndefinedId,
            "",
            format!("no metric of the widget has the id `{id}`"),
        );
    }
}
