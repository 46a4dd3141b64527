//! Queries that Prometheus would not take.

use crate::artifact::Query;
use crate::diag::{Diagnostic, Group, Severity};
use crate::lint::rule::{Check, declare_rule};
use crate::promql::ast::Expr;
use crate::promql::{SyntaxError, parse_recovering, parse_with};

declare_rule! {
    /// Prometheus refuses the query: a rule file with it does not load, a panel shows an error. Syntax and
    /// types are judged as Prometheus 3 does; variables of Grafana and Go templates are allowed
    /// wherever their values make a query.
    ///
    /// ```yaml
    /// expr: rate(vllm:generation_tokens_total)       # bad: rate needs a range
    /// expr: rate(vllm:generation_tokens_total[5m])   # good
    /// ```
    pub const RULE: Rule = Rule {
        name: "invalid-promql",
        summary: "the query is no PromQL that Prometheus accepts",
        group: Group::PromQl,
        level: Severity::Error,
        since: "0.1.0",
        check: Check::Elsewhere,
    };
}

/// What could be read of a query, and what is wrong with it: all of it and nothing, for most.
pub(in crate::lint) fn parse(query: &Query) -> (Option<Expr>, Vec<Diagnostic>) {
    if let Ok(expr) = parse_with(&query.text, query.dialect) {
        return (Some(expr), Vec::new());
    }
    if query.is_partial {
        return (None, Vec::new());
    }
    let (expr, errors) = parse_recovering(&query.text, query.dialect);
    (
        expr,
        errors
            .iter()
            .map(|error| diagnostic(query, error))
            .collect(),
    )
}

fn diagnostic(query: &Query, error: &SyntaxError) -> Diagnostic {
    let span = query.map.span(error.span.clone());
    let info = &RULE.info;
    Diagnostic::new(info.level, info.name, span, error.message.clone())
        .maybe_help(error.help.clone())
}
