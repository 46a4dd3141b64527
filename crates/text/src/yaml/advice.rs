//! Explains invalid YAML: where the mistake is, and how to fix it.
//!
//! A reader stops where it can go on no more, often lines behind the mistake.

mod lines;
mod open;

use std::ops::Range;

use lines::{Lines, indent, key, opens, says_something};
use open::{apostrophe, unclosed_bracket, unclosed_quote};

use crate::diag::Diagnostic;
use crate::source::{FileId, Span};

pub(super) fn explain(fault: Diagnostic, text: &str) -> Diagnostic {
    if fault.code != "invalid-yaml" {
        return fault;
    }
    if let Some(found) = conflict(fault.span.file, text) {
        return found;
    }
    let lines = Lines::of(text);
    let at = fault.span.range().start.min(text.len());
    let line = lines.number(at);
    let found = tab(&lines, line)
        .or_else(|| placeholder(&lines, line))
        .or_else(|| unclosed_quote(&lines, line, &fault.message))
        .or_else(|| unclosed_bracket(&lines, line, &fault.message))
        .or_else(|| apostrophe(&lines, line, &fault.message))
        .or_else(|| first_character(&lines, line, at))
        .or_else(|| colon_in_text(&lines, line))
        .or_else(|| no_colon(&lines, line, &fault.message))
        .or_else(|| indentation(&lines, line));
    let Some(found) = found else {
        return fault;
    };
    let span = |range| Span::new(fault.span.file, range);
    let noticed = fault.span;
    let mut error = Diagnostic::error("invalid-yaml", span(found.at.clone()), found.message);
    error.help.push(found.help);
    if let Some((range, words)) = found.related {
        error = error.related(span(range), words);
    } else if lines.number(found.at.start) != line {
        error = error.related(noticed, "detected here");
    }
    error
}

/// The first marker of a merge that was not finished.
pub(super) fn conflict(file: FileId, text: &str) -> Option<Diagnostic> {
    const MARKER: &str = "<<<<<<< ";
    let lines = text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    });
    let (start, line) = lines
        .into_iter()
        .find(|(_, line)| line.starts_with(MARKER))?;
    let span = Span::new(file, start..start + line.trim_end().len());
    let error = Diagnostic::error(
        "invalid-yaml",
        span,
        "the file has an unresolved merge conflict",
    );
    Some(error.help(
        "keep one side, and remove the lines that begin with `<<<<<<<`, `=======` and `>>>>>>>`",
    ))
}

