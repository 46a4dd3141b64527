//! Signs in the text of a query of languages that no data source named: MetricsQL of VictoriaMetrics, LogQL of Loki.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use super::Language;
use crate::promql::{is_function, placeholder};
use crate::source::FileId;
use crate::yaml;

/// Data about languages is in no table of sources; a test reads it.
const FILE: FileId = FileId(u32::MAX);

static WORDS: LazyLock<BTreeMap<String, Vec<String>>> =
    LazyLock::new(|| yaml::read(FILE, include_str!("languages.yaml")).unwrap_or_default());

/// The functions of a language that PromQL does not have.
fn functions(language: &str) -> HashSet<&'static str> {
    let names = WORDS.get(language).into_iter().flatten();
    names
        .map(String::as_str)
        .filter(|name| !is_function(name))
        .collect()
}

static METRICS_QL: LazyLock<HashSet<&str>> = LazyLock::new(|| functions("metricsql"));
static LOG_QL: LazyLock<HashSet<&str>> = LazyLock::new(|| functions("logql"));

/// The language that a query which is no PromQL is in, by what only that language has.
pub(super) fn sign(text: &str) -> Option<Language> {
    let tokens = tokens(text);
    let mut around = Vec::new();
    let mut is_stream = false;
    for (at, token) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| tokens[at]);
        let place = Place {
            before,
            token: *token,
            behind: tokens.get(at + 1).copied(),
            around: around.last().copied(),
        };
        if place.is_metrics_ql() {
            return Some(Language::MetricsQl);
        }
        if place.is_other(is_stream) {
            return Some(Language::Other);
        }
        let was_stream = std::mem::take(&mut is_stream);
        match token {
            Token::Sign("(") if before.is_some_and(Token::calls) => around.push("call"),
            Token::Sign("{") if before.is_some_and(Token::is_operand) => around.push("{"),
            Token::Sign("{") => around.push("stream"),
            Token::Sign("[") if was_stream => around.push("stream"),
            Token::Sign(sign @ ("(" | "[")) => around.push(sign),
            Token::Sign(")" | "}" | "]") => is_stream = around.pop() == Some("stream"),
            _ => {}
        }
    }
    None
}

/// True for a query over the histograms of VictoriaMetrics. PromQL reads it as well, and expects other labels.
pub(super) fn has_vmrange(text: &str) -> bool {
    text.contains("vmrange") && tokens(text).contains(&Token::Word("vmrange"))
}

/// True for what VictoriaMetrics reads and Prometheus does not, and what people also write by mistake: it is a sign
/// only beside a surer one.
pub(super) fn may_be_metrics_ql(text: &str) -> bool {
    let tokens = tokens(text);
    let pairs = tokens.iter().zip(tokens.iter().skip(1));
    pairs
        .into_iter()
        .any(|(token, next)| matches!((token, next), (Token::Sign(")"), Token::Word("offset"))))
}

/// A token with its neighbours.
struct Place<'t> {
    before: Option<Token<'t>>,
    token: Token<'t>,
    behind: Option<Token<'t>>,
    /// The open bracket around it: `call` and `stream` for those of calls and of selectors without a name.
    around: Option<&'t str>,
}

impl Place<'_> {
    fn is_metrics_ql(&self) -> bool {
        let follows = self.before.is_some_and(Token::is_operand);
        match self.token {
            Token::Word(word) => match word.to_ascii_lowercase().as_str() {
                "with" => self.behind == Some(Token::Sign("(")),
                "keep_metric_names" => follows,
                "default" | "if" | "ifnot" => {
                    follows && self.behind.is_some_and(Token::starts_operand)
                }
                "prefix" => {
                    self.before == Some(Token::Sign(")")) && self.behind == Some(Token::Text)
                }
                "limit" => {
                    self.before == Some(Token::Sign(")"))
                        && matches!(self.behind, Some(Token::Number(_)))
                }
                "or" => {
                    matches!(self.around, Some("{" | "stream")) && self.before == Some(Token::Text)
                }
                word => {
                    let by = |word: &str| matches!(word, "by" | "without");
                    METRICS_QL.contains(word)
                        && match self.behind {
                            Some(Token::Word(next)) => by(next),
                            behind => behind == Some(Token::Sign("(")),
                        }
                }
            },
            Token::Number(number) => {
                is_metrics_ql_number(number, matches!(self.around, Some("[" | "stream")))
            }
            Token::Sign(",") => self.around == Some("("),
            Token::Sign("\\") => true,
            Token::Sign("@") => self.behind == Some(Token::Sign("(")),
            Token::Sign(":") => self.before == Some(Token::Sign("[")),
            Token::Sign("*") => {
                self.before == Some(Token::Sign("(")) && self.behind == Some(Token::Sign(")"))
            }
            Token::Sign(_) | Token::Text | Token::Hole => false,
        }
    }

    /// LogQL, or the labels that only CloudWatch has. `is_stream`: a selector without a name ends right before, or its
    /// range.
    fn is_other(&self, is_stream: bool) -> bool {
        match self.token {
            Token::Sign("@") => matches!(self.before, Some(Token::Sign("{"))),
            Token::Word(word) => LOG_QL.contains(word) && self.behind == Some(Token::Sign("(")),
            Token::Sign("|") => is_stream && matches!(self.behind, Some(Token::Word(_))),
            Token::Sign("|=" | "|~" | "|>" | "!=" | "!~" | "!>") => {
                is_stream && matches!(self.behind, Some(Token::Text | Token::Hole))
            }
            _ => false,
        }
    }
}

