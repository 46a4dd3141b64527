//! `{{ … }}` and `{% … %}`; Terraform's `${ … }` and `%{ … }`.

use std::ops::Range;

use memchr::memmem;

use crate::yaml::go;
use crate::yaml::node::Filler;

pub(super) struct Action {
    pub(super) range: Range<usize>,
    pub(super) what: What,
}

pub(super) enum What {
    Raw(Range<usize>),
    /// Writes text that is spelled with escapes.
    Quoted(String),
    Value,
    Open,
    Else,
    End,
    /// Writes nothing: a comment, an assignment.
    Silent,
}

/// What only Helm's templates ask for.
const HELM: [&str; 5] = [
    ".Values",
    ".Release.",
    ".Chart.",
    ".Capabilities.",
    ".Files.",
];

const PROMETHEUS: [&str; 8] = [
    "$labels",
    "$value",
    "$externalLabels",
    "$externalURL",
    ".Labels",
    ".Value",
    "query ",
    "end",
];

impl Action {
    /// True for what only Helm's templates hold: its values, its functions, braces that are escaped.
    pub(super) fn is_helm(&self, text: &str) -> bool {
        let inner = inner(&text[self.range.clone()]);
        let function = ["include ", "toYaml ", "tpl ", "required "];
        match &self.what {
            What::Raw(at) => text[at.clone()].contains(['{', '}']),
            What::Quoted(quoted) => quoted.contains(['{', '}']),
            _ => {
                let begins =
                    |names: &[&str], at| names.iter().any(|name| inner[at..].starts_with(name));
                let mut dots = memchr::memchr_iter(b'.', inner.as_bytes());
                dots.any(|at| begins(&HELM, at)) || begins(&function, 0)
            }
        }
    }

    /// True for what Prometheus itself may fill in.
    pub(super) fn is_prometheus(&self, text: &str) -> bool {
        let inner = inner(&text[self.range.clone()]);
        !self.is_helm(text) && PROMETHEUS.iter().any(|name| inner.contains(name))
    }
}

/// All actions of a text; `None` when one does not end.
pub(super) fn all(text: &str, filler: Filler) -> Option<Vec<Action>> {
    each(text, filler).collect()
}

pub(super) fn each(text: &str, filler: Filler) -> impl Iterator<Item = Option<Action>> {
    let terraform = filler == Filler::Terraform;
    let jinja = memmem::find(text.as_bytes(), b"{%").is_some();
    // Of a PromQL query's braces, nearly all stand alone.
    let sign = memmem::Finder::new(if jinja || terraform { "{" } else { "{{" });
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            at += sign.find(&text.as_bytes()[at..])?;
            let rest = &text[at..];
            let found = if terraform {
                match self::terraform(text, at) {
                    Some(found) => {
                        at = found.range.end;
                        return Some(Some(found));
                    }
                    None if begins(text, at) => None,
                    None => {
                        at += 1;
                        continue;
                    }
                }
            } else if let Some(action) = rest.strip_prefix("{{") {
                go::end(action).map(|end| (end + 4, written(&rest[..end + 4], at)))
            } else if rest.starts_with("{%") {
                statement(rest, at)
            } else if rest.starts_with("{#") {
                rest.find("#}").map(|end| (end + 2, What::Silent))
            } else {
                at += 1;
                continue;
            };
            let range = at..at + found.as_ref().map_or(rest.len(), |(len, _)| *len);
            at = range.end;
            return Some(found.map(|(_, what)| Action { range, what }));
        }
    })
}

/// Where the words of an action begin.
fn inner_start(action: &str) -> usize {
    let rest = action[2..].strip_prefix('-').unwrap_or(&action[2..]);
    action.len() - rest.trim_start().len()
}

fn inner(action: &str) -> &str {
    let action = action
        .get(2..action.len().saturating_sub(2))
        .unwrap_or_default();
    let action = action.strip_prefix('-').unwrap_or(action);
    action.strip_suffix('-').unwrap_or(action).trim()
}

