//! The only user of minijinja: templates, ours and those that replace them.
//!
//! `expr: <{ query }>` in a template of YAML prints a query that begins with `{` in quotes, for YAML reads it so.
//!
//! Delimiters are `{% %}`, `<{ }>` and `{# #}`, because `{{ }}` belongs to Prometheus and `${ }` to Grafana.
//! An interpolation prints a whole scalar, never a part of a quoted one.

mod limits;
pub mod markdown;
mod shape;
mod shell;
mod tree;
pub mod yaml;

use std::path::{Path, PathBuf};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior, escape_formatter};
use serde::Serialize;

pub use shape::Variables;
use slosmith_text::input;
pub use tree::Tree;

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
    "kubernetes/kustomization.yaml",
    "kubernetes/metadata.yaml",
    "kubernetes/relabel.yaml",
    "emitter/metrics.py",
    "emitter/test_metrics.py",
    "emitter/test_traces.py",
    "emitter/traces.py",
    "init/dynamo.yaml",
    "init/engine.yaml",
    "init/github.yaml",
    "init/gitlab.yaml",
    "init/kserve.yaml",
    "init/litellm.yaml",
    "init/llama-cpp.yaml",
    "init/ray-serve.yaml",
    "init/sglang.yaml",
    "init/slosmith.toml",
    "init/spec.yaml",
    "init/tgi.yaml",
    "init/triton.yaml",
    "preview/about.html",
    "preview/dashboard.html",
    "preview/index.html",
    "preview/page.html",
    "preview/panel.html",
    "preview/style.html",
    "project/alertmanager.yaml",
    "project/backstage.yaml",
    "project/grafana.json",
    "prometheus/alertmanager.yaml",
    "prometheus/goodput-collector.yaml",
    "prometheus/groups.yaml",
    "prometheus/monitor.yaml",
    "prometheus/prometheusrule.yaml",
    "prometheus/job.yaml",
    "prometheus/relabel.yaml",
    "prometheus/ruler.yaml",
    "prometheus/rules.yaml",
    "prometheus/scrape.yaml",
    "prometheus/test.yaml",
    "runbook/alert.md",
    "runbook/details.md",
    "runbook/index.md",
    "runbook/k6.js",
    "runbook/load-tests.md",
    "runbook/page.md",
    "runbook/query.md",
    "grafana/configmap.yaml",
    "grafana/dashboard.json",
    "grafana/lint.yaml",
    "grafana/operator/dashboard.yaml",
    "grafana/operator/folder.yaml",
    "grafana/operator/selector.yaml",
    "grafana/operator/references.yaml",
    "grafana/panels/joined.json",
    "grafana/panels/tile.json",
    "grafana/panels/verdict.json",
    "grafana/panels/bounds.json",
    "grafana/panels/fact.json",
    "grafana/panels/gauge.json",
    "grafana/panels/head.json",
    "grafana/panels/heatmap.json",
    "grafana/panels/instant.json",
    "grafana/panels/missing.json",
    "grafana/panels/newest.json",
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

/// Our templates: name, text.
pub fn built_in() -> impl Iterator<Item = (&'static str, &'static str)> {
    BUILT_IN.iter().copied()
}

#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// The folder of templates, or a file in it, cannot be read.
    #[error("cannot read templates in {}", .path.display())]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    /// A file replaces no built-in template.
    #[error("{} has the name of no built-in template{}", .path.display(), .suggestion.as_ref().map(|s| format!(": {s}")).unwrap_or_default())]
    Unknown {
        path: PathBuf,
        /// What was probably meant.
        suggestion: Option<String>,
    },
    /// A template is wrong: `name:line` and why.
    #[error("template {0}")]
    Render(String),
}

pub struct Templates {
    environment: Environment<'static>,
    replaced: Vec<(String, String)>,
    own: Vec<(String, String)>,
    /// Variables passed to templates, recorded on request.
    watch: Option<shape::Watch>,
}

impl Templates {
    /// Our templates; files under `folder` replace those of the same path.
    pub fn load(folder: Option<&Path>) -> Result<Self, TemplateError> {
        Self::with(folder, &[])
    }

    /// The same, and more that are a project's own; these have the names of their files.
    pub fn with(folder: Option<&Path>, own: &[&Path]) -> Result<Self, TemplateError> {
        let mut environment = environment()?;
        for &(name, text) in BUILT_IN {
            environment
                .add_template(name, text)
                .map_err(|e| wrong(&e))?;
        }
        if folder.is_some() || !own.is_empty() {
            limits::set(&mut environment);
        }
        let replaced = folder.map(replacements).transpose()?.unwrap_or_default();
        let own = own.iter().map(|path| read_own(path));
        let own = own.collect::<Result<Vec<_>, _>>()?;
        for (name, text) in replaced.iter().chain(&own).cloned() {
            environment
                .add_template_owned(name, text)
                .map_err(|e| wrong(&e))?;
        }
        Ok(Self {
            environment,
            replaced,
            own,
            watch: None,
        })
    }

