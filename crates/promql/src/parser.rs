//! Tokens to syntax tree: recursive descent, with operators by precedence.
//!
//! Nothing here looks further ahead than the current token.

mod aggregate;
mod duration;
mod labels;
mod operators;
mod primary;
mod recover;
mod selector;
mod time;

use super::ast::{Expr, ExprKind, Name, TextSpan};
use super::check;
use super::error::SyntaxError;
use super::lexer::{Keyword, Kind, Lexer, Token, decode, is_lossy};
use super::placeholder::{Dialect, Placeholders};
use super::room::LEVELS;
use crate::ast::Call;

type Result<T> = std::result::Result<T, SyntaxError>;

/// Reads one expression and checks its types, with Prometheus 3's verdicts.
///
/// Functions behind a feature flag are accepted; [`experimental`](super::experimental) lists them.
pub fn parse(text: &str) -> Result<Expr> {
    parse_with(text, Dialect::Prometheus)
}

/// [`parse`] of a query with placeholders, which may stand for anything that fits.
///
/// Spans are those of the text given, placeholders and all.
pub fn parse_with(text: &str, dialect: Dialect) -> Result<Expr> {
    let expr = parse_untyped(text, dialect)?;
    check::check(&expr)?;
    Ok(expr)
}

/// [`parse_with`] without the type check: a tree for what has the form of a query.
pub fn parse_untyped(text: &str, dialect: Dialect) -> Result<Expr> {
    Parser::new(text, dialect, false)?.query()
}

/// The offset of the first token that does not belong to the expression that the text begins with, or the end;
/// `None` when the text begins with no expression. Types are not checked.
pub fn reach(text: &str, dialect: Dialect) -> Option<usize> {
    let mut parser = Parser::new(text, dialect, false).ok()?;
    parser.expr(0).ok()?;
    match parser.token.kind {
        Kind::End => Some(text.len()),
        _ => Some(parser.token.start),
    }
}

/// As much of a query as can be read, and all that is wrong with it, in the order of the text.
///
/// Without errors the tree is that of [`parse_with`]. With errors it holds every selector that is
/// intact; [`ExprKind::Invalid`] replaces expressions that could not be put together. There is no tree
/// for an empty query and for one that is nested too deeply.
pub fn parse_recovering(text: &str, dialect: Dialect) -> (Option<Expr>, Vec<SyntaxError>) {
    let mut parser = match Parser::new(text, dialect, true) {
        Ok(parser) => parser,
        Err(error) => return (None, vec![error]),
    };
    let found = parser.query();
    let cut = parser.cut;
    let mut errors = parser.errors;
    let expr = match found {
        Ok(expr) => Some(expr),
        Err(error) => {
            errors.push(error);
            None
        }
    };
    errors.sort_by_key(|error| error.span.start);
    if let Some(expr) = &expr {
        let mut wrong = check::check_all(expr);
        if cut && !wrong.is_empty() {
            let closed = recover::closed(text);
            wrong.retain(|error| closed[error.span.end]);
        }
        let own = wrong.into_iter();
        let own: Vec<_> = own.filter(|error| !holds_one(&errors, error)).collect();
        errors.extend(own);
        errors.sort_by_key(|error| error.span.start);
    }
    (expr, errors)
}

/// Whether what is wrong with a type follows from a mistake in its text.
fn holds_one(syntax: &[SyntaxError], error: &SyntaxError) -> bool {
    let first = syntax.partition_point(|other| other.span.start < error.span.start);
    let next = syntax.get(first);
    next.is_some_and(|other| other.span.start < error.span.end)
}

