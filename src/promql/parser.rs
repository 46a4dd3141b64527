//! Tokens to syntax tree: recursive descent, with operators by precedence.
//!
//! Nothing here looks further ahead than the current token.

mod aggregate;
mod duration;
mod operators;
mod primary;
mod selector;
mod time;

use super::ast::{Expr, ExprKind, Name, TextSpan};
use super::check;
use super::error::SyntaxError;
use super::lexer::{Keyword, Kind, Lexer, Token, decode};
use super::names::may_group;

type Result<T> = std::result::Result<T, SyntaxError>;

/// Parentheses, calls and signs may nest this deep, and so may any tree.
///
/// Every later walk over a tree recurses, so this guards all of them; real queries stay under 30.
const DEEPEST: u32 = 100;

/// Chains such as `a or b or c or …` lean to the left and cost less stack per level.
const TALLEST: u32 = 300;

/// Reads one expression and checks its types, with Prometheus 3's verdicts.
///
/// Functions behind a feature flag are accepted; [`experimental`](super::experimental) lists them.
///
/// # Errors
///
/// The first thing wrong with the query, and where.
pub fn parse(text: &str) -> Result<Expr> {
    let expr = parse_untyped(text)?;
    check::check(&expr)?;
    Ok(expr)
}

/// [`parse`] without the type check.
pub(super) fn parse_untyped(text: &str) -> Result<Expr> {
    let mut parser = Parser::new(text)?;
    if parser.token.kind == Kind::End {
        return Err(SyntaxError::new("empty query", 0..text.len()));
    }
    let expr = parser.expr(0)?;
    match parser.token.kind {
        Kind::End => Ok(expr),
        Kind::RightParen => Err(SyntaxError::new(
            "`)` without `(`",
            parser.token.start..parser.token.end,
        )),
        _ => Err(parser.unexpected("an operator or the end of the query")),
    }
}

struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    /// The current token, not yet taken.
    token: Token,
    /// Where the token taken last ends.
    end: usize,
    /// How many [`Parser::expr`] calls are open.
    depth: u32,
    /// Levels of the expression returned last.
    height: u32,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Result<Self> {
        let mut lexer = Lexer::new(text);
        let token = lexer.next()?;
        Ok(Self {
            text,
            lexer,
            token,
            end: 0,
            depth: 0,
            height: 0,
        })
    }

    /// Takes the current token.
    fn bump(&mut self) -> Result<Token> {
        let taken = self.token;
        self.end = taken.end;
        self.token = self.lexer.next()?;
        Ok(taken)
    }

    fn at(&self, kind: Kind) -> bool {
        self.token.kind == kind
    }

    fn at_keyword(&self, keyword: Keyword) -> bool {
        self.token.kind == Kind::Keyword(keyword)
    }

    /// Takes the current token if it is a `kind`.
    fn eat(&mut self, kind: Kind) -> Result<bool> {
        let found = self.at(kind);
        if found {
            self.bump()?;
        }
        Ok(found)
    }

    fn expect(&mut self, kind: Kind, expected: &str) -> Result<Token> {
        if self.at(kind) {
            self.bump()
        } else {
            Err(self.unexpected(expected))
        }
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
            span: start..self.end,
        }
    }

    /// Counts one more level above the expression returned last.
    fn grow(&mut self, other: u32) -> Result<()> {
        self.height = self.height.max(other) + 1;
        if self.height > TALLEST {
            return Err(self.too_deep());
        }
        Ok(())
    }

    fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.too_deep());
        }
        Ok(())
    }

    fn too_deep(&self) -> SyntaxError {
        SyntaxError::new("query is nested too deeply", self.span())
    }

    /// A label in parentheses behind `by`, `on`, `group_left` and the like.
    fn grouping_label(&mut self) -> Result<Name> {
        let quoted = self.at(Kind::String);
        if !quoted && !may_group(self.token.kind) {
            return Err(self.unexpected("a label name"));
        }
        let token = self.bump()?;
        let name = self.name(token, quoted);
        if name.text.is_empty() {
            return Err(SyntaxError::new("empty label name", name.span));
        }
        Ok(name)
    }

    fn name(&self, token: Token, quoted: bool) -> Name {
        let text = self.text(token);
        Name {
            text: if quoted {
                decode(text)
            } else {
                text.to_owned()
            },
            quoted,
            span: token.start..token.end,
        }
    }

    /// `(a, b,)`, possibly empty.
    fn grouping_labels(&mut self) -> Result<Vec<Name>> {
        self.expect(Kind::LeftParen, "`(` and label names")?;
        let mut labels = Vec::new();
        while !self.at(Kind::RightParen) {
            labels.push(self.grouping_label()?);
            if !self.eat(Kind::Comma)? && !self.at(Kind::RightParen) {
                return Err(self.unexpected("`,` or `)`"));
            }
        }
        self.bump()?;
        Ok(labels)
    }
}

#[cfg(test)]
mod tests;
