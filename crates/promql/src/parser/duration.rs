//! Durations behind `[` and `offset`, and the arithmetic on them that is behind a feature flag.
//!
//! A duration expression becomes a [`Duration`] whose text is the expression; its value is folded
//! where it does not depend on the query (`step()`, `range()`).

use super::{Parser, Result};
use crate::ast::{BinaryOp, Duration};
use crate::error::SyntaxError;
use crate::lexer::{Kind, LONGEST_MILLIS};
use crate::room::with_room;

struct Folded {
    text: String,
    /// Seconds; `None` when only the query knows.
    seconds: Option<f64>,
}

const EXPECTED: &str = "a duration";

/// Prometheus counts nanoseconds in 64 bits.
const LONGEST_SECONDS: f64 = (1u64 << 63) as f64 / 1e9;

impl Parser<'_> {
    pub(super) fn duration_expr(&mut self) -> Result<Duration> {
        let start = self.token.start;
        let folded = self.duration_sum(BinaryOp::Add.precedence())?;
        self.folded_duration(folded, start)
    }

    /// What follows `offset`: one literal or function, with a sign at most.
    ///
    /// Only behind `(` or a second sign does arithmetic belong to the offset.
    pub(super) fn offset_duration(&mut self) -> Result<Duration> {
        let start = self.token.start;
        if self.at(Kind::LeftParen) {
            return self.duration_expr();
        }
        let sign = self.sign();
        if sign.is_some() {
            self.bump()?;
        }
        let folded = if sign.is_some() && self.sign().is_some() {
            let operand = self.duration_sum(BinaryOp::Pow.precedence())?;
            self.duration_operators(signed(sign, operand), 0)?
        } else {
            signed(sign, self.duration_atom()?)
        };
        self.folded_duration(folded, start)
    }

    fn folded_duration(&mut self, folded: Folded, start: usize) -> Result<Duration> {
        let millis = folded.seconds.unwrap_or(0.0) * 1000.0;
        let span = start.min(self.end)..self.end;
        let mut duration = Duration {
            millis: millis.round() as i64,
            text: folded.text,
            placeholders: self.placeholders_in(&span),
            span,
        };
        if millis.abs() > LONGEST_MILLIS as f64 {
            // Prometheus looks at the value of an expression only when it evaluates it.
            duration.millis = 0;
        }
        Ok(duration)
    }

    fn sign(&self) -> Option<BinaryOp> {
        match self.token.kind {
            Kind::Operator(op @ (BinaryOp::Add | BinaryOp::Sub)) => Some(op),
            _ => None,
        }
    }

    fn duration_sum(&mut self, loosest: u8) -> Result<Folded> {
        self.enter()?;
        let sign = self.sign();
        let lhs = if sign.is_some() {
            self.bump()?;
            let operand = with_room(|| self.duration_sum(BinaryOp::Pow.precedence()))?;
            signed(sign, operand)
        } else {
            self.duration_atom()?
        };
        self.depth -= 1;
        self.duration_operators(lhs, loosest)
    }

    fn duration_operators(&mut self, mut lhs: Folded, loosest: u8) -> Result<Folded> {
        while let Kind::Operator(op) = self.token.kind {
            let precedence = op.precedence();
            if precedence < loosest || precedence < BinaryOp::Add.precedence() {
                break;
            }
            let token = self.bump()?;
            let tighter = precedence + u8::from(!op.right_associative());
            let rhs = with_room(|| self.duration_sum(tighter))?;
            if divides_by_zero(op, &rhs) {
                let span = token.start..token.end;
                self.report(SyntaxError::new("division by zero", span))?;
            }
            lhs = fold(op, lhs, &rhs);
        }
        Ok(lhs)
    }

    fn duration_atom(&mut self) -> Result<Folded> {
        match self.token.kind {
            Kind::Number | Kind::Duration => {
                let token = self.bump()?;
                let number = self.number(token);
                if number.value > LONGEST_SECONDS {
                    let span = token.start..token.end;
                    self.report(SyntaxError::new("the duration is out of range", span))?;
                }
                Ok(Folded {
                    text: number.text,
                    seconds: Some(number.value),
                })
            }
            Kind::LeftParen => {
                self.bump()?;
                let inner = with_room(|| self.duration_sum(0))?;
                self.expect(Kind::RightParen, "`)`")?;
                Ok(Folded {
                    text: format!("({})", inner.text),
                    ..inner
                })
            }
            Kind::Placeholder => {
                let token = self.bump()?;
                Ok(Folded {
                    text: self.text(token).to_owned(),
                    seconds: None,
                })
            }
            Kind::Name => self.duration_function(),
            _ => self.no_duration(),
        }
    }

    fn no_duration(&mut self) -> Result<Folded> {
        self.report(self.unexpected(EXPECTED))?;
        if self.at(Kind::Bad) {
            self.bump()?;
        }
        Ok(Folded {
            text: String::new(),
            seconds: None,
        })
    }

    /// `step()`, `range()`, `min_of(a, b)` and `max_of(a, b)`.
    fn duration_function(&mut self) -> Result<Folded> {
        let word = self.text(self.token).to_ascii_lowercase();
        let choose: fn(f64, f64) -> f64 = match &*word {
            "step" | "range" => f64::max,
            "min_of" => f64::min,
            "max_of" => f64::max,
            _ => return self.no_duration(),
        };
        self.bump()?;
        self.expect(Kind::LeftParen, "`(`")?;
        if matches!(&*word, "step" | "range") {
            self.expect(Kind::RightParen, "`)`")?;
            return Ok(Folded {
                text: format!("{word}()"),
                seconds: None,
            });
        }
        let first = with_room(|| self.duration_sum(0))?;
        self.expect(Kind::Comma, "`,`")?;
        let second = with_room(|| self.duration_sum(0))?;
        self.expect(Kind::RightParen, "`)`")?;
        Ok(Folded {
            text: format!("{word}({}, {})", first.text, second.text),
            seconds: first.seconds.zip(second.seconds).map(|(a, b)| choose(a, b)),
        })
    }
}

fn signed(sign: Option<BinaryOp>, folded: Folded) -> Folded {
    match sign {
        Some(BinaryOp::Sub) if !folded.text.is_empty() => Folded {
            text: format!("-{}", folded.text),
            seconds: folded.seconds.map(|seconds| -seconds),
        },
        Some(_) if !folded.text.is_empty() => Folded {
            text: format!("+{}", folded.text),
            ..folded
        },
        _ => folded,
    }
}

fn divides_by_zero(op: BinaryOp, rhs: &Folded) -> bool {
    let literal = !rhs.text.contains([')', ' ']);
    matches!(op, BinaryOp::Div | BinaryOp::Mod) && literal && rhs.seconds == Some(0.0)
}

/// The left side grows in place: a chain may be long.
fn fold(op: BinaryOp, lhs: Folded, rhs: &Folded) -> Folded {
    let apply = |(a, b): (f64, f64)| match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div => a / b,
        BinaryOp::Mod => a % b,
        _ => a.powf(b),
    };
    let seconds = lhs.seconds.zip(rhs.seconds).map(apply);
    let mut text = lhs.text;
    text.extend([" ", op.symbol(), " ", &rhs.text]);
    Folded { text, seconds }
}
