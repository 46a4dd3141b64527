//! sloth: files (`version: prometheus/v1`) and resources (`PrometheusServiceLevel`).
//!
//! Both have the same fields, those of resources in camel case.

mod alerting;
mod plugins;
mod windows;

pub(super) use windows::Windows;

use super::context::{Cx, comments_above, comments_on_top};
use super::document::{self, Part};
use super::fields::Fields;
use super::model::{Objective, Services};
use super::print::{Map, Value};
use super::query::{self, Combine, Query};
use super::{kubernetes, names};
use crate::source::Span;
use crate::units::{Duration, Number, parse_decimal};
use crate::yaml::{self, Body, Node};

/// Reads a document, if it is one of sloth's.
pub(super) fn read(
    cx: &mut Cx<'_>,
    services: &mut Services,
    body: &Body<'_>,
    root: &Node<'_>,
    windows: &Windows,
) -> Part {
    let is_file = document::says(root, "version").is_some_and(|v| v.starts_with("prometheus/"));
    let is_resource = document::says(root, "kind") == Some("PrometheusServiceLevel");
    if !is_file && !is_resource {
        return Part::Other;
    }
    let Some(mut fields) = Fields::of(cx, body, root, "") else {
        return Part::Read;
    };
    let mut head = comments_on_top_of(body, root);
    if is_file {
        fields.skip(&["version"]);
        service(cx, services, fields, head, windows);
        return Part::Read;
    }
    fields.skip(&["apiVersion", "kind", "status"]);
    let metadata = kubernetes::metadata(cx, &mut fields);
    if let Some(spec) = fields.map(cx, "spec") {
        head.extend(fields.finish(cx));
        if let Some(name) = service(cx, services, spec, head, windows) {
            kubernetes::add(cx, services.entry(&name), metadata);
        }
    }
    Part::Read
}

/// The comments before a document.
fn comments_on_top_of(body: &Body<'_>, root: &Node<'_>) -> Vec<String> {
    let above = comments_above(body.text(), root.range().start);
    match above.is_empty() && root.range().start == 0 {
        true => comments_on_top(body.text()),
        false => above,
    }
}

/// Reads a service; gives back its name.
fn service(
    cx: &mut Cx<'_>,
    services: &mut Services,
    mut fields: Fields<'_>,
    head: Vec<String>,
    windows: &Windows,
) -> Option<String> {
    let mut comments = Vec::new();
    let name = fields.required(cx, "service")?;
    let name = names::lower(cx, &name, &mut comments);
    let labels = fields.pairs(cx, "labels");
    let labels = names::labels(cx, labels, &mut comments);
    for key in ["slo_plugins", "sloPlugins"] {
        comments.extend(plugins::chain(cx, &mut fields, key));
    }
    let slos = fields.maps(cx, "slos");
    comments.extend(fields.finish(cx));
    let service = services.entry(&name);
    service.is_sloth = true;
    service.comments.extend(head);
    service.service_comments.extend(comments);
    service.add_labels(cx, labels);
    for slo in slos {
        if let Some(objective) = objective(cx, slo, windows) {
            service.add(cx, objective);
        }
    }
    Some(name)
}

fn objective(cx: &mut Cx<'_>, mut fields: Fields<'_>, windows: &Windows) -> Option<Objective> {
    let at = fields.span();
    let mut comments = comments_above(fields.body.text(), fields.start());
    let name = fields.required(cx, "name")?;
    let target = fields.required(cx, "objective")?;
    let share = share(cx, &target.value, target.span)?;
    let description = fields.text(cx, "description");
    let labels = fields.pairs(cx, "labels");
    let name = names::lower(cx, &name, &mut comments);
    let (sli, by) = match fields.map(cx, "sli") {
        Some(sli) => indicator(cx, sli, &mut comments),
        None => {
            comments.push(cx.lost(at, "an objective without `sli`", ""));
            (None, Vec::new())
        }
    };
    let mut objective = Objective {
        name,
        at,
        comments,
        title: None,
        description: description.map(|text| text.value.trim().to_owned()),
        objective: share,
        window: windows.period,
        sli,
        by,
        alert_name: None,
        summary: None,
        runbook: None,
        owner: None,
        labels: Default::default(),
        annotations: Default::default(),
        page: None,
        ticket: None,
        tiers: windows.tiers.clone(),
    };
    alerting::read(cx, &mut fields, labels, &mut objective);
    let more = plugins::chain(cx, &mut fields, "plugins");
    objective.comments.extend(more);
    let more = fields.finish(cx);
    objective.comments.extend(more);
    Some(objective)
}

/// A share of good events from per cent, above 0 and below 1.
pub(super) fn share(cx: &mut Cx<'_>, percent: &str, at: Span) -> Option<Number> {
    let percent = percent.trim().trim_end_matches('%');
    let share = parse_decimal(percent).ok().map(|percent| percent / 100);
    let inside = |share: &Number| *share > 0.into() && *share < 1.into();
    let found = share.filter(inside);
    if found.is_none() {
        let message = format!("an objective of `{percent}` is not between 0 and 100 per cent");
        cx.error("objective-out-of-range", at, message);
    }
    found
}

