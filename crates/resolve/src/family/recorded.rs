//! vLLM families, checked against every recorded release of the range.

use std::sync::Arc;

use super::Bound;
use super::missing::{self, Missing};
use crate::context::{Context, Outcome};
use slosmith_catalog::lineage::Replacement;
use slosmith_catalog::{Coverage, MetricType, ReleaseId, Shape};
use slosmith_plan::plan::{Bucket, Family, Names, Signal, Source};
use slosmith_promql::ast::MatchOp;
use slosmith_spec::spec::{Across, FamilyKind, Text};
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::Spanned;
use slosmith_text::units::{Number, Unit, parse_decimal};

pub(super) fn family(
    cx: &mut Context<'_>,
    signal: &str,
    kind: Spanned<FamilyKind>,
    metric: &Text,
    tolerant: bool,
) -> Result<Bound, Outcome> {
    if cx.range.is_none() {
        let error = missing::range(cx, signal, metric.span);
        return Err(error.map_or(Outcome::Failed, |e| cx.fail(e)));
    }
    if let Some(error) = missing::nobody_has(cx.catalog, &metric.value, metric.span) {
        return Err(cx.fail(error));
    }
    let (names, absent) = names(cx, &metric.value);
    let (Some(names), []) = (Names::of(names), &absent[..]) else {
        let missing = Missing::new(cx, &metric.value, &absent);
        if tolerant {
            return Err(Outcome::LeftOut(missing.absence(cx)));
        }
        let error = missing.error(cx, &cx.name_in_spec(signal), metric.span);
        return Err(cx.fail(error));
    };
    let shapes = shapes(cx, &names);
    if let Some(shape) = shapes.iter().find(|s| !fits(s.kind, kind.value)) {
        let message = format!(
            "`{metric}` is a {} in vLLM, not a {}",
            shape.kind,
            kind.value.as_str()
        );
        return Err(cx.fail(Diagnostic::error("wrong-kind", kind.span, message)));
    }
    let family = Family {
        kind: kind.value,
        matchers: Vec::new(),
        buckets: buckets(&shapes).into(),
        recorded: true,
        served: names.clone(),
        names,
    };
    Ok((family, labels(&shapes)))
}

fn fits(found: MetricType, wanted: FamilyKind) -> bool {
    match wanted {
        FamilyKind::Gauge => matches!(
            found,
            MetricType::Gauge | MetricType::Untyped | MetricType::Info
        ),
        FamilyKind::Counter => found == MetricType::Counter,
        FamilyKind::Histogram => found == MetricType::Histogram,
    }
}

/// The names needed to cover the range, newest first, and the releases that none covers.
fn names(cx: &Context<'_>, metric: &str) -> (Vec<String>, Vec<ReleaseId>) {
    let Some(range) = &cx.range else {
        return (Vec::new(), Vec::new());
    };
    let lineage = cx.catalog.lineage();
    let newest = lineage.successor(metric).unwrap_or(metric);
    let chain = std::iter::once(newest).chain(lineage.predecessors(newest));
    let mut left = range.selection.releases.clone();
    let mut names = Vec::new();
    for name in chain {
        let Coverage { present, .. } = cx.catalog.coverage(name, &range.selection, &cx.profiles);
        let before = left.len();
        left.retain(|release| !present.contains(release));
        if left.len() < before {
            names.push(name.to_owned());
        }
    }
    // For an unrecorded release that only lineage covers, there is no neighbour to check.
    if !names.is_empty() && range.selection.unrecorded.is_some() && covered_by_lineage(cx, &names) {
        left.clear();
    }
    (names, left)
}

fn covered_by_lineage(cx: &Context<'_>, names: &[String]) -> bool {
    let Some(range) = &cx.range else {
        return false;
    };
    names.iter().any(|name| {
        let coverage = cx.catalog.coverage(name, &range.selection, &cx.profiles);
        coverage.absent.is_empty()
    })
}

/// True when the signal's family is there on every release of the range.
pub(crate) fn covers_range(cx: &Context<'_>, signal: &Signal) -> bool {
    match signal.family() {
        Some(family) if family.recorded => names(cx, family.served.newest()).1.is_empty(),
        _ => true,
    }
}

fn shapes<'a>(cx: &Context<'a>, names: &[String]) -> Vec<&'a Shape> {
    let releases = cx.range.iter().flat_map(|r| &r.selection.releases);
    let mut shapes: Vec<_> = releases
        .flat_map(|release| {
            names
                .iter()
                .filter_map(|name| cx.catalog.shape(name, *release, &cx.profiles))
        })
        .collect();
    shapes.sort();
    shapes.dedup();
    shapes
}

fn labels(shapes: &[&Shape]) -> Vec<String> {
    let mut labels = shapes.first().map(|s| s.labels.clone()).unwrap_or_default();
    labels.retain(|label| shapes.iter().all(|s| s.has_label(label)));
    labels
}

/// Boundaries that every release has; none where deployments choose their own.
fn buckets(shapes: &[&Shape]) -> Vec<Bucket> {
    if shapes.iter().any(|s| s.open_buckets) {
        return Vec::new();
    }
    let everywhere = |le: &&String| shapes.iter().all(|s| s.buckets.contains(le));
    let first = shapes
        .first()
        .map(|s| s.buckets.as_slice())
        .unwrap_or_default();
    first
        .iter()
        .filter(everywhere)
        .filter_map(|le| {
            Some(Bucket {
                bound: parse_decimal(le).ok()?,
                le: le.clone(),
                op: MatchOp::Equal,
                pattern: le.clone(),
            })
        })
        .collect()
}

pub(crate) fn ratio_before(cx: &Context<'_>, of: &str, over: &str) -> Option<Box<Signal>> {
    let range = cx.range.as_ref()?;
    let metric = |name: &str| {
        let signal = match cx.spec.signals.get(name) {
            Some(signal) => signal,
            None => cx.built_in(name)?,
        };
        Some(
            signal
                .prometheus
                .as_ref()?
                .value
                .metric
                .as_ref()?
                .value
                .clone(),
        )
    };
    let today = Replacement::Ratio {
        of: metric(of)?,
        over: metric(over)?,
    };
    let there = |family: &str| {
        let coverage = cx.catalog.coverage(family, &range.selection, &cx.profiles);
        !coverage.present.is_empty()
    };
    let alternatives = cx.catalog.lineage().alternatives(&today);
    let old = alternatives.iter().find(|change| there(&change.family))?;
    let names = Names::one(&old.family);
    let shapes = shapes(cx, &names);
    let mut all = labels(&shapes);
    all.extend(cx.target_labels());
    let mut family = Family {
        kind: FamilyKind::Gauge,
        served: names.clone(),
        names,
        matchers: crate::matchers::of_own_servers(cx.spec),
        buckets: Arc::default(),
        recorded: true,
    };
    family.names = crate::names::stored(cx, &family);
    Some(Box::new(Signal {
        name: old.family.clone(),
        title: old.family.clone(),
        description: None,
        unit: Unit::Ratio,
        scale: Number::from_integer(1),
        across: Across::Avg,
        labels: all,
        source: Source::Family(family),
        cloudwatch: None,
    }))
}
