//! Label values that never exist.

use crate::artifact::Role;
use crate::lint::query::{QueryCx, Series};
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_catalog::{Product, meant_value};
use slosmith_promql::ast::{MatchOp, Matcher};
use slosmith_promql::is_literal_pattern;
use slosmith_text::diag::{Fixes, Group, Severity, did_you_mean};

declare_rule! {
    /// ### What it does
    ///
    /// Reports matchers on a value that the label never has. slosmith has all values of a few labels, such as
    /// `finished_reason`.
    ///
    /// ### Why
    ///
    /// The matcher selects nothing.
    ///
    /// ### Example
    ///
    /// ```promql
    /// vllm:request_success_total{finished_reason="stopped"}
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// vllm:request_success_total{finished_reason="stop"}
    /// ```
    pub const RULE: Rule = Rule {
        name: "unknown-label-value",
        summary: "the label never has this value",
        group: Group::Catalog,
        level: Severity::Warning,
        certain: "Certain for labels whose values are the same in all deployments. Other labels are not checked.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    // The series of a unit test may have any values.
    if cx.query.role == Role::TestSeries {
        return;
    }
    for (series, matcher) in cx.matchers() {
        // `printf` puts a value in.
        if cx.query.is_partial && matcher.value.value.contains('%') {
            continue;
        }
        let Some(domain) = domain(series, &matcher.label.text) else {
            continue;
        };
        let known = series.subject.known();
        match known.filter(|known| known.product.catalog.lineage().domains.seen) {
            Some(known) => check_recorded(cx, out, (series, known.product), matcher, &domain),
            None => check_matcher(cx, out, series, matcher, &domain),
        }
    }
}

/// All values of a label on the selected releases, if known for each.
fn domain<'s>(series: &'s Series<'_, '_>, label: &str) -> Option<Vec<&'s str>> {
    let shapes = series.subject.shapes();
    let domains: Option<Vec<_>> = shapes.iter().map(|shape| shape.domain(label)).collect();
    let mut all: Vec<_> = domains?.into_iter().flatten().map(String::as_str).collect();
    all.sort_unstable();
    all.dedup();
    (!all.is_empty()).then_some(all)
}

/// A service can have values that its recording does not show: only what is spelled almost as one of them is reported.
fn check_recorded(
    cx: &QueryCx<'_, '_>,
    out: &mut Findings,
    (series, product): (&Series<'_, '_>, &Product<'_>),
    matcher: &Matcher,
    domain: &[&str],
) {
    let value = matcher.value.value.as_str();
    let words = match matcher.op {
        MatchOp::Equal | MatchOp::NotEqual => vec![value],
        MatchOp::Match | MatchOp::NotMatch => value.split('|').collect(),
    };
    let unknown = words.into_iter().filter(|word| !domain.contains(word));
    for (word, meant) in unknown.filter_map(|word| Some((word, meant_value(word, domain)?))) {
        let version = product.describe(&product.selection.releases);
        let message = format!(
            "the label `{}` of `{}` has no value `{word}` in the recording of {} {version}",
            matcher.label.text, series.name, product.name
        );
        let finding = out.at(cx.span(&matcher.value_span), message);
        out.push(finding.help(format!("did you mean `{meant}`?")));
    }
}

fn check_matcher(
    cx: &QueryCx<'_, '_>,
    out: &mut Findings,
    series: &Series<'_, '_>,
    matcher: &Matcher,
    domain: &[&str],
) {
    let value = matcher.value.value.as_str();
    let wrong: Vec<&str> = match matcher.op {
        MatchOp::Equal | MatchOp::NotEqual => vec![value],
        MatchOp::Match | MatchOp::NotMatch => {
            let words: Vec<_> = value.split('|').collect();
            if words.iter().all(|word| is_literal_pattern(word)) {
                words
            } else if domain.iter().all(|known| !cx.may_match(value, known)) {
                vec![value]
            } else {
                return;
            }
        }
    };
    let label = &matcher.label.text;
    for word in wrong
        .into_iter()
        .filter(|word| !word.is_empty() && !domain.contains(word))
    {
        let message = format!(
            "the label `{label}` of `{}` never has the value `{word}`",
            series.name
        );
        let known: Vec<_> = domain.iter().map(|d| format!("`{d}`")).collect();
        let help = did_you_mean(word, domain.iter().copied());
        let help = help.unwrap_or_else(|| format!("use one of the values {}", known.join(", ")));
        out.push(out.at(cx.span(&matcher.value_span), message).help(help));
    }
}
