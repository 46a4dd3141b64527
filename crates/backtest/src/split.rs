//! What of an expression a server is asked for, and what is evaluated here.

use slosmith_promql::ast::{Expr, ExprKind};
use slosmith_promql::{build, visit};
use slosmith_render::target::prometheus::Timed;

use crate::needs::reads_recorded;

/// The part of an expression that is evaluated here: each largest part that reads no recorded series is replaced by a series of its own,
/// whose name `asked` tells. Comparisons and set operators are not asked: what they drop is needed for other thresholds.
pub(crate) fn local<E>(
    rules: &[Timed],
    expr: &Expr,
    asked: &mut impl FnMut(&Expr) -> Result<String, E>,
) -> Result<Expr, E> {
    let mut expr = expr.clone();
    replace(rules, &mut expr, asked)?;
    Ok(expr)
}

fn replace<E>(
    rules: &[Timed],
    expr: &mut Expr,
    asked: &mut impl FnMut(&Expr) -> Result<String, E>,
) -> Result<(), E> {
    if is_local(expr) || reads_recorded(rules, expr) {
        for child in visit::children_mut(expr) {
            replace(rules, child, asked)?;
        }
        return Ok(());
    }
    if !visit::selectors(expr).is_empty() {
        let name = asked(expr)?;
        *expr = Expr::from(build::metric(&name));
    }
    Ok(())
}

/// True for what is evaluated here, even if all that it reads was scraped.
fn is_local(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Paren(_) => true,
        ExprKind::Binary(binary) => {
            !binary.bool_modifier
                && (binary.op.is_set() || binary.op.is_comparison() && is_number(&binary.rhs))
        }
        _ => false,
    }
}

pub(crate) fn is_number(expr: &Expr) -> bool {
    matches!(visit::bare(expr).kind, ExprKind::Number(_))
}
