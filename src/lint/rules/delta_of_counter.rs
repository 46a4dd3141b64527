//! Differences of what only grows.

use crate::diag::{Applicability, Group, Severity};
use crate::lint::query::{QueryCx, Series};
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::promql::ast::{ExprKind, Name};
use crate::promql::usage::Use;

declare_rule! {
    /// `delta`, `idelta` and `deriv` are made for gauges: they take the restart of a server for a fall of the
    /// counter, and give a large negative number. `increase` and `rate` know restarts.
    ///
    /// ```promql
    /// delta(vllm:generation_tokens_total[1h])      # bad
    /// increase(vllm:generation_tokens_total[1h])   # good
    /// ```
    pub const RULE: Rule = Rule {
        name: "delta-of-counter",
        summary: "a difference is taken of a counter, as if it were a gauge",
        group: Group::Type,
        level: Severity::Error,
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
            "`{}` is a counter: `{}` counts its resets as decreases",
            series.name, function.text
        );
        let finding = out
            .at(cx.span(&series.name_span), message)
            .label("a counter")
            .help(format!("use `{instead}`"));
        // The last two samples alone are another question.
        let exact = function.text != "idelta";
        let replace = || cx.replace(&function.span, instead, Applicability::Unsafe);
        out.push(finding.maybe_fix(exact.then(replace).flatten()));
    }
}

/// The function, and the one that knows restarts.
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
