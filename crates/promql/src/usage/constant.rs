//! Constants: numbers, and arithmetic on them.

use std::borrow::Cow;

use num_rational::Ratio;
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub, Zero};

use crate::ast::{Binary, BinaryOp, Expr, ExprKind, Number, UnaryOp};
use crate::room::with_room;

pub type Exact = Ratio<i128>;

/// The value of an expression of plain numbers with `+ - * /`, if it can be had without rounding.
///
/// Numbers are what their decimal spelling says, not the nearest double.
pub fn exact_constant(expr: &Expr) -> Option<Exact> {
    match &expr.kind {
        ExprKind::Number(number) => exact(number),
        ExprKind::Paren(inner) | ExprKind::Unary(UnaryOp::Plus, inner) => {
            with_room(|| exact_constant(inner))
        }
        ExprKind::Unary(UnaryOp::Minus, inner) => {
            Exact::zero().checked_sub(&with_room(|| exact_constant(inner))?)
        }
        ExprKind::Binary(binary) if is_arithmetic(binary) => {
            // The right side of a long chain is short.
            let b = with_room(|| exact_constant(&binary.rhs))?;
            let a = with_room(|| exact_constant(&binary.lhs))?;
            match binary.op {
                BinaryOp::Add => a.checked_add(&b),
                BinaryOp::Sub => a.checked_sub(&b),
                BinaryOp::Mul => product(&a, &b),
                BinaryOp::Div if !b.is_zero() => a.checked_div(&b),
                _ => None,
            }
        }
        _ => None,
    }
}

/// `a * b`, if that can be had. Nearly all products are small, and numbers of 64 bits are reduced several times faster.
pub(super) fn product(a: &Exact, b: &Exact) -> Option<Exact> {
    let narrow = |a: &i128, b| i64::try_from(a.checked_mul(b)?).ok();
    let parts = (narrow(a.numer(), b.numer()), narrow(a.denom(), b.denom()));
    let (Some(numer), Some(denom)) = parts else {
        return a.checked_mul(b);
    };
    let (numer, denom) = Ratio::new(numer, denom).into_raw();
    Some(Exact::new_raw(numer.into(), denom.into()))
}

/// Of other operations the sides are not looked at: whoever asks at every comparison of a chain would ask all again.
fn is_arithmetic(binary: &Binary) -> bool {
    use BinaryOp::{Add, Div, Mul, Sub};
    !binary.bool_modifier && matches!(binary.op, Add | Sub | Mul | Div)
}

fn exact(number: &Number) -> Option<Exact> {
    let text = match number.text.contains('_') {
        true => Cow::Owned(number.text.replace('_', "")),
        false => Cow::Borrowed(number.text.as_str()),
    };
    let octal =
        text.len() > 1 && text.starts_with('0') && !text.contains(['.', 'e', 'E', 'x', 'X']);
    if !octal && let Some(value) = decimal(&text) {
        return Some(value);
    }
    // Hexadecimal and octal numbers and durations in seconds: whole as far as doubles are.
    let millis = number.value * 1000.0;
    let whole = millis.fract() == 0.0 && millis.abs() < 9e15;
    whole.then(|| Exact::new(millis as i128, 1000))
}

fn decimal(text: &str) -> Option<Exact> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = digits(whole, fraction)?;
    let places = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let power = 10i128.checked_pow(places.unsigned_abs())?;
    if places < 0 {
        Some(reduced(digits, power, places.unsigned_abs()))
    } else {
        Some(Exact::from(digits.checked_mul(power)?))
    }
}

/// The number that two texts spell, one behind the other.
fn digits(whole: &str, fraction: &str) -> Option<i128> {
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut all = whole.bytes().chain(fraction.bytes());
    // As long as 64 bits have room, which are added up faster.
    let short = all.try_fold(0_u64, |number, digit| {
        let digit = char::from(digit).to_digit(10)?;
        number.checked_mul(10)?.checked_add(u64::from(digit))
    });
    match short {
        Some(number) => Some(i128::from(number)),
        None => [whole, fraction].concat().parse().ok(),
    }
}

/// `digits` over a power of ten, which has no other prime factors than 2 and 5: found faster than a greatest common divisor.
fn reduced(mut digits: i128, mut power: i128, exponent: u32) -> Exact {
    for prime in [2, 5] {
        let mut left = exponent;
        while left > 0 && digits % prime == 0 {
            (digits, power, left) = (digits / prime, power / prime, left - 1);
        }
    }
    Exact::new_raw(digits, power)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn constants_fold_without_rounding() {
        for (text, value) in [
            ("0.1 + 0.2", Some((3, 10))),
            ("14.4 * 0.001", Some((144, 10_000))),
            ("-(1 - 0.99)", Some((-1, 100))),
            ("1e3", Some((1000, 1))),
            ("5E-1", Some((1, 2))),
            ("1_000", Some((1000, 1))),
            ("0x1F", Some((31, 1))),
            ("010", Some((8, 1))),
            ("1h30m", Some((5400, 1))),
            ("1 / 3", Some((1, 3))),
            ("1e20 * 1e-20", Some((1, 1))),
            ("-9223372036854775808 * 2", Some((-(1 << 64), 1))),
            ("1e30 * 1e30", None),
            (".5", Some((1, 2))),
            ("5.", Some((5, 1))),
            (
                "0.00099999999999999432",
                Some((12_499_999_999_999_929, 12_500_000_000_000_000_000)),
            ),
            ("18446744073709551616", Some((1 << 64, 1))),
            ("1 / 0", None),
            ("Inf", None),
            ("NaN", None),
            ("2 ^ 2", None),
            ("1e400 * 0", None),
            ("x", None),
        ] {
            let Ok(expr) = parse(text) else { continue };
            let value = value.map(|(a, b)| Exact::new(a, b));
            assert_eq!(exact_constant(&expr), value, "{text}");
        }
    }
}
