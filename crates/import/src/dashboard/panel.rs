//! A panel.

use super::queries::{self, Shown};
use super::rest::PARTS;
use super::variables::Variables;
use super::{rest, thresholds};
use crate::context::Cx;
use crate::fields::start;
use crate::known;
use crate::print::{Map, Value};
use slosmith_lint::artifact::{Artifact, Dashboard, Language, Panel, Target};
use slosmith_plan::plan::layout::Place;
use slosmith_promql as promql;
use slosmith_text::source::Span;
use slosmith_text::units::Unit;
use slosmith_text::yaml::{Node, Text};

pub(super) struct Made {
    pub(super) pointer: String,
    pub(super) is_row: bool,
    pub(super) title: String,
    pub(super) at: Span,
    pub(super) comments: Vec<String>,
    pub(super) fields: Map,
    pub(super) series: Vec<Series>,
    pub(super) unit: Option<Unit>,
    pub(super) thresholds: Value,
    pub(super) place: Option<Place>,
    pub(super) lost: Option<String>,
}

pub(super) struct Series {
    pub(super) title: String,
    pub(super) at: Span,
    pub(super) query: Shown,
    /// The signal of the library that gives the same query.
    pub(super) known: Option<Map>,
}

pub(super) fn all(
    cx: &mut Cx<'_>,
    artifact: &Artifact,
    board: &Dashboard,
    variables: &Variables,
) -> Vec<Made> {
    let mut source = None;
    let mut all = Vec::new();
    for panel in &board.panels {
        let mut made = one(cx, artifact, board, panel, variables);
        for uid in sources(artifact, panel) {
            let known: &String = source.get_or_insert_with(|| uid.value.clone());
            if *known != uid.value {
                let what = format!("data source `{}`: a dashboard has only one", uid.value);
                made.comments.push(cx.lost(uid.span(), what, ""));
            }
        }
        all.push(made);
    }
    all
}

fn sources<'a>(artifact: &Artifact, panel: &'a Panel) -> Vec<&'a Text> {
    let is_promql = |target: &&Target| {
        let query = target.query.and_then(|index| artifact.queries.get(index));
        query.is_some_and(|query| query.language != Language::Other)
    };
    let mut found: Vec<&Text> = Vec::new();
    for target in panel.targets.iter().filter(is_promql) {
        let own = target
            .datasource
            .as_ref()
            .and_then(|source| source.uid.as_ref());
        let of_panel = panel
            .datasource
            .as_ref()
            .and_then(|source| source.uid.as_ref());
        let uid = own.or(of_panel);
        let is_new = |uid: &&Text| found.iter().all(|other| other.value != uid.value);
        // Grafana's own, such as `-- Mixed --`, say which others there are.
        let is_real =
            |uid: &&Text| !uid.value.starts_with('-') && !uid.value.starts_with("grafana");
        found.extend(uid.filter(is_new).filter(is_real));
    }
    found
}

fn one(
    cx: &mut Cx<'_>,
    artifact: &Artifact,
    board: &Dashboard,
    panel: &Panel,
    variables: &Variables,
) -> Made {
    let raw = &board.raw;
    let node = raw.node(&panel.pointer);
    let kind = panel.kind.as_ref().map_or("", |kind| kind.value.as_str());
    let is_row = kind == "row";
    let title = panel.title.as_ref().map_or("", |title| title.value.trim());
    let mut made = Made {
        pointer: panel.pointer.clone(),
        is_row,
        title: title.to_owned(),
        at: start(panel.span),
        comments: Vec::new(),
        fields: Map::default(),
        series: Vec::new(),
        unit: None,
        thresholds: Value::List(Vec::new()),
        place: node.and_then(place),
        lost: None,
    };
    if let Some(node) = node {
        let (known, what) = match is_row {
            true => (&PARTS.row, "fields of the row"),
            false => (&PARTS.panel, "fields of the panel"),
        };
        made.comments = rest::tell(cx, raw, node, known, what);
    }
    if is_row {
        return made;
    }
    let text = |text: &Option<slosmith_text::yaml::Text>| {
        text.as_ref().map(|text| text.value.trim().to_owned())
    };
    made.fields.maybe(
        "title",
        Some(&made.title.clone()).filter(|title| !title.is_empty()),
    );
    made.fields.maybe(
        "description",
        text(&panel.description)
            .filter(|text| !text.is_empty())
            .as_ref(),
    );
    match kind {
        "text" => {
            let content =
                node.and_then(|node| node.at(&["options", "content"]).or(node.get("content")));
            let content = content.and_then(Node::text).unwrap_or_default();
            made.fields.put("kind", "text");
            made.fields.put("text", content);
        }
        _ if panel.from_library => made.lost = Some("library panels are not supported".to_owned()),
        "alertlist" => made.fields.put("kind", "alerts"),
        _ => values(cx, (artifact, board), panel, variables, &mut made),
    }
    if made.lost.is_none() && kind != "text" && kind != "alertlist" {
        made.thresholds = thresholds::of(cx, raw, panel, made.unit, &mut made.comments);
    }
    made
}

fn place(node: &Node<'_>) -> Option<Place> {
    let number = |key: &str| node.at(&["gridPos", key])?.text()?.parse().ok();
    Some(Place {
        x: number("x").unwrap_or(0),
        y: number("y").unwrap_or(0),
        w: number("w")?,
        h: number("h")?,
    })
}

