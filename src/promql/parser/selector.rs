//! `metric{label="value", …}` and `{"metric", …}`.

use super::{Parser, Result};
use crate::promql::ast::{
    AtOffset, BinaryOp, Expr, ExprKind, MatchOp, Matcher, Name, Selector, StringLiteral,
};
use crate::promql::error::SyntaxError;
use crate::promql::lexer::{Kind, Token};
use crate::promql::regex;

const METRIC_NAME: &str = "__name__";

impl Parser<'_> {
    /// A selector whose name token, if it has one, is already taken.
    pub(super) fn selector(&mut self, name: Option<Token>) -> Result<Expr> {
        let start = name.map_or(self.token.start, |token| token.start);
        let mut selector = Selector {
            metric: name.map(|token| self.name(token, false)),
            matchers: Vec::new(),
            at: AtOffset::default(),
        };
        if self.at(Kind::LeftBrace) {
            let open = self.bump()?.start;
            self.matchers(&mut selector, open)?;
        }
        Ok(self.finish(ExprKind::Selector(selector), start))
    }

    fn matchers(&mut self, selector: &mut Selector, open: usize) -> Result<()> {
        while !self.at(Kind::RightBrace) {
            self.matcher(selector)?;
            if self.eat(Kind::Comma)? || self.at(Kind::RightBrace) {
                continue;
            }
            return Err(match self.token.kind {
                Kind::End => SyntaxError::new("`{` without `}`", open..open + 1),
                Kind::Name if self.text(self.token).eq_ignore_ascii_case("or") => self
                    .unexpected("`,` or `}`")
                    .help("Prometheus has no `or` between matchers; join values: `a=~\"x|y\"`"),
                _ => self.unexpected("`,` or `}`"),
            });
        }
        self.bump()?;
        Ok(())
    }

    fn matcher(&mut self, selector: &mut Selector) -> Result<()> {
        let quoted = self.at(Kind::String);
        if !quoted && !self.at(Kind::Name) {
            return Err(self.unexpected("a label name or `}`"));
        }
        let token = self.bump()?;
        let label = self.name(token, quoted);
        let op = match self.token.kind {
            Kind::Equal => MatchOp::Equal,
            Kind::Operator(BinaryOp::Ne) => MatchOp::NotEqual,
            Kind::Match => MatchOp::Match,
            Kind::NotMatch => MatchOp::NotMatch,
            _ if quoted => return self.quoted_metric(selector, label, token),
            Kind::Operator(BinaryOp::Eq) => {
                return Err(self
                    .unexpected("`=`, `!=`, `=~` or `!~`")
                    .help("a matcher has a single `=`"));
            }
            _ => return Err(self.unexpected("`=`, `!=`, `=~` or `!~`")),
        };
        self.bump()?;
        let value = self.expect(Kind::String, "a value in quotes")?;
        let matcher = Matcher {
            label,
            op,
            value: self.string(value),
            value_span: value.start..value.end,
            span: token.start..value.end,
        };
        check_matcher(selector, &matcher)?;
        selector.matchers.push(matcher);
        Ok(())
    }

    /// `{"metric"}`: the first quoted name is the metric, a second one must match as well.
    fn quoted_metric(&self, selector: &mut Selector, name: Name, token: Token) -> Result<()> {
        match &selector.metric {
            None => selector.metric = Some(name),
            Some(metric) if !metric.quoted => return Err(named_twice(metric, name.span)),
            Some(_) => selector.matchers.push(Matcher {
                label: Name {
                    text: METRIC_NAME.to_owned(),
                    quoted: false,
                    span: name.span.clone(),
                },
                op: MatchOp::Equal,
                value: StringLiteral {
                    value: name.text,
                    raw: self.text(token).to_owned(),
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
    if matches!(matcher.op, MatchOp::Match | MatchOp::NotMatch) {
        let value = &matcher.value;
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
