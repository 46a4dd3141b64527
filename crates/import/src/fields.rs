//! A mapping of a source, read field by field: unused fields are reported.

use super::context::Cx;
use slosmith_spec::spec::Text;
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::{Span, Spanned};
use slosmith_text::yaml::{self, Body, Node};

/// Names and texts in the order written.
pub(super) type Pairs = Vec<(Text, Text)>;

pub(super) struct Fields<'a> {
    pub(super) body: &'a Body<'a>,
    node: &'a Node<'a>,
    /// Where it is, as a prefix of its fields: `spec.sli.`.
    path: String,
    read: Vec<&'a Node<'a>>,
    at: Span,
}

impl<'a> Fields<'a> {
    pub(super) fn of(
        cx: &mut Cx<'_>,
        body: &'a Body<'a>,
        node: &'a Node<'a>,
        path: &str,
    ) -> Option<Self> {
        let at = body.place(node);
        if !node.is_map() {
            wrong_type(cx, at, path.trim_end_matches('.'), "a mapping");
            return None;
        }
        Some(Self {
            body,
            node,
            path: path.to_owned(),
            read: Vec::new(),
            at,
        })
    }

    pub(super) fn span(&self) -> Span {
        self.at
    }

    pub(super) fn start(&self) -> usize {
        self.node.range().start
    }

    pub(super) fn is_camel(&self) -> bool {
        let mut keys = self.node.entries().iter().filter_map(|(key, _)| key.text());
        keys.any(|key| key.contains(|c: char| c.is_ascii_uppercase()))
    }

    pub(super) fn take(&mut self, key: &str) -> Option<&'a Node<'a>> {
        let (name, value) = self.node.entry(key)?;
        self.read.push(name);
        (!value.is_null()).then_some(value)
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.node.get(key).is_some_and(|node| !node.is_null())
    }

    /// Marks fields as read that say nothing a spec could say.
    pub(super) fn skip(&mut self, keys: &[&str]) {
        for key in keys {
            self.take(key);
        }
    }

    pub(super) fn text(&mut self, cx: &mut Cx<'_>, key: &str) -> Option<Text> {
        let node = self.take(key)?;
        let found = text_of(self.body, node);
        if found.is_none() {
            self.wrong(cx, node, key, "a string");
        }
        found
    }

    pub(super) fn filled_text(&mut self, cx: &mut Cx<'_>, key: &str) -> Option<Text> {
        let text = self.text(cx, key);
        text.filter(|text| !text.value.trim().is_empty())
    }

    pub(super) fn required(&mut self, cx: &mut Cx<'_>, key: &str) -> Option<Text> {
        self.filled(cx, key)?;
        self.text(cx, key)
    }

    fn filled(&mut self, cx: &mut Cx<'_>, key: &str) -> Option<()> {
        let is_blank = |node: &Node<'_>| node.text().is_some_and(|text| text.trim().is_empty());
        match self.take(key).is_none_or(is_blank) {
            true => self.missing(cx, key),
            false => Some(()),
        }
    }

    pub(super) fn missing<T>(&self, cx: &mut Cx<'_>, key: &str) -> Option<T> {
        let message = format!("missing field `{}{key}`", self.path);
        cx.error("missing-field", start(self.at), message);
        None
    }

    /// The text of a field, with the way from its characters to the file.
    pub(super) fn query(&mut self, cx: &mut Cx<'_>, key: &str) -> Option<yaml::Text> {
        let node = self.take(key)?;
        let found = self.body.read(node);
        if found.is_none() {
            self.wrong(cx, node, key, "a query");
        }
        found.filter(|text| !text.value.trim().is_empty())
    }

    /// The same of a query that must be there.
    pub(super) fn required_query(&mut self, cx: &mut Cx<'_>, key: &str) -> Option<yaml::Text> {
        self.filled(cx, key)?;
        self.query(cx, key)
    }

    /// A truth value, in the words of YAML 1.1, which other tools read.
    pub(super) fn bool(&mut self, cx: &mut Cx<'_>, key: &str) -> Option<Spanned<bool>> {
        let text = self.text(cx, key)?;
        match text.value.to_lowercase().as_str() {
            "true" | "yes" | "on" | "y" => Some(Spanned::new(true, text.span)),
            "false" | "no" | "off" | "n" => Some(Spanned::new(false, text.span)),
            _ => {
                let name = format!("{}{key}", self.path);
                wrong_type(cx, text.span, &name, "`true` or `false`");
                None
            }
        }
    }

