//! Alerts whose condition is true on a running server.

use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_text::diag::{Fixes, Group, Severity, count};

declare_rule! {
    /// ### What it does
    ///
    /// With `--prometheus URL`, reports alerts whose condition is true on that server now.
    ///
    /// ### Why
    ///
    /// A new alert that fires as soon as it is loaded often has a wrong threshold. `slosmith backtest` shows how often it
    /// would have fired.
    ///
    /// ### Example
    ///
    /// ```promql
    /// node_filesystem_avail_bytes > 0
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// node_filesystem_avail_bytes / node_filesystem_size_bytes < 0.1
    /// ```
    ///
    /// ### Limits
    ///
    /// - Nothing is reported without `--prometheus`.
    /// - `for` is not considered: the condition may have become true a moment ago.
    pub const RULE: Rule = Rule {
        name: "true-alert",
        summary: "the condition of the alert is true on the server now",
        group: Group::Server,
        level: Severity::Info,
        certain: "Certain for the time of the run. Whether something is wrong then is for its reader to say.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    let Some(alert) = cx.alert() else {
        return;
    };
    if let Some(Ok(vector)) = cx.result()
        && !vector.elements.is_empty()
    {
        let name = &alert.name.value;
        let series = count(vector.elements.len(), "label set");
        let message = format!("the condition of `{name}` is true now, for {series}");
        out.push(out.at(cx.span(&cx.expr.span), message));
    }
}
