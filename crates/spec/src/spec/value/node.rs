//! A scalar, a list or a one-entry mapping, in the place of one value.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use slosmith_text::source::{Span, Spanned};
use slosmith_text::yaml::Written;

/// What is in the place of a value that may be a scalar, a list or a mapping.
pub(super) enum Node<M, I = String> {
    /// The text as written, whatever YAML takes it for, and its place.
    Scalar(String, Span),
    List(Vec<Spanned<I>>),
    Map(M),
}

/// What a [`Node`] may be in one place.
pub(super) trait Expected<'de>: Sized {
    /// For messages: `a quantity or …`.
    const WANTED: &'static str;
    /// True where a list may be.
    const LIST: bool;

    type Item: Deserialize<'de>;

    /// Reads a mapping. Default: a mapping is never meant.
    fn read<A: MapAccess<'de>>(_: A) -> Result<Self, A::Error> {
        let wanted = Self::WANTED;
        Err(A::Error::custom(format!(
            "expected {wanted}, found a mapping"
        )))
    }
}

impl<'de, M: Expected<'de>> Node<M, M::Item> {
    pub(super) fn read<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let written = Written::<Raw<M, M::Item>>::deserialize(d)?;
        Ok(match written.value {
            Raw::Text(text) => Node::Scalar(text, written.span),
            Raw::Plain => Node::Scalar(written.text, written.span),
            Raw::List(list) => Node::List(list),
            Raw::Map(map) => Node::Map(map),
        })
    }
}

enum Raw<M, I> {
    Text(String),
    /// A number or truth value: only the file's text shows how it was written.
    Plain,
    List(Vec<Spanned<I>>),
    Map(M),
}

impl<'de, M: Expected<'de>> Deserialize<'de> for Raw<M, M::Item> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(RawVisitor(PhantomData))
    }
}

struct RawVisitor<M>(PhantomData<M>);

impl<'de, M: Expected<'de>> Visitor<'de> for RawVisitor<M> {
    type Value = Raw<M, M::Item>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(M::WANTED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Raw::Text(text.to_owned()))
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Raw::Plain)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Raw::Plain)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Raw::Plain)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Raw::Plain)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Err(E::custom(format!("expected {}, found nothing", M::WANTED)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        if !M::LIST {
            return Err(A::Error::custom(format!(
                "expected {}, found a list",
                M::WANTED
            )));
        }
        let mut values = Vec::new();
        while let Some(value) = seq.next_element()? {
            values.push(value);
        }
        Ok(Raw::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        M::read(map).map(Raw::Map)
    }
}

/// Refuses a value; the message points at that value.
pub(super) struct Refuse(pub(super) String);

impl<'de> DeserializeSeed<'de> for Refuse {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        // Without a look at the value the reader would not place the message at it.
        serde::de::IgnoredAny::deserialize(d)?;
        Err(D::Error::custom(self.0))
    }
}

/// Reads a mapping that holds exactly one of `fields`; `read` makes the value of the field that it is given.
pub(super) fn one_of<'de, V, A: MapAccess<'de>>(
    mut map: A,
    fields: &'static [&'static str],
    read: impl Fn(&'static str, &mut A) -> Result<V, A::Error>,
) -> Result<V, A::Error> {
    let mut found = None;
    while let Some(key) = map.next_key::<Field>()? {
        let Some(name) = fields.iter().copied().find(|f| *f == key.0) else {
            return Err(A::Error::unknown_field(&key.0, fields));
        };
        match found {
            None => found = Some((name, read(name, &mut map)?)),
            Some((first, _)) => {
                let message = format!("`{name}` cannot be combined with `{first}`");
                map.next_value_seed(Refuse(message))?;
            }
        }
    }
    let needed = || {
        A::Error::custom(format!(
            "the mapping needs {}",
            slosmith_text::diag::one_of(fields)
        ))
    };
    found.map(|(_, value)| value).ok_or_else(needed)
}

#[derive(serde::Deserialize)]
#[serde(transparent)]
struct Field(String);
