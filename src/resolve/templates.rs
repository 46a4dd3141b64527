//! Prometheus's template language in the author's own texts: braces, variables, labels.

mod go;

use std::ops::Range;

use super::context::Context;
use crate::diag::{Diagnostic, Severity, did_you_mean, one_of};
use crate::promql::Kept;
use crate::spec::Text;

/// Variables Prometheus gives to every template.
const VARIABLES: [&str; 4] = ["$labels", "$value", "$externalLabels", "$externalURL"];

/// The first `$value` of a template, if it has one.
pub(super) fn value_of(text: &str) -> Option<Range<usize>> {
    let actions = actions(text).into_iter().flatten();
    let mut words = actions.flat_map(|action| variables(text, action));
    words.find(|word| &text[word.clone()] == "$value")
}

/// Reports template code that would fail or stay empty for results with these labels.
pub(super) fn check(cx: &mut Context<'_>, text: &Text, kept: &Kept) {
    let mut declared: Vec<&str> = Vec::new();
    let mut whole = Vec::new();
    let known = cx.sink.count(Severity::Error);
    for action in actions(&text.value) {
        let action = match action {
            Ok(action) => action,
            Err(open) => {
                let at = cx.document.inside(text, open);
                let error = Diagnostic::error("bad-template", at, "`{{` is not closed");
                cx.sink
                    .push(error.help("write `}}` at the end, as in `{{ $labels.instance }}`"));
                return;
            }
        };
        whole.push(action.clone());
        for word in variables(&text.value, action) {
            let name = &text.value[word.clone()];
            let rest = text.value[word.end..].trim_start();
            if rest.starts_with(":=") || rest.starts_with(',') {
                declared.push(name);
            } else if !VARIABLES.contains(&name) && !declared.contains(&name) && name != "$" {
                unknown_variable(cx, text, word);
            } else if name == "$labels" {
                check_label(cx, text, word.end, kept);
            }
        }
    }
    // What is wrong with a variable has been reported already.
    let reported = cx.sink.count(Severity::Error) > known;
    if !reported && let Err((at, message)) = go::check(&text.value, &whole) {
        let at = cx.document.inside(text, at);
        cx.sink.push(Diagnostic::error("bad-template", at, message));
    }
}

fn unknown_variable(cx: &mut Context<'_>, text: &Text, word: Range<usize>) {
    let name = &text.value[word.clone()];
    let message = format!("unknown template variable `{name}`");
    let meant = did_you_mean(name, VARIABLES);
    let help = meant.unwrap_or_else(|| format!("use {}", one_of(&VARIABLES)));
    let error = Diagnostic::error("bad-template", cx.document.inside(text, word), message);
    cx.sink.push(error.help(help));
}

/// `$labels.name` must name a label that the alert's query keeps.
fn check_label(cx: &mut Context<'_>, text: &Text, at: usize, kept: &Kept) {
    let Some(rest) = text.value[at..].strip_prefix('.') else {
        return;
    };
    let name = &rest[..word_length(rest)];
    if name.is_empty() || kept.may_have(name) {
        return;
    }
    let at = cx.document.inside(text, at + 1..at + 1 + name.len());
    let message = format!("the alert's query does not return the label `{name}`");
    let error = Diagnostic::error("template-label-dropped", at, message);
    let error = match kept {
        Kept::Only(labels) if labels.is_empty() => error
            .help("add the label to `by` or to `prometheus.group_by`: the query returns no labels"),
        Kept::Only(labels) => {
            let known: Vec<_> = labels.iter().map(|label| &**label).collect();
            error
                .maybe_help(did_you_mean(name, known.iter().copied()))
                .help(format!(
                    "use a label of the query: `{}`",
                    known.join("`, `")
                ))
        }
        Kept::AllOf { .. } => error,
    };
    cx.sink.push(error);
}

/// What is between `{{` and `}}`, or a `{{` that nothing closes.
fn actions(text: &str) -> Vec<Result<Range<usize>, Range<usize>>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find("{{") {
        let start = at + open + 2;
        let Some(length) = closing(&text[start..]) else {
            found.push(Err(start - 2..start));
            return found;
        };
        found.push(Ok(start..start + length));
        at = start + length + 2;
    }
    found
}

/// Bytes before the `}}` of an action; strings and comments may hold braces.
fn closing(action: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = &action[at..];
        let c = rest.chars().next()?;
        at += match c {
            '}' if rest.starts_with("}}") => return Some(at),
            '{' if rest.starts_with("{{") => return None,
            '/' if rest.starts_with("/*") => rest.find("*/")? + 2,
            '"' | '`' => string_length(rest, c)?,
            _ => c.len_utf8(),
        };
    }
}

/// Length of the quoted string at the start, quotes included.
fn string_length(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' if quote == '"' => escaped = true,
            c if c == quote => return Some(i + 1),
            _ => {}
        }
    }
    None
}

fn variables(text: &str, action: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = action.start;
    while at < action.end {
        let rest = &text[at..action.end];
        let c = rest.chars().next().unwrap_or(' ');
        at += match c {
            '"' | '`' => string_length(rest, c).unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").unwrap_or(rest.len()),
            '$' => {
                let length = 1 + word_length(&rest[1..]);
                found.push(at..at + length);
                length
            }
            _ => c.len_utf8(),
        };
    }
    found
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let actions = actions(text).into_iter().filter_map(Result::ok);
        let words = actions.flat_map(|action| variables(text, action));
        words.map(|word| &text[word]).collect()
    }

    #[test]
    fn actions_end_where_their_braces_do() {
        assert_eq!(
            words("a {{ $labels.x }} {{ $value | f \"$no }}\" }}"),
            ["$labels", "$value"]
        );
        assert_eq!(words("{{ with $x := `}}$no` }}{{ $x }}"), ["$x", "$x"]);
        assert!(words("costs $5, {{/* $no */}}").is_empty());
        for (text, open) in [("{{ a", 0), ("{{ a {{ b }}", 0), ("{{ a }} {{ \"}}", 8)] {
            assert_eq!(actions(text).pop(), Some(Err(open..open + 2)), "{text}");
        }
    }
}
