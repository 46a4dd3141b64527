//! Labels that no series has.

use std::collections::BTreeSet;

use crate::artifact::{Kind, Role};
use crate::catalog::Series as Part;
use crate::diag::{Group, Severity, did_you_mean};
use crate::lint::query::{QueryCx, Series};
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::lint::subject::Subject;
use crate::promql::ast::{AggregateOp, ExprKind, Name};
use crate::promql::visit::walk;

declare_rule! {
    /// A matcher, `by` or `on` names a label that no release asked for puts on the metric and that is not
    /// among the labels added by the scrape. A matcher on it selects nothing (or filters nothing), `by`
    /// groups by nothing.
    ///
    /// ```promql
    /// vllm:request_success_total{reason="stop"}            # bad
    /// vllm:request_success_total{finished_reason="stop"}   # good
    /// ```
    ///
    /// Labels that relabelling, a federation or a remote store adds, such as `cluster`, are declared once
    /// with `labels` in `slosmith.toml`. Until then only labels that look like one of the metric's own, or that
    /// other metrics of vLLM have, are reported; then every other one is.
    pub const RULE: Rule = Rule {
        name: "unknown-label",
        summary: "the metric has no such label",
        group: Group::Catalog,
        level: Severity::Warning,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    // A unit test may give its series whatever labels it likes.
    if cx.query.role == Role::TestSeries {
        return;
    }
    if cx.series.iter().all(|s| s.subject.shapes().is_empty()) {
        return;
    }
    for series in cx.series {
        for matcher in &series.context.selector.matchers {
            let label = &matcher.label;
            if label.placeholders.is_empty() && lacks(cx, series, &label.text) {
                report(cx, out, label, &[series]);
            }
        }
    }
    let opaque = opaque(cx);
    walk(cx.expr, &mut |node| {
        let (labels, inside): (Vec<&Name>, _) = match &node.kind {
            ExprKind::Aggregate(a) => match &a.grouping {
                Some(grouping) => (grouping.labels.iter().collect(), &*a.expr),
                None => return,
            },
            ExprKind::Binary(b) => match &b.matching {
                Some(m) => {
                    let include = m.group.iter().flat_map(|g| &g.include);
                    (m.labels.iter().chain(include).collect(), node)
                }
                None => return,
            },
            _ => return,
        };
        let first = opaque.partition_point(|at| *at < inside.span.start);
        if opaque.get(first).is_some_and(|at| *at < inside.span.end) {
            return;
        }
        for label in labels.into_iter().filter(|l| l.placeholders.is_empty()) {
            if cx.series_in(inside).all(|s| lacks(cx, s, &label.text)) {
                let series: Vec<_> = cx.series_in(inside).collect();
                if !series.is_empty() {
                    report(cx, out, label, &series);
                }
            }
        }
    });
}

/// Where labels come from that no series of a known name has, in order, so that not every operation of a long chain
/// looks at all below it.
fn opaque(cx: &QueryCx<'_, '_>) -> Vec<usize> {
    let mut found = Vec::new();
    walk(cx.expr, &mut |node| {
        let start = node.span.start;
        let at = match &node.kind {
            ExprKind::Call(call) => makes_labels(&call.function.text).then_some(start),
            ExprKind::Aggregate(a) => (a.op == AggregateOp::CountValues).then_some(start),
            // It starts where its left side does, which is not opaque.
            ExprKind::Unknown(unknown) => Some(unknown.operator.span.start),
            ExprKind::Placeholder(_) | ExprKind::Invalid(_) => Some(start),
            ExprKind::Selector(_) | ExprKind::Range(_) => {
                cx.series_in(node).next().is_none().then_some(start)
            }
            _ => None,
        };
        found.extend(at);
    });
    found.sort_unstable();
    found
}

fn makes_labels(function: &str) -> bool {
    matches!(function, "label_replace" | "label_join" | "info")
}

/// True when the series surely has no such label.
fn lacks(cx: &QueryCx<'_, '_>, series: &Series<'_, '_>, label: &str) -> bool {
    let shapes = series.subject.shapes();
    let foreign = matches!(*series.subject, Subject::Foreign(_)) && Part::Bucket.ends(series.name);
    let bucket = label == "le" && (foreign || series.is_bucket());
    !shapes.is_empty()
        && !label.starts_with("__")
        && !bucket
        && !cx.scope.added_labels().contains(label)
        && !is_googles(cx, label)
        && shapes
            .iter()
            .all(|s| !s.may_have_label(label) || label == "le")
}

/// Google Cloud puts its own labels on whatever it stores.
fn is_googles(cx: &QueryCx<'_, '_>, label: &str) -> bool {
    cx.artifact.kind == Kind::GoogleCloud && ["cluster", "location", "project_id"].contains(&label)
}

fn report(cx: &QueryCx<'_, '_>, out: &mut Findings, label: &Name, series: &[&Series<'_, '_>]) {
    let known: BTreeSet<_> = series
        .iter()
        .flat_map(|s| s.subject.shapes())
        .flat_map(|shape| shape.labels.iter().map(String::as_str))
        .collect();
    let meant = meant(&label.text, &known);
    if meant.is_none() && !cx.scope.has_all_labels() && !is_of_another(cx, &label.text) {
        return;
    }
    let mut names: Vec<_> = series.iter().map(|s| format!("`{}`", s.name)).collect();
    names.dedup();
    let verb = if names.len() == 1 { "has" } else { "have" };
    let message = format!("{} {verb} no label `{}`", names.join(" and "), label.text);
    let help = meant.unwrap_or_else(|| {
        let known: Vec<_> = known.iter().map(|l| format!("`{l}`")).collect();
        format!("its own labels are {}", known.join(", "))
    });
    let finding = out.at(cx.span(&label.span), message).help(help);
    out.push(finding.help(format!(
        "if relabelling or a remote store adds it, declare `labels = [\"{}\"]` in `slosmith.toml`",
        label.text
    )));
}

/// True for a label that other metrics of a product have, so that nobody else would add it.
fn is_of_another(cx: &QueryCx<'_, '_>, label: &str) -> bool {
    let mut products = cx.scope.products.iter();
    products.any(|product| {
        let families = product.catalog.families();
        let own = families.filter(|family| product.claims(family.name()));
        let mut shapes = own.flat_map(|family| family.shapes());
        shapes.any(|shape| shape.labels.iter().any(|own| own == label))
    })
}

/// What the metric has instead.
fn meant(label: &str, known: &BTreeSet<&str>) -> Option<String> {
    match label {
        "quantile" => {
            Some("histograms have none: use `histogram_quantile` of the `_bucket` series".into())
        }
        _ => similar(label, known),
    }
}

/// A label that is spelled alike, or of which this is a part: `finished_reason` for `reason`.
fn similar(label: &str, known: &BTreeSet<&str>) -> Option<String> {
    let part = known
        .iter()
        .find(|k| k.ends_with(&format!("_{label}")) || k.starts_with(&format!("{label}_")));
    match part {
        Some(part) => Some(format!("did you mean `{part}`?")),
        None => did_you_mean(label, known.iter().copied()),
    }
}
