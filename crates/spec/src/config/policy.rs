//! The policy of an organisation: a JSON Schema that every service must fit, as `slosmith list --format json` prints it.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use jsonschema::Validator;
use serde_json::Value;

use slosmith_text::diag::Diagnostic;
use slosmith_text::input;
use slosmith_text::source::{FileId, Spanned};
use slosmith_text::yaml;

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
            // Lists of SLOs and alerts are pages long.
            message: match error.instance().as_ref() {
                Value::Array(_) => error.masked_with("the entries").to_string(),
                Value::Object(_) => error.masked_with("the entry").to_string(),
                _ => error.to_string(),
            },
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
