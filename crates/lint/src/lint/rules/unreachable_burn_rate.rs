//! Burn-rate thresholds that no error ratio exceeds.

use memchr::memmem;

use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_promql::ast::{BinaryOp, Expr, ExprKind};
use slosmith_promql::usage::bare;
use slosmith_spec::naming::ERROR_RATIO;
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports alerts that compare a recorded error ratio with a threshold of 1 or more.
    ///
    /// ### Why
    ///
    /// An error ratio is at most 1. If the burn-rate factor times the error budget is 1 or more, the alert never fires.
    /// For example, 14.4 times the budget of a 90% objective is 1.44. Use smaller factors, or a tighter objective.
    ///
    /// ### Example
    ///
    /// ```promql
    /// slo:sli_error:ratio_rate1h > (14.4 * 0.1)
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// slo:sli_error:ratio_rate1h > (14.4 * 0.01)
    /// ```
    pub const RULE: Rule = Rule {
        name: "unreachable-burn-rate",
        summary: "an error ratio is compared with a threshold that it never exceeds",
        group: Group::Slo,
        level: Severity::Error,
        certain: "Certain for error ratios that slosmith or sloth records: they are at most 1.",
        fixes: Fixes::None,
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
            let help = match constant.parse::<f64>() {
                Ok(_) => "use a threshold below 1",
                Err(_) => "use a smaller burn-rate factor, or a tighter objective",
            };
            out.push(finding.help(help));
        }
    }
}

/// The name of a recorded error ratio, as written by sloth, Pyrra and slosmith.
fn error_ratio(expr: &Expr) -> Option<&str> {
    match &bare(expr).kind {
        ExprKind::Selector(selector) => {
            let name = selector.metric.as_ref()?.text.as_str();
            let has = |part: &str| memmem::find(name.as_bytes(), part.as_bytes()).is_some();
            let ratio = has("error:ratio_rate") || name.starts_with(ERROR_RATIO);
            ratio.then_some(name)
        }
        _ => None,
    }
}
