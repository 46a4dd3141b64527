//! Queries that are too large to be read.

use crate::diag::{Group, Severity};
use crate::lint::rule::{Check, declare_rule};

declare_rule! {
    /// More than 10,000 parentheses, calls or signs inside each other, or a chain of more than 100,000 operators.
    /// Prometheus may take the query, but nothing here has judged it.
    ///
    /// ```promql
    /// a1 + a2 + a3   # and so on, 100,001 times
    /// sum(a)         # good
    /// ```
    pub const RULE: Rule = Rule {
        name: "query-too-deep",
        summary: "the query is nested too deeply to be checked",
        group: Group::PromQl,
        level: Severity::Warning,
        since: "0.1.0",
        check: Check::Elsewhere,
    };
}
