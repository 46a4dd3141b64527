//! Functions for gauges on counters.

use crate::lint::query::{QueryCx, Series};
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_promql::ast::{ExprKind, Name};
use slosmith_promql::usage::Use;
use slosmith_text::diag::{Applicability, Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports `delta`, `idelta` and `deriv` of a counter.
    ///
    /// ### Why
    ///
    /// These functions are made for gauges. They treat a counter reset (a server restart) as a decrease, so the result
    /// is a large negative number. `increase` and `rate` handle counter resets.
    ///
    /// ### Example
    ///
    /// ```promql
    /// delta(vllm:generation_tokens_total[1h])
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// increase(vllm:generation_tokens_total[1h])
    /// ```
    pub const RULE: Rule = Rule {
        name: "delta-of-counter",
        summary: "`delta`, `idelta` or `deriv` of a counter",
        group: Group::Type,
        level: Severity::Error,
        certain: "Certain: the type is recorded, and the Prometheus documentation allows these functions only for gauges.",
        fixes: Fixes::Unsafe("replaces `delta` with `increase`, and `deriv` with `rate`"),
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for series in cx.series {
        let Some((function, instead)) = wrong(series) else {
            continue;
        };
        let message = format!(
            "`{}` is a counter: `{}` treats its resets as decreases",
            series.name, function.text
        );
        let finding = out
            .at(cx.span(&series.name_span), message)
            .label("a counter")
            .help(format!("use `{instead}`, which handles counter resets"));
        // `irate` is per second, `idelta` is not: no fix.
        let exact = function.text != "idelta";
        let replace = || cx.replace(&function.span, instead, Applicability::Unsafe);
        out.push(finding.maybe_fix(exact.then(replace).flatten()));
    }
}

/// The function, and the function that handles counter resets.
fn wrong<'s>(series: &'s Series<'_, '_>) -> Option<(&'s Name, &'static str)> {
    let Use::Change(used) = series.context.used() else {
        return None;
    };
    let instead = match used {
        "delta" => "increase",
        "idelta" => "irate",
        "deriv" => "rate",
        _ => return None,
    };
    let mut calls = series
        .context
        .ancestors()
        .filter_map(|node| match &node.kind {
            ExprKind::Call(call) => Some(&call.function),
            _ => None,
        });
    let function = calls.find(|function| function.text == used)?;
    series.subject.is_counter().then_some((function, instead))
}
