//! Lists of labels: `(a, b)` behind `by`, `on`, `group_left` and the like.

use super::{Parser, Result};
use crate::ast::{BinaryOp, Grouping, Name};
use crate::error::SyntaxError;
use crate::lexer::{Keyword, Kind};
use crate::names::may_group;

impl Parser<'_> {
    pub(super) fn grouping(&mut self) -> Result<Option<Grouping>> {
        let without = match self.token.kind {
            Kind::Keyword(Keyword::By) => false,
            Kind::Keyword(Keyword::Without) => true,
            _ => return Ok(None),
        };
        self.bump()?;
        let labels = self.grouping_labels()?;
        Ok(Some(Grouping {
            without,
            labels,
            clause: false,
        }))
    }

    /// Whether the placeholder here is the clause of `sum $by (x)`.
    pub(super) fn at_clause_in_front(&self) -> bool {
        let behind = self.text[self.token.end..].trim_start();
        behind.starts_with('(') && self.is_pure(self.token)
    }

    /// Whether the placeholder here is the clause of `sum(x) $by`, because no operand follows it.
    fn at_clause_behind(&self) -> bool {
        let mut lexer = self.lexer.clone();
        self.at(Kind::Placeholder)
            && self.is_pure(self.token)
            && lexer.next().is_ok_and(|next| match next.kind {
                Kind::Operator(op) => !matches!(op, BinaryOp::Add | BinaryOp::Sub),
                Kind::WordOperator(_) | Kind::End | Kind::RightParen | Kind::Comma => true,
                Kind::Keyword(keyword) => keyword == Keyword::Offset,
                _ => false,
            })
    }

    /// `by (…)`, `without (…)` or a placeholder for it in front of what is aggregated.
    pub(super) fn leading_grouping(&mut self) -> Result<Option<Grouping>> {
        match self.at(Kind::Placeholder) && self.at_clause_in_front() {
            true => self.clause().map(Some),
            false => self.grouping(),
        }
    }

    /// The same behind it.
    pub(super) fn trailing_grouping(&mut self) -> Result<Option<Grouping>> {
        match self.at_clause_behind() {
            true => self.clause().map(Some),
            false => self.grouping(),
        }
    }

    fn clause(&mut self) -> Result<Grouping> {
        let token = self.bump()?;
        Ok(Grouping {
            without: false,
            labels: vec![self.name(token, false)],
            clause: true,
        })
    }

    pub(super) fn grouping_labels(&mut self) -> Result<Vec<Name>> {
        if !self.at(Kind::LeftParen) {
            self.report(self.unexpected("`(` and label names"))?;
            return self.bare_label();
        }
        self.bump()?;
        let mut labels = Vec::new();
        while !self.at(Kind::RightParen) {
            labels.extend(self.grouping_label()?);
            if !self.eat(Kind::Comma)? && !self.at(Kind::RightParen) {
                self.report(self.unexpected("`,` or `)`"))?;
                if !self.skip_to_label()? {
                    return Ok(labels);
                }
            }
        }
        self.bump()?;
        Ok(labels)
    }

    /// The label of `by job (x)`, which lacks its parentheses.
    fn bare_label(&mut self) -> Result<Vec<Name>> {
        Ok(match self.token.kind {
            Kind::Name | Kind::Placeholder => self.grouping_label()?.into_iter().collect(),
            _ => Vec::new(),
        })
    }

    /// Finds the next label behind an error; false where the list seems to end without `)`.
    fn skip_to_label(&mut self) -> Result<bool> {
        loop {
            match self.token.kind {
                Kind::RightParen => return Ok(true),
                Kind::Comma => {
                    self.bump()?;
                    return Ok(true);
                }
                Kind::Bad | Kind::Number | Kind::Duration | Kind::Equal | Kind::Colon => {
                    self.bump()?;
                }
                kind if kind == Kind::String || may_group(kind) => return Ok(true),
                _ => return Ok(false),
            }
        }
    }

    fn grouping_label(&mut self) -> Result<Option<Name>> {
        let quoted = self.at(Kind::String);
        if !quoted && !may_group(self.token.kind) {
            self.report(self.unexpected("a label name"))?;
            return Ok(None);
        }
        let token = self.bump()?;
        let name = self.name(token, quoted);
        if name.text.is_empty() {
            self.report(SyntaxError::new("empty label name", name.span.clone()))?;
        }
        if name.raw.is_some() {
            let message = "a label name must be UTF-8 where series are grouped or matched";
            self.report(SyntaxError::new(message, name.span.clone()))?;
        }
        Ok(Some(name))
    }
}
