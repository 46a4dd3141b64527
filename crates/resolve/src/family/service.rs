//! Metrics of the project's services, held against their recordings.
//!
//! A service can serve metrics and label values that its recording did not show, so all of these are warnings.

use super::metric_name::is_unit;
use super::missing::span;
use crate::context::{Absence, Context};
use slosmith_catalog::{
    Lifetime, MetricType, Product, ReleaseId, Shape, meant, meant_value, split_series,
};
use slosmith_plan::plan::{Bucket, Family, selection};
use slosmith_spec::spec::{self, FamilyKind, Text};
use slosmith_text::diag::{Diagnostic, one_of};
use slosmith_text::source::Span;
use slosmith_text::units::decimal;

/// Warns of what a recording of the metric contradicts.
pub(super) fn check(
    cx: &mut Context<'_>,
    definition: &spec::Signal,
    kind: FamilyKind,
    metric: &Text,
    buckets: &[Bucket],
) {
    if let Some(error) = missing(cx, metric) {
        cx.sink.push(error);
        return;
    }
    let Some((name, shape)) = shape(cx, &metric.value) else {
        let warning = misspelt(cx, &metric.value, metric.span);
        warning.into_iter().for_each(|found| cx.sink.push(found));
        return;
    };
    let recorded = match shape.kind {
        MetricType::Counter => Some(FamilyKind::Counter),
        MetricType::Gauge => Some(FamilyKind::Gauge),
        MetricType::Histogram => Some(FamilyKind::Histogram),
        _ => None,
    };
    if let Some(recorded) = recorded.filter(|recorded| *recorded != kind) {
        let at = definition.kind.map_or(metric.span, |kind| kind.span);
        let (recorded, kind) = (recorded.as_str(), kind.as_str());
        let message =
            format!("`{metric}` is a {recorded} in the recording of {name}, not a {kind}");
        let warning = Diagnostic::warning("wrong-kind", at, message);
        cx.sink
            .push(warning.help(format!("write `kind: {recorded}`")));
    }
    let declared = definition.has_labels.iter().flatten();
    for label in declared.filter(|label| !shape.may_have_label(&label.value)) {
        let message = format!("`{metric}` has no label `{label}` in the recording of {name}");
        let warning = Diagnostic::warning("unknown-label", label.span, message);
        let known = match shape.labels.as_slice() {
            [] => "remove the label".to_owned(),
            known => format!("use {}", one_of(known)),
        };
        cx.sink.push(warning.help(format!(
            "{known}, or list the label under `scrape_labels` if the scrape adds it"
        )));
    }
    if shape.open_buckets {
        return;
    }
    let binding = definition.prometheus.as_ref();
    let written = binding.and_then(|binding| binding.value.buckets.as_ref());
    for (bucket, at) in buckets.iter().zip(written.into_iter().flatten()) {
        let bound = decimal(bucket.bound).parse::<f64>();
        if bound.is_ok_and(|bound| shape.bucket(bound).is_some()) {
            continue;
        }
        let message = format!("`{metric}` has no bucket boundary {at} in the recording of {name}");
        let warning = Diagnostic::warning("bad-buckets", at.span, message);
        cx.sink.push(warning.help(format!(
            "its recorded boundaries are {}",
            shape.buckets.join(", ")
        )));
    }
}

/// A warning of a label that the metric has on some of the releases in use, and not on others: it selects nothing there.
pub(super) fn late_label(cx: &Context<'_>, family: &Family, label: &Text) -> Option<Diagnostic> {
    let metric = family.served.newest();
    let product = cx
        .recorded
        .iter()
        .find(|product| !product.is_guess && product.catalog.family(metric).is_some())?;
    let family = product.catalog.family(metric)?;
    let shapes = |id: &ReleaseId| {
        let release = product.catalog.release(*id);
        let profiles = product.profiles.iter();
        profiles.filter_map(|profile| family.in_profile(release, profile))
    };
    let releases = product.selection.releases.iter().copied();
    let with_metric = releases.filter(|id| shapes(id).next().is_some());
    let has_label = |id: &ReleaseId| shapes(id).any(|shape| shape.has_label(&label.value));
    let (with, without): (Vec<_>, Vec<_>) = with_metric.partition(has_label);
    if with.is_empty() || without.is_empty() {
        return None;
    }
    let (name, lacking) = (&product.name, product.describe(&without));
    let message =
        format!("`{metric}` has no label `{label}` on {name} {lacking}: nothing is selected there");
    let warning = Diagnostic::warning("unknown-label", label.span, message);
    let releases = releases_in_use(cx, product);
    Some(warning.help(format!(
        "{name} {} has it; change {releases}, or select without the label",
        product.describe(&with)
    )))
}

