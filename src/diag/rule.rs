//! What reports say about a rule.

use super::Severity;

/// A lint rule as reports and documents describe it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleInfo {
    /// Kebab-case name; the code of its findings.
    pub name: &'static str,
    /// What is wrong, in one line.
    pub summary: &'static str,
    /// What it looks for, why, and examples, in Markdown.
    pub docs: &'static str,
    /// The level of its findings when no configuration says otherwise.
    pub level: Severity,
    /// The first version of slosmith that has it.
    pub since: &'static str,
}
