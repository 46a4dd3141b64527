//! The file as it is written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned as At;

use super::build::{BuildTable, KubernetesTable, OutputTable};
use super::place::Place;
use super::{Choice, Code, Config, Level};
use crate::catalog::Range;
use crate::diag::{Diagnostic, did_you_mean};
use crate::promql::Release;
use crate::source::{FileId, Span, Spanned};
use crate::units::{Duration, ParseError};

/// What `slosmith build` makes of which specs, and how `slosmith lint` judges: keys without a table are the linter's.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename = "Config")]
struct File {
    /// The vLLM releases that every query must be right on: `>=0.20, <0.34`, or one version.
    #[schemars(with = "Option<String>", example = ">=0.20, <0.34")]
    vllm: Option<At<String>>,
    /// Serving configurations that change which metrics exist: `default`, `lora`, `spec-decode`.
    #[schemars(with = "Vec<String>")]
    profiles: Vec<At<String>>,
    /// Labels that relabelling, the scrape or a remote store adds and that are in no recording, besides
    /// `container`, `endpoint`, `instance`, `job`, `namespace`, `node`, `pod` and `service`.
    #[schemars(with = "Vec<String>", example = ["cluster"])]
    labels: Vec<At<String>>,
    /// Matchers by which one sees that a selector means vLLM's own servers, so that general names such as
    /// `http_requests_total` are judged too; `job = "vllm"` always is one.
    selector: BTreeMap<String, String>,
    /// How often Prometheus scrapes: `15s`.
    #[schemars(with = "Option<String>", example = "15s")]
    scrape_interval: Option<At<String>>,
    /// The oldest Prometheus that must read the queries: `2.42`.
    #[schemars(with = "Option<String>", example = "2.42")]
    prometheus: Option<At<String>>,
    /// A catalog of vLLM's metrics that may be newer than the program's, relative to this file; `slosmith catalog update`
    /// writes it.
    #[schemars(with = "Option<String>", example = "vllm-catalog.json")]
    vllm_catalog: Option<At<PathBuf>>,
    /// Folders of recordings of other services, relative to this file.
    #[schemars(with = "Vec<String>")]
    catalogs: Vec<At<PathBuf>>,
    /// Rules and groups of rules that are asked; `truth` is every group but `style`, `all` is every rule. Without it
    /// `["truth"]`.
    #[schemars(with = "Vec<String>", example = ["truth", "style"])]
    select: Vec<At<String>>,
    /// Rules and groups of rules that are not asked. A rule's name in `select` goes before its group here.
    #[schemars(with = "Vec<String>", example = ["dead-runbook-link"])]
    ignore: Vec<At<String>>,
    /// Levels of rules, where they differ from the rules' own. A rule with a level is asked, also one of style.
    #[schemars(with = "BTreeMap<String, Level>")]
    levels: BTreeMap<At<String>, Level>,
    /// Files and folders that are not linted: globs relative to this file. `*` stays inside one folder, `**` does not.
    #[schemars(with = "Vec<String>")]
    exclude: Vec<At<String>>,
    /// Languages of source code in which string literals that are queries are read as well: `py`, `go` and `ts`, which is
    /// TypeScript and JavaScript.
    code: Vec<Code>,
    /// A file of findings that are known and wait, relative to this file; `slosmith lint --write-baseline` writes it.
    #[schemars(with = "Option<String>")]
    baseline: Option<At<PathBuf>>,
    /// What is built of which specs.
    build: BuildTable,
    /// What resources for Kubernetes carry; a spec's own `kubernetes` goes before it.
    kubernetes: Option<KubernetesTable>,
    /// Files of one's own for each service.
    output: Vec<OutputTable>,
}