struct Parser<'a> {
    text: &'a str,
    dialect: Dialect,
    lexer: Lexer<'a>,
    recovering: bool,
    errors: Vec<SyntaxError>,
    token: Token,
    /// Where the token taken last ends.
    end: usize,
    /// How many [`Parser::expr`] calls are open.
    depth: u32,
    /// Levels of the expression returned last.
    height: u32,
    /// Where reading went on behind braces or brackets without their end, which is told.
    resumed: Option<usize>,
    /// Whether the text breaks off, which is told: that nothing follows is no further mistake.
    cut: bool,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, dialect: Dialect, recovering: bool) -> Result<Self> {
        let start = Token {
            kind: Kind::End,
            start: 0,
            end: 0,
        };
        let mut parser = Self {
            text,
            dialect,
            lexer: Lexer::new(text, dialect),
            recovering,
            errors: Vec::new(),
            token: start,
            end: 0,
            depth: 0,
            height: 0,
            resumed: None,
            cut: false,
        };
        parser.bump()?;
        Ok(parser)
    }

    fn query(&mut self) -> Result<Expr> {
        if self.token.kind == Kind::End {
            return Err(SyntaxError::new("empty query", 0..self.text.len()));
        }
        let expr = self.expr(0)?;
        let error = match self.token.kind {
            Kind::End => return Ok(expr),
            Kind::RightParen => SyntaxError::new("`)` without `(`", self.span()),
            _ => self.unexpected("an operator or the end of the query"),
        };
        self.strays(expr, &[], error)
    }

    fn bump(&mut self) -> Result<Token> {
        let taken = self.token;
        self.end = taken.end;
        self.token = match self.lexer.next() {
            Ok(token) => token,
            Err(error) => self.bad_token(taken.end, error)?,
        };
        Ok(taken)
    }

    fn at(&self, kind: Kind) -> bool {
        self.token.kind == kind
    }

    fn at_keyword(&self, keyword: Keyword) -> bool {
        self.token.kind == Kind::Keyword(keyword)
    }

    fn eat(&mut self, kind: Kind) -> Result<bool> {
        let found = self.at(kind);
        if found {
            self.bump()?;
        }
        Ok(found)
    }

    /// Takes a token of that kind; in recovery, nothing may be there, and nothing is taken then.
    fn expect(&mut self, kind: Kind, expected: &str) -> Result<Token> {
        if self.at(kind) {
            return self.bump();
        }
        self.report(self.unexpected(expected))?;
        Ok(Token {
            kind: Kind::Bad,
            start: self.end,
            end: self.end,
        })
    }

    fn text(&self, token: Token) -> &'a str {
        &self.text[token.start..token.end]
    }

    fn span(&self) -> TextSpan {
        self.token.start..self.token.end
    }

    fn unexpected(&self, expected: &str) -> SyntaxError {
        let found = match self.token.kind {
            Kind::End => "end of query".to_owned(),
            _ => format!("`{}`", self.text(self.token)),
        };
        SyntaxError::new(
            format!("unexpected {found}, expected {expected}"),
            self.span(),
        )
    }

    /// An expression from `start` to the last token taken.
    fn finish(&self, kind: ExprKind, start: usize) -> Expr {
        Expr {
            kind,
            // A missing operand leaves nothing behind its own start.
            span: start.min(self.end)..self.end,
        }
    }

    /// Counts one more level above the expression returned last.
    fn grow(&mut self, other: u32) -> Result<()> {
        self.height = self.height.max(other) + 1;
        if self.height > LEVELS {
            return Err(self.too_deep());
        }
        Ok(())
    }

    fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > LEVELS {
            return Err(self.too_deep());
        }
        Ok(())
    }

    fn too_deep(&self) -> SyntaxError {
        SyntaxError::too_deep(self.span())
    }

    fn placeholders(&self, token: Token) -> Placeholders {
        self.placeholders_in(&(token.start..token.end))
    }

    fn placeholders_in(&self, span: &TextSpan) -> Placeholders {
        match self.dialect {
            Dialect::Prometheus => Placeholders::default(),
            dialect => Placeholders::find(&self.text[span.clone()], span.start, dialect),
        }
    }

    fn name(&self, token: Token, quoted: bool) -> Name {
        let text = self.text(token);
        let placeholders = self.placeholders(token);
        let decoded = quoted && placeholders.is_empty();
        Name {
            text: match decoded {
                true => decode(text),
                false => text.to_owned(),
            },
            quoted,
            span: token.start..token.end,
            placeholders,
            raw: (decoded && is_lossy(text)).then(|| text.into()),
        }
    }
}

impl Parser<'_> {
    fn placeholder(&mut self, token: Token) -> Result<Expr> {
        match self.token.kind {
            Kind::LeftParen | Kind::Keyword(Keyword::By | Keyword::Without) => {
                self.unknown_call(token)
            }
            Kind::LeftBrace | Kind::LeftBracket | Kind::At | Kind::Keyword(Keyword::Offset) => {
                self.selector(Some(token))
            }
            _ => match self.name(token, false) {
                name if name.may_be_expression() => {
                    Ok(self.finish(ExprKind::Placeholder(name), token.start))
                }
                _ => self.selector(Some(token)),
            },
        }
    }

    fn is_pure(&self, token: Token) -> bool {
        let placeholders = self.placeholders(token);
        let length = token.end - token.start;
        placeholders.iter().map(|p| p.span.len()).sum::<usize>() == length
    }

    /// `$aggregation by (job) (x)` or `$function(x)`.
    fn unknown_call(&mut self, token: Token) -> Result<Expr> {
        let function = self.name(token, false);
        let mut grouping = self.grouping()?;
        if !self.at(Kind::LeftParen) {
            return self.missing(self.unexpected("`(` and arguments"));
        }
        let args = self.arguments()?;
        if grouping.is_none() {
            grouping = self.grouping()?;
        }
        let call = Call {
            function,
            args,
            grouping,
        };
        Ok(self.finish(ExprKind::Call(Box::new(call)), token.start))
    }
}

#[cfg(test)]
mod tests;
