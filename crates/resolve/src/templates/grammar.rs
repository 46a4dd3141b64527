//! The grammar of Go's text/template, with the functions that Prometheus 3 gives to it: what Prometheus would not load.

use std::ops::Range;

use slosmith_text::yaml::go::{self, Fault, Kind, Token};

const FUNCTIONS: [&str; 48] = [
    "and",
    "call",
    "eq",
    "ge",
    "gt",
    "html",
    "index",
    "js",
    "le",
    "len",
    "lt",
    "ne",
    "not",
    "or",
    "print",
    "printf",
    "println",
    "slice",
    "urlquery", // Go
    "args",
    "externalURL",
    "first",
    "graphLink",
    "humanize",
    "humanize1024",
    "humanizeDuration",
    "humanizePercentage",
    "humanizeTimestamp",
    "label",
    "match",
    "now",
    "parseDuration",
    "pathPrefix",
    "query",
    "reReplaceAll",
    "safeHtml",
    "sortByLabel",
    "stripDomain",
    "stripPort",
    "strvalue",
    "tableLink",
    "title",
    "tmpl",
    "toDuration",
    "toLower",
    "toTime",
    "toUpper",
    "value",
];

/// Fields of the dot where nothing has changed it.
const FIELDS: [&str; 4] = ["Labels", "ExternalLabels", "ExternalURL", "Value"];

/// Checks the actions of a text, which are between `{{` and `}}` at `actions`.
pub(super) fn check(text: &str, actions: &[Range<usize>]) -> Result<(), Fault> {
    let mut open: Vec<(Range<usize>, Block)> = Vec::new();
    for action in actions {
        let tokens = go::tokens(text, action.clone()).collect::<Result<Vec<_>, _>>()?;
        let whole = action.start.saturating_sub(2)..(action.end + 2).min(text.len());
        if tokens.is_empty() && !text[action.clone()].contains("/*") {
            return Err((whole, "a value is missing".to_owned()));
        }
        control(&tokens, &whole, &mut open)?;
    }
    match open.pop() {
        None => Ok(()),
        Some((at, block)) => Err((
            at,
            format!("`{}` is not closed with `{{{{ end }}}}`", block.word()),
        )),
    }
}

/// What an `end` ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    If,
    Range,
    With,
    Define,
    Else,
}

impl Block {
    fn word(self) -> &'static str {
        match self {
            Self::If => "if",
            Self::Range => "range",
            Self::With => "with",
            Self::Define => "define",
            Self::Else => "else",
        }
    }
}

