//! Rows of panels.

use super::panel::{Made, Series};
use super::variables::Variables;
use crate::context::Cx;
use crate::known;
use crate::print::{Item, Map, Value};
use slosmith_lint::artifact::Dashboard;
use slosmith_plan::plan::dashboard::COLUMNS;
use slosmith_plan::plan::layout::Place;
use slosmith_text::source::Span;
use slosmith_text::yaml::Node;

struct Row {
    pointer: Option<String>,
    title: String,
    at: Span,
    comments: Vec<String>,
    panels: Vec<Made>,
}

pub(super) fn rows(
    cx: &mut Cx<'_>,
    board: &Dashboard,
    panels: Vec<Made>,
    variables: &Variables,
    heading: &str,
) -> Vec<Item> {
    let grouped = grouped(cx, board, panels, heading);
    let rows = grouped.into_iter();
    rows.map(|row| self::row(cx, board, row, variables))
        .collect()
}

fn grouped(cx: &mut Cx<'_>, board: &Dashboard, panels: Vec<Made>, heading: &str) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut old = String::new();
    for made in panels {
        let of_old = made
            .pointer
            .strip_prefix("/rows/")
            .and_then(|rest| rest.split_once('/'));
        if made.is_row {
            rows.push(Row {
                pointer: Some(made.pointer),
                title: made.title,
                at: made.at,
                comments: made.comments,
                panels: Vec::new(),
            });
            continue;
        }
        if let Some((number, _)) = of_old.filter(|(number, _)| *number != old) {
            old = number.to_owned();
            rows.push(old_row(cx, board, format!("/rows/{number}")));
        } else if rows.last().is_none_or(|row| is_beside(board, row, &made)) {
            let title = if rows.is_empty() { heading } else { "" };
            rows.push(Row {
                pointer: None,
                title: title.to_owned(),
                at: made.at,
                comments: Vec::new(),
                panels: Vec::new(),
            });
        }
        if let Some(row) = rows.last_mut() {
            row.panels.push(made);
        }
    }
    let old = board.raw.node("/rows").map_or(&[][..], Node::items);
    for pointer in (0..old.len()).map(|number| format!("/rows/{number}")) {
        if !rows
            .iter()
            .any(|row| row.pointer.as_ref() == Some(&pointer))
        {
            rows.push(old_row(cx, board, pointer));
        }
    }
    rows
}

/// True for a panel behind a collapsed row, whose panels are in it.
fn is_beside(board: &Dashboard, row: &Row, made: &Made) -> bool {
    let Some(pointer) = &row.pointer else {
        return false;
    };
    let panels = board.raw.node(&format!("{pointer}/panels"));
    let has_own = panels.is_some_and(|panels| !panels.items().is_empty());
    has_own && !made.pointer.starts_with(&format!("{pointer}/"))
}

fn old_row(cx: &mut Cx<'_>, board: &Dashboard, pointer: String) -> Row {
    let node = board.raw.node(&pointer);
    let title = node.and_then(|node| node.get("title")?.text());
    Row {
        title: title.unwrap_or_default().to_owned(),
        at: board.raw.span(&pointer),
        comments: node.map_or_else(Vec::new, |node| {
            super::rest::tell(
                cx,
                &board.raw,
                node,
                &super::rest::PARTS.row,
                "fields of the row",
            )
        }),
        pointer: Some(pointer),
        panels: Vec::new(),
    }
}

fn row(cx: &mut Cx<'_>, board: &Dashboard, mut row: Row, variables: &Variables) -> Item {
    let mut map = Map::default();
    let title = match row.title.as_str() {
        "" => "Panels".to_owned(),
        title => variables.text(title, &[]),
    };
    map.put("title", &title);
    let word = |key: &str| {
        let pointer = format!("{}/{key}", row.pointer.as_ref()?);
        board.raw.node(&pointer).and_then(Node::text)
    };
    let is_collapsed = word("collapsed").or(word("collapse")) == Some("true");
    if is_collapsed {
        map.put("collapsed", Value::word("true"));
    }
    if let Some(variable) = word("repeat").filter(|variable| !variable.is_empty()) {
        match variables.label(variable) {
            Some(label) => map.put("repeat", label),
            None => {
                let what = format!("`repeat: {variable}`: the spec has no such variable");
                row.comments.push(cx.lost(row.at, what, ""));
            }
        }
    }
    if row.panels.is_empty() {
        let what = format!("row `{}`: no panels", row.title);
        row.comments.push(cx.lost(row.at, what, ""));
    }
    place(cx, &mut row);
    let panels = std::mem::take(&mut row.panels).into_iter();
    let items: Vec<Item> = panels.map(|made| panel(cx, made, variables)).collect();
    let is_comment = items.iter().all(|item| item.is_comment);
    let items = items.into_iter().map(|item| Value::Item(Box::new(item)));
    map.put("panels", Value::List(items.collect()));
    Item {
        comments: row.comments,
        value: map.into(),
        is_comment,
    }
}

