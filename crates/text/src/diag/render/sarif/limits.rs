//! What code scanning services take at most.
//!
//! GitHub refuses a run with more than 25,000 results, and one with more than 1,000 locations in a result; it stores
//! 5,000 results and 100 locations of each.

use super::model::{Message, Notification};
use super::text::message;
use crate::diag::{Diagnostic, Severity};

const RESULTS: usize = 25_000;

pub(super) const RELATED: usize = 100;

/// Each finding, or nothing in its place where there is no room for it, and how many these are. The worst are kept.
pub(super) fn kept(all: &[Diagnostic]) -> (Vec<Option<&Diagnostic>>, usize) {
    let mut room = RESULTS;
    let mut kept = vec![None; all.len()];
    for severity in [Severity::Error, Severity::Warning, Severity::Info] {
        let same = all
            .iter()
            .zip(&mut kept)
            .filter(|(d, _)| d.severity == severity);
        for (d, slot) in same.take(room) {
            *slot = Some(d);
            room -= 1;
        }
    }
    (kept, all.len().saturating_sub(RESULTS))
}

/// Says how many results are not there.
pub(super) fn notifications(left_out: usize) -> Vec<Notification> {
    let text = format!(
        "{left_out} more results are not listed (the least severe ones): GitHub rejects a run of more than {RESULTS}"
    );
    let notification = Notification {
        level: "warning",
        message: Message::new(message(&text)),
    };
    let some = (left_out > 0).then_some(notification);
    some.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;

    #[test]
    fn the_worst_are_kept() {
        let at = Span::default();
        let mut all = vec![Diagnostic::info("a", at, "x"); RESULTS];
        all.push(Diagnostic::error("b", at, "y"));
        let (found, left_out) = kept(&all);
        assert_eq!(left_out, 1);
        assert_eq!(found.iter().flatten().count(), RESULTS);
        assert!(found[RESULTS].is_some() && found[RESULTS - 1].is_none() && found[0].is_some());
        assert_eq!(notifications(left_out).len(), 1);
        assert!(notifications(0).is_empty());
    }
}
