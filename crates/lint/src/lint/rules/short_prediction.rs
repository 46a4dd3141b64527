//! Predictions of less than a minute.

use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_promql::ast::ExprKind;
use slosmith_promql::usage::{Exact, exact_constant};
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports `predict_linear` with a second argument below 60.
    ///
    /// ### Why
    ///
    /// The argument is in seconds. A 4 that is meant as hours looks 4 seconds ahead, which is the value of now.
    ///
    /// ### Example
    ///
    /// ```promql
    /// predict_linear(node_filesystem_avail_bytes[6h], 4) < 0
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// predict_linear(node_filesystem_avail_bytes[6h], 4 * 3600) < 0
    /// ```
    pub const RULE: Rule = Rule {
        name: "short-prediction",
        summary: "`predict_linear` looks less than a minute ahead",
        group: Group::Slo,
        level: Severity::Warning,
        certain: "Certain as to the unit: Prometheus takes seconds. The rule assumes that a prediction looks at least a minute ahead.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    let minute = Exact::from_integer(60);
    for node in cx.expressions() {
        let ExprKind::Call(call) = &node.kind else {
            continue;
        };
        let ahead = call
            .args
            .get(1)
            .filter(|_| call.function.text == "predict_linear");
        let Some(ahead) = ahead else {
            continue;
        };
        let is_short = |seconds: &Exact| *seconds > Exact::from_integer(0) && *seconds < minute;
        if let Some(seconds) = exact_constant(ahead).filter(is_short) {
            let message = format!(
                "`predict_linear` looks {seconds} s ahead: its second argument is in seconds"
            );
            let finding = out.at(cx.span(&ahead.span), message);
            out.push(finding.help(format!("for hours, write `{seconds} * 3600`")));
        }
    }
}
