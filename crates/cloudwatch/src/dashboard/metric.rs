//! Graphs of metrics.
//!
//! `["App", "Load", "Api", "a", {"stat": "Mean"}]` has a violation at its last cell.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{annotations, parts};
use crate::fields::Fields;
use crate::graph::Graph;
use crate::insights;
use crate::limits;
use crate::math::{self, Shape};
use crate::metrics::is_id;
use crate::unknown::{has_unknown, is_unknown, known};
use crate::violation::Fault;

const VIEWS: [&str; 6] = ["timeSeries", "singleValue", "gauge", "bar", "pie", "table"];

const MOST: usize = 500;

pub(super) fn check(p: &mut Fields<'_, '_>) -> usize {
    let rows = p.list("metrics");
    let is_alarm = annotations::check(p, !rows.is_empty());
    if p.has("insightRule") {
        insight_rule(p);
    } else if p.lacks("metrics") && !is_alarm && p.lacks("annotations") {
        p.wrong("", "metrics is missing");
    } else if p.lacks("metrics") && !is_alarm && p.has("annotations") {
        alarm_is_missing(p);
    }
    p.required("region");
    parts::region(p);
    look(p);
    let count = known(rows).count();
    if count > MOST {
        p.wrong(
            "metrics",
            format!("{count} metrics; at most {MOST} are allowed"),
        );
    }
    for (i, row) in known(rows) {
        self::row(&mut p.at(&format!("metrics/{i}"), row), i == 0);
    }
    expressions(p, rows);
    count
}

/// Without metrics there is an alarm to draw.
fn alarm_is_missing(p: &mut Fields<'_, '_>) {
    let alarms = p.get("annotations").and_then(|a| a.get("alarms"));
    if alarms.is_none() {
        p.wrong("", "metrics is missing");
    }
}

/// A Contributor Insights rule in place of metrics.
fn insight_rule(p: &mut Fields<'_, '_>) {
    if let Some(mut rule) = p.object("insightRule") {
        rule.required("ruleName");
        rule.text("ruleName");
        rule.within("maxContributorCount", 1, 100);
        rule.one_of("orderBy", &["Sum", "Maximum"]);
    }
}

fn look(p: &mut Fields<'_, '_>) {
    let view = p.one_of("view", &VIEWS);
    parts::period(p);
    parts::stat(p);
    parts::legend(p);
    for key in ["stacked", "liveData", "sparkline", "setPeriodToTimeRange"] {
        p.boolean(key);
    }
    // `view` is `timeSeries` by default.
    let over_time = view == Some("timeSeries") || view.is_none() && p.lacks("view");
    if over_time && p.get("setPeriodToTimeRange").and_then(Value::as_bool) == Some(true) {
        p.wrong(
            "setPeriodToTimeRange",
            "setPeriodToTimeRange has no effect on a graph over time; it needs the view singleValue, bar or pie",
        );
    }
    let on = |key: &str| p.get(key).and_then(Value::as_bool) == Some(true);
    if on("setPeriodToTimeRange") && on("sparkline") {
        p.wrong(
            "sparkline",
            "sparkline cannot be used with setPeriodToTimeRange",
        );
    }
    if let Some(zone) = p.text("timezone")
        && !is_zone(zone)
    {
        p.wrong(
            "timezone",
            "timezone must be `+` or `-` and four digits: +0130",
        );
    }
    axes(p, view == Some("gauge"));
    if let Some(mut table) = p.object("table") {
        table.one_of("layout", &["vertical", "horizontal"]);
        table.boolean("stickySummary");
        table.boolean("showTimeSeriesData");
        parts::words(&mut table, "summaryColumns", &["MIN", "MAX", "SUM", "AVG"]);
    }
}

/// `+0130`; the console writes `LOCAL` and `UTC` as well.
fn is_zone(zone: &str) -> bool {
    let digits = zone.strip_prefix(['+', '-']).unwrap_or_default();
    digits.len() == 4 && digits.chars().all(|c| c.is_ascii_digit())
        || ["LOCAL", "UTC"].contains(&zone)
}

fn axes(p: &mut Fields<'_, '_>, gauge: bool) {
    let mut bounded = p.has("yAxis");
    if let Some(mut axes) = p.object("yAxis") {
        for side in ["left", "right"] {
            let Some(mut axis) = axes.object(side) else {
                bounded &= side == "right" || !axes.lacks(side);
                continue;
            };
            axis.number("min");
            axis.number("max");
            axis.text("label");
            axis.boolean("showUnits");
            bounded &= side == "right" || !axis.lacks("min") && !axis.lacks("max");
        }
    }
    let unsure = !p.has("yAxis") && !p.lacks("yAxis");
    if gauge && !bounded && !unsure {
        p.wrong("yAxis", "a gauge needs yAxis.left with min and max");
    }
}

