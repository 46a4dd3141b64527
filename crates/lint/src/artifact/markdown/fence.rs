//! Code fences.

use std::ops::Range;

use slosmith_text::source::mark_len;

pub(super) struct Fence {
    /// `promql`, `yaml`, …
    pub(super) language: String,
    pub(super) inner: Range<usize>,
    pub(super) whole: Range<usize>,
    pub(super) indent: usize,
}

pub(super) fn fences(text: &str) -> Vec<Fence> {
    let mut found = Vec::new();
    let mut open: Option<(String, Range<usize>, String, usize)> = None;
    let mut at = mark_len(text);
    for line in text[at..].split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        let trimmed = line.trim_start_matches(' ');
        let indent = line.len() - trimmed.len();
        let trimmed = trimmed.trim_end();
        let mark: String = trimmed
            .chars()
            .take_while(|c| matches!(c, '`' | '~'))
            .collect();
        match &open {
            Some((opening, from, language, indent))
                if mark.len() >= opening.len()
                    && mark.starts_with(&opening[..1])
                    && mark == trimmed =>
            {
                found.push(Fence {
                    language: language.clone(),
                    inner: from.end..start,
                    whole: from.start..end,
                    indent: *indent,
                });
                open = None;
            }
            Some(_) => {}
            None if mark.len() >= 3 => {
                let info = trimmed[mark.len()..].trim();
                let language = info.split([' ', ',', '{']).next().unwrap_or_default();
                open = Some((mark, start..end, language.to_lowercase(), indent));
            }
            None => {}
        }
    }
    found
}
