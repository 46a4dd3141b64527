//! Fields that exclude each other, reported at the second key.

use super::Document;
use slosmith_text::diag::{Diagnostic, Sink, one_of};
use slosmith_text::source::Span;

/// A field and where its value is, when it is set.
pub(super) type Field<'a> = (&'a str, Option<Span>);

pub(super) struct Exclusive<'a> {
    pub(super) document: &'a Document,
    pub(super) sink: &'a mut Sink,
}

impl Exclusive<'_> {
    /// Requires exactly one of `fields`: reports the second one, or at `owner` that `what` sets none.
    pub(super) fn exactly_one(&mut self, what: &str, owner: Span, fields: &[Field<'_>]) -> bool {
        let set = self.at_most_one(fields);
        if set == 0 {
            let names: Vec<_> = fields.iter().map(|(name, _)| name).collect();
            let message = format!("{what} needs {}", one_of(&names));
            self.sink
                .push(Diagnostic::error("missing-field", owner, message));
        }
        set == 1
    }

    /// Reports the second of `fields` that is set; returns how many are set.
    pub(super) fn at_most_one(&mut self, fields: &[Field<'_>]) -> usize {
        let mut set: Vec<_> = fields
            .iter()
            .filter_map(|(name, span)| Some((span.as_ref()?, name)))
            .collect();
        set.sort();
        if let [(first, a), (second, b), ..] = set[..] {
            let (first, second) = (self.document.key(*first, a), self.document.key(*second, b));
            let message = format!("`{b}` cannot be combined with `{a}`");
            let error = Diagnostic::error("contradiction", second, message);
            self.sink
                .push(error.related(first, format!("`{a}` is set here")));
        }
        set.len()
    }

    /// Reports a field at its key.
    pub(super) fn error(&mut self, name: &str, value: Span, message: String) {
        let at = self.document.key(value, name);
        self.sink
            .push(Diagnostic::error("contradiction", at, message));
    }
}
