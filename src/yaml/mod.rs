//! The only user of the YAML reader: document → typed values with places.
//!
//! ```
//! use slosmith::source::{FileId, Spanned};
//!
//! #[derive(serde::Deserialize)]
//! struct Rule {
//!     expr: Spanned<String>,
//! }
//!
//! let rule: Rule = slosmith::yaml::read(FileId(0), "expr: up == 0\n").expect("a rule");
//! assert_eq!(rule.expr.value, "up == 0");
//! assert_eq!(rule.expr.span.range(), 6..13);
//! ```

mod error;
mod key;
mod node;
mod scalar;
mod spanned;
mod text;
mod tree;
mod typed;

pub use node::{Kind, Node, Scalar, Style};
pub use text::{Body, Filler, Place, Text, TextMap, json_string, probably_filled, surely_filled};
pub use tree::{Allowance, Document, tree};

use std::path::Path;

use serde::de::DeserializeOwned;

use crate::diag::Diagnostic;
use crate::source::{FileId, SourceFile, Sources, Span};
pub use key::key;
pub use scalar::inside;
pub(crate) use spanned::Written;

/// Larger documents are rejected before they are parsed: no hand-written file is near it.
pub const MAX_BYTES: usize = 4 << 20;

/// Reads one YAML document into `T`; every [`Spanned`](crate::source::Spanned) in it points into `file`.
///
/// # Errors
/// The first thing wrong with the shape of the document, at its place.
pub fn read<T: DeserializeOwned>(file: FileId, text: &str) -> Result<T, Diagnostic> {
    check_size(file, text)?;
    match typed::read(file, text) {
        Some(value) => Ok(value),
        None => read_fully(file, text),
    }
}

/// The same, with the tree of what was read.
///
/// # Errors
/// As for [`read`], and where aliases copy too much for a tree.
pub fn read_with_tree<T: DeserializeOwned>(
    file: FileId,
    text: &str,
) -> Result<(T, Vec<Document<'_>>), Diagnostic> {
    check_size(file, text)?;
    if let Some(document) = typed::document(text)
        && let Some(value) = typed::value(file, text, &document)
    {
        return Ok((value, vec![document]));
    }
    let value = read_fully(file, text)?;
    Ok((value, tree(file, text, &mut Allowance::default())?))
}

fn check_size(file: FileId, text: &str) -> Result<(), Diagnostic> {
    if text.len() > MAX_BYTES {
        let message = format!(
            "the document has {} bytes, more than the {MAX_BYTES} that are read",
            text.len()
        );
        let start = Span::new(file, 0..0);
        return Err(Diagnostic::error("too-large", start, message));
    }
    Ok(())
}

/// The same by the reader alone.
fn read_fully<T: DeserializeOwned>(file: FileId, text: &str) -> Result<T, Diagnostic> {
    let _scope = spanned::enter(file, text);
    serde_saphyr::from_str_with_options(text, options())
        .map_err(|error| error::diagnostic(&error, file, text))
}

/// Decodes a file's bytes and puts them among the sources.
///
/// # Errors
/// Names the encoding, or else the first byte that is not UTF-8.
pub fn decode(path: &Path, bytes: Vec<u8>, sources: &mut Sources) -> Result<FileId, Diagnostic> {
    let not_utf8 = |span, message: String| Diagnostic::error("not-utf8", span, message);
    if let Some(encoding) = wide(&bytes) {
        let file = sources.add(SourceFile::new(path, ""));
        let message = format!("the file is encoded in {encoding}: save it as UTF-8");
        return Err(not_utf8(Span::new(file, 0..0), message));
    }
    String::from_utf8(bytes)
        .map(|text| sources.add(SourceFile::new(path, text)))
        .map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let lossy = String::from_utf8_lossy(error.as_bytes());
            let file = sources.add(SourceFile::new(path, lossy));
            let span = Span::new(file, at..at + char::REPLACEMENT_CHARACTER.len_utf8());
            not_utf8(span, "the file is not UTF-8 text".to_owned()).label("this byte")
        })
}

/// The encoding with wider units than bytes, by its byte order mark or the zeros of its first character
/// (YAML 1.2.2, 5.2).
fn wide(bytes: &[u8]) -> Option<&'static str> {
    match *bytes {
        [0, 0, 0xFE, 0xFF, ..] | [0, 0, 0, _, ..] => Some("UTF-32 (big-endian)"),
        [0xFF, 0xFE, 0, 0, ..] | [_, 0, 0, 0, ..] => Some("UTF-32 (little-endian)"),
        [0xFE, 0xFF, ..] | [0, _, ..] => Some("UTF-16 (big-endian)"),
        [0xFF, 0xFE, ..] | [_, 0, ..] => Some("UTF-16 (little-endian)"),
        _ => None,
    }
}

fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        with_snippet: false,
        strict_booleans: true,
        // No spec repeats itself a hundred thousand times; aliases of aliases of aliases do.
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: 100_000 },
        budget: serde_saphyr::budget! {
            max_aliases: 1_000,
            max_depth: 48,
            max_total_scalar_bytes: 4 * MAX_BYTES,
        },
    }
}
