//! Where findings are gathered.

use super::{Diagnostic, Severity};

#[derive(Clone, Debug, Default)]
pub struct Sink {
    found: Vec<Diagnostic>,
}

impl Sink {
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    /// Adds the error of a failed step and goes on with what succeeded.
    pub fn take<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|diagnostic| self.push(diagnostic)).ok()
    }

    pub fn count(&self, severity: Severity) -> usize {
        self.found.iter().filter(|d| d.severity == severity).count()
    }

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

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

    pub fn absorb(&mut self, other: Sink) {
        self.found.extend(other.found);
    }
}
