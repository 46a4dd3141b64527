//! SLIs on the author's PromQL: `$window` stands for the window, and the query returns the labels that the SLO is grouped by.

use crate::context::Context;
use crate::{doubts, own_promql};
use slosmith_plan::plan::{EventSli, OwnEvents};
use slosmith_plan::query::Events;
use slosmith_promql::ast::{BinaryOp, Expr, ExprKind};
use slosmith_promql::{Kept, kept_labels, visit};
use slosmith_spec::spec::{self, Text};
use slosmith_text::diag::{Diagnostic, did_you_mean};
use slosmith_text::units::Unit;

/// Bad or good events and all events, or their ratio.
pub(super) fn events(
    cx: &mut Context<'_>,
    name: &str,
    sli: &spec::PromQlSli,
    slo: &spec::Slo,
) -> Option<Events> {
    if let Some(text) = &sli.error_ratio {
        let (expr, labels) = query(cx, text, slo)?;
        check_groups(cx, slo, &labels);
        if let ExprKind::Binary(ratio) = &visit::bare(&expr).kind
            && ratio.op == BinaryOp::Div
        {
            doubt_part(cx, text, &ratio.lhs, false);
        }
        doubts::percent(cx, text, &expr, Unit::Ratio);
        cx.notes.push(format!(
            "the SLO `{name}`: `error_ratio: {}` does not count events: in long windows, every minute has the same weight, with few or many events",
            shortened(&text.value)
        ));
        return Some(Events {
            sli: EventSli::OwnRatio(Box::new(expr)),
            labels,
            new_series: None,
        });
    }
    let good = sli.good.is_some();
    let part_text = sli.good.as_ref().or(sli.bad.as_ref())?;
    let total_text = sli.total.as_ref()?;
    let (part, total) = (query(cx, part_text, slo), query(cx, total_text, slo));
    let ((part, part_labels), (total, labels)) = (part?, total?);
    if part_labels != labels {
        let message = format!(
            "this query returns {}, but `total` returns {}: the division would be empty",
            listed(&part_labels),
            listed(&labels)
        );
        let error = Diagnostic::error("label-mismatch", part_text.span, message);
        cx.sink
            .push(error.help("aggregate both queries by the same labels"));
        return None;
    }
    check_groups(cx, slo, &labels);
    doubt_part(cx, part_text, &part, good);
    let word = if good { "good" } else { "bad" };
    super::sides::doubt_queries(cx, (&part, part_text, word), (&total, total_text));
    let own = OwnEvents { part, good, total };
    Some(Events {
        sli: EventSli::Own(Box::new(own)),
        labels,
        new_series: None,
    })
}

/// Warns of good events with the statuses of failures, and of bad ones with those of successes.
fn doubt_part(cx: &mut Context<'_>, text: &Text, part: &Expr, good: bool) {
    let selectors = visit::selectors(part).into_iter();
    let matchers = selectors.flat_map(|selector| &selector.matchers);
    let matchers = matchers.map(|m| (m.label.text.as_str(), m.op, m.value.value.as_str()));
    super::sides::doubt_statuses(cx, text.span, good, matchers);
}

/// A query with its labels.
fn query(cx: &mut Context<'_>, text: &Text, slo: &spec::Slo) -> Option<(Expr, Vec<String>)> {
    let expr = own_promql::parse_over_window(cx, text)?;
    let labels = labels(cx, text, &expr, slo)?;
    Some((expr, labels))
}

/// Reports labels that the SLO names, and that the query does not return.
fn check_groups(cx: &mut Context<'_>, slo: &spec::Slo, kept: &[String]) {
    for label in slo.groups.selection().named() {
        if cx.check_group_label(label) && !kept.contains(&label.value) {
            let message = format!("the query of this SLI does not return the label `{label}`");
            let error = Diagnostic::error("unknown-label", label.span, message);
            cx.sink.push(error.help(format!(
                "add `{label}` to the query, which returns {}",
                listed(kept)
            )));
        }
    }
}

/// The labels that a query keeps, in the order of the SLO's groups.
fn labels(cx: &mut Context<'_>, text: &Text, expr: &Expr, slo: &spec::Slo) -> Option<Vec<String>> {
    let of = slo.groups.selection();
    let spec = cx.spec;
    let group: Vec<&str> = match of.group_by {
        Some(list) => list.value.iter().collect(),
        None => spec
            .prometheus
            .group_by
            .iter()
            .chain(of.by)
            .collect::<Vec<_>>(),
    }
    .into_iter()
    .map(|label| label.value.as_str())
    .collect();
    let Kept::Only(kept) = kept_labels(expr) else {
        let message = "the query is not aggregated: each of its series would become an SLO";
        let error = Diagnostic::error("label-mismatch", text.span, message);
        let help = match group.is_empty() {
            true => "aggregate the query, as in `sum(rate(errors_total[$window]))`".to_owned(),
            false => format!(
                "aggregate the query, as in `sum by ({}) (…)`",
                group.join(", ")
            ),
        };
        cx.sink.push(error.help(help));
        return None;
    };
    if let Some(label) = kept.iter().find(|label| !group.contains(&&***label)) {
        let message =
            format!("the query returns the label `{label}`, but the SLO is not grouped by it");
        let error = Diagnostic::error("label-mismatch", text.span, message)
            .maybe_help(did_you_mean(label, group.iter().copied()));
        let help = format!("remove the label from the query, or add `by: [{label}]` to the SLO");
        cx.sink.push(error.help(help));
        return None;
    }
    let mut labels: Vec<String> = Vec::new();
    for label in group {
        if kept.contains(label) && !labels.iter().any(|known| known == label) {
            labels.push(label.to_owned());
        }
    }
    Some(labels)
}

fn listed(labels: &[String]) -> String {
    match labels {
        [] => "no labels".to_owned(),
        [label] => format!("the label `{label}`"),
        labels => format!("the labels `{}`", labels.join("`, `")),
    }
}

/// The start of a query.
fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.chars().count() > MOST {
        true => format!("{}…", text.chars().take(MOST).collect::<String>()),
        false => text,
    }
}
