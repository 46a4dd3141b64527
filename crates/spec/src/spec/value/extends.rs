//! The files that a spec extends.

use serde::de::{Deserialize, Deserializer};

use super::node::{Expected, Node};
use crate::spec::Extends;
use slosmith_text::source::Spanned;

impl<'de> Deserialize<'de> for Extends {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        match Node::<Nothing>::read(d)? {
            Node::Scalar(text, span) => Ok(Extends(vec![Spanned::new(text, span)])),
            Node::List(files) => Ok(Extends(files)),
            Node::Map(nothing) => match nothing {},
        }
    }
}

/// A mapping is never meant.
enum Nothing {}

impl<'de> Expected<'de> for Nothing {
    const WANTED: &'static str = "a path, or a list of paths";
    const LIST: bool = true;
    type Item = String;
}
