//! How values get their places.
//!
//! serde gives a `Deserialize` implementation no way to be told which file it reads, so the file stands in
//! a thread-local for the time of one [`read`](super::read).

use std::cell::Cell;

use serde::{Deserialize, Deserializer};

use crate::source::{FileId, Span, Spanned};

thread_local! {
    static FILE: Cell<FileId> = const { Cell::new(FileId(0)) };
}

/// Restores the previous file when the read ends.
pub(super) struct Scope(FileId);

impl Drop for Scope {
    fn drop(&mut self) {
        FILE.set(self.0);
    }
}

pub(super) fn enter(file: FileId) -> Scope {
    Scope(FILE.replace(file))
}

pub(super) fn span_at(file: FileId, location: &serde_saphyr::Location) -> Option<Span> {
    let span = location.span();
    let start = usize::try_from(span.byte_offset()?).ok()?;
    let len = usize::try_from(span.byte_len().unwrap_or(0)).ok()?;
    Some(Span::new(file, start..start + len))
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Spanned<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = serde_saphyr::Spanned::<T>::deserialize(deserializer)?;
        let span = span_at(FILE.get(), &read.referenced).unwrap_or_default();
        Ok(Spanned::new(read.value, span))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn keys_and_values_know_their_place() {
        let text = "é: [x, \"y z\"]\n? k\n: |\n  one\n  two\n";
        let map: BTreeMap<Spanned<String>, serde_json::Value> =
            super::super::read(FileId(3), text).expect("valid");
        let keys: Vec<_> = map.keys().map(|k| &text[k.span.range()]).collect();
        assert_eq!(keys, ["k", "é"]);
        assert_eq!(map.keys().next().map(|k| k.span.file), Some(FileId(3)));
        let list: BTreeMap<String, Spanned<Vec<Spanned<String>>>> =
            super::super::read(FileId(0), "é: [x, \"y z\"]\n").expect("valid");
        let items = &list["é"].value;
        assert_eq!((items[1].span.start, items[1].span.end), (8, 13));
    }
}
