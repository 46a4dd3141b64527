//! What is wrong with the shape of a spec, and what follows from that.

use std::rc::Rc;

use slosmith_text::diag::{Diagnostic, Severity, Sink};
use slosmith_text::source::Span;
use slosmith_text::yaml::{Joined, Reported};

/// What is wrong with a spec, and how to know what follows from that.
#[derive(Clone, Debug, Default)]
pub struct Errors {
    pub(super) found: Vec<Diagnostic>,
    pub(super) reported: Reported,
    pub(super) files: Rc<Joined>,
}

impl Errors {
    pub fn has_errors(&self) -> bool {
        let mut found = self.found.iter();
        found.any(|found| found.severity == Severity::Error)
    }

    /// These, and those of `others` that do not follow from them.
    pub fn with(&self, others: Sink) -> Sink {
        let mut sink = Sink::default();
        self.found.iter().for_each(|error| sink.push(error.clone()));
        let new = others.into_sorted().into_iter();
        new.filter(|found| !self.explain(found))
            .for_each(|found| sink.push(found));
        sink
    }

    /// True when something stands at a place for what is missing, or a part of it was reported.
    pub(super) fn is_owner(&self, span: Span) -> bool {
        self.reported.is_owner(self.files.range(span).start)
    }

    /// True for what follows from what was reported.
    pub(super) fn explain(&self, found: &Diagnostic) -> bool {
        let range = self.files.range(found.span);
        let at = range.start;
        let word = self.files.text().get(range).unwrap_or_default();
        let word = word.trim_matches(['"', '\'']);
        let begin = |span: Span| (span.file, span.start);
        self.reported.is_in_text(at)
            || (self.reported.is_owner(at) && found.code != "bad-name")
            || (self.reported.is_beside(at) && found.code == "missing-field")
            || (self.reported.is_gone(word) && found.code.starts_with("un"))
            || self
                .found
                .iter()
                .any(|known| begin(known.span) == begin(found.span))
    }
}
