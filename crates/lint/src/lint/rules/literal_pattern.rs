//! Exact values that look like patterns.

use crate::artifact::{Kind, Role};
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_promql::ast::{MatchOp, Matcher};
use slosmith_promql::rewrite::Edit;
use slosmith_text::diag::{Applicability, Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports `=` and `!=` with a value that looks like a pattern, such as `code="5.."`; in specs also `=~` and `!~` with
    /// a class such as `5xx`.
    ///
    /// ### Why
    ///
    /// `=` compares the whole text. `code="5.."` selects no series, and `code!="5.."` excludes none.
    ///
    /// ### Example
    ///
    /// ```promql
    /// sum(rate(http_requests_total{code="5.."}[5m]))
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// sum(rate(http_requests_total{code=~"5.."}[5m]))
    /// ```
    ///
    /// ### Limits
    ///
    /// Only values with `.*`, `.+` or an alternative `a|b`, and statuses such as `5..` and `[45]..`, are reported.
    pub const RULE: Rule = Rule {
        name: "literal-pattern",
        summary: "`=` compares with a pattern, character by character",
        group: Group::Labels,
        level: Severity::Warning,
        certain: "Not certain: a label may have the value `a.*`.",
        fixes: Fixes::Unsafe("replaces `=` with `=~`, and `!=` with `!~`"),
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    // A unit test writes the series that exist.
    if cx.query.role == Role::TestSeries {
        return;
    }
    for (_, matcher) in cx.matchers() {
        let wanted = match matcher.op {
            MatchOp::Equal => "=~",
            MatchOp::NotEqual => "!~",
            MatchOp::Match | MatchOp::NotMatch => {
                class(cx, out, matcher);
                continue;
            }
        };
        if !is_like_pattern(&matcher.value.value) {
            continue;
        }
        let (label, op) = (&matcher.label.text, matcher.op.symbol());
        let value = cx.text(&matcher.value_span);
        let message =
            format!("`{label}{op}{value}` compares with this text itself, not with a pattern");
        let new = format!("{}{wanted}{value}", cx.text(&matcher.label.span));
        let title = format!("replace with `{new}`");
        let edit = Edit::new(matcher.span.clone(), &new);
        let fix = cx.fix(title, &[edit], Applicability::Unsafe);
        let finding = out.at(cx.span(&matcher.value_span), message);
        out.push(finding.help(format!("use `{new}`")).maybe_fix(fix));
    }
}

/// In a spec, `5xx` is a pattern of no status: its letters match themselves.
fn class(cx: &QueryCx<'_, '_>, out: &mut Findings, matcher: &Matcher) {
    let value = matcher.value.value.as_str();
    let digit = value.strip_suffix("xx").or(value.strip_suffix("XX"));
    let is_class = digit.is_some_and(|digit| ["1", "2", "3", "4", "5"].contains(&digit));
    if is_class && cx.artifact.kind == Kind::Spec {
        let (label, op) = (&matcher.label.text, matcher.op.symbol());
        let message = format!("`{label}{op}\"{value}\"` matches this text itself, and no status");
        let new = format!("{label}{op}\"{}..\"", digit.unwrap_or_default());
        let edit = Edit::new(matcher.span.clone(), &new);
        let fix = cx.fix(
            format!("replace with `{new}`"),
            &[edit],
            Applicability::Unsafe,
        );
        let finding = out.at(cx.span(&matcher.value_span), message);
        out.push(finding.help(format!("use `{new}`")).maybe_fix(fix));
    }
}

/// True for `.*`, `.+`, `a|b`, and classes of HTTP statuses such as `5..` and `[45]..`.
fn is_like_pattern(value: &str) -> bool {
    let is_word = |part: &str| {
        let fits = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
        !part.is_empty() && part.chars().all(fits)
    };
    let is_choice = value.contains('|') && value.split('|').all(is_word);
    let class = value.strip_suffix("..");
    let is_class = class.is_some_and(|first| {
        let inner = first
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        let digits = inner.unwrap_or(first);
        let is_short = inner.is_some() || digits.len() == 1;
        is_short && !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit() || c == '-')
    });
    value.contains(".*") || value.contains(".+") || is_choice || is_class
}
