//! The description of a rule in reports.

use super::{Applicability, Severity};

pub(super) const HOME: &str = concat!(
    "https://docs.rs/slosmith/",
    env!("CARGO_PKG_VERSION"),
    "/slosmith/"
);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    PromQl,
    /// Metric names and labels, checked against the catalog.
    Catalog,
    Type,
    Histogram,
    Labels,
    Slo,
    Alert,
    /// What a running server says.
    Server,
    CloudWatch,
    /// Conventions: a finding is not a mistake.
    Style,
    Suppression,
}

impl Group {
    pub const ALL: [Self; 11] = [
        Self::PromQl,
        Self::Catalog,
        Self::Type,
        Self::Histogram,
        Self::Labels,
        Self::Slo,
        Self::Alert,
        Self::Server,
        Self::CloudWatch,
        Self::Style,
        Self::Suppression,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::PromQl => "promql",
            Self::Catalog => "catalog",
            Self::Type => "type",
            Self::Histogram => "histogram",
            Self::Labels => "labels",
            Self::Slo => "slo",
            Self::Alert => "alert",
            Self::Server => "server",
            Self::CloudWatch => "cloudwatch",
            Self::Style => "style",
            Self::Suppression => "suppression",
        }
    }

    /// True for the correctness groups (alias `truth`), whose findings are mistakes.
    pub fn is_truth(self) -> bool {
        self != Self::Style
    }
}

/// The fixes that a rule offers; each text says what the fix does, in words such as `adds a label`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixes {
    None,
    Safe(&'static str),
    Unsafe(&'static str),
    Both {
        safe: &'static str,
        risky: &'static str,
    },
}

impl Fixes {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Safe(_) => "safe",
            Self::Unsafe(_) => "unsafe",
            Self::Both { .. } => "safe, unsafe",
        }
    }

    pub fn of(self, applicability: Applicability) -> Option<&'static str> {
        match (self, applicability) {
            (Self::Safe(what) | Self::Both { safe: what, .. }, Applicability::Safe)
            | (Self::Unsafe(what) | Self::Both { risky: what, .. }, Applicability::Unsafe) => {
                Some(what)
            }
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleInfo {
    pub name: &'static str,
    pub summary: &'static str,
    pub group: Group,
    /// Its documentation in Markdown, with lines as in the source. See [`RuleInfo::docs`].
    pub doc_comment: &'static str,
    pub level: Severity,
    /// When a finding is certain, and what the rule assumes otherwise.
    pub certain: &'static str,
    pub fixes: Fixes,
    pub since: &'static str,
}

impl RuleInfo {
    /// The documentation with each paragraph on one line, for readers that wrap lines themselves.
    pub fn docs(&self) -> String {
        let lines = self.doc_comment.lines();
        let lines = lines.map(|line| line.strip_prefix(' ').unwrap_or(line));
        unwrapped(&lines.collect::<Vec<_>>().join("\n"))
    }

    pub fn url(&self) -> String {
        match self.group {
            Group::Suppression => format!("{HOME}lint/suppress/rules/index.html"),
            _ => {
                let module = self.name.replace('-', "_");
                format!("{HOME}lint/rules/{module}/constant.RULE.html")
            }
        }
    }
}

pub(super) fn unwrapped(text: &str) -> String {
    let mut out = String::new();
    let (mut in_code, mut in_paragraph) = (false, false);
    for line in text.trim_end().lines() {
        let is_fence = line.starts_with("```");
        let is_text = !in_code && !is_fence && !line.is_empty();
        if in_paragraph && is_text && !starts_block(line) {
            out.push(' ');
            out.push_str(line.trim_start());
        } else {
            out.push_str(if out.is_empty() { "" } else { "\n" });
            out.push_str(line);
        }
        in_code ^= is_fence;
        in_paragraph = is_text;
    }
    out
}

/// A list item, a row of a table or a heading: what must stay on a line of its own.
fn starts_block(line: &str) -> bool {
    let marks = ["- ", "* ", "|", "#"];
    marks.iter().any(|mark| line.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::{Fixes, Group, RuleInfo, Severity};

    #[test]
    fn lines_of_a_paragraph_are_joined_and_code_is_left_alone() {
        let info = RuleInfo {
            name: "x",
            summary: "",
            group: Group::Style,
            doc_comment: " One\n two.\n\n - a\n   b\n - c\n\n ```yaml\n x:\n   y: 1\n ```\n",
            level: Severity::Info,
            certain: "Certain.",
            fixes: Fixes::None,
            since: "0.1.0",
        };
        assert_eq!(
            info.docs(),
            "One two.\n\n- a b\n- c\n\n```yaml\nx:\n  y: 1\n```"
        );
    }
}
