//! Typed values out of trees.
//!
//! Of regular YAML this is several times faster than the full reader's events: [`read`] takes what is certain and gives
//! up on every doubt and fault, so that the full reader decides. Tests hold the two equal, places included. [`of`]
//! reads a tree that may have been put together from several files, and says what is wrong where.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess,
    Visitor,
};

use super::fault::{Beside, Fault, Known, Place, WHOLE, Wrong};
use super::joined::Joined;
use super::parts::Parts;
use super::{Kind, Node, Scalar, Style, spanned, tree};
use crate::source::FileId;

/// What is larger is left to the full reader.
const MAX_BYTES: usize = 256 << 10;
/// No spec nests deeper, and the stack holds it.
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
    let _scope = spanned::enter(Rc::new(Joined::one(file, text)));
    typed(text, document, true, &Parts::default()).ok()
}

/// The value that a tree stands for.
pub(super) fn of<T: DeserializeOwned>(
    joined: &Rc<Joined>,
    root: &Node<'_>,
    parts: &Parts,
) -> Result<T, Fault> {
    let _scope = spanned::enter(Rc::clone(joined));
    typed(joined.text(), root, false, parts).map_err(|mut fault| {
        fault.path.reverse();
        fault
    })
}

fn typed<T: DeserializeOwned>(
    text: &str,
    node: &Node<'_>,
    certain: bool,
    parts: &Parts,
) -> Result<T, Fault> {
    let root = Typed {
        text,
        node,
        key: None,
        depth: 0,
        certain,
        parts,
        is_part: false,
    };
    root.seed(std::marker::PhantomData)
}

#[derive(Clone, Copy)]
struct Typed<'de> {
    text: &'de str,
    node: &'de Node<'de>,
    key: Option<&'de Node<'de>>,
    depth: usize,
    /// True where a number in a rare notation is left to the full reader.
    certain: bool,
    parts: &'de Parts,
    /// True where only the fields of a part are read.
    is_part: bool,
}

impl<'de> Typed<'de> {
    /// Reads a value that may ask for its place.
    fn seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Fault> {
        if self.depth > MAX_DEPTH {
            return Err(Fault::from(Wrong::Depth).at(|| self.place_of_fault(&Wrong::Depth)));
        }
        spanned::stand_at(self.place());
        let read = seed.deserialize(self);
        read.map_err(|fault| fault.at_by(|wrong| self.place_of_fault(wrong)))
    }

    /// Where a fault of this value is shown.
    fn place_of_fault(self, wrong: &Wrong) -> Place {
        let entries = self.node.entries();
        let named = |name: &str| entries.iter().position(|(key, _)| key.text() == Some(name));
        let entry = match wrong {
            Wrong::UnknownField(name, _) => named(name),
            _ => None,
        };
        let bytes = match (wrong, entry) {
            (_, Some(entry)) => entries[entry].0.range(),
            (Wrong::MissingField(_), None) => self.key.map_or_else(|| self.place(), Node::range),
            _ => self.place(),
        };
        Place {
            bytes,
            value: self.node.range(),
            owner: self.key.map(Node::range),
            entry,
            alone: false,
        }
    }

    /// Where a field belongs that is too deep: in this map, beside the entry that leads to the fault.
    fn beside(self, path: &[usize]) -> Option<Box<Beside>> {
        let (entry, _) = self.node.entries().get(*path.last()?)?;
        Some(Box::new(Beside {
            entry: entry.range(),
            owner: self.key.map(Node::range),
            up: path.len(),
        }))
    }

    fn wanted(self, wanted: &'static str) -> Fault {
        Wrong::Kind {
            wanted,
            found: match &self.node.kind {
                Kind::Seq(_) => "a list",
                Kind::Map(_) => "a mapping",
                Kind::Scalar(scalar) if scalar.is_null() => "nothing",
                Kind::Scalar(_) => "",
            },
        }
        .into()
    }

