//! Alarms and dashboards that CloudWatch would reject.

use crate::cloudwatch::Fault;
use crate::diag::{Group, Severity};
use crate::lint::resource::ResourceCx;
use crate::lint::rule::{Check, Findings, declare_rule};

declare_rule! {
    /// Most limits are only checked when a change is applied: `terraform plan` and `cdk synth` pass, and the
    /// deployment fails half-way. Lengths, periods, look-backs, statistics, units, actions, tags, metric math,
    /// Metrics Insights, composite rules and everything in the body of a dashboard are checked here, in
    /// requests of the API, Terraform and CloudFormation templates. Values that are known only when a file
    /// is applied are not checked.
    ///
    /// ```json
    /// {"AlarmName": "slow", "Period": 90}
    /// {"AlarmName": "slow", "Period": 60}
    /// ```
    ///
    /// The first is bad: a period is 10, 20, 30 or a multiple of 60 seconds.
    pub const RULE: Rule = Rule {
        name: "alarm-limit",
        summary: "CloudWatch would reject an alarm or a dashboard",
        group: Group::CloudWatch,
        level: Severity::Error,
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
