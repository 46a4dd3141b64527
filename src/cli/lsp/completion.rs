//! Names that fit at a place: signals in specs, metrics, labels, their values and bucket boundaries in queries.

use std::ops::Range;

use lsp_types::{CompletionItem, CompletionItemKind, CompletionTextEdit, TextEdit};

use super::document::Document;
use super::position::{Encoding, Lines};
use super::{symbol, word};
use slosmith_catalog::{Catalog, Series, Shape};
use slosmith_lint::artifact::Kind;
use slosmith_spec::library::{self, ANY_ENGINE, PREFIX};

pub(super) fn items(document: &Document, offset: usize, encoding: Encoding) -> Vec<CompletionItem> {
    let lines = document.lines(encoding);
    if let Some(inside) = Selector::around(&document.text, offset) {
        return inside.items(&lines);
    }
    let text = &document.text;
    // Behind a minus, a name may begin after the cursor.
    let range = word::at(text, offset).start.min(offset)..offset;
    let item = |name: &str, detail: &str, kind| item(name, detail, kind, &range, &lines);
    if document.kind == Kind::Spec && symbol::expects_signal(text, range.start) {
        let own = symbol::signals(document).into_iter();
        let own =
            own.map(|name| item(&name, "declared in this spec", CompletionItemKind::VARIABLE));
        let others = library::of_others().map(|(_, name)| name);
        let all = library::names().into_iter().chain(others);
        let library = all.chain(library::of_engines()).filter_map(|name| {
            let of_vllm = name
                .strip_prefix(ANY_ENGINE)
                .map(|own| format!("{PREFIX}{own}"));
            let title = library::signal(of_vllm.as_ref().unwrap_or(&name))?
                .title
                .as_ref()?;
            Some(item(&name, &title.value, CompletionItemKind::CONSTANT))
        });
        return own.chain(library).collect();
    }
    let typed = &text[range.clone()];
    if typed.is_empty() {
        return Vec::new();
    }
    let catalog = Catalog::vllm();
    let names = catalog.names().flat_map(|family| series(catalog, family));
    let fitting = names.filter(|(name, _)| name.starts_with(typed));
    fitting
        .map(|(name, kind)| item(&name, &kind, CompletionItemKind::FIELD))
        .collect()
}

/// The names of a family's series, and its type, with the last release that serves it if that is not the newest.
fn series(catalog: &Catalog, family: &str) -> Vec<(String, String)> {
    let Some(shape) = catalog
        .family(family)
        .and_then(|family| family.shapes().last())
    else {
        return Vec::new();
    };
    let newest = catalog.releases().last();
    let served = catalog
        .family(family)
        .zip(newest)
        .is_some_and(|(family, newest)| family.is_on(newest));
    let detail = match served {
        true => shape.kind.to_string(),
        false => format!("{}, not in the newest release", shape.kind),
    };
    let suffixes = shape.kind.suffixes().iter();
    let names = suffixes.map(|suffix| format!("{family}{suffix}"));
    let mut names: Vec<_> = names.collect();
    if names.is_empty() {
        names.push(family.to_owned());
    }
    names
        .into_iter()
        .map(|name| (name, detail.clone()))
        .collect()
}

fn item(
    name: &str,
    detail: &str,
    kind: CompletionItemKind,
    range: &Range<usize>,
    lines: &Lines<'_>,
) -> CompletionItem {
    let edit = TextEdit::new(lines.range(range.clone()), name.to_owned());
    CompletionItem {
        label: name.to_owned(),
        kind: Some(kind),
        detail: Some(detail.to_owned()),
        text_edit: Some(CompletionTextEdit::Edit(edit)),
        ..CompletionItem::default()
    }
}

/// A place inside the braces of a selector, on one line: `vllm:x_bucket{le="1|`.
struct Selector<'t> {
    shape: &'static Shape,
    /// The label whose value is written; none where a label's name is.
    label: Option<&'t str>,
    typed: Range<usize>,
}

impl<'t> Selector<'t> {
    fn around(text: &'t str, offset: usize) -> Option<Self> {
        let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
        let line = &text[start..offset];
        let brace = line.rfind('{').filter(|at| !line[*at..].contains('}'))?;
        let name = &line[word::at(line, brace)];
        let catalog = Catalog::vllm();
        let (family, _): (_, Series) = catalog.series_of(name)?;
        let shape = family.shapes().last()?;
        let part = line[brace + 1..].rsplit(',').next().unwrap_or_default();
        // In JSON and double-quoted YAML the quotes of a query are escaped.
        let value = part.split_once('=').map(|(label, value)| {
            (
                label.trim().trim_end_matches('!'),
                value.trim_start_matches(['~', '\\', '"', '\'']),
            )
        });
        let typed = value.map_or(part.trim_start(), |(_, value)| value);
        Some(Self {
            shape,
            label: value.map(|(label, _)| label),
            typed: offset - typed.len()..offset,
        })
    }

    fn items(&self, lines: &Lines<'_>) -> Vec<CompletionItem> {
        let item = |name: &String, detail: &str, kind| item(name, detail, kind, &self.typed, lines);
        match self.label {
            None => {
                let labels = self.shape.labels.iter();
                labels
                    .map(|label| item(label, "label", CompletionItemKind::PROPERTY))
                    .collect()
            }
            Some("le") => {
                let bounds = self.shape.buckets.iter();
                bounds
                    .map(|le| item(le, "bucket boundary", CompletionItemKind::VALUE))
                    .collect()
            }
            Some(label) => {
                let values = self.shape.domain(label).unwrap_or_default().iter();
                values
                    .map(|value| item(value, label, CompletionItemKind::VALUE))
                    .collect()
            }
        }
    }
}
