//! Conditions side by side: on which labels `all`, `any` and `unless` join their parts.

use crate::context::Context;
use slosmith_plan::plan::selection::Matcher;
use slosmith_plan::plan::{Condition, Query, words};
use slosmith_plan::query::bin;
use slosmith_promql::ast::{BinaryOp, Expr, MatchOp};
use slosmith_promql::{self as promql, build};
use slosmith_spec::spec::{self, Text};
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::{Span, Spanned};

/// Joins parts on all their labels when those are the same and can be equal, else on the labels of `on`.
pub(super) fn join(
    cx: &mut Context<'_>,
    op: BinaryOp,
    parts: &[Condition],
    on: Option<&Vec<Text>>,
    places: &[Span],
) -> Option<Query> {
    let first = parts.first()?.query();
    let sorted = |q: &Query| {
        let mut labels = q.labels.clone();
        labels.sort();
        labels
    };
    let all: Vec<_> = parts.iter().map(|p| sorted(p.query())).collect();
    // A query of PromQL may keep labels that it does not name.
    let kept = |part: &Condition| promql::kept_labels(&part.query().expr).names();
    let is_known = on.is_none() || parts.iter().all(|part| kept(part).is_some());
    let is_same = is_known && all.iter().all(|l| *l == all[0]);
    let alike = is_same && !parts.iter().any(is_uneven);
    let mut common = all[0].clone();
    common.retain(|l| all.iter().all(|other| other.contains(l)));
    let richer = (op == BinaryOp::And)
        .then(|| richer(parts, &common))
        .flatten();
    let on = match on {
        Some(on) => {
            let may_have = |label: &String| {
                let mut parts = parts.iter();
                parts.all(|part| kept(part).is_none_or(|names| names.contains(label)))
            };
            for label in on.iter().filter(|l| !may_have(&l.value)) {
                let message = format!("not every condition has the label `{label}`");
                let error = Diagnostic::error("unmatched-join", label.span, message);
                cx.sink.push(error.help(common_help(&common)));
            }
            if let (Some(label), Some(first)) = (&richer, on.first()) {
                let message = format!(
                    "a part of `any` has the label `{label}`, too: `on` joins it with each other `{label}`"
                );
                let warning = Diagnostic::warning("unmatched-join", first.span, message);
                cx.sink.push(warning.help(SPLIT));
            }
            Some(on.iter().map(|l| l.value.clone()).collect::<Vec<_>>())
        }
        None if alike || op == BinaryOp::Or => None,
        None if is_same => Some(common.clone()),
        None => {
            let error = different_labels(&all, places);
            let help = richer.map_or_else(|| common_help(&common), |_| SPLIT.to_owned());
            cx.sink.push(error.help(help));
            return None;
        }
    };
    let joined = on.as_ref().unwrap_or(&common);
    if op != BinaryOp::Or
        && let Some(error) = never_equal(parts, joined, places)
    {
        cx.sink.push(error);
        return None;
    }
    let labels = match op {
        BinaryOp::Or => first
            .labels
            .iter()
            .filter(|l| common.contains(l))
            .cloned()
            .collect(),
        _ => first.labels.clone(),
    };
    // Parts with the same labels hold together, for one model, before they are joined with parts of a whole cluster.
    let mut groups: Vec<(Vec<&Condition>, &Vec<String>, Expr)> = Vec::new();
    for (own, part) in all.iter().zip(parts) {
        let expr = part.query().expr.clone();
        let holds_with = |(members, labels, _): &&mut (Vec<&Condition>, &Vec<String>, Expr)| {
            let mut members = members.iter();
            *labels == own && members.all(|member| different(member, part, own).is_none())
        };
        let known = groups.iter_mut().find(holds_with);
        match known.filter(|_| op == BinaryOp::And && is_known && !is_uneven(part)) {
            Some((members, _, so_far)) => {
                members.push(part);
                *so_far = bin(op, so_far.clone(), expr);
            }
            None => groups.push((vec![part], own, expr)),
        }
    }
    let uses_on = match (op, parts) {
        (BinaryOp::Unless, [held, not_while]) => {
            !alike || different(held, not_while, &common).is_some()
        }
        (BinaryOp::Or, _) => !alike,
        _ => true,
    };
    let on = on.filter(|_| uses_on);
    let groups = groups.into_iter().map(|(.., expr)| expr);
    let expr = groups.reduce(|so_far, next| match &on {
        Some(on) => build::binary(op, so_far, next).on(on).into(),
        None => bin(op, so_far, next),
    });
    Some(Query {
        expr: expr?,
        labels,
    })
}

/// True where results have other labels than those that all of them have: of an `any` with more labels in one of its parts.
fn is_uneven(condition: &Condition) -> bool {
    match condition {
        Condition::Any(parts, query) => {
            let has_more = |part: &Condition| part.query().labels.len() > query.labels.len();
            parts.iter().any(|part| has_more(part) || is_uneven(part))
        }
        Condition::All(parts, _) => parts.first().is_some_and(is_uneven),
        Condition::Unless(parts, _) => is_uneven(&parts[0]),
        Condition::Compare(_) | Condition::Absent(_) | Condition::Raw(_) => false,
    }
}

