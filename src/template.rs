//! The only user of minijinja: templates, ours and those that replace them.
//!
//! Delimiters are `{% %}`, `<{ }>` and `{# #}`, because `{{ }}` belongs to Prometheus and `${ }` to Grafana.
//! An interpolation prints a whole scalar, never a part of a quoted one.

use std::path::{Path, PathBuf};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, ErrorKind, UndefinedBehavior};
use serde::Serialize;

/// Pairs each template's name with its text.
macro_rules! templates {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../templates/", $name)))),*]
    };
}

/// Our templates: name, text.
const BUILT_IN: &[(&str, &str)] = templates![
    "cloudwatch/agent-prometheus.yaml",
    "cloudwatch/agent.json",
    "cloudwatch/alarms.json",
    "cloudwatch/dashboard.json",
    "cloudwatch/main.tf.json",
    "cloudwatch/otel-collector.yaml",
    "cloudwatch/parity.json",
    "cloudwatch/parity.md",
    "cloudwatch/template.json",
    "emitter/metrics.py",
    "emitter/test_metrics.py",
    "preview/page.html",
    "prometheus/alertmanager.yaml",
    "prometheus/groups.yaml",
    "prometheus/prometheusrule.yaml",
    "prometheus/rules.yaml",
    "prometheus/scrape.yaml",
    "prometheus/test.yaml",
    "runbook/index.md",
    "runbook/k6.js",
    "runbook/load-tests.md",
    "runbook/page.md",
    "grafana/configmap.yaml",
    "grafana/dashboard.json",
    "grafana/lint.yaml",
    "grafana/panels/alerts.json",
    "grafana/panels/bounds.json",
    "grafana/panels/gauge.json",
    "grafana/panels/head.json",
    "grafana/panels/heatmap.json",
    "grafana/panels/instant.json",
    "grafana/panels/row.json",
    "grafana/panels/stat.json",
    "grafana/panels/status.json",
    "grafana/panels/table.json",
    "grafana/panels/targets.json",
    "grafana/panels/text.json",
    "grafana/panels/timeseries.json",
    "grafana/provisioning/dashboards.yaml",
    "grafana/provisioning/datasources.yaml",
];

/// A template that cannot be read or rendered.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// The folder of templates, or a file in it, cannot be read.
    #[error("cannot read templates in {}", .path.display())]
    Read {
        /// The folder or file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file replaces no template of ours.
    #[error("{} replaces no template{}", .path.display(), .suggestion.as_ref().map(|s| format!(": {s}")).unwrap_or_default())]
    Unknown {
        /// The file.
        path: PathBuf,
        /// What was probably meant.
        suggestion: Option<String>,
    },
    /// A template is wrong: `name:line` and why.
    #[error("template {0}")]
    Render(String),
}

/// All templates of a build.
pub struct Templates {
    environment: Environment<'static>,
    replaced: bool,
}

impl Templates {
    /// Our templates; files under `folder` replace those of the same path.
    ///
    /// # Errors
    /// When the folder cannot be read, a file in it replaces nothing, or a template does not parse.
    pub fn load(folder: Option<&Path>) -> Result<Self, TemplateError> {
        let mut environment = environment()?;
        for &(name, text) in BUILT_IN {
            environment
                .add_template(name, text)
                .map_err(|e| wrong(&e))?;
        }
        for (name, text) in folder.map(replacements).transpose()?.into_iter().flatten() {
            environment
                .add_template_owned(name, text)
                .map_err(|e| wrong(&e))?;
        }
        Ok(Self {
            environment,
            replaced: folder.is_some(),
        })
    }

    /// True when a person's templates may be among them.
    pub fn are_replaced(&self) -> bool {
        self.replaced
    }

    /// Renders one template.
    ///
    /// # Errors
    /// When it uses a variable that is not there; names the template's line.
    pub fn render(&self, name: &str, view: &impl Serialize) -> Result<String, TemplateError> {
        let template = self.environment.get_template(name).map_err(|e| wrong(&e))?;
        template.render(Serde(view)).map_err(|e| wrong(&e))
    }
}

fn environment() -> Result<Environment<'static>, TemplateError> {
    let mut syntax = SyntaxConfig::builder();
    syntax
        .block_delimiters("{%", "%}")
        .variable_delimiters("<{", "}>")
        .comment_delimiters("{#", "#}")
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true);
    let syntax = syntax.build().map_err(|e| wrong(&e))?;
    let mut environment = Environment::new();
    environment.set_syntax(syntax);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|name| match name.ends_with(".html") {
        true => AutoEscape::Html,
        false => AutoEscape::None,
    });
    environment.add_filter("yaml", scalar);
    environment.add_filter("block", block);
    environment.add_filter("comment", comment);
    Ok(environment)
}

fn replacements(folder: &Path) -> Result<Vec<(String, String)>, TemplateError> {
    let read = |path: &Path, source| TemplateError::Read {
        path: path.to_owned(),
        source,
    };
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.map_err(|e| read(folder, e.into()))?;
        if !entry.file_type().is_file() {
            continue;
        }
        let name = entry.path().strip_prefix(folder).unwrap_or(entry.path());
        let name = name.to_string_lossy().replace('\\', "/");
        let known = BUILT_IN.iter().map(|(name, _)| *name);
        if !known.clone().any(|k| k == name) {
            return Err(TemplateError::Unknown {
                path: entry.path().to_owned(),
                suggestion: crate::diag::did_you_mean(&name, known),
            });
        }
        let text = std::fs::read_to_string(entry.path()).map_err(|e| read(entry.path(), e))?;
        found.push((name, text));
    }
    Ok(found)
}

