//! One Grafana dashboard for all services of a project. Its variables choose owners and services by the series of their SLOs, so that it
//! stays as it is when a service comes or goes.

use serde::de::IgnoredAny;

use super::{OutFile, TargetError, json};
use crate::template::Templates;

/// The dashboard, as text.
pub fn dashboard(templates: &Templates) -> Result<String, TargetError> {
    let file = OutFile {
        path: "grafana.json".to_owned(),
        text: templates.render("project/grafana.json", &())?,
    };
    let wrong = |error: serde_json::Error| file.invalid(error.to_string());
    let (_, json): (IgnoredAny, _) = json::read(&file.text).map_err(wrong)?;
    json.pretty().map_err(wrong)
}
