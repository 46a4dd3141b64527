//! Reading fields of a request, and noting what is wrong with them.
//!
//! `f.length("AlarmName", 1, 255)` gives the text, and notes a violation at `/AlarmName` when it is too long.

use serde_json::Value;

use super::violation::{Fault, Violation};

/// A part of a request, where it is, and what was found.
pub(super) struct Fields<'v, 'f> {
    pub(super) value: &'v Value,
    pub(super) pointer: String,
    found: &'f mut Vec<Violation>,
}

impl<'v, 'f> Fields<'v, 'f> {
    pub(super) fn new(value: &'v Value, found: &'f mut Vec<Violation>) -> Self {
        Self {
            value,
            pointer: String::new(),
            found,
        }
    }

    /// A part of this one, by key or index.
    pub(super) fn at(&mut self, key: &str, value: &'v Value) -> Fields<'v, '_> {
        Fields {
            value,
            pointer: format!("{}/{key}", self.pointer),
            found: self.found,
        }
    }

    /// Notes something about a field, or about the whole with an empty key.
    pub(super) fn wrong(&mut self, key: &str, message: impl Into<String>) {
        self.fault(Fault::Limit, key, message);
    }

    /// The same, of a sort.
    pub(super) fn fault(&mut self, fault: Fault, key: &str, message: impl Into<String>) {
        let pointer = match key {
            "" => self.pointer.clone(),
            key => format!("{}/{key}", self.pointer),
        };
        self.found.push(Violation {
            pointer,
            message: message.into(),
            fault,
        });
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.value.get(key).is_some_and(|value| !value.is_null())
    }

    pub(super) fn get(&self, key: &str) -> Option<&'v Value> {
        self.value.get(key).filter(|value| !value.is_null())
    }

    /// A text, which must be one.
    pub(super) fn text(&mut self, key: &str) -> Option<&'v str> {
        let value = self.get(key)?;
        let text = value.as_str();
        if text.is_none() {
            self.fault(Fault::Type, key, format!("{key} is not text"));
        }
        text
    }

    /// A whole number, which must be one.
    pub(super) fn whole(&mut self, key: &str) -> Option<i64> {
        let value = self.get(key)?;
        let number = value.as_i64().or_else(|| {
            let float = value.as_f64().filter(|float| float.fract() == 0.0);
            float.and_then(|float| format!("{float:.0}").parse().ok())
        });
        if number.is_none() {
            self.fault(Fault::Type, key, format!("{key} is not a whole number"));
        }
        number
    }

    pub(super) fn number(&mut self, key: &str) -> Option<f64> {
        let value = self.get(key)?;
        let number = value.as_f64();
        if number.is_none() {
            self.fault(Fault::Type, key, format!("{key} is not a number"));
        }
        number
    }

    /// The items of a list, which must be one.
    pub(super) fn list(&mut self, key: &str) -> &'v [Value] {
        match self.get(key) {
            None => &[],
            Some(Value::Array(items)) => items,
            Some(_) => {
                self.fault(Fault::Type, key, format!("{key} is not a list"));
                &[]
            }
        }
    }

    /// A text of so many characters.
    pub(super) fn length(&mut self, key: &str, least: usize, most: usize) -> Option<&'v str> {
        let text = self.text(key)?;
        let count = text.chars().count();
        if count < least || count > most {
            let message = format!("{key} has {count} characters; {least} to {most} are allowed");
            self.wrong(key, message);
        }
        Some(text)
    }

    /// One of some words.
    pub(super) fn one_of(&mut self, key: &str, words: &[&str]) -> Option<&'v str> {
        let text = self.text(key)?;
        if !words.contains(&text) {
            let message = format!("{key} `{text}` is none of {}", words.join(", "));
            self.wrong(key, message);
        }
        Some(text)
    }

    /// Notes every key that is none of `known`.
    pub(super) fn only(&mut self, known: &[&str]) {
        let Some(map) = self.value.as_object() else {
            self.wrong("", "this is not an object");
            return;
        };
        for key in map.keys().filter(|key| !known.contains(&key.as_str())) {
            let help = crate::diag::did_you_mean(key, known.iter().copied());
            let help = help.map(|help| format!(": {help}")).unwrap_or_default();
            self.wrong(key, format!("there is no field {key}{help}"));
        }
    }

    /// Notes every one of `keys` that is there.
    pub(super) fn none_of(&mut self, keys: &[&str], beside: &str) {
        for key in keys {
            if self.has(key) {
                self.wrong(key, format!("{key} cannot be combined with {beside}"));
            }
        }
    }
}
