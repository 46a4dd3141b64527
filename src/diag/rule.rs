//! What reports say about a rule.

use super::Severity;

/// A lint rule as reports and documents describe it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleInfo {
    /// Kebab-case name; the code of its findings.
    pub name: &'static str,
    /// What is wrong, in one line.
    pub summary: &'static str,
    /// What it looks for, why, and examples, in Markdown; lines as in the source. See [`RuleInfo::docs`].
    pub doc_comment: &'static str,
    /// The level of its findings when no configuration says otherwise.
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
    use super::{RuleInfo, Severity};

    #[test]
    fn lines_of_a_paragraph_are_joined_and_code_is_left_alone() {
        let info = RuleInfo {
            name: "x",
            summary: "",
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