fn written(action: &str, at: usize) -> What {
    let words = inner(action);
    if let Some(quote) = words
        .chars()
        .next()
        .filter(|c| ['"', '`', '\''].contains(c))
    {
        let body = words[1..].strip_suffix(quote);
        return match body.filter(|body| !body.contains(quote)) {
            Some(body) if quote != '`' && body.contains('\\') => {
                crate::yaml::json_string(words).map_or(What::Value, What::Quoted)
            }
            Some(body) => {
                let start = at + inner_start(action) + 1;
                What::Raw(start..start + body.len())
            }
            None => What::Value,
        };
    }
    let first = words.split([' ', '\t', '\n', '\r', '(']).next();
    match first.unwrap_or_default() {
        "if" | "with" | "range" | "define" | "block" => What::Open,
        "else" => What::Else,
        "end" => What::End,
        "break" | "continue" => What::Silent,
        word if word.starts_with("/*") => What::Silent,
        word if word.starts_with('$') && assigns(&words[word.len()..]) => What::Silent,
        _ => What::Value,
    }
}

/// True for ` := …`, ` = …` and `, $x := …`.
fn assigns(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.starts_with(":=") || rest.starts_with("= ")
}

/// `{% … %}`; what is between `raw` and `endraw` is literal.
fn statement(text: &str, at: usize) -> Option<(usize, What)> {
    let len = text.find("%}")? + 2;
    let words = inner(&text[..len]);
    let first = words.split(' ').next().unwrap_or_default();
    let what = match first {
        "raw" => {
            let behind = &text[len..];
            let close = behind.match_indices("{%").find(|(i, _)| {
                let word = behind[i + 2..].trim_start_matches(['-', ' ']);
                word.starts_with("endraw")
            });
            let end = len + close?.0;
            let whole = end + text[end..].find("%}")? + 2;
            return Some((whole, What::Raw(at + len..at + end)));
        }
        "if" | "for" | "block" | "macro" | "filter" | "call" | "with" => What::Open,
        "set" if !words.contains('=') => What::Open,
        "elif" | "else" => What::Else,
        word if word.starts_with("end") => What::End,
        _ => What::Silent,
    };
    Some((len, what))
}

/// What Terraform does at a brace: it writes a value, chooses a branch, or leaves a sign that is escaped by another
/// one; `None` for a brace that is none of its own, and for `${` without an end.
fn terraform(text: &str, brace: usize) -> Option<Action> {
    let start = brace.checked_sub(1)?;
    let sign = char::from(text.as_bytes()[start]);
    if !matches!(sign, '$' | '%') {
        return None;
    }
    if text[..start].ends_with(sign) {
        let what = What::Raw(start..brace + 1);
        return Some(Action {
            range: start - 1..brace + 1,
            what,
        });
    }
    let what = match sign {
        '$' => What::Value,
        _ => directive(&text[brace + 1..])?,
    };
    let end = closed(text, brace)?;
    Some(Action {
        range: start..end,
        what,
    })
}

/// True for a brace that begins what Terraform fills in.
fn begins(text: &str, brace: usize) -> bool {
    let is_directive = text[..brace].ends_with('%') && directive(&text[brace + 1..]).is_some();
    is_directive || text[..brace].ends_with('$')
}

/// One past the `}` of a `{`; quotes may hold both.
fn closed(text: &str, brace: usize) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0_u32, false, false);
    for (at, byte) in text.bytes().enumerate().skip(brace) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            b'{' if !quoted => depth += 1,
            b'}' if !quoted => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// What the words behind `%{` say.
fn directive(words: &str) -> Option<What> {
    let words = words.trim_start_matches('~').trim_start();
    let end = words.find(|c: char| !c.is_ascii_alphanumeric());
    match &words[..end.unwrap_or(words.len())] {
        "if" | "for" => Some(What::Open),
        "else" => Some(What::Else),
        "endif" | "endfor" => Some(What::End),
        _ => None,
    }
}

/// True for a text with signs that only Terraform's templates have: an escaped `${`, or a directive.
pub(super) fn is_terraform(text: &str) -> bool {
    let behind = |sign: &'static str| {
        let found = memmem::find_iter(text.as_bytes(), sign);
        found.map(move |at| &text[at + sign.len()..])
    };
    let is_name = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    behind("$${").any(is_name) || behind("%{").any(|rest| directive(rest).is_some())
}
