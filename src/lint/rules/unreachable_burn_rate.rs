//! Burn rates that no error ratio reaches.

use memchr::memmem;

use crate::diag::{Group, Severity};
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::promql::ast::{BinaryOp, Expr, ExprKind};
use crate::promql::usage::bare;

declare_rule! {
    /// A ratio of errors is at most 1. A burn-rate factor times an error budget that gives 1 or more can
    /// never be exceeded: 14.4 times the budget of a 90 % objective is 1.44. Use smaller factors, or a
    /// tighter objective.
    ///
    /// ```promql
    /// slo:sli_error:ratio_rate1h > (14.4 * 0.1)    # bad
    /// slo:sli_error:ratio_rate1h > (14.4 * 0.01)   # good
    /// ```
    pub const RULE: Rule = Rule {
        name: "unreachable-burn-rate",
        summary: "an error ratio is compared with 1 or more",
        group: Group::Slo,
        level: Severity::Error,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for comparison in cx.comparisons() {
        let Some(name) = error_ratio(comparison.subject) else {
            continue;
        };
        let Some(threshold) = comparison.threshold() else {
            continue;
        };
        let (numer, denom) = threshold.into_raw();
        let never = match comparison.op {
            BinaryOp::Gt => numer >= denom,
            BinaryOp::Ge => numer > denom,
            _ => false,
        };
        if never {
            let constant = cx.text(&comparison.constant_span);
            let message = format!(
                "`{name}` is at most 1: `{} {constant}` is never true",
                comparison.op
            );
            let finding = out.at(cx.span(&comparison.constant_span), message);
            out.push(finding.help("the burn-rate factor is too large for this error budget"));
        }
    }
}

/// The name of a recorded error ratio, as Sloth, pyrra and we write it.
fn error_ratio(expr: &Expr) -> Option<&str> {
    match &bare(expr).kind {
        ExprKind::Selector(selector) => {
            let name = selector.metric.as_ref()?.text.as_str();
            let has = |part: &str| memmem::find(name.as_bytes(), part.as_bytes()).is_some();
            let ratio = has("error:ratio_rate") || has("error_ratio");
            ratio.then_some(name)
        }
        _ => None,
    }
}
