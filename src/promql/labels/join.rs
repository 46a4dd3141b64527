//! Labels that are asked for and can never be there.

use std::cmp::Reverse;
use std::rc::Rc;

use super::expr::{Step, watched};
use super::flow::{Flow, Leaf, METRIC_NAME, Named, Presence};
use crate::promql::ast::{Binary, BinaryOp, Expr, Matching, Name};

/// A binary operation whose sides never have the same labels.
#[derive(Clone, Debug, PartialEq)]
pub struct UnmatchedJoin<'a> {
    /// The whole operation.
    pub expr: &'a Expr,
    /// The operation.
    pub binary: &'a Binary,
    /// A label that one side surely has and the other cannot have.
    pub label: Rc<str>,
    /// Whether the left side is the one that has it.
    pub on_left: bool,
}

/// The operations that give nothing, whatever the data (for `unless`: that take nothing away).
///
/// `or` asks for no match and is never among them.
pub fn unmatched_joins<'a>(expr: &'a Expr, leaf: &dyn Leaf) -> Vec<UnmatchedJoin<'a>> {
    let mut found = Vec::new();
    watched(expr, leaf, &mut |step| {
        let Step::Binary(node, binary, [lhs, rhs]) = step else {
            return;
        };
        if binary.op != BinaryOp::Or && lhs.is_vector() && rhs.is_vector() {
            let (lhs, rhs) = (&lhs.flow, &rhs.flow);
            let only = |a, b| one_sided(a, b, binary.matching.as_ref());
            let left = only(lhs, rhs).map(|label| (label, true));
            if let Some((label, on_left)) = left.or_else(|| Some((only(rhs, lhs)?, false))) {
                found.push(UnmatchedJoin {
                    expr: node,
                    binary,
                    label,
                    on_left,
                });
            }
        }
    });
    found.sort_by_key(|join| (join.expr.span.start, Reverse(join.expr.span.end)));
    found
}

/// A matched label that `side` surely has and `other` cannot have.
fn one_sided(side: &Flow, other: &Flow, matching: Option<&Matching>) -> Option<Rc<str>> {
    let listed = Named::new(matching.map_or(&[], |matching| &matching.labels));
    let on = matching.is_some_and(|matching| matching.on);
    // Whatever is ignored besides the labels listed is not known.
    if !on && listed.open {
        return None;
    }
    let matched = |label: &&Rc<str>| {
        on == listed.known.contains(label) && other.presence(label) == Presence::Never
    };
    side.sure.iter().find(matched).cloned()
}

/// Where a label is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelPlace {
    /// `by (label)`
    By,
    /// `on (label)`
    On,
    /// `group_left (label)` or `group_right (label)`
    Include,
}

/// A label that no series can have where it is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MissingLabel<'a> {
    /// The label, as it is written.
    pub name: &'a Name,
    /// Where it is asked for.
    pub place: LabelPlace,
}

/// The labels in `by`, in `on` (missing on both sides) and in group modifiers that are never there.
pub fn missing_labels<'a>(expr: &'a Expr, leaf: &dyn Leaf) -> Vec<MissingLabel<'a>> {
    let mut found = Vec::new();
    watched(expr, leaf, &mut |step| match step {
        Step::Aggregate(aggregate, input) => {
            if let Some(grouping) = aggregate.grouping.as_ref().filter(|by| !by.without) {
                never(&grouping.labels, &[input], LabelPlace::By, &mut found);
            }
        }
        Step::Binary(_, binary, sides) => {
            if let Some(matching) = &binary.matching
                && sides.iter().all(|side| side.is_vector())
            {
                in_matching(matching, sides.map(|side| &side.flow), &mut found);
            }
        }
    });
    found.sort_by_key(|missing| missing.name.span.start);
    found
}

fn in_matching<'a>(
    matching: &'a Matching,
    [lhs, rhs]: [&Flow; 2],
    found: &mut Vec<MissingLabel<'a>>,
) {
    if matching.on {
        never(&matching.labels, &[lhs, rhs], LabelPlace::On, found);
    }
    if let Some(group) = &matching.group {
        let one = if group.left { rhs } else { lhs };
        never(&group.include, &[one], LabelPlace::Include, found);
    }
}

fn never<'a>(
    labels: &'a [Name],
    sides: &[&Flow],
    place: LabelPlace,
    found: &mut Vec<MissingLabel<'a>>,
) {
    let missing = labels.iter().filter(|label| {
        let absent = |flow: &&Flow| flow.presence(&label.text) == Presence::Never;
        label.placeholders.is_empty() && label.text != METRIC_NAME && sides.iter().all(absent)
    });
    found.extend(missing.map(|name| MissingLabel { name, place }));
}
