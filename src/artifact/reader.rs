//! What readers of documents work with.

use super::raw::HOLE;
use super::{Artifact, Kind, Language, Query, Role, json, metrics_ql};
use crate::promql::{Dialect, parse_with};
use crate::source::{FileId, Span};
use crate::yaml::{Allowance, Text};

/// Gathers what is read from a file.
pub(super) struct Reader {
    pub(super) artifact: Artifact,
    /// What aliases may still copy.
    pub(super) allowance: Allowance,
    /// How many documents are around the one that is read.
    pub(super) depth: u32,
    /// Texts of the document that are documents of their own, still to be read.
    pub(super) embedded: Vec<Embedded>,
    /// The file's own text, when it is a template that was filled in as far as possible.
    pub(super) template: Option<String>,
    /// The file says that VictoriaMetrics evaluates it.
    pub(super) is_victoria: bool,
    /// Terraform puts values in place of `${…}` in all texts.
    pub(super) interpolates: bool,
}

/// A text inside of a document that is one itself: a dashboard in a ConfigMap.
pub(super) struct Embedded {
    pub(super) text: Text,
    /// What the file is, should there be queries in the text.
    pub(super) kind: Option<Kind>,
    /// True for the body of a dashboard of CloudWatch, whatever it looks like.
    pub(super) is_board: bool,
    /// True when it only looks like a document: what cannot be read of it is none.
    pub(super) is_guess: bool,
}

impl Reader {
    pub(super) fn new(file: FileId) -> Self {
        Self {
            artifact: Artifact {
                file,
                ..Artifact::default()
            },
            allowance: Allowance::default(),
            depth: 0,
            embedded: Vec::new(),
            template: None,
            is_victoria: false,
            interpolates: false,
        }
    }

    pub(super) fn finish(mut self) -> Artifact {
        let queries = &mut self.artifact.queries;
        // One query in MetricsQL shows who evaluates the others beside it.
        let is_metrics_ql =
            |query: &Query| metrics_ql::has_words(&query.text) && !is_prom_ql(query);
        if self.is_victoria || queries.iter().any(is_metrics_ql) {
            for query in queries.iter_mut().filter(|query| !is_prom_ql(query)) {
                query.language = Language::Other;
            }
        }
        self.artifact
    }

    /// Notes what the file is, unless something before decided that.
    pub(super) fn is(&mut self, kind: Kind) {
        if self.artifact.kind == Kind::Unknown {
            self.artifact.kind = kind;
        }
    }

    /// Adds a PromQL query; gives back its index.
    pub(super) fn query(&mut self, text: Text, dialect: Dialect, role: Role) -> usize {
        self.query_in(text, dialect, role, Language::PromQl)
    }

    /// Adds a query in any language; gives back its index.
    pub(super) fn query_in(
        &mut self,
        text: Text,
        dialect: Dialect,
        role: Role,
        language: Language,
    ) -> usize {
        let language = match is_pipeline(&text.value) {
            true => Language::Other,
            false => language,
        };
        let dialect = match dialect {
            Dialect::Prometheus | Dialect::GoTemplate if self.template.is_some() => {
                Dialect::Template
            }
            // PromQL has no `${`: something fills it in first.
            Dialect::Prometheus if text.value.contains("${") => Dialect::Template,
            Dialect::Grafana if self.interpolates && text.value.contains("${") => Dialect::Template,
            dialect => dialect,
        };
        let signs = ["%{", HOLE];
        let is_partial = self.interpolates && signs.iter().any(|sign| text.value.contains(sign));
        let language = match language {
            Language::MetricsQl if parse_with(&text.value, dialect).is_ok() => Language::PromQl,
            Language::MetricsQl => Language::Other,
            language => language,
        };
        self.artifact.queries.push(Query {
            is_partial: is_partial || self.is_written(&text.span()),
            text: text.value,
            map: text.map,
            dialect,
            language,
            role,
            listed: None,
        });
        self.artifact.queries.len() - 1
    }

    /// True when a template writes a part of these bytes.
    pub(super) fn is_written(&self, span: &Span) -> bool {
        let text = self
            .template
            .as_deref()
            .and_then(|text| text.get(span.range()));
        text.is_some_and(|text| text.contains("{{") || text.contains("{%"))
    }

