//! Lists of labels: `(a, b)` behind `by`, `on`, `group_left` and the like.

use super::{Parser, Result};
use crate::promql::ast::{Grouping, Name};
use crate::promql::error::SyntaxError;
use crate::promql::lexer::{Keyword, Kind};
use crate::promql::names::may_group;

impl Parser<'_> {
    /// `by (…)` or `without (…)`, if it is there.
    pub(super) fn grouping(&mut self) -> Result<Option<Grouping>> {
        let without = match self.token.kind {
            Kind::Keyword(Keyword::By) => false,
            Kind::Keyword(Keyword::Without) => true,
            _ => return Ok(None),
        };
        self.bump()?;
        let labels = self.grouping_labels()?;
        Ok(Some(Grouping { without, labels }))
    }

    /// `(a, b,)`, possibly empty.
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
        Ok(Some(name))
    }
}
