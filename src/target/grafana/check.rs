//! Reading our own output back: a dashboard must be JSON, hold the queries of the plan, and have no two
//! panels with one number or in one place. Grafana's own schema knows none of that.

use std::collections::BTreeSet;

use serde_json::Value;

use super::view::ConfigMap;
use crate::plan::Dashboard;
use crate::plan::dashboard::Place;
use crate::promql::{self, Dialect};
use crate::source::FileId;
use crate::target::{OutFile, TargetError};

fn invalid(file: &OutFile, why: impl Into<String>) -> TargetError {
    TargetError::Invalid {
        path: file.path.clone(),
        why: why.into(),
    }
}

/// The same dashboard, evenly indented.
///
/// # Errors
/// When it is no JSON, or not what the plan says.
pub(super) fn canonical(file: OutFile, plan: &Dashboard) -> Result<OutFile, TargetError> {
    let dashboard: Value = serde_json::from_str(&file.text).map_err(|error| {
        let line = file.text.lines().nth(error.line().saturating_sub(1));
        invalid(
            &file,
            format!("{error}: {}", line.unwrap_or_default().trim()),
        )
    })?;
    let panels = panels(&dashboard);
    queries(&file, &panels, plan)?;
    unique(&file, &panels)?;
    apart(&file, &panels)?;
    let text =
        serde_json::to_string_pretty(&dashboard).map_err(|e| invalid(&file, e.to_string()))?;
    Ok(OutFile {
        path: file.path,
        text: text + "\n",
    })
}

/// All panels, also those in closed rows.
fn panels(dashboard: &Value) -> Vec<&Value> {
    let top = list(dashboard);
    top.flat_map(|panel| std::iter::once(panel).chain(list(panel)))
        .collect()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value["panels"].as_array().into_iter().flatten()
}

/// Templates may change what surrounds queries, not queries.
fn queries(file: &OutFile, panels: &[&Value], plan: &Dashboard) -> Result<(), TargetError> {
    let parse = |text: &str| {
        promql::parse_with(text, Dialect::Grafana)
            .map(|expr| expr.to_string())
            .map_err(|error| invalid(file, format!("`{text}`: {}", error.message)))
    };
    let targets = panels
        .iter()
        .flat_map(|panel| panel["targets"].as_array())
        .flatten();
    let found = targets
        .map(|target| parse(target["expr"].as_str().unwrap_or_default()))
        .collect::<Result<Vec<_>, _>>()?;
    let wanted: Vec<_> = plan
        .panels()
        .flat_map(|panel| &panel.series)
        .map(|series| series.query.expr.to_string())
        .collect();
    let wanted = wanted
        .iter()
        .map(|text| parse(text))
        .collect::<Result<Vec<_>, _>>()?;
    if found != wanted {
        return Err(invalid(file, "its queries are not those of the plan"));
    }
    Ok(())
}

fn unique(file: &OutFile, panels: &[&Value]) -> Result<(), TargetError> {
    let mut seen = BTreeSet::new();
    for panel in panels {
        let Some(id) = panel["id"].as_u64() else {
            return Err(invalid(file, "a panel has no id"));
        };
        if !seen.insert(id) {
            return Err(invalid(file, format!("two panels have the id {id}")));
        }
    }
    Ok(())
}

fn apart(file: &OutFile, panels: &[&Value]) -> Result<(), TargetError> {
    let number = |value: &Value| u32::try_from(value.as_u64()?).ok();
    let mut taken: Vec<Place> = Vec::new();
    // Those of a closed row are not there until somebody opens it, which moves the others down.
    let closed = panels
        .iter()
        .filter(|panel| panel["collapsed"] == Value::Bool(true));
    let hidden: BTreeSet<_> = closed
        .flat_map(|row| list(row))
        .map(|panel| panel["id"].to_string())
        .collect();
    for panel in panels
        .iter()
        .filter(|panel| !hidden.contains(&panel["id"].to_string()))
    {
        let at = &panel["gridPos"];
        let place = (|| {
            Some(Place {
                x: number(&at["x"])?,
                y: number(&at["y"])?,
                w: number(&at["w"])?,
                h: number(&at["h"])?,
            })
        })();
        let Some(place) = place else {
            return Err(invalid(file, format!("panel {} has no place", panel["id"])));
        };
        if taken.iter().any(|other| other.overlaps(place)) {
            let message = format!("panel {} stands on another one", panel["id"]);
            return Err(invalid(file, message));
        }
        taken.push(place);
    }
    Ok(())
}

/// A file that must be YAML.
///
/// # Errors
/// When it is not.
pub(super) fn yaml(file: OutFile) -> Result<OutFile, TargetError> {
    read(&file)?;
    Ok(file)
}

fn read(file: &OutFile) -> Result<Value, TargetError> {
    crate::yaml::read(FileId::default(), &file.text)
        .map_err(|diagnostic| invalid(file, diagnostic.message))
}

/// A ConfigMap must hold the dashboard as it is.
///
/// # Errors
/// When it is no YAML or holds something else.
pub(super) fn config_map(file: OutFile, view: &ConfigMap) -> Result<OutFile, TargetError> {
    let map = read(&file)?;
    if map["data"][&view.file].as_str().map(str::trim_end) != Some(view.json.trim_end()) {
        return Err(invalid(&file, "it does not hold the dashboard"));
    }
    Ok(file)
}
