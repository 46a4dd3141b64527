//! Which labels a series may have: what `unknown-label` and `template-label-dropped` report, and what they do not.

use std::collections::BTreeSet;

use super::{QueryCx, Series};
use crate::artifact::Kind;
use crate::lint::subject::Subject;
use slosmith_catalog::Series as Part;
use slosmith_text::diag::did_you_mean;

/// False if no series of a name has the label: a scrape may add any other label, unless the configuration lists all.
pub(in crate::lint) fn may_have(
    cx: &QueryCx<'_, '_>,
    series: &Series<'_, '_>,
    label: &str,
) -> bool {
    let is_of_another = || cx.scope.own_labels().contains(label);
    !lacks(cx, series, label)
        || !(series.is_declared()
            || cx.scope.has_all_labels()
            || is_of_another()
            || slip(series, label).is_some())
}

/// Help: the label of a series for which the label is a slip.
pub(in crate::lint) fn slip(series: &Series<'_, '_>, label: &str) -> Option<String> {
    let shapes = series.subject.shapes();
    let known = shapes.iter().flat_map(|shape| &shape.labels);
    meant(label, &known.map(String::as_str).collect())
}

/// True if recordings show the series without the label, and neither a usual scrape nor the configuration adds it.
pub(in crate::lint) fn lacks(cx: &QueryCx<'_, '_>, series: &Series<'_, '_>, label: &str) -> bool {
    let shapes = series.subject.shapes();
    let foreign = matches!(**series.subject, Subject::Foreign(_)) && Part::Bucket.ends(series.name);
    let bucket = label == "le" && (foreign || series.is_bucket());
    !shapes.is_empty()
        && !label.starts_with("__")
        && !bucket
        && !cx.scope.added_labels().contains(label)
        && !is_googles(cx, label)
        && shapes
            .iter()
            .all(|s| !s.may_have_label(label) || label == "le" && s.has_buckets())
}

/// Google Cloud adds its own labels to all stored series.
fn is_googles(cx: &QueryCx<'_, '_>, label: &str) -> bool {
    cx.artifact.kind == Kind::GoogleCloud && ["cluster", "location", "project_id"].contains(&label)
}

pub(in crate::lint) fn meant(label: &str, known: &BTreeSet<&str>) -> Option<String> {
    match label {
        "quantile" => Some(
            "use `histogram_quantile` of the `_bucket` series: a histogram has no label `quantile`"
                .into(),
        ),
        _ => similar(label, known),
    }
}

/// A label with a similar name, or one that contains this name: `finished_reason` for `reason`.
fn similar(label: &str, known: &BTreeSet<&str>) -> Option<String> {
    let part = known
        .iter()
        .find(|k| k.ends_with(&format!("_{label}")) || k.starts_with(&format!("{label}_")));
    match part {
        Some(part) => Some(format!("did you mean `{part}`?")),
        None => did_you_mean(label, known.iter().copied()),
    }
}