/// Where the releases of a product are set.
fn releases_in_use(cx: &Context<'_>, product: &Product<'_>) -> String {
    let mut in_spec = cx.spec.servers().map(|(server, _)| server.name);
    match in_spec.any(|server| server == product.key) {
        true => format!("`runtime.{}`", product.key),
        false => "the releases under `[products]` in `slosmith.toml`".to_owned(),
    }
}

/// A warning of a value that the recording of a metric shows almost as it is asked for.
pub(super) fn check_value(
    cx: &Context<'_>,
    family: &Family,
    label: &str,
    asked: &Text,
) -> Option<Diagnostic> {
    let metric = family.served.newest();
    let usual = || cx.catalog.lineage().domains.usual.get(label);
    let foreign = cx.catalog.foreign().find(metric);
    let foreign = foreign.and_then(|(by, family)| Some((by, family.values.get(label)?)));
    let (values, whose) = match (family.recorded, foreign) {
        (true, _) => (usual()?.as_slice(), "vLLM".to_owned()),
        (_, Some((exporter, values))) => (values.as_slice(), exporter.title.clone()),
        (false, None) => {
            let (name, shape) = shape(cx, metric)?;
            let whose = format!("the recording of {name}");
            (shape.domain(label)?, whose)
        }
    };
    let known: Vec<_> = values.iter().map(String::as_str).collect();
    let meant = meant_value(&asked.value, &known).or_else(|| transposed(&asked.value, &known));
    let meant = meant.filter(|_| !known.contains(&asked.value.as_str()))?;
    let message = format!("the label `{label}` of `{metric}` has no value `{asked}` in {whose}");
    let warning = Diagnostic::warning("unknown-label-value", asked.span, message);
    Some(warning.help(format!("did you mean `{meant}`?")))
}

/// A status of the same class with the same digits in another order: `429` of `492`. Usual statuses are meant.
fn transposed<'a>(value: &str, known: &[&'a str]) -> Option<&'a str> {
    const USUAL: [&str; 10] = [
        "200", "201", "202", "301", "302", "400", "404", "500", "502", "503",
    ];
    let digits = |text: &str| {
        let mut digits: Vec<_> = text.chars().collect();
        digits.sort_unstable();
        digits
    };
    let is_status = value.len() == 3 && value.chars().all(|c| c.is_ascii_digit());
    let mut known = known.iter().copied();
    let is_status = is_status && !USUAL.contains(&value);
    known.find(|of| is_status && of[..1] == value[..1] && digits(of) == digits(value))
}

/// Notes a value that a service's own recording lacks: it may not have occurred there.
pub(super) fn note_value(cx: &mut Context<'_>, family: &Family, label: &str, asked: &Text) {
    let metric = family.served.newest();
    let Some((name, shape)) = shape(cx, metric).filter(|_| !family.recorded) else {
        return;
    };
    let Some(values) = shape.domain(label) else {
        return;
    };
    // A recording rarely shows each status.
    let is_status = asked.value.len() == 3 && selection::statuses().any(|of| of == asked.value);
    if !values.contains(&asked.value) && !is_status {
        let note = format!(
            "the recording of {name} has no series of `{metric}` with `{label}=\"{asked}\"`; it has {}",
            values
                .iter()
                .map(|value| format!("`{value}`"))
                .collect::<Vec<_>>()
                .join(", ")
        );
        if !cx.notes.contains(&note) {
            cx.notes.push(note);
        }
    }
}

/// `gateway 2.4.0`.
fn of(product: &Product<'_>) -> String {
    let version = product.describe(&product.selection.releases);
    format!("{} {version}", product.name)
}