    /// Our templates, which remember what they are given.
    pub fn watching() -> Result<Self, TemplateError> {
        Ok(Self {
            watch: Some(shape::Watch::default()),
            ..Self::load(None)?
        })
    }

    /// What templates were given, where that was to be remembered.
    pub fn variables(self) -> Variables {
        self.watch
            .map(shape::Watch::into_variables)
            .unwrap_or_default()
    }

    /// True when a person's templates are among them.
    pub fn are_replaced(&self) -> bool {
        !self.replaced.is_empty()
    }

    /// Templates that are not ours: name and text.
    pub fn foreign(&self) -> impl Iterator<Item = &(String, String)> {
        self.replaced.iter().chain(&self.own)
    }

    pub fn render(&self, name: &str, view: &impl Serialize) -> Result<String, TemplateError> {
        let template = self.environment.get_template(name).map_err(|e| wrong(&e))?;
        if let Some(watch) = &self.watch {
            watch.see(name, view);
        }
        limits::start();
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
    // The engine's own formatter formats a text instead of writing it.
    environment.set_formatter(
        |out, state, value| match (state.auto_escape(), value.as_str()) {
            (AutoEscape::None, Some(text)) => out.write_str(text).map_err(Error::from),
            _ => escape_formatter(out, state, value),
        },
    );
    environment.set_auto_escape_callback(|name| match name.ends_with(".html") {
        true => AutoEscape::Html,
        false => AutoEscape::None,
    });
    add_filters(&mut environment);
    Ok(environment)
}

fn add_filters(environment: &mut Environment<'static>) {
    environment.add_filter("yaml", yaml::scalar);
    environment.add_filter("flow", yaml::flow);
    environment.add_filter("block", yaml::block);
    environment.add_filter("comment", yaml::comment);
    environment.add_filter("tojson", tree::tojson);
    environment.add_filter("resource", slosmith_spec::naming::resource);
    environment.add_filter("prose", markdown::prose);
    environment.add_filter("inline", markdown::inline);
    environment.add_filter("item", markdown::item);
    environment.add_filter("cell", markdown::cell);
    environment.add_filter("label", markdown::label);
    environment.add_filter("code", markdown::code);
    environment.add_filter("code_cell", markdown::code_cell);
    environment.add_filter("fence", markdown::fence);
}

fn replacements(folder: &Path) -> Result<Vec<(String, String)>, TemplateError> {
    let read = |path: &Path, source| TemplateError::Read {
        path: path.to_owned(),
        source,
    };
    let mut found = Vec::new();
    // Mounted configuration consists of links beside hidden folders with the files.
    let hidden = |entry: &walkdir::DirEntry| {
        entry.depth() > 0 && entry.file_name().as_encoded_bytes().starts_with(b".")
    };
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name();
    for entry in entries.into_iter().filter_entry(|e| !hidden(e)) {
        let entry = entry.map_err(|e| read(folder, e.into()))?;
        if entry.path().is_dir() {
            continue;
        }
        let name = entry.path().strip_prefix(folder).unwrap_or(entry.path());
        let name = name.to_string_lossy().replace('\\', "/");
        let known = BUILT_IN.iter().map(|(name, _)| *name);
        if !known.clone().any(|k| k == name) {
            return Err(TemplateError::Unknown {
                path: entry.path().to_owned(),
                suggestion: slosmith_text::diag::did_you_mean(&name, known),
            });
        }
        let text =
            input::read_text(entry.path(), input::TEMPLATE).map_err(|e| read(entry.path(), e))?;
        found.push((name, text));
    }
    Ok(found)
}

/// A template of a project's own, by the name of its file.
fn read_own(path: &Path) -> Result<(String, String), TemplateError> {
    let text = input::read_text(path, input::TEMPLATE);
    let text = text.map_err(|source| TemplateError::Read {
        path: path.to_owned(),
        source,
    })?;
    Ok((path.to_string_lossy().into_owned(), text))
}

fn wrong(error: &minijinja::Error) -> TemplateError {
    let place = match (error.name(), error.line()) {
        (Some(name), Some(line)) => format!("{name}:{line}: "),
        (Some(name), None) => format!("{name}: "),
        _ => String::new(),
    };
    let detail = error.detail().map(|d| format!(": {d}")).unwrap_or_default();
    let what = match error.kind() {
        ErrorKind::OutOfFuel => format!("the template runs more than {} steps", limits::STEPS),
        ErrorKind::UndefinedError => "undefined variable or field".to_owned(),
        kind => kind.to_string(),
    };
    TemplateError::Render(format!("{place}{what}{detail}"))
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
}