fn values(
    cx: &mut Cx<'_>,
    (artifact, board): (&Artifact, &Dashboard),
    panel: &Panel,
    variables: &Variables,
    made: &mut Made,
) {
    let node = board.raw.node(&panel.pointer);
    let Some(kind) = kind(cx, panel, node, made) else {
        let queries = panel.targets.iter().filter_map(|target| target.query);
        let queries = queries.filter_map(|index| artifact.queries.get(index));
        let lines = queries.map(|query| format!("query: {}", query.text));
        return made.comments.extend(lines);
    };
    made.fields.put("kind", kind);
    if let Some(word) = panel.unit.as_ref().filter(|unit| !unit.value.is_empty()) {
        made.unit = unit(&word.value);
        if made.unit.is_none() && !matches!(word.value.as_str(), "short" | "none" | "locale") {
            let what = format!("unit `{}`", word.value);
            made.comments.push(cx.lost(word.span(), what, ""));
        }
    }
    for target in &panel.targets {
        let own = node
            .and_then(|node| node.get("targets"))
            .map_or(&[][..], Node::items);
        let own = own.iter().find(|node| board.raw.place(node) == target.span);
        match series(cx, artifact, target, variables, own) {
            Ok(series) => made.series.push(series),
            Err(None) => {}
            Err(Some((at, why))) => made.comments.push(cx.lost(at, why, "")),
        }
    }
    if made.series.is_empty() {
        made.lost = Some("no query could be carried over".to_owned());
    }
}

fn kind(
    cx: &mut Cx<'_>,
    panel: &Panel,
    node: Option<&Node<'_>>,
    made: &mut Made,
) -> Option<&'static str> {
    let Some(kind) = &panel.kind else {
        return Some("timeseries");
    };
    let word = |path: &[&str]| node.and_then(|node| node.at(path)).and_then(Node::text);
    let custom = |rest: &[&'static str]| {
        let path: Vec<&str> = ["fieldConfig", "defaults", "custom"]
            .iter()
            .chain(rest)
            .copied()
            .collect();
        word(&path).unwrap_or_default().to_owned()
    };
    let is_stacked = custom(&["stacking", "mode"]) == "normal" || word(&["stack"]) == Some("true");
    let is_bars = custom(&["drawStyle"]) == "bars" || word(&["bars"]) == Some("true");
    let (known, is_same) = match kind.value.as_str() {
        "timeseries" | "graph" => match (is_bars, is_stacked) {
            (true, _) => ("bars", is_stacked),
            (_, true) => ("stacked", true),
            _ => ("timeseries", custom(&["drawStyle"]) != "points"),
        },
        "stat" | "singlestat" => ("number", true),
        "gauge" => ("gauge", true),
        "bargauge" => ("gauge", false),
        "heatmap" => ("heatmap", true),
        "table" | "table-old" => ("table", true),
        "piechart" | "barchart" => ("table", false),
        "state-timeline" | "status-history" | "histogram" | "trend" => ("timeseries", false),
        other => {
            made.lost = Some(format!("a spec has no `{other}` panels"));
            return None;
        }
    };
    if !is_same {
        let what = format!("panel type `{}` changed to `{known}`", kind.value);
        made.comments.push(cx.changed(kind.span, what));
    }
    if custom(&["stacking", "mode"]) == "percent" {
        made.comments
            .push(cx.lost(kind.span, "stacking to 100%", ""));
    }
    Some(known)
}

fn unit(word: &str) -> Option<Unit> {
    Some(match word {
        "s" => Unit::Seconds,
        "percentunit" => Unit::Ratio,
        "bytes" => Unit::Bytes,
        "bool" | "bool_yes_no" => Unit::Bool,
        "si:tok" => Unit::Tokens,
        "si:FLOP" => Unit::Flops,
        "watt" => Unit::Watts,
        "celsius" => Unit::Celsius,
        "hertz" | "hz" => Unit::Hertz,
        _ => return None,
    })
}

fn series(
    cx: &mut Cx<'_>,
    artifact: &Artifact,
    target: &Target,
    variables: &Variables,
    node: Option<&Node<'_>>,
) -> Result<Series, Option<(Span, String)>> {
    let word = |key: &str| node.and_then(|node| node.get(key)?.text());
    let index = target.query.and_then(|index| artifact.queries.get(index));
    let Some(query) = index else {
        let says = !target.is_blank;
        return Err(says.then(|| (start(target.span), "query not in PromQL".to_owned())));
    };
    let at = query.span();
    if query.language == Language::Other {
        return Err(Some((at, format!("query not in PromQL: `{}`", query.text))));
    }
    if word("hide") == Some("true") {
        return Err(Some((at, format!("hidden query: `{}`", query.text))));
    }
    let shown = queries::read(query, &variables.current, &variables.constants)
        .map_err(|why| Some((at, format!("{why}: `{}`", query.text))))?;
    let title = legend(&shown, word("legendFormat").unwrap_or_default());
    let labels: Vec<String> = shown.filters.keys().cloned().collect();
    let vllm = cx
        .options
        .vllm
        .as_deref()
        .filter(|_| query.text.contains("vllm:"));
    let known = vllm.and_then(|vllm| known::series(vllm, &shown.filtered, &labels));
    Ok(Series {
        title,
        at,
        query: shown,
        known,
    })
}

fn legend(shown: &Shown, format: &str) -> String {
    if format == "__auto" {
        return String::new();
    }
    if promql::kept_labels(&shown.filtered).names().is_none() {
        return format.trim().to_owned();
    }
    let mut out = String::new();
    let mut rest = format;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        rest = after.split_once("}}").map_or("", |(_, rest)| rest);
    }
    out.push_str(rest);
    // What was around a label is nothing without it.
    for pair in ["()", "[]", "{}"] {
        out = out.replace(pair, "");
    }
    let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = words.trim_matches(|c: char| c.is_whitespace() || "-:/|,_".contains(c));
    words.to_owned()
}
