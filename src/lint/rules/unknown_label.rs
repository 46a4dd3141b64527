//! Labels that the metric does not have.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use crate::artifact::Role;
use crate::diag::{Fixes, Group, Severity};
use crate::lint::query::{FEW, QueryCx, Series, lacks, may_have, meant};
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::promql::ast::{AggregateOp, ExprKind, Name};
use crate::promql::visit::walk;
use crate::source::Span;

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
    let mut labels = Labels::new(cx);
    for series in cx.series {
        for matcher in &series.context.selector.matchers {
            let label = &matcher.label;
            if label.placeholders.is_empty() && lacks(cx, series, &label.text) {
                labels.report(out, &label.text, cx.span(&label.span), &[series]);
            }
        }
    }
    if let Some(listed) = cx
        .query
        .listed
        .as_ref()
        .filter(|label| is_name(&label.value))
        && let Some(series) = labels.lacking(&(0..cx.series.len()), &listed.value)
    {
        labels.report(out, &listed.value, listed.span(), &series);
    }
    let mut opaque_at = None;
    for node in cx.memo.holders.expressions() {
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
        let opaque = opaque_at.get_or_insert_with(|| opaque(cx));
        let first = opaque.partition_point(|at| *at < inside.span.start);
        if opaque.get(first).is_some_and(|at| *at < inside.span.end) {
            continue;
        }
        let inside = cx.indices(inside);
        for name in names.into_iter().filter(|l| l.placeholders.is_empty()) {
            if let Some(series) = labels.lacking(&inside, &name.text) {
                labels.report(out, &name.text, cx.span(&name.span), &series);
            }
        }
    }
}

/// The labels in a query, with cached facts about each. A long query may have as many labels as series.
struct Labels<'a, 'q, 'c> {
    cx: &'a QueryCx<'q, 'c>,
    places: Option<Places<'q, 'c>>,
}

/// The series of a query by their subject. The number of subjects is limited by the catalogs.
struct Places<'q, 'c> {
    /// One series per subject, and the indices of all its series.
    known: Vec<(&'q Series<'q, 'c>, Vec<usize>)>,
    open: Vec<usize>,
}

impl<'q, 'c> Places<'q, 'c> {
    fn of(cx: &QueryCx<'q, 'c>) -> Self {
        let mut seen: BTreeMap<usize, usize> = BTreeMap::new();
        let mut known: Vec<(&Series<'_, '_>, Vec<usize>)> = Vec::new();
        let mut open = Vec::new();
        for (at, series) in cx.series.iter().enumerate() {
            if series.subject.shapes().is_empty() {
                open.push(at);
                continue;
            }
            let subject = Rc::as_ptr(&series.subject).addr();
            let place = *seen.entry(subject).or_insert(known.len());
            match known.get_mut(place) {
                Some((_, places)) => places.push(at),
                None => known.push((series, vec![at])),
            }
        }
        Self { known, open }
    }

    /// One series per subject in a range, in order; none if one has unknown labels.
    fn inside(&self, range: &Range<usize>) -> Option<Vec<&'q Series<'q, 'c>>> {
        let first = |places: &Vec<usize>| {
            let at = places.partition_point(|at| *at < range.start);
            places.get(at).copied().filter(|at| *at < range.end)
        };
        if first(&self.open).is_some() {
            return None;
        }
        let known = self.known.iter();
        let mut inside: Vec<_> = known
            .filter_map(|(series, places)| Some((first(places)?, *series)))
            .collect();
        inside.sort_by_key(|(first, _)| *first);
        Some(inside.into_iter().map(|(_, series)| series).collect())
    }
}

impl<'a, 'q, 'c> Labels<'a, 'q, 'c> {
    fn new(cx: &'a QueryCx<'q, 'c>) -> Self {
        Self { cx, places: None }
    }

    /// The series of a range, if all of them certainly lack the label.
    fn lacking(&mut self, range: &Range<usize>, label: &str) -> Option<Vec<&'q Series<'q, 'c>>> {
        let cx = self.cx;
        let lacks = |s: &&Series<'_, '_>| lacks(cx, s, label);
        if range.len() <= FEW {
            let series = &cx.series[range.clone()];
            let all = !series.is_empty() && series.iter().all(|s| lacks(&s));
            return all.then(|| series.iter().collect());
        }
        let places = self.places.get_or_insert_with(|| Places::of(cx));
        let mut series = places.inside(range)?;
        series.iter().all(lacks).then(|| {
            series.truncate(FEW);
            series
        })
    }

    fn report(&mut self, out: &mut Findings, label: &'q str, at: Span, series: &[&Series<'_, '_>]) {
        let cx = self.cx;
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
}

/// The places where labels of unknown origin appear, in order. With them, the operations of a long chain need not each
/// visit everything below.
fn opaque(cx: &QueryCx<'_, '_>) -> Vec<usize> {
    let mut found = Vec::new();
    walk(cx.expr, &mut |node| {
        let start = node.span.start;
        let at = match &node.kind {
            ExprKind::Call(call) => makes_labels(&call.function.text).then_some(start),
            ExprKind::Aggregate(a) => (a.op == AggregateOp::CountValues).then_some(start),
            // The node starts at its left side, which is not opaque.
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

/// True for the name of a label, without variables.
fn is_name(label: &str) -> bool {
    label.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn makes_labels(function: &str) -> bool {
    matches!(function, "label_replace" | "label_join" | "info")
}
