//! Quotes and brackets that are not closed, or closed too early.

use super::Mistake;
use super::lines::Lines;

/// A quote that is still open at the end of its line.
pub(super) fn unclosed_quote(lines: &Lines<'_>, line: usize, message: &str) -> Option<Mistake> {
    if !message.contains("quoted") && !message.contains("quote") {
        return None;
    }
    let first = line.saturating_sub(200);
    let (line, at) = (first..=line).rev().find_map(|line| {
        let open = Open::of(lines.text(line)).quote?;
        Some((line, open))
    })?;
    let at = lines.start(line) + at;
    let message = "this quote is not closed";
    Mistake::new(
        at..at + 1,
        message,
        "close the quote at the end of the text",
    )
}

/// A bracket that is still open at the end of its line.
pub(super) fn unclosed_bracket(lines: &Lines<'_>, line: usize, message: &str) -> Option<Mistake> {
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
        let message = format!("`{}` cannot close `{open}`", &text[wrong..=wrong]);
        return Mistake::new(at..at + 1, message, format!("write `{close}`"));
    }
    let first = line.saturating_sub(200);
    let (line, at) = (first..=line).rev().find_map(|line| {
        let open = Open::of(lines.text(line)).bracket?;
        Some((line, open))
    })?;
    let bracket = &lines.text(line)[at..=at];
    let (close, what) = match bracket {
        "{" => ("}", "mapping"),
        _ => ("]", "list"),
    };
    let at = lines.start(line) + at;
    let message = format!("this `{bracket}` is not closed");
    Mistake::new(
        at..at + 1,
        message,
        format!("add `{close}` at the end of the {what}"),
    )
}

#[derive(Default)]
struct Open {
    quote: Option<usize>,
    bracket: Option<usize>,
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

pub(super) fn apostrophe(lines: &Lines<'_>, line: usize, message: &str) -> Option<Mistake> {
    let (quote, written) = match message {
        m if m.contains("after single-quoted") => ('\'', "''"),
        m if m.contains("after double-quoted") => ('"', "\\\""),
        _ => return None,
    };
    let text = lines.text(line);
    let open = text.find(quote)?;
    let at = open + 1 + text[open + 1..].find(quote)?;
    let at = lines.start(line) + at;
    let message = format!("this `{quote}` ends the text, but more text follows");
    Mistake::new(
        at..at + 1,
        message,
        format!("write `{written}` for a quote inside the text"),
    )
}
