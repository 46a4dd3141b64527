//! Where decoders put what they read.

use std::ops::Range;

/// Takes what a decoder reads, in order.
pub(in crate::yaml) trait Sink {
    /// Text that the source holds verbatim, from byte `source` on.
    fn verbatim(&mut self, text: &str, source: usize);
    /// Text that `source` spells as a whole: an escape, a fold, a line break.
    fn atom(&mut self, text: &str, source: Range<usize>);
}

impl Sink for String {
    fn verbatim(&mut self, text: &str, _: usize) {
        self.push_str(text);
    }

    fn atom(&mut self, text: &str, _: Range<usize>) {
        self.push_str(text);
    }
}
