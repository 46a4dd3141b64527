//! Checks positions from the spec: on the grid, and without overlaps.

use crate::diag::{Diagnostic, Sink};
use crate::plan::dashboard::{COLUMNS, Place};
use crate::source::Span;

#[derive(Default)]
pub(super) struct Positions(Vec<(Place, Span)>);

impl Positions {
    pub(super) fn take(&mut self, sink: &mut Sink, place: Place, at: Span) {
        match self.fault(place, at) {
            Some(fault) => sink.push(fault),
            None => self.0.push((place, at)),
        }
    }

    fn fault(&self, place: Place, at: Span) -> Option<Diagnostic> {
        if place.w == 0 || place.h == 0 || place.x + place.w > COLUMNS {
            let message = format!("the panel does not fit into the grid of {COLUMNS} columns");
            let help = format!("use `w` and `h` of at least 1, and `x` + `w` of at most {COLUMNS}");
            return Some(Diagnostic::error("bad-position", at, message).help(help));
        }
        let (_, other) = self.0.iter().find(|(other, _)| other.overlaps(place))?;
        let error = Diagnostic::error("overlapping-panels", at, "the panel overlaps another panel");
        Some(error.related(*other, "the other panel"))
    }
}
