//! Fixes as a person reviews them.

use similar::TextDiff;

/// A unified diff with three lines around each change; empty when nothing changes.
pub fn diff(path: &str, old: &str, new: &str) -> String {
    let (before, after) = (format!("a/{path}"), format!("b/{path}"));
    let diff = TextDiff::from_lines(old, new);
    diff.unified_diff().header(&before, &after).to_string()
}
