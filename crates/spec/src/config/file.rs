//! The file as it is written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned as At;

use super::build::{BuildTable, KubernetesTable, OutputTable};
use super::place::Place;
use super::{Choice, Code, Config, Level, QueryLanguage};
use slosmith_catalog::{PREFIX_HELP, Range, VLLM, Version, is_prefix};
use slosmith_promql::Release;
use slosmith_text::diag::{Diagnostic, did_you_mean, one_of};
use slosmith_text::source::{FileId, Span, Spanned};
use slosmith_text::units::{Duration, ParseError};

/// Project settings of slosmith: what `build` compiles, and how `lint` runs. Keys outside a table are settings of `lint`.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename = "Config")]
struct File {
    /// The slosmith versions that may build and check this project: `>=0.1, <0.2`. Another version ends with an error.
    #[schemars(with = "Option<String>", example = ">=0.1, <0.2")]
    required_version: Option<At<String>>,
    /// The vLLM releases on which every query must work: `>=0.20, <0.34`, or one version.
    #[schemars(with = "Option<String>", example = ">=0.20, <0.34")]
    vllm: Option<At<String>>,
    /// vLLM profiles in use, such as `default`, `lora` or `spec-decode`: sets of server options that add metrics.
    #[schemars(with = "Vec<String>")]
    profiles: Vec<At<String>>,
    /// Labels that relabelling, the scrape or a remote store adds, in addition to
    /// `container`, `endpoint`, `instance`, `job`, `namespace`, `node`, `pod` and `service`.
    #[schemars(with = "Vec<String>", example = ["cluster"])]
    labels: Vec<At<String>>,
    /// Prefixes of vLLM's metric names in your store. Default: unknown; vLLM serves `vllm:`. Prometheus 2 stores `vllm_` if
    /// the server has Python client 0.23.1 or newer; Ray stores `ray_vllm:` or `ray_vllm_`.
    #[schemars(with = "Vec<String>", example = ["vllm_"])]
    names: Vec<At<String>>,
    /// Matchers that identify vLLM servers, so that `lint` also checks general metrics such as `http_requests_total`.
    /// `job = "vllm"` is always one of them.
    selector: BTreeMap<String, String>,
    /// Scrape interval of Prometheus: `15s`.
    #[schemars(with = "Option<String>", example = "15s")]
    scrape_interval: Option<At<String>>,
    /// The oldest Prometheus version that must be able to run the queries: `2.42`.
    #[schemars(with = "Option<String>", example = "2.42")]
    prometheus: Option<At<String>>,
    /// A catalog of vLLM metrics that may be newer than the built-in one, relative to this file. `slosmith catalog update`
    /// writes it.
    #[schemars(with = "Option<String>", example = "vllm-catalog.json")]
    vllm_catalog: Option<At<PathBuf>>,
    /// Releases of other servers, in the form of `vllm`: `sglang = "0.5.23"`. Default: the newest recorded release of each.
    #[schemars(with = "BTreeMap<String, String>")]
    products: BTreeMap<At<String>, At<String>>,
    /// Catalogs of other servers that may be newer than the built-in ones, relative to this file: `sglang = "sglang-catalog.json"`.
    /// `slosmith catalog update --product NAME` writes them.
    #[schemars(with = "BTreeMap<String, String>")]
    product_catalogs: BTreeMap<At<String>, At<PathBuf>>,
    /// Folders of recordings of other services, relative to this file.
    #[schemars(with = "Vec<String>")]
    catalogs: Vec<At<PathBuf>>,
    /// Rules and rule categories to run; `truth` is every category but `style`, `all` is every rule. Default: `["truth"]`.
    #[schemars(with = "Vec<String>", example = ["truth", "style"])]
    select: Vec<At<String>>,
    /// Rules and rule categories to skip. The name of a rule in `select` takes precedence over its category in `ignore`.
    #[schemars(with = "Vec<String>", example = ["dead-runbook-link"])]
    ignore: Vec<At<String>>,
    /// Levels of rules, where they differ from the defaults. A rule with a level is also run if it is a `style` rule.
    #[schemars(with = "BTreeMap<String, Level>")]
    levels: BTreeMap<At<String>, Level>,
    /// Files and folders that are not linted: globs relative to this file. `*` stays inside one folder, `**` does not.
    #[schemars(with = "Vec<String>")]
    exclude: Vec<At<String>>,
    /// Query languages of files in which neither the data source nor the kind of the file tells it.
    queries: Vec<QueriesTable>,
    /// Languages of source code whose string literals `lint` checks if they are queries: `py`, `go` and `ts` (TypeScript and
    /// JavaScript).
    code: Vec<Code>,
    /// Baseline: a file of known findings, relative to this file. `slosmith lint --write-baseline` writes it.
    #[schemars(with = "Option<String>")]
    baseline: Option<At<PathBuf>>,
    /// Settings of `slosmith build`.
    build: BuildTable,
    /// Metadata of all Kubernetes resources; `kubernetes` of a spec takes precedence.
    kubernetes: Option<KubernetesTable>,
    /// Additional files for each service, from your own templates.
    output: Vec<OutputTable>,
}

