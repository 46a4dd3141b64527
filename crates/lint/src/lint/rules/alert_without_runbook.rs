//! Alerts without a link to a runbook.

use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports alerts without a link to a runbook.
    ///
    /// ### Why
    ///
    /// An on-call engineer needs instructions. Add a `runbook_url` to every alert.
    ///
    /// ### Example
    ///
    /// ```yaml
    /// annotations:
    ///   summary: Queue overflows
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```yaml
    /// annotations:
    ///   summary: Queue overflows
    ///   runbook_url: https://git.example/ops/blob/main/runbooks/queue.md
    /// ```
    pub const RULE: Rule = Rule {
        name: "alert-without-runbook",
        summary: "an alert has no `runbook_url`",
        group: Group::Style,
        level: Severity::Warning,
        certain: "Certain as to the missing annotation. Whether an alert needs a runbook is a convention.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    let Some(alert) = cx.alert() else {
        return;
    };
    let keys = ["runbook_url", "runbook", "runbookUrl", "runbook_link"];
    if !alert.is_partial && !keys.iter().any(|key| alert.annotation(key).is_some()) {
        let message = format!("the alert `{}` has no runbook", alert.name.value);
        let finding = out.at(alert.name.span(), message);
        out.push(finding.help("add the annotation `runbook_url`"));
    }
}
