//! Describes a name: `catalog show` for a metric, `signals` for a signal.

use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind};

use super::document::Document;
use super::position::Encoding;
use super::word;
use crate::cli::{catalog, signals};

pub(super) fn hover(document: &Document, offset: usize, encoding: Encoding) -> Option<Hover> {
    let range = word::at(&document.text, offset);
    let name = &document.text[range.clone()];
    let known = catalog::described(name).or_else(|| signals::described(name))?;
    let contents = MarkupContent {
        kind: MarkupKind::Markdown,
        value: format!("```text\n{}\n```", known.trim_end()),
    };
    Some(Hover {
        contents: HoverContents::Markup(contents),
        range: Some(document.lines(encoding).range(range)),
    })
}
