//! Names of metrics that a text mentions in code: alone, in a query or in a command.
//!
//! A text may describe removed metrics. So a name counts only where nothing around it hints at a change.

use std::ops::Range;

use super::fence::Fence;
use crate::artifact::Role;
use crate::artifact::reader::Reader;
use slosmith_catalog::{self as catalog, is_in_name, word_at};
use slosmith_promql::{Dialect, parse_with};
use slosmith_text::source::mark_len;
use slosmith_text::yaml::Body;

/// Fences whose text is read for names; those of other languages are read as what they are, or not at all.
const FENCES: [&str; 10] = [
    "",
    "bash",
    "console",
    "prometheus",
    "sh",
    "shell",
    "shell-session",
    "text",
    "txt",
    "zsh",
];

/// Beginnings of words that tell of a change.
const STEMS: [&str; 26] = [
    "alias", "before", "chang", "compat", "deprecat", "drop", "error", "former", "gone", "hidden",
    "histor", "instead", "legac", "migrat", "miss", "obsol", "outdat", "previous", "releas",
    "remov", "renam", "replac", "typo", "unknown", "upgrad", "version",
];

/// Whole words that do.
const WORDS: [&str; 16] = [
    "dead", "did", "does", "don", "either", "exist", "longer", "new", "not", "old", "older", "or",
    "since", "until", "was", "wrong",
];

/// The same in other writing.
const SIGNS: [&str; 12] = [
    "V0", "V1", "→", "->", "=>", "改", "旧", "移除", "弃用", "废弃", "删除", "替",
];

pub(super) fn read(reader: &mut Reader, body: &Body<'_>, fences: &[Fence]) {
    let text = body.text();
    let mut page = Page::default();
    let mut fences = fences.iter().peekable();
    let mut at = mark_len(text);
    while at < text.len() {
        if let Some(fence) = fences.next_if(|fence| fence.whole.start <= at) {
            if FENCES.contains(&fence.language.as_str())
                && !page.tells_of_change(text, &fence.inner)
            {
                names(reader, body, fence.inner.clone());
            }
            page.is_open = false;
            at = fence.whole.end.max(at + 1);
            continue;
        }
        let end = text[at..].find('\n').map_or(text.len(), |len| at + len + 1);
        page.line(text, at..end);
        if !page.tells_of_change(text, &(at..end)) {
            for code in spans(text, at..end).filter(|code| is_query(&text[code.clone()])) {
                names(reader, body, code);
            }
        }
        at = end;
    }
}

/// What is around a line. Each part is looked through once, however many lines are in it.
#[derive(Default)]
struct Page {
    /// The headings above it: how deep, and whether they tell of a change.
    headings: Vec<(usize, bool)>,
    /// The lines without a blank one among them that it is in, or that are before it.
    block: Range<usize>,
    /// True when these tell of a change, or those before them that introduce them.
    is_change: bool,
    is_open: bool,
}

impl Page {
    fn line(&mut self, text: &str, line: Range<usize>) {
        let words = text[line.clone()].trim();
        let depth = words.len() - words.trim_start_matches('#').len();
        if depth > 0 {
            self.headings.retain(|(above, _)| *above < depth);
            self.headings.push((depth, tells_of_change(words)));
            (self.block, self.is_change, self.is_open) = (0..0, false, false);
        } else if words.is_empty() {
            self.is_open = false;
        } else if !self.is_open {
            let before = std::mem::replace(&mut self.block, line.start..end_of_block(text, &line));
            let before = text[before].trim_end();
            let block = &text[self.block.clone()];
            // Rows of a table stand for themselves, below the first one.
            let around = match words.starts_with('|') {
                true => &text[line],
                false => block,
            };
            self.is_change =
                tells_of_change(around) || (before.ends_with(':') && tells_of_change(before));
            self.is_open = true;
        }
    }

    fn tells_of_change(&self, text: &str, part: &Range<usize>) -> bool {
        self.is_change
            || self.headings.iter().any(|(_, is_change)| *is_change)
            || tells_of_change(&text[part.clone()])
    }
}

/// Where the lines end that a line begins: at a blank one, a heading or a fence.
fn end_of_block(text: &str, line: &Range<usize>) -> usize {
    let lines = text[line.end..].split_inclusive('\n');
    let ends = |words: &str| {
        let marks = ["#", "```", "~~~"];
        words.is_empty() || marks.iter().any(|mark| words.starts_with(mark))
    };
    let full = lines.take_while(|line| !ends(line.trim_start()));
    line.end + full.map(str::len).sum::<usize>()
}

fn tells_of_change(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    SIGNS.iter().any(|sign| text.contains(sign))
        || words
            .any(|word| WORDS.contains(&word) || STEMS.iter().any(|stem| word.starts_with(stem)))
}

/// The insides of a line's code spans.
fn spans(text: &str, line: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut at = line.start;
    std::iter::from_fn(move || {
        loop {
            let open = at + text[at..line.end].find('`')?;
            let ticks = text[open..line.end]
                .bytes()
                .take_while(|b| *b == b'`')
                .count();
            let start = open + ticks;
            let mark = &text[open..start];
            let Some(len) = text[start..line.end].find(mark) else {
                at = start;
                continue;
            };
            at = start + len + ticks;
            return Some(start..start + len);
        }
    })
}

fn is_query(code: &str) -> bool {
    catalog::mentions(code).next().is_some() && parse_with(code.trim(), Dialect::Grafana).is_ok()
}

fn names(reader: &mut Reader, body: &Body<'_>, part: Range<usize>) {
    let text = &body.text()[part.clone()];
    for at in catalog::mentions(text) {
        let len = word_at(text, at).len();
        let behind = text[at + len..].chars().next();
        let is_cut =
            text[..at].ends_with(is_in_name) || matches!(behind, Some('*' | '.' | '<' | '$'));
        let place = part.start + at..part.start + at + len;
        if let Some(name) = body.lines(place, 0).filter(|_| !is_cut) {
            reader.query(name, Dialect::Prometheus, Role::Mention);
        }
    }
}