/// `1Ki`, `2.5GB`, `5M`; in brackets, `M` may be a slip for minutes, and `5i` is five steps.
fn is_metrics_ql_number(number: &str, is_window: bool) -> bool {
    let unit = number.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '_'));
    let lower = unit.to_ascii_lowercase();
    let is_size = matches!(
        lower.as_str(),
        "k" | "ki"
            | "kb"
            | "kib"
            | "mi"
            | "mb"
            | "mib"
            | "g"
            | "gi"
            | "gb"
            | "gib"
            | "t"
            | "ti"
            | "tb"
            | "tib"
    );
    unit == "i" || !is_window && (is_size || unit == "M")
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'t> {
    Word(&'t str),
    Number(&'t str),
    /// A string.
    Text,
    /// What another program fills in.
    Hole,
    Sign(&'t str),
}

impl Token<'_> {
    /// True for what an operand may end with.
    fn is_operand(self) -> bool {
        match self {
            Self::Word(word) => !is_joint(word),
            Self::Sign(sign) => matches!(sign, ")" | "}" | "]"),
            Self::Number(_) | Self::Text | Self::Hole => true,
        }
    }

    fn starts_operand(self) -> bool {
        match self {
            Self::Word(word) => !is_joint(word),
            Self::Sign(sign) => matches!(sign, "(" | "{" | "-" | "+"),
            Self::Number(_) | Self::Text | Self::Hole => true,
        }
    }

    /// True for what makes a call, or a list of labels, of the parentheses behind it.
    fn calls(self) -> bool {
        match self {
            Self::Word(word) => !is_joint(word),
            Self::Hole | Self::Sign(")") => true,
            _ => false,
        }
    }
}

/// Words between operands.
fn is_joint(word: &str) -> bool {
    let joints = ["and", "or", "unless", "bool", "default", "if", "ifnot"];
    joints.iter().any(|joint| word.eq_ignore_ascii_case(joint))
}

/// The tokens of a query in any of the languages.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let holes = placeholder::spans(text, placeholder::Dialect::Template);
    let mut holes = holes.into_iter().peekable();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        while holes.next_if(|hole| hole.end <= at).is_some() {}
        if let Some(hole) = holes.next_if(|hole| hole.start == at) {
            tokens.push(Token::Hole);
            at = hole.end;
            continue;
        }
        let rest = &text[at..];
        let run = |of: fn(char) -> bool| rest.find(|c| !of(c)).unwrap_or(rest.len());
        let in_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '.');
        let length = match c {
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '"' | '\'' | '`' => {
                tokens.push(Token::Text);
                quoted(rest, c)
            }
            c if c.is_ascii_digit() => {
                let length = run(in_word);
                tokens.push(Token::Number(&rest[..length]));
                length
            }
            c if c.is_alphabetic() || c == '_' => {
                let length = run(in_word);
                tokens.push(Token::Word(&rest[..length]));
                length
            }
            c if c.is_whitespace() => c.len_utf8(),
            c => {
                let two = rest.get(..2).unwrap_or_default();
                let length = match ["|=", "|~", "|>", "!=", "!~", "!>"].contains(&two) {
                    true => 2,
                    false => c.len_utf8(),
                };
                tokens.push(Token::Sign(&rest[..length]));
                length
            }
        };
        at += length;
    }
    tokens
}