    fn inner(self, node: &'de Node<'de>, key: Option<&'de Node<'de>>) -> Self {
        Self {
            node,
            key,
            depth: self.depth + 1,
            is_part: false,
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

    fn scalar(self, wanted: &'static str) -> Result<&'de Scalar<'de>, Fault> {
        match &self.node.kind {
            Kind::Scalar(scalar) if !is_plain(scalar) || !is_nothing(&scalar.value) => Ok(scalar),
            _ => Err(self.wanted(wanted)),
        }
    }

    fn entries(self) -> Result<Entries<'de>, Fault> {
        match &self.node.kind {
            Kind::Map(entries) => match second(entries) {
                None => Ok(Entries {
                    from: self,
                    fields: &[],
                    known: Known::default(),
                    rest: entries.iter().enumerate(),
                    entry: None,
                    parts: [].iter(),
                    part: false,
                }),
                Some((first, second)) => Err(self.twice(first, second)),
            },
            _ => Err(self.wanted("a mapping")),
        }
    }

    /// True for a field without a value. What stands behind it may have been meant as its value, unless that is a field, too.
    fn is_unset(self, at: usize, fields: &[&str]) -> bool {
        let known =
            |(key, _): &(Node<'_>, Node<'_>)| key.text().is_some_and(|key| fields.contains(&key));
        let entries = self.node.entries();
        let (entry, next) = (&entries[at], entries.get(at + 1));
        !self.certain && entry.1.is_null() && known(entry) && next.is_none_or(known)
    }

    /// A missing field that stands there without a value.
    fn not_set(self, fault: Fault) -> Fault {
        let Wrong::MissingField(name) = fault.wrong else {
            return fault;
        };
        let mut entries = self.node.entries().iter().enumerate();
        let found = entries.find(|(_, (key, _))| key.text() == Some(name));
        match found.filter(|_| fault.path.is_empty()) {
            Some((at, (key, value))) => {
                let value = self.inner(value, Some(key));
                let fault = value.wanted("a value");
                fault.at_by(|wrong| value.place_of_fault(wrong)).inside(at)
            }
            None => fault,
        }
    }

    fn twice(self, first: usize, second: usize) -> Fault {
        let entries = self.node.entries();
        let (first, key) = (&entries[first].0, &entries[second].0);
        let name = key.text().unwrap_or("?").to_owned();
        Fault::from(Wrong::Twice(name, first.range())).at(|| Place {
            bytes: key.range(),
            value: key.range(),
            owner: self.key.map(Node::range),
            entry: Some(second),
            alone: false,
        })
    }

    /// A whole number; any notation but the decimal one is refused.
    fn whole(self) -> Result<u32, Fault> {
        let scalar = self.scalar(WHOLE)?;
        let number = scalar.value.parse();
        number.map_err(|_| self.wanted(WHOLE))
    }
}

/// The first key that appears twice: where, and where first.
fn second(entries: &[(Node<'_>, Node<'_>)]) -> Option<(usize, usize)> {
    let mut known = BTreeMap::new();
    let mut keys = entries.iter().map(|(key, _)| key.text()).enumerate();
    keys.find_map(|(at, key)| known.insert(key, at).map(|first| (first, at)))
}

/// True when no key appears twice in it, at any depth.
fn is_sound(node: &Node<'_>) -> bool {
    let entries = node.entries();
    second(entries).is_none()
        && node.items().iter().all(is_sound)
        && entries.iter().all(|(_, value)| is_sound(value))
}

fn is_plain(scalar: &Scalar<'_>) -> bool {
    matches!(scalar.style, Style::Plain | Style::PlainInFlow)
}

fn is_in_flow(key: &Node<'_>) -> bool {
    matches!(&key.kind, Kind::Scalar(scalar) if scalar.style == Style::PlainInFlow)
}

/// Nothing in any spelling: its value depends on the type that is asked for.
fn is_nothing(text: &str) -> bool {
    text.is_empty() || text == "~" || text.eq_ignore_ascii_case("null")
}

/// What a scalar is where anything may be. Numbers in a rare notation are left to the full reader.
fn visit_any<'de, V: Visitor<'de>>(
    scalar: &'de Scalar<'de>,
    visitor: V,
) -> Result<V::Value, Fault> {
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
fn visit_number<'de, V: Visitor<'de>>(text: &'de str, visitor: V) -> Result<V::Value, Fault> {
    let (whole, rest) = split_digits(text);
    let fraction = rest.strip_prefix('.').map(split_digits);
    let unit = fraction.map_or(rest, |(_, unit)| unit).as_bytes();
    let leading_zero = whole.len() > 1 && whole.starts_with('0');
    if whole.is_empty() || leading_zero || fraction.is_some_and(|(digits, _)| digits.is_empty()) {
        return Err(Wrong::Doubt.into());
    }
    match (unit, fraction) {
        ([], _) if text.len() > 15 => Err(Wrong::Doubt.into()),
        ([], None) => visitor.visit_u64(text.parse().map_err(|_| Wrong::Doubt)?),
        ([], Some(_)) => visitor.visit_f64(text.parse().map_err(|_| Wrong::Doubt)?),
        // Exponents and other bases than ten.
        (
            [
                b'e' | b'E' | b'x' | b'X' | b'o' | b'O' | b'b' | b'B',
                behind @ ..,
            ],
            _,
        ) if whole == "0" || behind.iter().all(|b| !b.is_ascii_alphabetic()) => {
            Err(Wrong::Doubt.into())
        }
        ([first, ..], _) if matches!(first, b'%' | b'/' | b' ') || first.is_ascii_alphabetic() => {
            visitor.visit_borrowed_str(text)
        }
        _ => Err(Wrong::Doubt.into()),
    }
}

/// The digits that a text begins with, and the rest.
fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

/// Shapes that no type of the spec has.
macro_rules! doubted {
    ($($method:ident($($argument:ty),*))*) => {
        $(fn $method<V: Visitor<'de>>(self $(, _: $argument)*, _: V) -> Result<V::Value, Fault> {
            Err(Wrong::Doubt.into())
        })*
    };
}

impl<'de> Deserializer<'de> for Typed<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match &self.node.kind {
            Kind::Scalar(_) => {
                let scalar = self.scalar("a value")?;
                match self.certain || matches!(&*scalar.value, "true" | "false") {
                    true => visit_any(scalar, visitor),
                    // Whoever takes any value of a spec takes its text.
                    false => visitor.visit_borrowed_str(&scalar.value),
                }
            }
            Kind::Seq(_) => self.deserialize_seq(visitor),
            Kind::Map(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_borrowed_str(&self.scalar("text")?.value)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match &self.node.kind {
            Kind::Scalar(scalar) if scalar.is_null() && !self.certain => visitor.visit_none(),
            Kind::Scalar(_) => self
                .scalar("a value")
                .and_then(|_| visitor.visit_some(self)),
            Kind::Seq(_) | Kind::Map(_) => visitor.visit_some(self),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match &self.node.kind {
            Kind::Seq(items) => visitor.visit_seq(Items {
                from: self,
                rest: items.iter().enumerate(),
            }),
            _ => Err(self.wanted("a list")),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_map(self.entries()?).map_err(|mut fault| {
            fault.named = true;
            fault
        })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let known = self.parts.known(fields);
        let entries = Entries {
            fields,
            known: known.clone(),
            parts: fields.iter(),
            ..self.entries()?
        };
        visitor.visit_map(entries).map_err(|fault| {
            let mut fault = self.not_set(fault);
            if let (Wrong::UnknownField(_, all), true) = (&mut fault.wrong, fault.path.is_empty()) {
                *all = known.clone();
            }
            if fault.path.len() == 1 {
                fault.fields = Some(known.clone());
            }
            if fault.fits(&known) {
                fault.beside = self.beside(&fault.path);
            }
            fault
        })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let name: StrDeserializer<'de, Fault> = (&*self.scalar("text")?.value).into_deserializer();
        visitor.visit_enum(name)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match is_sound(self.node) {
            true => visitor.visit_unit(),
            false => Err(Wrong::Doubt.into()),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let scalar = self.scalar("`true` or `false`")?;
        match &*scalar.value {
            "true" if is_plain(scalar) => visitor.visit_bool(true),
            "false" if is_plain(scalar) => visitor.visit_bool(false),
            _ => Err(self.wanted("`true` or `false`")),
        }
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.certain {
            true => self.deserialize_any(visitor),
            false => visitor.visit_u32(self.whole()?),
        }
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u64 u128 f32 f64
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

struct Items<'de> {
    from: Typed<'de>,
    rest: std::iter::Enumerate<std::slice::Iter<'de, Node<'de>>>,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Fault> {
        let next = self.rest.next();
        next.map(|(at, item)| {
            let read = self.from.inner(item, None).seed(seed);
            read.map_err(|fault| fault.inside(at))
        })
        .transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct Entries<'de> {
    from: Typed<'de>,
    fields: &'static [&'static str],
    /// The same with those of its parts; one without a value is not set.
    known: Known,
    rest: std::iter::Enumerate<std::slice::Iter<'de, (Node<'de>, Node<'de>)>>,
    /// The one whose key was read last.
    entry: Option<(usize, &'de (Node<'de>, Node<'de>))>,
    /// Fields, of which parts are read after all entries.
    parts: std::slice::Iter<'static, &'static str>,
    /// True once a part is being read.
    part: bool,
}

impl Entries<'_> {
    /// True for an entry that a part of the struct reads, or what it is a part of.
    fn is_elsewhere(&self, key: &Node<'_>) -> bool {
        let Some(key) = key.text() else {
            return false;
        };
        !self.fields.contains(&key) && (self.from.is_part || self.known.contains(&key))
    }
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Fault;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Fault> {
        self.entry = loop {
            let next = self.rest.next();
            let skipped = |(at, (key, _)): &(usize, &(Node<'_>, Node<'_>))| {
                self.is_elsewhere(key) || self.from.is_unset(*at, &self.known)
            };
            if !next.as_ref().is_some_and(skipped) {
                break next;
            }
        };
        if let Some((_, (key, _))) = self.entry
            && let Some(name) = key.text().filter(|name| self.from.parts.is_part(name))
            && self.fields.contains(&name)
        {
            return Err(Wrong::UnknownField(name.to_owned(), self.known.clone()).into());
        }
        let Some((at, (key, value))) = self.entry else {
            let part = self.parts.find(|field| self.from.parts.is_part(field));
            self.part = part.is_some();
            let name =
                |part: &&'static str| -> StrDeserializer<'de, Fault> { part.into_deserializer() };
            return part.map(|part| seed.deserialize(name(part))).transpose();
        };
        let read = self.from.inner(key, None).seed(seed);
        read.map(Some).map_err(|mut fault| {
            if let Some(place) = &mut fault.place {
                place.entry = Some(at);
                place.owner = self.from.key.map(Node::range);
                place.alone = value.is_null() && value.start == value.end && is_in_flow(key);
            }
            fault
        })
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        if self.part {
            let part = Typed {
                is_part: true,
                ..self.from
            };
            return part.seed(seed);
        }
        let (at, (key, value)) = self.entry.ok_or(Wrong::Doubt)?;
        let read = self.from.inner(value, Some(key)).seed(seed);
        read.map_err(|fault| fault.inside(at))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}