    /// True when a template adds lines among these bytes.
    pub(super) fn is_extended(&self, span: &Span) -> bool {
        let text = self
            .template
            .as_deref()
            .map(|text| with_actions(text, span));
        let functions = ["indent", "include", "toYaml"];
        text.is_some_and(|text| functions.iter().any(|name| text.contains(name)))
    }

    /// Leaves a text to be read when the document around it is done.
    pub(super) fn embed(&mut self, text: Text) {
        self.embedded.push(Embedded::new(text));
    }

    /// The same of the body of a dashboard of CloudWatch.
    pub(super) fn embed_board(&mut self, text: Text) {
        let is_board = true;
        self.embedded.push(Embedded {
            is_board,
            ..Embedded::new(text)
        });
    }

    /// The same of a text that may be a document: several lines of YAML, or JSON, with a word that queries stand by.
    /// Gives back whether it may.
    pub(super) fn embed_likely(&mut self, text: Text, kind: Option<Kind>) -> bool {
        const WORDS: [&str; 5] = ["expr", "uery", "record", "etric", "kind"];
        let value = text.value.as_str();
        let is_document = json::is_likely(value) || value.contains('\n') && value.contains(':');
        let is_likely = is_document
            && WORDS.iter().any(|word| value.contains(word))
            // A spec is a file of its own.
            && !value.contains("apiVersion: slosmith/");
        if is_likely {
            self.embedded.push(Embedded {
                kind,
                is_guess: true,
                ..Embedded::new(text)
            });
        }
        is_likely
    }
}

impl Embedded {
    pub(super) fn new(text: Text) -> Self {
        Self {
            text,
            kind: None,
            is_board: false,
            is_guess: false,
        }
    }
}

fn is_prom_ql(query: &Query) -> bool {
    parse_with(&query.text, query.dialect).is_ok()
}

/// The bytes, and what a template may add behind them: lines of actions, and lines that are indented as far.
fn with_actions<'t>(text: &'t str, span: &Span) -> &'t str {
    let range = span.range();
    let before = text.get(..range.start).unwrap_or_default();
    let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
    let belongs = |line: &&str| {
        let words = line.trim_start();
        words.is_empty() || words.starts_with("{{") || line.len() - words.len() >= column
    };
    let rest = text.get(range.end..).unwrap_or_default();
    let current = rest.find('\n').map_or(rest.len(), |at| at + 1);
    let lines = rest[current..].split_inclusive('\n');
    let more: usize = lines.take_while(belongs).map(str::len).sum();
    text.get(range.start..range.end + current + more)
        .unwrap_or_default()
}

/// True for `{a="b"} |= "c"` and `{a="b"} | json`: LogQL and others pass on what they select, PromQL never does.
fn is_pipeline(text: &str) -> bool {
    // In nearly all queries it is enough to look in front of each bar.
    let mut bars = memchr::memchr_iter(b'|', text.as_bytes());
    let may_pass = |at: usize| text[..at].trim_end().ends_with(['}', '"', '\'', '`', ')']);
    if !text.contains('#') && !bars.any(may_pass) {
        return false;
    }
    let mut before = ' ';
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '|' if matches!(before, '}' | '"' | '`' | ')') => return true,
            '#' => drop(chars.find(|c| *c == '\n')),
            quote @ ('"' | '\'' | '`') => {
                while let Some(c) = chars.next().filter(|c| *c != quote) {
                    if c == '\\' && quote != '`' {
                        chars.next();
                    }
                }
                before = '"';
            }
            c if c.is_whitespace() => {}
            c => before = c,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_passes_on_a_selection_is_a_pipeline() {
        for text in [
            "{a=\"b\"} |= \"c\"",
            "{a='b'}\n| json",
            "rate({a=`b`} |~ `c`[5m])",
            "{a=\"b\"} # it's\n# so\n  |= \"c\"",
            "sum(x) | sort",
        ] {
            assert!(is_pipeline(text), "{text}");
        }
        for text in [
            "x{a=~\"b|c\"}",
            "x{a=~\"(b)|c\", d=~'}|\\'|'}",
            "x # }|\n + y",
            "x",
            "",
        ] {
            assert!(!is_pipeline(text), "{text}");
        }
    }
}
