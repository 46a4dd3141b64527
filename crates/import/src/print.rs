//! A spec as a tree with comments, and the text of it.

use indexmap::IndexMap;

use slosmith_render::template::yaml::{block, comment, flow, scalar};

/// The longest line that a mapping or a list in brackets may make.
const WIDTH: usize = 110;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Text(String),
    Word(String),
    Map(Map),
    List(Vec<Value>),
    Item(Box<Item>),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Item {
    pub(super) comments: Vec<String>,
    pub(super) value: Value,
    pub(super) is_comment: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Map(Vec<Entry>);

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    comments: Vec<String>,
    key: String,
    value: Value,
    is_comment: bool,
}

impl From<Map> for Value {
    fn from(map: Map) -> Self {
        Self::Map(map)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        // A spec's lines end with a line feed alone.
        Self::Text(text.replace("\r\n", "\n"))
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::from(text.as_str())
    }
}

impl Value {
    pub(super) fn word(word: impl ToString) -> Self {
        Self::Word(word.to_string())
    }

    pub(super) fn texts<'a>(texts: impl IntoIterator<Item = &'a String>) -> Self {
        Self::List(texts.into_iter().map(Self::from).collect())
    }

    fn comments(&self) -> Vec<String> {
        match self {
            Self::Text(_) | Self::Word(_) => Vec::new(),
            Self::List(items) => items.iter().flat_map(Self::comments).collect(),
            Self::Item(item) => [item.comments.clone(), item.value.comments()].concat(),
            Self::Map(map) => map.comments(),
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Text(_) | Self::Word(_) => false,
            Self::Map(map) => map.is_empty(),
            Self::List(items) => items.is_empty(),
            Self::Item(item) => item.value.is_empty(),
        }
    }

    /// In brackets, on one line; `None` where comments or lines are in it.
    fn in_brackets(&self) -> Option<String> {
        match self {
            Self::Text(text) if text.contains('\n') => None,
            Self::Item(_) => None,
            Self::Text(text) => Some(flow(text)),
            Self::Word(word) => Some(word.clone()),
            Self::List(items) => {
                let items: Option<Vec<_>> = items.iter().map(Self::in_brackets).collect();
                Some(format!("[{}]", items?.join(", ")))
            }
            Self::Map(map) => {
                let entries: Option<Vec<_>> = map.0.iter().map(Entry::in_brackets).collect();
                Some(format!("{{{}}}", entries?.join(", ")))
            }
        }
    }
}

impl Entry {
    fn in_brackets(&self) -> Option<String> {
        let plain = self.comments.is_empty() && !self.is_comment;
        let value = self.value.in_brackets().filter(|_| plain)?;
        Some(format!("{}: {value}", flow(&self.key)))
    }
}

impl Map {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn comments(&self) -> Vec<String> {
        let of = |entry: &Entry| [entry.comments.clone(), entry.value.comments()].concat();
        self.0.iter().flat_map(of).collect()
    }

    pub(super) fn put(&mut self, key: &str, value: impl Into<Value>) {
        self.put_below(Vec::new(), key, value);
    }

    pub(super) fn put_below(&mut self, comments: Vec<String>, key: &str, value: impl Into<Value>) {
        let value = value.into();
        if !value.is_empty() {
            self.push(comments, key, value, false);
        }
    }

    /// The same of an entry that may be lost: it is then a comment that says what there was, and is not read.
    pub(super) fn put_or_comment(
        &mut self,
        is_lost: bool,
        comments: Vec<String>,
        key: &str,
        value: impl Into<Value>,
    ) {
        match is_lost {
            true => self.push(comments, key, value.into(), true),
            false => self.put_below(comments, key, value),
        }
    }

    fn push(&mut self, comments: Vec<String>, key: &str, value: Value, is_comment: bool) {
        self.0.push(Entry {
            comments,
            key: key.to_owned(),
            value,
            is_comment,
        });
    }

    /// Replaces each text with what `edit` makes of it.
    pub(super) fn edit_texts(&mut self, edit: impl Fn(&str) -> String) {
        for entry in &mut self.0 {
            if let Value::Text(text) = &mut entry.value {
                *text = edit(text);
            }
        }
    }

    pub(super) fn extend(&mut self, other: Map) {
        self.0.extend(other.0);
    }

    pub(super) fn maybe(&mut self, key: &str, text: Option<&String>) {
        if let Some(text) = text {
            self.put(key, text);
        }
    }

    pub(super) fn texts(&mut self, key: &str, pairs: &IndexMap<String, String>) {
        let mut map = Self::default();
        for (name, value) in pairs {
            map.put(name, value);
        }
        self.put(key, map);
    }

