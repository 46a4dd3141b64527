//! The drift report as JSON.

use anyhow::Result;
use serde_json::json;

use super::Drift;
use crate::cli::catalog::diff;

const SCHEMA_VERSION: u32 = 1;

pub(super) fn report(drift: &Drift<'_>) -> Result<String> {
    let items = drift.items.iter().map(|place| {
        let item = place.item;
        json!({
            "path": place.path,
            "line": place.at.line,
            "column": place.at.col,
            "what": item.what,
            "fate": item.fate.as_json(),
            "reasons": item.reasons,
            "fixes": item.fixes,
        })
    });
    let report = json!({
        "schemaVersion": SCHEMA_VERSION,
        "metrics": diff::as_json(drift.from, drift.to, &drift.profiles, &drift.diff),
        "items": items.collect::<Vec<_>>(),
    });
    Ok(format!("{}\n", serde_json::to_string_pretty(&report)?))
}