/// `[namespace, name, dimension, value, …, {options}]` or `[{expression}]`.
fn row(f: &mut Fields<'_, '_>, first: bool) {
    let Some(cells) = f.value.as_array() else {
        f.wrong("", "a metric must be a list");
        return;
    };
    let last = cells.last().filter(|cell| cell.is_object());
    if let Some(options) = last {
        let at = (cells.len() - 1).to_string();
        self::options(&mut f.at(&at, options));
    }
    if has_unknown(cells) {
        return;
    }
    let names = &cells[..cells.len() - usize::from(last.is_some())];
    if let Some(cell) = names.iter().position(|cell| !cell.is_string()) {
        let what = match names[cell].is_object() {
            true => "options must be one object at the end of the metric",
            false => "namespaces, names, dimensions and values must be strings",
        };
        f.wrong(&cell.to_string(), what);
        return;
    }
    let expression = last.is_some_and(|options| !options["expression"].is_null());
    // `...` repeats all that the row before says up to here.
    let short = names.first().is_some_and(|name| *name == "...");
    if expression {
        if !names.is_empty() {
            f.wrong("", "an expression cannot have a namespace and a name");
        }
    } else if !short && (names.len() < 2 || names.len() % 2 == 1) {
        let message = "a metric must be a namespace, a name, and pairs of dimensions and values";
        f.wrong("", message);
    } else if first
        && names
            .iter()
            .filter_map(Value::as_str)
            .any(limits::is_repetition)
    {
        f.wrong("", "the first metric cannot repeat a previous one");
    }
}

fn options(f: &mut Fields<'_, '_>) {
    f.text("expression");
    if let Some(id) = f.text("id")
        && !is_id(id)
    {
        let message =
            format!("`{id}` is not an id: use a lower-case letter, then letters, digits and `_`");
        f.wrong("id", message);
    }
    f.text("label");
    f.boolean("visible");
    f.one_of("yAxis", &["left", "right"]);
    parts::color(f);
    parts::period(f);
    parts::stat(f);
    parts::region(f);
}

fn expressions(p: &mut Fields<'_, '_>, rows: &[Value]) {
    let options: Vec<_> = rows.iter().map(last).collect();
    let open = |options: &&Value| is_unknown(&options["id"]) || is_unknown(options);
    let mut graph = Graph::new(has_unknown(rows) || options.iter().flatten().any(open));
    let mut seen = BTreeSet::new();
    let mut queries = 0;
    for (i, options) in options.iter().enumerate() {
        let options = options.unwrap_or(&Value::Null);
        let id = options["id"].as_str();
        match options["expression"].as_str() {
            Some(text) => {
                queries += usize::from(insights::is_query(text));
                graph.expression(i, id, text);
            }
            None if is_unknown(&options["expression"]) => graph.unknown(i, id),
            None => graph.metric(i, id),
        }
        if id.is_some_and(|id| !seen.insert(id)) {
            let message = format!("two metrics have the id `{}`", id.unwrap_or_default());
            p.wrong(&format!("metrics/{i}"), message);
        }
    }
    if queries > 1 {
        p.wrong(
            "metrics",
            "a widget can have only one Metrics Insights query",
        );
    }
    let judged = graph.judged();
    for (i, fault) in judged.faults {
        match fault {
            math::Fault::Id(message) => {
                p.fault(Fault::UndefinedId, &format!("metrics/{i}"), message);
            }
            math::Fault::Other(message) => p.wrong(&format!("metrics/{i}"), message),
        }
    }
    for (i, options) in options.iter().enumerate() {
        let expression = options.is_some_and(|options| options["expression"].is_string());
        if expression && judged.shapes.get(&i) == Some(&Shape::Scalar) && is_drawn(*options) {
            let message = "the expression returns a number; a graph needs a time series";
            p.wrong(&format!("metrics/{i}"), message);
        }
    }
}

fn last(row: &Value) -> Option<&Value> {
    row.as_array()?.last().filter(|cell| cell.is_object())
}

fn is_drawn(options: Option<&Value>) -> bool {
    options.is_some_and(|options| options["visible"] != false)
}
