//! The only user of the YAML reader: document → typed values with places.
//!
//! ```
//! use slosmith_text::source::{FileId, Spanned};
//!
//! #[derive(serde::Deserialize)]
//! struct Rule {
//!     expr: Spanned<String>,
//! }
//!
//! let rule: Rule = slosmith_text::yaml::read(FileId(0), "expr: up == 0\n").expect("a rule");
//! assert_eq!(rule.expr.value, "up == 0");
//! assert_eq!(rule.expr.span.range(), 6..13);
//! ```

mod advice;
mod error;
mod fault;
pub mod go;
mod joined;
mod key;
mod mend;
mod merge;
mod node;
mod parts;
mod spanned;
mod synonym;
mod text;
mod tree;
mod typed;

pub use fault::Fault;
pub use joined::Joined;
pub use mend::{Draft, Mended, Reported};
pub use merge::removes;
pub use node::{Filler, Kind, Node, Scalar, Style, Tag};
pub use parts::Parts;
pub use text::{
    Body, MARK, Place, Text, TextMap, inside, is_branched, is_left_out, json_string,
    probably_filled, readings, surely_filled,
};
pub use tree::{Allowance, tree};

use std::path::Path;
use std::rc::Rc;

use serde::de::{DeserializeOwned, IgnoredAny};

use crate::diag::Diagnostic;
use crate::source::{FileId, SourceFile, Sources, Span};
pub use key::key;
pub use spanned::Written;

/// Larger documents are rejected before they are parsed: no hand-written file is near it.
pub const MAX_BYTES: usize = 4 << 20;

/// Reads one YAML document into `T`; every [`Spanned`](crate::source::Spanned) in it points into `file`.
pub fn read<T: DeserializeOwned>(file: FileId, text: &str) -> Result<T, Diagnostic> {
    check_size(file, text)?;
    match typed::read(file, text) {
        Some(value) => Ok(value),
        None => read_fully(file, text),
    }
}

/// The documents of a file, of which the first says something.
pub fn documents(file: FileId, text: &str) -> Result<Vec<Node<'_>>, Diagnostic> {
    check_size(file, text)?;
    if let Some(documents) = tree::regular(text)
        && let [first, others @ ..] = &documents[..]
        && (others.is_empty() || !first.is_null())
    {
        return Ok(documents);
    }
    // The full reader bounds what a tree would take, and words what is no YAML.
    if let Err(fault) = read_fully::<IgnoredAny>(file, text)
        && fault.code != "multiple-documents"
    {
        return Err(advice::explain(fault, text));
    }
    let documents = tree(file, text, &mut Allowance::default())?;
    if documents.first().is_none_or(Node::is_null) {
        let mut empty = error::empty(file);
        empty.span = Span::new(empty.span.file, error::visible(empty.span.range(), text));
        return Err(empty);
    }
    Ok(documents)
}

/// The first document of a file.
pub fn document(file: FileId, text: &str) -> Result<Node<'_>, Diagnostic> {
    documents(file, text).map(|mut documents| documents.remove(0))
}

/// The value that a tree stands for. A field whose name is that of one of the `parts` is a struct whose fields stand beside it.
pub fn typed<T: DeserializeOwned>(
    files: &Rc<Joined>,
    root: &Node<'_>,
    parts: &Parts,
) -> Result<T, Fault> {
    typed::of(files, root, parts)
}

fn check_size(file: FileId, text: &str) -> Result<(), Diagnostic> {
    if text.len() <= MAX_BYTES {
        return Ok(());
    }
    let message = format!(
        "the file has {} bytes; the limit is {MAX_BYTES}",
        text.len()
    );
    Err(Diagnostic::error(
        "too-large",
        Span::new(file, 0..0),
        message,
    ))
}

fn read_fully<T: DeserializeOwned>(file: FileId, text: &str) -> Result<T, Diagnostic> {
    let _scope = spanned::enter(Rc::new(Joined::one(file, text)));
    serde_saphyr::from_str_with_options(text, options())
        .map_err(|error| error::diagnostic(&error, file, text))
}

/// Decodes a file's bytes and puts them among the sources.
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
            not_utf8(span, "the file is not UTF-8 text".to_owned()).label("first invalid byte")
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
