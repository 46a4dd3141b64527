//! The only user of the YAML reader: document → typed values with places.

mod error;
mod key;
mod scalar;
mod spanned;
mod text;
mod tree;

pub use text::{Body, Place, Text, TextMap, json_string};
pub use tree::{Document, Kind, Node, Scalar, Style, tree};

use serde::de::DeserializeOwned;

use crate::diag::Diagnostic;
use crate::source::{FileId, Span};
pub use key::key;
pub use scalar::inside;
pub(crate) use spanned::Written;

/// Larger documents are refused before they are parsed: no hand-written file is near it.
pub const MAX_BYTES: usize = 4 << 20;

/// Reads one YAML document into `T`; every [`Spanned`](crate::source::Spanned) in it points into `file`.
///
/// # Errors
/// The first thing wrong with the shape of the document, at its place.
pub fn read<T: DeserializeOwned>(file: FileId, text: &str) -> Result<T, Diagnostic> {
    if text.len() > MAX_BYTES {
        let message = format!(
            "the document has {} bytes, more than the {MAX_BYTES} that are read",
            text.len()
        );
        let start = Span::new(file, 0..0);
        return Err(Diagnostic::error("too-large", start, message));
    }
    let _scope = spanned::enter(file, text);
    serde_saphyr::from_str_with_options(text, options())
        .map_err(|error| error::diagnostic(&error, file, text))
}

/// Decodes a file's bytes.
///
/// # Errors
/// Names the first byte that is not UTF-8; the lossy text it gives back is for showing that place.
pub fn decode(bytes: Vec<u8>) -> Result<String, (String, usize)> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        (String::from_utf8_lossy(error.as_bytes()).into_owned(), at)
    })
}

fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        with_snippet: false,
        strict_booleans: true,
        // No spec repeats itself a hundred thousand times; aliases of aliases of aliases do.
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: 100_000 },
        budget: serde_saphyr::budget! { max_aliases: 1_000, max_depth: 48 },
    }
}
