//! From text to a tree.

use thiserror::Error;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    Number,
    Text,
    Id(String),
    /// A word in capitals, as `FILL` and `SORT` take them.
    Word(String),
    /// A function, as it is written.
    Call(String, Vec<Expr>),
    /// `[m1, m2]`.
    List(Vec<Expr>),
    /// Two values with an operator between them.
    Both(Box<Expr>, Box<Expr>),
    /// `-m1`.
    Negative(Box<Expr>),
}

/// Deeper nesting is refused: expressions have 2,048 characters, and each level costs stack.
const DEEPEST: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum BadExpression {
    #[error("a closing quote is missing")]
    OpenQuote,
    #[error("unexpected `{0}`")]
    Sign(char),
    #[error("unexpected {0}")]
    Unexpected(Token),
    #[error("unexpected {found}, expected `{wanted}`")]
    Expected { found: Token, wanted: &'static str },
    #[error("`{0}` is missing at the end")]
    Ends(&'static str),
    #[error("a value is missing at the end")]
    NoValue,
    /// There are too many brackets in brackets.
    #[error("too deeply nested")]
    Deep,
}

pub(crate) fn read(text: &str) -> Result<Expr, BadExpression> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        depth: 0,
    };
    let expr = parser.expression()?;
    match parser.peek() {
        None => Ok(expr),
        Some(token) => Err(BadExpression::Unexpected(token.clone())),
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
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
    depth: usize,
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
    fn expression(&mut self) -> Result<Expr, BadExpression> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(BadExpression::Deep);
        }
        let mut values = vec![self.value()?];
        while self.is_operator() {
            self.at += 1;
            values.push(self.value()?);
        }
        self.depth -= 1;
        Ok(balanced(values))
    }

    fn is_operator(&self) -> bool {
        match self.peek() {
            Some(Token::Sign(sign)) => !["(", ")", ",", "[", "]"].contains(&sign.as_str()),
            Some(Token::Name(name)) => name == "AND" || name == "OR",
            _ => false,
        }
    }

    fn value(&mut self) -> Result<Expr, BadExpression> {
        let mut negative = false;
        while self.is("-") || self.is("+") {
            self.at += 1;
            negative = true;
        }
        let value = self.plain()?;
        Ok(match negative {
            true => Expr::Negative(Box::new(value)),
            false => value,
        })
    }

    fn plain(&mut self) -> Result<Expr, BadExpression> {
        let token = self.peek().cloned().ok_or(BadExpression::NoValue)?;
        self.at += 1;
        match token {
            Token::Sign(sign) if sign == "(" => {
                let inner = self.expression()?;
                self.take(")")?;
                Ok(inner)
            }
            Token::Sign(sign) if sign == "[" => Ok(Expr::List(self.list("]")?)),
            Token::Number => Ok(Expr::Number),
            Token::Text => Ok(Expr::Text),
            Token::Name(name) => self.named(name),
            token @ Token::Sign(_) => Err(BadExpression::Unexpected(token)),
        }
    }

    fn named(&mut self, name: String) -> Result<Expr, BadExpression> {
        if self.is("(") {
            self.at += 1;
            return Ok(Expr::Call(name, self.list(")")?));
        }
        Ok(match name.starts_with(|c: char| c.is_ascii_lowercase()) {
            true => Expr::Id(name),
            false => Expr::Word(name),
        })
    }

    fn list(&mut self, end: &'static str) -> Result<Vec<Expr>, BadExpression> {
        let mut items = Vec::new();
        if self.is(end) {
            self.at += 1;
            return Ok(items);
        }
        loop {
            items.push(self.expression()?);
            if self.is(",") {
                self.at += 1;
            } else {
                self.take(end)?;
                return Ok(items);
            }
        }
    }
}

/// Operands as a tree that is as shallow as it can be: a chain may have a thousand of them.
fn balanced(mut values: Vec<Expr>) -> Expr {
    while values.len() > 1 {
        let mut paired = Vec::with_capacity(values.len().div_ceil(2));
        let mut rest = values.into_iter();
        while let Some(first) = rest.next() {
            paired.push(match rest.next() {
                Some(second) => Expr::Both(Box::new(first), Box::new(second)),
                None => first,
            });
        }
        values = paired;
    }
    values.pop().unwrap_or(Expr::Number)
}
