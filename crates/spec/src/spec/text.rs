//! Which characters and how many lines the texts of a spec may have.
//!
//! Texts go into YAML, JSON, Markdown, Python, JavaScript and onto terminals. Characters that one of these takes for the
//! end of a line, for a command or for nothing at all are rejected here, for every field there is and will be.

use std::ops::Range;

use slosmith_text::diag::{Diagnostic, Sink};
use slosmith_text::source::{FileId, Span};
use slosmith_text::yaml::{self, Kind, Node, Style};

/// Fields whose text may have several lines, as paths from the top; `*` is any name or place in a list.
const LINES: &[&str] = &[
    "signals/*/description",
    "signals/*/prometheus/promql",
    "slos/*/description",
    "slos/*/sli/promql/*",
    "alerts/*/description",
    "alerts/*/action",
    "service/annotations/*",
    "slos/*/annotations/*",
    "alerts/*/annotations/*",
    "severities/*/annotations/*",
    "severities/more/*/annotations/*",
    "dashboards/*/description",
    "dashboards/*/rows/*/panels/*/description",
    "dashboards/*/rows/*/panels/*/text",
    "runbooks/*/meaning",
    "runbooks/*/impact",
    "runbooks/*/symptoms/*",
    "runbooks/*/escalation",
    "runbooks/*/steps/*/run",
    "runbooks/*/steps/*/ask",
    "runbooks/*/steps/*/cause",
    "runbooks/*/steps/*/verify/*",
    "runbooks/*/fixes/*/do/*",
    "runbooks/*/fixes/*/risk",
    "commands/*/run",
    "triage/*/note",
    "triage/*/rows/*/likely",
    "traces/attributes/*",
    "load_tests/system",
    "load_tests/traffic/*/prompt",
    "load_tests/scenarios/*/validates",
    "load_tests/scenarios/*/note",
    "advice/*/text",
    "advice/*/settings/*/note",
    "advice/*/formulas/*/expr",
    "advice/*/formulas/*/gives",
    "advice/*/formulas/*/inputs/*/note",
    "checklists/*/*",
    "tables/*/rows/*/*",
];

/// Lists of sentences: in brackets a comma would cut one in two.
const SENTENCES: &[&str] = &[
    "runbooks/*/symptoms",
    "runbooks/*/steps/*/verify",
    "runbooks/*/fixes/*/do",
    "checklists/*",
];

/// PromQL is at many depths, under one name.
const QUERY: &str = "promql";

/// CloudFormation replaces it by the value of a parameter or secret, wherever it is, and knows no way to write it.
const DYNAMIC_REFERENCE: &str = "{{resolve:";

/// Complains about every text with a character that no output may hold, or with a line too many.
///
/// Gives back where these texts are.
pub(super) fn check(
    file: FileId,
    text: &str,
    root: &Node<'_>,
    sink: &mut Sink,
) -> Vec<Range<usize>> {
    let mut check = Check {
        file,
        text,
        sink,
        path: Vec::new(),
        texts: Vec::new(),
    };
    check.node(root);
    check.texts
}

struct Check<'a> {
    file: FileId,
    text: &'a str,
    sink: &'a mut Sink,
    path: Vec<&'a str>,
    texts: Vec<Range<usize>>,
}

impl<'a> Check<'a> {
    fn node(&mut self, node: &'a Node<'_>) {
        match &node.kind {
            Kind::Scalar(scalar) => self.scalar(node, &scalar.value, true),
            Kind::Seq(items) => {
                self.sentences(items);
                self.path.push("*");
                items.iter().for_each(|item| self.node(item));
                self.path.pop();
            }
            Kind::Map(entries) => {
                for (key, value) in entries {
                    let name = key.text().unwrap_or_default();
                    self.scalar(key, name, false);
                    self.path.push(name);
                    self.node(value);
                    self.path.pop();
                }
            }
        }
    }

    fn may_have_lines(&self) -> bool {
        self.path.last() == Some(&QUERY) || self.is_at(LINES)
    }

