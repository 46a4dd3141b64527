//! YAML that Helm or Jinja may have to fill in first.

use super::document;
use super::reader::Reader;
use super::unread::Unread;
use crate::diag::Diagnostic;
use crate::source::Span;
use crate::yaml::{Body, Filler, probably_filled, surely_filled, tree};

/// Reads all documents of a file; a template is read as far as its output is known.
///
/// # Errors
/// The first place where the whole file cannot be read.
pub(super) fn read(reader: &mut Reader, body: &Body<'_>) -> Result<(), Unread> {
    if let Some(filler) = surely_filled(body.text()) {
        return filled(reader, body, filler);
    }
    match tree(body.file(), body.text(), &mut reader.allowance) {
        Ok(documents) => {
            let roots = documents.iter().map(|document| &document.root);
            roots.for_each(|root| document::read(reader, body, root));
            Ok(())
        }
        Err(fault) => match probably_filled(body.text()) {
            Some(filler) => filled(reader, body, filler),
            None => Err(fault.into()),
        },
    }
}

/// What is wrong with a file that is no JSON: a template need not be any.
pub(super) fn explain(text: &str, fault: Diagnostic) -> Unread {
    let jinja = || text.contains("{%").then_some(Filler::Jinja);
    match surely_filled(text).or_else(jinja) {
        Some(filler) => unread(filler, fault.span, &fault.message),
        None => fault.into(),
    }
}

fn filled(reader: &mut Reader, body: &Body<'_>, filler: Filler) -> Result<(), Unread> {
    let Some(text) = body.filled() else {
        let start = Span::new(body.file(), 0..0);
        return Err(unread(filler, start, "an action in it does not end"));
    };
    reader.template = Some(body.text().to_owned());
    let inside = Body::inside(text.map.clone(), &text.value);
    let documents = tree(body.file(), &text.value, &mut reader.allowance);
    let documents = documents
        .map_err(|fault| unread(filler, inside.span(fault.span.range()), &fault.message))?;
    let roots = documents.iter().map(|document| &document.root);
    roots.for_each(|root| document::read(reader, &inside, root));
    Ok(())
}

fn unread(filler: Filler, span: Span, why: &str) -> Unread {
    let (code, name) = match filler {
        Filler::Helm => ("helm-template", "Helm"),
        Filler::Jinja => ("jinja-template", "Jinja"),
    };
    let message = format!("this {name} template cannot be read before it is rendered: {why}");
    let fault = Diagnostic::error(code, span, message).help("render it, then lint the result");
    Unread {
        fault,
        template: Some(filler),
    }
}
