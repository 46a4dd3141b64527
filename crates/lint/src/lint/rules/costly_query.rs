//! Queries that take a running server long.

use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_text::diag::{Fixes, Group, Severity};

/// Seconds for one evaluation.
const SECONDS: f64 = 1.0;

/// Samples for one evaluation: a tenth of what Prometheus allows by default (`--query.max-samples`).
const SAMPLES: u64 = 5_000_000;

declare_rule! {
    /// ### What it does
    ///
    /// With `--prometheus URL`, reports queries on which that server worked for more than a second, or for which it read more than
    /// 5 million samples.
    ///
    /// ### Why
    ///
    /// A rule is evaluated each minute, and a dashboard requests hundreds of steps. The other rules of its group wait.
    ///
    /// ### Example
    ///
    /// ```promql
    /// sum(increase(http_requests_total[30d]))
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// sum_over_time(job:http_requests:increase5m[30d])
    /// ```
    ///
    /// ### Limits
    ///
    /// - Nothing is reported without `--prometheus`.
    /// - The time is of one evaluation, and depends on what else the server does.
    pub const RULE: Rule = Rule {
        name: "costly-query",
        summary: "the query takes the server long",
        group: Group::Server,
        level: Severity::Warning,
        certain: "Certain for one evaluation at the time of the run.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    let Some(Ok(vector)) = cx.result() else {
        return;
    };
    let samples = vector.samples.unwrap_or(0);
    if vector.seconds > SECONDS || samples > SAMPLES {
        let read = match vector.samples {
            Some(samples) => format!(" and reads {samples} samples"),
            None => String::new(),
        };
        let message = format!(
            "the server takes {:.1} s{read} for one evaluation",
            vector.seconds
        );
        out.push(out.at(cx.span(&cx.expr.span), message));
    }
}
