//! Statistics: `Sum`, `p99.9`, `TM(10%:90%)`, `PR(:500)`.

/// What `Statistic` takes.
pub const PLAIN: [&str; 5] = ["SampleCount", "Average", "Sum", "Minimum", "Maximum"];

/// What `ExtendedStatistic` takes.
///
/// # Errors
/// Says what is wrong with it.
pub(super) fn extended(text: &str) -> Result<(), String> {
    if text == "IQM" {
        return Ok(());
    }
    for prefix in ["p", "tm", "tc", "ts", "wm"] {
        if let Some(number) = text
            .strip_prefix(prefix)
            .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        {
            return match percent(number) {
                Some(n) if (0.0..=100.0).contains(&n) => Ok(()),
                _ => Err(format!("`{text}` is no percentile from 0 to 100")),
            };
        }
    }
    let Some((name, inner)) = text.strip_suffix(')').and_then(|rest| rest.split_once('(')) else {
        let plain = PLAIN.contains(&text);
        let help = if plain {
            "; it belongs into Statistic"
        } else {
            ""
        };
        return Err(format!(
            "`{text}` is no percentile such as p99, and none of IQM, TM(), TC(), TS(), WM(), PR(){help}"
        ));
    };
    if !["PR", "TM", "TC", "TS", "WM"].contains(&name) {
        return Err(format!("`{name}` is none of PR, TM, TC, TS, WM"));
    }
    range(name, inner).ok_or_else(|| format!("`{text}` has no range such as `10%:90%` or `:500`"))
}

/// What a metric of metric math takes: either kind.
///
/// # Errors
/// Says what is wrong with it.
pub fn any(text: &str) -> Result<(), String> {
    if PLAIN.contains(&text) {
        return Ok(());
    }
    extended(text)
}

/// `low:high`, either of which may be left out, but not both; both in percent or neither.
fn range(name: &str, inner: &str) -> Option<()> {
    let (low, high) = inner.split_once(':')?;
    let bound = |text: &str| -> Option<Option<(f64, bool)>> {
        if text.is_empty() {
            return Some(None);
        }
        let (number, percent_sign) = match text.strip_suffix('%') {
            Some(number) => (number, true),
            None => (text, false),
        };
        let value = percent(number)?;
        (!percent_sign || (0.0..=100.0).contains(&value)).then_some(Some((value, percent_sign)))
    };
    match (bound(low)?, bound(high)?) {
        (None, None) => None,
        (Some((low, a)), Some((high, b))) => {
            (a == b && low < high && !(name == "PR" && a)).then_some(())
        }
        (Some((_, percent)), None) | (None, Some((_, percent))) => {
            (!(name == "PR" && percent)).then_some(())
        }
    }
}

fn percent(text: &str) -> Option<f64> {
    let digits = text.chars().all(|c| c.is_ascii_digit() || c == '.');
    text.parse().ok().filter(|_| digits)
}
