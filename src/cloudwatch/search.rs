//! Searches: a line of a graph for each series of a metric.
//!
//! `SEARCH('{"Team/App","Route"} MetricName="LatencyMs"', 'p95', 300)` finds the series of `LatencyMs` that
//! have the dimension `Route` and no other. Source: the documentation of search expressions, as of 2026.

use std::fmt::{self, Display, Formatter};

use super::statistic::Statistic;

/// A search in a graph. It cannot join the names that a metric had: each is a line of its own.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// The namespace.
    pub namespace: &'a str,
    /// All dimensions of the series that are wanted.
    pub set: &'a [String],
    /// Those that have one value.
    pub fixed: &'a [(String, String)],
    /// Names of the metric.
    pub names: &'a [String],
    /// What is taken of each period.
    pub statistic: &'a Statistic,
    /// Seconds of a period.
    pub period: u64,
}

/// True when a text can be between the quotes of a search: how to escape them is not documented.
pub fn is_searchable(text: &str) -> bool {
    !text.contains(['"', '\'', '\\'])
}

impl Display for Search<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let schema = std::iter::once(self.namespace).chain(self.set.iter().map(String::as_str));
        let schema: Vec<_> = schema.map(quoted).collect();
        write!(f, "SEARCH('{{{}}} ", schema.join(","))?;
        for (name, value) in self.fixed {
            write!(f, "{}={} ", quoted(name), quoted(value))?;
        }
        let names: Vec<_> = self.names.iter().map(|name| quoted(name)).collect();
        match names.as_slice() {
            [one] => write!(f, "MetricName={one}")?,
            several => write!(f, "MetricName=({})", several.join(" OR "))?,
        }
        write!(f, "', '{}', {})", self.statistic, self.period)
    }
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}
