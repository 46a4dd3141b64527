//! Changes in the meaning of a query that returns data before and after an upgrade.

use crate::lint::query::{QueryCx, Series};
use crate::lint::subject::Known;
use slosmith_catalog::diff::{Changed, changed};
use slosmith_catalog::lineage::InPlace;
use slosmith_catalog::{Release, Series as Part, Shape};
use slosmith_promql::ast::{Expr, ExprKind, MatchOp};
use slosmith_promql::matches;
use slosmith_promql::visit::walk;

/// The reasons why the meaning of the query changes, one line each.
pub(super) fn changes(old: &QueryCx<'_, '_>, new: &QueryCx<'_, '_>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (before, after) in old.series.iter().zip(new.series) {
        let (Some(was), Some(is)) = (before.subject.known(), after.subject.known()) else {
            continue;
        };
        let found = in_place(after, was, is)
            .into_iter()
            .chain(shapes(new, after, was, is));
        for line in found {
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines
}

/// The changes between the two releases that lineage lists.
fn in_place(series: &Series<'_, '_>, was: &Known<'_>, is: &Known<'_>) -> Vec<String> {
    let (Some(from), Some(to)) = (release(was), release(is)) else {
        return Vec::new();
    };
    let lineage = is.product.catalog.lineage();
    let between = lineage
        .in_place(&is.family)
        .filter(|change| concerns(change, series, is.part))
        .filter(|change| *from.version() < change.release && change.release <= *to.version());
    let found =
        between.map(|change| format!("since {}, `{}`: {}", change.release, is.family, change.note));
    found.collect()
}

/// True when the series that a query selects are among those that a change is about.
fn concerns(change: &InPlace, series: &Series<'_, '_>, part: Part) -> bool {
    let selected = |(label, value): &(String, String)| {
        let matchers = series.context.selector.matchers.iter();
        let mut on = matchers.filter(|m| m.label.text == *label && m.value.placeholders.is_empty());
        on.all(|m| match m.op {
            MatchOp::Equal => m.value.value == *value,
            MatchOp::NotEqual => m.value.value != *value,
            MatchOp::Match => matches(&m.value.value, value) != Some(false),
            MatchOp::NotMatch => matches(&m.value.value, value) != Some(true),
        })
    };
    !(change.observed && part == Part::Count) && change.only.as_ref().is_none_or(selected)
}

fn release<'c>(known: &Known<'c>) -> Option<&'c Release> {
    let id = known.product.selection.releases.last()?;
    Some(known.product.catalog.release(*id))
}

/// Differences in type, labels and bucket boundaries, as far as the query uses them.
fn shapes(
    cx: &QueryCx<'_, '_>,
    series: &Series<'_, '_>,
    was: &Known<'_>,
    is: &Known<'_>,
) -> Vec<String> {
    let (Some(old), Some(new)) = (was.shapes.last(), is.shapes.last()) else {
        return Vec::new();
    };
    let Some(changed) = changed(&is.family, old, new) else {
        return Vec::new();
    };
    let family = &is.family;
    let mut lines = Vec::new();
    if let Some((old, new)) = changed.kind {
        lines.push(format!("`{family}` changes its type from {old} to {new}"));
    }
    for label in &changed.labels.removed {
        if asks(cx.expr, label) {
            lines.push(format!("`{family}` loses the label `{label}`"));
        }
    }
    if is_raw(cx, series) {
        for label in &changed.labels.added {
            lines.push(format!(
                "`{family}` gains the label `{label}`: the query may return more series"
            ));
        }
    }
    for label in changed
        .labels
        .added
        .iter()
        .filter(|label| groups_by(cx.expr, label))
    {
        lines.push(format!(
            "`{family}` gains the label `{label}`: the query groups by it"
        ));
    }
    lines.extend(buckets(series, &changed, new));
    lines
}

fn asks(expr: &Expr, label: &str) -> bool {
    let mut found = groups_by(expr, label);
    walk(expr, &mut |node| match &node.kind {
        ExprKind::Selector(s) => found |= s.matchers.iter().any(|m| m.label.text == label),
        ExprKind::Range(r) => found |= r.selector.matchers.iter().any(|m| m.label.text == label),
        _ => {}
    });
    found
}

fn groups_by(expr: &Expr, label: &str) -> bool {
    let mut found = false;
    walk(expr, &mut |node| {
        if let ExprKind::Aggregate(a) = &node.kind {
            let by = a.grouping.iter().filter(|g| !g.without);
            found |= by.flat_map(|g| &g.labels).any(|name| name.text == label);
        }
    });
    found
}

fn is_raw(cx: &QueryCx<'_, '_>, series: &Series<'_, '_>) -> bool {
    let is_aggregate = |expr: &Expr| matches!(expr.kind, ExprKind::Aggregate(_));
    cx.is_evaluated() && !series.context.ancestors().any(is_aggregate)
}

fn buckets(series: &Series<'_, '_>, changed: &Changed, new: &Shape) -> Option<String> {
    if !series.is_bucket() || changed.buckets.is_empty() {
        return None;
    }
    let family = &changed.family;
    let le = series
        .context
        .selector
        .matchers
        .iter()
        .find(|m| m.label.text == "le");
    if let Some(le) = le.filter(|m| m.op == MatchOp::Equal) {
        let removed = changed.buckets.removed.contains(&le.value.value);
        return removed.then(|| {
            format!(
                "`{family}` loses the bucket with `le=\"{}\"`",
                le.value.value
            )
        });
    }
    series.in_quantile().then(|| {
        let largest = new.buckets.iter().rev().find(|b| *b != "+Inf");
        let largest = largest.map(|b| format!(", up to {b}")).unwrap_or_default();
        format!(
            "`{family}` changes its buckets ({} added, {} removed{largest}): quantiles are interpolated differently",
            changed.buckets.added.len(),
            changed.buckets.removed.len()
        )
    })
}
