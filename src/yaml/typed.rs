//! Typed values out of trees of regular YAML, several times faster than by the reader's events.
//!
//! This takes what is certain, and gives up on every doubt and on every fault; the full reader then decides, and
//! words what is wrong. Tests hold the two equal, places included.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess,
    Visitor,
};

use super::{Kind, Node, Scalar, Style, spanned, tree};
use crate::source::FileId;

/// What is larger or deeper is left to the full reader, which bounds both.
const MAX_BYTES: usize = 256 << 10;
const MAX_DEPTH: usize = 40;

/// The value that a document of regular YAML stands for.
pub(super) fn read<T: DeserializeOwned>(file: FileId, text: &str) -> Option<T> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let documents = tree::regular(text)?;
    let [document] = &documents[..] else {
        return None;
    };
    let _scope = spanned::enter(file, text);
    let root = Typed {
        text,
        node: &document.root,
        key: None,
        depth: 0,
    };
    root.seed(std::marker::PhantomData).ok()
}

/// Something that the full reader has to look at.
#[derive(Debug)]
struct Doubt;

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not certain")
    }
}

impl std::error::Error for Doubt {}

impl serde::de::Error for Doubt {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Doubt
    }
}

/// A node that a value is read from.
#[derive(Clone, Copy)]
struct Typed<'de> {
    text: &'de str,
    node: &'de Node<'de>,
    /// The key that this is the value of.
    key: Option<&'de Node<'de>>,
    depth: usize,
}

impl<'de> Typed<'de> {
    /// Reads a value that may ask for its place.
    fn seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Doubt> {
        if self.depth > MAX_DEPTH {
            return Err(Doubt);
        }
        spanned::stand_at(self.place());
        seed.deserialize(self)
    }

    fn inner(self, node: &'de Node<'de>, key: Option<&'de Node<'de>>) -> Self {
        Self {
            node,
            key,
            depth: self.depth + 1,
            ..self
        }
    }

    /// Where the full reader finds a value: all of a scalar, the first sign of a collection.
    fn place(self) -> Range<usize> {
        let start = self.node.range().start;
        let first = match &self.node.kind {
            Kind::Scalar(_) => return self.node.range(),
            Kind::Seq(items) => items.first(),
            Kind::Map(entries) => entries.first().map(|(key, _)| key),
        };
        if first.is_none_or(|first| first.start != self.node.start) {
            return start..start + 1;
        }
        let start = match self.node.is_seq() {
            true => self.dash(start),
            false => start,
        };
        start..start
    }

    /// The dash in front of the first item, unless it is in the column of the list's key.
    fn dash(self, item: usize) -> usize {
        let dash = self.text[..item]
            .trim_end_matches(' ')
            .len()
            .saturating_sub(1);
        let column = |at: usize| at - self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        match self.key {
            Some(key) if column(key.range().start) == column(dash) => item,
            _ => dash,
        }
    }

    /// A scalar that says something.
    fn scalar(self) -> Result<&'de Scalar<'de>, Doubt> {
        match &self.node.kind {
            Kind::Scalar(scalar) if !is_plain(scalar) || !is_nothing(&scalar.value) => Ok(scalar),
            _ => Err(Doubt),
        }
    }

    fn entries(self) -> Result<Entries<'de>, Doubt> {
        match &self.node.kind {
            Kind::Map(entries) if are_distinct(entries) => Ok(Entries {
                from: self,
                rest: entries.iter(),
                entry: None,
            }),
            _ => Err(Doubt),
        }
    }
}

/// A key that appears twice is left to the full reader.
fn are_distinct(entries: &[(Node<'_>, Node<'_>)]) -> bool {
    let mut known = BTreeSet::new();
    entries.iter().all(|(key, _)| known.insert(key.text()))
}

/// True when no key appears twice in it, at any depth.
fn is_sound(node: &Node<'_>) -> bool {
    let entries = node.entries();
    are_distinct(entries)
        && node.items().iter().all(is_sound)
        && entries.iter().all(|(_, value)| is_sound(value))
}

fn is_plain(scalar: &Scalar<'_>) -> bool {
    matches!(scalar.style, Style::Plain | Style::PlainInFlow)
}

/// Nothing in any spelling: its value depends on the type that is asked for.
fn is_nothing(text: &str) -> bool {
    text.is_empty() || text == "~" || text.eq_ignore_ascii_case("null")
}

