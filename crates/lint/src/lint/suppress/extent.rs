//! The extent of the value that starts on a line.

use std::ops::Range;

use super::lines;

/// What is below comments: looked for once for all comments in a row.
#[derive(Default)]
pub(super) struct Below {
    /// The end of a comment's line, and where the first line is below it that is not skipped.
    known: Option<(usize, Range<usize>)>,
    covers: Option<Range<usize>>,
}

impl Below {
    /// What `extent` says of the first line below `end` that is not skipped; `None` when that is a blank one or
    /// the end of the file.
    pub(super) fn of(
        &mut self,
        text: &str,
        end: usize,
        skipped: impl Fn(&str) -> bool,
        extent: impl Fn(&str, Range<usize>) -> Range<usize>,
    ) -> Option<Range<usize>> {
        let known = self.known.as_ref();
        if known.is_some_and(|(from, line)| *from <= end && end < line.start) {
            return self.covers.clone();
        }
        let mut all = lines::below(text, end);
        let line = all.find(|line| !skipped(&text[line.clone()]));
        let line = line.unwrap_or(text.len() + 1..text.len() + 1);
        let words = text.get(line.clone()).unwrap_or_default();
        self.covers = (!words.trim().is_empty()).then(|| extent(text, line.clone()));
        self.known = Some((end, line));
        self.covers.clone()
    }
}

/// The line and, when a value starts on it, all lines of that value.
///
/// After a value on the key's own line nothing but the rest of that value can be indented deeper, so the
/// indentation alone decides, whatever the style of the scalar.
pub(super) fn value(text: &str, line: Range<usize>) -> Range<usize> {
    let Some(column) = owner(&text[line.clone()]) else {
        return line;
    };
    let mut end = line.end;
    for next in lines::below(text, line.end) {
        let words = &text[next.clone()];
        if words.trim().is_empty() {
            continue;
        }
        if indent(words) <= column {
            break;
        }
        end = next.end;
    }
    line.start..end
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The column of the key or list mark that owns the value on this line; `None` when no value starts here.
fn owner(line: &str) -> Option<usize> {
    let mut column = indent(line);
    let mut mark = None;
    while line[column..].starts_with("- ") {
        mark = Some(column);
        column += 1 + indent(&line[column + 1..]);
    }
    let content = &line[column..];
    match key_end(content) {
        None => mark.or(Some(column)),
        Some(end) => {
            let value = content[end..].trim_start();
            // An anchor or a tag alone is followed by a mapping, whose entries are values of their own.
            let bare = value.is_empty() || value.starts_with('#');
            let named = value.starts_with(['&', '!']) && !value.contains(' ');
            (!bare && !named).then_some(column)
        }
    }
}

fn key_end(content: &str) -> Option<usize> {
    let quote = content.chars().next().filter(|c| matches!(c, '"' | '\''));
    let from = quote
        .and_then(|q| content[1..].find(q))
        .map_or(0, |i| i + 2);
    let rest = &content[from..];
    let colon = rest
        .find(": ")
        .or_else(|| rest.ends_with(':').then(|| rest.len() - 1));
    // A key has no blanks before its colon in anything that people write; PromQL below a key has.
    colon
        .filter(|&at| quote.is_some() || !rest[..at].contains([' ', '{', '(']))
        .map(|at| from + at + 1)
}

/// The open code fence after a line: its mark and how often it is repeated.
pub(super) fn fence_after(line: &str, open: Option<(char, usize)>) -> Option<(char, usize)> {
    let content = line.trim_start();
    let mark = content.chars().next().filter(|c| matches!(c, '`' | '~'));
    let count = content.chars().take_while(|c| Some(*c) == mark).count();
    match (open, mark) {
        (None, Some(mark)) if count >= 3 => Some((mark, count)),
        (Some((opened, least)), Some(mark)) if mark == opened && count >= least => {
            // A closing fence has nothing behind it.
            (!content[count..].trim().is_empty()).then_some((opened, least))
        }
        (open, _) => open,
    }
}

/// The whole code fence that a line opens, or the line.
pub(super) fn fenced(text: &str, line: Range<usize>) -> Range<usize> {
    let mut open = fence_after(&text[line.clone()], None);
    if open.is_none() {
        return line;
    }
    for next in lines::below(text, line.end) {
        open = fence_after(&text[next.clone()], open);
        if open.is_none() {
            return line.start..next.end;
        }
    }
    line.start..text.len()
}
