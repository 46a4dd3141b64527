//! Short words to build queries by hand.
//!
//! ```
//! use slosmith_promql::ast::{AggregateOp, BinaryOp, MatchOp};
//! use slosmith_promql::build::{aggregate, binary, call, metric, number, range};
//!
//! let errors = metric("http_requests_total").matcher("code", MatchOp::Match, "5..");
//! let rate = call("rate", [range(errors, "5m")]);
//! let sum = aggregate(AggregateOp::Sum, &["job"], rate);
//! let query = binary(BinaryOp::Gt, sum, number("0.01"));
//! assert_eq!(
//!     slosmith_promql::ast::Expr::from(query).to_string(),
//!     r#"sum by (job) (rate(http_requests_total{code=~"5.."}[5m])) > 0.01"#,
//! );
//! ```
//!
//! Nothing is checked here: print the tree and [`parse`](super::parse) it back.

use super::ast::{
    Aggregate, AggregateOp, AtOffset, Binary, BinaryOp, Call, Duration, Expr, ExprKind,
    GroupModifier, Grouping, MatchOp, Matcher, Matching, Name, Number, RangeSelector, Selector,
    StringLiteral, Subquery,
};
use super::lexer::{duration_millis, number_value};
use super::placeholder::Placeholders;

impl From<ExprKind> for Expr {
    fn from(kind: ExprKind) -> Self {
        Self { kind, span: 0..0 }
    }
}

impl From<Selector> for Expr {
    fn from(selector: Selector) -> Self {
        ExprKind::Selector(Box::new(selector)).into()
    }
}

impl From<Binary> for Expr {
    fn from(binary: Binary) -> Self {
        ExprKind::Binary(Box::new(binary)).into()
    }
}

impl From<&str> for StringLiteral {
    fn from(value: &str) -> Self {
        Self {
            value: value.to_owned(),
            raw: String::new(),
            placeholders: Placeholders::default(),
        }
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            quoted: false,
            span: 0..0,
            placeholders: Placeholders::default(),
            raw: None,
        }
    }
}

fn names<S: AsRef<str>>(names: &[S]) -> Vec<Name> {
    names.iter().map(|name| name.as_ref().into()).collect()
}

/// A number in the spelling given; a duration is one, too. Text that is no number has the value NaN.
pub fn number(text: impl Into<String>) -> Expr {
    let text = text.into();
    let unsigned = text.strip_prefix('-').unwrap_or(&text);
    let seconds = || duration_millis(unsigned).map(|millis| millis as f64 / 1000.0);
    let value = number_value(unsigned).or_else(seconds).unwrap_or(f64::NAN);
    let negative = unsigned.len() < text.len();
    let value = if negative { -value } else { value };
    ExprKind::Number(Number { value, text }).into()
}

pub fn string(value: &str) -> Expr {
    ExprKind::String(value.into()).into()
}

/// A selector of all series of a metric; quoted when printed if the name needs it.
pub fn metric(name: &str) -> Selector {
    Selector {
        metric: Some(name.into()),
        matchers: Vec::new(),
        filters: Placeholders::default(),
        braces: 0..0,
        at: AtOffset::default(),
    }
}

impl Selector {
    #[must_use]
    pub fn matcher(mut self, label: &str, op: MatchOp, value: &str) -> Self {
        self.matchers.push(Matcher {
            label: label.into(),
            op,
            value: value.into(),
            value_span: 0..0,
            span: 0..0,
        });
        self
    }

    /// With each of these matchers too: label, operator, value.
    #[must_use]
    pub fn with_matchers<'m>(
        self,
        matchers: impl IntoIterator<Item = &'m (String, MatchOp, String)>,
    ) -> Self {
        let matchers = matchers.into_iter();
        matchers.fold(self, |selector, (label, op, value)| {
            selector.matcher(label, *op, value)
        })
    }

    #[must_use]
    pub fn offset(mut self, offset: impl Into<Duration>) -> Self {
        self.at.offset = Some(offset.into());
        self
    }
}

pub fn range(selector: Selector, range: impl Into<Duration>) -> Expr {
    ExprKind::Range(Box::new(RangeSelector {
        selector,
        range: range.into(),
    }))
    .into()
}

pub fn subquery(expr: impl Into<Expr>, range: impl Into<Duration>, step: Option<Duration>) -> Expr {
    ExprKind::Subquery(Box::new(Subquery {
        expr: Box::new(expr.into()),
        range: range.into(),
        step,
        at: AtOffset::default(),
    }))
    .into()
}

pub fn call<E: Into<Expr>>(function: &str, args: impl IntoIterator<Item = E>) -> Expr {
    ExprKind::Call(Box::new(Call {
        function: function.into(),
        args: args.into_iter().map(Into::into).collect(),
        grouping: None,
    }))
    .into()
}