/// What a scalar is where anything may be. Numbers in a rare notation are left to the full reader.
fn visit_any<'de, V: Visitor<'de>>(
    scalar: &'de Scalar<'de>,
    visitor: V,
) -> Result<V::Value, Doubt> {
    let text = &*scalar.value;
    let first = text.bytes().next().unwrap_or_default();
    if !is_plain(scalar) {
        return visitor.visit_borrowed_str(text);
    }
    match text {
        "true" => return visitor.visit_bool(true),
        "false" => return visitor.visit_bool(false),
        _ => {}
    }
    let words = ["true", "false", "nan", "inf", "infinity"];
    if first.is_ascii_alphabetic() && !words.iter().any(|w| text.eq_ignore_ascii_case(w)) {
        return visitor.visit_borrowed_str(text);
    }
    visit_number(text, visitor)
}

/// A decimal number, or a text that begins with one: `99.9%`, `10/min`, `5xx`.
fn visit_number<'de, V: Visitor<'de>>(text: &'de str, visitor: V) -> Result<V::Value, Doubt> {
    let (whole, rest) = split_digits(text);
    let fraction = rest.strip_prefix('.').map(split_digits);
    let unit = fraction.map_or(rest, |(_, unit)| unit).as_bytes();
    let leading_zero = whole.len() > 1 && whole.starts_with('0');
    if whole.is_empty() || leading_zero || fraction.is_some_and(|(digits, _)| digits.is_empty()) {
        return Err(Doubt);
    }
    match (unit, fraction) {
        ([], _) if text.len() > 15 => Err(Doubt),
        ([], None) => visitor.visit_u64(text.parse().map_err(|_| Doubt)?),
        ([], Some(_)) => visitor.visit_f64(text.parse().map_err(|_| Doubt)?),
        // Exponents and other bases than ten.
        (
            [
                b'e' | b'E' | b'x' | b'X' | b'o' | b'O' | b'b' | b'B',
                behind @ ..,
            ],
            _,
        ) if whole == "0" || behind.iter().all(|b| !b.is_ascii_alphabetic()) => Err(Doubt),
        ([first, ..], _) if matches!(first, b'%' | b'/' | b' ') || first.is_ascii_alphabetic() => {
            visitor.visit_borrowed_str(text)
        }
        _ => Err(Doubt),
    }
}

/// The digits that a text begins with, and the rest.
fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

/// Shapes that no type of the spec has.
macro_rules! doubted {
    ($($method:ident($($argument:ty),*))*) => {
        $(fn $method<V: Visitor<'de>>(self $(, _: $argument)*, _: V) -> Result<V::Value, Doubt> {
            Err(Doubt)
        })*
    };
}

impl<'de> Deserializer<'de> for Typed<'de> {
    type Error = Doubt;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Doubt> {
        match &self.node.kind {
            Kind::Scalar(_) => visit_any(self.scalar()?, visitor),
            Kind::Seq(_) => self.deserialize_seq(visitor),
            Kind::Map(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Doubt> {
        visitor.visit_borrowed_str(&self.scalar()?.value)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Doubt> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Doubt> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Doubt> {
        match &self.node.kind {
            Kind::Scalar(_) => self.scalar().and_then(|_| visitor.visit_some(self)),
            Kind::Seq(_) | Kind::Map(_) => visitor.visit_some(self),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Doubt> {
        match &self.node.kind {
            Kind::Seq(items) => visitor.visit_seq(Items {
                from: self,
                rest: items.iter(),
            }),
            _ => Err(Doubt),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Doubt> {
        visitor.visit_map(self.entries()?)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Doubt> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Doubt> {
        let name: StrDeserializer<'de, Doubt> = (&*self.scalar()?.value).into_deserializer();
        visitor.visit_enum(name)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Doubt> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Doubt> {
        match is_sound(self.node) {
            true => visitor.visit_unit(),
            false => Err(Doubt),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64
    }

    doubted! {
        deserialize_char()
        deserialize_bytes()
        deserialize_byte_buf()
        deserialize_unit()
        deserialize_unit_struct(&'static str)
        deserialize_tuple(usize)
        deserialize_tuple_struct(&'static str, usize)
    }
}

/// A list on its way to a value.
struct Items<'de> {
    from: Typed<'de>,
    rest: std::slice::Iter<'de, Node<'de>>,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Doubt;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Doubt> {
        let next = self.rest.next();
        next.map(|item| self.from.inner(item, None).seed(seed))
            .transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// A map on its way to a value.
struct Entries<'de> {
    from: Typed<'de>,
    rest: std::slice::Iter<'de, (Node<'de>, Node<'de>)>,
    /// The one whose key was read last.
    entry: Option<&'de (Node<'de>, Node<'de>)>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Doubt;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Doubt> {
        self.entry = self.rest.next();
        let key = self.entry.map(|(key, _)| self.from.inner(key, None));
        key.map(|key| key.seed(seed)).transpose()
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Doubt> {
        let (key, value) = self.entry.ok_or(Doubt)?;
        self.from.inner(value, Some(key)).seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}
