//! Signs in the text of a query of languages that no data source named: MetricsQL of VictoriaMetrics, LogQL of Loki.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use super::{Language, Query};
use slosmith_promql::is_function;
use slosmith_promql::placeholder::{Dialect, length};
use slosmith_text::source::FileId;
use slosmith_text::yaml;

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// It is in this one, unless it is PromQL.
    Of(Language),
    /// It is over a histogram of VictoriaMetrics, which PromQL reads as well, and expects to have other labels.
    VmRange,
}

pub(super) fn sign_of(query: &Query) -> Option<Sign> {
    match query.language {
        Language::PromQl => sign(&query.text),
        Language::MetricsQl | Language::Other => None,
    }
}

/// What only another language has, at the first place where a query has it.
fn sign(text: &str) -> Option<Sign> {
    let mut around = Vec::new();
    let mut is_stream = false;
    let mut found = None;
    let mut before = None;
    let mut tokens = Tokens { text, at: 0 };
    let mut next = tokens.next();
    while let Some(token) = next {
        next = tokens.next();
        let place = Place {
            before,
            token,
            behind: next,
            around: around.last().copied(),
        };
        if place.is_metrics_ql() {
            return Some(Sign::Of(Language::MetricsQl));
        }
        if place.is_other(is_stream) {
            return Some(Sign::Of(Language::Other));
        }
        let was_stream = std::mem::take(&mut is_stream);
        match token {
            Token::Word("vmrange") => found = Some(Sign::VmRange),
            Token::Sign(b'(') if before.is_some_and(Token::calls) => around.push(Bracket::Call),
            Token::Sign(b'{') if before.is_some_and(Token::is_operand) => {
                around.push(Bracket::Labels);
            }
            Token::Sign(b'{') => around.push(Bracket::Stream),
            Token::Sign(b'[') if was_stream => around.push(Bracket::Stream),
            Token::Sign(b'[') => around.push(Bracket::Range),
            Token::Sign(b'(') => around.push(Bracket::Plain),
            Token::Sign(b')' | b'}' | b']') => is_stream = around.pop() == Some(Bracket::Stream),
            _ => {}
        }
        before = Some(token);
    }
    found
}

/// True for what VictoriaMetrics reads and Prometheus does not, and what people also write by mistake: an `offset` or a
/// range behind parentheses, several arguments of an aggregation, names with dots. It is a sign only beside a surer one.
pub(super) fn may_be_metrics_ql(text: &str) -> bool {
    let tokens: Vec<_> = Tokens { text, at: 0 }.collect();
    let mut open = Vec::new();
    let mut before = None;
    let has_list = tokens.iter().any(|token| {
        let many = [
            "avg", "count", "group", "max", "min", "stddev", "stdvar", "sum",
        ];
        match token {
            Token::Sign(b'(') => {
                open.push(matches!(before, Some(Token::Word(word)) if many.contains(&word)));
            }
            Token::Sign(b'{' | b'[') => open.push(false),
            Token::Sign(b')' | b'}' | b']') => drop(open.pop()),
            _ => {}
        }
        before = Some(*token);
        *token == Token::Sign(b',') && open.last() == Some(&true)
    });
    let is_dotted = |word: &str| word.split('.').filter(|part| !part.is_empty()).count() > 1;
    let is_dotted = |token: &Token<'_>| matches!(token, Token::Word(word) if is_dotted(word));
    has_list
        || tokens.iter().any(is_dotted)
        || tokens.windows(2).any(|pair| {
            pair == [Token::Sign(b')'), Token::Word("offset")]
                || pair == [Token::Sign(b')'), Token::Sign(b'[')]
        })
}

struct Place<'t> {
    before: Option<Token<'t>>,
    token: Token<'t>,
    behind: Option<Token<'t>>,
    around: Option<Bracket>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Call,
    Labels,
    /// Of a selector without a name, and of its range.
    Stream,
    Range,
    Plain,
}