    /// A sentence that a comma has cut goes on in small letters, or ends where the one before it does not.
    fn sentences(&mut self, items: &[Node<'_>]) {
        for pair in items.windows(2) {
            let (Some(first), Some(second)) = (in_brackets(&pair[0]), in_brackets(&pair[1])) else {
                continue;
            };
            let ends = |text: &str| text.ends_with(['.', '?', '!']);
            let goes_on = second.starts_with(char::is_lowercase) || ends(second);
            if !ends(first) && first.contains(' ') && goes_on && self.is_at(SENTENCES) {
                let at = pair[0].range().start..pair[1].range().end;
                let message = format!("the comma splits `{first}, {second}` into two list items");
                let span = Span::new(self.file, at);
                let error = Diagnostic::error("cut-text", span, message);
                self.sink
                    .push(error.help(format!("put the text in quotes: `\"{first}, {second}\"`")));
            }
        }
    }

    /// True where one of some paths leads.
    fn is_at(&self, patterns: &[&str]) -> bool {
        let path = match &self.path[..] {
            ["environments", _, inner @ ..] => inner,
            path => path,
        };
        let fits = |pattern: &&str| {
            let parts = pattern.split('/');
            parts.clone().count() == path.len()
                && parts.zip(path).all(|(p, name)| p == "*" || p == *name)
        };
        patterns.iter().any(fits)
    }

    fn scalar(&mut self, node: &Node<'_>, value: &str, is_value: bool) {
        if is_ordinary(value) {
            return;
        }
        if let Some((at, c, what)) = first_forbidden(value) {
            let message = format!("U+{:04X} ({what}) is not allowed in a spec", u32::from(c));
            let help = match c {
                '\r' => "end lines with a line feed only (LF, not CRLF)",
                _ => "remove this character",
            };
            self.push(node, value, at..at + c.len_utf8(), message, help);
        } else if let Some(at) = value.find('\n')
            && !(is_value && self.may_have_lines())
        {
            let help = "write the text on one line, or after `>-`, which joins lines";
            self.push(
                node,
                value,
                at..at + 1,
                "this text must be on one line",
                help,
            );
        }
        if let Some(at) = value.find(DYNAMIC_REFERENCE) {
            let message = format!(
                "CloudFormation would replace `{DYNAMIC_REFERENCE}…}}}}` with a stored parameter or secret"
            );
            let help = "add a space: `{{ resolve:…}}`";
            self.push(node, value, at..at + DYNAMIC_REFERENCE.len(), message, help);
        }
    }

    fn push(
        &mut self,
        node: &Node<'_>,
        value: &str,
        part: Range<usize>,
        message: impl Into<String>,
        help: &str,
    ) {
        self.texts.push(node.range());
        let part = yaml::inside(self.text, node.range(), value, part);
        let span = Span::new(self.file, part.unwrap_or(node.range()));
        let error = Diagnostic::error("bad-text", span, message);
        self.sink.push(error.help(help));
    }
}

/// The text of an item without quotes, in brackets.
fn in_brackets<'n>(item: &'n Node<'_>) -> Option<&'n str> {
    match &item.kind {
        Kind::Scalar(scalar) if scalar.style == Style::PlainInFlow => Some(&scalar.value),
        _ => None,
    }
}

/// True for most texts: printable ASCII on one line, and no brace that could begin a reference.
fn is_ordinary(text: &str) -> bool {
    text.bytes().all(|b| matches!(b, b' '..=b'~') && b != b'{')
}

/// The first character that no text may hold: byte, character, what it is.
fn first_forbidden(text: &str) -> Option<(usize, char, &'static str)> {
    let mut chars = text.char_indices();
    chars.find_map(|(at, c)| forbidden(c).map(|what| (at, c, what)))
}

/// What a character is that no text may hold.
fn forbidden(c: char) -> Option<&'static str> {
    Some(match c {
        '\t' | '\n' => return None,
        '\r' => "a carriage return",
        '\u{85}' => "next line, a line break in older YAML",
        c if c.is_control() => "a control character",
        '\u{2028}' => "a line separator",
        '\u{2029}' => "a paragraph separator",
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            "a control character for text direction"
        }
        '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => "an invisible character",
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'.. => "a private-use character",
        '\u{fdd0}'..='\u{fdef}' => "a noncharacter",
        c if u32::from(c) & 0xfffe == 0xfffe => "a noncharacter",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_all_languages_are_fine() {
        for text in [
            "é",
            "日本 🚀",
            "👩\u{200d}💻",
            "نص\u{200f}",
            "a\u{a0}b",
            "a\tb\n",
            "\u{fffd}",
        ] {
            assert_eq!(first_forbidden(text), None, "{text}");
        }
        for text in [
            "\0",
            "\x1b",
            "\x7f",
            "\u{9b}",
            "\u{2029}",
            "\u{ffff}",
            "\u{1fffe}",
            "\u{e000}",
        ] {
            assert!(first_forbidden(&format!("a{text}")).is_some(), "{text:?}");
        }
    }

    #[test]
    fn what_steers_a_terminal_is_forbidden() {
        let steers = ('\0'..=char::MAX).filter(|&c| slosmith_text::diag::steers(c));
        let accepted: String = steers.filter(|&c| forbidden(c).is_none()).collect();
        assert_eq!(accepted.escape_unicode().to_string(), "");
    }
}
