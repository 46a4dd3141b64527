//! The PromQL syntax tree: every node knows the bytes it was read from.
//!
//! Trees are also built by hand (`resolve` does); such nodes have an empty span, and the printer adds
//! the parentheses that precedence asks for.

use std::ops::Range;

use super::placeholder::Placeholders;

/// Bytes of the query text a node was read from; empty for nodes built by hand.
pub type TextSpan = Range<usize>;

pub struct Expr {
    pub kind: ExprKind,
    pub span: TextSpan,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `14.4`, `0x1F`, `Inf`, `1h30m` (seconds, as a number).
    Number(Number),
    /// `"text"`.
    String(StringLiteral),
    /// `metric{label="value"} offset 5m @ 0`.
    Selector(Box<Selector>),
    Range(Box<RangeSelector>),
    Subquery(Box<Subquery>),
    Call(Box<Call>),
    Aggregate(Aggregate),
    Unary(UnaryOp, Box<Expr>),
    Binary(Box<Binary>),
    Unknown(Box<Unknown>),
    Paren(Box<Expr>),
    /// `$threshold`: anything at all. With other text around it, a number: `1${zeros}`.
    Placeholder(Name),
    /// What could not be read, and the expressions found in it; only from
    /// [`parse_recovering`](super::parse_recovering).
    Invalid(Vec<Expr>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    pub value: f64,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StringLiteral {
    pub value: String,
    /// Spelling with quotes; empty when built by hand. Only a placeholder can be without quotes.
    pub raw: String,
    pub placeholders: Placeholders,
}

/// A length of time and how it was written (`1h30m`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duration {
    /// Milliseconds; Prometheus resolves no finer. See [`Duration::is_expression`] for arithmetic.
    /// 0 when placeholders leave it open, or when it could not be read.
    pub millis: i64,
    pub text: String,
    pub span: TextSpan,
    pub placeholders: Placeholders,
}

impl Duration {
    /// A length of time that a placeholder stands for.
    pub fn placeholder(text: &str) -> Self {
        Self {
            millis: 0,
            text: text.to_owned(),
            span: TextSpan::default(),
            placeholders: Placeholders::default(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The decoded name. In one with placeholders escapes may belong to the program that fills them in: it is as
    /// written, with quotes if it has them.
    pub text: String,
    /// True when it must be or was written in quotes (`{"utf8.name"}`).
    pub quoted: bool,
    pub span: TextSpan,
    /// Placeholders in it, which are also part of `text`. The name is unknown if there are any.
    pub placeholders: Placeholders,
    /// Its spelling with quotes, where it holds bytes that are no UTF-8 and `text` cannot.
    pub raw: Option<Box<str>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Selector {
    pub metric: Option<Name>,
    pub matchers: Vec<Matcher>,
    /// Placeholders for matchers or lists of them: `{$filters}`. Printed behind the matchers.
    pub filters: Placeholders,
    pub braces: TextSpan,
    pub at: AtOffset,
}

/// The `offset`, `@`, `anchored` and `smoothed` modifiers of a selector or subquery.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AtOffset {
    pub offset: Option<Duration>,
    pub at: Option<At>,
    /// Only of selectors.
    pub bounds: Option<Bounds>,
}

/// How values at the ends of a range are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    Anchored,
    /// `smoothed`: between the samples around each end.
    Smoothed,
}

/// What follows `@`.
#[derive(Clone, Debug, PartialEq)]
pub enum At {
    Timestamp(Number),
    Start,
    End,
    Placeholder(Name),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Matcher {
    pub label: Name,
    pub op: MatchOp,
    pub value: StringLiteral,
    pub value_span: TextSpan,
    pub span: TextSpan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchOp {
    Equal,
    NotEqual,
    /// `=~`, anchored at both ends
    Match,
    /// `!~`, anchored at both ends
    NotMatch,
}

impl MatchOp {
    /// The operator that takes what this one does not.
    pub fn opposite(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Match => Self::NotMatch,
            Self::NotMatch => Self::Match,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct RangeSelector {
    pub selector: Selector,
    pub range: Duration,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Subquery {
    pub expr: Box<Expr>,
    pub range: Duration,
    pub step: Option<Duration>,
    pub at: AtOffset,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub function: Name,
    pub args: Vec<Expr>,
    pub grouping: Option<Grouping>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    pub op: AggregateOp,
    /// `k` of `topk`, the quantile of `quantile`, the label of `count_values`.
    pub param: Option<Box<Expr>>,
    pub expr: Box<Expr>,
    pub grouping: Option<Grouping>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AggregateOp {
    Sum,
    Avg,
    Min,
    Max,
    Count,
    /// `group`: 1 for each group.
    Group,
    Stddev,
    Stdvar,
    /// `topk`: the largest elements, with their labels.
    Topk,
    /// `bottomk`: the smallest ones.
    Bottomk,
    /// `count_values`: how many elements have each value, in a label.
    CountValues,
    Quantile,
    /// `limitk`: some elements, always the same.
    Limitk,
    /// `limit_ratio`: a part of the elements, always the same.
    LimitRatio,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grouping {
    pub without: bool,
    pub labels: Vec<Name>,
    pub clause: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    Plus,
    Minus,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Binary {
    pub op: BinaryOp,
    pub op_span: TextSpan,
    pub lhs: Expr,
    pub rhs: Expr,
    pub bool_modifier: bool,
    pub matching: Option<Matching>,
    pub fill: Option<Box<Fill>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fill {
    pub left: Option<Number>,
    pub right: Option<Number>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    pub operator: Name,
    pub lhs: Expr,
    pub rhs: Expr,
    pub bool_modifier: bool,
    pub matching: Option<Matching>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Pow,
    Atan2,
    Eq,
    Ne,
    Gt,
    Lt,
    Ge,
    Le,
    TrimUpper,
    /// `>/`: those above it.
    TrimLower,
    And,
    Or,
    Unless,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matching {
    pub on: bool,
    pub labels: Vec<Name>,
    /// `a / $on b`: the only label is a placeholder for the whole clause.
    pub clause: bool,
    pub group: Option<GroupModifier>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupModifier {
    pub left: bool,
    pub include: Vec<Name>,
}