    pub(super) fn is_true(&mut self, cx: &mut Cx<'_>, key: &str) -> bool {
        self.bool(cx, key).is_some_and(|said| said.value)
    }

    pub(super) fn map(&mut self, cx: &mut Cx<'_>, key: &str) -> Option<Fields<'a>> {
        let node = self.take(key)?;
        Fields::of(cx, self.body, node, &format!("{}{key}.", self.path))
    }

    /// The same of a mapping that must be there.
    pub(super) fn required_map(&mut self, cx: &mut Cx<'_>, key: &str) -> Option<Fields<'a>> {
        match self.has(key) {
            true => self.map(cx, key),
            false => self.missing(cx, key),
        }
    }

    pub(super) fn list(&mut self, cx: &mut Cx<'_>, key: &str) -> &'a [Node<'a>] {
        let Some(node) = self.take(key) else {
            return &[];
        };
        if !node.is_seq() {
            self.wrong(cx, node, key, "a list");
        }
        node.items()
    }

    pub(super) fn maps(&mut self, cx: &mut Cx<'_>, key: &str) -> Vec<Fields<'a>> {
        let path = format!("{}{key}[].", self.path);
        let items = self.list(cx, key);
        let items = items.iter();
        items
            .filter_map(|item| Fields::of(cx, self.body, item, &path))
            .collect()
    }

    pub(super) fn texts(&mut self, cx: &mut Cx<'_>, key: &str) -> Vec<String> {
        let mut texts = Vec::new();
        for item in self.list(cx, key) {
            match item.text() {
                Some(text) => texts.push(text.to_owned()),
                None => self.wrong(cx, item, &format!("{key}[]"), "a string"),
            }
        }
        texts
    }

    pub(super) fn pairs(&mut self, cx: &mut Cx<'_>, key: &str) -> Pairs {
        let Some(node) = self.take(key) else {
            return Pairs::new();
        };
        if !node.is_map() {
            self.wrong(cx, node, key, "a mapping");
        }
        let mut pairs = Pairs::new();
        for (name, value) in node.entries() {
            let known = name.text().unwrap_or_default();
            match (text_of(self.body, name), text_of(self.body, value)) {
                (Some(name), Some(value)) => pairs.push((name, value)),
                _ if value.is_null() => {}
                _ => self.wrong(cx, value, &format!("{key}.{known}"), "a string"),
            }
        }
        pairs
    }

    /// Reports all fields that no reader has used; returns the comments.
    pub(super) fn finish(self, cx: &mut Cx<'_>) -> Vec<String> {
        let mut comments = Vec::new();
        for (key, value) in self.node.entries() {
            let is_read = self.read.iter().any(|read| std::ptr::eq(*read, key));
            if is_read || is_blank(value) {
                continue;
            }
            let name = format!("{}{}", self.path, key.text().unwrap_or_default());
            let what = match text_of(self.body, value) {
                Some(text) => format!("`{name}: {}`", first_line(&text.value)),
                None => format!("`{name}`"),
            };
            comments.push(cx.lost(self.body.place(key), what, ""));
        }
        comments
    }

    fn wrong(&self, cx: &mut Cx<'_>, node: &Node<'_>, key: &str, wanted: &str) {
        let name = format!("{}{key}", self.path);
        wrong_type(cx, self.body.place(node), &name, wanted);
    }
}

pub(super) fn is_blank(node: &Node<'_>) -> bool {
    let is_empty = node.entries().is_empty() && node.items().is_empty();
    node.is_null() || is_empty && node.text().is_none_or(str::is_empty)
}

pub(super) fn text_of(body: &Body<'_>, node: &Node<'_>) -> Option<Text> {
    let text = node.text()?.to_owned();
    Some(Spanned::new(text, body.place(node)))
}

fn wrong_type(cx: &mut Cx<'_>, at: Span, name: &str, wanted: &str) {
    let name = match name {
        "" => "the document".to_owned(),
        name => format!("`{name}`"),
    };
    let message = format!("{name} must be {wanted}");
    cx.sink.push(Diagnostic::error("wrong-type", at, message));
}

pub(super) fn start(at: Span) -> Span {
    Span {
        end: at.start,
        ..at
    }
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn first_line(text: &str) -> String {
    const ENOUGH: usize = 60;
    let line = text.lines().next().unwrap_or_default();
    match line.chars().count() > ENOUGH || text.lines().count() > 1 {
        true => line.chars().take(ENOUGH).chain(['…']).collect(),
        false => line.to_owned(),
    }
}
