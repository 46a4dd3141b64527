//! Metric math: what an expression refers to, and whether it can be read at all.
//!
//! `FILL(bad, 0) / all` uses the ids `bad` and `all` and the function `FILL`; `bad /` lacks a value at its end.

use thiserror::Error;

/// What an expression uses.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// Ids of other entries.
    pub(super) ids: Vec<String>,
    /// Functions, in capitals.
    pub(super) functions: Vec<String>,
    /// True for a Metrics Insights query.
    pub(super) select: bool,
}

/// Functions that work in an alarm.
const FUNCTIONS: &[&str] = &[
    "ABS",
    "ANOMALY_DETECTION_BAND",
    "AVG",
    "CEIL",
    "DATAPOINT_COUNT",
    "DATE",
    "DAY",
    "DIFF",
    "DIFF_TIME",
    "EPOCH",
    "FILL",
    "FIRST",
    "FLOOR",
    "HOUR",
    "IF",
    "INSIGHT_RULE_METRIC",
    "LAST",
    "LOG",
    "LOG10",
    "MAX",
    "METRIC_COUNT",
    "METRICS",
    "MIN",
    "MINUTE",
    "MONTH",
    "PERIOD",
    "RATE",
    "REMOVE_EMPTY",
    "RUNNING_SUM",
    "SERVICE_QUOTA",
    "SLICE",
    "SORT",
    "STDDEV",
    "SUM",
    "TIME_SERIES",
    "YEAR",
];

/// Functions that only a graph may use, and why.
const GRAPH_ONLY: &[(&str, &str)] = &[
    (
        "SEARCH",
        "its result changes with the metrics that there are",
    ),
    (
        "DATAPOINT_COUNT",
        "an alarm fetches more points than it evaluates",
    ),
    (
        "RUNNING_SUM",
        "an alarm fetches more points than it evaluates",
    ),
    (
        "REMOVE_EMPTY",
        "an alarm fetches more points than it evaluates",
    ),
];

/// Why a function cannot be in an alarm.
pub(super) fn unsupported(function: &str) -> Option<String> {
    if let Some((_, why)) = GRAPH_ONLY.iter().find(|(name, _)| *name == function) {
        return Some(format!("{function} cannot be used in an alarm: {why}"));
    }
    (!FUNCTIONS.contains(&function)).then(|| {
        let help = crate::diag::did_you_mean(function, FUNCTIONS.iter().copied());
        let help = help.map(|help| format!(": {help}")).unwrap_or_default();
        format!("there is no function {function}{help}")
    })
}

/// Why an expression cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum BadExpression {
    /// A text has no end.
    #[error("a text without its closing quote")]
    OpenQuote,
    /// A sign that no expression has.
    #[error("unexpected `{0}`")]
    Sign(char),
    /// Something is where nothing may be.
    #[error("unexpected {0}")]
    Unexpected(Token),
    /// Something else is wanted there.
    #[error("unexpected {found}, expected `{wanted}`")]
    Expected { found: Token, wanted: &'static str },
    /// It ends too early.
    #[error("`{0}` is missing at the end")]
    Ends(&'static str),
    /// It ends where a value should be.
    #[error("a value is missing at the end")]
    NoValue,
}

/// Reads an expression.
///
/// # Errors
/// Says where it cannot be read.
pub(super) fn read(text: &str) -> Result<Usage, BadExpression> {
    let start = text.trim_start();
    if start
        .get(..6)
        .is_some_and(|word| word.eq_ignore_ascii_case("select"))
    {
        return Ok(Usage {
            select: true,
            ..Usage::default()
        });
    }
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        usage: Usage::default(),
    };
    parser.expression()?;
    match parser.peek() {
        None => Ok(parser.usage),
        Some(token) => Err(BadExpression::Unexpected(token.clone())),
    }
}

