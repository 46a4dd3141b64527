//! Queries that are too large to be checked.

use crate::lint::rule::{Check, declare_rule};
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports queries with more than 1,000 levels: nested parentheses, calls or signs, or a chain of operators.
    ///
    /// ### Why
    ///
    /// Prometheus may accept the query, but slosmith does not check it.
    ///
    /// ### Example
    ///
    /// ```promql
    /// a1 + a2 + a3   # and so on, 1,001 times
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// sum(a)
    /// ```
    pub const RULE: Rule = Rule {
        name: "query-too-deep",
        summary: "the query is too long or too deeply nested to be checked",
        group: Group::PromQl,
        level: Severity::Warning,
        certain: "Certain that slosmith did not check the query. Prometheus may accept it.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Elsewhere,
    };
}
