//! Trees back to text.
//!
//! [`Display`](fmt::Display) writes one canonical line; [`pretty`] breaks long lines. Both keep the
//! author's spelling of numbers, durations and strings, keep the order of matchers, and add the
//! parentheses that a tree built by hand needs.

mod leaf;
mod pretty;

use std::fmt::{self, Write};

use super::ast::{
    Aggregate, At, AtOffset, Binary, BinaryOp, Call, Expr, ExprKind, Matching, Selector, Subquery,
    Unknown,
};

use super::names::UNKNOWN;
use super::room::with_room;

pub use pretty::pretty;

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        expr(f, self)
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        leaf::selector(f, self)?;
        leaf::shift(f, &self.at)
    }
}

fn expr<W: Write>(f: &mut W, expr: &Expr) -> fmt::Result {
    with_room(|| kind(f, expr))
}

fn kind<W: Write>(f: &mut W, expr: &Expr) -> fmt::Result {
    match &expr.kind {
        ExprKind::Number(number) => f.write_str(&number.text),
        ExprKind::String(literal) => leaf::string(f, literal),
        ExprKind::Selector(selector) => {
            leaf::selector(f, selector)?;
            if leaf::is_placeholder(selector) {
                f.write_str("{}")?;
            }
            leaf::shift(f, &selector.at)
        }
        ExprKind::Range(range) => {
            leaf::selector(f, &range.selector)?;
            write!(f, "[{}]", range.range.text)?;
            leaf::shift(f, &range.selector.at)
        }
        ExprKind::Subquery(subquery) => {
            operand(f, &subquery.expr, subquery_parens(subquery))?;
            leaf::subquery_suffix(f, subquery)
        }
        ExprKind::Call(call) => self::call(f, call),
        ExprKind::Aggregate(aggregate) => self::aggregate(f, aggregate),
        ExprKind::Unary(op, inner) => {
            f.write_str(op.symbol())?;
            operand(f, inner, unary_parens(inner))
        }
        ExprKind::Binary(binary) => self::binary(f, binary),
        ExprKind::Unknown(unknown) => self::unknown(f, unknown),
        ExprKind::Paren(inner) => operand(f, inner, true),
        ExprKind::Placeholder(name) => f.write_str(&name.text),
        ExprKind::Invalid(parts) => arguments(f, parts, " "),
    }
}

fn operand<W: Write>(f: &mut W, inner: &Expr, parens: bool) -> fmt::Result {
    if parens {
        f.write_char('(')?;
    }
    expr(f, inner)?;
    if parens {
        f.write_char(')')?;
    }
    Ok(())
}

fn call<W: Write>(f: &mut W, call: &Call) -> fmt::Result {
    f.write_str(&call.function.text)?;
    leaf::grouping(f, call.grouping.as_ref())?;
    f.write_char('(')?;
    arguments(f, &call.args, ", ")?;
    f.write_char(')')
}

fn arguments<W: Write>(f: &mut W, args: &[Expr], separator: &str) -> fmt::Result {
    for (index, arg) in args.iter().enumerate() {
        if index > 0 {
            f.write_str(separator)?;
        }
        expr(f, arg)?;
    }
    Ok(())
}

fn aggregate<W: Write>(f: &mut W, aggregate: &Aggregate) -> fmt::Result {
    leaf::aggregate_head(f, aggregate)?;
    f.write_char('(')?;
    if let Some(param) = &aggregate.param {
        expr(f, param)?;
        f.write_str(", ")?;
    }
    expr(f, &aggregate.expr)?;
    f.write_char(')')
}

fn binary<W: Write>(f: &mut W, binary: &Binary) -> fmt::Result {
    operand(f, &binary.lhs, lhs_parens(binary))?;
    f.write_char(' ')?;
    operator(f, binary)?;
    f.write_char(' ')?;
    operand(f, &binary.rhs, rhs_parens(binary))
}