/// The JSON Schema of the file, for editors, with a final newline.
pub fn json_schema() -> String {
    let settings = schemars::generate::SchemaSettings::draft2020_12();
    let schema = settings.into_generator().into_root_schema_for::<File>();
    // A schema is plain JSON; printing it cannot fail.
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

pub(super) fn read(file: FileId, text: &str, folder: &Path) -> Result<Config, Vec<Diagnostic>> {
    let read: File = toml::from_str(text).map_err(|error| vec![fault(file, &error)])?;
    let mut faults = Vec::new();
    let place = Place { file, folder };
    let vllm = read.vllm.and_then(|at| place.range(at, &mut faults));
    let exclude = place.globs(read.exclude, &mut faults);
    let scrape_interval = read
        .scrape_interval
        .and_then(|at| place.interval(at, &mut faults));
    let prometheus = read
        .prometheus
        .and_then(|at| place.release(at, &mut faults));
    let build = place.build(read.build, read.kubernetes, read.output, &mut faults);
    if !faults.is_empty() {
        return Err(faults);
    }
    let levels: BTreeMap<_, _> = read
        .levels
        .into_iter()
        .map(|(rule, level)| (place.here(rule), level))
        .collect();
    Ok(Config {
        vllm,
        profiles: place.all(read.profiles),
        labels: place.all(read.labels),
        selector: read.selector,
        scrape_interval,
        prometheus,
        vllm_catalog: read.vllm_catalog.map(|at| place.path(at)),
        catalogs: read.catalogs.into_iter().map(|at| place.path(at)).collect(),
        choice: Choice {
            select: place.all(read.select),
            ignore: place.all(read.ignore),
            levelled: levels.keys().cloned().collect(),
        },
        levels,
        code: read.code,
        baseline: read.baseline.map(|at| place.path(at)),
        build,
        folder: folder.to_owned(),
        exclude,
    })
}

impl Place<'_> {
    fn range(&self, at: At<String>, faults: &mut Vec<Diagnostic>) -> Option<Spanned<Range>> {
        let span = self.span(at.span());
        match Range::parse(at.get_ref()) {
            Ok(range) => Some(Spanned::new(range, span)),
            Err(error) => {
                let fault = Diagnostic::error("bad-version-range", span, error.to_string());
                faults.push(fault.help(error.help()));
                None
            }
        }
    }

    fn interval(&self, at: At<String>, faults: &mut Vec<Diagnostic>) -> Option<Duration> {
        let span = self.span(at.span());
        let read = at.get_ref().parse::<Duration>();
        let fault = |error: ParseError| {
            let help = error.help().map(str::to_owned);
            Diagnostic::error("invalid-value", span, error.to_string()).maybe_help(help)
        };
        read.map_err(|error| faults.push(fault(error))).ok()
    }

    fn release(&self, at: At<String>, faults: &mut Vec<Diagnostic>) -> Option<Release> {
        let release = Release::parse(at.get_ref());
        if release.is_none() {
            let message = format!("`{}` is not a Prometheus version", at.get_ref());
            let fault = Diagnostic::error("invalid-value", self.span(at.span()), message);
            faults.push(fault.help("write the major and minor number, such as \"2.42\""));
        }
        release
    }

    fn globs(&self, list: Vec<At<String>>, faults: &mut Vec<Diagnostic>) -> GlobSet {
        let mut all = GlobSetBuilder::new();
        for at in list {
            let glob = at.get_ref().strip_prefix("./").unwrap_or(at.get_ref());
            let glob = glob.trim_end_matches('/');
            match GlobBuilder::new(glob).literal_separator(true).build() {
                Ok(glob) => drop(all.add(glob)),
                Err(error) => {
                    let message = format!("`{}` is not a valid glob: {}", at.get_ref(), error.kind());
                    faults.push(Diagnostic::error(
                        "invalid-value",
                        self.span(at.span()),
                        message,
                    ));
                }
            }
        }
        all.build().unwrap_or_else(|error| {
            // Each glob was fine by itself; together they are too large.
            let start = self.span(0..0);
            faults.push(Diagnostic::error(
                "too-large",
                start,
                format!("`exclude`: {error}"),
            ));
            GlobSet::empty()
        })
    }
}

/// The reader's error in our words.
fn fault(file: FileId, error: &toml::de::Error) -> Diagnostic {
    let span = Span::new(file, error.span().unwrap_or(0..0));
    let message = error.message().lines().next().unwrap_or_default();
    // "unknown field `x`, expected one of `a`, `b`": every second part is in backticks.
    let words: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let diagnostic = |code, what: &str| {
        let (word, known) = words.split_first().unwrap_or((&"", &[]));
        let quoted: Vec<_> = known.iter().map(|k| format!("`{k}`")).collect();
        let help = did_you_mean(word, known.iter().copied())
            .unwrap_or_else(|| format!("expected one of {}", quoted.join(", ")));
        Diagnostic::error(code, span, format!("unknown {what} `{word}`")).help(help)
    };
    if message.starts_with("unknown field") {
        diagnostic("unknown-field", "key")
    } else if message.starts_with("unknown variant") {
        diagnostic("unknown-value", "value")
    } else if let Some((found, wanted)) = wrong_type(message) {
        Diagnostic::error(
            "wrong-type",
            span,
            format!("expected {wanted}, found {found}"),
        )
    } else {
        Diagnostic::error("invalid-toml", span, message)
    }
}

/// "invalid type: a boolean, expected a string", in its parts.
fn wrong_type(message: &str) -> Option<(&str, &str)> {
    message
        .strip_prefix("invalid type: ")?
        .split_once(", expected ")
}