    /// All entries as a document, or as a part of one that is indented by some blanks.
    pub(super) fn text(&self, indent: usize) -> String {
        let mut out = String::new();
        for entry in &self.0 {
            for line in &entry.comments {
                push_comment(&mut out, line, indent);
            }
            let lines = entry.lines(indent);
            match entry.is_comment {
                false => out.push_str(&lines),
                true => push_commented(&mut out, &lines, indent),
            }
        }
        out
    }
}

impl Entry {
    fn lines(&self, indent: usize) -> String {
        let pad = " ".repeat(indent);
        let key = scalar(&self.key);
        let room = WIDTH.saturating_sub(indent + key.len() + 2);
        match &self.value {
            Value::Text(text) => format!("{pad}{key}: {}\n", block(text, indent + 2)),
            Value::Word(word) => format!("{pad}{key}: {word}\n"),
            value => match value.in_brackets().filter(|line| line.len() <= room) {
                Some(line) => format!("{pad}{key}: {line}\n"),
                None => format!("{pad}{key}:\n{}", below(value, indent + 2)),
            },
        }
    }
}

fn below(value: &Value, indent: usize) -> String {
    match value {
        Value::Map(map) => map.text(indent),
        Value::List(items) => items.iter().map(|item| list_item(item, indent)).collect(),
        Value::Text(_) | Value::Word(_) | Value::Item(_) => String::new(),
    }
}

fn list_item(item: &Value, indent: usize) -> String {
    let pad = " ".repeat(indent);
    if let Value::Item(item) = item {
        let mut out = String::new();
        for line in &item.comments {
            push_comment(&mut out, line, indent);
        }
        let lines = list_item(&item.value, indent);
        match item.is_comment {
            false => out.push_str(&lines),
            true => push_commented(&mut out, &lines, indent),
        }
        return out;
    }
    let room = WIDTH.saturating_sub(indent + 2);
    let line = item.in_brackets().filter(|line| line.len() <= room);
    match (item, line) {
        (Value::Text(text), _) => format!("{pad}- {}\n", block(text, indent + 2)),
        (_, Some(line)) => format!("{pad}- {line}\n"),
        (Value::Map(map), None) => {
            let text = map.text(indent + 2);
            // The dash takes the place of the first two blanks, unless comments are there.
            match text.trim_start().starts_with('#') {
                true => format!("{pad}-\n{text}"),
                false => format!("{pad}- {}", text.trim_start()),
            }
        }
        (_, None) => format!("{pad}-\n{}", below(item, indent + 2)),
    }
}

/// Adds a comment, over as many lines as it takes.
fn push_comment(out: &mut String, text: &str, indent: usize) {
    let pad = " ".repeat(indent);
    let text = comment(text);
    let mut line = format!("{pad}#");
    for word in text.split(' ') {
        if line.len() + 1 + word.len() > WIDTH + 10 && line.len() > indent + 2 {
            out.push_str(line.trim_end());
            line = format!("\n{pad}#");
        }
        line.push(' ');
        line.push_str(word);
    }
    out.push_str(line.trim_end());
    out.push('\n');
}

fn push_commented(out: &mut String, lines: &str, indent: usize) {
    let pad = " ".repeat(indent);
    for line in lines.lines() {
        let line = line.get(indent..).unwrap_or_default();
        out.push_str(format!("{pad}# {}", comment(line)).trim_end());
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_from_what_is_written() {
        let hostile = [
            "a, b",
            "{x}",
            "[x",
            "yes",
            "12",
            "é: #",
            "",
            "a\nb: {c}\n",
            " led\nb",
            "{{ $labels.a }}",
            "it's",
            "a]",
            "-",
            "a\r\nb",
        ];
        let mut inner = Map::default();
        for (i, text) in hostile.iter().enumerate() {
            inner.put(&format!("k{i}"), *text);
        }
        let texts: Vec<String> = hostile.map(str::to_owned).into();
        let mut map = Map::default();
        map.put_below(vec!["a\ncomment: x".to_owned()], "inner", inner);
        map.put("list", Value::texts(&texts));
        map.put("flow", Value::texts(&texts[..5].to_vec()));
        map.put_or_comment(true, vec![], "gone", "a\nb");
        let text = map.text(0);
        let back: serde_json::Value =
            slosmith_text::yaml::read(slosmith_text::source::FileId(0), &text).expect(&text);
        let expected = |text: &str| text.strip_suffix('\n').unwrap_or(text).replace('\r', "");
        for (i, original) in hostile.iter().enumerate() {
            assert_eq!(back["inner"][format!("k{i}")], expected(original), "{text}");
            assert_eq!(back["list"][i], expected(original), "{text}");
        }
        assert_eq!(back["flow"].as_array().map(Vec::len), Some(5), "{text}");
        assert_eq!(back.get("gone"), None, "{text}");
    }
}
