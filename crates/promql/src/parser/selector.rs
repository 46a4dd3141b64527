//! `metric{label="value", …}` and `{"metric", …}`.

use super::{Parser, Result};
use crate::ast::{
    AtOffset, BinaryOp, Expr, ExprKind, MatchOp, Matcher, Name, Selector, StringLiteral,
};
use crate::error::SyntaxError;
use crate::lexer::{Kind, Token, decode};
use crate::placeholder::Placeholders;
use crate::regex;

const METRIC_NAME: &str = "__name__";

impl Parser<'_> {
    pub(super) fn selector(&mut self, name: Option<Token>) -> Result<Expr> {
        let start = name.map_or(self.token.start, |token| token.start);
        let mut selector = Selector {
            metric: name.map(|token| self.name(token, false)),
            matchers: Vec::new(),
            filters: Placeholders::default(),
            braces: 0..0,
            at: AtOffset::default(),
        };
        if self.at(Kind::LeftBrace) {
            let open = self.bump()?.start;
            selector.matchers.reserve(2);
            self.matchers(&mut selector, open)?;
            selector.braces = open..self.end;
        }
        Ok(self.finish(ExprKind::Selector(Box::new(selector)), start))
    }

    fn matchers(&mut self, selector: &mut Selector, open: usize) -> Result<()> {
        while !self.at(Kind::RightBrace) {
            let count = selector.matchers.len();
            let filter = self.matcher(selector)?;
            if self.eat(Kind::Comma)? || self.at(Kind::RightBrace) {
                continue;
            }
            // A placeholder may stand for its commas, too.
            if filter || self.at(Kind::Placeholder) {
                continue;
            }
            let error = match self.token.kind {
                Kind::End => SyntaxError::new("`{` without `}`", open..open + 1),
                Kind::Name if self.text(self.token).eq_ignore_ascii_case("or") => self
                    .unexpected("`,` or `}`")
                    .help("Prometheus has no `or` between matchers; join values: `a=~\"x|y\"`"),
                _ => self.unexpected("`,` or `}`"),
            };
            self.unclosed(error)?;
            if !self.next_matcher(selector.matchers.len() > count)? {
                return Ok(());
            }
        }
        self.bump()?;
        Ok(())
    }

    /// Reads a matcher, a quoted metric name, or a placeholder for matchers, and says whether there was one.
    fn matcher(&mut self, selector: &mut Selector) -> Result<bool> {
        let quoted = self.at(Kind::String);
        if !quoted && !matches!(self.token.kind, Kind::Name | Kind::Placeholder) {
            self.report(self.unexpected("a label name or `}`"))?;
            return Ok(false);
        }
        let token = self.bump()?;
        let label = self.name(token, quoted);
        let op = match self.token.kind {
            Kind::Equal => MatchOp::Equal,
            Kind::Operator(BinaryOp::Ne) => MatchOp::NotEqual,
            Kind::Match => MatchOp::Match,
            Kind::NotMatch => MatchOp::NotMatch,
            _ if quoted => return self.quoted_metric(selector, label, token).map(|()| false),
            _ if token.kind == Kind::Placeholder && self.is_pure(token) => {
                selector.filters.extend(&label.placeholders);
                return Ok(true);
            }
            kind => {
                let mut error = self.unexpected("`=`, `!=`, `=~` or `!~`");
                if kind == Kind::Operator(BinaryOp::Eq) {
                    error = error.help("a matcher has a single `=`");
                }
                return self.report(error).map(|()| false);
            }
        };
        self.bump()?;
        self.value(selector, label, op).map(|()| false)
    }

    fn value(&mut self, selector: &mut Selector, label: Name, op: MatchOp) -> Result<()> {
        let value = match self.token.kind {
            // `${job:doublequote}` brings its quotes along.
            Kind::Placeholder if self.is_pure(self.token) => self.bump()?,
            Kind::String => self.bump()?,
            _ => return self.report(self.unexpected("a value in quotes")),
        };
        let matcher = Matcher {
            op,
            value: self.string(value),
            value_span: value.start..value.end,
            span: label.span.start..value.end,
            label,
        };
        if let Err(error) = check_matcher(selector, &matcher) {
            self.report(error)?;
        }
        selector.matchers.push(matcher);
        Ok(())
    }

    fn quoted_metric(&mut self, selector: &mut Selector, name: Name, token: Token) -> Result<()> {
        match &selector.metric {
            None => selector.metric = Some(name),
            Some(metric) if !metric.quoted => self.report(named_twice(metric, name.span))?,
            Some(_) => selector.matchers.push(Matcher {
                label: Name {
                    text: METRIC_NAME.to_owned(),
                    quoted: false,
                    span: name.span.clone(),
                    placeholders: Placeholders::default(),
                    raw: None,
                },
                op: MatchOp::Equal,
                value: StringLiteral {
                    value: decode(self.text(token)),
                    raw: self.text(token).to_owned(),
                    placeholders: name.placeholders,
                },
                value_span: name.span.clone(),
                span: name.span,
            }),
        }
        Ok(())
    }
}

fn check_matcher(selector: &Selector, matcher: &Matcher) -> Result<()> {
    if let Some(metric) = selector.metric.as_ref().filter(|metric| !metric.quoted)
        && matcher.label.text == METRIC_NAME
    {
        return Err(named_twice(metric, matcher.span.clone()));
    }
    let value = &matcher.value;
    let pattern = matches!(matcher.op, MatchOp::Match | MatchOp::NotMatch);
    // Whatever a pattern lacks, its placeholders may bring.
    if pattern && value.placeholders.is_empty() {
        regex::check(&value.value)
            .map_err(|problem| problem.in_literal(&value.raw, &value.value, &matcher.value_span))?;
    }
    Ok(())
}

fn named_twice(metric: &Name, span: std::ops::Range<usize>) -> SyntaxError {
    SyntaxError::new(
        format!("the metric name is already `{}`", metric.text),
        span,
    )
}