/// A part of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Name(String),
    Number,
    Text,
    Sign(String),
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::Name(name) => write!(f, "`{name}`"),
            Token::Number => f.write_str("number"),
            Token::Text => f.write_str("text"),
            Token::Sign(sign) => write!(f, "`{sign}`"),
        }
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, BadExpression> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(c) = rest.chars().next() {
        let (token, length) = match c {
            '"' | '\'' => {
                let end = rest[1..].find(c).ok_or(BadExpression::OpenQuote)?;
                (Token::Text, end + 2)
            }
            c if c.is_ascii_digit() || c == '.' => (
                Token::Number,
                span(rest, |c| c.is_ascii_digit() || c == '.'),
            ),
            c if c.is_ascii_alphabetic() || c == '_' => {
                let length = span(rest, |c| c.is_ascii_alphanumeric() || c == '_');
                (Token::Name(rest[..length].to_owned()), length)
            }
            _ => {
                let two = ["==", "!=", "<=", ">=", "&&", "||"];
                let two = two.into_iter().find(|sign| rest.starts_with(sign));
                let one = "+-*/^<>(),[]".contains(c);
                let length = match two {
                    Some(sign) => sign.len(),
                    None if one => 1,
                    None => return Err(BadExpression::Sign(c)),
                };
                (Token::Sign(rest[..length].to_owned()), length)
            }
        };
        found.push(token);
        rest = rest[length..].trim_start();
    }
    Ok(found)
}

fn span(text: &str, fits: impl Fn(char) -> bool) -> usize {
    text.find(|c| !fits(c)).unwrap_or(text.len())
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    usage: Usage,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(Token::Sign(found)) if found == sign)
    }

    fn take(&mut self, sign: &'static str) -> Result<(), BadExpression> {
        if self.is(sign) {
            self.at += 1;
            return Ok(());
        }
        match self.peek() {
            Some(found) => Err(BadExpression::Expected {
                found: found.clone(),
                wanted: sign,
            }),
            None => Err(BadExpression::Ends(sign)),
        }
    }

    /// Values with operators between them; which binds tighter does not matter here.
    fn expression(&mut self) -> Result<(), BadExpression> {
        self.value()?;
        loop {
            let operator = match self.peek() {
                Some(Token::Sign(sign)) => !["(", ")", ",", "[", "]"].contains(&sign.as_str()),
                Some(Token::Name(name)) => name == "AND" || name == "OR",
                _ => false,
            };
            if !operator {
                return Ok(());
            }
            self.at += 1;
            self.value()?;
        }
    }

    fn value(&mut self) -> Result<(), BadExpression> {
        match self.peek().cloned() {
            Some(Token::Sign(sign)) if sign == "-" || sign == "+" => {
                self.at += 1;
                self.value()
            }
            Some(Token::Sign(sign)) if sign == "(" => {
                self.at += 1;
                self.expression()?;
                self.take(")")
            }
            Some(Token::Sign(sign)) if sign == "[" => {
                self.at += 1;
                self.list("]")
            }
            Some(Token::Number | Token::Text) => {
                self.at += 1;
                Ok(())
            }
            Some(Token::Name(name)) => {
                self.at += 1;
                self.named(name)
            }
            Some(token) => Err(BadExpression::Unexpected(token)),
            None => Err(BadExpression::NoValue),
        }
    }

    fn named(&mut self, name: String) -> Result<(), BadExpression> {
        if self.is("(") {
            self.at += 1;
            self.usage.functions.push(name.to_ascii_uppercase());
            return self.list(")");
        }
        // The words that FILL and SORT take are in capitals, as no id is.
        if name.starts_with(|c: char| c.is_ascii_lowercase()) {
            self.usage.ids.push(name);
        }
        Ok(())
    }

    fn list(&mut self, end: &'static str) -> Result<(), BadExpression> {
        if self.is(end) {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.expression()?;
            if self.is(",") {
                self.at += 1;
            } else {
                return self.take(end);
            }
        }
    }
}
