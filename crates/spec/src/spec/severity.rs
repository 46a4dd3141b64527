//! Severities: what alerts call themselves, and what all of one severity carry.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Marks, Text};
use slosmith_text::source::{Span, Spanned};

/// Values of the `severity` label.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Severities {
    /// Severity of paging alerts. Default: `critical`.
    pub page: Severity,
    /// Severity of ticket alerts, for the next working day. Default: `warning`.
    pub ticket: Severity,
    /// Other severities that alerts may have.
    pub more: Vec<Severity>,
}

/// A severity: its name, or a mapping with the labels and annotations of its alerts.
#[derive(Clone, Debug)]
pub struct Severity {
    /// Value of the `severity` label.
    pub name: Text,
    pub marks: Marks,
}

impl Severity {
    /// A severity without labels and annotations.
    pub fn named(name: Text) -> Self {
        Self {
            name,
            marks: Marks::default(),
        }
    }
}

impl Severities {
    pub fn all(&self) -> impl Iterator<Item = &Severity> {
        [&self.page, &self.ticket].into_iter().chain(&self.more)
    }
}

impl Default for Severities {
    fn default() -> Self {
        let named = |name: &str| Severity::named(Spanned::new(name.to_owned(), Span::default()));
        Self {
            page: named("critical"),
            ticket: named("warning"),
            more: Vec::new(),
        }
    }
}
