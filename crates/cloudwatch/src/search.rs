//! Searches: a line of a graph for each series of a metric.
//!
//! `SEARCH('{"Team/App","Route"} MetricName="LatencyMs"', 'p95', 300)` finds the series of `LatencyMs` that
//! have the dimension `Route` and no other. Source: the documentation of search expressions, as of 2026.

use std::fmt::{self, Display, Formatter};

use super::statistic::Statistic;

#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    pub namespace: &'a str,
    pub set: &'a [String],
    pub fixed: &'a [(String, String)],
    pub names: &'a [String],
    pub statistic: &'a Statistic,
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
