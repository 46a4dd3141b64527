//! Labels that a query selects by, and that its metric lacks on a release.

use crate::lint::query::{QueryCx, Series, may_have};
use slosmith_catalog::{Catalog, ReleaseId};
use slosmith_promql::ast::{MatchOp, Matcher};
use slosmith_promql::matches;

/// One line for each label that no series of a release has, so that the query selects none.
pub(super) fn lacking(cx: &QueryCx<'_, '_>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for series in cx.series {
        let matchers = series.context.selector.matchers.iter();
        for matcher in matchers.filter(|matcher| needs(matcher)) {
            let label = &matcher.label.text;
            if let Some(release) = release_without(cx, series, label) {
                let line = format!("`{}` has no label `{label}` on {release}", series.name);
                if !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
    }
    lines
}

/// True if the matcher selects no series without the label.
fn needs(matcher: &Matcher) -> bool {
    let value = &matcher.value;
    if !matcher.label.placeholders.is_empty() || !value.placeholders.is_empty() {
        return false;
    }
    match matcher.op {
        MatchOp::Equal => !value.value.is_empty(),
        MatchOp::NotEqual => value.value.is_empty(),
        MatchOp::Match => matches(&value.value, "") == Some(false),
        MatchOp::NotMatch => matches(&value.value, "") == Some(true),
    }
}

/// The release, in words, on which the metric lacks a label that is none of the deployment.
fn release_without(cx: &QueryCx<'_, '_>, series: &Series<'_, '_>, label: &str) -> Option<String> {
    let known = series.subject.known()?;
    let product = known.product;
    let id = *product.selection.releases.last()?;
    let is_closed = !known.shapes.iter().any(|shape| shape.open_labels);
    let is_own = is_recorded_elsewhere(product.catalog, &known.family, label);
    let is_missing = !cx.scope.added_labels().contains(label)
        && !["le", "quantile"].contains(&label)
        && (is_own || is_closed && !may_have(cx, series, label))
        && !is_on(product.catalog, &known.family, label, id);
    is_missing.then(|| format!("{} {}", product.name, product.describe(&[id])))
}

/// True if a label is the server's own: another release puts it on the metric, or the server puts it on other metrics and it has
/// a name that no scrape would choose.
fn is_recorded_elsewhere(catalog: &Catalog, family: &str, label: &str) -> bool {
    let mut families = catalog.families();
    families.any(|other| {
        let is_own = other.name() == family || label.contains('_') && catalog.claims(other.name());
        is_own && other.shapes().iter().any(|shape| shape.has_label(label))
    })
}

/// True if some page of the release shows the metric with the label, or does not show its labels.
fn is_on(catalog: &Catalog, family: &str, label: &str, id: ReleaseId) -> bool {
    let release = catalog.release(id);
    let Some(family) = catalog.family(family) else {
        return true;
    };
    let mut shapes = release
        .profiles()
        .filter_map(|profile| family.in_profile(release, profile));
    shapes.any(|shape| shape.has_label(label) || !shape.has_recorded_labels())
}
