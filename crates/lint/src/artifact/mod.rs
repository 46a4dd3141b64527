//! Reading files that people already have: file → queries, alerts, dashboards, each with its place.
//!
//! ```
//! use std::path::Path;
//! use slosmith_lint::artifact;
//! use slosmith_text::source::FileId;
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
mod language;
mod markdown;
mod metric;
mod model;
mod parts;
mod perses;
mod published;
mod raw;
mod reader;
mod rules;
mod signs;
mod slo;
mod template;
mod templatefile;
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
pub use signs::{read_languages, share_languages};
pub use templatefile::TemplateFiles;
pub use unread::{Unread, first_unread};

use reader::Reader;
use slosmith_spec::config::{Code, QueryLanguage};
use slosmith_text::source::{FileId, mark_len};
use slosmith_text::yaml::{Body, Filler};

/// Reads a file. What holds no queries is [`Kind::Unknown`].
pub fn read(file: FileId, path: &Path, text: &str) -> Result<Artifact, Unread> {
    read_with(file, path, text, Hints::default())
}

/// What is known of a file before it is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hints {
    /// The language of queries whose data source does not decide it, as configured.
    pub language: Option<QueryLanguage>,
    /// The program that fills in the file, as other files say.
    pub filler: Option<Filler>,
    /// The file is in a folder of Loki's, so its rules may be for Loki's ruler.
    pub is_of_loki: bool,
}

/// [`read`] with what is known before.
pub fn read_with(file: FileId, path: &Path, text: &str, hints: Hints) -> Result<Artifact, Unread> {
    let mut folders = path.ancestors().skip(1).take(4).filter_map(Path::file_name);
    let is_of_loki = folders.any(|name| name.to_string_lossy().contains("loki"));
    let mut reader = Reader::new(
        file,
        Hints {
            is_of_loki,
            ..hints
        },
    );
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
    let ending = ending(path);
    let start = text[mark_len(text)..].trim_start();
    match ending {
        _ if is_prose(path) => Syntax::Markdown,
        "hcl" | "tf" | "tofu" => Syntax::Hcl,
        "json" | "jsonc" => Syntax::Json,
        // A flow mapping or a template may begin like JSON too.
        _ if json::is_likely(start) && json::parse(text).is_ok() => Syntax::Json,
        _ => Syntax::Yaml,
    }
}

/// True for the name of a Markdown file.
pub fn is_prose(path: &Path) -> bool {
    matches!(ending(path), "markdown" | "md" | "mdx")
}

/// The ending of a file's name; of a template, the one of what it writes: `json` of `a.json.tftpl`.
pub fn ending(path: &Path) -> &str {
    const TEMPLATES: [&str; 4] = ["j2", "tftpl", "tmpl", "tpl"];
    const KNOWN: [&str; 3] = ["json", "yaml", "yml"];
    let ending = extension(path);
    let inner = path.file_stem().map(|stem| extension(Path::new(stem)));
    match inner.filter(|inner| TEMPLATES.contains(&ending) && KNOWN.contains(inner)) {
        Some(inner) => inner,
        None => ending,
    }
}

fn extension(path: &Path) -> &str {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.unwrap_or_default()
}
