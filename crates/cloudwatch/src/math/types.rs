//! What an expression gives: a number, a series, or several.

use super::functions::{Takes, function, no_function};
use super::parser::Expr;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Scalar,
    Series,
    /// Several of them.
    Array,
    Text,
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Id(String),
    Other(String),
}

/// Words that `FILL` takes.
const FILLERS: [&str; 2] = ["REPEAT", "LINEAR"];

/// Words that `SORT` takes.
const SORTED_BY: [&str; 4] = ["AVG", "MIN", "MAX", "SUM"];
const ORDERS: [&str; 2] = ["ASC", "DESC"];

/// What an expression gives; `of` says what an id is. Functions that were used are noted in `used`.
pub(crate) fn shape(
    expr: &Expr,
    of: &mut dyn FnMut(&str) -> Option<Shape>,
    faults: &mut Vec<Fault>,
    used: &mut Vec<String>,
) -> Shape {
    Typing { of, faults, used }.expr(expr)
}

struct Typing<'a> {
    of: &'a mut dyn FnMut(&str) -> Option<Shape>,
    faults: &'a mut Vec<Fault>,
    used: &'a mut Vec<String>,
}

impl Typing<'_> {
    fn wrong(&mut self, why: String) -> Shape {
        self.faults.push(Fault::Other(why));
        Shape::Unknown
    }

    fn expr(&mut self, expr: &Expr) -> Shape {
        match expr {
            Expr::Number => Shape::Scalar,
            Expr::Text => Shape::Text,
            Expr::Id(id) => (self.of)(id).unwrap_or_else(|| {
                self.faults.push(Fault::Id(id.clone()));
                Shape::Unknown
            }),
            Expr::Word(word) => self.wrong(format!(
                "unexpected `{word}`: ids must start with a lower-case letter"
            )),
            Expr::Negative(inner) => self.expr(inner),
            Expr::List(items) => {
                for item in items {
                    self.expr(item);
                }
                Shape::Array
            }
            Expr::Both(one, other) => {
                let shapes = (self.expr(one), self.expr(other));
                joined(shapes)
            }
            Expr::Call(name, arguments) => self.call(name, arguments),
        }
    }

    fn call(&mut self, name: &str, arguments: &[Expr]) -> Shape {
        let Some(function) = function(name) else {
            return self.wrong(no_function(name));
        };
        self.used.push(name.to_owned());
        let count = arguments.len();
        if !(function.least..=function.most).contains(&count) {
            let wanted = match (function.least, function.most) {
                (least, usize::MAX) => format!("{least} or more"),
                (least, most) if least == most => least.to_string(),
                (least, most) => format!("{least} to {most}"),
            };
            let arguments = if wanted == "1" {
                "argument"
            } else {
                "arguments"
            };
            return self.wrong(format!("{name} takes {wanted} {arguments}, got {count}"));
        }
        match function.takes {
            Takes::Foreign => Shape::Series,
            Takes::Search => Shape::Array,
            Takes::Metrics => match arguments {
                [] | [Expr::Text] => Shape::Array,
                _ => self.wrong("METRICS takes part of an id, in quotes".to_owned()),
            },
            takes => self.typed(name, takes, arguments),
        }
    }

    fn typed(&mut self, name: &str, takes: Takes, arguments: &[Expr]) -> Shape {
        let Some((first, rest)) = arguments.split_first() else {
            return Shape::Unknown;
        };
        let shape = self.expr(first);
        let accepted: &[Shape] = match takes {
            Takes::Each | Takes::Merge => &[Shape::Series, Shape::Array],
            Takes::Pick | Takes::Count | Takes::Array | Takes::Sorted => &[Shape::Array],
            Takes::Series | Takes::Metric | Takes::Band => &[Shape::Series],
            Takes::Scalar => &[Shape::Scalar],
            _ => &[Shape::Scalar, Shape::Series],
        };
        if shape != Shape::Unknown && !accepted.contains(&shape) {
            return self.wrong(format!(
                "{name} expects {}, got {}",
                words(accepted),
                article(shape)
            ));
        }
        if takes == Takes::Metric && !matches!(first, Expr::Id(_)) {
            return self.wrong(format!(
                "{name} takes a metric, not the result of an expression"
            ));
        }
        self.others(name, rest);
        if let (Takes::Band, [Expr::Negative(_)]) = (takes, rest) {
            return self.wrong(format!("the width of {name} must be above 0"));
        }
        match takes {
            Takes::Each => shape,
            Takes::Merge if shape == Shape::Series => Shape::Scalar,
            Takes::Merge if shape == Shape::Array => Shape::Series,
            Takes::Merge => Shape::Unknown,
            Takes::Metric | Takes::Count => Shape::Scalar,
            Takes::Array | Takes::Band => Shape::Array,
            // A slice from one place to another may be one series.
            Takes::Sorted if name == "SLICE" => Shape::Unknown,
            Takes::Sorted => Shape::Array,
            _ => Shape::Series,
        }
    }

    fn others(&mut self, name: &str, rest: &[Expr]) {
        for (i, argument) in rest.iter().enumerate() {
            let words: &[&str] = match (name, i) {
                ("FILL", 0) => &FILLERS,
                ("SORT", 0) => &SORTED_BY,
                ("SORT", 1) => &ORDERS,
                _ => &[],
            };
            match argument {
                Expr::Word(word) if words.contains(&word.as_str()) => {}
                Expr::Word(word) if !words.is_empty() => {
                    self.wrong(format!(
                        "{name} takes one of {}, not `{word}`",
                        words.join(", ")
                    ));
                }
                _ if name == "SORT" && i < 2 => {
                    self.wrong(format!(
                        "{name} takes one of {} as this argument",
                        words.join(", ")
                    ));
                }
                argument => {
                    self.expr(argument);
                }
            }
        }
    }
}

fn joined(shapes: (Shape, Shape)) -> Shape {
    match shapes {
        (Shape::Unknown, _) | (_, Shape::Unknown) | (Shape::Array, Shape::Array) => Shape::Unknown,
        (Shape::Array, _) | (_, Shape::Array) => Shape::Array,
        (Shape::Series, _) | (_, Shape::Series) => Shape::Series,
        _ => Shape::Scalar,
    }
}

fn article(shape: Shape) -> &'static str {
    match shape {
        Shape::Scalar => "a number",
        Shape::Series => "a time series",
        Shape::Array => "several time series",
        Shape::Text => "a string",
        Shape::Unknown => "unknown",
    }
}

fn words(shapes: &[Shape]) -> String {
    let words: Vec<_> = shapes.iter().map(|shape| article(*shape)).collect();
    words.join(" or ")
}
