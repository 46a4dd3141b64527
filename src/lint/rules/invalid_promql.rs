//! Queries that Prometheus would not take.

use super::query_too_deep;
use crate::artifact::Query;
use crate::diag::{Diagnostic, Group, Severity};
use crate::lint::query::{QueryCx, Site};
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::promql::ast::Expr;
use crate::promql::{SyntaxError, ValueType, known_type, parse_recovering, parse_with};

declare_rule! {
    /// Prometheus refuses the query: a rule file with it does not load, a panel shows an error. Syntax and
    /// types are judged as Prometheus 3 does; variables of Grafana and Go templates are allowed
    /// wherever their values make a query. A rule needs an instant vector or a scalar; Prometheus loads one with
    /// another result, and fails each time it evaluates it.
    ///
    /// ```yaml
    /// expr: rate(vllm:generation_tokens_total)       # bad: rate needs a range
    /// expr: rate(vllm:generation_tokens_total[5m])   # good
    /// ```
    pub const RULE: Rule = Rule {
        name: "invalid-promql",
        summary: "Prometheus does not accept the query",
        group: Group::PromQl,
        level: Severity::Error,
        since: "0.1.0",
        check: Check::Query(check),
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
    let info = match error.too_deep {
        true => &query_too_deep::RULE.info,
        false => &RULE.info,
    };
    Diagnostic::new(info.level, info.name, span, error.message.clone())
        .maybe_help(error.help.clone())
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    if !matches!(cx.site, Site::Alert(_) | Site::Record(_)) {
        return;
    }
    if let Some(found @ (ValueType::Matrix | ValueType::String)) = known_type(cx.expr) {
        let message = format!("a rule needs an instant vector or a scalar, got a {found}");
        out.push(out.at(cx.span(&cx.expr.span), message));
    }
}
