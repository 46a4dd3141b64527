//! Lines that share an indentation.

use super::sink::Sink;

/// Takes up to `indent` blanks off each line.
pub(super) fn decode(slice: &str, indent: usize, base: usize, sink: &mut impl Sink) {
    let mut at = base;
    for line in slice.split_inclusive('\n') {
        let blanks = line.bytes().take(indent).take_while(|b| *b == b' ').count();
        sink.verbatim(&line[blanks..], at + blanks);
        at += line.len();
    }
}
