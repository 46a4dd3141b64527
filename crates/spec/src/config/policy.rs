//! The policy of an organisation: a JSON Schema that every service must fit, as `slosmith list --format json` prints it.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use slosmith_text::diag::{Diagnostic, nearest};
use slosmith_text::input;
use slosmith_text::source::{FileId, Spanned};
use slosmith_text::yaml;

/// What `slosmith list --format json` says of a service, an SLO, an alert, a dashboard or a runbook.
pub const FIELDS: [&str; 35] = [
    "action",
    "alert",
    "alerts",
    "burn",
    "condition",
    "count_new_series",
    "dashboards",
    "days",
    "environment",
    "generated",
    "grafana_url",
    "keep_firing_for",
    "labels",
    "min_events",
    "name",
    "objective",
    "owner",
    "pages",
    "panels",
    "period",
    "query",
    "ratio",
    "renamed_from",
    "runbook",
    "runbooks",
    "runbooks_url",
    "servers",
    "severities",
    "severity",
    "sli",
    "slos",
    "spec",
    "steps",
    "summary",
    "title",
];

/// Words of JSON Schema. It ignores all others, and with them what a mistyped one asks for.
const WORDS: [&str; 49] = [
    "$comment",
    "$defs",
    "$id",
    "$ref",
    "$schema",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "default",
    "definitions",
    "dependentRequired",
    "dependentSchemas",
    "deprecated",
    "description",
    "else",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "required",
    "then",
    "title",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
];

#[derive(Clone)]
pub struct Policy {
    pub path: PathBuf,
    schema: Value,
    validator: Arc<Validator>,
}

/// What does not fit.
#[derive(Debug)]
pub struct Violation {
    /// Where it is in the JSON of the service: `/alerts/0/severity`.
    pub pointer: String,
    pub message: String,
    /// The description of the part of the schema that it does not fit.
    pub why: Option<String>,
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.path.display(), self.schema)
    }
}

impl Policy {
    pub(super) fn read(path: &Spanned<PathBuf>) -> Result<Self, Diagnostic> {
        let shown = path.value.display();
        let bytes = input::read(&path.value, input::SMALL).map_err(|why| {
            let message = format!("the policy `{shown}` cannot be read: {why}");
            Diagnostic::error("missing-file", path.span, message)
        })?;
        let wrong = |why: String| {
            let message = format!("the policy `{shown}` is not a JSON Schema: {why}");
            Diagnostic::error("invalid-value", path.span, message)
        };
        let text = String::from_utf8_lossy(&bytes);
        let schema: Value =
            yaml::read(FileId::default(), &text).map_err(|error| wrong(error.message))?;
        if let Some((word, meant)) = misspelt(&schema, false) {
            let message = format!("the policy `{shown}` has the unknown word `{word}`");
            let error = Diagnostic::error("invalid-value", path.span, message);
            return Err(error.help(format!("did you mean `{meant}`?")));
        }
        let validator =
            jsonschema::validator_for(&schema).map_err(|error| wrong(error.to_string()))?;
        Ok(Self {
            path: path.value.clone(),
            schema,
            validator: Arc::new(validator),
        })
    }

    pub fn violations(&self, service: &Value) -> Vec<Violation> {
        let errors = self.validator.iter_errors(service);
        let violation = errors.map(|error| Violation {
            pointer: error.instance_path().to_string(),
            message: message(&error),
            why: self.description(&error.schema_path().to_string()),
        });
        violation.collect()
    }

    /// The description of the innermost part of the schema at a path that has one.
    fn description(&self, path: &str) -> Option<String> {
        let ends = path.match_indices('/').map(|(at, _)| at);
        let ends: Vec<_> = ends.chain([path.len()]).collect();
        let mut parts = ends
            .into_iter()
            .rev()
            .filter_map(|end| self.schema.pointer(&path[..end]));
        parts.find_map(|part| Some(part.get("description")?.as_str()?.to_owned()))
    }
}

/// What does not fit, without the lists of SLOs and alerts, which are pages long.
fn message(error: &ValidationError<'_>) -> String {
    let instance = error.instance();
    match (error.kind(), instance.as_ref()) {
        (ValidationErrorKind::Contains, _) => "no entry is as the policy asks".to_owned(),
        (ValidationErrorKind::Enum { options }, _) => {
            let all = options.as_array().map_or(&[][..], Vec::as_slice);
            let all: Vec<_> = all.iter().map(Value::to_string).collect();
            format!("{instance} is not one of {}", all.join(", "))
        }
        (_, Value::Array(_)) => error.masked_with("the entries").to_string(),
        (_, Value::Object(_)) => error.masked_with("the entry").to_string(),
        _ => error.to_string(),
    }
}

/// A word of a schema, or a field in it, that is mistyped; and what it is near to. The names of labels are free.
fn misspelt(schema: &Value, is_free: bool) -> Option<(&str, &'static str)> {
    let slip = |word: &'_ str, known: &'static [&'static str]| match known.contains(&word) {
        true => None,
        false => nearest(word, known.iter().copied()),
    };
    schema.as_object()?.iter().find_map(|(word, value)| {
        if let Some(meant) = slip(word, &WORDS) {
            return Some((word.as_str(), meant));
        }
        let fields = |name: &str| slip(name, &FIELDS).filter(|_| !is_free);
        match word.as_str() {
            "properties" => value.as_object()?.iter().find_map(|(name, inner)| {
                let found = fields(name).map(|meant| (name.as_str(), meant));
                found.or_else(|| misspelt(inner, is_free || name == "labels"))
            }),
            "required" => {
                let mut names = value.as_array()?.iter().filter_map(Value::as_str);
                names.find_map(|name| Some((name, fields(name)?)))
            }
            "$defs" | "definitions" | "dependentSchemas" | "patternProperties" => {
                let mut inner = value.as_object()?.values();
                inner.find_map(|inner| misspelt(inner, is_free))
            }
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
                let mut inner = value.as_array()?.iter();
                inner.find_map(|inner| misspelt(inner, is_free))
            }
            "additionalProperties"
            | "contains"
            | "else"
            | "if"
            | "items"
            | "not"
            | "propertyNames"
            | "then" => misspelt(value, is_free),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistyped_words_are_found_where_schemas_are() {
        for (schema, found) in [
            ("propertees: {}", Some(("propertees", "properties"))),
            (
                "properties: {ownr: {type: string}}",
                Some(("ownr", "owner")),
            ),
            (
                "properties: {slos: {contains: {required: [rato]}}}",
                Some(("rato", "ratio")),
            ),
            (
                "anyOf: [{properties: {owner: {enun: [a]}}}]",
                Some(("enun", "enum")),
            ),
            (
                "properties: {alerts: {items: {properties: {labels: {required: [tean], properties: {ownr: {}}}}}}}",
                None,
            ),
            ("properties: {owner: {enum: [ownr], x-note: a}}", None),
        ] {
            let schema: Value = yaml::read(FileId::default(), schema).expect("YAML");
            assert_eq!(misspelt(&schema, false), found, "{schema}");
        }
    }
}
