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

use crate::promql::ast::{Binary, BinaryOp, Expr, Matching};
use expr::watched;
pub use expr::{kept_labels, label_flow};
use flow::Named;
pub use flow::{AnySeries, Flow, Leaf, Presence};
pub use set::{Kept, Labels};

#[derive(Clone, Debug, PartialEq)]
pub struct UnmatchedJoin<'a> {
    pub expr: &'a Expr,
    pub binary: &'a Binary,
    /// A label that one side surely has and the other cannot have.
    pub label: Rc<str>,
    pub on_left: bool,
}

/// The operations that give nothing, whatever the data (for `unless`: that take nothing away).
///
/// `or` asks for no match and is never among them.
pub fn unmatched_joins<'a>(expr: &'a Expr, leaf: &dyn Leaf) -> Vec<UnmatchedJoin<'a>> {
    let mut found = Vec::new();
    watched(expr, leaf, &mut |node, binary, [lhs, rhs]| {
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

#[cfg(test)]
mod tests;
