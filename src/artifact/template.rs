//! YAML and JSON that Helm or Jinja may have to fill in first.

use super::reader::Reader;
use super::unread::Unread;
use super::{document, json};
use crate::diag::Diagnostic;
use crate::source::Span;
use crate::yaml::{Body, Filler, Text, probably_filled, surely_filled, tree};

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

/// The same of JSON.
///
/// # Errors
/// The first place where the whole file cannot be read.
pub(super) fn read_json(reader: &mut Reader, body: &Body<'_>) -> Result<(), Unread> {
    // Legends hold braces, too: what is JSON as it stands needs a sign that only Helm has.
    let filler = surely_filled(body.text());
    let plain = json::parse(body.text());
    if let (Ok(root), None) = (&plain, filler) {
        document::read(reader, body, root);
        return Ok(());
    }
    let jinja = || body.text().contains("{%").then_some(Filler::Jinja);
    let result = match filler.or_else(jinja) {
        Some(filler) => filled_json(reader, body, filler),
        None => plain
            .as_ref()
            .map(|_| ())
            .map_err(|fault| no_json(body, fault).into()),
    };
    match plain {
        Ok(root) if result.is_err() => {
            document::read(reader, body, &root);
            Ok(())
        }
        _ => result,
    }
}

fn filled_json(reader: &mut Reader, body: &Body<'_>, filler: Filler) -> Result<(), Unread> {
    let text = fill(body, filler)?;
    let inside = Body::inside(text.map.clone(), &text.value);
    let root = json::parse_filled(&text.value);
    let root = root.map_err(|fault| unread(filler, inside.span(fault.range), fault.message))?;
    reader.template = Some(body.text().to_owned());
    document::read(reader, &inside, &root);
    Ok(())
}

fn no_json(body: &Body<'_>, fault: &json::Fault) -> Diagnostic {
    let message = format!("this is not JSON: {}", fault.message);
    Diagnostic::error("invalid-json", body.span(fault.range.clone()), message)
}

fn filled(reader: &mut Reader, body: &Body<'_>, filler: Filler) -> Result<(), Unread> {
    let text = fill(body, filler)?;
    reader.template = Some(body.text().to_owned());
    let inside = Body::inside(text.map.clone(), &text.value);
    let documents = tree(body.file(), &text.value, &mut reader.allowance);
    let documents = documents
        .map_err(|fault| unread(filler, inside.span(fault.span.range()), &fault.message))?;
    let roots = documents.iter().map(|document| &document.root);
    roots.for_each(|root| document::read(reader, &inside, root));
    Ok(())
}

fn fill(body: &Body<'_>, filler: Filler) -> Result<Text, Unread> {
    let start = Span::new(body.file(), 0..0);
    let endless = || unread(filler, start, "an action in it does not end");
    body.filled().ok_or_else(endless)
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
