//! Durations made by hand or read from a spec.

use super::ast::Duration;
use super::lexer::duration_millis;
use super::placeholder::{Placeholder, Placeholders};
use slosmith_text::units;

impl Duration {
    /// Reads `1h30m`: whole numbers, units (`y w d h m s ms`) in falling order, each once at most.
    ///
    /// A leading `-` is accepted, as behind `offset`. A year has 365 days.
    pub fn parse(text: &str) -> Option<Self> {
        let millis = match text.strip_prefix('-') {
            Some(rest) => -duration_millis(rest)?,
            None => duration_millis(text)?,
        };
        Some(Self {
            millis,
            text: text.to_owned(),
            span: 0..0,
            placeholders: Placeholders::default(),
        })
    }

    /// So many seconds, spelled as short as Prometheus can read it, days staying days (`28d`).
    pub fn from_secs(seconds: u64) -> Self {
        Self {
            millis: i64::try_from(seconds.saturating_mul(1000)).unwrap_or(i64::MAX),
            text: units::Duration::from_secs(seconds).to_string(),
            span: 0..0,
            placeholders: Placeholders::default(),
        }
    }

    /// Whether it is arithmetic (`5m + step()`).
    ///
    /// `millis` is then its value, or 0 if that depends on the query or is out of range.
    pub fn is_expression(&self) -> bool {
        let arithmetic = |text: &str| text.contains(['(', ' ']);
        if self.placeholders.is_empty() {
            return arithmetic(&self.text);
        }
        let around = |text: String, placeholder: &Placeholder| text.replace(&placeholder.text, "");
        arithmetic(&self.placeholders.iter().fold(self.text.clone(), around))
    }
}

impl From<&'static str> for Duration {
    /// For literals in code. Text that is no duration prints as it is, and its value is 0;
    /// the query it ends up in does not parse.
    fn from(text: &'static str) -> Self {
        Self::parse(text).unwrap_or_else(|| Self {
            millis: 0,
            text: text.to_owned(),
            span: 0..0,
            placeholders: Placeholders::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_prometheus_durations() {
        assert_eq!(Duration::parse("1h30m").unwrap().millis, 5_400_000);
        assert_eq!(Duration::parse("-5m").unwrap().millis, -300_000);
        assert_eq!(Duration::parse("1.5h"), None);
        assert_eq!(Duration::parse(""), None);
    }

    #[test]
    fn writes_days_as_days() {
        for (seconds, text) in [
            (0, "0s"),
            (90, "1m30s"),
            (300, "5m"),
            (3600, "1h"),
            (5400, "1h30m"),
            (28 * 86_400, "28d"),
            (365 * 86_400, "365d"),
        ] {
            let duration = Duration::from_secs(seconds);
            assert_eq!(duration.text, text);
            assert_eq!(Duration::parse(text).unwrap(), duration);
        }
    }
}
