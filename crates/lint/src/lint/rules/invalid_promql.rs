//! Queries that Prometheus rejects.

use super::query_too_deep;
use crate::artifact::{Language, Query};
use crate::lint::query::{QueryCx, Site};
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_promql::ast::Expr;
use slosmith_promql::{
    SyntaxError, ValueType, known_type, parse_recovering, parse_untyped, parse_with,
};
use slosmith_text::diag::{Diagnostic, Fixes, Group, Severity};

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
    /// A mistake is reported once: of several errors in the grammar of a query the first, and of a query that a file
    /// repeats the first place. Rules about functions and values check a query after its mistakes are corrected.
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
    ///
    /// ### Limits
    ///
    /// Queries in MetricsQL and LogQL are not checked; [Query languages](lint.md#query-languages) describes how a language
    /// is recognised. A query is not checked either if another program or the reader of a text fills in a part outside
    /// its quotes: `{{ .Values.filter }}`, `[[ .Window ]]`, `${WINDOW}` in rules, `__WINDOW__`, and in Markdown also
    /// `<metric>`, `[window]`, `...`, `topk(N, …)`.
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

/// How far a query could be read, and so which rules apply to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lint) enum Read {
    Whole,
    /// It is MetricsQL with the form and the types of PromQL: labels come and go as in PromQL.
    Labels,
    /// Its types do not fit, or it is MetricsQL, whose types differ: names and labels are as they are written.
    Form,
    /// Parts of it are missing: a name may be a part of the mistake.
    Parts,
}

/// The parsed query as far as possible, and its mistakes. What follows a mistake in the grammar may follow from it, so only
/// the first one is reported.
pub(in crate::lint) fn parse(query: &Query) -> (Option<(Expr, Read)>, Vec<Diagnostic>) {
    let (text, dialect) = (&query.text, query.dialect);
    if query.language == Language::MetricsQl {
        let typed = parse_with(text, dialect).map(|expr| (expr, Read::Labels));
        let read = typed.or_else(|_| parse_untyped(text, dialect).map(|expr| (expr, Read::Form)));
        return (read.ok(), Vec::new());
    }
    if let Ok(expr) = parse_with(text, dialect) {
        return (Some((expr, Read::Whole)), Vec::new());
    }
    if query.is_partial {
        return (None, Vec::new());
    }
    let (expr, mut errors) = parse_recovering(text, dialect);
    let read = match parse_untyped(text, dialect) {
        Ok(_) => Read::Form,
        Err(first) => {
            // The recovering parser words the same mistake better.
            errors.retain(|error| error.span.start == first.span.start);
            errors.truncate(1);
            if errors.is_empty() {
                errors.push(first);
            }
            Read::Parts
        }
    };
    let found = errors.iter().map(|error| diagnostic(query, error));
    (expr.map(|expr| (expr, read)), found.collect())
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
