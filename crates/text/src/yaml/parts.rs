//! Structs whose fields stand among those of other structs, as in `serde(flatten)`, which loses places.
//!
//! A struct has such a part as a field with the part's own name.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::value::Error;
use serde::de::{DeserializeOwned, Deserializer, Visitor};

use super::fault::Known;

#[derive(Clone, Debug, Default)]
pub struct Parts(BTreeMap<&'static str, &'static [&'static str]>);

impl Parts {
    /// Adds the struct `T` as the part `name`.
    #[must_use]
    pub fn with<T: DeserializeOwned>(mut self, name: &'static str) -> Self {
        let mut fields: &'static [&'static str] = &[];
        // Fails, as there is no value to read: only the names of the fields are of interest.
        let _ = T::deserialize(Fields(&mut fields));
        self.0.insert(name, fields);
        self
    }

    pub fn fields(&self, name: &str) -> &'static [&'static str] {
        self.0.get(name).copied().unwrap_or_default()
    }

    pub(super) fn is_part(&self, field: &str) -> bool {
        self.0.contains_key(field)
    }

    /// All fields that may stand in a struct.
    pub(super) fn known(&self, fields: &'static [&'static str]) -> Known {
        if !fields.iter().any(|field| self.is_part(field)) {
            return fields.into();
        }
        let own = |field: &&'static str| match self.0.get(field) {
            Some(fields) => self.known(fields).into_owned(),
            None => vec![*field],
        };
        fields.iter().flat_map(own).collect()
    }
}

/// Takes down the fields that a struct asks for.
struct Fields<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Fields<'_> {
    type Error = Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(serde::de::Error::custom(Nothing))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

struct Nothing;

impl fmt::Display for Nothing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no value")
    }
}
