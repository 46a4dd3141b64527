//! Fixes as code actions.

use std::collections::HashMap;

use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, Range, TextEdit, Uri, WorkspaceEdit,
};

use super::document::Document;
use super::position::{Encoding, Lines};
use slosmith_text::diag::fix::apply;
use slosmith_text::diag::{Applicability, Diagnostic, Fix};

/// All safe fixes of a file at once.
pub(super) fn fix_all() -> CodeActionKind {
    CodeActionKind::new("source.fixAll.slosmith")
}

/// The fixes of findings in a range, and one for all safe fixes of the file.
pub(super) fn actions(
    document: &Document,
    range: Range,
    encoding: Encoding,
) -> Vec<CodeActionOrCommand> {
    let lines = document.lines(encoding);
    let found = document.found.iter().filter(|found| {
        let place = lines.range(found.span.range());
        place.start <= range.end && range.start <= place.end
    });
    let mut actions: Vec<_> = found
        .filter_map(|found| fix(document, found, &lines))
        .collect();
    actions.extend(all(document, &lines));
    actions.into_iter().map(CodeActionOrCommand::from).collect()
}

fn fix(document: &Document, found: &Diagnostic, lines: &Lines<'_>) -> Option<CodeAction> {
    let fix: &Fix = found.details.fix.as_ref()?;
    let here = fix.edits.iter().all(|edit| edit.span.file == document.file);
    let safe = fix.applicability == Applicability::Safe;
    let title = match safe {
        true => fix.title.clone(),
        false => format!("{} (may change the meaning)", fix.title),
    };
    let edits = fix.edits.iter();
    let edits = edits.map(|edit| TextEdit::new(lines.range(edit.span.range()), edit.text.clone()));
    here.then(|| CodeAction {
        title,
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![document.diagnostic(found, lines)]),
        edit: Some(edit_of(&document.uri, edits.collect())),
        is_preferred: Some(safe),
        ..CodeAction::default()
    })
}

fn all(document: &Document, lines: &Lines<'_>) -> Option<CodeAction> {
    let outcome = apply(&document.sources, &document.found, false);
    let fixed = outcome.files.get(&document.file)?;
    let whole = lines.range(0..document.text.len());
    Some(CodeAction {
        title: "slosmith: apply all safe fixes".to_owned(),
        kind: Some(fix_all()),
        edit: Some(edit_of(
            &document.uri,
            vec![TextEdit::new(whole, fixed.text.clone())],
        )),
        ..CodeAction::default()
    })
}

pub(super) fn edit_of(uri: &Uri, edits: Vec<TextEdit>) -> WorkspaceEdit {
    WorkspaceEdit::new(HashMap::from([(uri.clone(), edits)]))
}
