//! How values get their places.
//!
//! serde does not pass context to a `Deserialize` implementation, so the file being read is in a thread-local
//! during one [`read`](super::read).

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use serde::{Deserialize, Deserializer};

use super::joined::Joined;
use crate::source::{FileId, Span, Spanned, mark_len};

thread_local! {
    static OPEN: RefCell<Option<Open>> = const { RefCell::new(None) };
}

#[derive(Clone)]
struct Open {
    files: Rc<Joined>,
    at: Option<Range<usize>>,
}

pub(super) struct Scope(Option<Open>);

impl Drop for Scope {
    fn drop(&mut self) {
        OPEN.replace(self.0.take());
    }
}

pub(super) fn enter(files: Rc<Joined>) -> Scope {
    let at = None;
    Scope(OPEN.replace(Some(Open { files, at })))
}

pub(super) fn stand_at(range: Range<usize>) {
    OPEN.with_borrow_mut(|open| {
        if let Some(open) = open {
            open.at = Some(range);
        }
    });
}

/// Where the next value is, and the bytes that are there.
fn place_in_progress() -> Option<(Span, Range<usize>)> {
    OPEN.with_borrow(|open| {
        let open = open.as_ref()?;
        let at = open.at.clone()?;
        Some((open.files.span(at.clone()), at))
    })
}

pub(super) fn span_at(file: FileId, text: &str, location: &serde_saphyr::Location) -> Option<Span> {
    let span = location.span();
    let Some(start) = span.byte_offset() else {
        return by_line(file, text, location);
    };
    let start = usize::try_from(start).ok()?;
    let len = usize::try_from(span.byte_len().unwrap_or(0)).ok()?;
    let range = start..start + len;
    // A block scalar reaches to the next token; the blanks in between do not belong to it.
    let len = text.get(range.clone()).map_or(len, |t| t.trim_end().len());
    Some(Span::new(file, range.start..range.start + len))
}

fn by_line(file: FileId, text: &str, location: &serde_saphyr::Location) -> Option<Span> {
    let line = usize::try_from(location.line()).ok()?.checked_sub(1)?;
    let column = usize::try_from(location.column()).ok()?.checked_sub(1)?;
    let before = text.split_inclusive('\n').take(line).map(str::len);
    let start = before.sum::<usize>().max(mark_len(text));
    let rest = text.get(start..)?;
    let within = rest
        .char_indices()
        .nth(column)
        .map_or(rest.len(), |(i, _)| i);
    Some(Span::new(file, start + within..start + within))
}

fn place(location: &serde_saphyr::Location) -> Span {
    let found = OPEN.with_borrow(|open| {
        let open = open.as_ref()?;
        let (file, text) = open.files.files().next()?;
        span_at(file, text, location)
    });
    found.unwrap_or_default()
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Spanned<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if let Some((span, _)) = place_in_progress() {
            return Ok(Spanned::new(T::deserialize(deserializer)?, span));
        }
        let read = serde_saphyr::Spanned::<T>::deserialize(deserializer)?;
        Ok(Spanned::new(read.value, place(&read.referenced)))
    }
}

/// A value, its place and the way it was written: `1.0` is the same number as `1`, but another text.
pub struct Written<T> {
    pub value: T,
    pub span: Span,
    pub text: String,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Written<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if let Some((span, at)) = place_in_progress() {
            let value = T::deserialize(deserializer)?;
            let text = written(at);
            return Ok(Self { value, span, text });
        }
        let read = serde_saphyr::Spanned::<T>::deserialize(deserializer)?;
        let text = written(place(&read.defined).range());
        Ok(Self {
            value: read.value,
            span: place(&read.referenced),
            text,
        })
    }
}

fn written(at: Range<usize>) -> String {
    OPEN.with_borrow(|open| {
        let text = open.as_ref().and_then(|o| o.files.text().get(at));
        text.unwrap_or_default().to_owned()
    })
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
