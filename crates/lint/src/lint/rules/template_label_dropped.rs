//! Templates that use a label that the alert does not have.

use std::collections::BTreeMap;

use crate::lint::query::{QueryCx, may_have, slip};
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_promql::labels::{Flow, Presence};
use slosmith_text::diag::{Fixes, Group, Severity};
use slosmith_text::yaml::Text;
use slosmith_text::yaml::go::{self, Kind};

declare_rule! {
    /// ### What it does
    ///
    /// Reports `{{ $labels.x }}` in annotations and labels of an alert if an aggregation, a function or a join of the
    /// expression drops `x`. If the expression keeps all labels, it reports what `unknown-label` would report in a
    /// matcher.
    ///
    /// ### Why
    ///
    /// The template prints nothing for the label. Keep the label in the expression, or remove it from the text.
    ///
    /// ### Example
    ///
    /// ```yaml
    /// expr: sum by (model_name) (vllm:num_requests_waiting) > 80
    /// annotations:
    ///   summary: "Queue of {{ $labels.instance }} overflows"
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```yaml
    /// expr: sum by (model_name) (vllm:num_requests_waiting) > 80
    /// annotations:
    ///   summary: "Queue of {{ $labels.model_name }} overflows"
    /// ```
    pub const RULE: Rule = Rule {
        name: "template-label-dropped",
        summary: "an annotation uses a label that the query result does not have",
        group: Group::Labels,
        level: Severity::Warning,
        certain: "Certain for labels that an aggregation, a function or a join drops. For other labels, see `unknown-label`.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    let Some(alert) = cx.alert() else {
        return;
    };
    let texts = alert
        .annotations
        .iter()
        .chain(&alert.labels)
        .map(|pair| &pair.value);
    let mut flow = None;
    let mut known: BTreeMap<String, Option<String>> = BTreeMap::new();
    for text in texts.filter(|text| text.value.contains("{{")) {
        for (label, at) in labels(text) {
            let judged = known.entry(label.clone()).or_insert_with(|| {
                let flow = flow.get_or_insert_with(|| cx.labels());
                missing(cx, flow, &label)
            });
            if let Some(help) = judged {
                let message =
                    format!("the alert has no label `{label}`: the template prints nothing");
                let finding = out.at(text.map.span(at), message);
                let finding =
                    finding.related(cx.query.span(), "the labels come from this expression");
                out.push(finding.help(help.clone()));
            }
        }
    }
}

/// What to do about a label that the alert does not have; none if the alert may have the label.
fn missing(cx: &QueryCx<'_, '_>, flow: &Flow, label: &str) -> Option<String> {
    if flow.presence(label) == Presence::Never {
        return Some(format!(
            "keep `{label}` in the expression, or remove `{label}` from the text"
        ));
    }
    let mut series = cx.series.iter();
    let series = series.find(|series| !may_have(cx, series, label))?;
    let help = || slip(series, label).unwrap_or_else(|| format!("remove `{label}` from the text"));
    (cx.presence(label) == Presence::Never).then(help)
}

/// `$labels.x` and `.Labels.x` in the actions of a template, with their bytes.
fn labels(text: &Text) -> Vec<(String, std::ops::Range<usize>)> {
    let mut found = Vec::new();
    if !text.value.contains("abels.") {
        return found;
    }
    // Inside `range` and `with`, the dot has another meaning.
    let mut moved = false;
    for action in go::actions(&text.value).flatten() {
        for token in go::tokens(&text.value, action).flatten() {
            moved |= token.moves_dot();
            let label = token.label();
            let label = label.filter(|_| !moved || token.kind != Kind::Field);
            if let Some((label, at)) = label {
                found.push((label.to_owned(), token.at.start..at.end));
            }
        }
    }
    found
}
