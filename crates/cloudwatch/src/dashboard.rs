//! Bodies of dashboards.
//!
//! `{"widgets": [{"type": "metric", "x": 20, "width": 12, …}]}` has a violation at `/widgets/0/width`: the grid has 24
//! columns.
//!
//! Source: "Dashboard Body Structure and Syntax" of the API's reference. Fields of widgets that it does not name are not
//! checked: AWS accepts them with a warning.

mod annotations;
mod explorer;
mod metric;
mod parts;
mod time;
mod variable;

use serde_json::Value;

use super::fields::{Fields, Form};
use super::unknown::known;
use super::violation::Violation;

const TYPES: [&str; 7] = [
    "metric", "chart", "text", "log", "alarm", "explorer", "custom",
];

/// Ways of drawing what a query of logs finds.
const LOG_VIEWS: [&str; 4] = ["table", "timeSeries", "bar", "pie"];

pub const MOST_WIDGETS: usize = 500;
pub const MOST_METRICS: usize = 2500;
pub const MOST_ALARMS: usize = 100;

const NAME: usize = 255;

const VARIABLES: usize = 25;

pub fn put_dashboard(request: &Value, form: Form) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut f = Fields::new(request, form, &mut found);
    if form == Form::Terraform {
        f.required("DashboardName");
    }
    let name = f.length("DashboardName", 1, NAME);
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_some_and(|name| !name.chars().all(plain)) {
        f.wrong(
            "DashboardName",
            "`DashboardName` must consist of letters, digits, `-` and `_`",
        );
    }
    f.required("DashboardBody");
    if f.get("DashboardBody").is_some_and(|body| !body.is_string()) {
        let write = match form {
            Form::Terraform => "jsonencode({ … })",
            Form::Formation => "a string, or Fn::ToJsonString",
            Form::Api => "a string",
        };
        let message = format!("the body must be JSON in a string: write {write}");
        f.wrong("DashboardBody", message);
    }
    found
}

pub fn dashboard(body: &Value) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut f = Fields::new(body, Form::Api, &mut found);
    f.only(&["start", "end", "periodOverride", "variables", "widgets"]);
    time::check(&mut f);
    f.one_of("periodOverride", &["auto", "inherit"]);
    f.required("widgets");
    for (i, value) in known(f.at_most("variables", VARIABLES)) {
        variable::check(&mut f.at(&format!("variables/{i}"), value));
    }
    let mut metrics = 0;
    for (i, value) in known(f.at_most("widgets", MOST_WIDGETS)) {
        metrics += widget(&mut f.at(&format!("widgets/{i}"), value));
    }
    if metrics > MOST_METRICS {
        f.wrong(
            "widgets",
            format!("{metrics} metrics on the dashboard; at most {MOST_METRICS} are allowed"),
        );
    }
    found
}

fn widget(f: &mut Fields<'_, '_>) -> usize {
    f.only(&["type", "x", "y", "width", "height", "properties"]);
    if !f.value.is_object() {
        return 0;
    }
    f.required("type");
    let kind = f.one_of("type", &TYPES);
    place(f);
    f.required("properties");
    let Some(mut p) = f.object("properties") else {
        return 0;
    };
    p.text("title");
    match kind {
        Some("metric") => return metric::check(&mut p),
        Some("text") => {
            p.required("markdown");
            p.text("markdown");
            p.one_of("background", &["solid", "transparent"]);
        }
        Some("log") => log(&mut p),
        Some("alarm") => alarms(&mut p),
        Some("explorer") => explorer::check(&mut p),
        Some("custom") => custom(&mut p),
        _ => {}
    }
    0
}

fn place(f: &mut Fields<'_, '_>) {
    f.within("x", 0, 23);
    f.within("y", 0, i64::MAX);
    f.within("width", 1, 24);
    f.within("height", 1, 1000);
    for (one, other) in [("x", "y"), ("y", "x")] {
        if f.has(one) && f.lacks(other) {
            f.wrong("", format!("{one} needs {other}"));
        }
    }
    if let (Some(x), Some(width)) = (f.as_whole("x"), f.as_whole("width"))
        && (0..24).contains(&x)
        && (1..=24).contains(&width)
        && x + width > 24
    {
        f.wrong(
            "width",
            format!("x + width is {}; the grid has 24 columns", x + width),
        );
    }
}

fn log(p: &mut Fields<'_, '_>) {
    p.required("query");
    p.text("query");
    p.required("region");
    parts::region(p);
    p.one_of("view", &LOG_VIEWS);
}

fn alarms(p: &mut Fields<'_, '_>) {
    p.required("alarms");
    let alarms = p.some_of("alarms", MOST_ALARMS);
    parts::alarms(p, alarms);
    p.one_of("sortBy", &["default", "stateUpdatedTimestamp", "timestamp"]);
    parts::words(p, "states", &["ALARM", "INSUFFICIENT_DATA", "OK"]);
}

fn custom(p: &mut Fields<'_, '_>) {
    p.required("endpoint");
    if let Some(endpoint) = p.text("endpoint")
        && !parts::is_arn_of(endpoint, "lambda")
    {
        p.wrong("endpoint", "endpoint must be the ARN of a Lambda function");
    }
    if let Some(mut on) = p.object("updateOn") {
        for key in ["refresh", "resize", "timeRange"] {
            on.boolean(key);
        }
    }
}
