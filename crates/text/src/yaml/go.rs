//! Go templates: where the actions of a text are, and the tokens in one.
//!
//! `{{ $labels.job | title }}` is an action with a variable, a sign and a word.

use std::ops::Range;

/// The insides of a text's actions, in order; at the end perhaps a `{{` that nothing closes.
pub fn actions(text: &str) -> impl Iterator<Item = Result<Range<usize>, Range<usize>>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find("{{")? + 2;
        let inner = end(&text[start..]).map(|length| start..start + length);
        at = inner.as_ref().map_or(text.len(), |inner| inner.end + 2);
        Some(inner.ok_or(start - 2..start))
    })
}

/// Bytes before the `}}` of an action, behind its `{{`; strings and comments may hold braces.
pub fn end(inner: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = &inner[at..];
        let c = rest.chars().next()?;
        at += match c {
            '}' if rest.starts_with("}}") => return Some(at),
            '{' if rest.starts_with("{{") => return None,
            '/' if rest.starts_with("/*") => rest.find("*/")? + 2,
            '"' | '`' | '\'' => string_length(rest, c)?,
            _ => c.len_utf8(),
        };
    }
}

fn string_length(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' if quote != '`' => escaped = true,
            c if c == quote => return Some(i + 1),
            _ => {}
        }
    }
    None
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text in quotes or a number: a value that cannot be called.
    Constant,
    Word,
    /// `$x`, with its fields.
    Variable,
    /// `.x.y` or `.`
    Field,
    /// `|`, `(`, `)`, `,`, `:=`, `=`
    Sign(&'static str),
}

#[derive(Clone, Debug)]
pub struct Token<'t> {
    pub kind: Kind,
    pub text: &'t str,
    pub at: Range<usize>,
    /// True when a blank is in front of it.
    pub apart: bool,
}

impl<'t> Token<'t> {
    /// The name of the variable that it begins with: `$labels` of `$labels.job`.
    pub fn variable(&self) -> Option<&'t str> {
        let name = self.text.split('.').next();
        name.filter(|_| self.kind == Kind::Variable)
    }

    /// The label of the alert that it reads, with its bytes: `job` of `$labels.job` and `.Labels.job`.
    pub fn label(&self) -> Option<(&'t str, Range<usize>)> {
        let path = self.text.strip_prefix("$labels.");
        let path = path.or_else(|| self.text.strip_prefix(".Labels."))?;
        let name = path.split('.').next().filter(|name| !name.is_empty())?;
        let start = self.at.end - path.len();
        Some((name, start..start + name.len()))
    }

    /// True when the dot means something else from here on.
    pub fn moves_dot(&self) -> bool {
        self.is_word("range") || self.is_word("with")
    }

    pub fn is_word(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text == word
    }
}

/// The first bytes of an action that are no template, and why.
pub type Fault = (Range<usize>, String);

/// The tokens of an action; the first fault in it is the last.
pub fn tokens(text: &str, action: Range<usize>) -> impl Iterator<Item = Result<Token<'_>, Fault>> {
    let (mut at, end) = trimmed(text, &action);
    let mut is_first = true;
    std::iter::from_fn(move || {
        let body = &text[at..end];
        let rest = body.trim_start_matches(|c: char| c.is_ascii_whitespace());
        let first = rest.chars().next()?;
        let place = |length: usize| end - rest.len()..end - rest.len() + length;
        let apart = is_first || rest.len() < body.len();
        let comment = is_first && rest.starts_with("/*");
        is_first = false;
        if comment {
            at = end;
            let whole = rest.ends_with("*/") && rest.len() >= 4;
            let fault = "a comment must be alone in its braces".to_owned();
            return (!whole).then(|| Err((place(rest.len()), fault)));
        }
        let Some((kind, length)) = token(rest) else {
            at = end;
            let message = format!("`{first}` is not allowed in a template");
            return Some(Err((place(first.len_utf8()), message)));
        };
        let place = place(length);
        at = place.end;
        Some(Ok(Token {
            kind,
            text: &rest[..length],
            at: place,
            apart,
        }))
    })
}

/// An action without `-` at its ends, which trims blanks outside.
fn trimmed(text: &str, action: &Range<usize>) -> (usize, usize) {
    let body = &text[action.clone()];
    let blank = |c: char| c.is_ascii_whitespace();
    let start = match body.strip_prefix('-') {
        Some(rest) if rest.starts_with(blank) => action.start + 1,
        _ => action.start,
    };
    let end = match body.strip_suffix('-') {
        Some(rest) if rest.ends_with(blank) && action.end > start => action.end - 1,
        _ => action.end,
    };
    let inner = &text[start..end.max(start)];
    let lead = inner.len() - inner.trim_start_matches(blank).len();
    let trail = inner.len() - inner.trim_end_matches(blank).len();
    (
        start + lead,
        (start + inner.len() - trail).max(start + lead),
    )
}

fn token(text: &str) -> Option<(Kind, usize)> {
    const SIGNS: [&str; 6] = [":=", "=", "|", "(", ")", ","];
    if let Some(sign) = SIGNS.into_iter().find(|sign| text.starts_with(sign)) {
        return Some((Kind::Sign(sign), sign.len()));
    }
    let first = text.chars().next()?;
    let number = |t: &str| t.starts_with(|c: char| c.is_ascii_digit());
    let length = |text: &str, more: &[char]| {
        let end = text.find(|c: char| !(c.is_alphanumeric() || more.contains(&c)));
        end.unwrap_or(text.len())
    };
    let path = ['.', '_'];
    match first {
        '"' | '`' | '\'' => Some((Kind::Constant, string_length(text, first)?)),
        '$' => Some((Kind::Variable, 1 + length(&text[1..], &path))),
        '+' | '-' if number(&text[1..]) => Some((Kind::Constant, 1 + length(&text[1..], &path))),
        '.' if !number(&text[1..]) => Some((Kind::Field, length(text, &path).max(1))),
        c if c.is_ascii_digit() || c == '.' => Some((Kind::Constant, length(text, &path))),
        c if c.is_alphabetic() || c == '_' => Some((Kind::Word, length(text, &['_']))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let tokens = actions(text)
            .flatten()
            .flat_map(|at| tokens(text, at).flatten());
        tokens.filter_map(|token| token.variable()).collect()
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
            assert_eq!(actions(text).last(), Some(Err(open..open + 2)), "{text}");
        }
    }
}
