//! The expressions around a selector: each by itself, and in short what they are.

use std::fmt;
use std::rc::Rc;

use crate::promql::ast::{AggregateOp, BinaryOp, Expr, ExprKind};
use crate::promql::functions::Function;

/// An expression that is no selector, and may hold some.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Holder<'a> {
    pub expr: &'a Expr,
    /// The place, among all of the query, of the one around it.
    pub outer: Option<usize>,
    pub kinds: Kinds,
}

/// What some expressions are. A query may nest deeply around many selectors, so that nobody should look at every
/// expression around every selector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds {
    functions: u128,
    aggregates: u16,
    operators: u32,
    /// One of them is a subquery.
    pub subquery: bool,
    /// One of them is a placeholder, or could not be read.
    pub unknown: bool,
}

impl Kinds {
    /// One of them calls the function; false for a function that Prometheus does not have.
    pub fn calls(&self, function: &str) -> bool {
        let at = Function::place(function);
        at.is_some_and(|at| self.functions & (1 << at) != 0)
    }

    pub fn aggregates(&self, op: AggregateOp) -> bool {
        self.aggregates & (1 << op as u16) != 0
    }

    pub fn aggregate(&self) -> bool {
        self.aggregates != 0
    }

    pub fn operates(&self, op: BinaryOp) -> bool {
        self.operators & (1 << op as u32) != 0
    }

    pub fn compares(&self) -> bool {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        [Eq, Ne, Gt, Lt, Ge, Le].iter().any(|op| self.operates(*op))
    }

    pub fn operation(&self) -> bool {
        self.operators != 0
    }

    fn add(&mut self, other: Self) {
        self.functions |= other.functions;
        self.aggregates |= other.aggregates;
        self.operators |= other.operators;
        self.subquery |= other.subquery;
        self.unknown |= other.unknown;
    }

    fn with(mut self, expr: &Expr) -> Self {
        match &expr.kind {
            ExprKind::Call(call) => {
                let at = Function::place(&call.function.text);
                self.functions |= at.map_or(0, |at| 1 << at);
            }
            ExprKind::Aggregate(aggregate) => self.aggregates |= 1 << aggregate.op as u16,
            ExprKind::Binary(binary) => self.operators |= 1 << binary.op as u32,
            ExprKind::Subquery(_) => self.subquery = true,
            ExprKind::Placeholder(_) | ExprKind::Invalid(_) => self.unknown = true,
            ExprKind::Unary(..)
            | ExprKind::Paren(_)
            | ExprKind::Unknown(_)
            | ExprKind::Number(_)
            | ExprKind::String(_)
            | ExprKind::Selector(_)
            | ExprKind::Range(_) => {}
        }
        self
    }
}

/// All expressions of a query but its selectors, each behind the one around it.
#[derive(Clone, Debug, PartialEq)]
pub struct Holders<'a>(Vec<Holder<'a>>);

impl<'a> Holders<'a> {
    /// None yet, with room for those of most queries.
    pub(super) fn new() -> Self {
        Self(Vec::with_capacity(8))
    }

    pub(super) fn push(&mut self, expr: &'a Expr, outer: Option<usize>) -> usize {
        let around = outer.and_then(|at| self.0.get(at));
        let kinds = around.map(|around| around.kinds).unwrap_or_default();
        self.0.push(Holder {
            expr,
            outer,
            kinds: kinds.with(expr),
        });
        self.0.len() - 1
    }

    pub fn expressions(&self) -> impl Iterator<Item = &'a Expr> {
        self.0.iter().map(|holder| holder.expr)
    }

    pub fn kinds(&self) -> Kinds {
        let mut all = Kinds::default();
        self.0.iter().for_each(|holder| all.add(holder.kinds));
        all
    }
}

/// All expressions around one; selectors of a query share them, for there may be many of both.
#[derive(Clone, PartialEq)]
pub(super) struct Around<'a> {
    pub(super) holders: Rc<Holders<'a>>,
    pub(super) innermost: Option<usize>,
}

impl<'a> Around<'a> {
    pub(super) fn iter(&self) -> impl Iterator<Item = &'a Expr> {
        let mut next = self.innermost;
        std::iter::from_fn(move || {
            let holder = self.holders.0.get(next?)?;
            next = holder.outer;
            Some(holder.expr)
        })
    }

    pub(super) fn holders(&self) -> &[Holder<'a>] {
        &self.holders.0
    }

    pub(super) fn kinds(&self) -> Kinds {
        let holder = self.innermost.and_then(|at| self.holders.0.get(at));
        holder.map(|holder| holder.kinds).unwrap_or_default()
    }
}

impl fmt::Debug for Around<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
