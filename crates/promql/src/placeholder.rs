//! Placeholders: what another program fills in before Prometheus reads the query.

use std::ops::{Deref, Range};

use slosmith_text::yaml::go;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// None: the query is as Prometheus gets it.
    #[default]
    Prometheus,
    /// `$var`, `${var}`, `${var.field:format}`, `[[var]]`, `[[var:format]]`.
    Grafana,
    /// `{{ .window }}`
    GoTemplate,
    /// `<<.Series>>`, as prometheus-adapter has it.
    Adapter,
    /// Grafana's, and [`filled`] ones, in a file that another program fills in before Prometheus or Grafana reads it.
    Template,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder {
    pub text: String,
    pub span: Range<usize>,
}

impl Placeholder {
    /// The variable: `var` of `${var:regex}` and `[[var]]`, `.window` of `{{ .window }}`.
    pub fn variable(&self) -> &str {
        let inner = self.inner();
        if self.text.starts_with("{{") {
            return inner.trim_matches('-').trim();
        }
        inner.split(['.', ':']).next().unwrap_or(inner)
    }

    fn inner(&self) -> &str {
        let text = self
            .text
            .strip_prefix('$')
            .filter(|rest| rest.starts_with('$'));
        let text = text.unwrap_or(&self.text);
        let pair = |open, close| text.strip_prefix(open)?.strip_suffix(close);
        pair("{{", "}}")
            .or_else(|| pair("[[", "]]"))
            .or_else(|| pair("${", "}"))
            .or_else(|| text.strip_prefix('$'))
            .unwrap_or(text)
    }
}

/// The placeholders in a name, a string or a duration, in the order written; mostly none.
// The box keeps trees of strict queries small: all names and strings carry one of these.
#[allow(clippy::box_collection)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placeholders(Option<Box<Vec<Placeholder>>>);

impl Placeholders {
    /// Those in a piece of query text that starts at `start`.
    pub(super) fn find(text: &str, start: usize, dialect: Dialect) -> Self {
        let found: Vec<_> = spans(text, dialect)
            .into_iter()
            .map(|at| Placeholder {
                text: text[at.clone()].to_owned(),
                span: start + at.start..start + at.end,
            })
            .collect();
        Self((!found.is_empty()).then(|| Box::new(found)))
    }

    pub(super) fn extend(&mut self, more: &Self) {
        if !more.is_empty() {
            let all = self.0.get_or_insert_default();
            all.extend(more.iter().cloned());
        }
    }
}

impl Deref for Placeholders {
    type Target = [Placeholder];

    fn deref(&self) -> &[Placeholder] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }
}

/// Where the placeholders are in a text, which need not be a query (a legend, an annotation).
pub fn spans(text: &str, dialect: Dialect) -> Vec<Range<usize>> {
    all(text, |rest| length(rest, dialect))
}

/// Where programs other than Prometheus and Grafana fill in a text: Helm, Jinja, `envsubst`, `sed`.
pub fn filled(text: &str) -> Vec<Range<usize>> {
    match may_be_filled(text) {
        true => all(text, |rest| other(near(rest)).unwrap_or(0)),
        false => Vec::new(),
    }
}

/// False for nearly all queries: they have none of the signs of [`filled`].
pub fn may_be_filled(text: &str) -> bool {
    let is_sign = |(first, second): (u8, u8)| {
        let doubled = first == second && matches!(first, b'{' | b'[' | b'_' | b'%');
        doubled | (first == b'<' && second == b'%') | (first == b'$' && second == b'{')
    };
    // Blocks without a way out in between are many bytes at once.
    let bytes = text.as_bytes();
    let next = bytes.get(1..).unwrap_or_default();
    bytes.chunks(64).zip(next.chunks(64)).any(|(bytes, next)| {
        let pairs = bytes.iter().copied().zip(next.iter().copied());
        pairs.fold(false, |found, pair| found | is_sign(pair))
    })
}

fn all(text: &str, length: impl Fn(&str) -> usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(step) = text[at..].find(['$', '[', '{', '<', '_', '%']) {
        at += step;
        match length(&text[at..]) {
            0 => at += 1,
            length => {
                found.push(at..at + length);
                at += length;
            }
        }
    }
    found
}

const LONGEST: usize = 4 << 10;

