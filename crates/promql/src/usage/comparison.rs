//! Comparisons with a constant: what is compared, in which unit, with what.

use num_traits::{One, Signed};

use super::constant::{Exact, exact_constant, product};
use crate::ast::{Binary, BinaryOp, Expr, ExprKind, TextSpan};
use crate::visit::walk;

#[derive(Clone, Debug, PartialEq)]
pub struct Comparison<'a> {
    pub expr: &'a Expr,
    pub op: BinaryOp,
    pub constant_on_left: bool,
    pub constant: Exact,
    pub constant_span: TextSpan,
    /// The other side without parentheses and constant factors: `x` of `(x * 100) > 95`.
    pub subject: &'a Expr,
    pub scale: Exact,
}

impl Comparison<'_> {
    pub fn threshold(&self) -> Option<Exact> {
        product(&self.constant, &self.scale.recip())
    }
}

/// All comparisons with a constant, outer ones first.
///
/// A factor that is not a plain number above 0 stays part of the subject.
pub fn comparisons(expr: &Expr) -> Vec<Comparison<'_>> {
    let mut found = Vec::new();
    walk(expr, &mut |node| found.extend(comparison(node)));
    found
}

pub fn comparison(expr: &Expr) -> Option<Comparison<'_>> {
    let ExprKind::Binary(binary) = &expr.kind else {
        return None;
    };
    if !binary.op.is_comparison() {
        return None;
    }
    let (left, right) = (exact_constant(&binary.lhs), exact_constant(&binary.rhs));
    let (constant, constant_span, side, constant_on_left) = match (left, right) {
        (None, Some(constant)) => (constant, &binary.rhs.span, &binary.lhs, false),
        (Some(constant), None) => (constant, &binary.lhs.span, &binary.rhs, true),
        _ => return None,
    };
    let (subject, scale) = unscaled(side);
    Some(Comparison {
        expr,
        op: if constant_on_left {
            mirrored(binary.op)
        } else {
            binary.op
        },
        constant_on_left,
        constant,
        constant_span: constant_span.clone(),
        subject,
        scale,
    })
}

fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Ge => BinaryOp::Le,
        BinaryOp::Le => BinaryOp::Ge,
        op => op,
    }
}

/// An expression without its parentheses and constant factors, and their product.
fn unscaled(expr: &Expr) -> (&Expr, Exact) {
    let mut subject = expr;
    let mut scale = Exact::one();
    loop {
        let inner = match &subject.kind {
            ExprKind::Paren(inner) => Some((&**inner, scale)),
            ExprKind::Binary(binary) => factor(binary)
                .and_then(|(inner, factor)| product(&scale, &factor).map(|scale| (inner, scale))),
            _ => None,
        };
        match inner {
            Some((inner, product)) => (subject, scale) = (inner, product),
            None => return (subject, scale),
        }
    }
}

fn factor(binary: &Binary) -> Option<(&Expr, Exact)> {
    let positive = |expr| exact_constant(expr).filter(Exact::is_positive);
    match binary.op {
        BinaryOp::Mul => positive(&binary.rhs)
            .map(|factor| (&binary.lhs, factor))
            .or_else(|| positive(&binary.lhs).map(|factor| (&binary.rhs, factor))),
        BinaryOp::Div => positive(&binary.rhs).map(|factor| (&binary.lhs, factor.recip())),
        _ => None,
    }
}
