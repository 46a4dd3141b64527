//! The guides, as `tests/fixtures/coverage.yaml` lists them.

use serde_json::Value;

const FILE: &str = "tests/fixtures/coverage.yaml";

/// A guide and the spec that is made after it.
pub(super) struct Guide {
    pub(super) title: String,
    pub(super) spec: String,
    pub(super) service: String,
    /// How many lines it has.
    pub(super) lines: usize,
    /// Lines that ask for nothing.
    pub(super) prose: String,
    pub(super) sections: Vec<(String, Vec<Item>)>,
}

/// Something that a guide says.
pub(super) struct Item {
    /// Where: `207-208, 213`.
    pub(super) lines: String,
    pub(super) says: String,
    /// What is made of it: places with values.
    pub(super) made: Vec<(String, Value)>,
    /// Why that differs.
    pub(super) why: Option<String>,
}

impl Guide {
    pub(super) fn items(&self) -> impl Iterator<Item = &Item> {
        self.sections.iter().flat_map(|(_, items)| items)
    }
}

impl Item {
    /// Everything that is said to be made.
    pub(super) fn told(&self) -> String {
        let made = self.made.iter();
        made.map(|(place, wanted)| format!("{place} {wanted} "))
            .collect()
    }
}

pub(super) fn guides() -> Vec<Guide> {
    let all = crate::bundled::yaml(FILE);
    list(&all).iter().map(guide).collect()
}

fn guide(value: &Value) -> Guide {
    let section = |section: &Value| {
        let items = list(&section["items"]).iter().map(item).collect();
        (text(section, "section"), items)
    };
    Guide {
        title: text(value, "guide"),
        spec: text(value, "spec"),
        service: text(value, "service"),
        lines: value["lines"].as_u64().expect("a number") as usize,
        prose: text(value, "prose"),
        sections: list(&value["sections"]).iter().map(section).collect(),
    }
}

fn item(value: &Value) -> Item {
    let made = value["made"].as_object().into_iter().flatten();
    let item = Item {
        lines: text(value, "lines"),
        says: text(value, "says"),
        made: made
            .map(|(place, wanted)| (place.clone(), wanted.clone()))
            .collect(),
        why: value["why"].as_str().map(str::to_owned),
    };
    assert!(
        !item.made.is_empty() || item.why.is_some(),
        "{}: nothing made, and no reason",
        item.lines
    );
    item
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn text(value: &Value, key: &str) -> String {
    value[key]
        .as_str()
        .unwrap_or_else(|| panic!("no {key} in {value}"))
        .to_owned()
}

/// The numbers of `3, 5-7`.
pub(super) fn lines(ranges: &str) -> Vec<usize> {
    let number = |text: &str| text.trim().parse::<usize>().expect("a number");
    let range = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        number(first)..=number(last)
    };
    ranges.split(',').flat_map(range).collect()
}
