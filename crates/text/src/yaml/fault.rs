//! What is wrong with a tree that a typed value was asked of.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use super::error::{addition, by_value, suggest, visible};
use super::joined::Joined;
use super::synonym;
use crate::diag::Diagnostic;
use crate::source::Span;

/// The fields of a struct, with those of its parts.
pub(super) type Known = Cow<'static, [&'static str]>;

const CUT: &str = "inside `{…}`, a comma ends a text: put a text with commas in quotes";

#[derive(Debug)]
pub struct Fault {
    pub(super) wrong: Wrong,
    /// Known as soon as the fault has left the value that it is in.
    pub(super) place: Option<Box<Place>>,
    pub(super) path: Vec<usize>,
    /// What may stand beside the value, where only certain fields may.
    pub(super) fields: Option<Known>,
    /// True above a map whose keys are names: what is around that is about something else.
    pub(super) named: bool,
    pub(super) beside: Option<Box<Beside>>,
}

#[derive(Debug)]
pub(super) struct Beside {
    pub(super) entry: Range<usize>,
    pub(super) owner: Option<Range<usize>>,
    pub(super) up: usize,
}

#[derive(Debug)]
pub(super) enum Wrong {
    /// The full reader has to decide.
    Doubt,
    Depth,
    UnknownField(String, Known),
    UnknownValue(String, &'static [&'static str]),
    MissingField(&'static str),
    Twice(String, Range<usize>),
    Kind {
        wanted: &'static str,
        found: &'static str,
    },
    Type(String),
    Value(String),
}

#[derive(Debug)]
pub(super) struct Place {
    pub(super) bytes: Range<usize>,
    pub(super) value: Range<usize>,
    pub(super) owner: Option<Range<usize>>,
    /// Which entry of the value is at fault, when not all of it is.
    pub(super) entry: Option<usize>,
    pub(super) alone: bool,
}

impl Beside {
    fn help(&self, field: &str, text: &str) -> String {
        let entry = &text[self.entry.clone()];
        let owner = self.owner.clone().map(|key| &text[key]);
        let place = owner.map_or_else(String::new, |owner| format!(" in `{owner}`"));
        format!("move `{field}` next to `{entry}`{place}")
    }
}

impl From<Wrong> for Fault {
    fn from(wrong: Wrong) -> Self {
        Self {
            wrong,
            place: None,
            path: Vec::new(),
            fields: None,
            named: false,
            beside: None,
        }
    }
}

impl Fault {
    /// Places a fault that has no place yet.
    pub(super) fn at(self, place: impl FnOnce() -> Place) -> Self {
        self.at_by(|_| place())
    }

    pub(super) fn at_by(mut self, place: impl FnOnce(&Wrong) -> Place) -> Self {
        if self.place.is_none() {
            self.place = Some(Box::new(place(&self.wrong)));
        }
        self
    }

    /// The fault of a value that is entry or item `at` of another.
    pub(super) fn inside(mut self, at: usize) -> Self {
        self.path.push(at);
        self
    }

