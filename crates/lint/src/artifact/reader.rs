//! What readers of documents work with.

use super::language;
use super::raw::HOLE;
use super::signs;
use super::{Artifact, Hints, Kind, Language, Query, Role, json};
use slosmith_promql::{Dialect, placeholder};
use slosmith_spec::config::QueryLanguage;
use slosmith_text::source::{FileId, Span};
use slosmith_text::yaml::{Allowance, Filler, MARK, Text, is_branched, is_left_out};

pub(super) struct Reader {
    pub(super) artifact: Artifact,
    pub(super) hints: Hints,
    /// What aliases may still copy.
    pub(super) allowance: Allowance,
    pub(super) depth: u32,
    /// Texts of the document that are documents of their own, still to be read.
    pub(super) embedded: Vec<Embedded>,
    /// Terraform puts values in place of `${…}` in all texts.
    pub(super) interpolates: bool,
    /// The file's own text, when it is a template that was filled in as far as possible, and who fills it in.
    pub(super) template: Option<(Filler, String)>,
    /// The language of the document's queries, where its kind decides that.
    pub(super) usual: Option<Language>,
    /// The file is for people, who read `<metric>` and `...` as what they mean.
    pub(super) is_prose: bool,
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
    pub(super) fn new(file: FileId, hints: Hints) -> Self {
        Self {
            artifact: Artifact {
                file,
                open_languages: Some(Vec::new()),
                ..Artifact::default()
            },
            hints,
            allowance: Allowance::default(),
            depth: 0,
            embedded: Vec::new(),
            template: None,
            interpolates: false,
            usual: None,
            is_prose: false,
        }
    }

    pub(super) fn finish(mut self) -> Artifact {
        if self.hints.language.is_none() {
            let is_of_loki = self.hints.is_of_loki;
            if is_of_loki || !signs::may_wait(&self.artifact) {
                signs::read(&mut self.artifact, is_of_loki);
            }
        } else {
            self.artifact.open_languages = None;
        }
        let unknown = |query: &Query| query.is_partial && !signs::is_prom_ql(query);
        let mut queries = self.artifact.queries.iter();
        self.artifact.has_pieces |= !self.is_prose && queries.any(unknown);
        self.artifact
    }

    /// Notes what the file is, unless something before decided that.
    pub(super) fn is(&mut self, kind: Kind) {
        if self.artifact.kind == Kind::Unknown {
            self.artifact.kind = kind;
        }
    }

    /// Adds a query that is PromQL unless the document, the configuration or its words say otherwise; gives back its index.
    pub(super) fn query(&mut self, text: Text, dialect: Dialect, role: Role) -> usize {
        self.query_in(text, dialect, role, None)
    }

    /// Adds a query, in the language that its data source has, if one is given; gives back its index.
    pub(super) fn query_in(
        &mut self,
        text: Text,
        dialect: Dialect,
        role: Role,
        language: Option<Language>,
    ) -> usize {
        let language = language.or(self.usual);
        if language.is_none() {
            let at = self.artifact.queries.len();
            self.artifact
                .open_languages
                .get_or_insert_default()
                .push(at);
        }
        let language = match (self.hints.language, language) {
            (Some(QueryLanguage::MetricsQl), None | Some(Language::PromQl)) => Language::MetricsQl,
            (Some(QueryLanguage::LogQl), None) => Language::Other,
            (_, language) => language.unwrap_or(Language::PromQl),
        };
        let may_be_filled = placeholder::may_be_filled(&text.value);
        let mut holes = match may_be_filled {
            true => placeholder::filled(&text.value),
            false => Vec::new(),
        };
        if !holes.is_empty() {
            let own = placeholder::spans(&text.value, dialect);
            holes.retain(|hole| dialect != Dialect::Adapter && !own.contains(hole));
        }
        let is_template = self.template.is_some() && dialect != Dialect::Grafana;
        let dialect = match dialect {
            Dialect::Adapter => dialect,
            _ if is_template || !holes.is_empty() => Dialect::Template,
            // PromQL has no `${`: something fills it in first.
            Dialect::Prometheus if may_be_filled && text.value.contains("${") => Dialect::Template,
            Dialect::Grafana if self.interpolates && text.value.contains("${") => Dialect::Template,
            _ => dialect,
        };
        let marked = self.template.is_some().then_some(&text.value);
        let marks = marked.into_iter().flat_map(|text| text.match_indices(MARK));
        let marks = marks.map(|(at, _)| at);
        let mut holes = holes.iter().map(|hole| hole.start).chain(marks);
        let signs = ["%{", HOLE];
        let is_assembled = self.interpolates && signs.iter().any(|sign| text.value.contains(sign));
        self.artifact.queries.push(Query {
            is_partial: is_assembled
                || holes.any(|at| !is_quoted(&text.value, at))
                || self.is_branched(&text.span())
                || self.lacks_lines(&text)
                || self.is_prose && language::is_sketch(&text.value),
            text: text.value,
            map: text.map,
            dialect,
            language,
            source: None,
            role,
            listed: None,
        });
        self.artifact.queries.len() - 1
    }

    /// True when branches of a template begin or end among these bytes.
    fn is_branched(&self, span: &Span) -> bool {
        let template = self.template.as_ref();
        let part = template.and_then(|(filler, text)| Some((text.get(span.range())?, *filler)));
        part.is_some_and(|(text, filler)| is_branched(text, filler))
    }

    /// True when a template writes whole lines of a query: all of it, or some in its block.
    fn lacks_lines(&self, query: &Text) -> bool {
        let Some((filler, text)) = &self.template else {
            return false;
        };
        let span = query.span();
        let before = text.get(..span.range().start).unwrap_or_default();
        let (above, indent) = before.rsplit_once('\n').unwrap_or(("", before));
        let is_inside = |line: &&str| line.len() - line.trim_start().len() >= indent.len();
        let above = above
            .lines()
            .next_back()
            .filter(|_| indent.trim().is_empty());
        let below = with_actions(text, &span).lines().skip(1).filter(is_inside);
        query.value.trim().is_empty()
            || above
                .into_iter()
                .chain(below)
                .any(|line| is_left_out(line, *filler))
    }

    /// True when a template adds lines among these bytes.
    pub(super) fn is_extended(&self, span: &Span) -> bool {
        let text = self
            .template
            .as_ref()
            .map(|(_, text)| with_actions(text, span));
        let functions = ["indent", "include", "toYaml"];
        text.is_some_and(|text| functions.iter().any(|name| text.contains(name)))
    }

    /// Leaves a text to be read when the document around it is done.
    pub(super) fn embed(&mut self, text: Text) {
        self.embedded.push(Embedded::new(text));
    }

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

fn is_quoted(text: &str, place: usize) -> bool {
    let mut quote = None;
    let mut chars = text[..place].chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some('"' | '\''), '\\') => drop(chars.next()),
            (Some(open), c) if open == c => quote = None,
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '#') => drop(chars.find(|c| *c == '\n')),
            _ => {}
        }
    }
    quote.is_some()
}
