//! The differences of two inventories, field by field.

use std::collections::BTreeSet;

use anyhow::Result;
use indexmap::IndexMap;
use serde::Serialize;
use serde_json::{Map, Value};

use slosmith_plan::inventory::Service;
use slosmith_spec::naming::SERVICE;

/// The lists of a service, and the word for one entry.
const LISTS: [(&str, &str); 4] = [
    ("slos", "SLO"),
    ("alerts", "alert"),
    ("dashboards", "dashboard"),
    ("runbooks", "runbook"),
];

/// Fields that tell nothing of their own: places, and what severities follow from.
const SILENT: [&str; 8] = [
    "days",
    "generated",
    "name",
    "pages",
    "ratio",
    "renamed_from",
    "severities",
    "spec",
];

#[derive(Serialize)]
pub(super) struct Changes {
    /// Alerts that page now and did not: `chat/QueueLong`.
    pub(super) pages: Vec<String>,
    /// Alerts that paged and do not now.
    pub(super) no_longer_pages: Vec<String>,
    pub(super) services: Vec<Changed>,
}

/// A service, or an entry of it.
#[derive(Serialize)]
pub(super) struct Changed {
    pub(super) kind: &'static str,
    pub(super) name: String,
    pub(super) change: Kind,
    /// The name before, where the specs tell it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) was: Option<String>,
    /// What an added or a removed one is about.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) about: String,
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub(super) fields: IndexMap<String, [Value; 2]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) entries: Vec<Changed>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Added,
    Changed,
    Removed,
}

impl Changes {
    pub(super) fn between(before: &[Service], after: &[Service]) -> Result<Self> {
        let [old, new] = [before, after].map(serde_json::to_value);
        let services = entries("service", Some(&old?), Some(&new?));
        let renamed = |name: &str| {
            let mut services = services.iter();
            let to = services.find(|service| service.was.as_deref() == Some(name));
            to.map_or(name, |to| &to.name).to_owned()
        };
        let now: BTreeSet<_> = after.iter().flat_map(|of| of.pages(&of.name)).collect();
        let then = before.iter().flat_map(|of| of.pages(&renamed(&of.name)));
        let then: BTreeSet<_> = then.collect();
        Ok(Self {
            pages: now.difference(&then).cloned().collect(),
            no_longer_pages: then.difference(&now).cloned().collect(),
            services,
        })
    }
}

/// The entries of two lists that differ, by name; a renamed one is compared with what it was.
fn entries(kind: &'static str, before: Option<&Value>, after: Option<&Value>) -> Vec<Changed> {
    let (before, after) = (by_name(before), by_name(after));
    let old_name = |name: &str| {
        let old = after.get(name)?.get("renamed_from")?.as_str()?;
        let is_renamed = !before.contains_key(name) && !after.contains_key(old);
        (is_renamed && before.contains_key(old)).then_some(old)
    };
    let old_names: BTreeSet<_> = after.keys().filter_map(|name| old_name(name)).collect();
    let names: BTreeSet<_> = before.keys().chain(after.keys()).copied().collect();
    let changed = names.difference(&old_names).filter_map(|name| {
        let was = old_name(name);
        let old = before.get(was.unwrap_or(name)).map(|old| match was {
            Some(was) if kind == "service" => with_name(old, was, name),
            _ => (*old).clone(),
        });
        changed(kind, (name, was), old.as_ref(), after.get(name).copied())
    });
    changed.collect()
}

/// A service with another name in its queries, which then differ where they mean something else.
fn with_name(service: &Map<String, Value>, old: &str, new: &str) -> Map<String, Value> {
    let [old, new] = [old, new].map(|name| format!("{SERVICE}=\\\"{name}\\\""));
    let text = Value::from(service.clone()).to_string().replace(&old, &new);
    serde_json::from_str(&text).unwrap_or_else(|_| service.clone())
}

fn by_name(list: Option<&Value>) -> IndexMap<&str, &Map<String, Value>> {
    let all = list.and_then(Value::as_array).into_iter().flatten();
    let all = all.filter_map(Value::as_object);
    all.filter_map(|entry| Some((entry.get("name")?.as_str()?, entry)))
        .collect()
}

fn changed(
    kind: &'static str,
    (name, was): (&str, Option<&str>),
    before: Option<&Map<String, Value>>,
    after: Option<&Map<String, Value>>,
) -> Option<Changed> {
    let of = |side: Option<&Map<String, Value>>, field: &str| {
        side.and_then(|side| side.get(field))
            .cloned()
            .unwrap_or_default()
    };
    let change = match (before, after) {
        (None, _) => Kind::Added,
        (_, None) => Kind::Removed,
        _ => Kind::Changed,
    };
    let mut found = Changed {
        kind,
        name: name.to_owned(),
        change,
        was: was.map(ToOwned::to_owned),
        about: String::new(),
        fields: IndexMap::new(),
        entries: Vec::new(),
    };
    if change != Kind::Changed {
        found.about = about(kind, before.or(after)?);
        return Some(found);
    }
    let fields: BTreeSet<_> = before?.keys().chain(after?.keys()).collect();
    for field in fields {
        let (old, new) = (of(before, field), of(after, field));
        match LISTS.into_iter().find(|(list, _)| list == field) {
            Some((_, word)) if kind == "service" => {
                found.entries.extend(entries(word, Some(&old), Some(&new)));
            }
            _ if old == new || SILENT.contains(&field.as_str()) => {}
            _ => drop(found.fields.insert(field.clone(), [old, new])),
        }
    }
    let order = |of: &Changed| LISTS.iter().position(|(_, word)| *word == of.kind);
    found.entries.sort_by_key(order);
    let differs = was.is_some() || !found.fields.is_empty() || !found.entries.is_empty();
    differs.then_some(found)
}

/// What an entry is about, in a few words.
fn about(kind: &str, entry: &Map<String, Value>) -> String {
    let text = |field: &str| entry.get(field).and_then(Value::as_str).unwrap_or_default();
    let number = |field: &str| {
        entry
            .get(field)
            .and_then(Value::as_array)
            .map_or(0, Vec::len)
    };
    match kind {
        "service" => {
            let [slos, alerts] = [("slos", "SLO"), ("alerts", "alert")]
                .map(|(field, word)| slosmith_text::diag::count(number(field), word));
            format!("{slos}, {alerts}")
        }
        "SLO" => format!("{} over {}", text("objective"), text("period")),
        "alert" => format!("{}: {}", text("severity"), text("condition")),
        _ => text("title").to_owned(),
    }
}
