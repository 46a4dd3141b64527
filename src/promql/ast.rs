//! The PromQL syntax tree: every node knows the bytes it was read from.
//!
//! Trees are also built by hand (`resolve` does); such nodes have an empty span, and the printer adds
//! the parentheses that precedence asks for.

use super::placeholder::Placeholders;
pub use super::span::TextSpan;

/// One expression.
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it is in the query text.
    pub span: TextSpan,
}

/// The forms an expression can take.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `14.4`, `0x1F`, `Inf`, `1h30m` (seconds, as a number).
    Number(Number),
    /// `"text"`.
    String(StringLiteral),
    /// `metric{label="value"} offset 5m @ 0`.
    Selector(Box<Selector>),
    /// `metric[5m]`.
    Range(Box<RangeSelector>),
    /// `expr[1h:5m]`.
    Subquery(Box<Subquery>),
    /// `rate(x[5m])`.
    Call(Box<Call>),
    /// `sum by (job) (x)`.
    Aggregate(Aggregate),
    /// `-x`.
    Unary(UnaryOp, Box<Expr>),
    /// `a + on (x) b`.
    Binary(Box<Binary>),
    /// `a $op on (x) b`.
    Unknown(Box<Unknown>),
    /// `(x)`.
    Paren(Box<Expr>),
    /// `$threshold`: anything at all. With other text around it, a number: `1${zeros}`.
    Placeholder(Name),
    /// What could not be read, and the expressions found in it; only from
    /// [`parse_recovering`](super::parse_recovering).
    Invalid(Vec<Expr>),
}

/// A number and how it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// Its value.
    pub value: f64,
    /// Its spelling, kept so that a printed query shows `0.001` and not a rounded float.
    pub text: String,
}

/// A string literal: decoded value and raw spelling (with quotes).
#[derive(Clone, Debug, PartialEq)]
pub struct StringLiteral {
    /// Decoded bytes as text.
    pub value: String,
    /// Spelling with quotes; empty when built by hand. Only a placeholder can be without quotes.
    pub raw: String,
    /// Placeholders in it, which are also part of `value`.
    pub placeholders: Placeholders,
}

/// A length of time and how it was written (`1h30m`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duration {
    /// Milliseconds; Prometheus resolves no finer. See [`Duration::is_expression`] for arithmetic.
    /// 0 when placeholders leave it open, or when it could not be read.
    pub millis: i64,
    /// Spelling; printed as is.
    pub text: String,
    /// Where it is.
    pub span: TextSpan,
    /// Placeholders in it.
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

/// A name and where it is (metric, label, function).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The decoded name. In one with placeholders escapes may belong to the program that fills them in: it is as
    /// written, with quotes if it has them.
    pub text: String,
    /// True when it must be or was written in quotes (`{"utf8.name"}`).
    pub quoted: bool,
    /// Where it is, with quotes if it has them.
    pub span: TextSpan,
    /// Placeholders in it, which are also part of `text`. The name is unknown if there are any.
    pub placeholders: Placeholders,
    /// Its spelling with quotes, where it holds bytes that are no UTF-8 and `text` cannot.
    pub raw: Option<Box<str>>,
}

/// `metric{matchers} @ t offset d`.
#[derive(Clone, Debug, PartialEq)]
pub struct Selector {
    /// The metric name before the braces or quoted inside; `None` for `{__name__=~"…"}`.
    pub metric: Option<Name>,
    /// The matchers in braces, in the order written, without a quoted metric name.
    pub matchers: Vec<Matcher>,
    /// Placeholders for matchers or lists of them: `{$filters}`. Printed behind the matchers.
    pub filters: Placeholders,
    /// Where the braces are; empty without any.
    pub braces: TextSpan,
    /// Time shift.
    pub at: AtOffset,
}

/// The `offset`, `@`, `anchored` and `smoothed` modifiers of a selector or subquery.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AtOffset {
    /// `offset 5m`; negative durations look ahead.
    pub offset: Option<Duration>,
    /// `@ 1609746000`, `@ start()`, `@ end()`.
    pub at: Option<At>,
    /// Only of selectors.
    pub bounds: Option<Bounds>,
}

/// How values at the ends of a range are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// `anchored`: the sample before each end.
    Anchored,
    /// `smoothed`: between the samples around each end.
    Smoothed,
}

/// What follows `@`.
#[derive(Clone, Debug, PartialEq)]
pub enum At {
    /// A fixed Unix time in seconds.
    Timestamp(Number),
    /// `start()` of the query range.
    Start,
    /// `end()` of the query range.
    End,
    /// `@ $time`.
    Placeholder(Name),
}

/// `label="value"`.
#[derive(Clone, Debug, PartialEq)]
pub struct Matcher {
    /// Label name.
    pub label: Name,
    /// Comparison.
    pub op: MatchOp,
    /// Value or regular expression.
    pub value: StringLiteral,
    /// Where the value is, with its quotes.
    pub value_span: TextSpan,
    /// The whole matcher.
    pub span: TextSpan,
}