    /// The field that an unknown one stands for, when one is near.
    pub(super) fn meant(&self) -> Option<&'static str> {
        match &self.wrong {
            Wrong::UnknownField(name, known) if self.beside.is_none() => {
                synonym::field(name, known)
            }
            _ => None,
        }
    }

    /// True for an unknown field that is one of those around it. Further out, a word that is near to a field of its own
    /// map means that one.
    pub(super) fn fits(&self, around: &[&str]) -> bool {
        match &self.wrong {
            Wrong::UnknownField(name, known)
                if self.beside.is_none() && !self.named && !self.path.is_empty() =>
            {
                let near = self.path.len() == 1 || synonym::field(name, known).is_none();
                near && around.contains(&name.as_str())
            }
            _ => false,
        }
    }

    /// The known field in front of a colon that no blank follows.
    pub(super) fn glued(&self) -> Option<&'static str> {
        let Wrong::UnknownField(name, known) = &self.wrong else {
            return None;
        };
        let (field, _) = name.split_once(':')?;
        known.iter().copied().find(|known| *known == field)
    }

    pub fn owner<'t>(&self, files: &'t Joined) -> Option<&'t str> {
        let Wrong::Kind {
            wanted: "a mapping",
            found,
        } = self.wrong
        else {
            return None;
        };
        let owner = self.place.as_ref()?.owner.clone();
        owner
            .filter(|_| found != "nothing")
            .map(|key| &files.text()[key])
    }

    pub fn diagnostic(&self, files: &Joined) -> Diagnostic {
        let text = files.text();
        let bytes = self.place.as_ref().map_or(0..0, |p| p.bytes.clone());
        let span = files.span(visible(bytes, text));
        let error = |code, message: String| Diagnostic::error(code, span, message);
        match &self.wrong {
            Wrong::Doubt => error("wrong-type", "this value cannot be read".to_owned()),
            Wrong::Depth => error("too-deep", "the YAML is nested too deeply".to_owned()),
            Wrong::UnknownField(name, known) => {
                let found = error("unknown-field", format!("unknown field `{name}`"));
                self.unknown(found, name, known, text)
            }
            Wrong::UnknownValue(name, known) => {
                let place = match self.key(text) {
                    Some(key) => format!(" for `{key}`"),
                    None => String::new(),
                };
                let found = error("unknown-value", format!("unknown value `{name}`{place}"));
                if let Some(help) = synonym::unit(name).filter(|_| known.contains(&"ratio")) {
                    return found.help(help);
                }
                suggest(found, name, known)
            }
            Wrong::MissingField(field) => self.missing(field, span, text),
            Wrong::Twice(name, first) => error("duplicate-name", format!("`{name}` appears twice"))
                .related(files.span(first.clone()), "the first one")
                .help("remove one of the two"),
            Wrong::Kind { wanted, found } => self.kind(wanted, found, span, text),
            Wrong::Type(message) => error("wrong-type", message.clone()),
            Wrong::Value(message) => by_value(message, span),
        }
    }

    fn unknown(&self, found: Diagnostic, name: &str, known: &[&str], text: &str) -> Diagnostic {
        let alone = self.place.as_ref().is_some_and(|p| p.alone);
        if let Some(field) = self.glued() {
            return found.help(format!("write a space after the colon: `{field}: …`"));
        }
        if alone {
            return found.help(CUT);
        }
        if let Some(beside) = &self.beside {
            return found.help(beside.help(name, text));
        }
        if let Some(meant) = self.meant() {
            return found.help(format!("did you mean `{meant}`?"));
        }
        match synonym::inside(name, known) {
            Some(written) => found.help(format!("write `{written}`")),
            None => suggest(found, name, known),
        }
    }

    fn key<'t>(&self, text: &'t str) -> Option<&'t str> {
        let owner = self.place.as_ref()?.owner.clone()?;
        Some(text[owner].trim_matches(['"', '\'']))
    }

    fn subject(&self, text: &str) -> String {
        match self.key(text) {
            Some(key) => format!("`{key}`"),
            None if self.path.is_empty() => "the spec".to_owned(),
            None => "the list item".to_owned(),
        }
    }

    fn missing(&self, field: &str, span: Span, text: &str) -> Diagnostic {
        let message = format!("{} lacks the field `{field}`", self.subject(text));
        Diagnostic::error("missing-field", span, message).maybe_help(addition(field))
    }

    fn kind(&self, wanted: &str, found: &str, span: Span, text: &str) -> Diagnostic {
        let value = self.place.as_ref().map_or(0..0, |p| p.value.clone());
        let here = text.get(value).unwrap_or_default();
        let what = match (wanted, found, scalar(here)) {
            // Its sign, its fraction or its size.
            (WHOLE, "", "a number") => format!("`{here}`"),
            (_, "", what) => what.to_owned(),
            (_, found, _) => found.to_owned(),
        };
        let message = format!("{} must be {wanted}; found {what}", self.subject(text));
        let error = Diagnostic::error("wrong-type", span, message);
        if (wanted, found) == ("a mapping", "nothing") {
            return error.help("indent the entries of this key further than the key");
        }
        if (wanted, found) == ("text", "a mapping") && here.starts_with("{{") {
            return error.help("put the whole text in quotes: `\"{{ … }}\"`");
        }
        if self.key(text) == Some("objective") && found == "a mapping" {
            return error.help("write an SLO for each of them, with `where`");
        }
        if wanted == "a list" && found.is_empty() && !here.contains([':', '\n']) {
            return error.help(format!("write `[{here}]`"));
        }
        error
    }
}

/// What counts and numbers of things are.
pub(super) const WHOLE: &str = "a whole number, 0 or more";

fn scalar(text: &str) -> &'static str {
    match text {
        "true" | "false" => "a truth value",
        text if text.parse::<f64>().is_ok() => "a number",
        _ => "text",
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unexpected value")
    }
}

impl std::error::Error for Fault {}

impl serde::de::Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Wrong::Value(message.to_string()).into()
    }

    fn invalid_type(found: serde::de::Unexpected<'_>, wanted: &dyn serde::de::Expected) -> Self {
        Wrong::Type(format!("expected {wanted}, found {found}")).into()
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Wrong::UnknownField(field.to_owned(), expected.into()).into()
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Wrong::UnknownValue(variant.to_owned(), expected).into()
    }

    fn missing_field(field: &'static str) -> Self {
        Wrong::MissingField(field).into()
    }
}