/// The indicator, and the labels by which it is grouped.
fn indicator(
    cx: &mut Cx<'_>,
    mut fields: Fields<'_>,
    comments: &mut Vec<String>,
) -> (Option<Value>, Vec<String>) {
    let mut found = (None, Vec::new());
    if let Some(plugin) = fields.map(cx, "plugin") {
        comments.push(plugins::indicator(cx, plugin));
    }
    if let Some(mut raw) = fields.map(cx, "raw") {
        let text = query_of(cx, &mut raw, ["error_ratio_query", "errorRatioQuery"]);
        comments.extend(raw.finish(cx));
        found = text.map_or(found, |text| error_ratio(cx, &text, comments));
    } else if let Some(mut events) = fields.map(cx, "events") {
        let bad = query_of(cx, &mut events, ["error_query", "errorQuery"]);
        let total = query_of(cx, &mut events, ["total_query", "totalQuery"]);
        comments.extend(events.finish(cx));
        if let (Some(bad), Some(total)) = (bad, total) {
            found = pair(cx, ("bad", &bad), &total, comments);
        }
    }
    comments.extend(fields.finish(cx));
    found
}

fn query_of(cx: &mut Cx<'_>, fields: &mut Fields<'_>, keys: [&str; 2]) -> Option<yaml::Text> {
    let [first, second] = keys;
    let found = fields.query(cx, first).or_else(|| fields.query(cx, second));
    if found.is_none() {
        let name = match fields.is_camel() {
            true => second,
            false => first,
        };
        let message = format!("the field `{name}` is missing");
        cx.error("missing-field", super::fields::start(fields.span()), message);
    }
    found
}

/// A ratio by itself.
pub(super) fn error_ratio(
    cx: &mut Cx<'_>,
    text: &yaml::Text,
    comments: &mut Vec<String>,
) -> (Option<Value>, Vec<String>) {
    match query::over_window(cx, text) {
        Ok(query) => ratio(cx, query, comments),
        Err(comment) => {
            comments.push(comment);
            commented(comments, "error_ratio", &text.value);
            (None, Vec::new())
        }
    }
}

fn ratio(
    cx: &mut Cx<'_>,
    mut query: Query,
    comments: &mut Vec<String>,
) -> (Option<Value>, Vec<String>) {
    if !query.has_window() {
        comments.push(query.windowless(cx));
        commented(comments, "error_ratio", &query.text);
        return (None, Vec::new());
    }
    let by = query.grouped(cx, Combine::Avg, comments);
    let mut parts = Map::default();
    parts.put("error_ratio", &query.text);
    (Some(promql(parts)), by)
}

/// Bad or good events, as `part` says, and all events.
pub(super) fn pair(
    cx: &mut Cx<'_>,
    (part, text): (&str, &yaml::Text),
    total: &yaml::Text,
    comments: &mut Vec<String>,
) -> (Option<Value>, Vec<String>) {
    let read = [text, total].map(|text| query::over_window(cx, text));
    let [Ok(events), Ok(all)] = read else {
        comments.extend(read.into_iter().filter_map(Result::err));
        commented(comments, part, &text.value);
        commented(comments, "total", &total.value);
        return (None, Vec::new());
    };
    events_of_all(cx, (part, events), all, comments)
}

/// The same of queries that were read.
pub(super) fn events_of_all(
    cx: &mut Cx<'_>,
    (part, mut events): (&str, Query),
    mut all: Query,
    comments: &mut Vec<String>,
) -> (Option<Value>, Vec<String>) {
    // A share of one is the share.
    if all.is_one && part == "bad" {
        return ratio(cx, events, comments);
    }
    let lost = [&events, &all].into_iter().find(|query| !query.has_window());
    let mut why = lost.map(|query| query.windowless(cx));
    let labels = [&events, &all].map(|query| query.labels.clone());
    let [of_part, of_all] = labels.map(|labels| {
        let mut labels = labels.unwrap_or_default();
        labels.sort();
        labels
    });
    if why.is_none() && of_part != of_all && events.labels.is_some() == all.labels.is_some() {
        let what = format!(
            "the results have different labels (`{}` and `{}`), so that they never match",
            of_part.join(", "),
            of_all.join(", ")
        );
        why = Some(cx.lost(events.span, what, "aggregate both by the same labels"));
    }
    if let Some(why) = why {
        comments.push(why);
        commented(comments, part, &events.text);
        commented(comments, "total", &all.text);
        return (None, Vec::new());
    }
    if events.labels.is_none() || all.labels.is_none() {
        (events.labels, all.labels) = (None, None);
    }
    let by = events.grouped(cx, Combine::Sum, comments);
    all.grouped(cx, Combine::Sum, &mut Vec::new());
    let mut parts = Map::default();
    parts.put(part, &events.text);
    parts.put("total", &all.text);
    (Some(promql(parts)), by)
}

fn promql(parts: Map) -> Value {
    let mut sli = Map::default();
    sli.put("promql", parts);
    sli.into()
}

/// Keeps a query that is not carried over, for the one who mends it.
fn commented(comments: &mut Vec<String>, name: &str, query: &str) {
    let lines = query.trim().lines().map(str::trim_end);
    let lines = lines.collect::<Vec<_>>().join(" ");
    comments.push(format!("{name}: {}", lines.split_whitespace().collect::<Vec<_>>().join(" ")));
}

/// A length of time as Prometheus and sloth write it.
pub(super) fn duration(
    cx: &mut Cx<'_>,
    text: &crate::spec::Text,
) -> Option<Duration> {
    let found = text.value.trim().parse::<Duration>();
    if let Err(error) = &found {
        cx.error("wrong-type", text.span, error.to_string());
    }
    found.ok()
}
