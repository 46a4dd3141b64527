//! Widgets that find metrics by the tags of resources.

use std::collections::BTreeSet;

use super::parts;
use crate::fields::Fields;
use crate::unknown::known;

const MOST: usize = 100;

pub(super) fn check(p: &mut Fields<'_, '_>) {
    p.required("metrics");
    metrics(p);
    p.required("labels");
    for (i, label) in known(p.list("labels")) {
        let mut label = p.at(&format!("labels/{i}"), label);
        label.only(&["key", "value"]);
        label.required("key");
        label.text("key");
    }
    if let Some(mut by) = p.object("aggregateBy") {
        by.one_of("func", &["AVG", "MIN", "MAX", "STDDEV", "SUM"]);
    }
    parts::period(p);
    p.text("splitBy");
    if let Some(mut options) = p.object("widgetOptions") {
        parts::legend(&mut options);
        options.one_of("view", &["timeSeries", "bar", "pie"]);
        options.boolean("stacked");
        options.whole("rowsPerPage");
        options.whole("widgetsPerRow");
    }
}

fn metrics(p: &mut Fields<'_, '_>) {
    let mut types = BTreeSet::new();
    for (i, metric) in known(p.some_of("metrics", MOST)) {
        let mut metric = p.at(&format!("metrics/{i}"), metric);
        if !metric.value.is_object() {
            metric.wrong(
                "",
                "a metric must be an object with metricName, resourceType and stat",
            );
            continue;
        }
        metric.required("metricName");
        metric.text("metricName");
        metric.required("resourceType");
        if let Some(kind) = metric.text("resourceType") {
            if kind.split("::").count() != 3 {
                let message = format!("`{kind}` is not a type such as AWS::EC2::Instance");
                metric.wrong("resourceType", message);
            }
            types.insert(kind);
        }
        parts::stat(&mut metric);
    }
    if types.len() > 1 {
        let types: Vec<_> = types.into_iter().collect();
        let message = format!(
            "all metrics must have the same resourceType; found {}",
            types.join(", ")
        );
        p.wrong("metrics", message);
    }
}
