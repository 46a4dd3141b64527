//! Alarms and dashboards that CloudWatch would reject.

use crate::lint::rule::{Check, Findings, ResourceCx, declare_rule};
use slosmith_cloudwatch::Fault;
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Checks CloudWatch limits in API requests, Terraform and CloudFormation templates:
    ///
    /// - lengths, periods, look-backs, statistics, units, actions and tags;
    /// - metric math, Metrics Insights and composite rules;
    /// - the whole body of a dashboard.
    ///
    /// ### Why
    ///
    /// CloudWatch checks most limits only when a change is applied. `terraform plan` and `cdk synth` pass, and the
    /// deployment fails half-way.
    ///
    /// ### Example
    ///
    /// ```json
    /// {"AlarmName": "slow", "Period": 90}
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```json
    /// {"AlarmName": "slow", "Period": 60}
    /// ```
    ///
    /// A period is 10, 20, 30 or a multiple of 60 seconds.
    ///
    /// ### Limits
    ///
    /// Values that are only known when a file is applied are not checked.
    pub const RULE: Rule = Rule {
        name: "alarm-limit",
        summary: "CloudWatch would reject the alarm or the dashboard",
        group: Group::CloudWatch,
        level: Severity::Error,
        certain: "Certain: the AWS documentation states each limit. Values that a template or a function hides are not checked.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Resource(check),
    };
}

fn check(cx: &ResourceCx<'_>, out: &mut Findings) {
    for violation in cx.violations() {
        if violation.fault == Fault::UndefinedId {
            continue;
        }
        let message = format!("{}{}", cx.title(), violation.message);
        out.push(out.at(cx.resource.span(&violation.pointer), message));
    }
}
