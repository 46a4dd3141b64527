//! Arguments of function calls.

use super::{Result, ValueType, check, expect};
use crate::promql::ast::{AggregateOp, Call, Expr, ExprKind};
use crate::promql::error::SyntaxError;
use crate::promql::functions::Function;
use crate::promql::regex;

pub(super) fn check_call(call: &Call, expr: &Expr) -> Result<ValueType> {
    let name = call.function.text.as_str();
    let Some(function) = Function::get(name) else {
        return Err(unknown(call));
    };
    check_count(function, call, expr)?;
    for (index, arg) in call.args.iter().enumerate() {
        if name == "info" && index == 1 {
            check_info_selector(arg)?;
        } else if let Some(wanted) = function.arg(index) {
            expect(arg, wanted, || {
                format!("argument {} of `{name}`", index + 1)
            })?;
        }
    }
    if name == "label_replace" {
        check_replacement(call)?;
    }
    Ok(function.returns)
}

fn unknown(call: &Call) -> SyntaxError {
    let name = call.function.text.as_str();
    let span = call.function.span.clone();
    let error = SyntaxError::new(format!("unknown function `{name}`"), span);
    if name == "holt_winters" {
        return error.help("Prometheus 3 calls it `double_exponential_smoothing`");
    }
    match similar(name) {
        Some(known) => error.help(format!("did you mean `{known}`?")),
        None => error,
    }
}

/// The function or aggregation whose name differs least, if a typo could explain it.
fn similar(name: &str) -> Option<&'static str> {
    let functions = Function::all().iter().map(|function| function.name);
    let lower = name.to_ascii_lowercase();
    functions
        .chain(AggregateOp::ALL.map(AggregateOp::name))
        .map(|known| {
            let distance = strsim::damerau_levenshtein(&lower, known);
            (distance, !known.starts_with(&lower), known)
        })
        .min()
        .filter(|(distance, _, known)| *distance <= 1 + known.len() / 4)
        .map(|(_, _, known)| known)
}

fn check_count(function: &Function, call: &Call, expr: &Expr) -> Result<()> {
    let found = call.args.len();
    let (fewest, most) = function.arity();
    if found >= fewest && most.is_none_or(|most| found <= most) {
        return Ok(());
    }
    let wanted = match most {
        Some(most) if most == fewest => fewest.to_string(),
        Some(most) => format!("{fewest} to {most}"),
        None => format!("at least {fewest}"),
    };
    let s = if wanted == "1" { "" } else { "s" };
    Err(SyntaxError::new(
        format!(
            "`{}` takes {wanted} argument{s}, got {found}",
            function.name
        ),
        expr.span.clone(),
    ))
}

/// The second argument of `info` is only a set of matchers, and they may match anything.
fn check_info_selector(arg: &Expr) -> Result<()> {
    match &arg.kind {
        ExprKind::Selector(selector)
            if selector.metric.as_ref().is_none_or(|metric| metric.quoted) =>
        {
            Ok(())
        }
        _ => Err(SyntaxError::new(
            "argument 2 of `info` takes matchers only",
            arg.span.clone(),
        )),
    }
}

/// Prometheus finds a bad pattern only when it evaluates the query, and then each time.
fn check_replacement(call: &Call) -> Result<()> {
    let Some(arg) = call.args.get(4) else {
        return Ok(());
    };
    if let ExprKind::String(literal) = &arg.kind {
        regex::check(&literal.value)
            .map_err(|problem| problem.in_literal(&literal.raw, &literal.value, &arg.span))?;
    }
    check(arg).map(|_| ())
}
