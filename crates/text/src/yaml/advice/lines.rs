//! Lines of a text that is no YAML, and what each of them says by itself.

use std::ops::Range;

use crate::source::mark_len;

pub(super) struct Lines<'t>(Vec<(usize, &'t str)>);

impl<'t> Lines<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let mut at = mark_len(text);
        let lines = text[at..].split_inclusive('\n').map(|line| {
            let start = at;
            at += line.len();
            (start, line.trim_end())
        });
        Self(lines.collect())
    }

    pub(super) fn number(&self, at: usize) -> usize {
        let after = self.0.partition_point(|(start, _)| *start <= at);
        after.saturating_sub(1)
    }

    pub(super) fn text(&self, line: usize) -> &'t str {
        self.0.get(line).map_or("", |(_, text)| text)
    }

    pub(super) fn start(&self, line: usize) -> usize {
        self.0.get(line).map_or(0, |(start, _)| *start)
    }

    pub(super) fn content(&self, line: usize) -> Range<usize> {
        let (start, text) = (self.start(line), self.text(line));
        start + indent(text)..start + text.len()
    }

    pub(super) fn above(&self, line: usize) -> Option<usize> {
        (0..line)
            .rev()
            .find(|line| says_something(self.text(*line)))
    }
}

pub(super) fn says_something(line: &str) -> bool {
    let said = line.trim_start();
    !said.is_empty() && !said.starts_with('#')
}

pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

pub(super) fn key(line: &str) -> Option<&str> {
    let said = line.trim_start().trim_start_matches("- ");
    let end = said
        .find(": ")
        .or_else(|| said.strip_suffix(':').map(str::len))?;
    (!said.starts_with(['{', '[', '"', '\''])).then(|| &said[..end])
}

pub(super) fn opens(line: &str) -> bool {
    let line = line.find(" #").map_or(line, |at| &line[..at]);
    line.trim_end().ends_with(':') || line.trim_start() == "-"
}
