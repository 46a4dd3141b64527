//! Signals by PromQL of the author's: `prometheus: {promql: …}`.
//!
//! The `promql` of a gauge is its value. Counters and histograms are read over several windows, and a sum of counters has no
//! `rate()`: their `promql` is made of rates over `$window`, of the events of a counter and of the buckets of a histogram.

use super::context::Context;
use super::family::{self, Unbound};
use super::own_promql;
use slosmith_catalog::Series;
use slosmith_plan::plan::Raw;
use slosmith_plan::plan::marker::WINDOW;
use slosmith_promql::ast::{AggregateOp, BinaryOp, Expr, ExprKind, Selector, TextSpan};
use slosmith_promql::{self as promql, Kept, kept_labels, split_series, visit};
use slosmith_spec::spec::{self, FamilyKind, Text};
use slosmith_text::diag::Diagnostic;
use slosmith_text::units::Unit;

pub(super) fn resolve(
    cx: &mut Context<'_>,
    signal: &Unbound,
    definition: &spec::Signal,
    kind: FamilyKind,
    text: &Text,
) -> Option<(Raw, Vec<String>)> {
    if let Some(label) = definition.matchers.keys().next() {
        let message = "`where` cannot be combined with `promql`: write the matcher in the query";
        cx.reject_field("where", label.span, message);
    }
    let binding = definition.prometheus.as_ref();
    if let Some(job) = binding.and_then(|binding| binding.value.job.as_ref()) {
        let message = "`job` cannot be combined with `promql`: write the matcher in the query";
        cx.reject_field("job", job.span, message);
    }
    let buckets = family::declared_buckets(cx, signal, definition, kind, text)?;
    let (expr, labels) = match kind {
        FamilyKind::Gauge => gauge(cx, definition, text)?,
        FamilyKind::Counter | FamilyKind::Histogram => {
            if let Some(label) = definition.has_labels.iter().flatten().next() {
                let message = "`has_labels` cannot be combined with the `promql` of a counter or histogram: the query sets its labels";
                cx.reject_field("has_labels", label.span, message);
            }
            events(cx, kind, text)?
        }
    };
    Some((
        Raw {
            kind,
            expr,
            buckets,
            recorded: false,
        },
        labels,
    ))
}

fn gauge(
    cx: &mut Context<'_>,
    definition: &spec::Signal,
    text: &Text,
) -> Option<(Expr, Vec<String>)> {
    let expr = own_promql::parse(cx, text)?;
    let declared = || {
        let labels = definition.has_labels.iter().flatten();
        labels.map(|label| label.value.clone()).collect()
    };
    let labels = kept_labels(&expr).names().unwrap_or_else(declared);
    match definition.unit.as_ref().map(|unit| unit.value) {
        Some(Unit::Seconds) => own_promql::doubt_point(cx, text, &expr),
        Some(Unit::Ratio) => own_promql::doubt_share(cx, text, &expr),
        _ => {}
    }
    Some((expr, labels))
}

/// Events per second over `$window`: of a counter, or in the buckets of a histogram.
fn events(cx: &mut Context<'_>, kind: FamilyKind, text: &Text) -> Option<(Expr, Vec<String>)> {
    if let Some(error) = plain_selector(kind, text) {
        cx.sink.push(error);
        return None;
    }
    let expr = own_promql::parse_over_window(cx, text)?;
    let labels = kept_labels(&expr);
    let found = not_a_rate(&expr)
        .or_else(|| wrong_labels(kind, &labels, &expr))
        .or_else(|| match kind {
            FamilyKind::Histogram => not_buckets(&expr),
            FamilyKind::Gauge | FamilyKind::Counter => None,
        });
    if let Some(Wrong { at, message, help }) = found {
        let at = cx.document.inside(text, at);
        let error = Diagnostic::error("bad-promql", at, message);
        cx.sink.push(error.help(help));
        return None;
    }
    let labels = labels.without("le").names()?;
    Some((expr, labels))
}

struct Wrong {
    at: TextSpan,
    message: &'static str,
    help: &'static str,
}

/// A family or a selection of its series needs no PromQL.
fn plain_selector(kind: FamilyKind, text: &Text) -> Option<Diagnostic> {
    let expr = promql::parse(&text.value).ok()?;
    let ExprKind::Selector(selector) = &expr.kind else {
        return None;
    };
    let name = selector.metric.as_ref()?.text.as_str();
    let family = match kind {
        FamilyKind::Histogram => split_series(name).0,
        FamilyKind::Gauge | FamilyKind::Counter => name,
    };
    let message = format!(
        "the `promql` of a {} must return events per second",
        kind.as_str()
    );
    let help = match selector.matchers.is_empty() {
        true => format!("write `metric: {family}` instead of `promql`"),
        false => {
            format!("write `metric: {family}` instead of `promql`, and the matchers as `where`")
        }
    };
    Some(Diagnostic::error("wrong-kind", text.span, message).help(help))
}

