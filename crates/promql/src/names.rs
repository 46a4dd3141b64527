//! How operators and names are spelled.

use std::fmt;

use super::ast::{AggregateOp, BinaryOp, Bounds, MatchOp, Name, UnaryOp};
use super::lexer::{Keyword, Kind, quote, word_kind};

/// How tightly an operator binds that a placeholder stands for: as comparisons do, which most of them are.
pub(super) const UNKNOWN: u8 = 3;

impl BinaryOp {
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Mod => "%",
            Self::Pow => "^",
            Self::Atan2 => "atan2",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Gt => ">",
            Self::Lt => "<",
            Self::Ge => ">=",
            Self::Le => "<=",
            Self::TrimUpper => "</",
            Self::TrimLower => ">/",
            Self::And => "and",
            Self::Or => "or",
            Self::Unless => "unless",
        }
    }
}

impl Bounds {
    pub fn word(self) -> &'static str {
        match self {
            Self::Anchored => "anchored",
            Self::Smoothed => "smoothed",
        }
    }
}

impl UnaryOp {
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Minus => "-",
        }
    }
}

impl MatchOp {
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Match => "=~",
            Self::NotMatch => "!~",
        }
    }
}

impl AggregateOp {
    pub const ALL: [Self; 14] = [
        Self::Sum,
        Self::Avg,
        Self::Min,
        Self::Max,
        Self::Count,
        Self::Group,
        Self::Stddev,
        Self::Stdvar,
        Self::Topk,
        Self::Bottomk,
        Self::CountValues,
        Self::Quantile,
        Self::Limitk,
        Self::LimitRatio,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Avg => "avg",
            Self::Min => "min",
            Self::Max => "max",
            Self::Count => "count",
            Self::Group => "group",
            Self::Stddev => "stddev",
            Self::Stdvar => "stdvar",
            Self::Topk => "topk",
            Self::Bottomk => "bottomk",
            Self::CountValues => "count_values",
            Self::Quantile => "quantile",
            Self::Limitk => "limitk",
            Self::LimitRatio => "limit_ratio",
        }
    }
}

impl fmt::Display for BinaryOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

impl fmt::Display for AggregateOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whether the name is letters, digits and `_`, and `:` if `colons`, not starting with a digit.
fn is_word(name: &str, colons: bool) -> bool {
    let byte = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || colons && byte == b':';
    !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.bytes().all(byte)
}

impl Name {
    /// Whether it may stand for any expression where no braces follow: `$x` and `1${zeros}`, but not `vllm:${x}_total`.
    pub(super) fn may_be_expression(&self) -> bool {
        let unknown: usize = self.placeholders.iter().map(|p| p.text.len()).sum();
        let whole = unknown == self.text.len();
        unknown > 0
            && !self.quoted
            && (whole || self.text.starts_with(|c: char| c.is_ascii_digit()))
    }

    /// Whether it must be quoted as a metric name: `{"utf8.name"}`.
    pub(super) fn quoted_metric(&self) -> bool {
        let known = self.placeholders.is_empty();
        let word = || is_word(&self.text, true) && may_name_metric(word_kind(&self.text));
        self.quoted || known && !word()
    }

    /// How it is written as a metric inside braces: a word of PromQL in the form that every release reads.
    pub(super) fn metric_in_braces(&self) -> String {
        let quoted = quote(&self.text);
        match &self.raw {
            Some(raw) => raw.to_string(),
            None if !self.placeholders.is_empty() => self.text.clone(),
            None if !self.quoted && is_word(&self.text, true) => format!("__name__={quoted}"),
            None => quoted,
        }
    }

    /// Whether it must be quoted in front of a matcher's operator.
    pub(super) fn quoted_label(&self) -> bool {
        self.quoted || self.placeholders.is_empty() && !is_word(&self.text, false)
    }

    /// Whether it must be quoted in `by (…)`, `on (…)` and the like.
    pub(super) fn quoted_grouping(&self) -> bool {
        self.quoted_label() || self.placeholders.is_empty() && !may_group(word_kind(&self.text))
    }
}

/// Words that can stand for a metric outside braces.
pub(super) fn may_name_metric(kind: Kind) -> bool {
    match kind {
        Kind::Name | Kind::MetricName | Kind::Aggregate(_) => true,
        Kind::WordOperator(op) => op != BinaryOp::Atan2,
        Kind::Keyword(keyword) => {
            matches!(keyword, Keyword::Offset | Keyword::By | Keyword::Without)
        }
        _ => false,
    }
}

/// Words that can stand for a label in `by (…)`, `on (…)` and the like.
pub(super) fn may_group(kind: Kind) -> bool {
    match kind {
        Kind::Name
        | Kind::MetricName
        | Kind::Aggregate(_)
        | Kind::WordOperator(_)
        | Kind::Placeholder => true,
        Kind::Keyword(keyword) => keyword != Keyword::Without,
        _ => false,
    }
}
