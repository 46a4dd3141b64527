//! What shifts and widens a selector in time: `[5m]`, `[1h:5m]`, `offset`, `@`.

use super::{Parser, Result};
use crate::promql::ast::{
    At, AtOffset, BinaryOp, Duration, Expr, ExprKind, Number, RangeSelector, Subquery,
};
use crate::promql::error::SyntaxError;
use crate::promql::lexer::Kind;

impl Parser<'_> {
    /// `[5m]` or `[1h:5m]` behind `expr`, which starts at `start`.
    pub(super) fn brackets(&mut self, expr: Expr, start: usize) -> Result<Expr> {
        let open = self.bump()?.start;
        let range = self.positive_duration()?;
        if self.eat(Kind::Colon)? {
            let step = match self.token.kind {
                Kind::RightBracket => None,
                _ => Some(self.positive_duration()?),
            };
            self.expect(Kind::RightBracket, "a step or `]`")?;
            self.grow(0)?;
            let subquery = Subquery {
                expr: Box::new(expr),
                range,
                step,
                at: AtOffset::default(),
            };
            return Ok(self.finish(ExprKind::Subquery(subquery), start));
        }
        self.expect(Kind::RightBracket, "`]` or `:`")?;
        let span = open..self.end;
        match expr.kind {
            ExprKind::Selector(selector) if selector.at == AtOffset::default() => {
                let range = RangeSelector { selector, range };
                Ok(self.finish(ExprKind::Range(range), start))
            }
            ExprKind::Selector(_) => Err(SyntaxError::new(
                "a range must stand before `offset` and `@`",
                span,
            )
            .help("write `metric[5m] offset 1h`")),
            _ => Err(SyntaxError::new("only a selector can have a range", span)
                .help("a subquery has a colon: `[5m:]`")),
        }
    }

    fn positive_duration(&mut self) -> Result<Duration> {
        let duration = self.duration_expr()?;
        if duration.millis <= 0 && !duration.is_expression() && !is_tiny(&duration) {
            return Err(SyntaxError::new(
                "a range must be greater than 0",
                duration.span,
            ));
        }
        Ok(duration)
    }

    /// `offset 5m` behind `expr`.
    pub(super) fn offset(&mut self, mut expr: Expr) -> Result<Expr> {
        let keyword = self.bump()?;
        let offset = self.offset_duration()?;
        let Some(at) = shift(&mut expr) else {
            return Err(not_shiftable("offset", keyword.start..keyword.end));
        };
        if at.offset.is_some() {
            return Err(SyntaxError::new(
                "the offset is set twice",
                keyword.start..self.end,
            ));
        }
        at.offset = Some(offset);
        expr.span.end = self.end;
        Ok(expr)
    }

    /// `@ 1609746000`, `@ start()` or `@ end()` behind `expr`.
    pub(super) fn at_time(&mut self, mut expr: Expr) -> Result<Expr> {
        let sign = self.bump()?;
        let time = self.time()?;
        let Some(at) = shift(&mut expr) else {
            return Err(not_shiftable("@", sign.start..sign.end));
        };
        if at.at.is_some() {
            return Err(SyntaxError::new(
                "the time is set twice",
                sign.start..self.end,
            ));
        }
        at.at = Some(time);
        expr.span.end = self.end;
        Ok(expr)
    }

    fn time(&mut self) -> Result<At> {
        const EXPECTED: &str = "a timestamp, `start()` or `end()`";
        if self.at(Kind::Name) {
            let time = match self.text(self.token) {
                word if word.eq_ignore_ascii_case("start") => At::Start,
                word if word.eq_ignore_ascii_case("end") => At::End,
                _ => return Err(self.unexpected(EXPECTED)),
            };
            self.bump()?;
            self.expect(Kind::LeftParen, "`()`")?;
            self.expect(Kind::RightParen, "`)`")?;
            return Ok(time);
        }
        let negative = self.at(Kind::Operator(BinaryOp::Sub));
        if negative || self.at(Kind::Operator(BinaryOp::Add)) {
            self.bump()?;
        }
        if !matches!(self.token.kind, Kind::Number | Kind::Duration) {
            return Err(self.unexpected(EXPECTED));
        }
        let token = self.bump()?;
        let Number { value, text } = self.number(token);
        // Prometheus keeps milliseconds in 64 bits, but compares the seconds.
        if !value.is_finite() || value >= i64::MAX as f64 {
            let span = token.start..token.end;
            return Err(SyntaxError::new("the timestamp is out of bounds", span));
        }
        Ok(At::Timestamp(if negative {
            Number {
                value: -value,
                text: format!("-{text}"),
            }
        } else {
            Number { value, text }
        }))
    }
}

/// `foo[0.0001]`: Prometheus counts nanoseconds, so this is not zero.
fn is_tiny(duration: &Duration) -> bool {
    duration.millis == 0
        && duration
            .text
            .parse()
            .is_ok_and(|seconds: f64| seconds > 0.0)
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