/// Anything but rates over `$window`: it would give another number of events for another window, or always look at the
/// same one.
fn not_a_rate(expr: &Expr) -> Option<Wrong> {
    let mut found = None;
    visit::walk(expr, &mut |node| {
        let wrong = match &node.kind {
            ExprKind::Call(call) => call
                .args
                .iter()
                .find_map(|arg| match &visit::bare(arg).kind {
                    ExprKind::Range(_) if call.function.text != "rate" => Some(no_rate(node)),
                    ExprKind::Range(range) if range.range.text != WINDOW => Some(no_rate(arg)),
                    _ => None,
                }),
            ExprKind::Subquery(_) => Some(no_rate(node)),
            ExprKind::Range(range) => is_moved(&range.selector).then(|| moved(node)),
            ExprKind::Selector(selector) => is_moved(selector).then(|| moved(node)),
            _ => None,
        };
        found = found.take().or(wrong);
    });
    found
}

fn no_rate(part: &Expr) -> Wrong {
    Wrong {
        at: part.span.clone(),
        message: "this `promql` may use ranges only in `rate(…[$window])`",
        help: "write a rate over `$window`, as in `sum by (cluster) (rate(errors_total[$window]))`",
    }
}

fn moved(part: &Expr) -> Wrong {
    Wrong {
        at: part.span.clone(),
        message: "`offset` and `@` are not allowed here: conditions and panels set the time",
        help: "remove `offset` and `@`",
    }
}

fn is_moved(selector: &Selector) -> bool {
    selector.at.offset.is_some() || selector.at.at.is_some()
}

fn wrong_labels(kind: FamilyKind, kept: &Kept, expr: &Expr) -> Option<Wrong> {
    let (message, help) = match (kind, kept) {
        (FamilyKind::Histogram, Kept::AllOf { .. }) => (
            "the query is not aggregated, so its labels are unknown",
            "aggregate the query, as in `sum by (cluster, le) (…)`",
        ),
        (_, Kept::AllOf { .. }) => (
            "the query is not aggregated, so its labels are unknown",
            "aggregate the query, as in `sum by (cluster) (…)`",
        ),
        (FamilyKind::Histogram, Kept::Only(labels)) if !labels.contains("le") => (
            "the query does not return `le`, the bucket label of a histogram",
            "add `le`, as in `sum by (cluster, le) (rate(wait_seconds_bucket[$window]))`",
        ),
        (FamilyKind::Counter, Kept::Only(labels)) if labels.contains("le") => (
            "the query returns `le`, the bucket label of a histogram",
            "write `kind: histogram`, or remove `le`",
        ),
        _ => return None,
    };
    let at = expr.span.clone();
    Some(Wrong { at, message, help })
}

/// Anything except a sum of bucket rates: counts, sums and single buckets could not be derived from it.
fn not_buckets(expr: &Expr) -> Option<Wrong> {
    (!is_buckets(expr)).then(|| Wrong {
        at: expr.span.clone(),
        message: "the `promql` of a histogram must be a sum of bucket rates",
        help: "use only `sum by (…, le) (rate(…_bucket[$window]))`, `+`, `or` and `0 *`",
    })
}

fn is_buckets(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Paren(inner) => is_buckets(inner),
        ExprKind::Aggregate(sum) => sum.op == AggregateOp::Sum && is_buckets(&sum.expr),
        ExprKind::Binary(b) if b.matching.is_some() => false,
        ExprKind::Binary(b) => match b.op {
            BinaryOp::Add | BinaryOp::Or => is_buckets(&b.lhs) && is_buckets(&b.rhs),
            BinaryOp::Mul => matches!(b.lhs.kind, ExprKind::Number(_)) && is_buckets(&b.rhs),
            _ => false,
        },
        ExprKind::Call(call) => matches!(&call.args[..], [arg] if is_bucket_range(arg)),
        _ => false,
    }
}

fn is_bucket_range(arg: &Expr) -> bool {
    let ExprKind::Range(range) = &arg.kind else {
        return false;
    };
    let selector = &range.selector;
    let metric = selector.metric.as_ref();
    metric.is_some_and(|metric| split_series(&metric.text).1 == Series::Bucket)
        && selector
            .matchers
            .iter()
            .all(|matcher| matcher.label.text != "le")
}
