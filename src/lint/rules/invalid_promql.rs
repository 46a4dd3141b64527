//! Queries that Prometheus rejects.

use super::query_too_deep;
use crate::artifact::Query;
use crate::diag::{Diagnostic, Fixes, Group, Severity};
use crate::lint::query::{QueryCx, Site};
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::promql::ast::Expr;
use crate::promql::{SyntaxError, ValueType, known_type, parse_recovering, parse_with};

declare_rule! {
    /// ### What it does
    ///
    /// Checks the syntax and the types of each query like Prometheus 3. Grafana variables and Go templates are
    /// allowed wherever their values make a valid query.
    ///
    /// ### Why
    ///
    /// Prometheus rejects the query: the rule file does not load, or the panel shows an error. A rule must return an
    /// instant vector or a scalar. Prometheus loads a rule with another result type, but each evaluation fails.
    ///
    /// ### Example
    ///
    /// ```yaml
    /// expr: rate(vllm:generation_tokens_total)       # `rate` needs a range
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```yaml
    /// expr: rate(vllm:generation_tokens_total[5m])
    /// ```
    pub const RULE: Rule = Rule {
        name: "invalid-promql",
        summary: "Prometheus rejects the query",
        group: Group::PromQl,
        level: Severity::Error,
        certain: "Certain: the parser accepts and rejects what Prometheus does.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

/// The parsed query as far as possible, and its mistakes.
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
        let message = format!("a rule must return an instant vector or a scalar; found a {found}");
        out.push(out.at(cx.span(&cx.expr.span), message));
    }
}