/// Reports parts that select different values of a label on which they are joined.
fn never_equal(parts: &[Condition], on: &[String], places: &[Span]) -> Option<Diagnostic> {
    let pairs = (0..parts.len()).flat_map(|i| (i + 1..parts.len()).map(move |j| (i, j)));
    let mut pairs = pairs.map(|(i, j)| (i, j, different(&parts[i], &parts[j], on)));
    let (i, j, label) = pairs.find_map(|(i, j, label)| Some((i, j, label?)))?;
    let [value, other] = [i, j].map(|part| only_value(&parts[part], label).unwrap_or_default());
    let others: Vec<_> = on.iter().filter(|of| *of != label).cloned().collect();
    let message = format!(
        "the conditions are joined on `{label}`, and select different values of it: they would never match"
    );
    let error = Diagnostic::error("unmatched-join", places[j], message)
        .label(format!("only `{other}`"))
        .related(places[i], format!("only `{value}`"));
    Some(error.help(format!(
        "join them without this label: `on: [{}]`",
        others.join(", ")
    )))
}

/// A label of which two conditions select different values.
fn different<'a>(one: &Condition, other: &Condition, labels: &'a [String]) -> Option<&'a String> {
    labels.iter().find(|label| {
        let values = only_value(one, label).zip(only_value(other, label));
        values.is_some_and(|(one, other)| one != other)
    })
}

/// The only value of a label that a condition has, where it selects one.
fn only_value<'a>(part: &'a Condition, label: &str) -> Option<&'a str> {
    match part {
        Condition::Compare(c) => one_of(words::selection_of(&c.signal), label),
        Condition::Absent(a) => one_of(words::selection_of(&a.signal), label),
        Condition::Raw(_) => None,
        Condition::All(parts, _) => parts.iter().find_map(|part| only_value(part, label)),
        Condition::Any(parts, _) => {
            let mut values = parts.iter().map(|part| only_value(part, label));
            let first = values.next()??;
            values.all(|value| value == Some(first)).then_some(first)
        }
        Condition::Unless(parts, _) => only_value(&parts[0], label),
    }
}

fn one_of<'a>(matchers: &'a [Matcher], label: &str) -> Option<&'a str> {
    let mut of = matchers.iter().filter(|(name, ..)| name == label);
    of.find_map(|(_, op, value)| (*op == MatchOp::Equal).then_some(value.as_str()))
}

/// Warns of an `absent` whose label sets are forgotten before the alert is over: then it has no labels, and matches no part
/// that has some.
pub(super) fn doubt_forgotten(
    cx: &mut Context<'_>,
    parts: &[Condition],
    specs: &[Spanned<spec::Condition>],
    on: Option<&Vec<Text>>,
) {
    if on.is_some_and(Vec::is_empty) || parts.iter().any(|part| part.query().labels.is_empty()) {
        return;
    }
    for (part, spec) in parts.iter().zip(specs) {
        match (part, &spec.value) {
            (Condition::Any(parts, _), spec::Condition { any: Some(any), .. })
                if spec.value.unless.is_none() =>
            {
                doubt_forgotten(cx, parts, &any.value, on);
            }
            (Condition::Absent(gone), c) => {
                // An author who writes the window knows of it.
                let (Some(memory), Some(absent), None) = (gone.memory, c.absent, c.window) else {
                    continue;
                };
                let message = format!(
                    "`absent` in `all` ends {memory} after the last series: without labels, it matches none of the other conditions"
                );
                let warning = Diagnostic::warning("unmatched-join", absent.span, message);
                cx.sink.push(warning.help(
                    "write `unless: {signal: …, above: …}` for the missing values: `unless` also holds without series, and needs no memory; or an alert of its \
                     own for `absent`, or a longer `window`, such as `window: 30d`",
                ));
            }
            _ => {}
        }
    }
}

/// The help for `all` with an `any` whose parts have different labels.
const SPLIT: &str = "write an `all` for each: `any: [{all: [A, B]}, {all: [A, C], on: […]}]`, where `A` and `B` have the same labels";

/// A label that only some parts of an `any` have, and that another condition beside it has, too.
fn richer(parts: &[Condition], common: &[String]) -> Option<String> {
    parts.iter().enumerate().find_map(|(i, part)| {
        let Condition::Any(inner, _) = part else {
            return None;
        };
        let of_leaf = |leaf: &Condition| leaf.query().labels.clone();
        let mut labels = inner.iter().flat_map(of_leaf);
        labels.find(|label| {
            let has = |part: &Condition| part.query().labels.contains(label);
            let mut others = parts.iter().enumerate().filter(|(j, _)| *j != i);
            !common.contains(label) && !inner.iter().all(has) && others.any(|(_, other)| has(other))
        })
    })
}

/// The first part that cannot be joined with the one before all others.
fn different_labels(all: &[Vec<String>], places: &[Span]) -> Diagnostic {
    let by = |labels: &Vec<String>| match labels.as_slice() {
        [] => "by no label".to_owned(),
        labels => format!("by `{}`", labels.join("`, `")),
    };
    let other = all.iter().position(|l| *l != all[0]).unwrap_or(0);
    let message = "the conditions are grouped by different labels: they would never match";
    Diagnostic::error("unmatched-join", places[other], message)
        .label(format!("grouped {}", by(&all[other])))
        .related(places[0], format!("grouped {}", by(&all[0])))
}

fn common_help(common: &[String]) -> String {
    if common.is_empty() {
        return "group all conditions by the same labels with `by`, or join each with all others: `on: []`".into();
    }
    format!(
        "group all conditions by the same labels with `by`, or join them on their common labels: `on: [{}]`",
        common.join(", ")
    )
}
