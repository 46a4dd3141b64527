//! Indicators: events or shares in PromQL.

use super::context::Cx;
use super::print::{Map, Value};
use super::query::{self, Combine, Query};
use slosmith_text::yaml;

/// An indicator and the labels by which it is grouped; `None` where it cannot be carried over.
pub(super) type Found = (Option<Value>, Vec<String>);

pub(super) fn error_ratio(cx: &mut Cx<'_>, text: &yaml::Text, comments: &mut Vec<String>) -> Found {
    match query::over_window(cx, text) {
        Ok(query) => ratio(cx, query, comments),
        Err(comment) => {
            comments.push(comment);
            commented(comments, "error_ratio", &text.value);
            (None, Vec::new())
        }
    }
}

pub(super) fn ratio(cx: &mut Cx<'_>, mut query: Query, comments: &mut Vec<String>) -> Found {
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
) -> Found {
    let read = [text, total].map(|text| query::over_window(cx, text));
    let [Ok(events), Ok(all)] = read else {
        comments.extend(read.into_iter().filter_map(Result::err));
        commented(comments, part, &text.value);
        commented(comments, "total", &total.value);
        return (None, Vec::new());
    };
    events_of_all(cx, (part, events), all, comments)
}

pub(super) fn events_of_all(
    cx: &mut Cx<'_>,
    (part, mut events): (&str, Query),
    mut all: Query,
    comments: &mut Vec<String>,
) -> Found {
    // A share of one is the share.
    if all.is_one && part == "bad" {
        return ratio(cx, events, comments);
    }
    let lost = [&events, &all]
        .into_iter()
        .find(|query| !query.has_window());
    let mut why = lost.map(|query| query.windowless(cx));
    let labels = [&events, &all].map(|query| query.labels.clone());
    let [of_part, of_all] = labels.map(|labels| {
        let mut labels = labels.unwrap_or_default();
        labels.sort();
        labels
    });
    if why.is_none() && of_part != of_all && events.labels.is_some() == all.labels.is_some() {
        let what = format!(
            "this query returns {}, the query of all events returns {}: the ratio would be empty",
            listed(&of_part),
            listed(&of_all)
        );
        why = Some(cx.lost(
            events.span,
            what,
            "aggregate both queries by the same labels",
        ));
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
    all.grouped(cx, Combine::Sum, comments);
    let mut parts = Map::default();
    parts.put(part, &events.text);
    parts.put("total", &all.text);
    (Some(promql(parts)), by)
}

fn listed(labels: &[String]) -> String {
    match labels {
        [] => "no label".to_owned(),
        labels => format!("`{}`", labels.join("`, `")),
    }
}

fn promql(parts: Map) -> Value {
    let mut sli = Map::default();
    sli.put("promql", parts);
    sli.into()
}

/// Keeps a query that is not carried over as a comment, for a manual fix.
pub(super) fn commented(comments: &mut Vec<String>, name: &str, query: &str) {
    let lines = query.trim().lines().map(str::trim_end);
    let lines = lines.collect::<Vec<_>>().join(" ");
    comments.push(format!(
        "{name}: {}",
        lines.split_whitespace().collect::<Vec<_>>().join(" ")
    ));
}
