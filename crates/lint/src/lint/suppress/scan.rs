//! The suppression comments of a file, and their extent.

use std::ops::Range;

use memchr::memmem;

use super::extent::{self, Below};
use super::lines;
use super::parse::MARK;
use slosmith_text::source::mark_len;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// `# …`, and `// …` in source code; also inside a PromQL block scalar, where `#` starts a comment, too.
    Yaml,
    /// `<!-- … -->`, and `# …` inside of code fences.
    Markdown,
}

#[derive(Debug)]
pub(super) struct Comment<'a> {
    pub(super) words: &'a str,
    /// Where they start.
    pub(super) at: usize,
    /// The bytes to remove with the comment.
    pub(super) whole: Range<usize>,
    /// The bytes it covers.
    pub(super) covers: Range<usize>,
}

pub(super) fn comments(text: &str, syntax: Syntax) -> Vec<Comment<'_>> {
    // Almost no file has any.
    if memmem::find(text.as_bytes(), MARK.as_bytes()).is_none() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let (mut below, mut marked) = (Below::default(), Below::default());
    let mut fence = None;
    for line in lines::from(text, mark_len(text)) {
        let hash = match syntax {
            Syntax::Yaml => true,
            Syntax::Markdown => fence.is_some(),
        };
        if hash {
            found.extend(with_hash(text, line.clone(), &mut below));
        } else {
            found.extend(in_markup(text, line.clone(), &mut marked));
        }
        if syntax == Syntax::Markdown {
            fence = extent::fence_after(&text[line], fence);
        }
    }
    found
}

/// `# slosmith: …` after a blank or alone.
fn with_hash<'t>(text: &'t str, line: Range<usize>, below: &mut Below) -> Option<Comment<'t>> {
    let words = &text[line.clone()];
    let mut marks = words.match_indices(MARK);
    let (at, code) = marks.find_map(|(at, _)| Some((at, before_hash(words, at)?)))?;
    let covers = if code.trim().is_empty() {
        below.of(text, line.end, is_hash_comment, extent::value)
    } else {
        Some(extent::value(text, line.clone()))
    };
    Some(Comment {
        words: &words[at..],
        at: line.start + at,
        whole: whole(text, &line, code, line.end),
        covers: covers.unwrap_or(line.end..line.end),
    })
}

/// What precedes a comment whose words start at `at`; `None` when no comment does.
fn before_hash(line: &str, at: usize) -> Option<&str> {
    let before = line[..at].trim_end();
    let code = match before.strip_suffix("//") {
        Some(code) => code,
        None => before.strip_suffix('#')?.trim_end_matches('#'),
    };
    let odd = |part: &str| part.matches('"').count() % 2 == 1;
    // A text that ends on this line, but started above, leaves one quote before the comment and none in it.
    let in_text = odd(code) && odd(&line[at..]);
    let free = code.is_empty() || code.ends_with([' ', '\t']);
    (free && !in_text).then_some(code)
}

fn is_hash_comment(line: &str) -> bool {
    line.trim_start().starts_with(['#', '/'])
}

/// `<!-- slosmith: … -->`.
fn in_markup<'t>(text: &'t str, line: Range<usize>, below: &mut Below) -> Option<Comment<'t>> {
    let (before, words) = text[line.clone()].split_at(text[line.clone()].find(MARK)?);
    let code = before.trim_end().strip_suffix("<!--")?;
    let (words, after) = words.split_once("-->")?;
    let alone = code.trim().is_empty() && after.trim().is_empty();
    let covers = if alone {
        let skipped = |line: &str| line.trim().is_empty() || line.trim_start().starts_with("<!--");
        below.of(text, line.end, skipped, extent::fenced)
    } else {
        Some(line.clone())
    };
    let end = line.end - after.len();
    Some(Comment {
        words,
        at: line.start + before.len(),
        whole: whole(text, &line, code, if alone { line.end } else { end }),
        covers: covers.unwrap_or(line.end..line.end),
    })
}

/// A comment with the blanks before it, or the line that it fills.
fn whole(text: &str, line: &Range<usize>, code: &str, end: usize) -> Range<usize> {
    if !code.trim().is_empty() {
        return line.start + code.trim_end().len()..end;
    }
    let next = lines::next(text, line.end);
    line.start..if end == line.end { next } else { end }
}
