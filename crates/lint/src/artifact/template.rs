//! YAML and JSON that Helm, Jinja or Terraform may have to fill in first.

use super::reader::Reader;
use super::unread::Unread;
use super::{document, json};
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::Span;
use slosmith_text::yaml::{Body, Filler, probably_filled, readings, surely_filled, tree};

/// Readings of one file; a template whose branches need more is read in part.
const READINGS: u32 = 16;

/// Reads all documents of a file; a template is read as far as its output is known.
pub(super) fn read(reader: &mut Reader, body: &Body<'_>) -> Result<(), Unread> {
    if let Some(filler) = reader.hints.filler.or_else(|| surely_filled(body.text())) {
        return filled(reader, body, filler, yaml);
    }
    match tree(body.file(), body.text(), &mut reader.allowance) {
        Ok(documents) => {
            let roots = documents.into_iter();
            roots.for_each(|root| document::read(reader, body, root));
            Ok(())
        }
        Err(fault) => match probably_filled(body.text()) {
            Some(filler) => filled(reader, body, filler, yaml),
            None => Err(fault.into()),
        },
    }
}

/// The same of JSON.
pub(super) fn read_json(reader: &mut Reader, body: &Body<'_>) -> Result<(), Unread> {
    // Legends hold braces, too: what is JSON as it stands needs a sign that only Helm has.
    let filler = reader.hints.filler.or_else(|| surely_filled(body.text()));
    let plain = match (json::parse(body.text()), filler) {
        (Ok(root), None) => {
            document::read(reader, body, root);
            return Ok(());
        }
        (plain, _) => plain,
    };
    let jinja = || body.text().contains("{%").then_some(Filler::Jinja);
    let result = match filler.or_else(jinja) {
        Some(filler) => filled(reader, body, filler, json),
        None => plain
            .as_ref()
            .map(|_| ())
            .map_err(|fault| fault.in_body(body).into()),
    };
    match plain {
        Ok(root) if result.is_err() => {
            document::read(reader, body, root);
            Ok(())
        }
        _ => result,
    }
}

/// Reads what a template writes: `read` the first branch of each condition, then the others in readings of their own.
fn filled(
    reader: &mut Reader,
    body: &Body<'_>,
    filler: Filler,
    read: fn(&mut Reader, &Body<'_>) -> Result<(), Fault>,
) -> Result<(), Unread> {
    reader.template = Some((filler, body.text().to_owned()));
    one(reader, body, (filler, 0), read).map_err(|(span, why)| unread(filler, span, &why))?;
    let count = readings(body.text(), filler).unwrap_or(1);
    let artifact = &mut reader.artifact;
    artifact.has_unread_branches = count > READINGS;
    for reading in 1..count.min(READINGS) {
        let mut other = Reader::new(body.file(), reader.hints);
        other.template.clone_from(&reader.template);
        let whole = one(&mut other, body, (filler, reading), read).is_ok();
        artifact.has_unread_branches |= !whole || !other.artifact.faults.is_empty();
        // The first reading reports its errors; those of a later one may come from branches that exclude each other.
        other.artifact.faults.clear();
        if whole {
            artifact.branches.push(other.finish());
        }
    }
    artifact.begin_with_known();
    Ok(())
}

/// Where a reading ends, and why.
type Fault = (Span, String);

fn one(
    reader: &mut Reader,
    body: &Body<'_>,
    (filler, reading): (Filler, u32),
    read: fn(&mut Reader, &Body<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let start = Span::new(body.file(), 0..0);
    let text = body.filled(filler, reading);
    let text = text.ok_or_else(|| (start, "an action is not closed".to_owned()))?;
    read(reader, &Body::inside(text.map.clone(), &text.value))
}

fn yaml(reader: &mut Reader, inside: &Body<'_>) -> Result<(), Fault> {
    let documents = tree(inside.file(), inside.text(), &mut reader.allowance);
    let documents = documents.map_err(|fault| (inside.span(fault.span.range()), fault.message))?;
    let roots = documents.into_iter();
    roots.for_each(|root| document::read(reader, inside, root));
    Ok(())
}

fn json(reader: &mut Reader, inside: &Body<'_>) -> Result<(), Fault> {
    let root = json::parse_filled(inside.text());
    let root = root.map_err(|fault| (inside.span(fault.range), fault.message.to_owned()))?;
    document::read(reader, inside, root);
    Ok(())
}

fn unread(filler: Filler, span: Span, why: &str) -> Unread {
    let (code, name) = match filler {
        Filler::Helm => ("helm-template", "Helm"),
        Filler::Jinja => ("jinja-template", "Jinja"),
        Filler::Terraform => ("terraform-template", "Terraform"),
    };
    let message = format!("this {name} template can be checked only after rendering: {why}");
    let fault =
        Diagnostic::error(code, span, message).help("render the template, then lint the result");
    Unread {
        fault,
        template: Some(filler),
    }
}
