//! Reads generated dashboards back: a dashboard must be JSON, contain the queries of the plan, and have no two
//! panels with the same id or in the same place. Grafana's own schema checks none of this.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::iter::once;

use serde::Deserialize;
use serde_json::Value;

use super::view::{self, ConfigMap};
use crate::target::{OutFile, TargetError, json};
use crate::template::yaml::keeps_lines;
use slosmith_plan::plan::dashboard::Place;
use slosmith_promql::{self as promql, Dialect};
use slosmith_text::source::lines;

#[derive(Deserialize)]
struct Dashboard<'a> {
    #[serde(borrow, default)]
    panels: Vec<Panel<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Panel<'a> {
    id: Option<u64>,
    grid_pos: Option<Place>,
    #[serde(default)]
    collapsed: bool,
    #[serde(borrow, default)]
    targets: Vec<Target<'a>>,
    #[serde(borrow, default)]
    panels: Vec<Panel<'a>>,
}

#[derive(Deserialize)]
struct Target<'a> {
    #[serde(borrow, default)]
    expr: Cow<'a, str>,
}

/// The same dashboard, evenly indented.
pub(super) fn canonical(file: OutFile, view: &view::Dashboard) -> Result<OutFile, TargetError> {
    let wrong = |error: serde_json::Error| {
        let line = file.text.lines().nth(error.line().saturating_sub(1));
        let line = line.unwrap_or_default().trim();
        file.invalid(format!("{error}: {line}"))
    };
    let (dashboard, json): (Dashboard<'_>, _) = json::read(&file.text).map_err(wrong)?;
    let panels = dashboard.panels.iter();
    let panels: Vec<_> = panels.flat_map(|p| once(p).chain(&p.panels)).collect();
    queries(&file, &panels, view)?;
    unique(&file, &panels)?;
    apart(&file, &dashboard.panels)?;
    let text = json.pretty().map_err(wrong)?;
    Ok(OutFile { text, ..file })
}

/// Templates may change what surrounds queries, not queries.
fn queries(
    file: &OutFile,
    panels: &[&Panel<'_>],
    view: &view::Dashboard,
) -> Result<(), TargetError> {
    let targets = panels.iter().flat_map(|panel| &panel.targets);
    let found: Vec<&str> = targets.map(|target| &*target.expr).collect();
    let wanted = view.panels.iter();
    let wanted = wanted.flat_map(|p| once(p).chain(&p.inside));
    let wanted = wanted.flat_map(|panel| &panel.targets);
    let wanted: Vec<&str> = wanted.map(|query| query.expr.as_str()).collect();
    // What is printed from a plan parses; only other text has to be read.
    if found != wanted && parsed(file, &found)? != parsed(file, &wanted)? {
        return Err(file.invalid("the queries in the file differ from the spec"));
    }
    Ok(())
}

/// Queries without what white space and parentheses may do.
fn parsed(file: &OutFile, queries: &[&str]) -> Result<Vec<String>, TargetError> {
    let parse = |text: &&str| {
        promql::parse_with(text, Dialect::Grafana)
            .map(|expr| expr.to_string())
            .map_err(|error| file.invalid(format!("`{text}`: {}", error.message)))
    };
    queries.iter().map(parse).collect()
}

fn unique(file: &OutFile, panels: &[&Panel<'_>]) -> Result<(), TargetError> {
    let mut seen = BTreeSet::new();
    for panel in panels {
        let Some(id) = panel.id else {
            return Err(file.invalid("a panel has no id"));
        };
        if !seen.insert(id) {
            return Err(file.invalid(format!("two panels have the id {id}")));
        }
    }
    Ok(())
}

/// Panels of a collapsed row are hidden until the row is opened, which moves the other panels down.
fn apart(file: &OutFile, top: &[Panel<'_>]) -> Result<(), TargetError> {
    let open = |panel: &&Panel<'_>| !panel.collapsed;
    let shown = top
        .iter()
        .chain(top.iter().filter(open).flat_map(|row| &row.panels));
    let mut taken: Vec<Place> = Vec::new();
    for panel in shown {
        let id = panel.id.unwrap_or_default();
        let Some(place) = panel.grid_pos else {
            return Err(file.invalid(format!("panel {id} has no `gridPos`")));
        };
        if taken.iter().any(|other| other.overlaps(place)) {
            let message = format!("panel {id} overlaps another panel");
            return Err(file.invalid(message));
        }
        taken.push(place);
    }
    Ok(())
}

/// A ConfigMap must hold the dashboard as it is.
pub(super) fn config_map(file: &OutFile, view: &ConfigMap) -> Result<(), TargetError> {
    // A block is what its lines are: only the lines before it need the reader.
    let (short, json) = match file.text.split_once("|-\n") {
        Some((head, block)) if is_block(block, &view.json) => {
            (format!("{head}|-\n    {{}}\n"), "{}")
        }
        _ => (file.text.clone(), view.json.trim_end()),
    };
    let short = OutFile {
        path: file.path.clone(),
        text: short,
    };
    let map: Value = short.read()?;
    if map["data"][&view.file].as_str().map(str::trim_end) != Some(json) {
        return Err(file.invalid("the ConfigMap does not contain the dashboard"));
    }
    Ok(())
}

/// True when the lines of a YAML block, indented by four, are those of a text that nothing but line feeds
/// can break.
fn is_block(block: &str, text: &str) -> bool {
    let mut rest = block;
    let mut same = |line: &str| {
        let found = rest.strip_prefix("    ").and_then(|r| r.strip_prefix(line));
        let behind = found.and_then(|r| r.strip_prefix('\n'));
        rest = behind.unwrap_or_default();
        behind.is_some()
    };
    text.starts_with('{') && keeps_lines(text) && lines(text).all(&mut same) && rest.is_empty()
}