impl Place<'_> {
    /// True in front of parentheses or the labels of an aggregation.
    fn opens(&self) -> bool {
        match self.behind {
            Some(Token::Word(next)) => {
                next.eq_ignore_ascii_case("by") || next.eq_ignore_ascii_case("without")
            }
            behind => behind == Some(Token::Sign(b'(')),
        }
    }

    fn is_metrics_ql(&self) -> bool {
        match self.token {
            Token::Word(word) if word.starts_with(':') => self.before == Some(Token::Sign(b'[')),
            Token::Word(word) => self.is_word_of_metrics_ql(word),
            Token::Number(number) => is_metrics_ql_number(
                number,
                matches!(self.around, Some(Bracket::Range | Bracket::Stream)),
            ),
            Token::Sign(b',') => self.around == Some(Bracket::Plain),
            Token::Sign(b'\\') => true,
            Token::Sign(b'@') => self.behind == Some(Token::Sign(b'(')),
            Token::Sign(b'*') => {
                self.before == Some(Token::Sign(b'(')) && self.behind == Some(Token::Sign(b')'))
            }
            Token::Sign(_) | Token::Filter | Token::Text | Token::Hole => false,
        }
    }

    fn is_word_of_metrics_ql(&self, word: &str) -> bool {
        let opens = self.opens();
        // Nearly all words are names, labels and functions of PromQL.
        if opens && is_function(word) {
            return false;
        }
        let follows = self.before.is_some_and(Token::is_operand);
        if !follows && !opens {
            return false;
        }
        match word {
            "with" | "WITH" => self.behind == Some(Token::Sign(b'(')),
            "keep_metric_names" => follows,
            "default" | "DEFAULT" | "if" | "IF" | "ifnot" | "IFNOT" => {
                follows && self.behind.is_some_and(Token::starts_operand)
            }
            "prefix" => self.before == Some(Token::Sign(b')')) && self.behind == Some(Token::Text),
            "limit" => {
                self.before == Some(Token::Sign(b')'))
                    && matches!(self.behind, Some(Token::Number(_)))
            }
            "or" | "OR" => {
                matches!(self.around, Some(Bracket::Labels | Bracket::Stream))
                    && self.before == Some(Token::Text)
            }
            word => opens && METRICS_QL.contains(word),
        }
    }

    /// LogQL, or the labels that only CloudWatch has. `is_stream`: a selector without a name ends right before, or its
    /// range.
    fn is_other(&self, is_stream: bool) -> bool {
        match self.token {
            Token::Sign(b'@') => matches!(self.before, Some(Token::Sign(b'{'))),
            Token::Word(word) => {
                self.behind == Some(Token::Sign(b'('))
                    && !is_function(word)
                    && LOG_QL.contains(word)
            }
            Token::Sign(b'|') => is_stream && matches!(self.behind, Some(Token::Word(_))),
            Token::Filter => is_stream && matches!(self.behind, Some(Token::Text | Token::Hole)),
            _ => false,
        }
    }
}

/// `1Ki`, `2.5GB`, `5M`; in brackets, `M` may be a slip for minutes, and `5i` is five steps.
fn is_metrics_ql_number(number: &str, is_window: bool) -> bool {
    const SIZES: [&str; 15] = [
        "k", "ki", "kb", "kib", "mi", "mb", "mib", "g", "gi", "gb", "gib", "t", "ti", "tb", "tib",
    ];
    number.split(':').any(|number| {
        let digits = |c: char| c.is_ascii_digit() || matches!(c, '.' | '_');
        let unit = number.trim_start_matches(digits);
        let is_size = SIZES.iter().any(|size| unit.eq_ignore_ascii_case(size));
        unit == "i" || !is_window && (is_size || unit == "M")
    })
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'t> {
    Word(&'t str),
    Number(&'t str),
    Text,
    Hole,
    /// What LogQL filters lines with, and PromQL labels: `|=`, `!~`.
    Filter,
    Sign(u8),
}

impl Token<'_> {
    fn is_operand(self) -> bool {
        match self {
            Self::Word(word) => !is_joint(word),
            Self::Sign(sign) => matches!(sign, b')' | b'}' | b']'),
            Self::Number(_) | Self::Text | Self::Hole => true,
            Self::Filter => false,
        }
    }

    fn starts_operand(self) -> bool {
        match self {
            Self::Word(word) => !is_joint(word),
            Self::Sign(sign) => matches!(sign, b'(' | b'{' | b'-' | b'+'),
            Self::Number(_) | Self::Text | Self::Hole => true,
            Self::Filter => false,
        }
    }

    /// True for what makes a call, or a list of labels, of the parentheses behind it.
    fn calls(self) -> bool {
        match self {
            Self::Word(word) => !is_joint(word),
            Self::Hole | Self::Sign(b')') => true,
            _ => false,
        }
    }
}

fn is_joint(word: &str) -> bool {
    let joints = ["and", "or", "unless", "bool", "default", "if", "ifnot"];
    joints.iter().any(|joint| word.eq_ignore_ascii_case(joint))
}

struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        loop {
            let bytes = &self.text.as_bytes()[self.at..];
            self.at += bytes.iter().position(|byte| !byte.is_ascii_whitespace())?;
            let rest = &self.text[self.at..];
            let byte = *rest.as_bytes().first()?;
            let next = rest.as_bytes().get(1);
            if in_word(byte) && (byte, next) != (b'_', Some(&b'_')) {
                return Some(self.word(rest));
            }
            let hole = match (byte, next) {
                (b'$', _) | (b'<', Some(b'%' | b'<')) => length(rest, Dialect::Template),
                (b'[' | b'{' | b'%' | b'_', next) if next == Some(&byte) => {
                    length(rest, Dialect::Template)
                }
                _ => 0,
            };
            let (token, length) = match byte {
                _ if hole > 0 => (Token::Hole, hole),
                b'"' | b'\'' | b'`' => (Token::Text, quoted(rest, byte)),
                b'#' => {
                    self.at += rest.find('\n').unwrap_or(rest.len());
                    continue;
                }
                b'_' => return Some(self.word(rest)),
                _ => {
                    let filters = matches!((byte, next), (b'|' | b'!', Some(b'=' | b'~' | b'>')));
                    match filters {
                        true => (Token::Filter, 2),
                        false => (Token::Sign(byte), 1),
                    }
                }
            };
            self.at += length;
            return Some(token);
        }
    }
}

