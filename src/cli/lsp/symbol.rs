//! Signals and runbooks of a spec: where they are declared, and their new names.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::OnceLock;

use lsp_types::{GotoDefinitionResponse, Location, TextEdit, WorkspaceEdit};
use serde_json::Value;

use super::action::edit_of;
use super::document::Document;
use super::position::Encoding;
use slosmith_lint::artifact;
use slosmith_spec::library::json_schema;
use slosmith_spec::naming::check_name;
use slosmith_text::source::FileId;
use slosmith_text::yaml::{Kind, Node, document};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Table {
    Signals,
    Runbooks,
}

impl Table {
    fn key(self) -> &'static str {
        match self {
            Self::Signals => "signals",
            Self::Runbooks => "runbooks",
        }
    }

    /// True for a key whose value is a name of this table.
    fn is_named_by(self, key: &str) -> bool {
        match self {
            Self::Signals => signal_keys().contains(key),
            Self::Runbooks => matches!(key, "runbook" | "related"),
        }
    }
}

struct Symbol {
    table: Table,
    declared: Range<usize>,
    /// In the order of the file; what an alias repeats is one place.
    used: BTreeSet<(usize, usize)>,
}

/// The declaration of the name at a byte.
pub(super) fn definition(
    document: &Document,
    offset: usize,
    encoding: Encoding,
) -> Option<GotoDefinitionResponse> {
    let (symbol, _) = at(document, offset)?;
    let range = document.lines(encoding).range(symbol.declared);
    let location = Location::new(document.uri.clone(), range);
    Some(GotoDefinitionResponse::Scalar(location))
}

pub(super) fn prepare(
    document: &Document,
    offset: usize,
    encoding: Encoding,
) -> Option<lsp_types::Range> {
    let (_, here) = at(document, offset)?;
    Some(document.lines(encoding).range(here))
}

pub(super) fn rename(
    document: &Document,
    offset: usize,
    name: &str,
    encoding: Encoding,
) -> Result<WorkspaceEdit, String> {
    let (symbol, here) =
        at(document, offset).ok_or("place the cursor on the name of a signal or runbook")?;
    check_name(name, symbol.table == Table::Runbooks).map_err(|error| error.to_string())?;
    let old = &document.text[here];
    if name != old && tables(document).into_iter().any(|(_, _, key)| key == name) {
        return Err(format!("the name `{name}` is already used in this spec"));
    }
    let lines = document.lines(encoding);
    let used = symbol.used.into_iter().map(|(start, end)| start..end);
    let places = std::iter::once(symbol.declared).chain(used);
    let edits = places.map(|place| TextEdit::new(lines.range(place), name.to_owned()));
    Ok(edit_of(&document.uri, edits.collect()))
}

pub(super) fn signals(document: &Document) -> Vec<String> {
    let all = tables(document).into_iter();
    let signals = all.filter(|(table, ..)| *table == Table::Signals);
    signals.map(|(_, _, name)| name).collect()
}

/// True where the value of a key that takes a signal begins.
pub(super) fn expects_signal(text: &str, start: usize) -> bool {
    let before = text[..start].trim_end_matches([' ', '"', '\'']);
    let Some(before) = before.strip_suffix(':') else {
        return false;
    };
    let key = before
        .rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .next();
    key.is_some_and(|key| signal_keys().contains(key))
}

/// Keys whose values the schema calls names of signals.
fn signal_keys() -> &'static BTreeSet<String> {
    static KEYS: OnceLock<BTreeSet<String>> = OnceLock::new();
    KEYS.get_or_init(|| {
        let mut keys = BTreeSet::new();
        if let Ok(schema) = serde_json::from_str(&json_schema()) {
            collect(&schema, &mut keys);
        }
        keys
    })
}

fn collect(schema: &Value, keys: &mut BTreeSet<String>) {
    let names = ["#/$defs/SignalName", "#/$defs/RatioSide"];
    let is_signal = |of: &Value| of["$ref"].as_str().is_some_and(|of| names.contains(&of));
    let properties = schema["properties"].as_object().into_iter().flatten();
    for (key, of) in properties {
        let forms = ["anyOf", "oneOf", "allOf"].into_iter();
        let mut forms = forms.flat_map(|form| of[form].as_array().into_iter().flatten());
        if is_signal(of) || is_signal(&of["items"]) || forms.any(is_signal) {
            keys.insert(key.clone());
        }
    }
    match schema {
        Value::Object(all) => all.values().for_each(|inner| collect(inner, keys)),
        Value::Array(all) => all.iter().for_each(|inner| collect(inner, keys)),
        _ => {}
    }
}

fn tables(of: &Document) -> Vec<(Table, Range<usize>, String)> {
    let Some(root) = document(FileId(0), &of.text)
        .ok()
        .filter(|_| of.kind == artifact::Kind::Spec)
    else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for table in [Table::Signals, Table::Runbooks] {
        let entries = root.get(table.key()).map_or(&[][..], Node::entries);
        let names = entries.iter().filter_map(|(key, _)| {
            let name = key.text()?;
            Some((table, named(key, name), name.to_owned()))
        });
        found.extend(names);
    }
    found
}

fn at(of: &Document, offset: usize) -> Option<(Symbol, Range<usize>)> {
    let root = document(FileId(0), &of.text).ok()?;
    tables(of).into_iter().find_map(|(table, declared, name)| {
        let mut used = BTreeSet::new();
        uses(&root, table, &name, &mut used);
        let places = used.iter().map(|(start, end)| *start..*end);
        let mut places = std::iter::once(declared.clone()).chain(places);
        let here = places.find(|place| place.start <= offset && offset <= place.end)?;
        drop(places);
        let symbol = Symbol {
            table,
            declared,
            used,
        };
        Some((symbol, here))
    })
}

fn uses(node: &Node<'_>, table: Table, name: &str, found: &mut BTreeSet<(usize, usize)>) {
    for (key, value) in node.entries() {
        if key.text().is_some_and(|key| table.is_named_by(key)) {
            let all = std::iter::once(value).chain(value.items());
            let same = all.filter(|value| value.text() == Some(name));
            let places = same.map(|value| named(value, name));
            found.extend(places.map(|place| (place.start, place.end)));
        }
        uses(value, table, name, found);
    }
    if let Kind::Seq(items) = &node.kind {
        items.iter().for_each(|item| uses(item, table, name, found));
    }
}

/// The bytes of a name without its quotes.
fn named(value: &Node<'_>, name: &str) -> Range<usize> {
    let range = value.range();
    let quotes = range.len().saturating_sub(name.len()) / 2;
    range.start + quotes..range.end - quotes
}
