//! Advice with formulas, whose examples are computed at build time.

use std::collections::BTreeMap;

use super::{Builder, text};
use crate::request::SignalRequest;
use slosmith_plan::plan::runbook::{Advice, Formula};
use slosmith_plan::query;
use slosmith_promql::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use slosmith_promql::{self as promql, ast};
use slosmith_spec::spec::{self, Text};
use slosmith_text::diag::Diagnostic;
use slosmith_text::units::{Quantity, float};

const DIGITS: usize = 6;

impl Builder<'_, '_> {
    pub(super) fn advice(&mut self, advice: &spec::Advice) -> Advice {
        let settings = advice.settings.iter().map(|(name, setting)| {
            let (value, note) = (&setting.value.value, &setting.note.value);
            (name.value.clone(), value.clone(), note.clone())
        });
        let settings = settings.collect();
        let mut known: BTreeMap<String, f64> = BTreeMap::new();
        let mut formulas = Vec::new();
        for (name, formula) in &advice.formulas {
            formulas.extend(self.formula(name, formula, &mut known));
        }
        Advice {
            title: advice.title.value.clone(),
            text: text(advice.text.as_ref()),
            settings,
            formulas,
        }
    }

    fn formula(
        &mut self,
        name: &Text,
        formula: &spec::Formula,
        known: &mut BTreeMap<String, f64>,
    ) -> Option<Formula> {
        let mut inputs = Vec::new();
        for (input, what) in &formula.inputs {
            known.insert(input.value.clone(), plain(&what.example.value));
            let query = what
                .signal
                .as_ref()
                .and_then(|signal| self.input(signal, what));
            let example = what.example.to_string();
            inputs.push((input.value.clone(), what.note.value.clone(), example, query));
        }
        let expr = match promql::parse(&formula.expr.value) {
            Ok(expr) => expr,
            Err(error) => {
                let at = self.cx.document.inside(&formula.expr, error.span);
                let message = format!("invalid formula: {}", error.message);
                let error = Diagnostic::error("bad-formula", at, message);
                self.cx.sink.push(error);
                return None;
            }
        };
        match evaluate(&expr, known) {
            Ok(value) if value.is_finite() => {
                known.insert(name.value.clone(), value);
                Some(Formula {
                    name: name.value.clone(),
                    expr: formula.expr.value.clone(),
                    gives: formula.gives.value.clone(),
                    inputs,
                    result: rounded(value),
                })
            }
            Ok(_) => {
                let message = "the examples divide by zero, or their result is too large";
                let error = Diagnostic::error("bad-formula", formula.expr.span, message);
                self.cx.sink.push(error);
                None
            }
            Err(why) => {
                let error = Diagnostic::error("bad-formula", formula.expr.span, why.to_string());
                self.cx.sink.push(error.maybe_help(why.help(known)));
                None
            }
        }
    }

    fn input(&mut self, name: &Text, what: &spec::Input) -> Option<Expr> {
        let signal = self.cx.optional_signal(name)?;
        let request = SignalRequest {
            signal: &signal,
            stat: what.stat,
            window: None,
            of: spec::Selection::default(),
            at: name.span,
        };
        let read = self.cx.read(&request)?;
        Some(query::query(&read, None).expr)
    }
}

fn plain(quantity: &Quantity) -> f64 {
    use slosmith_text::units::Unit::{Bytes, Celsius, Count, Hertz, Ratio, Seconds, Watts};
    let units = [Count, Seconds, Bytes, Ratio, Watts, Hertz, Celsius];
    let rate = quantity.per().is_some();
    let value = units.iter().find_map(|unit| quantity.of(*unit, rate).ok());
    value.map_or(f64::NAN, float)
}

#[derive(Debug, thiserror::Error)]
enum FormulaError {
    #[error("a formula supports only `+ - * / ^`")]
    Operator,
    #[error("unknown function `{0}`")]
    Function(String),
    #[error("`{0}` is not an input of the formula")]
    Name(String),
    #[error("a formula supports only arithmetic with names and numbers")]
    Form,
}

impl FormulaError {
    fn help(&self, known: &BTreeMap<String, f64>) -> Option<String> {
        match self {
            Self::Function(_) => Some("use `floor`, `ceil`, `clamp_min` or `clamp_max`".to_owned()),
            Self::Name(_) if !known.is_empty() => {
                let names: Vec<_> = known.keys().map(String::as_str).collect();
                Some(format!("use one of `{}`", names.join("`, `")))
            }
            Self::Operator | Self::Name(_) | Self::Form => None,
        }
    }
}

fn evaluate(expr: &Expr, known: &BTreeMap<String, f64>) -> Result<f64, FormulaError> {
    match &expr.kind {
        ExprKind::Number(number) => Ok(number.value),
        ExprKind::Paren(inner) => evaluate(inner, known),
        ExprKind::Unary(op, inner) => {
            let value = evaluate(inner, known)?;
            Ok(if *op == UnaryOp::Minus { -value } else { value })
        }
        ExprKind::Selector(selector) => name(selector, known),
        ExprKind::Binary(binary) => {
            let (a, b) = (evaluate(&binary.lhs, known)?, evaluate(&binary.rhs, known)?);
            match binary.op {
                BinaryOp::Add => Ok(a + b),
                BinaryOp::Sub => Ok(a - b),
                BinaryOp::Mul => Ok(a * b),
                BinaryOp::Div => Ok(a / b),
                BinaryOp::Pow => Ok(a.powf(b)),
                _ => Err(FormulaError::Operator),
            }
        }
        ExprKind::Call(call) => {
            let args: Vec<f64> = call
                .args
                .iter()
                .map(|arg| evaluate(arg, known))
                .collect::<Result<_, _>>()?;
            match (call.function.text.as_str(), args.as_slice()) {
                ("floor", [a]) => Ok(a.floor()),
                ("ceil", [a]) => Ok(a.ceil()),
                ("clamp_max", [a, b]) => Ok(a.min(*b)),
                ("clamp_min", [a, b]) => Ok(a.max(*b)),
                (other, _) => Err(FormulaError::Function(other.to_owned())),
            }
        }
        _ => Err(FormulaError::Form),
    }
}

fn name(selector: &ast::Selector, known: &BTreeMap<String, f64>) -> Result<f64, FormulaError> {
    let name = selector.metric.as_ref().map_or("", |name| &name.text);
    let value = known.get(name).copied();
    value.ok_or_else(|| FormulaError::Name(name.to_owned()))
}

/// Six digits are enough for a page; whole numbers stay whole.
fn rounded(value: f64) -> String {
    if value.fract() == 0.0 {
        return format!("{value:.0}");
    }
    let magnitude = value.abs().log10().floor().max(0.0);
    let places = DIGITS.saturating_sub(1 + magnitude as usize);
    let text = format!("{value:.places$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}
