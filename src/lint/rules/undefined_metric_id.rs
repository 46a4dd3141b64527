//! Expressions over metrics that are not there.

use crate::cloudwatch::Fault;
use crate::diag::{Group, Severity};
use crate::lint::resource::ResourceCx;
use crate::lint::rule::{Check, Findings, declare_rule};

declare_rule! {
    /// Metric math refers to other entries by their ids. CloudWatch refuses an alarm whose expression names
    /// one that is not there, and no other tool looks into expressions before.
    ///
    /// ```json
    /// [{"Id": "errors", "MetricStat": {}}, {"Id": "share", "Expression": "errors / total"}]
    /// ```
    ///
    /// This is bad: no entry has the id `total`.
    pub const RULE: Rule = Rule {
        name: "undefined-metric-id",
        summary: "an expression names an id that no metric has",
        group: Group::CloudWatch,
        level: Severity::Error,
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