impl<'t> Tokens<'t> {
    /// The name or number at the start of the `rest`.
    fn word(&mut self, rest: &'t str) -> Token<'t> {
        let end = rest.bytes().position(|byte| !in_word(byte));
        let word = &rest[..end.unwrap_or(rest.len())];
        self.at += word.len();
        match word.starts_with(|c: char| c.is_ascii_digit()) {
            true => Token::Number(word),
            false => Token::Word(word),
        }
    }
}

/// True for the bytes of names and numbers. A name may have letters of any script.
fn in_word(byte: u8) -> bool {
    IN_WORD[usize::from(byte)]
}

/// [`in_word`] of all bytes: most bytes of a query are asked about.
static IN_WORD: [bool; 256] = {
    let mut all = [false; 256];
    let mut byte = 0;
    while byte < all.len() {
        let is_letter = (byte as u8).is_ascii_alphanumeric();
        all[byte] = is_letter || matches!(byte as u8, b'_' | b':' | b'.' | 0x80..);
        byte += 1;
    }
    all
};

/// Bytes of the string that the text begins with.
fn quoted(text: &str, quote: u8) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while let Some(step) = memchr::memchr2(quote, b'\\', bytes.get(at..).unwrap_or_default()) {
        at += step + 1;
        match bytes[at - 1] {
            byte if byte == quote => return at,
            _ if quote != b'`' => at += 1,
            _ => {}
        }
    }
    text.len()
}

/// Words for a number that the reader of a text chooses.
const NUMBERS: [&str; 6] = ["n", "k", "q", "phi", "quantile", "percentile"];

/// True for a query that a text shows the form of: `rate(<metric>[<range>])`, `sum(...)`, `x{…}`, `x[window]`, `topk(N, x)`.
pub(super) fn is_sketch(text: &str) -> bool {
    let tokens: Vec<_> = Tokens { text, at: 0 }.collect();
    let is_word = |at: usize| matches!(tokens.get(at), Some(Token::Word(_)));
    let is_number = |at: usize| match tokens.get(at) {
        Some(Token::Word(word)) => NUMBERS.contains(&word.to_ascii_lowercase().as_str()),
        _ => false,
    };
    let starts = |at: usize, sign| tokens.get(at) == Some(&Token::Sign(sign));
    text.contains("...")
        || text.contains('…')
        || (0..tokens.len()).any(|at| {
            let end = |from| (from..tokens.len()).find(|at| !is_word(*at)).unwrap_or(at);
            match tokens[at] {
                Token::Sign(b'<') => end(at + 1) > at + 1 && starts(end(at + 1), b'>'),
                Token::Sign(b'[') => is_word(at + 1) && starts(end(at + 1), b']'),
                Token::Sign(b'{') => is_word(at + 1) && starts(end(at + 1), b'}'),
                Token::Sign(b'(') => is_number(at + 1) && starts(at + 2, b','),
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
            "label_set(x, \"a\", \"b\")",
            "union(x, y)",
            "(x, y)",
            "rate(x[5i])",
            "max_over_time(x[1h:5i])",
            "max_over_time(x[:3s])",
            "x @ (end() - 5m)",
            "x * on (a) group_left (*) y",
            "x * on (a) group_left (b) prefix \"c_\" y",
            "foo\\-bar",
            "rate({{ .x }}) keep_metric_names",
        ] {
            assert_eq!(sign(text), Some(Sign::Of(Language::MetricsQl)), "{text}");
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
            assert_eq!(sign(text), Some(Sign::Of(Language::Other)), "{text}");
        }
        for text in [
            "x{a=~\"b|c\"}",
            "sum(x) | sort",
            "x{a=\"b\"} |= \"c\"",
            "x{a=\"b\"} | json",
            "{a=\"b\"} | 5",
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
        assert_eq!(sign("sum by (vmrange) (x)"), Some(Sign::VmRange));
    }

    #[test]
    fn some_signs_count_only_beside_others() {
        for text in [
            "sum(x) offset 1h",
            "max(x)[5m]",
            "sum(x{a=\"b\", c=\"d\"}, y)",
        ] {
            assert!(may_be_metrics_ql(text), "{text}");
        }
        for text in [
            "sum(x{a=\"b\", c=\"d\"}",
            "sum(topk(5, x)",
            "x offset 1h)",
            "sum by (a, b) (x",
        ] {
            assert!(!may_be_metrics_ql(text), "{text}");
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
