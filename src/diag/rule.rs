//! What reports say about a rule.

use super::Severity;

/// The subject that rules of one kind check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Whether a query is one.
    PromQl,
    /// Names and labels against recorded pages.
    Catalog,
    /// What is done with a counter, a gauge or a histogram, and with its unit.
    Type,
    /// Bounds of buckets.
    Histogram,
    /// Labels that an operation or an annotation needs.
    Labels,
    /// Objectives and the windows of their rates.
    Slo,
    /// When alerts fire, and where they lead.
    Alert,
    /// What CloudWatch accepts and receives.
    CloudWatch,
    /// Habits: what a rule finds is worse than it could be, and not wrong.
    Style,
    /// Comments and entries that say that a finding is known.
    Suppression,
}

impl Group {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::PromQl,
        Self::Catalog,
        Self::Type,
        Self::Histogram,
        Self::Labels,
        Self::Slo,
        Self::Alert,
        Self::CloudWatch,
        Self::Style,
        Self::Suppression,
    ];

    /// The word that options, configuration and reports have for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PromQl => "promql",
            Self::Catalog => "catalog",
            Self::Type => "type",
            Self::Histogram => "histogram",
            Self::Labels => "labels",
            Self::Slo => "slo",
            Self::Alert => "alert",
            Self::CloudWatch => "cloudwatch",
            Self::Style => "style",
            Self::Suppression => "suppression",
        }
    }

    /// True for a category of rules that find mistakes, not style.
    pub fn is_truth(self) -> bool {
        self != Self::Style
    }
}

/// A lint rule as reports and documents describe it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleInfo {
    /// Kebab-case name; the code of its findings.
    pub name: &'static str,
    /// What is wrong, in one line.
    pub summary: &'static str,
    /// The subject that the rule checks.
    pub group: Group,
    /// What it looks for, why, and examples, in Markdown; lines as in the source. See [`RuleInfo::docs`].
    pub doc_comment: &'static str,
    /// The default level of the findings.
    pub level: Severity,
    /// The first version of slosmith that has it.
    pub since: &'static str,
}

impl RuleInfo {
    /// The documentation with each paragraph on one line, for readers that wrap lines themselves.
    pub fn docs(&self) -> String {
        let mut docs = String::new();
        let (mut in_code, mut in_paragraph) = (false, false);
        for line in self.doc_comment.trim_end().lines() {
            let line = line.strip_prefix(' ').unwrap_or(line);
            let is_fence = line.starts_with("```");
            let is_text = !in_code && !is_fence && !line.is_empty();
            if in_paragraph && is_text && !starts_block(line) {
                docs.push(' ');
                docs.push_str(line.trim_start());
            } else {
                docs.push_str(if docs.is_empty() { "" } else { "\n" });
                docs.push_str(line);
            }
            in_code ^= is_fence;
            in_paragraph = is_text;
        }
        docs
    }
}

/// A list item, a row of a table or a heading: what must stay on a line of its own.
fn starts_block(line: &str) -> bool {
    let marks = ["- ", "* ", "|", "#"];
    marks.iter().any(|mark| line.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::{Group, RuleInfo, Severity};

    #[test]
    fn lines_of_a_paragraph_are_joined_and_code_is_left_alone() {
        let info = RuleInfo {
            name: "x",
            summary: "",
            group: Group::Style,
            doc_comment: " One\n two.\n\n - a\n   b\n - c\n\n ```yaml\n x:\n   y: 1\n ```\n",
            level: Severity::Info,
            since: "0.1.0",
        };
        assert_eq!(
            info.docs(),
            "One two.\n\n- a b\n- c\n\n```yaml\nx:\n  y: 1\n```"
        );
    }
}