/// Opens and closes blocks, and checks what follows their words.
fn control(
    tokens: &[Token<'_>],
    whole: &Range<usize>,
    open: &mut Vec<(Range<usize>, Block)>,
) -> Result<(), Fault> {
    let fault = |message: &str| Err((whole.clone(), message.to_owned()));
    // Inside of `range` and `with` the dot is something else.
    let inside = |open: &[(Range<usize>, Block)]| {
        open.iter()
            .any(|(_, b)| !matches!(b, Block::If | Block::Else))
    };
    let Some(first) = tokens.first() else {
        return Ok(());
    };
    let rest = &tokens[1..];
    let word = if first.kind == Kind::Word {
        first.text
    } else {
        ""
    };
    match word {
        "if" | "range" | "with" => {
            let dot = inside(open);
            let block = match word {
                "if" => Block::If,
                "range" => Block::Range,
                _ => Block::With,
            };
            open.push((whole.clone(), block));
            pipeline(rest, whole, dot)
        }
        "else" => match (open.pop(), rest.first()) {
            (None | Some((_, Block::Define | Block::Else)), _) => {
                fault("`else` without `if`, `range` or `with`")
            }
            (Some((at, _)), None) => {
                open.push((at, Block::Else));
                Ok(())
            }
            (Some((at, block)), Some(next))
                if next.text == block.word() && block != Block::Range =>
            {
                let dot = inside(open);
                open.push((at, block));
                pipeline(&rest[1..], whole, dot)
            }
            _ => fault("only the keyword of its block can follow `else`, as in `else if`"),
        },
        "end" => match (open.pop(), rest.is_empty()) {
            (None, _) => fault("`end` has no block to close"),
            (_, false) => fault("`end` must be alone in its braces"),
            _ => Ok(()),
        },
        "break" | "continue" => {
            match open.iter().any(|(_, b)| *b == Block::Range) && rest.is_empty() {
                true => Ok(()),
                false => fault(&format!("`{word}` must be alone, inside a `range` block")),
            }
        }
        "define" | "block" | "template" => named(word, rest, whole, open),
        _ => pipeline(tokens, whole, inside(open)),
    }
}

/// `define "x"`, `template "x" .`, `block "x" .`
fn named(
    word: &str,
    rest: &[Token<'_>],
    whole: &Range<usize>,
    open: &mut Vec<(Range<usize>, Block)>,
) -> Result<(), Fault> {
    let fault = |message: &str| Err((whole.clone(), message.to_owned()));
    if word == "define" && !open.is_empty() {
        return fault("`define` must be outside other blocks");
    }
    match rest.split_first() {
        Some((name, rest)) if name.kind == Kind::Constant && name.text.starts_with(['"', '`']) => {
            match word {
                "define" if !rest.is_empty() => return fault("`define` must have only a name"),
                "block" if rest.is_empty() => return fault("`block` needs a value"),
                "template" => {}
                _ => open.push((whole.clone(), Block::Define)),
            }
            match rest.is_empty() {
                true => Ok(()),
                false => pipeline(rest, whole, true),
            }
        }
        _ => fault(&format!("`{word}` needs a name in quotes")),
    }
}

/// Commands with `|` between them, perhaps behind `$x :=`.
fn pipeline(tokens: &[Token<'_>], whole: &Range<usize>, dot: bool) -> Result<(), Fault> {
    let fault = |at: &Range<usize>, message: String| Err((at.clone(), message));
    let assigned = tokens
        .iter()
        .position(|t| matches!(t.kind, Kind::Sign(":=" | "=")));
    let tokens = match assigned {
        Some(at) => {
            let left = &tokens[..at];
            let names = |t: &Token<'_>| t.kind == Kind::Variable && !t.text.contains('.');
            let fits = match left {
                [one] => names(one),
                [one, comma, two] => names(one) && comma.text == "," && names(two),
                _ => false,
            };
            if !fits {
                return fault(
                    &tokens[at].at,
                    format!("`{}` must follow a variable", tokens[at].text),
                );
            }
            &tokens[at + 1..]
        }
        None => tokens,
    };
    let mut depth: Vec<(usize, bool)> = Vec::new();
    // The number of the command in its pipeline, and whether it has an operand.
    let mut now = (1, false);
    for token in tokens {
        match &token.kind {
            Kind::Sign("(") => {
                depth.push((now.0, true));
                now = (1, false);
            }
            Kind::Sign(")") => {
                let Some(before) = depth.pop().filter(|_| now.1) else {
                    return fault(&token.at, "`)` has no value before it".into());
                };
                now = before;
            }
            Kind::Sign("|") if now.1 => now = (now.0 + 1, false),
            Kind::Sign(sign) => return fault(&token.at, format!("`{sign}` is not allowed here")),
            kind => {
                operand(token, kind, now, dot)?;
                now.1 = true;
            }
        }
    }
    match (now.1, depth.is_empty()) {
        (_, false) => fault(whole, "`(` without `)`".into()),
        (false, true) => fault(whole, "a value is missing".into()),
        (true, true) => Ok(()),
    }
}

/// A value, or the function that a command starts with.
fn operand(token: &Token<'_>, kind: &Kind, now: (usize, bool), dot: bool) -> Result<(), Fault> {
    let (command, more) = now;
    let wrong = |message: String| Err((token.at.clone(), message));
    let constant = matches!(token.text, "true" | "false" | "nil");
    match kind {
        Kind::Word if !constant && !FUNCTIONS.contains(&token.text) => {
            let meant = slosmith_text::diag::did_you_mean(token.text, FUNCTIONS);
            let meant = meant.map(|meant| format!(": {meant}")).unwrap_or_default();
            wrong(format!("unknown template function `{}`{meant}", token.text))
        }
        Kind::Constant | Kind::Word
            if command > 1 && !more && (constant || *kind == Kind::Constant) =>
        {
            wrong("a function must follow `|`".into())
        }
        Kind::Word if token.text == "nil" && !more => wrong("`nil` cannot stand alone".into()),
        Kind::Field if !dot && token.text != "." && token.apart => {
            let name = token.text[1..].split('.').next().unwrap_or_default();
            match FIELDS.contains(&name) {
                true => Ok(()),
                false => wrong(format!(
                    "unknown field `.{name}`: use `.{}`",
                    FIELDS.join("`, `.")
                )),
            }
        }
        _ if more && !token.apart && *kind != Kind::Field => {
            wrong("a space is missing before this value".into())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> Option<String> {
        let actions: Result<Vec<_>, _> = go::actions(text).collect();
        let at = match actions {
            Ok(actions) => check(text, &actions).err().map(|(at, _)| at),
            Err(at) => Some(at),
        };
        at.map(|at| text[at].to_owned())
    }

    include!("../../../../tests/fixtures/go_templates.rs");

    #[test]
    fn what_prometheus_loads_passes() {
        for text in GOOD {
            assert_eq!(refused(text), None, "{text}");
        }
    }

    #[test]
    fn what_prometheus_refuses_is_refused_at_its_place() {
        for (text, at) in BAD.iter().chain(DEAD) {
            assert_eq!(refused(text).as_deref(), Some(*at), "{text}");
        }
    }
}
