//! Reading fields of a request, and noting what is wrong with them.
//!
//! `f.length("AlarmName", 1, 255)` gives the text, and notes a violation at `/AlarmName` when it is too long.

use serde_json::{Map, Value};

use super::unknown::{at_least, is_open, is_unknown, keys};
use super::violation::{Fault, Violation};

/// How a request is written, which decides what it may leave out and which types it mixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Api,
    /// The properties of a resource of CloudFormation: names are made up, numbers may be text.
    Formation,
    /// The arguments of a resource of Terraform, by the API's names: numbers may be text.
    Terraform,
}

impl Form {
    /// True where a number is taken as text, and a text that spells a number as one.
    fn converts(self) -> bool {
        self != Form::Api
    }
}

pub(super) struct Fields<'v, 'f> {
    pub(super) value: &'v Value,
    pub(super) pointer: String,
    pub(super) form: Form,
    found: &'f mut Vec<Violation>,
}

enum Field<'v> {
    /// It is surely not there.
    Absent,
    Unknown,
    Known(&'v Value),
}

impl<'v, 'f> Fields<'v, 'f> {
    pub(super) fn new(value: &'v Value, form: Form, found: &'f mut Vec<Violation>) -> Self {
        Self {
            value,
            pointer: String::new(),
            form,
            found,
        }
    }

    pub(super) fn at(&mut self, key: &str, value: &'v Value) -> Fields<'v, '_> {
        Fields {
            value,
            pointer: format!("{}/{key}", self.pointer),
            form: self.form,
            found: self.found,
        }
    }

    /// The object behind a key, which must be one.
    pub(super) fn object(&mut self, key: &str) -> Option<Fields<'v, '_>> {
        let value = self.get(key)?;
        if !value.is_object() {
            self.wrong(key, format!("`{key}` must be an object"));
            return None;
        }
        Some(self.at(key, value))
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

    fn field(&self, key: &str) -> Field<'v> {
        let Some(map) = self.map() else {
            return Field::Absent;
        };
        match map.get(key) {
            Some(value) if is_unknown(value) => Field::Unknown,
            Some(Value::Null) | None if is_open(map) => Field::Unknown,
            Some(Value::Null) | None => Field::Absent,
            Some(value) => Field::Known(value),
        }
    }

