//! Reading files that people already have: file → queries, alerts, dashboards, each with its place.
//!
//! ```
//! use std::path::Path;
//! use slosmith::{artifact, source::FileId};
//!
//! let text = "groups: [{name: a, rules: [{alert: Down, expr: up == 0}]}]";
//! let file = artifact::read(FileId(0), Path::new("rules.yaml"), text).expect("YAML");
//! assert_eq!(file.kind, artifact::Kind::Rules);
//! assert_eq!(file.alerts[0].name.value, "Down");
//! assert_eq!(&text[file.queries[0].span().range()], "up == 0");
//! ```
//!
//! The content decides what a file is, never its name; the name only helps to choose between JSON, YAML, HCL, Markdown
//! and source code.

mod classic;
mod cloudwatch;
mod code;
mod datasource;
mod document;
mod field;
mod grafana_alert;
mod hcl;
mod json;
mod kubernetes;
mod markdown;
mod metric;
mod metrics_ql;
mod model;
mod parts;
mod perses;
mod published;
mod raw;
mod reader;
mod rules;
mod slo;
mod template;
#[cfg(test)]
mod tests;
mod unit_tests;
mod unread;
mod v2;
mod variable;

use std::path::Path;

pub use model::*;
pub use published::{added_labels, published};
pub use raw::Raw;
pub use unread::{Unread, first_unread};

use crate::config::Code;
use crate::source::FileId;
use crate::yaml::Body;
use reader::Reader;

/// Reads a file. What holds no queries is [`Kind::Unknown`].
///
/// # Errors
/// The first place where the whole file cannot be read.
pub fn read(file: FileId, path: &Path, text: &str) -> Result<Artifact, Unread> {
    let mut reader = Reader::new(file);
    let body = Body::new(file, text);
    if let Some(language) = Code::of(path) {
        code::read(&mut reader, &body, language);
        return Ok(reader.finish());
    }
    match syntax(path, text) {
        Syntax::Markdown => markdown::read(&mut reader, &body),
        Syntax::Hcl => hcl::read(&mut reader, &body)?,
        Syntax::Json => template::read_json(&mut reader, &body)?,
        Syntax::Yaml => template::read(&mut reader, &body)?,
    }
    Ok(reader.finish())
}

enum Syntax {
    Hcl,
    Json,
    Yaml,
    Markdown,
}

fn syntax(path: &Path, text: &str) -> Syntax {
    let ending = path
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default();
    match ending {
        "md" | "markdown" => Syntax::Markdown,
        "hcl" | "tf" | "tofu" => Syntax::Hcl,
        "json" | "jsonc" => Syntax::Json,
        // A flow mapping or a template may begin like JSON too.
        _ if json::is_likely(text) && json::parse(text).is_ok() => Syntax::Json,
        _ => Syntax::Yaml,
    }
}
