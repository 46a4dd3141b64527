//! Numbers of texts, in whatever unit.

/// What one unit may be worth in another one: percent, milliseconds, minutes, hours, days.
const UNITS: [f64; 7] = [1.0, 100.0, 1_000.0, 60.0, 3_600.0, 24.0, 86_400.0];

/// All numbers of what is made; commas part the items of lists there.
pub(super) fn all(text: &str) -> Vec<f64> {
    numbers(&text.replace(',', ", "), |_| true)
}

/// Those that a guide says: not those of a name such as `e2e`, but that of `P95`.
pub(super) fn said(text: &str) -> Vec<f64> {
    numbers(text, |before| {
        !before.is_some_and(|c| c.is_alphabetic() && c != 'P' || c == '_')
    })
}

fn numbers(text: &str, counts: impl Fn(Option<char>) -> bool) -> Vec<f64> {
    let mut found = Vec::new();
    let mut before = None;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if !c.is_ascii_digit() {
            before = Some(c);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let end = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',')
            .unwrap_or(rest.len());
        let number = rest[..end].trim_end_matches(['.', ',']).replace(',', "");
        // `0.4.2` is the version of something.
        if let (true, Ok(number)) = (counts(before), number.parse()) {
            found.push(number);
        }
        before = rest[..end].chars().last();
        rest = &rest[end..];
    }
    found
}

pub(super) fn is_among(number: f64, made: &[f64]) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs().max(1.0);
    let worth = |unit: &f64| {
        made.iter()
            .any(|made| near(number * unit, *made) || near(number / unit, *made))
    };
    UNITS.iter().any(worth)
}