/// Bytes of the string that the text begins with.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' if quote != '`' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// True for a query that a text shows the form of: `rate(<metric>[<range>])`, `sum(...)`, `x{…}`, `x[window]`.
pub(super) fn is_sketch(text: &str) -> bool {
    let tokens = tokens(text);
    let is_word = |at: usize| matches!(tokens.get(at), Some(Token::Word(_)));
    let starts = |at: usize, sign| tokens.get(at) == Some(&Token::Sign(sign));
    text.contains("...")
        || text.contains('…')
        || (0..tokens.len()).any(|at| {
            let end = |from| (from..tokens.len()).find(|at| !is_word(*at)).unwrap_or(at);
            match tokens[at] {
                Token::Sign("<") => end(at + 1) > at + 1 && starts(end(at + 1), ">"),
                Token::Sign("[") => is_word(at + 1) && starts(end(at + 1), "]"),
                Token::Sign("{") => is_word(at + 1) && starts(end(at + 1), "}"),
                _ => false,
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_read() {
        assert!(METRICS_QL.contains("label_set") && !METRICS_QL.contains("rate"));
        assert!(LOG_QL.contains("bytes_rate") && !LOG_QL.contains("rate"));
        assert!(
            WORDS["metricsql"].len() > 200,
            "{}",
            WORDS["metricsql"].len()
        );
    }

    #[test]
    fn only_signs_that_promql_does_not_have_count() {
        for text in [
            "WITH (x = {a=\"b\"}) sum(y{x})",
            "sum(x) default 0",
            "x if y > 1",
            "x IFNOT (y)",
            "rate(x[5m]) keep_metric_names",
            "sum(x) by (a) limit 5",
            "x{a=\"b\" or c=\"d\"}",
            "{a=\"b\" or c=~\"d\", e!=\"f\"}",
            "x > 1Ki",
            "x > 2.5GB",
            "lag(x[1h])",
            "any(x) by (y)",
            "median by (y) (x)",
            "Label_Set(x, \"a\", \"b\")",
            "union(x, y)",
            "(x, y)",
            "rate(x[5i])",
            "max_over_time(x[:3s])",
            "x @ (end() - 5m)",
            "x * on (a) group_left (*) y",
            "x * on (a) group_left (b) prefix \"c_\" y",
            "foo\\-bar",
            "rate({{ .x }}) keep_metric_names",
        ] {
            assert_eq!(sign(text), Some(Language::MetricsQl), "{text}");
        }
        for text in [
            "{a=\"b\"} |= \"c\"",
            "{a='b'}\n| json",
            "rate({a=`b`} |~ `c`[5m])",
            "{a=\"b\"} # it's\n# so\n  |= \"c\"",
            "sum(count_over_time({a=\"b\"} != \"c\" [5m]))",
            "bytes_rate({a=\"$b\"}[5m])",
            "{a=\"$b\"} |~ $c",
            "sum(rate({a=\"b\"}[5m] | json | level=\"error\"))",
            "{@resource.service.name=\"a\"}",
        ] {
            assert_eq!(sign(text), Some(Language::Other), "{text}");
        }
        for text in [
            "x{a=~\"b|c\"}",
            "sum(x) | sort",
            "x{a=\"b\"} |= \"c\"",
            "x{a=\"b\"} | json",
            "{a=\"b\"} | 5",
            "sum by (vmrange) (rate(x[5m])",
            "rate(x)",
            "sum(x) offset 1h",
            "x{default=\"a\", if=\"b\"}",
            "x / limit",
            "rate(x[5M])",
            "topk by (a) (5, x)",
            "sum(my_label_set_total)",
            "x # default 0",
            "x * on (a, b) group_left (c, d) y",
            "x{a=~\"\\\\d (1, 2)\"}",
            "",
        ] {
            assert_eq!(sign(text), None, "{text}");
        }
    }

    #[test]
    fn sketches_have_parts_that_nothing_fills_in() {
        for text in [
            "...",
            "rate(<metric>[<range>])",
            "sum(…)",
            "x{...}",
            "rate(x[window])",
            "x{label filters} > 1",
            "<metric name> > 1",
        ] {
            assert!(is_sketch(text), "{text}");
        }
        for text in ["x < 1 > z(", "x{a=\"b\"", "rate(x[5m)", "a < b"] {
            assert!(!is_sketch(text), "{text}");
        }
    }
}