struct Mistake {
    at: Range<usize>,
    message: String,
    help: String,
    related: Option<(Range<usize>, &'static str)>,
}

impl Mistake {
    fn new(at: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Option<Self> {
        let (message, help) = (message.into(), help.into());
        let related = None;
        Some(Self {
            at,
            message,
            help,
            related,
        })
    }
}

/// Tabs in front of what a line says, on this line or the next one.
fn tab(lines: &Lines<'_>, line: usize) -> Option<Mistake> {
    let tabbed = |line: &usize| {
        let text = lines.text(*line);
        let blank = text.len() - text.trim_start_matches([' ', '\t']).len();
        text[..blank].contains('\t')
    };
    let line = [line, line + 1].into_iter().find(tabbed)?;
    let text = lines.text(line);
    let tab = lines.start(line) + text.find('\t')?;
    let blanks = text[..text.len() - text.trim_start().len()].len() - indent(text);
    let message = "this line is indented with a tab: YAML allows only spaces";
    Mistake::new(
        tab..tab + blanks,
        message,
        "replace each tab with two spaces",
    )
}

/// `{{ … }}` without quotes is a map in a map.
fn placeholder(lines: &Lines<'_>, line: usize) -> Option<Mistake> {
    let text = lines.text(line);
    let at = text.find(": {{").map(|at| at + 2)?;
    let at = lines.start(line) + at;
    let message = "a text that begins with `{{` needs quotes";
    Mistake::new(
        at..at + 2,
        message,
        "put the whole text in quotes: `\"{{ … }}\"`",
    )
}

/// A text that begins with a sign of YAML's.
fn first_character(lines: &Lines<'_>, line: usize, at: usize) -> Option<Mistake> {
    let start = lines.start(line);
    let rest = lines.text(line).get(at.checked_sub(start)?..)?;
    let c = rest.chars().next()?;
    if !matches!(c, '@' | '`' | '%' | '*' | '&' | '!' | '|' | '>') {
        return None;
    }
    let message = match c {
        '`' => "a text that begins with a backtick needs quotes".to_owned(),
        c => format!("a text that begins with `{c}` needs quotes"),
    };
    Mistake::new(
        at..at + c.len_utf8(),
        message,
        "put the whole text in quotes",
    )
}

/// `summary: queue: too long`.
fn colon_in_text(lines: &Lines<'_>, line: usize) -> Option<Mistake> {
    let text = lines.text(line);
    let key = key(text)?;
    let value = text.find(key)? + key.len() + 2;
    let rest = text.get(value..)?;
    let open = rest.trim_start().starts_with(['"', '\'', '{', '[']);
    let colon = rest
        .find(": ")
        .or_else(|| rest.strip_suffix(':').map(str::len));
    let colon = colon.filter(|_| !open)?;
    let at = lines.start(line) + value + colon;
    let message = format!(
        "a text with a colon and a space needs quotes: the value of `{key}` looks like a key"
    );
    Mistake::new(at..at + 1, message, "put the whole text in quotes")
}

/// A line that is neither a key with its value nor an item of a list.
fn no_colon(lines: &Lines<'_>, line: usize, message: &str) -> Option<Mistake> {
    let words = ["expected ':'", "expected '-'"];
    let own = words
        .iter()
        .any(|word| message.contains(word))
        .then_some(line);
    let above = lines.above(line).filter(|above| {
        let (here, above) = (lines.text(line), lines.text(*above));
        indent(above) == indent(here) && !above.trim_start().starts_with("- ")
    });
    let item = message.contains("expected '-'");
    let line = own.or(above);
    let line = line.filter(|line| item || key(lines.text(*line)).is_none())?;
    let text = lines.text(line).trim();
    let list = item
        || lines.above(line).is_some_and(|above| {
            let above = lines.text(above);
            above.trim_start().starts_with("- ")
        });
    let (message, help) = match list {
        true => (
            "this line is in a list but does not start with `- `",
            format!("write `- {text}`"),
        ),
        false => {
            let word = text.split_whitespace().next().unwrap_or(text);
            match word.split_once(':') {
                Some((key, _)) => (
                    "a space is missing after the colon",
                    format!("write a space after the colon: `{key}: …`"),
                ),
                None => (
                    "this line has no colon",
                    format!("write a colon and a space after the key: `{word}: …`"),
                ),
            }
        }
    };
    Mistake::new(lines.content(line), message, help)
}

fn spaces(count: usize) -> String {
    match count {
        1 => "1 space".to_owned(),
        count => format!("{count} spaces"),
    }
}

/// A line that is indented more or less than the lines next to it.
fn indentation(lines: &Lines<'_>, line: usize) -> Option<Mistake> {
    let here = indent(lines.text(line));
    let mut at = line;
    let mut left = None;
    let parent = loop {
        at = lines.above(at)?;
        let text = lines.text(at);
        if indent(text) < here {
            match opens(text) {
                true => break at,
                false => left = left.or(Some(at)),
            }
        }
    };
    let child = (parent + 1..line).find(|line| says_something(lines.text(*line)));
    let beside = child.map_or(here, |child| indent(lines.text(child)));
    // The first line below a key belongs to it only when it stands further right.
    let lost = child.filter(|_| beside <= indent(lines.text(parent)));
    let beside = if lost.is_some() { here } else { beside };
    let parent_key = key(lines.text(parent)).unwrap_or_default();
    // A line above ended what this one goes on with.
    let wrong = match left {
        _ if lost.is_some() => lost.unwrap_or(line),
        Some(left) if beside == here => left,
        _ => line,
    };
    let found = indent(lines.text(wrong));
    if found == beside {
        return None;
    }
    let place = parent + 1;
    let message = format!(
        "wrong indentation: this line has {}, the other entries of `{parent_key}` (line {place}) have {beside}",
        spaces(found)
    );
    let help = format!(
        "indent this line by {} to make it an entry of `{parent_key}`",
        spaces(beside)
    );
    let mut mistake = Mistake::new(lines.content(wrong), message, help)?;
    mistake.related = Some((lines.content(parent), "the parent key"));
    Some(mistake)
}
