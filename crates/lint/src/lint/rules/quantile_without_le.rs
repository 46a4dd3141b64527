//! Quantiles of buckets without `le`.

use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_promql::ast::{Expr, ExprKind};
use slosmith_promql::rewrite::Edit;
use slosmith_promql::usage::{QuantileCall, quantile_calls};
use slosmith_promql::visit::walk;
use slosmith_promql::{Series, parse_with, selectors};
use slosmith_text::diag::{Applicability, Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports `histogram_quantile` of buckets that were aggregated without `le`.
    ///
    /// ### Why
    ///
    /// The label `le` contains the upper boundary of each bucket. Without `le`, the series are not buckets any more,
    /// and the quantile has no result.
    ///
    /// ### Example
    ///
    /// ```promql
    /// histogram_quantile(0.95, sum by (model_name) (rate(vllm:time_to_first_token_seconds_bucket[5m])))
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// histogram_quantile(0.95, sum by (model_name, le) (rate(vllm:time_to_first_token_seconds_bucket[5m])))
    /// ```
    pub const RULE: Rule = Rule {
        name: "quantile-without-le",
        summary: "an aggregation drops `le` before `histogram_quantile`",
        group: Group::Type,
        level: Severity::Error,
        certain: "Certain: classic histograms have no quantile without `le`. Names without `_bucket` are not checked.",
        fixes: Fixes::Safe("adds `le` to the labels of the aggregation"),
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    if !cx.calls("histogram_quantile") {
        return;
    }
    for call in quantile_calls(cx.expr)
        .iter()
        .filter(|call| !call.may_have_le())
    {
        // Native histograms have no `le`; their names have no `_bucket`.
        let inside = selectors(call.buckets);
        let mut names = inside
            .iter()
            .filter_map(|selector| selector.metric.as_ref());
        let Some(name) = names.find(|name| Series::Bucket.ends(&name.text)) else {
            continue;
        };
        let place = aggregation(call).map_or(&call.buckets.span, |node| &node.span);
        let message = format!(
            "the aggregation of `{}` drops `le`: `histogram_quantile` returns nothing",
            name.text
        );
        let finding = out.at(cx.span(place), message);
        let node = aggregation(call).filter(|_| cx.may_fix());
        let edit = node.and_then(|node| keep_le(cx, node));
        let fix = edit.and_then(|edit| cx.fix("keep `le`", &[edit], Applicability::Safe));
        let help = "add `le` to the labels of the aggregation: `by (le)`";
        out.push(finding.help(help).maybe_fix(fix));
    }
}

fn aggregation<'q>(call: &QuantileCall<'q>) -> Option<&'q Expr> {
    let wanted = call.aggregate?;
    let mut found = None;
    walk(call.buckets, &mut |node| {
        if let ExprKind::Aggregate(a) = &node.kind
            && std::ptr::eq(a, wanted)
        {
            found = Some(node);
        }
    });
    found
}

/// The edit that keeps `le`, if one edit is enough.
fn keep_le(cx: &QueryCx<'_, '_>, node: &Expr) -> Option<Edit> {
    let ExprKind::Aggregate(aggregate) = &node.kind else {
        return None;
    };
    let edit = match &aggregate.grouping {
        Some(grouping) if grouping.without => return None,
        Some(grouping) => {
            let end = grouping.labels.last()?.span.end;
            Edit::new(end..end, ", le")
        }
        None => {
            let open = node.span.start + cx.text(&node.span).find('(')?;
            Edit::new(open..open, " by (le) ")
        }
    };
    let text = slosmith_promql::rewrite::apply(&cx.query.text, std::slice::from_ref(&edit)).ok()?;
    let fixed = parse_with(&text, cx.dialect()).ok()?;
    let before = quantile_calls(cx.expr)
        .iter()
        .filter(|call| !call.may_have_le())
        .count();
    let after = quantile_calls(&fixed)
        .iter()
        .filter(|call| !call.may_have_le())
        .count();
    (after < before).then_some(edit)
}
