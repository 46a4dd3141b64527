//! Variables that people choose at the top of a dashboard.

use crate::fields::Fields;
use crate::unknown::known;

/// Characters and numbers that a variable may have.
const ID: usize = 32;
const LABEL: usize = 30;
const VALUE: usize = 255;
const VALUES: usize = 500;
const SEARCH: usize = 2048;

pub(super) fn check(f: &mut Fields<'_, '_>) {
    f.required("type");
    if let Some(kind @ ("property" | "pattern")) = f.one_of("type", &["property", "pattern"]) {
        f.required(kind);
        f.text(kind);
    }
    f.required("id");
    let id = f.length("id", 1, ID);
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if id.is_some_and(|id| !id.chars().all(plain)) {
        f.wrong("id", "an id must consist of letters, digits, `-` and `_`");
    }
    f.length("label", 0, LABEL);
    f.boolean("visible");
    f.required("inputType");
    let input = f.one_of("inputType", &["input", "select", "radio"]);
    values(f);
    f.length("search", 1, SEARCH);
    f.text("populateFrom");
    if matches!(input, Some("select" | "radio")) && f.lacks("values") {
        f.required("search");
        if f.has("search") {
            f.required("populateFrom");
        }
    }
    let default = f.get("defaultValue").and_then(|value| value.as_str());
    if default.is_some_and(|text| text.chars().count() > VALUE) {
        f.wrong(
            "defaultValue",
            format!("defaultValue must have at most {VALUE} characters"),
        );
    }
}

fn values(f: &mut Fields<'_, '_>) {
    for (i, value) in known(f.some_of("values", VALUES)) {
        let mut value = f.at(&format!("values/{i}"), value);
        if !value.value.is_object() {
            value.wrong("", "a value must be an object with `value` and `label`");
            continue;
        }
        value.required("value");
        value.length("label", 0, VALUE);
        let text = value.get("value").and_then(|v| v.as_str());
        if text.is_some_and(|text| text.chars().count() > VALUE) {
            value.wrong(
                "value",
                format!("a value must have at most {VALUE} characters"),
            );
        }
    }
}
