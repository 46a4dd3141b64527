//! What shifts and widens a selector in time: `[5m]`, `[1h:5m]`, `offset`, `@`.

use super::{Parser, Result};
use crate::ast::{
    At, AtOffset, BinaryOp, Bounds, Duration, Expr, ExprKind, Number, RangeSelector, Subquery,
};
use crate::error::SyntaxError;
use crate::lexer::Kind;

impl Parser<'_> {
    /// `[5m]` or `[1h:5m]` behind `expr`, which starts at `start`.
    pub(super) fn brackets(&mut self, mut expr: Expr, start: usize) -> Result<Expr> {
        let open = self.bump()?.start;
        let range = self.positive_duration()?;
        if self.eat(Kind::Colon)? {
            let step = match self.token.kind {
                Kind::RightBracket => None,
                _ => Some(self.positive_duration()?),
            };
            self.close_bracket("a step or `]`")?;
            self.grow(0)?;
            let subquery = Subquery {
                expr: Box::new(expr),
                range,
                step,
                at: AtOffset::default(),
            };
            return Ok(self.finish(ExprKind::Subquery(Box::new(subquery)), start));
        }
        self.close_bracket("`]` or `:`")?;
        let span = open..self.end;
        match expr.take() {
            ExprKind::Selector(selector) if !is_shifted(&selector.at) => {
                let selector = *selector;
                let range = Box::new(RangeSelector { selector, range });
                Ok(self.finish(ExprKind::Range(range), start))
            }
            ExprKind::Selector(selector) => {
                let error = SyntaxError::new("a range must come before `offset` and `@`", span);
                self.report(error.help("write `metric[5m] offset 1h`"))?;
                let selector = *selector;
                let range = Box::new(RangeSelector { selector, range });
                Ok(self.finish(ExprKind::Range(range), start))
            }
            kind => {
                expr.kind = kind;
                let error = SyntaxError::new("only a selector can have a range", span);
                self.report(error.help("a subquery has a colon: `[5m:]`"))?;
                self.grow(0)?;
                Ok(self.finish(ExprKind::Invalid(vec![expr]), start))
            }
        }
    }

    fn positive_duration(&mut self) -> Result<Duration> {
        let duration = self.duration_expr()?;
        let known = duration.placeholders.is_empty() && !duration.text.is_empty();
        if duration.millis <= 0 && known && !duration.is_expression() && !is_tiny(&duration) {
            let span = duration.span.clone();
            self.report(SyntaxError::new("a range must be greater than 0", span))?;
        }
        Ok(duration)
    }

    pub(super) fn offset(&mut self, mut expr: Expr) -> Result<Expr> {
        let keyword = self.bump()?;
        let offset = self.offset_duration()?;
        expr.span.end = self.end;
        match shift(&mut expr) {
            None => self.report(not_shiftable("offset", keyword.start..keyword.end))?,
            Some(at) if at.offset.as_ref().is_some_and(|offset| !is_zero(offset)) => {
                let span = keyword.start..self.end;
                self.report(SyntaxError::new("the offset is set twice", span))?;
            }
            // In recovery, there may be none.
            Some(at) => at.offset = Some(offset).filter(|offset| !offset.text.is_empty()),
        }
        Ok(expr)
    }

    pub(super) fn bounds(&mut self, mut expr: Expr, bounds: Bounds) -> Result<Expr> {
        let word = self.bump()?;
        let span = word.start..word.end;
        expr.span.end = self.end;
        let subquery = matches!(expr.kind, ExprKind::Subquery(_));
        match shift(&mut expr).filter(|_| !subquery) {
            None => {
                let message = format!("`{}` must follow a selector or a range", bounds.word());
                self.report(SyntaxError::new(message, span))?;
            }
            Some(at) if at.bounds.is_some_and(|other| other != bounds) => {
                let message = "`anchored` and `smoothed` exclude each other";
                self.report(SyntaxError::new(message, span))?;
            }
            Some(at) => at.bounds = Some(bounds),
        }
        Ok(expr)
    }

    pub(super) fn at_time(&mut self, mut expr: Expr) -> Result<Expr> {
        let sign = self.bump()?;
        let time = self.time()?;
        expr.span.end = self.end;
        match shift(&mut expr) {
            None => self.report(not_shiftable("@", sign.start..sign.end))?,
            Some(at) if at.at.is_some() => {
                let span = sign.start..self.end;
                self.report(SyntaxError::new("the time is set twice", span))?;
            }
            Some(at) => at.at = time,
        }
        Ok(expr)
    }

    fn time(&mut self) -> Result<Option<At>> {
        const EXPECTED: &str = "a timestamp, `start()` or `end()`";
        if self.at(Kind::Name) {
            let time = match self.text(self.token) {
                word if word.eq_ignore_ascii_case("start") => At::Start,
                word if word.eq_ignore_ascii_case("end") => At::End,
                _ => return self.report(self.unexpected(EXPECTED)).map(|()| None),
            };
            self.bump()?;
            self.expect(Kind::LeftParen, "`()`")?;
            self.expect(Kind::RightParen, "`)`")?;
            return Ok(Some(time));
        }
        if self.at(Kind::Placeholder) {
            let token = self.bump()?;
            return Ok(Some(At::Placeholder(self.name(token, false))));
        }
        let negative = self.at(Kind::Operator(BinaryOp::Sub));
        if negative || self.at(Kind::Operator(BinaryOp::Add)) {
            self.bump()?;
        }
        if !matches!(self.token.kind, Kind::Number | Kind::Duration) {
            self.report(self.unexpected(EXPECTED))?;
            return Ok(None);
        }
        let token = self.bump()?;
        let Number { value, text } = self.number(token);
        // Prometheus keeps milliseconds in 64 bits, but compares the seconds.
        if !value.is_finite() || value >= i64::MAX as f64 {
            let span = token.start..token.end;
            self.report(SyntaxError::new("the timestamp is out of bounds", span))?;
        }
        Ok(Some(At::Timestamp(if negative {
            Number {
                value: -value,
                text: format!("-{text}"),
            }
        } else {
            Number { value, text }
        })))
    }
}

/// `foo[0.0001]`: Prometheus counts nanoseconds, so this is not zero.
fn is_tiny(duration: &Duration) -> bool {
    let seconds = duration.text.parse();
    duration.millis == 0 && seconds.is_ok_and(|seconds: f64| seconds > 0.0)
}

/// Whether an offset moves nothing: Prometheus takes another one behind it, or a range.
fn is_zero(offset: &Duration) -> bool {
    let tiny = |seconds: f64| seconds.is_nan() || (seconds * 1e9).round() != 0.0;
    let known = offset.placeholders.is_empty() && !offset.is_expression();
    known && offset.millis == 0 && !offset.text.parse().is_ok_and(tiny)
}

fn is_shifted(at: &AtOffset) -> bool {
    at.at.is_some() || at.offset.as_ref().is_some_and(|offset| !is_zero(offset))
}

/// Where the shift of an expression is kept, if it can have one.
fn shift(expr: &mut Expr) -> Option<&mut AtOffset> {
    match &mut expr.kind {
        ExprKind::Selector(selector) => Some(&mut selector.at),
        ExprKind::Range(range) => Some(&mut range.selector.at),
        ExprKind::Subquery(subquery) => Some(&mut subquery.at),
        _ => None,
    }
}

fn not_shiftable(what: &str, span: std::ops::Range<usize>) -> SyntaxError {
    SyntaxError::new(
        format!("`{what}` must follow a selector, a range or a subquery"),
        span,
    )
    .help("put it inside, behind each metric")
}