/// What is read also of a file with unknown keys.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Required {
    required_version: Option<At<String>>,
}

/// An error where this version is not one that the project needs.
fn wrong_version(range: &Spanned<Range>) -> Option<Diagnostic> {
    let own = env!("CARGO_PKG_VERSION");
    let is_wrong = Version::from_str(own).is_ok_and(|version| !range.value.contains(&version));
    is_wrong.then(|| {
        let message = format!(
            "the project needs slosmith {}; this is slosmith {own}",
            range.value
        );
        let error = Diagnostic::error("wrong-version", range.span, message);
        error.help("install a version in this range, or change `required_version`")
    })
}

/// The query language of some files.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "Queries")]
struct QueriesTable {
    /// Files and folders: globs relative to this file.
    #[schemars(with = "Vec<String>", example = ["monitoring/victoria"])]
    paths: Vec<At<String>>,
    /// Their query language. Queries in MetricsQL are checked for names and labels, queries in LogQL are not checked.
    dialect: QueryLanguage,
}

pub fn json_schema() -> String {
    let settings = schemars::generate::SchemaSettings::draft2020_12();
    let schema = settings.into_generator().into_root_schema_for::<File>();
    // A schema is plain JSON; printing it cannot fail.
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

pub(super) fn read(file: FileId, text: &str, folder: &Path) -> Result<Config, Vec<Diagnostic>> {
    let place = Place { file, folder };
    let read = toml::from_str::<File>(text);
    // Another version may know other keys.
    let required = match &read {
        Ok(read) => read.required_version.clone(),
        Err(_) => {
            toml::from_str::<Required>(text)
                .unwrap_or_default()
                .required_version
        }
    };
    let mut faults = Vec::new();
    let required = required.and_then(|at| place.range(at, &mut faults));
    if let Some(wrong) = required.and_then(|range| wrong_version(&range)) {
        return Err(vec![wrong]);
    }
    let read = read.map_err(|error| vec![fault(file, text, &error)])?;
    let vllm = read.vllm.and_then(|at| place.range(at, &mut faults));
    let products = read.products.into_iter();
    let products = products.filter_map(|(name, range)| {
        let range = place.range(range, &mut faults)?;
        Some((place.here(name), range.value))
    });
    let mut products: BTreeMap<Spanned<String>, Range> = products.collect();
    // `vllm` is short for the same product in the table.
    let table = products.keys().find(|name| name.value == VLLM).cloned();
    let table = table.and_then(|name| Some(Spanned::new(products.remove(&name)?, name.span)));
    if let (Some(_), Some(twice)) = (&vllm, &table) {
        let message = "the vLLM releases are set twice: by `vllm`, and in `[products]`";
        let fault = Diagnostic::error("contradiction", twice.span, message);
        faults.push(fault.help("remove one of them"));
    }
    let vllm = vllm.or(table);
    let catalogs = read.product_catalogs.into_iter();
    let catalogs = catalogs.map(|(name, at)| (place.here(name), place.path(at)));
    let mut product_catalogs: BTreeMap<Spanned<String>, Spanned<PathBuf>> = catalogs.collect();
    let table = product_catalogs
        .keys()
        .find(|name| name.value == VLLM)
        .cloned();
    let of_vllm = table
        .as_ref()
        .and_then(|name| product_catalogs.remove(name));
    if let (Some(_), Some(twice)) = (&read.vllm_catalog, &table) {
        let message = "vLLM's catalog is set twice: by `vllm_catalog`, and in `[product_catalogs]`";
        let fault = Diagnostic::error("contradiction", twice.span, message);
        faults.push(fault.help("remove one of them"));
    }
    let exclude = place.globs("exclude", read.exclude, &mut faults);
    let tables = read.queries.into_iter();
    let languages = tables
        .map(|table| {
            (
                place.globs("paths", table.paths, &mut faults),
                table.dialect,
            )
        })
        .collect();
    let scrape_interval = read
        .scrape_interval
        .and_then(|at| place.interval(at, &mut faults));
    let prometheus = read
        .prometheus
        .and_then(|at| place.release(at, &mut faults));
    let names = place.prefixes(read.names, &mut faults);
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
        names,
        selector: read.selector,
        scrape_interval,
        prometheus,
        vllm_catalog: read.vllm_catalog.map(|at| place.path(at)).or(of_vllm),
        products,
        product_catalogs,
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
        languages,
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

    fn prefixes(
        &self,
        list: Vec<At<String>>,
        faults: &mut Vec<Diagnostic>,
    ) -> Vec<Spanned<String>> {
        let list = self.all(list);
        for prefix in list.iter().filter(|at| !is_prefix(&at.value)) {
            let message = format!("`{prefix}` is not the prefix of a metric name");
            let fault = Diagnostic::error("invalid-value", prefix.span, message);
            faults.push(fault.help(PREFIX_HELP));
        }
        list
    }

    fn globs(&self, key: &str, list: Vec<At<String>>, faults: &mut Vec<Diagnostic>) -> GlobSet {
        let mut all = GlobSetBuilder::new();
        for at in list {
            let glob = at.get_ref().strip_prefix("./").unwrap_or(at.get_ref());
            let glob = glob.trim_end_matches('/');
            match GlobBuilder::new(glob).literal_separator(true).build() {
                Ok(glob) => drop(all.add(glob)),
                Err(error) => {
                    let message =
                        format!("`{}` is not a valid glob: {}", at.get_ref(), error.kind());
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
                format!("`{key}`: {error}"),
            ));
            GlobSet::empty()
        })
    }
}

