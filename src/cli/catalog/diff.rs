//! `slosmith catalog diff A B`.

use anyhow::Result;
use serde_json::{Value, json};

use super::DiffArgs;
use crate::cli::table::Table;
use crate::cli::{Format, words};
use slosmith_catalog::diff::{Changed, Delta, Diff};
use slosmith_catalog::{Catalog, DEFAULT_PROFILE, Release};

pub(super) fn view(catalog: &Catalog, args: &DiffArgs) -> Result<String> {
    let from = super::release(catalog, &args.from)?;
    let to = super::release(catalog, &args.to)?;
    let profiles = super::profiles(args.profile.as_deref(), &[from, to])?;
    let mut diff = catalog.diff(from, to, &profiles);
    super::only_vllm(&mut diff);
    match args.format {
        Format::Text => Ok(text(catalog, from, to, &profiles, &diff)),
        Format::Json => super::json(&as_json(from, to, &profiles, &diff)),
    }
}

pub(crate) fn text<P: AsRef<str>>(
    catalog: &Catalog,
    from: &Release,
    to: &Release,
    profiles: &[P],
    diff: &Diff,
) -> String {
    let (title, profile) = (catalog.title(), names(profiles).join(", "));
    let mut out = format!(
        "{title} {} → {}, profile {profile}\n",
        from.version(),
        to.version()
    );
    if diff.is_empty() {
        out.push_str("\nno changes\n");
    }
    let mut removed = Table::default();
    for name in &diff.removed {
        removed.row([name, &instead(catalog, to, profiles, name)]);
    }
    section(&mut out, "removed", &removed);
    let mut renamed = Table::default();
    for (old, new) in &diff.renamed {
        renamed.row([old, "→", new]);
    }
    section(&mut out, "renamed", &renamed);
    let mut changed = Table::default();
    for family in &diff.changed {
        let mut name = family.family.as_str();
        for line in words::changes(family) {
            changed.row([std::mem::take(&mut name), &line]);
        }
    }
    section(&mut out, "changed", &changed);
    let mut added = Table::default();
    for name in &diff.added {
        if let Some(shape) = catalog.shape(name, to.id(), &names(profiles)) {
            added.row([name, shape.kind.as_str(), &words::labels(shape)]);
        }
    }
    section(&mut out, "added", &added);
    out
}

fn names<P: AsRef<str>>(profiles: &[P]) -> Vec<&str> {
    if profiles.is_empty() {
        return vec![DEFAULT_PROFILE];
    }
    profiles.iter().map(AsRef::as_ref).collect()
}

fn section(out: &mut String, title: &str, table: &Table) {
    let text = table.text("  ");
    if !text.is_empty() {
        out.push_str(&format!("\n{title}\n{text}"));
    }
}

fn instead<P: AsRef<str>>(catalog: &Catalog, to: &Release, profiles: &[P], name: &str) -> String {
    if let Some(new) = catalog.replacement_on(name, to, profiles) {
        return format!("use {}", words::replacement(&new));
    }
    let change = catalog.lineage().change(name);
    let family = catalog.family(name);
    let showing = family
        .map(|family| family.profiles_adding(to))
        .unwrap_or_default();
    let nearest = change.and_then(|change| change.nearest.as_ref());
    match (showing.is_empty(), nearest) {
        (_, Some(nearest)) => format!("nearest: {nearest}"),
        (false, None) => format!("only with profiles: {}", showing.join(", ")),
        (true, None) => String::new(),
    }
}

pub(crate) fn as_json<P: AsRef<str>>(
    from: &Release,
    to: &Release,
    profiles: &[P],
    diff: &Diff,
) -> Value {
    let renamed = diff
        .renamed
        .iter()
        .map(|(old, new)| json!({"from": old, "to": new}));
    json!({
        "from": from.version().to_string(),
        "to": to.version().to_string(),
        "profiles": names(profiles),
        "renamed": renamed.collect::<Vec<_>>(),
        "removed": diff.removed,
        "added": diff.added,
        "changed": diff.changed.iter().map(changed).collect::<Vec<_>>(),
    })
}

fn changed(changed: &Changed) -> Value {
    let delta = |delta: &Delta| json!({"added": delta.added, "removed": delta.removed});
    let values = changed
        .values
        .iter()
        .map(|(label, values)| (label.clone(), delta(values)));
    json!({
        "family": changed.family,
        "type": changed.kind.map(|(old, new)| json!({"from": old.as_str(), "to": new.as_str()})),
        "labels": delta(&changed.labels),
        "values": values.collect::<serde_json::Map<_, _>>(),
        "buckets": delta(&changed.buckets),
    })
}