fn wrong(error: &minijinja::Error) -> TemplateError {
    let place = match (error.name(), error.line()) {
        (Some(name), Some(line)) => format!("{name}:{line}: "),
        (Some(name), None) => format!("{name}: "),
        _ => String::new(),
    };
    let detail = error.detail().map(|d| format!(": {d}")).unwrap_or_default();
    let what = match error.kind() {
        ErrorKind::UndefinedError => "a variable or field that is not there".to_owned(),
        kind => kind.to_string(),
    };
    TemplateError::Render(format!("{place}{what}{detail}"))
}

/// A YAML scalar on one line, quoted where it must be.
fn scalar(text: &str) -> String {
    if is_plain(text) {
        text.to_owned()
    } else {
        quoted(text)
    }
}

/// A double-quoted YAML scalar that readers of YAML 1.1 and 1.2 take for the same text.
fn quoted(text: &str) -> String {
    // A JSON string is one, but for characters that it leaves as they are; printing one cannot fail.
    let json = serde_json::to_string(text).unwrap_or_default();
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            c if is_printable(c) => out.push(c),
            c => out.push_str(&format!("\\u{:04X}", u32::from(c))),
        }
    }
    out
}

/// Characters that no YAML reader refuses, drops or takes for the end of a line. The others have four hexadecimal digits.
fn is_printable(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Text for a comment, which ends with its line.
fn comment(text: &str) -> String {
    let shown = |c| if is_printable(c) { c } else { ' ' };
    text.chars().map(shown).collect()
}

/// Text that every YAML reader takes as the same string without quotes.
///
/// Narrower than YAML: it starts with a letter, or is a duration, and holds nothing that could end it.
fn is_plain(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    let word = matches!(
        text.to_ascii_lowercase().as_str(),
        "true" | "false" | "yes" | "no" | "on" | "off" | "null" | "y" | "n"
    );
    let printable = |c: char| c.is_ascii_graphic() || c == ' ';
    let ends = text.ends_with([' ', ':']) || text.contains(": ") || text.contains(" #");
    is_duration(text) || (starts && !word && !ends && text.chars().all(printable))
}

/// `5m`, `1h30m`: digits and a letter by turns, never a number.
fn is_duration(text: &str) -> bool {
    let letters = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let unit = |c: char| matches!(c, 'd' | 'h' | 'm' | 's');
    letters.len() < text.len()
        && text.ends_with(unit)
        && text.chars().all(|c| c.is_ascii_digit() || unit(c))
}

/// Text on one line as a scalar, on more as a block indented by `indent` spaces where that keeps every character.
fn block(text: &str, indent: usize) -> String {
    let text = text.strip_suffix('\n').unwrap_or(text);
    if !text.contains('\n') || !fits_block(text) {
        return scalar(text);
    }
    let pad = " ".repeat(indent);
    let lines: Vec<String> = text
        .lines()
        .map(|line| {
            if line.is_empty() {
                String::new()
            } else {
                format!("{pad}{line}")
            }
        })
        .collect();
    format!("|-\n{}", lines.join("\n"))
}

/// A block's first line tells its indentation, its last line ends it, and nothing in it is escaped.
fn fits_block(text: &str) -> bool {
    let blank = |c: char| c.is_whitespace();
    let clean = |c: char| c == '\n' || c == '\t' || is_printable(c);
    !text.starts_with(blank) && !text.ends_with(blank) && text.chars().all(clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_interpolation_stands_inside_quotes() {
        // What goes into HTML is escaped, in quotes as well; into quotes of Markdown go only anchors.
        let pages = |name: &str| name.ends_with(".html") || name.ends_with(".md");
        let plain = BUILT_IN.iter().filter(|(name, _)| !pages(name));
        for (name, text) in plain {
            assert!(!text.contains("\"<{") && !text.contains("'<{"), "{name}");
        }
    }

    #[test]
    fn scalars_read_back_as_themselves() {
        let texts = [
            "plain",
            "yes",
            "1.0",
            "",
            "a: b",
            "#x",
            "{{ $value }}",
            "it's \"so\"",
            "a,b",
            "x ",
            "é",
            "a\tb",
            "- a",
            "0x1F",
            "null",
            "P95 of x",
            "a #b",
            "1h",
            "~",
            "=",
            "!x",
            "&x",
            "*x",
            "\u{85}",
        ];
        for text in texts {
            let yaml = format!("k: {}\n", scalar(text));
            let back: std::collections::BTreeMap<String, String> =
                crate::yaml::read(crate::source::FileId(0), &yaml).expect(text);
            assert_eq!(back["k"], text, "{yaml}");
        }
    }

    #[test]
    fn blocks_keep_their_lines() {
        let yaml = format!("k: {}\n", block("a\n  b\n\nc", 4));
        let back: std::collections::BTreeMap<String, String> =
            crate::yaml::read(crate::source::FileId(0), &yaml).expect("valid");
        assert_eq!(back["k"], "a\n  b\n\nc");
    }
}
