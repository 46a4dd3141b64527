//! Exact numbers: fractions of 128-bit integers, printed as clean decimals.

use num_rational::Ratio;

use super::error::{MAX_DIGITS, ParseError};

/// An exact number. Inputs are limited to [`MAX_DIGITS`] digits, so products of a few never overflow.
pub type Number = Ratio<i128>;

/// Reads a plain decimal (`-0.25`, `1e3`) without rounding.
pub fn parse_decimal(text: &str) -> Result<Number, ParseError> {
    let not_a_number = || ParseError::Number(text.to_owned());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse().map_err(|_| not_a_number())?),
        None => (text, 0i32),
    };
    let (sign, digits) = match mantissa.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, mantissa.strip_prefix('+').unwrap_or(mantissa)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    if all.is_empty() || !all.bytes().all(|b| b.is_ascii_digit()) {
        return Err(not_a_number());
    }
    let significant = all.trim_start_matches('0');
    if significant.len() > MAX_DIGITS || fraction.len() > MAX_DIGITS || exponent.abs() > 12 {
        return Err(ParseError::Digits(text.to_owned()));
    }
    let value: i128 = if significant.is_empty() {
        0
    } else {
        significant.parse().map_err(|_| not_a_number())?
    };
    let scale = exponent - i32::try_from(fraction.len()).unwrap_or(0);
    let power = 10i128.pow(scale.unsigned_abs());
    let number = if scale < 0 {
        Number::new(value, power)
    } else {
        Number::from_integer(value * power)
    };
    Ok(number * sign)
}

/// Prints exactly where the decimal ends, else with 6 significant digits.
pub fn decimal(number: Number) -> String {
    if number.is_integer() {
        return number.to_integer().to_string();
    }
    let mut denominator = *number.denom();
    let (mut twos, mut fives) = (0usize, 0usize);
    while denominator % 2 == 0 {
        denominator /= 2;
        twos += 1;
    }
    while denominator % 5 == 0 {
        denominator /= 5;
        fives += 1;
    }
    if denominator == 1 {
        return fixed(number, twos.max(fives));
    }
    let mut places = 6;
    let mut magnitude = if number < Number::from_integer(0) {
        -number
    } else {
        number
    };
    while magnitude >= Number::from_integer(1) && places > 0 {
        magnitude /= 10;
        places -= 1;
    }
    while magnitude < Number::new(1, 10) && places < 18 {
        magnitude *= 10;
        places += 1;
    }
    let text = fixed(number, places);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// The value for text: four significant digits (`20.8333` → `20.83`), as Prometheus prints values in annotations.
pub fn readable(number: Number) -> Number {
    let digits = decimal(number);
    let digits = digits
        .trim_start_matches(['-', '0', '.'])
        .trim_end_matches('0');
    if digits.chars().filter(char::is_ascii_digit).count() <= 4 {
        return number;
    }
    let mut scale = Number::from_integer(1);
    let magnitude = |scale: Number| {
        let scaled = number * scale;
        if scaled < Number::from_integer(0) {
            -scaled
        } else {
            scaled
        }
    };
    while magnitude(scale) >= Number::from_integer(10_000) {
        scale /= 10;
    }
    while magnitude(scale) < Number::from_integer(1_000) {
        scale *= 10;
    }
    (number * scale).round() / scale
}

/// The nearest binary fraction, for arithmetic that need not be exact.
pub fn float(number: Number) -> f64 {
    *number.numer() as f64 / *number.denom() as f64
}

/// What [`decimal`] prints, for formats whose numbers are binary fractions: a third is 0.333333.
pub fn printed_float(number: Number) -> f64 {
    // A decimal always reads back.
    decimal(number).parse().unwrap_or(float(number))
}

/// Rounds half up to `places` decimals.
fn fixed(number: Number, places: usize) -> String {
    let power = 10i128.pow(u32::try_from(places).unwrap_or(0));
    let scaled = (number * power).round().to_integer();
    let sign = if scaled < 0 { "-" } else { "" };
    // One digit at least in front of the point.
    let width = places + 1;
    let mut text = format!("{sign}{:0width$}", scaled.unsigned_abs());
    if places > 0 {
        text.insert(text.len() - places, '.');
    }
    text
}

pub(super) fn split_number(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+')))
        .unwrap_or(text.len());
    let rest = &text[end..];
    let exponent = rest.strip_prefix(['e', 'E']).map(|r| {
        let digits = r.trim_start_matches(['-', '+']);
        let count = digits.bytes().take_while(u8::is_ascii_digit).count();
        (count, 1 + r.len() - digits.len() + count)
    });
    match exponent {
        Some((count, length)) if count > 0 => text.split_at(end + length),
        _ => text.split_at(end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_clean() {
        let cases = [
            (Number::new(1, 1000), "0.001"),
            (Number::new(144, 10) * Number::new(1, 1000), "0.0144"),
            (Number::new(14, 15) * Number::new(1, 1000), "0.000933333"),
            (Number::new(14, 15), "0.933333"),
            (Number::new(-5, 2), "-2.5"),
            (Number::new(1_000_000, 3), "333333"),
            (Number::new(2, 3) * 1_000_000_000, "666666667"),
            (Number::from_integer(0), "0"),
            (Number::new(1, 3), "0.333333"),
        ];
        for (number, text) in cases {
            assert_eq!(decimal(number), text);
        }
    }

    #[test]
    fn text_has_few_digits() {
        for (number, text) in [
            (Number::new(5, 24), "0.2083"),
            (Number::new(14, 15), "0.9333"),
            (Number::new(72, 10_000), "0.0072"),
            (Number::new(134, 10), "13.4"),
            (Number::new(1_344, 100), "13.44"),
            (Number::new(-14, 15), "-0.9333"),
            (Number::from_integer(86_400), "86400"),
            (Number::from_integer(123_456), "123500"),
            (Number::from_integer(0), "0"),
        ] {
            assert_eq!(decimal(readable(number)), text);
        }
    }

    #[test]
    fn floats_are_the_nearest_or_what_is_printed() {
        let third = Number::new(1, 3);
        assert_eq!(float(third).to_bits(), (1.0_f64 / 3.0).to_bits());
        assert_eq!(printed_float(third).to_bits(), 0.333_333_f64.to_bits());
        assert_eq!(float(Number::new(-5, 2)).to_bits(), (-2.5_f64).to_bits());
        assert_eq!(
            printed_float(Number::new(95, 100)).to_bits(),
            0.95_f64.to_bits()
        );
    }

    #[test]
    fn reading_is_exact() {
        for text in ["0.001", "99.95", "0", "12", "-0.5", "0.0144"] {
            assert_eq!(decimal(parse_decimal(text).expect(text)), text);
        }
        assert_eq!(parse_decimal("1.5e3"), Ok(Number::from_integer(1500)));
        for text in ["", ".", "1.2.3", "0x1F", "1_000", "1e99", "1234567890123"] {
            assert!(parse_decimal(text).is_err(), "{text}");
        }
    }
}