/// The operator with `bool` and its matching.
fn operator<W: Write>(f: &mut W, binary: &Binary) -> fmt::Result {
    f.write_str(binary.op.symbol())?;
    if binary.bool_modifier {
        f.write_str(" bool")?;
    }
    // Without its own parentheses a group modifier would take those of the right side.
    let paren = binary.fill.is_none() && starts_with_paren(&binary.rhs, rhs_parens(binary));
    matching(f, binary.matching.as_ref(), paren)?;
    match &binary.fill {
        Some(fill) => leaf::fill(f, fill),
        None => Ok(()),
    }
}

fn matching<W: Write>(f: &mut W, matching: Option<&Matching>, paren: bool) -> fmt::Result {
    let Some(matching) = matching else {
        return Ok(());
    };
    if matching.clause {
        return leaf::clause(f, &matching.labels);
    }
    f.write_str(if matching.on { " on " } else { " ignoring " })?;
    leaf::labels(f, &matching.labels)?;
    if let Some(group) = &matching.group {
        let side = if group.left { "left" } else { "right" };
        write!(f, " group_{side}")?;
        if !group.include.is_empty() || paren {
            f.write_char(' ')?;
            leaf::labels(f, &group.include)?;
        }
    }
    Ok(())
}

/// `a $op on (x) b`
fn unknown<W: Write>(f: &mut W, unknown: &Unknown) -> fmt::Result {
    let loose = |side: &Expr, loosest| match &side.kind {
        ExprKind::Binary(inner) => inner.op.precedence() < loosest,
        ExprKind::Unknown(_) => loosest > UNKNOWN,
        _ => false,
    };
    operand(f, &unknown.lhs, loose(&unknown.lhs, UNKNOWN))?;
    write!(f, " {}", unknown.operator.text)?;
    if unknown.bool_modifier {
        f.write_str(" bool")?;
    }
    let parens = loose(&unknown.rhs, UNKNOWN + 1);
    let paren = starts_with_paren(&unknown.rhs, parens);
    matching(f, unknown.matching.as_ref(), paren)?;
    f.write_char(' ')?;
    operand(f, &unknown.rhs, parens)
}

/// Whether the text of an operand starts with `(`.
fn starts_with_paren(expr: &Expr, parens: bool) -> bool {
    parens
        || match &expr.kind {
            ExprKind::Paren(_) => true,
            ExprKind::Binary(binary) => {
                with_room(|| starts_with_paren(&binary.lhs, lhs_parens(binary)))
            }
            ExprKind::Unknown(unknown) => with_room(|| starts_with_paren(&unknown.lhs, false)),
            ExprKind::Subquery(subquery) => {
                with_room(|| starts_with_paren(&subquery.expr, subquery_parens(subquery)))
            }
            _ => false,
        }
}

fn is_signed(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Unary(..) => true,
        ExprKind::Number(number) => number.text.starts_with(['-', '+']),
        _ => false,
    }
}

fn lhs_parens(binary: &Binary) -> bool {
    match &binary.lhs.kind {
        ExprKind::Binary(lhs) => {
            let (outer, inner) = (binary.op.precedence(), lhs.op.precedence());
            inner < outer || inner == outer && binary.op.right_associative()
        }
        ExprKind::Unknown(_) => UNKNOWN < binary.op.precedence(),
        _ => binary.op == BinaryOp::Pow && is_signed(&binary.lhs),
    }
}

fn rhs_parens(binary: &Binary) -> bool {
    match &binary.rhs.kind {
        ExprKind::Binary(rhs) => {
            let (outer, inner) = (binary.op.precedence(), rhs.op.precedence());
            inner < outer || inner == outer && !binary.op.right_associative()
        }
        ExprKind::Unknown(_) => UNKNOWN <= binary.op.precedence(),
        _ => false,
    }
}

fn unary_parens(inner: &Expr) -> bool {
    match &inner.kind {
        ExprKind::Binary(binary) => binary.op != BinaryOp::Pow,
        ExprKind::Unknown(_) => true,
        _ => false,
    }
}

fn subquery_parens(subquery: &Subquery) -> bool {
    matches!(
        subquery.expr.kind,
        ExprKind::Binary(_) | ExprKind::Unknown(_)
    ) || is_signed(&subquery.expr)
}

#[cfg(test)]
mod tests;
