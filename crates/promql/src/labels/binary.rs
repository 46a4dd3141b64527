//! Labels of binary operations, as Prometheus computes them.

use std::rc::Rc;

use super::flow::{Flow, Named, Presence, Typed};
use super::set::{Kept, Labels};
use crate::ast::{Binary, BinaryOp, GroupModifier, Matching};
use crate::functions::ValueType;

pub(super) fn combined(binary: &Binary, lhs: Typed, rhs: Typed) -> Flow {
    let types = (lhs.of, rhs.of);
    let (lhs, rhs) = (lhs.flow, rhs.flow);
    let matched = binary.op.is_set() || binary.matching.is_some();
    match types {
        (Some(ValueType::Scalar), Some(ValueType::Scalar)) => Flow::none(),
        (_, Some(ValueType::Scalar)) => lhs,
        (Some(ValueType::Scalar), _) => rhs,
        (None, None) if !matched => Flow::unknown(),
        // An operand that can be anything may be a scalar, which leaves the other side's labels.
        (None, _) if !matched => rhs.clone().or(vectors(binary, lhs, rhs)),
        (_, None) if !matched => lhs.clone().or(vectors(binary, lhs, rhs)),
        _ => vectors(binary, lhs, rhs),
    }
}

fn vectors(binary: &Binary, lhs: Flow, rhs: Flow) -> Flow {
    let matched = Matched::new(binary.matching.as_ref());
    match binary.op {
        BinaryOp::Or => lhs.or(rhs),
        BinaryOp::Unless => lhs,
        BinaryOp::And => matched.narrowed(lhs, &rhs),
        _ => match binary.matching.as_ref().and_then(|m| m.group.as_ref()) {
            None => matched.one_to_one(lhs, rhs),
            Some(group) if group.left => included(matched.narrowed(lhs, &rhs), &rhs, group),
            Some(group) => included(matched.narrowed(rhs, &lhs), &lhs, group),
        },
    }
}

/// The labels that have the same value on both sides.
///
/// Such a label is missing where one side cannot have it, and there where one side surely has it.
enum Matched {
    /// These, and unknown ones if `open`.
    On(Named),
    Ignoring(Named),
}

impl Matched {
    fn new(matching: Option<&Matching>) -> Self {
        match matching {
            Some(matching) if matching.on => Self::On(Named::new(&matching.labels)),
            Some(matching) => Self::Ignoring(Named::new(&matching.labels)),
            None => Self::Ignoring(Named::new(&[])),
        }
    }

    /// Those of the labels that are matched for certain.
    fn sure(&self, labels: &Labels) -> Labels {
        match self {
            Self::On(on) => labels & &on.known,
            Self::Ignoring(ignored) if ignored.open => Labels::new(),
            Self::Ignoring(ignored) => labels - &ignored.known,
        }
    }

    fn rest(&self) -> Kept {
        match self {
            Self::On(on) => Kept::AllOf {
                without: on.known.clone(),
            },
            Self::Ignoring(ignored) if ignored.open => Kept::any(),
            Self::Ignoring(ignored) => Kept::Only(ignored.known.clone()),
        }
    }

    /// The labels of the series on one side that match the other side.
    fn narrowed(&self, side: Flow, other: &Flow) -> Flow {
        let sure = &side.sure | &self.sure(&other.sure);
        let same = other.possible.clone().union(self.rest());
        Flow::new(sure, side.possible.intersection(&same))
    }

    fn one_to_one(&self, lhs: Flow, rhs: Flow) -> Flow {
        let either = &lhs.sure | &rhs.sure;
        let both = lhs.possible.intersection(&rhs.possible);
        let possible = match self {
            Self::On(on) if !on.open => Kept::Only(on.known.clone()).intersection(&both),
            Self::On(_) => both,
            Self::Ignoring(ignored) => {
                let minus = |kept: Kept, label: &Rc<str>| kept.without(label);
                ignored.known.iter().fold(both, minus)
            }
        };
        Flow::new(self.sure(&either), possible)
    }
}

/// `group_left (a)` takes `a` from the one side, also when it is missing there.
fn included(many: Flow, one: &Flow, group: &GroupModifier) -> Flow {
    let Named { known, open } = Named::new(&group.include);
    let flow = known
        .iter()
        .fold(many, |flow, label| flow.with(label, one.presence(label)));
    if !open {
        return flow;
    }
    let mut sure = flow.sure;
    sure.retain(|label| one.presence(label) == Presence::Sure);
    Flow::new(sure, flow.possible.union(one.possible.clone()))
}
