//! Which labels the result of a query surely has, may have and cannot have.
//!
//! Certainty is on both ends: a label outside [`Flow::possible`] is never there, in no data, and a label
//! in [`Flow::sure`] is on every series of the result. What is known of the selected series comes from a
//! [`Leaf`]. The metric name is a label that may be there until something other than it is asked for.

mod binary;
mod call;
mod expr;
mod flow;
mod set;

use std::cmp::Reverse;
use std::rc::Rc;

use crate::ast::{AggregateOp, Binary, BinaryOp, Expr, ExprKind, MatchOp, Matching, Selector};
use crate::visit;
use expr::watched;
pub use expr::{kept_labels, label_flow};
use flow::Named;
pub use flow::{AnySeries, Flow, Leaf, Presence};
pub use set::{Kept, Labels};

#[derive(Clone, Debug, PartialEq)]
pub struct UnmatchedJoin<'a> {
    pub expr: &'a Expr,
    pub binary: &'a Binary,
    /// A label that is never the same on both sides.
    pub label: Rc<str>,
    pub why: Unmatched,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Unmatched {
    /// The left side surely has the label, and the right side cannot have it.
    OnlyLeft,
    OnlyRight,
    /// Matchers set it to one value on the left side, and to another one on the right side.
    Values(String, String),
}

/// The operations that give nothing, whatever the data (for `unless`: that take nothing away).
///
/// `or` asks for no match and is never among them.
pub fn unmatched_joins<'a>(expr: &'a Expr, leaf: &dyn Leaf) -> Vec<UnmatchedJoin<'a>> {
    let mut found = Vec::new();
    watched(expr, leaf, &mut |node, binary, [lhs, rhs]| {
        if binary.op != BinaryOp::Or && lhs.is_vector() && rhs.is_vector() {
            let (lhs, rhs) = (&lhs.flow, &rhs.flow);
            let only = |a, b, why| Some((one_sided(a, b, binary.matching.as_ref())?, why));
            let unmatched = only(lhs, rhs, Unmatched::OnlyLeft)
                .or_else(|| only(rhs, lhs, Unmatched::OnlyRight))
                .or_else(|| other_values(binary, lhs, rhs));
            if let Some((label, why)) = unmatched {
                found.push(UnmatchedJoin {
                    expr: node,
                    binary,
                    label,
                    why,
                });
            }
        }
    });
    found.sort_by_key(|join| (join.expr.span.start, Reverse(join.expr.span.end)));
    found
}

/// A matched label that `side` surely has and `other` cannot have.
fn one_sided(side: &Flow, other: &Flow, matching: Option<&Matching>) -> Option<Rc<str>> {
    let is_missing = |label: &&Rc<str>| other.presence(label) == Presence::Never;
    matched(side, matching).find(is_missing).cloned()
}

/// The labels that `side` surely has and that the operation matches on.
fn matched<'f>(
    side: &'f Flow,
    matching: Option<&Matching>,
) -> impl Iterator<Item = &'f Rc<str>> + use<'f> {
    let listed = Named::new(matching.map_or(&[], |matching| &matching.labels));
    let on = matching.is_some_and(|matching| matching.on);
    // Whatever is ignored besides the labels listed is not known.
    let is_known = on || !listed.open;
    let all = side.sure.iter().filter(move |_| is_known);
    all.filter(move |label| on == listed.known.contains(*label))
}

/// A matched label that both sides surely have, each from selectors that select another value.
fn other_values(binary: &Binary, lhs: &Flow, rhs: &Flow) -> Option<(Rc<str>, Unmatched)> {
    let both = matched(lhs, binary.matching.as_ref());
    let mut both = both.filter(|label| rhs.presence(label) == Presence::Sure);
    both.find_map(|label| {
        // Most sides differ in nothing: only the first selectors are looked at.
        let first = |side| pinned(first_selector(side)?, label);
        let (left, right) = (first(&binary.lhs)?, first(&binary.rhs)?);
        let is_all = |side, value| {
            let mut all = visit::selectors(side).into_iter();
            !sets(side, label) && all.all(|selector| pinned(selector, label) == Some(value))
        };
        let differs = left != right && is_all(&binary.lhs, left) && is_all(&binary.rhs, right);
        let values = || Unmatched::Values(left.to_owned(), right.to_owned());
        differs.then(|| (Rc::clone(label), values()))
    })
}

/// Descends this deep at most.
const DEEPEST: usize = 32;

fn first_selector(mut expr: &Expr) -> Option<&Selector> {
    for _ in 0..DEEPEST {
        match &expr.kind {
            ExprKind::Selector(selector) => return Some(selector),
            ExprKind::Range(range) => return Some(&range.selector),
            _ => {
                expr =
                    visit::children(expr).find(|part| !matches!(part.kind, ExprKind::Number(_)))?
            }
        }
    }
    None
}

fn pinned<'s>(selector: &'s Selector, label: &str) -> Option<&'s str> {
    let mut own = selector.matchers.iter().filter(|m| m.label.text == label);
    let matcher = own.next().filter(|_| own.next().is_none())?;
    let is_plain = matcher.op == MatchOp::Equal && matcher.value.placeholders.is_empty();
    is_plain.then_some(matcher.value.value.as_str())
}

/// True for functions and operators that may give the label another value.
fn sets(expr: &Expr, label: &str) -> bool {
    let mut found = false;
    visit::walk(expr, &mut |node| {
        found |= match &node.kind {
            ExprKind::Call(call) => matches!(
                call.function.text.as_str(),
                "label_replace" | "label_join" | "info" | "vector" | "scalar"
            ),
            ExprKind::Aggregate(aggregate) => aggregate.op == AggregateOp::CountValues,
            ExprKind::Unknown(_) | ExprKind::Placeholder(_) | ExprKind::Invalid(_) => true,
            ExprKind::Binary(binary) => {
                let group = binary.matching.as_ref().and_then(|m| m.group.as_ref());
                group.is_some_and(|group| group.include.iter().any(|name| name.text == label))
            }
            _ => false,
        }
    });
    found
}

#[cfg(test)]
mod tests;