/// How a matcher compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchOp {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `=~`, anchored at both ends
    Match,
    /// `!~`, anchored at both ends
    NotMatch,
}

/// `selector[5m]`; the modifiers are in the selector.
#[derive(Clone, Debug, PartialEq)]
pub struct RangeSelector {
    /// The selected series.
    pub selector: Selector,
    /// Look-back.
    pub range: Duration,
}

/// `expr[range:step]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Subquery {
    /// Evaluated at each step.
    pub expr: Box<Expr>,
    /// Look-back.
    pub range: Duration,
    /// Resolution; `None` means the global evaluation interval.
    pub step: Option<Duration>,
    /// Time shift.
    pub at: AtOffset,
}

/// `function(args)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Function name.
    pub function: Name,
    /// Arguments in order.
    pub args: Vec<Expr>,
    /// `$aggregation by (job) (x)`: only if the name is a placeholder; no function has it.
    pub grouping: Option<Grouping>,
}

/// `op by (labels) (param, expr)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    /// Operator.
    pub op: AggregateOp,
    /// `k` of `topk`, the quantile of `quantile`, the label of `count_values`.
    pub param: Option<Box<Expr>>,
    /// What is aggregated.
    pub expr: Box<Expr>,
    /// `by` or `without`; `None` aggregates everything into one element.
    pub grouping: Option<Grouping>,
}

/// Aggregation operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AggregateOp {
    /// `sum`
    Sum,
    /// `avg`
    Avg,
    /// `min`
    Min,
    /// `max`
    Max,
    /// `count`
    Count,
    /// `group`: 1 for each group.
    Group,
    /// `stddev`
    Stddev,
    /// `stdvar`
    Stdvar,
    /// `topk`: the largest elements, with their labels.
    Topk,
    /// `bottomk`: the smallest ones.
    Bottomk,
    /// `count_values`: how many elements have each value, in a label.
    CountValues,
    /// `quantile`: of the elements' values.
    Quantile,
    /// `limitk`: some elements, always the same.
    Limitk,
    /// `limit_ratio`: a part of the elements, always the same.
    LimitRatio,
}

/// `by (a, b)` or `without (a, b)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grouping {
    /// True for `without`.
    pub without: bool,
    /// Labels in the order written.
    pub labels: Vec<Name>,
    /// `sum(x) $by`: the only label is a placeholder for the whole clause.
    pub clause: bool,
}

/// `+x` and `-x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `+x`
    Plus,
    /// `-x`
    Minus,
}

/// A binary operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Binary {
    /// Operator.
    pub op: BinaryOp,
    /// Where the operator is.
    pub op_span: TextSpan,
    /// Left side.
    pub lhs: Expr,
    /// Right side.
    pub rhs: Expr,
    /// `bool` behind a comparison.
    pub bool_modifier: bool,
    /// `on`/`ignoring` with `group_left`/`group_right`.
    pub matching: Option<Matching>,
    /// `fill (0)`, `fill_left (0)`, `fill_right (0)`.
    pub fill: Option<Box<Fill>>,
}

/// The values of series that the other side has no partner for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fill {
    /// On the left side.
    pub left: Option<Number>,
    /// On the right side.
    pub right: Option<Number>,
}

/// An operation whose operator is a placeholder.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    /// The placeholder.
    pub operator: Name,
    /// Left side.
    pub lhs: Expr,
    /// Right side.
    pub rhs: Expr,
    /// `bool` behind it.
    pub bool_modifier: bool,
    /// `on`/`ignoring` with `group_left`/`group_right`.
    pub matching: Option<Matching>,
}

/// Binary operators, in PromQL's spelling order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
    /// `^`
    Pow,
    /// `atan2`
    Atan2,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `>`
    Gt,
    /// `<`
    Lt,
    /// `>=`
    Ge,
    /// `<=`
    Le,
    /// `</`: the observations of a histogram below a value.
    TrimUpper,
    /// `>/`: those above it.
    TrimLower,
    /// `and`
    And,
    /// `or`
    Or,
    /// `unless`
    Unless,
}

/// Vector matching of a binary operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matching {
    /// True for `on`, false for `ignoring`.
    pub on: bool,
    /// The labels in parentheses.
    pub labels: Vec<Name>,
    /// `a / $on b`: the only label is a placeholder for the whole clause.
    pub clause: bool,
    /// `group_left (…)` or `group_right (…)`.
    pub group: Option<GroupModifier>,
}

/// The many side of a many-to-one match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupModifier {
    /// True for `group_left`.
    pub left: bool,
    /// Labels copied from the one side.
    pub include: Vec<Name>,
}