fn fault(file: FileId, text: &str, error: &toml::de::Error) -> Diagnostic {
    let span = Span::new(file, error.span().unwrap_or(0..0));
    let message = error.message().lines().next().unwrap_or_default();
    // "unknown field `x`, expected one of `a`, `b`": every second part is in backticks.
    let words: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let diagnostic = |code, what: &str| {
        let (word, known) = words.split_first().unwrap_or((&"", &[]));
        let help = did_you_mean(word, known.iter().copied())
            .unwrap_or_else(|| format!("use {}", one_of(known)));
        Diagnostic::error(code, span, format!("unknown {what} `{word}`")).help(help)
    };
    if message.starts_with("unknown field") {
        diagnostic("unknown-field", "key")
    } else if message.starts_with("unknown variant") {
        diagnostic("unknown-value", "value")
    } else if let Some((found, wanted)) = wrong_type(message) {
        let before = text.get(..span.range().start).unwrap_or_default();
        let key = before.rsplit('\n').next();
        let key = key.and_then(|line| Some(line.split_once('=')?.0.trim()));
        let subject = key.map_or_else(|| "the value".to_owned(), |key| format!("`{key}`"));
        let value = text.get(span.range()).unwrap_or_default();
        let (wanted, help) = match wanted {
            "a sequence" => ("a list", Some(format!("write `[{value}]`"))),
            "a string" => ("text", Some("put the value in quotes".to_owned())),
            wanted => (wanted, None),
        };
        let message = format!("{subject} must be {wanted}; found {found}");
        Diagnostic::error("wrong-type", span, message).maybe_help(help)
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
