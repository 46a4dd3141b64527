//! Arguments of function calls.

use super::{Checker, Result, ValueType};
use crate::ast::{AggregateOp, Call, Expr, ExprKind};
use crate::error::SyntaxError;
use crate::functions::Function;
use crate::regex;

impl Checker {
    pub(super) fn check_call(&mut self, call: &Call, expr: &Expr) -> Result<Option<ValueType>> {
        let name = call.function.text.as_str();
        let Some(function) = Function::get(name) else {
            if call.function.placeholders.is_empty() {
                self.report(unknown(call))?;
            }
            for arg in &call.args {
                self.check(arg)?;
            }
            return Ok(None);
        };
        if let Some(error) = miscounted(function, call, expr) {
            self.report(error)?;
        }
        for (index, arg) in call.args.iter().enumerate() {
            if name == "info" && index == 1 {
                self.check_info_selector(arg)?;
            } else if let Some(wanted) = function.arg(index) {
                self.expect(arg, wanted, || {
                    format!("argument {} of `{name}`", index + 1)
                })?;
            }
        }
        if name == "label_replace" {
            self.check_replacement(call)?;
        }
        Ok(Some(function.returns))
    }

    /// The second argument of `info` is only a set of matchers, and they may match anything.
    fn check_info_selector(&mut self, arg: &Expr) -> Result<()> {
        let fits = match &arg.kind {
            ExprKind::Selector(selector) => {
                selector.metric.as_ref().is_none_or(|metric| metric.quoted)
            }
            ExprKind::Placeholder(_) | ExprKind::Invalid(_) => true,
            _ => false,
        };
        if fits {
            return Ok(());
        }
        self.report(SyntaxError::new(
            "argument 2 of `info` takes matchers only",
            arg.span.clone(),
        ))
    }

    /// Prometheus finds a bad pattern only when it evaluates the query, and then each time.
    fn check_replacement(&mut self, call: &Call) -> Result<()> {
        if let Some(arg) = call.args.get(4)
            && let ExprKind::String(literal) = &arg.kind
            && literal.placeholders.is_empty()
            && let Err(problem) = regex::check(&literal.value)
        {
            self.report(problem.in_literal(&literal.raw, &literal.value, &arg.span))?;
        }
        Ok(())
    }
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
    let most = |known: &str| 1 + known.len() / 4;
    functions
        .chain(AggregateOp::ALL.map(AggregateOp::name))
        // The distance is at least that of the lengths, and takes their product to find.
        .filter(|known| known.len().abs_diff(lower.len()) <= most(known))
        .map(|known| {
            let distance = strsim::damerau_levenshtein(&lower, known);
            (distance, !known.starts_with(&lower), known)
        })
        .min()
        .filter(|(distance, _, known)| *distance <= most(known))
        .map(|(_, _, known)| known)
}

fn miscounted(function: &Function, call: &Call, expr: &Expr) -> Option<SyntaxError> {
    let found = call.args.len();
    let (fewest, most) = function.arity();
    if found >= fewest && most.is_none_or(|most| found <= most) {
        return None;
    }
    let wanted = match most {
        Some(most) if most == fewest => fewest.to_string(),
        Some(most) => format!("{fewest} to {most}"),
        None => format!("at least {fewest}"),
    };
    let s = if wanted == "1" { "" } else { "s" };
    Some(SyntaxError::new(
        format!(
            "`{}` takes {wanted} argument{s}, got {found}",
            function.name
        ),
        expr.span.clone(),
    ))
}
