//! Labels that the metric does not have.

use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use crate::artifact::Role;
use crate::lint::query::{QueryCx, Series, lacks, may_have, meant};
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_promql::ast::{AggregateOp, Expr, ExprKind, Name};
use slosmith_promql::visit::walk;
use slosmith_text::diag::{Fixes, Group, Severity};
use slosmith_text::source::Span;

declare_rule! {
    /// ### What it does
    ///
    /// A matcher, `by`, `on` or `label_values` of a dashboard variable uses a label that the metric does not have in any
    /// selected release, and that the scrape does not add.
    ///
    /// ### Why
    ///
    /// `label="x"` selects no series, and `label!="x"` excludes none. `by` has no effect.
    ///
    /// ### Example
    ///
    /// ```promql
    /// vllm:request_success_total{reason="stop"}
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// vllm:request_success_total{finished_reason="stop"}
    /// ```
    ///
    /// Declare labels that relabelling, federation or a remote store adds, such as `cluster`, once with `labels` in
    /// `slosmith.toml`.
    ///
    /// ### Limits
    ///
    /// - If you do not set `labels`, only likely typos are reported: labels similar to one of the metric's labels, and
    ///   labels of other vLLM metrics with several words, such as `finished_reason`. If you set it, every unknown label is
    ///   reported.
    /// - Labels that scrape configurations and monitors of the same run add (`target_label`, `podTargetLabels`) are known.
    pub const RULE: Rule = Rule {
        name: "unknown-label",
        summary: "the metric does not have the label",
        group: Group::Catalog,
        level: Severity::Warning,
        certain: "Certain that no recorded release exposes the label. The rule assumes that no scrape adds a label that looks like a slip or belongs to another metric.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    // The series of a unit test may have any labels.
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
                report(cx, out, &label.text, cx.span(&label.span), &[series]);
            }
        }
    }
    if let Some(listed) = cx
        .query
        .listed
        .as_ref()
        .filter(|label| is_name(&label.value))
        && let Some(series) = lacking(cx, &(0..cx.series.len()), &listed.value)
    {
        report(cx, out, &listed.value, listed.span(), &series);
    }
    for node in cx.expressions() {
        let (names, inside): (Vec<&Name>, _) = match &node.kind {
            ExprKind::Aggregate(a) => match &a.grouping {
                Some(grouping) => (grouping.labels.iter().collect(), &*a.expr),
                None => continue,
            },
            ExprKind::Binary(b) => match &b.matching {
                Some(m) => {
                    let include = m.group.iter().flat_map(|g| &g.include);
                    (m.labels.iter().chain(include).collect(), node)
                }
                None => continue,
            },
            _ => continue,
        };
        let mut opaque = false;
        walk(inside, &mut |node| opaque |= is_opaque(cx, node));
        if opaque {
            continue;
        }
        let inside = cx.indices(inside);
        for name in names.into_iter().filter(|l| l.placeholders.is_empty()) {
            if let Some(series) = lacking(cx, &inside, &name.text) {
                report(cx, out, &name.text, cx.span(&name.span), &series);
            }
        }
    }
}

/// The series up to which each is named in a finding; of more, one for each metric.
const FEW: usize = 16;

/// The series of a range, if all of them certainly lack the label.
fn lacking<'q, 'c>(
    cx: &QueryCx<'q, 'c>,
    range: &Range<usize>,
    label: &str,
) -> Option<Vec<&'q Series<'q, 'c>>> {
    let mut series: Vec<_> = cx.series[range.clone()].iter().collect();
    if series.is_empty() || !series.iter().all(|s| lacks(cx, s, label)) {
        return None;
    }
    if series.len() > FEW {
        let mut seen = BTreeSet::new();
        series.retain(|s| seen.insert(Rc::as_ptr(&s.subject).addr()));
        series.truncate(FEW);
    }
    Some(series)
}

fn report(
    cx: &QueryCx<'_, '_>,
    out: &mut Findings,
    label: &str,
    at: Span,
    series: &[&Series<'_, '_>],
) {
    let known: BTreeSet<_> = series
        .iter()
        .flat_map(|s| s.subject.shapes().into_owned())
        .flat_map(|shape| shape.labels.iter().map(String::as_str))
        .collect();
    if series.iter().any(|s| may_have(cx, s, label)) {
        return;
    }
    let meant = meant(label, &known);
    let mut names: Vec<_> = series.iter().map(|s| format!("`{}`", s.name)).collect();
    names.dedup();
    let verb = if names.len() == 1 { "has" } else { "have" };
    let message = format!("{} {verb} no label `{label}`", names.join(" and "));
    let help = meant.unwrap_or_else(|| {
        let known: Vec<_> = known.iter().map(|l| format!("`{l}`")).collect();
        match known.is_empty() {
            true => "remove the label".to_owned(),
            false => format!("use one of its labels: {}", known.join(", ")),
        }
    });
    let mut finding = out.at(at, message).help(help);
    let other = match series.iter().any(|series| series.is_declared()) {
        true => {
            // A spec may leave out labels.
            finding.severity = Severity::Warning;
            "declare the label if there is one: in `has_labels`, or in `scrape_labels` if scrapes add it".to_owned()
        }
        false => format!(
            "declare `labels = [\"{label}\"]` in `slosmith.toml` if relabelling or a remote store adds the label"
        ),
    };
    out.push(finding.help(other));
}

/// True where labels of unknown origin appear.
fn is_opaque(cx: &QueryCx<'_, '_>, node: &Expr) -> bool {
    match &node.kind {
        ExprKind::Call(call) => makes_labels(&call.function.text),
        ExprKind::Aggregate(a) => a.op == AggregateOp::CountValues,
        ExprKind::Unknown(_) | ExprKind::Placeholder(_) | ExprKind::Invalid(_) => true,
        ExprKind::Selector(_) | ExprKind::Range(_) => cx.series_in(node).next().is_none(),
        _ => false,
    }
}

/// True for the name of a label, without variables.
fn is_name(label: &str) -> bool {
    label.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn makes_labels(function: &str) -> bool {
    matches!(function, "label_replace" | "label_join" | "info")
}
