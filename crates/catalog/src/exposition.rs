//! Prometheus text and OpenMetrics text → families with samples.
//!
//! One broken line never hides the rest: every fault is reported with its place and reading goes on.

mod assemble;
mod line;
mod print;
#[cfg(test)]
mod tests;

pub use print::{Dialect, print};

use std::collections::BTreeMap;

use indexmap::IndexSet;

use super::shape::MetricType;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    pub families: Vec<PageFamily>,
    /// Everything that a strict reader would reject, in the order of the lines.
    pub problems: Vec<Problem>,
}

impl Page {
    /// The family of this name; a histogram's base name, a counter's name with `_total`.
    pub fn family(&self, name: &str) -> Option<&PageFamily> {
        self.families.iter().find(|family| family.name == name)
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageFamily {
    pub name: String,
    pub kind: MetricType,
    pub help: Option<String>,
    pub unit: Option<String>,
    pub samples: Vec<Sample>,
}

impl PageFamily {
    /// Label names over all samples, sorted, without `le` and `quantile` where the type brings them.
    pub fn labels(&self) -> Vec<String> {
        self.values().into_keys().collect()
    }

    /// Values per label in the order they were first seen.
    pub fn values(&self) -> BTreeMap<String, Vec<String>> {
        let mut found = BTreeMap::<&str, IndexSet<&str>>::new();
        let labels = self.samples.iter().flat_map(|sample| &sample.labels);
        for (name, value) in labels.filter(|(name, _)| !self.brings(name)) {
            found.entry(name).or_default().insert(value);
        }
        let owned = |values: IndexSet<&str>| values.into_iter().map(str::to_owned).collect();
        let found = found.into_iter();
        found
            .map(|(name, values)| (name.to_owned(), owned(values)))
            .collect()
    }

    pub fn buckets(&self) -> Vec<String> {
        let bounds = self.samples.iter().filter_map(|sample| sample.label("le"));
        let found: IndexSet<_> = bounds.filter(|_| self.brings("le")).collect();
        found.into_iter().map(str::to_owned).collect()
    }

    fn brings(&self, label: &str) -> bool {
        match label {
            "le" => matches!(
                self.kind,
                MetricType::Histogram | MetricType::GaugeHistogram
            ),
            "quantile" => self.kind == MetricType::Summary,
            _ => false,
        }
    }
}

/// Labels in the order written, values unescaped.
pub type Labels = Vec<(String, String)>;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    pub name: String,
    pub labels: Labels,
    pub value: f64,
    /// As written: milliseconds in the classic format, seconds in OpenMetrics.
    pub timestamp: Option<f64>,
    pub exemplar: Option<Exemplar>,
}

impl Sample {
    pub fn label(&self, name: &str) -> Option<&str> {
        let found = self.labels.iter().find(|(label, _)| label == name);
        found.map(|(_, value)| value.as_str())
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exemplar {
    pub labels: Labels,
    pub value: f64,
    /// Seconds.
    pub timestamp: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemKind {
    /// The line could not be read and was skipped.
    Malformed,
    /// TYPE names a type that no format has; the family counts as untyped.
    UnknownType,
    /// TYPE comes after the family's first sample.
    TypeAfterSamples,
    /// A second TYPE for a family; the first holds.
    DuplicateType,
    /// A second HELP for a family; the first holds.
    DuplicateHelp,
    /// The same series twice; both samples are kept.
    DuplicateSeries,
    /// Samples of a family with another family's samples between them.
    Interleaved,
    ByteOrderMark,
    /// Lines end in CRLF; reported once.
    CarriageReturn,
    /// Something follows `# EOF`.
    AfterEof,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub kind: ProblemKind,
    pub line: usize,
    pub offset: usize,
    pub message: String,
}

pub fn parse(text: &str) -> Page {
    assemble::page(text)
}
