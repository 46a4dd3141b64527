//! Grafana's classic dashboards.

mod panel;
mod queries;
mod rest;
mod rows;
mod thresholds;
mod variables;

use std::path::Path;

use super::context::Cx;
use super::document::{self, Documents};
use super::fields::Fields;
use super::model::{Dashboard, Services};
use super::names;
use super::print::Value;
use panel::Made;
use slosmith_lint::artifact::{self, Artifact, Form};
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::Span;
use slosmith_text::units::Duration;
use slosmith_text::yaml::{Body, Node};
use variables::Variables;

pub(super) fn read(
    cx: &mut Cx<'_>,
    services: &mut Services,
    documents: &Documents<'_>,
    path: &Path,
    service: &str,
) {
    let file = documents.file();
    let artifact = match artifact::read(file, path, cx.text_of(file)) {
        Ok(artifact) => artifact,
        Err(unread) => return cx.sink.push(unread.fault),
    };
    artifact
        .faults
        .iter()
        .for_each(|fault| cx.sink.push(fault.clone()));
    let boards = artifact.dashboards.iter();
    let (classic, others): (Vec<_>, Vec<_>) = boards.partition(|d| d.form == Form::Classic);
    for other in others {
        let form = match other.form {
            Form::Perses => "Perses",
            _ => "Grafana v2",
        };
        let what = format!("{form} dashboards are not supported");
        let error = Diagnostic::error("unknown-format", super::fields::start(other.span), what);
        cx.sink
            .push(error.help("export the dashboard as classic Grafana JSON"));
    }
    if artifact.dashboards.is_empty() {
        let at = Span::new(file, 0..0);
        cx.error(
            "unknown-format",
            at,
            "this file contains no Grafana dashboard",
        );
    }
    let spans: Vec<Span> = artifact.dashboards.iter().map(|board| board.span).collect();
    for (body, root) in documents.roots() {
        let comments = beside(cx, &body, root, &spans);
        services.entry(service).service_comments.extend(comments);
    }
    for board in classic {
        let made = one(cx, &artifact, board);
        add(services, service, made, path);
    }
}

fn beside(cx: &mut Cx<'_>, body: &Body<'_>, root: &Node<'_>, boards: &[Span]) -> Vec<String> {
    let at = body.place(root);
    match boards.iter().any(|board| is_within(*board, at)) {
        true => around(cx, body, root, "", boards),
        false => {
            let (name, help) = document::other(root);
            vec![cx.lost(
                super::fields::start(at),
                format!("{name} is not a dashboard"),
                &help,
            )]
        }
    }
}

fn around(
    cx: &mut Cx<'_>,
    body: &Body<'_>,
    node: &Node<'_>,
    path: &str,
    boards: &[Span],
) -> Vec<String> {
    if boards.contains(&body.place(node)) {
        return Vec::new();
    }
    let Some(mut fields) = Fields::of(cx, body, node, path) else {
        return Vec::new();
    };
    let mut comments = Vec::new();
    if path.is_empty() {
        fields.skip(&["apiVersion", "kind"]);
    }
    for (key, value) in node.entries() {
        let at = body.place(value);
        if boards.iter().any(|board| is_within(*board, at)) {
            let name = key.text().unwrap_or_default();
            fields.skip(&[name]);
            if value.is_map() {
                let path = format!("{path}{name}.");
                comments.extend(around(cx, body, value, &path, boards));
            }
        }
    }
    comments.extend(fields.finish(cx));
    comments
}

fn is_within(inner: Span, outer: Span) -> bool {
    inner.file == outer.file && outer.start <= inner.start && inner.end <= outer.end
}

/// A dashboard under a name that is free.
fn add(services: &mut Services, service: &str, mut made: Dashboard, path: &Path) {
    if made.name.is_empty() {
        made.name = super::rules::service(path);
    }
    let service = services.entry(service);
    let own = made.name.clone();
    let mut numbers = 2..;
    while service
        .dashboards
        .iter()
        .any(|other| other.name == made.name)
    {
        made.name = format!("{own}-{}", numbers.next().unwrap_or(u32::MAX));
    }
    service.dashboards.push(made);
}

fn one(cx: &mut Cx<'_>, artifact: &Artifact, board: &artifact::Dashboard) -> Dashboard {
    let mut made = Dashboard::default();
    let Some(root) = board.raw.node("") else {
        return made;
    };
    made.comments = rest::tell(
        cx,
        &board.raw,
        root,
        &rest::PARTS.dashboard,
        "fields of the dashboard",
    );
    let mut variables = Variables::of(&board.raw);
    let read: Vec<Made> = panel::all(cx, artifact, board, &variables);
    // A spec has a variable for each label that a panel over a signal is filtered by.
    let series = read.iter().flat_map(|made| &made.series);
    let over_signals = series.filter(|series| series.known.is_some());
    over_signals.for_each(|series| variables.keep(&series.query.filters));
    made.comments.extend(variables.tell(cx, &board.raw));
    let text = |text: &Option<slosmith_text::yaml::Text>| {
        text.as_ref().map(|text| text.value.trim().to_owned())
    };
    let title = text(&board.title).filter(|title| !title.is_empty());
    made.name = title
        .as_deref()
        .map(|title| names::clean(title, true))
        .unwrap_or_default();
    made.fields.maybe("title", title.as_ref());
    let description = text(&board.description).filter(|text| !text.is_empty());
    made.fields.maybe("description", description.as_ref());
    times(cx, board, &mut made);
    made.fields
        .put("variables", Value::texts(&variables.labels()));
    let heading = title.unwrap_or_else(|| made.name.clone());
    let rows = rows::rows(cx, board, read, &variables, &heading);
    made.is_lost = rows.iter().all(|row| row.is_comment);
    let items = rows.into_iter().map(|row| Value::Item(Box::new(row)));
    made.fields.put("rows", Value::List(items.collect()));
    made
}

fn times(cx: &mut Cx<'_>, board: &artifact::Dashboard, made: &mut Dashboard) {
    let word = |pointer: &str| Some(board.raw.node(pointer)?.text()?.to_owned());
    let from = word("/time/from").unwrap_or_else(|| "now-6h".to_owned());
    let to = word("/time/to").unwrap_or_else(|| "now".to_owned());
    let range = from.strip_prefix("now-").filter(|_| to == "now");
    match range.filter(|range| is_time(range)) {
        Some(range) => made.fields.put("range", Value::word(range)),
        None => {
            let what = format!("time range from `{from}` to `{to}`");
            made.comments
                .push(cx.lost(board.raw.span("/time"), what, ""));
        }
    }
    let Some(refresh) = word("/refresh").filter(|refresh| !refresh.is_empty()) else {
        return;
    };
    match is_time(&refresh) {
        true => made.fields.put("refresh", Value::word(refresh)),
        false if refresh == "false" => {}
        false => {
            let what = format!("`refresh: {refresh}`");
            made.comments
                .push(cx.lost(board.raw.span("/refresh"), what, ""));
        }
    }
}

fn is_time(text: &str) -> bool {
    text.parse::<Duration>()
        .is_ok_and(|time| time.as_secs() > 0)
}