/// `op by (labels) (expr)`; without labels, `op (expr)`.
pub fn aggregate<S: AsRef<str>>(op: AggregateOp, by: &[S], expr: impl Into<Expr>) -> Expr {
    let grouping = (!by.is_empty()).then(|| Grouping {
        without: false,
        labels: names(by),
        clause: false,
    });
    ExprKind::Aggregate(Aggregate {
        op,
        param: None,
        expr: Box::new(expr.into()),
        grouping,
    })
    .into()
}

/// `op by (labels) (param, expr)`: `topk(1, expr)`, `count_values by (cluster) ("value", expr)`.
pub fn aggregate_with<S: AsRef<str>>(
    op: AggregateOp,
    param: Expr,
    by: &[S],
    expr: impl Into<Expr>,
) -> Expr {
    let mut made = aggregate(op, by, expr);
    if let ExprKind::Aggregate(aggregate) = &mut made.kind {
        aggregate.param = Some(Box::new(param));
    }
    made
}

/// `max without (labels) (expr)`: the same series if these labels have one value.
pub fn max_without<S: AsRef<str>>(labels: &[S], expr: impl Into<Expr>) -> Expr {
    let mut made = aggregate(AggregateOp::Max, labels, expr);
    if let ExprKind::Aggregate(Aggregate {
        grouping: Some(grouping),
        ..
    }) = &mut made.kind
    {
        grouping.without = true;
    }
    made
}

/// `min by (labels) (expr)`; see [`aggregate`].
pub fn min<S: AsRef<str>>(by: &[S], expr: impl Into<Expr>) -> Expr {
    aggregate(AggregateOp::Min, by, expr)
}

/// `lhs op rhs`; the methods of [`Binary`] add modifiers.
pub fn binary(op: BinaryOp, lhs: impl Into<Expr>, rhs: impl Into<Expr>) -> Binary {
    Binary {
        op,
        op_span: 0..0,
        lhs: lhs.into(),
        rhs: rhs.into(),
        bool_modifier: false,
        matching: None,
        fill: None,
    }
}

impl Binary {
    #[must_use]
    pub fn with_bool(mut self) -> Self {
        self.bool_modifier = true;
        self
    }

    #[must_use]
    pub fn on<S: AsRef<str>>(self, labels: &[S]) -> Self {
        self.with_matching(true, labels)
    }

    #[must_use]
    pub fn ignoring<S: AsRef<str>>(self, labels: &[S]) -> Self {
        self.with_matching(false, labels)
    }

    /// Lets many series on the left match one on the right, and copies these labels from it.
    ///
    /// The modifier needs `on` or `ignoring` in the text; `ignoring ()` changes nothing.
    #[must_use]
    pub fn group_left<S: AsRef<str>>(mut self, include: &[S]) -> Self {
        let matching = self.matching.get_or_insert_with(|| Matching {
            on: false,
            labels: Vec::new(),
            clause: false,
            group: None,
        });
        matching.group = Some(GroupModifier {
            left: true,
            include: names(include),
        });
        self
    }

    fn with_matching<S: AsRef<str>>(mut self, on: bool, labels: &[S]) -> Self {
        let group = self.matching.take().and_then(|matching| matching.group);
        self.matching = Some(Matching {
            on,
            labels: names(labels),
            clause: false,
            group,
        });
        self
    }
}

pub fn paren(expr: impl Into<Expr>) -> Expr {
    ExprKind::Paren(Box::new(expr.into())).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_read_like_the_code() {
        let side = |code: &str| {
            let selector = metric("http_requests_total")
                .matcher("job", MatchOp::Equal, "api")
                .matcher("code", MatchOp::Match, code)
                .offset("1h");
            aggregate(
                AggregateOp::Sum,
                &["job", "le x"],
                call("rate", [range(selector, "5m")]),
            )
        };
        let ratio = binary(BinaryOp::Div, side("5.."), side(".*"))
            .on(&["job"])
            .group_left::<&str>(&[]);
        let query: Expr = binary(BinaryOp::Gt, ratio, number("1e-3")).into();
        assert_eq!(
            query.to_string(),
            "sum by (job, \"le x\") (rate(http_requests_total{job=\"api\", code=~\"5..\"}[5m] offset 1h)) \
             / on (job) group_left \
             sum by (job, \"le x\") (rate(http_requests_total{job=\"api\", code=~\".*\"}[5m] offset 1h)) \
             > 1e-3"
        );
        let back = crate::parse(&query.to_string()).unwrap();
        assert_eq!(back.to_string(), query.to_string());
    }

    #[test]
    fn parentheses_come_by_themselves() {
        let sum = || binary(BinaryOp::Add, number("1"), number("2"));
        let query: Expr = binary(BinaryOp::Mul, sum(), paren(sum())).into();
        assert_eq!(query.to_string(), "(1 + 2) * (1 + 2)");
        assert_eq!(subquery(sum(), "1h", None).to_string(), "(1 + 2)[1h:]");
    }
}
