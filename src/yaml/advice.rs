//! What a text that is no YAML was meant to be: where the mistake was made, and how to mend it.
//!
//! A reader stops where it can go on no more, often lines behind the mistake.

use std::ops::Range;

use crate::diag::Diagnostic;
use crate::source::{Span, mark_len};

/// Says more of a fault of syntax, where the text shows what is wrong.
pub(super) fn explain(fault: Diagnostic, text: &str) -> Diagnostic {
    if fault.code != "invalid-yaml" {
        return fault;
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
        error = error.related(noticed, "noticed here");
    }
    error
}

/// A mistake.
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

/// The lines of a text with their first bytes.
struct Lines<'t>(Vec<(usize, &'t str)>);

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Self {
        let mut at = mark_len(text);
        let lines = text[at..].split_inclusive('\n').map(|line| {
            let start = at;
            at += line.len();
            (start, line.trim_end())
        });
        Self(lines.collect())
    }

    /// The line that a byte is on, from 0.
    fn number(&self, at: usize) -> usize {
        let after = self.0.partition_point(|(start, _)| *start <= at);
        after.saturating_sub(1)
    }

    fn text(&self, line: usize) -> &'t str {
        self.0.get(line).map_or("", |(_, text)| text)
    }

    fn start(&self, line: usize) -> usize {
        self.0.get(line).map_or(0, |(start, _)| *start)
    }

    /// The bytes of what a line says.
    fn content(&self, line: usize) -> Range<usize> {
        let (start, text) = (self.start(line), self.text(line));
        start + indent(text)..start + text.len()
    }

    /// The nearest line above that says something.
    fn above(&self, line: usize) -> Option<usize> {
        (0..line)
            .rev()
            .find(|line| says_something(self.text(*line)))
    }
}

fn says_something(line: &str) -> bool {
    let said = line.trim_start();
    !said.is_empty() && !said.starts_with('#')
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The key of a line, without the dash of a list in front of it.
fn key(line: &str) -> Option<&str> {
    let said = line.trim_start().trim_start_matches("- ");
    let end = said
        .find(": ")
        .or_else(|| said.strip_suffix(':').map(str::len))?;
    (!said.starts_with(['{', '[', '"', '\''])).then(|| &said[..end])
}

/// True for a line whose key has its value below it.
fn opens(line: &str) -> bool {
    let line = line.find(" #").map_or(line, |at| &line[..at]);
    line.trim_end().ends_with(':') || line.trim_start() == "-"
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
    let message = "a tab indents this line: YAML takes blanks alone";
    Mistake::new(tab..tab + blanks, message, "write two blanks for each tab")
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
        "put all of the text into quotes: `\"{{ … }}\"`",
    )
}

/// A quote that is still open at the end of its line.
fn unclosed_quote(lines: &Lines<'_>, line: usize, message: &str) -> Option<Mistake> {
    if !message.contains("quoted") && !message.contains("quote") {
        return None;
    }
    let first = line.saturating_sub(200);
    let (line, at) = (first..=line).rev().find_map(|line| {
        let open = Open::of(lines.text(line)).quote?;
        Some((line, open))
    })?;
    let at = lines.start(line) + at;
    let message = "the quote that opens here is not closed";
    Mistake::new(at..at + 1, message, "close it at the end of the text")
}

/// A bracket that is still open at the end of its line.
fn unclosed_bracket(lines: &Lines<'_>, line: usize, message: &str) -> Option<Mistake> {
    let words = ["flow", "bracket", "illegal placement"];
    let flow = words.iter().any(|word| message.contains(word));
    if !flow {
        return None;
    }
    if message.contains("mismatched") {
        let text = lines.text(line);
        let wrong = Open::of(text).wrong?;
        let at = lines.start(line) + wrong;
        let open = if text[wrong..].starts_with(']') {
            '{'
        } else {
            '['
        };
        let close = if open == '{' { '}' } else { ']' };
        let message = format!("`{}` closes what `{open}` opened", &text[wrong..=wrong]);
        return Mistake::new(at..at + 1, message, format!("write `{close}`"));
    }
    let first = line.saturating_sub(200);
    let (line, at) = (first..=line).rev().find_map(|line| {
        let open = Open::of(lines.text(line)).bracket?;
        Some((line, open))
    })?;
    let bracket = &lines.text(line)[at..=at];
    let close = if bracket == "{" { "}" } else { "]" };
    let at = lines.start(line) + at;
    let message = format!("the `{bracket}` that opens here is not closed");
    Mistake::new(
        at..at + 1,
        message,
        format!("write `{close}` where it ends"),
    )
}

/// What a line leaves open.
#[derive(Default)]
struct Open {
    quote: Option<usize>,
    bracket: Option<usize>,
    /// A bracket that closes one of the other kind.
    wrong: Option<usize>,
}

impl Open {
    fn of(line: &str) -> Self {
        let mut brackets: Vec<(usize, char)> = Vec::new();
        let mut quote: Option<(usize, char)> = None;
        let mut wrong = None;
        let mut before = ' ';
        for (at, c) in line.char_indices() {
            match (quote, c) {
                (Some((_, open)), c) if c == open && before != '\\' => quote = None,
                (Some(_), _) => {}
                (None, '#') if before == ' ' => break,
                (None, '"' | '\'') if matches!(before, ' ' | '[' | '{' | ',') => {
                    quote = Some((at, c));
                }
                (None, '{' | '[') => brackets.push((at, c)),
                (None, '}' | ']') => {
                    let open = if c == '}' { '{' } else { '[' };
                    if brackets.pop().is_some_and(|(_, found)| found != open) {
                        wrong = wrong.or(Some(at));
                    }
                }
                _ => {}
            }
            before = c;
        }
        Self {
            quote: quote.map(|(at, _)| at),
            bracket: brackets.last().map(|(at, _)| *at),
            wrong,
        }
    }
}

/// `'isn't'` ends at its second apostrophe.
fn apostrophe(lines: &Lines<'_>, line: usize, message: &str) -> Option<Mistake> {
    let (quote, written) = match message {
        m if m.contains("after single-quoted") => ('\'', "''"),
        m if m.contains("after double-quoted") => ('"', "\\\""),
        _ => return None,
    };
    let text = lines.text(line);
    let open = text.find(quote)?;
    let at = open + 1 + text[open + 1..].find(quote)?;
    let at = lines.start(line) + at;
    let message = format!("the text ends at this `{quote}`, and more follows");
    Mistake::new(
        at..at + 1,
        message,
        format!("write `{written}` for a quote inside the text"),
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
        "put all of the text into quotes",
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
        "a text with a colon and a blank needs quotes: the value of `{key}` looks like a key"
    );
    Mistake::new(at..at + 1, message, "put all of the text into quotes")
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
            "this line begins no item of the list",
            format!("write `- {text}`"),
        ),
        false => {
            let word = text.split_whitespace().next().unwrap_or(text);
            match word.split_once(':') {
                Some((key, _)) => (
                    "no blank follows the colon",
                    format!("write a blank behind it: `{key}: …`"),
                ),
                None => (
                    "this line has no colon",
                    format!("write a colon and a blank behind the key: `{word}: …`"),
                ),
            }
        }
    };
    Mistake::new(lines.content(line), message, help)
}

/// A line that stands further right or left than those beside it.
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
        "this line is indented by {found}, the entries of `{parent_key}` (line {place}) by {beside}"
    );
    let help = format!("indent it by {beside} blanks to make it one of them");
    let mut mistake = Mistake::new(lines.content(wrong), message, help)?;
    mistake.related = Some((lines.content(parent), "its parent"));
    Some(mistake)
}