    fn map(&self) -> Option<&'v Map<String, Value>> {
        self.value.as_object()
    }

    pub(super) fn has(&self, key: &str) -> bool {
        matches!(self.field(key), Field::Known(_))
    }

    pub(super) fn lacks(&self, key: &str) -> bool {
        matches!(self.field(key), Field::Absent)
    }

    pub(super) fn get(&self, key: &str) -> Option<&'v Value> {
        match self.field(key) {
            Field::Known(value) => Some(value),
            Field::Absent | Field::Unknown => None,
        }
    }

    pub(super) fn required(&mut self, key: &str) {
        if self.lacks(key) {
            self.wrong("", format!("`{key}` is missing"));
        }
    }

    pub(super) fn text(&mut self, key: &str) -> Option<&'v str> {
        let value = self.get(key)?;
        let text = value.as_str();
        let converted = self.form.converts() && (value.is_number() || value.is_boolean());
        if text.is_none() && !converted {
            self.wrong(key, format!("`{key}` must be a string"));
        }
        text
    }

    pub(super) fn as_whole(&self, key: &str) -> Option<i64> {
        let value = self.get(key)?;
        value.as_i64().or_else(|| {
            let float = value.as_f64().or_else(|| self.spelled(value))?;
            let text = (float.fract() == 0.0).then(|| format!("{float:.0}"))?;
            text.parse().ok()
        })
    }

    fn spelled(&self, value: &Value) -> Option<f64> {
        let text = value.as_str().filter(|_| self.form.converts())?;
        text.trim()
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite())
    }

    pub(super) fn whole(&mut self, key: &str) -> Option<i64> {
        self.get(key)?;
        let number = self.as_whole(key);
        if number.is_none() {
            self.wrong(key, format!("`{key}` must be a whole number"));
        }
        number
    }

    pub(super) fn within(&mut self, key: &str, least: i64, most: i64) {
        let number = self.whole(key);
        if number.is_some_and(|number| !(least..=most).contains(&number)) {
            let range = match most {
                i64::MAX => format!("{least} or more"),
                most => format!("{least} to {most}"),
            };
            self.wrong(key, format!("`{key}` must be {range}"));
        }
    }

    pub(super) fn number(&mut self, key: &str) -> Option<f64> {
        let value = self.get(key)?;
        let number = value.as_f64().or_else(|| self.spelled(value));
        if number.is_none() {
            self.wrong(key, format!("`{key}` must be a number"));
        }
        number
    }

    pub(super) fn boolean(&mut self, key: &str) -> Option<bool> {
        let value = self.get(key)?;
        let spelled = value.as_str().filter(|_| self.form.converts());
        let truth = value.as_bool().or(match spelled {
            Some("true" | "True" | "TRUE" | "1") => Some(true),
            Some("false" | "False" | "FALSE" | "0") => Some(false),
            _ => None,
        });
        if truth.is_none() {
            self.wrong(key, format!("`{key}` must be true or false"));
        }
        truth
    }

    pub(super) fn list(&mut self, key: &str) -> &'v [Value] {
        match self.get(key) {
            None => &[],
            Some(Value::Array(items)) => items,
            Some(_) => {
                self.wrong(key, format!("`{key}` must be a list"));
                &[]
            }
        }
    }

    pub(super) fn length(&mut self, key: &str, least: usize, most: usize) -> Option<&'v str> {
        let text = self.text(key)?;
        let count = text.chars().count();
        if count < least || count > most {
            let message = format!("`{key}` has {count} characters; {least} to {most} are allowed");
            self.wrong(key, message);
        }
        Some(text)
    }

    pub(super) fn at_most(&mut self, key: &str, most: usize) -> &'v [Value] {
        let items = self.list(key);
        let count = at_least(items);
        if count > most {
            self.wrong(key, format!("{count} `{key}`; at most {most} are allowed"));
        }
        items
    }

    /// A list of one to so many items, which must be one; some may be unknown.
    pub(super) fn some_of(&mut self, key: &str, most: usize) -> &'v [Value] {
        let items = self.list(key);
        let count = at_least(items);
        let empty = items.is_empty() && self.get(key).is_some_and(Value::is_array);
        if empty || count > most {
            self.wrong(key, format!("{count} `{key}`; 1 to {most} are allowed"));
        }
        items
    }

    pub(super) fn one_of(&mut self, key: &str, words: &[&str]) -> Option<&'v str> {
        let Some(text) = self.text(key) else {
            let other = self
                .get(key)
                .filter(|value| !value.is_object() && !value.is_array());
            // A number or truth value becomes text, which is none of the words.
            if let Some(other) = other.filter(|_| self.form.converts()) {
                let message = format!("{key} `{other}` must be one of {}", words.join(", "));
                self.wrong(key, message);
            }
            return None;
        };
        if !words.contains(&text) {
            let message = format!(
                "{key} `{text}` must be one of {}{}",
                words.join(", "),
                hint(text, words.iter().copied())
            );
            self.wrong(key, message);
        }
        Some(text)
    }

    /// Notes every key that is none of `known`.
    pub(super) fn only(&mut self, known: &[&str]) {
        let Some(map) = self.map() else {
            self.wrong("", "expected an object");
            return;
        };
        for key in keys(map).filter(|key| !known.contains(&key.as_str())) {
            let hint = hint(key, known.iter().copied());
            self.wrong(key, format!("unknown field `{key}`{hint}"));
        }
    }

    /// Notes every one of `keys` that is there. An empty list says nothing.
    pub(super) fn none_of(&mut self, keys: &[&str], beside: &str) {
        for key in keys {
            let empty = self
                .get(key)
                .and_then(Value::as_array)
                .is_some_and(Vec::is_empty);
            if self.has(key) && !empty {
                self.wrong(key, format!("`{key}` cannot be combined with `{beside}`"));
            }
        }
    }
}

/// `: did you mean Sum?`, or nothing.
pub(super) fn hint<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> String {
    let help = slosmith_text::diag::did_you_mean(word, known);
    help.map(|help| format!(": {help}")).unwrap_or_default()
}
