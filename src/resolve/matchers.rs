//! Label selections: from spec to matchers.
//!
//! `where: {code: {matches: "5.."}}` becomes `code=~"5.."`, and a list of values one regular expression.

use super::context::Context;
use crate::diag::Diagnostic;
use crate::promql;
use crate::promql::ast::MatchOp;
use crate::source::Span;
use crate::spec::{MatchValue, Matchers, Text};

/// Label, comparison, value.
pub(super) type Matcher = (String, MatchOp, String);

/// Reports a regular expression that Prometheus would reject.
pub(super) fn check_value(cx: &mut Context<'_>, value: &MatchValue) {
    if let MatchValue::Is(text) = value {
        check_text(cx, text);
    }
    let (MatchValue::Matches(regex) | MatchValue::NotMatches(regex)) = value else {
        return;
    };
    let selector = promql::build::metric("x").matcher("l", MatchOp::Match, &regex.value);
    if let Err(error) = promql::parse(&promql::ast::Expr::from(selector).to_string()) {
        let message = format!("`{regex}` is {}", with_article(&error.message));
        cx.sink
            .push(Diagnostic::error("bad-regex", regex.span, message));
    }
}

/// Reports a PromQL operator in front of a value, which would become a part of the value.
fn check_text(cx: &mut Context<'_>, text: &Text) {
    let known = [("=~", "matches"), ("!~", "not_matches"), ("!=", "not")];
    for (operator, field) in known {
        if let Some(value) = text.value.strip_prefix(operator) {
            let message = format!("a label value cannot begin with the operator `{operator}`");
            let help = format!("write `{{{field}: \"{}\"}}`", value.trim_matches('"'));
            let error = Diagnostic::error("bad-matcher", text.span, message);
            cx.sink.push(error.help(help));
        }
    }
}

/// A selection as matchers, sorted by label.
pub(super) fn matchers(spec: &Matchers) -> Vec<Matcher> {
    let mut out: Vec<Matcher> = spec
        .iter()
        .map(|(label, value)| {
            let (op, text) = matcher(value);
            (label.value.clone(), op, text)
        })
        .collect();
    out.sort_by(|a, b| a.0.cmp(&b.0));
    out
}

fn matcher(value: &MatchValue) -> (MatchOp, String) {
    match value {
        MatchValue::Is(text) => (MatchOp::Equal, text.value.clone()),
        MatchValue::Not(text) => (MatchOp::NotEqual, text.value.clone()),
        MatchValue::Matches(text) => (MatchOp::Match, text.value.clone()),
        MatchValue::NotMatches(text) => (MatchOp::NotMatch, text.value.clone()),
        MatchValue::OneOf(values) => {
            let escaped: Vec<_> = values
                .iter()
                .map(|v| regex_syntax::escape(&v.value))
                .collect();
            (MatchOp::Match, escaped.join("|"))
        }
    }
}

fn with_article(message: &str) -> String {
    match message.strip_prefix("bad regular expression") {
        Some(rest) => format!("not a valid regular expression{rest}"),
        None => message.to_owned(),
    }
}

/// Exact values of a selection, with their places in the spec.
pub(super) fn asked_values(value: &MatchValue) -> Vec<(&str, Span)> {
    match value {
        MatchValue::Is(text) | MatchValue::Not(text) => vec![(&text.value, text.span)],
        MatchValue::OneOf(values) => values.iter().map(|v| (v.value.as_str(), v.span)).collect(),
        MatchValue::Matches(_) | MatchValue::NotMatches(_) => Vec::new(),
    }
}
