//! Metric math expressions with undefined ids.

use crate::lint::rule::{Check, Findings, ResourceCx, declare_rule};
use slosmith_cloudwatch::Fault;
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports ids in metric math expressions that no entry of the same list has.
    ///
    /// ### Why
    ///
    /// Metric math refers to other entries by id. CloudWatch rejects an alarm whose expression uses an undefined id.
    ///
    /// ### Example
    ///
    /// ```json
    /// [{"Id": "errors", "MetricStat": {}}, {"Id": "share", "Expression": "errors / total"}]
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```json
    /// [{"Id": "errors", "MetricStat": {}}, {"Id": "total", "MetricStat": {}}, {"Id": "share", "Expression": "errors / total"}]
    /// ```
    pub const RULE: Rule = Rule {
        name: "undefined-metric-id",
        summary: "a metric math expression uses an undefined id",
        group: Group::CloudWatch,
        level: Severity::Error,
        certain: "Certain: CloudWatch rejects expressions with an unknown id.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Resource(check),
    };
}

fn check(cx: &ResourceCx<'_>, out: &mut Findings) {
    for violation in cx.violations() {
        if violation.fault == Fault::UndefinedId {
            let message = format!("{}{}", cx.title(), violation.message);
            out.push(out.at(cx.resource.span(&violation.pointer), message));
        }
    }
}
