//! `slosmith catalog show FAMILY`.

use anyhow::{Result, anyhow};
use serde_json::json;

use super::ShowArgs;
use super::family::{Stretch, history, shape, timeline};
use crate::cli::Format;
use crate::cli::table::Table;
use crate::cli::words;
use slosmith_catalog::lineage::Change;
use slosmith_catalog::{Catalog, Family, ReleaseId, Version};

pub(super) fn view(args: &ShowArgs) -> Result<String> {
    let name = args.family.as_str();
    let catalog = super::owner(name)?;
    find(catalog, name, args.format)?.ok_or_else(|| {
        let hint = catalog
            .suggest(name, &[])
            .map(|found| format!("; did you mean `{found}`?"));
        anyhow!(
            "no recorded release has `{name}`{}",
            hint.unwrap_or_default()
        )
    })
}

pub(super) fn find(catalog: &Catalog, name: &str, format: Format) -> Result<Option<String>> {
    let Some((family, _)) = catalog.series_of(name) else {
        return elsewhere(catalog, name, format);
    };
    match format {
        Format::Text => Ok(Some(text(catalog, family))),
        Format::Json => as_json(catalog, family).map(Some),
    }
}

fn text(catalog: &Catalog, family: &Family) -> String {
    let timeline = timeline(catalog, family);
    let kinds: Vec<_> = kinds(family);
    let mut out = format!("{}  {}\n\n", family.name(), kinds.join(", then "));
    out.push_str(&facts(catalog, family));
    out.push_str(&stretches(catalog, &timeline));
    let mut dated: Vec<(&Version, String)> = Vec::new();
    for (release, changed) in history(&timeline, family.name()) {
        let version = catalog.release(release).version();
        dated.extend(
            words::changes(&changed)
                .into_iter()
                .map(|line| (version, line)),
        );
    }
    let in_place = catalog.lineage().in_place(family.name());
    dated.extend(in_place.map(|change| (&change.release, change.note.clone())));
    dated.sort_by_key(|(version, _)| *version);
    let mut changes = Table::default();
    for (version, line) in dated {
        changes.row([&version.to_string(), &line]);
    }
    let changes = changes.text("  ");
    if !changes.is_empty() {
        out.push_str("\nchanges\n");
        out.push_str(&changes);
    }
    out
}

fn kinds(family: &Family) -> Vec<&'static str> {
    let mut kinds: Vec<_> = family
        .shapes()
        .iter()
        .map(|shape| shape.kind.as_str())
        .collect();
    kinds.dedup();
    kinds
}

/// Replacement and conditions, as a table of two columns, followed by an empty line.
fn facts(catalog: &Catalog, family: &Family) -> String {
    let lineage = catalog.lineage();
    let mut table = Table::default();
    if let Some(change) = lineage.change(family.name()) {
        replaced(&mut table, change);
    }
    let before = lineage.predecessors(family.name());
    if !before.is_empty() {
        table.row(["before", &before.join(", ")]);
    }
    if let Some(condition) = lineage.condition(family.name()) {
        let flag = condition.flag.as_deref().map(|flag| format!(" ({flag})"));
        table.row([
            "only with",
            &format!("{}{}", condition.needs, flag.unwrap_or_default()),
        ]);
    }
    let text = table.text("");
    if text.is_empty() { text } else { text + "\n" }
}

fn replaced(table: &mut Table, change: &Change) {
    match (&change.replaced_by, &change.nearest) {
        (Some(new), _) => {
            let kind = words::kind(change.kind);
            table.row([
                "use instead",
                &format!("{} ({kind})", words::replacement(new)),
            ]);
        }
        (None, Some(nearest)) => table.row(["nearest", nearest]),
        (None, None) => table.row(["use instead", "no replacement"]),
    }
    table.row(["", &change.note]);
    let dates = [
        ("deprecated", &change.deprecated),
        ("hidden", &change.hidden),
        ("removed", &change.removed),
    ];
    for (word, version) in dates {
        if let Some(version) = version {
            table.row([word, &version.to_string()]);
        }
    }
    for (minor, flag) in &change.shown_by {
        let engine = change
            .engine
            .as_ref()
            .map(|engine| format!(" with the {engine} engine"));
        let engine = engine.unwrap_or_default();
        let option = format!("--show-hidden-metrics-for-version={flag} on {minor}{engine}");
        table.row(["shown by", &option]);
    }
    if !change.evidence.is_empty() {
        table.row(["evidence", &change.evidence.join(", ")]);
    }
}

fn stretches(catalog: &Catalog, timeline: &[Stretch<'_>]) -> String {
    let bucketed = timeline.iter().any(|s| !words::buckets(s.shape).is_empty());
    let mut table = Table::default();
    let third = if bucketed { "buckets" } else { "profiles" };
    table.row([
        "releases",
        "labels",
        third,
        if bucketed { "profiles" } else { "" },
    ]);
    for (releases, [labels, buckets], profiles) in rows(timeline) {
        let (releases, profiles) = (catalog.describe(&releases), profiles.join(", "));
        if bucketed {
            table.row([&releases, &labels, &buckets, &profiles]);
        } else {
            table.row([&releases, &labels, &profiles]);
        }
    }
    table.text("")
}

type Row<'a> = (Vec<ReleaseId>, [String; 2], Vec<&'a str>);

/// Stretches that read the same are in one row: neighbours of one profile, then equal ones of several.
fn rows<'a>(timeline: &[Stretch<'a>]) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = Vec::new();
    for stretch in timeline {
        let cells = [words::labels(stretch.shape), words::buckets(stretch.shape)];
        match rows.last_mut() {
            Some((releases, known, profiles))
                if *known == cells && *profiles == [stretch.profile] =>
            {
                releases.extend(&stretch.releases);
            }
            _ => rows.push((stretch.releases.clone(), cells, vec![stretch.profile])),
        }
    }
    let mut merged: Vec<Row<'a>> = Vec::new();
    for (releases, cells, profiles) in rows {
        let same = |row: &&mut Row<'a>| row.0 == releases && row.1 == cells;
        match merged.iter_mut().find(same) {
            Some((_, _, known)) => known.extend(profiles),
            None => merged.push((releases, cells, profiles)),
        }
    }
    merged
}

fn as_json(catalog: &Catalog, family: &Family) -> Result<String> {
    let timeline = timeline(catalog, family);
    let stretches = timeline.iter().map(|stretch| {
        let versions = stretch
            .releases
            .iter()
            .map(|id| catalog.release(*id).version().to_string());
        json!({
            "profile": stretch.profile,
            "releases": versions.collect::<Vec<_>>(),
            "shape": shape(family.name(), stretch.shape),
        })
    });
    super::json(&json!({
        "family": family.name(),
        "types": kinds(family),
        "timeline": stretches.collect::<Vec<_>>(),
        "change": catalog.lineage().change(family.name()),
        "predecessors": catalog.lineage().predecessors(family.name()),
        "condition": catalog.lineage().condition(family.name()),
        "in_place": catalog.lineage().in_place(family.name()).collect::<Vec<_>>(),
    }))
}

fn elsewhere(catalog: &Catalog, name: &str, format: Format) -> Result<Option<String>> {
    let Some((exporter, family)) = catalog.foreign().find(name) else {
        return Ok(None);
    };
    if format == Format::Json {
        let value = json!({"family": name, "exporter": exporter.name, "type": family.kind, "unit": family.unit});
        return super::json(&value).map(Some);
    }
    Ok(Some(format!(
        "{name}  {}\n\npublished by {}, not by vLLM\n",
        family.kind, exporter.title
    )))
}
