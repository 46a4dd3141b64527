//! Label selections: from spec to matchers.
//!
//! `where: {code: {matches: "5.."}}` becomes `code=~"5.."`, and a list of values one regular expression.

use super::context::Context;
use crate::diag::{Diagnostic, Edit, Fix};
use crate::promql;
use crate::promql::ast::MatchOp;
use crate::spec::{MatchValue, Matchers, Text};

pub(super) type Matcher = (String, MatchOp, String);

pub(super) fn check(cx: &mut Context<'_>, selection: &Matchers) {
    for (label, value) in selection {
        cx.check_label_name(label);
        check_value(cx, value);
    }
}

fn check_value(cx: &mut Context<'_>, value: &MatchValue) {
    let regex = match value {
        MatchValue::Is {
            values,
            said: false,
        } => {
            for text in values {
                check_text(cx, text);
            }
            return;
        }
        MatchValue::Is { .. } | MatchValue::Not(_) => return,
        MatchValue::Matches(regex) | MatchValue::NotMatches(regex) => regex,
    };
    let selector = promql::build::metric("x").matcher("l", MatchOp::Match, &regex.value);
    if let Err(error) = promql::parse(&promql::ast::Expr::from(selector).to_string()) {
        let message = format!("`{regex}` is {}", with_article(&error.message));
        cx.sink
            .push(Diagnostic::error("bad-regex", regex.span, message));
    }
}

/// Reports a PromQL operator in front of a value, which would become a part of the value, and a value that looks like a
/// regular expression: it would select nothing.
fn check_text(cx: &mut Context<'_>, text: &Text) {
    let known = [("=~", "matches"), ("!~", "not_matches"), ("!=", "not")];
    for (operator, field) in known {
        if let Some(value) = text.value.strip_prefix(operator) {
            let message = format!("a label value cannot begin with the operator `{operator}`");
            let help = format!("write `{{{field}: \"{}\"}}`", value.trim_matches('"'));
            let error = Diagnostic::error("bad-matcher", text.span, message);
            cx.sink.push(error.help(help));
            return;
        }
    }
    if is_like_regex(&text.value) {
        cx.sink.push(like_regex(cx, text, &text.value));
    }
}

/// True for `5..`, `500|503`, `/v1/.*`, `[45]..` and the like.
fn is_like_regex(text: &str) -> bool {
    let parts = [
        "|", ".*", ".+", "..", "[^", "[0-", "[1-", "[a-z", "\\d", "\\w", "\\.", "(?", "]+", "]*",
    ];
    parts.iter().any(|part| text.contains(part)) || text.starts_with('^') || text.ends_with('$')
}

/// The regular expression that `5xx` stands for.
pub(super) fn status_class(text: &str) -> Option<String> {
    let class = text.strip_suffix("xx").or(text.strip_suffix("XX"))?;
    matches!(class, "1" | "2" | "3" | "4" | "5").then(|| format!("{class}.."))
}

/// Keeps the exact value, where it stands alone.
fn exactly(cx: &Context<'_>, text: &Text) -> Option<Fix> {
    let file = cx.document.files.text_of(text.span.file)?;
    let before = file.get(..text.span.range().start)?;
    let quoted = serde_json::to_string(&text.value).ok()?;
    let edit = Edit::replace(text.span, format!("{{is: {quoted}}}"));
    let alone = before.trim_end().ends_with(':');
    alone.then(|| Fix::unsafe_edits("keep the exact value", vec![edit]))
}

pub(super) fn like_regex(cx: &Context<'_>, text: &Text, regex: &str) -> Diagnostic {
    let message = format!("`{text}` looks like a pattern, but selects only this exact value");
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\"));
    let error = Diagnostic::error("bad-matcher", text.span, message).help(format!(
        "write `{{matches: {}}}`, or `{{is: {}}}` if the label has this exact value",
        quoted(regex),
        quoted(&text.value)
    ));
    error.maybe_fix(exactly(cx, text))
}

/// The selector of a scrape job.
pub(super) fn of_job(cx: &Context<'_>, job: &str) -> Vec<Matcher> {
    let jobs = &cx.spec.prometheus.jobs;
    let found = jobs.iter().find(|(name, _)| name.value == job);
    found.map_or_else(Vec::new, |(_, job)| matchers(&job.selector))
}

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
        MatchValue::Is { values, .. } => either(values, [MatchOp::Equal, MatchOp::Match]),
        MatchValue::Not(values) => either(values, [MatchOp::NotEqual, MatchOp::NotMatch]),
        MatchValue::Matches(text) => (MatchOp::Match, text.value.clone()),
        MatchValue::NotMatches(text) => (MatchOp::NotMatch, text.value.clone()),
    }
}

/// One value is compared as it is, several with a regular expression.
fn either(values: &[Text], [one, several]: [MatchOp; 2]) -> (MatchOp, String) {
    if let [only] = values {
        return (one, only.value.clone());
    }
    let escaped = values
        .iter()
        .map(|value| regex_syntax::escape(&value.value));
    (several, escaped.collect::<Vec<_>>().join("|"))
}

fn with_article(message: &str) -> String {
    match message.strip_prefix("bad regular expression") {
        Some(rest) => format!("not a valid regular expression{rest}"),
        None => message.to_owned(),
    }
}

pub(super) fn asked_values(value: &MatchValue) -> &[Text] {
    match value {
        MatchValue::Is { values, .. } | MatchValue::Not(values) => values,
        MatchValue::Matches(_) | MatchValue::NotMatches(_) => &[],
    }
}