/// A metric that some of the releases in use lack: the product, these releases, and the first and the last release with it.
fn lacking<'c, 'a>(
    cx: &'c Context<'a>,
    name: &str,
) -> Option<(&'c Product<'a>, Vec<ReleaseId>, Lifetime)> {
    let known = |product: &&Product<'_>| product.catalog.family(name).is_some();
    let product = cx.recorded.iter().find(known)?;
    if product.is_guess || product.is_open(name) {
        return None;
    }
    let coverage = product
        .catalog
        .coverage(name, &product.selection, &product.profiles);
    let life = product.catalog.first_last(name)?;
    (!coverage.absent.is_empty()).then_some((product, coverage.absent, life))
}

/// When a metric that some of the releases in use lack exists.
pub(super) fn absence(cx: &Context<'_>, name: &str) -> Option<Absence> {
    let (product, _, life) = lacking(cx, name)?;
    let why = format!("`{name}` exists only {} of {}", span(&life), product.name);
    Some(Absence { why, note: None })
}

/// An error of a metric that some of the releases in use lack.
fn missing(cx: &Context<'_>, metric: &Text) -> Option<Diagnostic> {
    let name = metric.value.as_str();
    let (product, absent, life) = lacking(cx, name)?;
    let is_later = *product.catalog.release(*absent.last()?).version() < life.first;
    let on = product.describe(&absent);
    let message = format!("`{name}` does not exist on {} {on}", product.name);
    let error = match is_later {
        true => Diagnostic::error("future-metric", metric.span, message),
        false => Diagnostic::error("removed-metric", metric.span, message),
    };
    let today = product.catalog.lineage().successor(name);
    let error = error.maybe_help(today.map(|new| format!("use `{new}`")));
    let (exists, releases) = (span(&life), releases_in_use(cx, product));
    let out = match cx.is_declaring() {
        true => "set `optional: true` to leave the signal out where the metric is missing",
        false => "leave the metric out",
    };
    Some(error.help(format!(
        "the metric exists {exists}; change {releases}, or {out}"
    )))
}

/// The labels that the newest release in use has on a metric.
pub(super) fn labels(cx: &Context<'_>, metric: &str) -> Vec<String> {
    let shape = shape(cx, metric);
    shape.map_or_else(Vec::new, |(_, shape)| shape.labels.clone())
}

/// The metric in a recording, and the name and releases of what was recorded.
fn shape<'a>(cx: &Context<'a>, name: &str) -> Option<(String, &'a Shape)> {
    cx.recorded.iter().find_map(|product| {
        let release = *product.selection.releases.last()?;
        let shape = product.catalog.shape(name, release, &product.profiles)?;
        Some((of(product), shape))
    })
}

/// A warning of a name that no recording and no known exporter has, and that is spelled almost as one of theirs.
pub(super) fn misspelt(cx: &Context<'_>, name: &str, at: Span) -> Option<Diagnostic> {
    let foreign = cx.catalog.foreign();
    let is_known = |product: &Product<'_>| product.catalog.series_of(name).is_some();
    if foreign.find(name).is_some() || cx.recorded.iter().any(is_known) {
        return None;
    }
    let base = split_series(name).0;
    let recorded = cx.recorded.iter().find_map(|product| {
        let names: Vec<_> = product.catalog.names().collect();
        let longer = |known: &&&str| {
            let end = known
                .strip_prefix(base)
                .and_then(|end| end.strip_prefix('_'));
            end.is_some_and(is_unit)
        };
        let longer = names.iter().find(longer).copied();
        let near = || meant(base, &names);
        Some((of(product), longer.or_else(near)?))
    });
    let (who, meant) = recorded.or_else(|| {
        foreign.exporters.iter().find_map(|exporter| {
            let names = exporter.families.iter().map(|family| family.name.as_str());
            let names: Vec<_> = names.collect();
            Some((exporter.title.clone(), meant(base, &names)?))
        })
    })?;
    let message = format!("{who} has no metric `{name}`");
    let warning = Diagnostic::warning("unknown-metric", at, message);
    Some(warning.help(format!("did you mean `{meant}`?")))
}
