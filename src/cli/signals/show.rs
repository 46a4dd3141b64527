//! One signal, with its metrics in each release.

use serde_json::{Value, json};

use super::{Stretch, View};
use crate::cli::table::Table;
use crate::cli::words;
use slosmith_catalog::{Catalog, ReleaseId};
use slosmith_spec::spec::{Across, MatchValue, Matchers, Signal, Text};

pub(super) fn text(catalog: &Catalog, view: &View<'_>) -> String {
    let mut table = Table::default();
    for (name, value) in facts(view) {
        table.row([name, &value]);
    }
    let mut out = format!(
        "{}  {}\n\n{}\n\n{}",
        view.name,
        view.title(),
        view.description(),
        table.text("")
    );
    for stretches in &view.families {
        out.push('\n');
        out.push_str(&rows(catalog, stretches, "releases").text(""));
    }
    if view.releases().is_empty() {
        out.push_str("\nno selected release has this signal\n");
    }
    out
}

pub(super) fn facts(view: &View<'_>) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("kind", view.kind().to_owned()),
        ("unit", view.unit().to_owned()),
    ];
    if let Some(made_from) = made_from(view.signal) {
        facts.push(("computed from", made_from));
    }
    if let Some(across) = &view.across {
        facts.push(("over replicas and engines", combined(*across).to_owned()));
    }
    let binding = view.signal.prometheus.as_ref();
    let own = binding.and_then(|binding| binding.value.buckets.as_ref());
    if let Some(own) = own {
        let bounds: Vec<_> = own.iter().map(|bound| bound.value.to_string()).collect();
        facts.push(("boundaries", bounds.join(", ")));
    } else if let Some(newest) = view.families.iter().flatten().last()
        && !newest.shape.open_buckets
    {
        let bounds = newest.shape.buckets.iter().map(String::as_str);
        let bounds: Vec<_> = bounds.filter(|bound| *bound != "+Inf").collect();
        if !bounds.is_empty() {
            facts.push(("boundaries", bounds.join(", ")));
        }
    }
    facts
}

fn made_from(signal: &Signal) -> Option<String> {
    if let Some(ratio) = &signal.ratio {
        return Some(format!(
            "{} / {}",
            ratio.value.of.signal, ratio.value.over.signal
        ));
    }
    let base = signal.base.as_ref()?;
    Some(format!("{base} where {}", selection(&signal.matchers)))
}

/// `status is 5xx`
fn selection(matchers: &Matchers) -> String {
    let or = |values: &[Text]| {
        let values: Vec<_> = values.iter().map(|text| text.value.as_str()).collect();
        values.join(" or ")
    };
    let words = matchers.iter().map(|(label, value)| match value {
        MatchValue::Is { values, .. } => format!("{label} is {}", or(values)),
        MatchValue::Not(values) => format!("{label} is not {}", or(values)),
        MatchValue::Matches(text) => format!("{label} matches {text}"),
        MatchValue::NotMatches(text) => format!("{label} does not match {text}"),
    });
    words.collect::<Vec<_>>().join(" and ")
}

fn combined(across: Across) -> &'static str {
    match across {
        Across::Sum => "sum",
        Across::Max => "maximum",
        Across::Min => "minimum",
        Across::Avg => "mean",
    }
}

/// One row for each name and shape of a family.
pub(super) fn rows(catalog: &Catalog, stretches: &[Stretch<'_>], first: &str) -> Table {
    let mut table = Table::default();
    let bucketed = stretches
        .iter()
        .any(|s| !words::buckets(s.shape).is_empty());
    let fourth = if bucketed { "buckets" } else { "" };
    table.row([first, "metric", "labels", "profiles", fourth]);
    for stretch in stretches {
        table.row([
            &catalog.describe(&stretch.releases),
            stretch.family,
            &words::labels(stretch.shape),
            &stretch.profiles.join(", "),
            &words::buckets(stretch.shape),
        ]);
    }
    table
}

pub(super) fn as_json(catalog: &Catalog, view: &View<'_>) -> Value {
    let signal = view.signal;
    json!({
        "name": view.name,
        "title": view.title(),
        "description": view.description(),
        "kind": view.kind(),
        "unit": view.unit(),
        "across": view.across.map(Across::as_str),
        "made_from": made_from(signal),
        "releases": versions(catalog, &view.releases()),
        "families": view.families.iter().flatten().map(|stretch| json!({
            "releases": versions(catalog, &stretch.releases),
            "family": stretch.family,
            "type": stretch.shape.kind.as_str(),
            "labels": stretch.shape.labels,
            "open_labels": stretch.shape.open_labels,
            "values": stretch.shape.values,
            "buckets": stretch.shape.buckets,
            "open_buckets": stretch.shape.open_buckets,
            "profiles": stretch.profiles,
        })).collect::<Vec<_>>(),
    })
}

fn versions(catalog: &Catalog, releases: &[ReleaseId]) -> Vec<String> {
    let version = |id: &ReleaseId| catalog.release(*id).version().to_string();
    releases.iter().map(version).collect()
}
