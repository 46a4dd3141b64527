//! Where findings are gathered.

use super::{Diagnostic, Severity};

/// Gathers findings; gives them back sorted by place and without duplicates.
#[derive(Clone, Debug, Default)]
pub struct Sink {
    found: Vec<Diagnostic>,
}

impl Sink {
    /// Adds one finding.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    /// Adds the error of a failed step and goes on with what succeeded.
    pub fn take<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|diagnostic| self.push(diagnostic)).ok()
    }

    /// How many findings have this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.found.iter().filter(|d| d.severity == severity).count()
    }

    /// True when there is nothing to report.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// True when anything is certainly wrong.
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    /// All findings, ordered by file, place and code, each once.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.found
            .sort_by(|a, b| (a.span, a.code, &a.message).cmp(&(b.span, b.code, &b.message)));
        self.found.dedup();
        self.found
    }

    /// Moves all findings of another sink into this one.
    pub fn absorb(&mut self, other: Sink) {
        self.found.extend(other.found);
    }
}
