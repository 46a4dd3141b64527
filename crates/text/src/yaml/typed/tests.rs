#![allow(clippy::use_debug)] // compares values with their places

use std::collections::BTreeMap;
use std::fmt;

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::source::Spanned;
use crate::yaml::read_fully;

const FILE: FileId = FileId(7);

/// True when the text was certain: the full reader then reads the same.
fn agree<T: DeserializeOwned + fmt::Debug>(text: &str) -> bool {
    let Some(fast) = read::<T>(FILE, text) else {
        return false;
    };
    let full = read_fully::<T>(FILE, text).expect(text);
    let (full, fast) = (format!("{full:#?}"), format!("{fast:#?}"));
    if let Some((full, fast)) = full.lines().zip(fast.lines()).find(|(a, b)| a != b) {
        panic!("{full} is not {fast} in\n{text}");
    }
    full.len() == fast.len()
}

#[derive(Debug)]
#[allow(dead_code)] // shown by `Debug`
enum Any {
    Scalar(Value),
    Seq(Vec<Spanned<Any>>),
    Map(BTreeMap<Spanned<String>, Spanned<Any>>),
}

impl<'de> serde::Deserialize<'de> for Any {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(AnyVisitor)
    }
}

struct AnyVisitor;

impl<'de> Visitor<'de> for AnyVisitor {
    type Value = Any;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Any, E> {
        Ok(Any::Scalar(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Any, E> {
        Ok(Any::Scalar(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Any, E> {
        Ok(Any::Scalar(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Any, E> {
        Ok(Any::Scalar(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Any, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Any::Seq(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Any, A::Error> {
        let mut entries = BTreeMap::new();
        while let Some((key, value)) = map.next_entry()? {
            entries.insert(key, value);
        }
        Ok(Any::Map(entries))
    }
}

#[test]
fn specs_are_regular() {
    for name in ["fleet", "mangaassist", "vllm-serving", "vllm-production"] {
        let path = format!("../../specs/{name}.yaml");
        let text = crate::input::read_text(path.as_ref(), crate::input::ARTIFACT).expect(name);
        assert!(tree::regular(&text).is_some(), "{name}");
        agree::<Spanned<Any>>(&text);
    }
}

#[test]
fn what_the_reader_refuses_is_left_to_it() {
    let deep = format!("a: {}{}", "[".repeat(16), "]".repeat(16));
    for text in [
        "a: null",
        "a: ~",
        "a:",
        "a: 1\na: 2",
        "a: 1\n---\na: 2",
        &deep.repeat(3),
    ] {
        assert!(read::<Value>(FILE, text).is_none(), "{text}");
    }
    for text in [
        "a: [1]",
        "a: {b: 1}",
        "a: x",
        "a: -1",
        "a: \"1\"",
        "a: 99999999999",
    ] {
        assert!(
            read::<BTreeMap<String, u32>>(FILE, text).is_none(),
            "{text}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn the_fast_way_equals_the_full_reader(
        scalar in "[0-9]{0,3}[a-zA-Z0-9._%/: -]{0,5}|true|false|nan|inf|yes|no|\"[0-9a]*\"|'x y'",
        shape in 0..5_usize,
    ) {
        let text = match shape {
            0 => format!("a: {scalar}\n"),
            1 => format!("a: {{b: {scalar}, c: [{scalar}, x]}}\n"),
            2 => format!("a:\n  - {scalar}\n  - {{b: {scalar}}}\nb: {{}}\nc: []\n"),
            3 => format!("a:\n- b: {scalar}\n  c: # d\n    e: {scalar} # f\n"),
            _ => format!("a: |-\n  {scalar}\n\n  b\nc: >-\n  {scalar}\n  d\n"),
        };
        agree::<Spanned<Any>>(&text);
        agree::<BTreeMap<String, Vec<Spanned<Value>>>>(&text);
        agree::<BTreeMap<String, Spanned<String>>>(&text);
        agree::<BTreeMap<String, Option<u32>>>(&text);
        agree::<BTreeMap<String, bool>>(&text);
    }
}
