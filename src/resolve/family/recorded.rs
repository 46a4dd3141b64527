//! Families of vLLM: judged on every recorded release of the range.

use super::Bound;
use crate::catalog::lineage::Replacement;
use crate::catalog::{Coverage, MetricType, ReleaseId, Shape};
use crate::diag::Diagnostic;
use crate::library;
use crate::plan::{Bucket, Family, Signal, Source};
use crate::promql::ast::MatchOp;
use crate::resolve::context::{Context, Outcome};
use crate::source::Span;
use crate::spec::{Across, Kind, Text};
use crate::units::{Number, Unit, parse_decimal};

/// The family under each name it has in the range.
pub(super) fn family(
    cx: &mut Context<'_>,
    signal: &Signal,
    kind: Kind,
    metric: &Text,
    at: Span,
    tolerant: bool,
) -> Result<Bound, Outcome> {
    if cx.range.is_none() {
        let error = missing_range(cx, signal, at);
        return Err(error.map_or(Outcome::Failed, |e| cx.fail(e)));
    }
    let (names, absent) = names(cx, &metric.value);
    if !absent.is_empty() {
        let error = missing(cx, signal, &metric.value, &absent, at);
        // A family nobody knows is a slip of the pen, not an option.
        if tolerant && error.code != "unknown-metric" {
            return if names.is_empty() {
                Err(Outcome::LeftOut(error.message))
            } else {
                Err(Outcome::LeftOut(format!("{} (partly)", error.message)))
            };
        }
        return Err(cx.fail(error));
    }
    let shapes = shapes(cx, &names);
    if let Some(shape) = shapes.iter().find(|s| !fits(s.kind, kind)) {
        let message = format!(
            "`{metric}` is a {} on every page, not a {}",
            shape.kind,
            kind.as_str()
        );
        return Err(cx.fail(Diagnostic::error("wrong-kind", at, message)));
    }
    let family = Family {
        kind,
        matchers: Vec::new(),
        buckets: buckets(&shapes),
        recorded: true,
        names,
    };
    Ok((family, labels(&shapes)))
}

fn fits(found: MetricType, wanted: Kind) -> bool {
    match wanted {
        Kind::Gauge => matches!(
            found,
            MetricType::Gauge | MetricType::Untyped | MetricType::Info
        ),
        Kind::Counter => found == MetricType::Counter,
        Kind::Histogram => found == MetricType::Histogram,
    }
}

fn missing_range(cx: &Context<'_>, signal: &Signal, at: Span) -> Option<Diagnostic> {
    // A range that is there but wrong has been reported at its own place.
    if cx.spec.runtime.is_some() {
        return None;
    }
    let message = format!(
        "`{}` needs `runtime`: vLLM families depend on the release",
        signal.name
    );
    let error = Diagnostic::error("missing-field", at, message);
    Some(error.help("say what the service runs on: `runtime: {vllm: \">=0.20, <0.34\"}`"))
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
    // An unrecorded release that only lineage answers for leaves no neighbour to check.
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
pub(in crate::resolve) fn covers_range(cx: &Context<'_>, signal: &Signal) -> bool {
    match signal.family() {
        Some(family) if family.recorded => {
            let first = family.names.first();
            first.is_some_and(|name| names(cx, name).1.is_empty())
        }
        _ => true,
    }
}

fn shapes(cx: &Context<'_>, names: &[String]) -> Vec<Shape> {
    let releases = cx.range.iter().flat_map(|r| &r.selection.releases);
    let mut shapes: Vec<Shape> = releases
        .flat_map(|release| {
            names
                .iter()
                .filter_map(|name| cx.catalog.shape(name, *release, &cx.profiles))
        })
        .cloned()
        .collect();
    shapes.sort();
    shapes.dedup();
    shapes
}

/// Labels that every release has.
fn labels(shapes: &[Shape]) -> Vec<String> {
    let mut labels = shapes.first().map(|s| s.labels.clone()).unwrap_or_default();
    labels.retain(|label| shapes.iter().all(|s| s.has_label(label)));
    labels
}

/// Boundaries that every release has; none where deployments choose their own.
fn buckets(shapes: &[Shape]) -> Vec<Bucket> {
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

/// Says since when, until when or under which profile a family exists.
pub(super) fn missing(
    cx: &Context<'_>,
    signal: &Signal,
    metric: &str,
    absent: &[ReleaseId],
    at: Span,
) -> Diagnostic {
    let catalog = cx.catalog;
    if !catalog.is_known(metric) {
        let message = format!("no release of vLLM has `{metric}`");
        let suggestion = catalog
            .suggest(metric)
            .map(|s| format!("did you mean `{s}`?"));
        return Diagnostic::error("unknown-metric", at, message).maybe_help(suggestion);
    }
    let releases = catalog.describe(absent);
    let what = if signal.name == metric {
        format!("`{metric}`")
    } else {
        format!("`{}` (`{metric}`)", signal.name)
    };
    let message = format!("{what} does not exist on vLLM {releases}");
    let profiles: Vec<String> = cx
        .range
        .iter()
        .flat_map(|range| {
            catalog
                .coverage(metric, &range.selection, &cx.profiles)
                .only_in_profiles
        })
        .collect();
    let life = catalog.first_last_in(metric, &cx.profiles);
    let newest_absent = absent.last().map(|id| catalog.release(*id).version());
    let code = match &life {
        None if !profiles.is_empty() => "conditional-metric",
        Some(life) if newest_absent.is_some_and(|v| *v < life.first) => "future-metric",
        _ => "removed-metric",
    };
    let mut error = Diagnostic::error(code, at, message);
    if let Some(life) = life {
        error = error.help(match &life.last {
            Some(last) => format!("it is there from {} to {last}", life.first),
            None => format!("it is there since {}", life.first),
        });
    }
    if !profiles.is_empty() {
        let list = profiles.join("`, `");
        error = error.help(format!(
            "it needs a profile: add `{list}` to `runtime.profiles` if the servers run so"
        ));
    }
    if let Some(change) = catalog.lineage().change(metric) {
        error = error.help(change.note.clone());
    }
    error.help("narrow `runtime.vllm`, or mark the signal `optional: true`")
}

/// The gauge that older releases publish where newer ones have two counters to divide.
pub(in crate::resolve) fn ratio_before(
    cx: &Context<'_>,
    of: &str,
    over: &str,
) -> Option<Box<Signal>> {
    let range = cx.range.as_ref()?;
    let metric = |name: &str| {
        let signal = match cx.spec.signals.get(name) {
            Some(signal) => signal,
            None => library::signal(name)?,
        };
        Some(signal.prometheus.as_ref()?.metric.as_ref()?.value.clone())
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
    let names = vec![old.family.clone()];
    let shapes = shapes(cx, &names);
    let mut all = labels(&shapes);
    all.extend(cx.target_labels());
    let selector = &cx.spec.prometheus.selector;
    Some(Box::new(Signal {
        name: old.family.clone(),
        title: old.family.clone(),
        unit: Unit::Ratio,
        scale: Number::from_integer(1),
        across: Across::Avg,
        labels: all,
        source: Source::Family(Family {
            kind: Kind::Gauge,
            names,
            matchers: crate::resolve::matchers::matchers(selector),
            buckets: Vec::new(),
            recorded: true,
        }),
    }))
}