fn place(cx: &mut Cx<'_>, row: &mut Row) {
    let top = row
        .panels
        .iter()
        .filter_map(|made| Some(made.place?.y))
        .min()
        .unwrap_or(0);
    let mut taken: Vec<Place> = Vec::new();
    for place in row.panels.iter_mut().filter_map(|made| made.place.as_mut()) {
        place.y -= top;
        let is_wrong = place.w == 0 || place.h == 0 || place.x.saturating_add(place.w) > COLUMNS;
        if is_wrong || taken.iter().any(|other| other.overlaps(*place)) {
            let what = format!(
                "positions of the panels in the row `{}` removed: two panels overlap, or one is too wide",
                row.title
            );
            row.comments.push(cx.changed(row.at, what));
            row.panels.iter_mut().for_each(|made| made.place = None);
            return;
        }
        taken.push(*place);
    }
}

fn panel(cx: &mut Cx<'_>, mut made: Made, variables: &Variables) -> Item {
    told(cx, &mut made, variables);
    let filled = made.series.iter().flat_map(|series| &series.query.filled);
    let filled: Vec<String> = filled.cloned().collect();
    made.fields.edit_texts(|text| variables.text(text, &filled));
    for series in &mut made.series {
        series.title = variables.text(&series.title, &series.query.filled);
    }
    let mut best = content(&made, variables, true);
    if made.lost.is_none() {
        let vllm = cx.options.vllm.clone().unwrap_or_default();
        let refused = |map: &Map| {
            let dashboards = known::dashboard_of(map.clone(), &[]);
            known::resolve_with(&vllm, "dashboards", dashboards).err()
        };
        if refused(&best).is_some() {
            best = content(&made, variables, false);
            made.lost = refused(&best).map(|error| error.message);
        }
    }
    if let Some(why) = &made.lost {
        let name = match made.title.as_str() {
            "" => "panel without a title".to_owned(),
            title => format!("panel `{title}`"),
        };
        let what = format!("{name}: {why}");
        made.comments.push(cx.lost(made.at, what, ""));
    }
    Item {
        comments: made.comments,
        value: best.into(),
        is_comment: made.lost.is_some(),
    }
}

fn told(cx: &mut Cx<'_>, made: &mut Made, variables: &Variables) {
    for series in &made.series {
        let (_, lost) = series.query.with(&variables.labels());
        for label in lost.iter().chain(&series.query.removed) {
            let what = format!(
                "filter on `{label}` removed from this query: the spec has no variable for this label"
            );
            made.comments.push(cx.changed(series.at, what));
        }
        for name in &series.query.filled {
            let what = format!(
                "`${name}` replaced by `{}` in this query",
                variables.current[name]
            );
            made.comments.push(cx.changed(series.at, what));
        }
    }
}

fn content(made: &Made, variables: &Variables, with_signals: bool) -> Map {
    let mut map = made.fields.clone();
    let one = |series: &Series| {
        let mut map = Map::default();
        map.maybe(
            "title",
            Some(&series.title).filter(|title| !title.is_empty()),
        );
        let known = series.known.as_ref().filter(|_| with_signals);
        match known {
            Some(known) => map.extend(known.clone()),
            None => {
                map.put("promql", &series.query.with(&variables.labels()).0);
                map.maybe(
                    "unit",
                    made.unit.map(|unit| unit.as_str().to_owned()).as_ref(),
                );
            }
        }
        map
    };
    match made.series.as_slice() {
        [] => {}
        [only] if only.title.is_empty() && (only.known.is_none() || !with_signals) => {
            map.extend(one(only))
        }
        several => {
            let items = several.iter().map(|series| one(series).into());
            map.put("series", Value::List(items.collect()));
        }
    }
    map.put("thresholds", made.thresholds.clone());
    if let Some(place) = made.place {
        let numbers = [place.x, place.y, place.w, place.h];
        let numbers = numbers.iter().map(Value::word).collect();
        map.put("position", Value::List(numbers));
    }
    map
}