/// As much of a text as a placeholder at its start may have.
fn near(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

/// Bytes of the placeholder that the text starts with; 0 if it starts with none.
pub fn length(text: &str, dialect: Dialect) -> usize {
    let text = near(text);
    let found = match dialect {
        Dialect::Prometheus => None,
        Dialect::Grafana => grafana(text),
        Dialect::GoTemplate => go_template(text),
        Dialect::Adapter => adapter(text),
        Dialect::Template => grafana(text)
            .or_else(|| go_template(text))
            .or_else(|| other(text)),
    };
    found.unwrap_or(0)
}

/// The longest rest of a query that is looked at as the beginning of a placeholder.
const CUT: usize = 256;

/// True for a text that is the beginning of a placeholder, and no more.
pub(super) fn breaks_off(text: &str, dialect: Dialect) -> bool {
    let open = |start: &str, end: &str| text.starts_with(start) && !text.contains(end);
    let go = || open("{{", "}}") && !text.starts_with("{{{");
    let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':');
    let grafana = || {
        // What is not closed here may be a mistake in a range.
        let old = text.strip_prefix("[[");
        let old = old.map(|inner| inner.strip_suffix(']').unwrap_or(inner));
        let doubled = text == "$$" || open("$${", "}");
        open("${", "}") || doubled || old.is_some_and(|inner| inner.chars().all(inside))
    };
    text.len() <= CUT
        && match dialect {
            Dialect::Prometheus => false,
            Dialect::Grafana => grafana(),
            Dialect::GoTemplate => go(),
            Dialect::Adapter => open("<<", ">>"),
            Dialect::Template => {
                let rest = text.strip_prefix("%%");
                let juju = rest.is_some_and(|rest| !rest.contains("%%"));
                grafana() || go() || juju || open("<%", "%>")
            }
        }
}

/// The pattern Grafana replaces, except that a variable does not start with a digit: `"$1"` in
/// `label_replace` is Prometheus's own.
fn grafana(text: &str) -> Option<usize> {
    if let Some(inner) = text.strip_prefix("[[") {
        let mut end = word(inner)?;
        if inner[end..].starts_with(':') {
            end += 1 + format_word(&inner[end + 1..])?;
        }
        return inner[end..].starts_with("]]").then_some(end + 4);
    }
    let rest = text.strip_prefix('$')?;
    // Terraform, Flux and Grafana's provisioning write one `$` of two.
    if rest.starts_with('$') {
        return grafana(rest).map(|end| end + 1);
    }
    let Some(inner) = rest.strip_prefix('{') else {
        return word(rest).map(|end| end + 1);
    };
    let end = word(inner)?;
    let behind = &inner[end..];
    if !behind.starts_with(['}', '.', ':']) {
        return None;
    }
    Some(end + behind.find('}')? + 3)
}

fn word(text: &str) -> Option<usize> {
    let end = format_word(text)?;
    (!text.starts_with(|c: char| c.is_ascii_digit())).then_some(end)
}

fn format_word(text: &str) -> Option<usize> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    Some(end.unwrap_or(text.len())).filter(|end| *end > 0)
}

/// `{{ … }}`; of three braces the first is PromQL's. Quotes inside may hold braces.
fn go_template(text: &str) -> Option<usize> {
    let inner = text.strip_prefix("{{")?;
    let end = (!inner.starts_with('{')).then(|| go::end(inner))?;
    end.map(|end| end + 4)
}

/// `${ … }` with a name or an expression of Terraform in it, whose quotes and braces are in pairs.
fn expression(text: &str) -> Option<usize> {
    let inner = text.strip_prefix("${")?;
    // `${1}` is a group of a pattern, and Grafana sets what begins with `__`.
    let is_named = inner.starts_with(|c: char| c.is_ascii_alphabetic() || "_\"(![".contains(c));
    (is_named && !inner.starts_with("__")).then_some(())?;
    let start = text.len() - inner.len();
    let mut depth = 0;
    let mut quoted = false;
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' => return None,
            b'{' if !quoted => depth += 1,
            b'}' if !quoted && depth == 0 => return Some(start + at + 1),
            b'}' if !quoted => depth -= 1,
            _ => {}
        }
    }
    None
}

/// What another program fills in: `{{ … }}` without Prometheus's own variables, `[[ .x ]]`, `<% … %>`, `${X}` unless
/// Grafana sets it, `__X__`, and Juju's `%%x%%`.
fn other(text: &str) -> Option<usize> {
    let between = |open: &str, close: &str| {
        let inner = text.strip_prefix(open)?;
        let inner = &inner[..inner.find(close)?];
        let end = open.len() + inner.len() + close.len();
        (!inner.is_empty() && !inner.contains('\n')).then_some((inner, end))
    };
    if text.starts_with("{{") {
        let own = |inner: &str| inner.contains("$labels") || inner.contains("$value");
        return go_template(text).filter(|end| !own(&text[..*end]));
    }
    if let Some(inner) = text.strip_prefix("__") {
        let inner = &inner[..inner.find("__")?];
        let upper = |c: char| matches!(c, 'A'..='Z' | '0'..='9' | '_');
        let is_word =
            inner.starts_with(|c: char| c.is_ascii_uppercase()) && inner.chars().all(upper);
        return is_word.then_some(inner.len() + 4);
    }
    let is_go = |inner: &str| inner.trim_start_matches(['-', ' ']).starts_with(['.', '$']);
    let found = between("[[", "]]").filter(|(inner, _)| is_go(inner));
    let found = found.or_else(|| between("<%", "%>"));
    let found = found.or_else(|| between("%%", "%%"));
    found.map(|(_, end)| end).or_else(|| expression(text))
}

