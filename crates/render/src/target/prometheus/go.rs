//! Numbers as Prometheus's annotation templates print them (`template/template.go` of Prometheus 2.42 and 3).

/// `%.4g`: four significant digits, no trailing zeros.
pub(super) fn four_digits(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.into();
    }
    let exponent = format!("{value:.3e}")
        .split_once('e')
        .and_then(|(_, e)| e.parse::<i32>().ok())
        .unwrap_or(0);
    if !(-4..4).contains(&exponent) {
        let text = format!("{value:.3e}");
        let (mantissa, exp) = text.split_once('e').unwrap_or((&text, "0"));
        let exp: i32 = exp.parse().unwrap_or(0);
        let sign = if exp < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trimmed(mantissa), exp.abs());
    }
    let places = usize::try_from(3 - exponent).unwrap_or(0);
    trimmed(&format!("{value:.places$}")).to_owned()
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

fn small(mut value: f64) -> String {
    let mut prefix = "";
    for p in ["m", "u", "n", "p", "f", "a", "z", "y"] {
        if value.abs() >= 1.0 {
            break;
        }
        prefix = p;
        value *= 1000.0;
    }
    format!("{}{prefix}", four_digits(value))
}

fn large(mut value: f64, step: f64, prefixes: [&'static str; 8]) -> String {
    let mut prefix = "";
    for p in prefixes {
        if value.abs() < step {
            break;
        }
        prefix = p;
        value /= step;
    }
    format!("{}{prefix}", four_digits(value))
}

pub(super) fn humanize(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        four_digits(value)
    } else if value.abs() >= 1.0 {
        large(value, 1000.0, ["k", "M", "G", "T", "P", "E", "Z", "Y"])
    } else {
        small(value)
    }
}

pub(super) fn humanize1024(value: f64) -> String {
    if value.abs() <= 1.0 || !value.is_finite() {
        four_digits(value)
    } else {
        large(
            value,
            1024.0,
            ["ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi"],
        )
    }
}

pub(super) fn humanize_percentage(value: f64) -> String {
    format!("{}%", four_digits(value * 100.0))
}

pub(super) fn humanize_duration(value: f64) -> String {
    if value == 0.0 {
        return "0s".into();
    }
    if !value.is_finite() {
        return four_digits(value);
    }
    if value.abs() < 1.0 {
        return format!("{}s", small(value));
    }
    let sign = if value < 0.0 { "-" } else { "" };
    let value = value.abs();
    // Whole seconds are all that is shown above a minute.
    let whole = value as u64;
    let (days, hours, minutes, seconds) = (
        whole / 86_400,
        whole / 3_600 % 24,
        whole / 60 % 60,
        whole % 60,
    );
    if days > 0 {
        format!("{sign}{days}d {hours}h {minutes}m {seconds}s")
    } else if hours > 0 {
        format!("{sign}{hours}h {minutes}m {seconds}s")
    } else if minutes > 0 {
        format!("{sign}{minutes}m {seconds}s")
    } else {
        format!("{sign}{}s", four_digits(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_print_like_go() {
        assert_eq!(four_digits(0.015_84), "0.01584");
        assert_eq!(four_digits(12345.0), "1.234e+04");
        assert_eq!(four_digits(0.000_012_3), "1.23e-05");
        assert_eq!(humanize_percentage(0.97499999999), "97.5%");
        assert_eq!(humanize_duration(0.525), "525ms");
        assert_eq!(humanize_duration(3.15), "3.15s");
        assert_eq!(humanize_duration(75.0), "1m 15s");
        assert_eq!(humanize(84.0), "84");
        assert_eq!(humanize(1234.0), "1.234k");
        assert_eq!(humanize(0.5), "500m");
        assert_eq!(humanize1024(1536.0), "1.5ki");
    }
}
