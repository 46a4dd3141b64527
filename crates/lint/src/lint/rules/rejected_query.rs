//! Queries that a running server cannot evaluate.

use crate::lint::live::Refused;
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// With `--prometheus URL`, reports queries that this server rejects, with its reason: two series on one side of a join
    /// match, a function that its version does not have, too many samples.
    ///
    /// ### Why
    ///
    /// The rule fails at each evaluation: its alert never fires. The panel shows an error.
    ///
    /// ### Example
    ///
    /// ```promql
    /// up * on (job) up
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// up * on (job, instance) up
    /// ```
    ///
    /// ### Limits
    ///
    /// - Nothing is reported without `--prometheus`.
    /// - Queries with dashboard variables are not sent.
    /// - Series of another time may match otherwise.
    pub const RULE: Rule = Rule {
        name: "rejected-query",
        summary: "the server cannot evaluate the query",
        group: Group::Server,
        level: Severity::Error,
        certain: "Certain for the time of the run and for this server.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    if let Some(Err(Refused::Query(why))) = cx.result() {
        let message = format!("the server cannot evaluate this query: {why}");
        out.push(out.at(cx.span(&cx.expr.span), message));
    }
}