/// `<< … >>` on one line.
fn adapter(text: &str) -> Option<usize> {
    let inner = text.strip_prefix("<<")?;
    let end = inner.find(">>")?;
    (!inner[..end].contains('\n')).then_some(end + 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, dialect: Dialect) -> Vec<&str> {
        let spans = spans(text, dialect);
        spans.into_iter().map(|span| &text[span]).collect()
    }

    #[test]
    fn grafana_replaces_variables() {
        let text = "$a ${b} ${c:regex} ${d.e:date:YYYY} [[f]] [[g:pipe]] $__range_s$h";
        assert_eq!(
            found(text, Dialect::Grafana),
            [
                "$a",
                "${b}",
                "${c:regex}",
                "${d.e:date:YYYY}",
                "[[f]]",
                "[[g:pipe]]",
                "$__range_s",
                "$h"
            ]
        );
        for text in [
            "$1",
            "${1}",
            "x$",
            "[[:alpha:]]",
            "[[5m]]",
            "${a",
            "{{ .x }}",
            "${a b}",
        ] {
            assert_eq!(found(text, Dialect::Grafana), [""; 0], "{text}");
        }
        assert_eq!(found("$a {{ .x }}", Dialect::Prometheus), [""; 0]);
    }

    #[test]
    fn go_templates_end_at_their_braces() {
        let text = r#"{{.a}} {{ $labels.x }} {{{ .b }}} {{ index . "}}" }} $c {{ open"#;
        assert_eq!(
            found(text, Dialect::GoTemplate),
            [
                "{{.a}}",
                "{{ $labels.x }}",
                "{{ .b }}",
                "{{ index . \"}}\" }}"
            ]
        );
    }

    #[test]
    fn terraform_fills_in_expressions() {
        let text = "$${a} ${var.b} ${join(\"|\", [for x in y : \"}\"])} ${1} $${";
        let wanted = ["$${a}", "${var.b}", "${join(\"|\", [for x in y : \"}\"])}"];
        assert_eq!(found(text, Dialect::Template), wanted);
    }

    #[test]
    fn the_adapter_has_braces_of_its_own() {
        let text = "sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>) < 2";
        let wanted = ["<<.Series>>", "<<.LabelMatchers>>", "<<.GroupBy>>"];
        assert_eq!(found(text, Dialect::Adapter), wanted);
        assert!(crate::parse_with(text, Dialect::Adapter).is_ok());
        assert!(crate::parse(text).is_err());
        assert_eq!(found(text, Dialect::Prometheus), [""; 0]);
    }

    #[test]
    fn templates_of_all_programs_are_found() {
        let text = "{{ .a }} [[ .Url ]] [[- $b ]] <% c %> %%c%% ${D} ${e:-5m} __F__ vllm:__G___total ${h(\"i\", 1)}";
        let wanted = [
            "{{ .a }}",
            "[[ .Url ]]",
            "[[- $b ]]",
            "<% c %>",
            "%%c%%",
            "${D}",
            "${e:-5m}",
            "__F__",
            "__G__",
            "${h(\"i\", 1)}",
        ];
        let found = filled(text).into_iter().map(|at| &text[at]);
        assert_eq!(found.collect::<Vec<_>>(), wanted);
        let other = "$a ${1} ${__interval} [[b]] [[:alpha:]] {{ $labels.c }} __name__ __address__ a<b {{{ $value }}}";
        assert!(filled(other).is_empty(), "{:?}", filled(other));
        assert_eq!(
            self::found("$${__interval} $$a", Dialect::Grafana),
            ["$${__interval}", "$$a"]
        );
    }

    #[test]
    fn variables_have_names() {
        for (text, name) in [
            ("$a", "a"),
            ("${a.b}", "a"),
            ("{{- .Range -}}", ".Range"),
            ("[[a:regex]]", "a"),
        ] {
            let text = text.to_owned();
            let placeholder = Placeholder { text, span: 0..0 };
            assert_eq!(placeholder.variable(), name);
        }
    }
}
