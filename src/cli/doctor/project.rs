//! Configuration, specs and generated files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::Check;
use crate::cli::build::{self, BuildArgs, input};
use crate::cli::lint::walk;
use crate::cli::words::{count, first_of};
use slosmith_spec::config::{self, Config, LoadError};
use slosmith_spec::spec::{self, Document};
use slosmith_text::diag::{Diagnostic, Sink};
use slosmith_text::input as text_input;
use slosmith_text::source::{FileId, Sources};

/// How many files or services a line names.
const NAMED: usize = 3;

pub(super) fn checks(config: Option<&Path>) -> Result<Vec<Check>> {
    let here = std::env::current_dir().context("cannot determine the working directory")?;
    let found = config.map(Path::to_owned).or_else(|| config::find(&here));
    let (check, usable) = configuration(found.as_deref(), &here);
    let mut checks = vec![check];
    if usable {
        checks.extend(specs(config));
    }
    Ok(checks)
}

fn configuration(path: Option<&Path>, here: &Path) -> (Check, bool) {
    let name = "configuration";
    let Some(path) = path else {
        let text = format!("no {} found; the folder `specs` is used", config::NAME);
        let help = "run `slosmith init`: it writes a configuration, a spec and a CI workflow";
        return (Check::warning(name, text, help), true);
    };
    let shown = path
        .strip_prefix(here)
        .unwrap_or(path)
        .display()
        .to_string();
    let mut sources = Sources::default();
    match Config::load(path, &mut sources) {
        Ok(_) => (Check::ok(name, shown), true),
        Err(LoadError::Wrong(faults)) => {
            let text = faults.first().map(|fault| located(fault, &sources, here));
            let check = Check::problem(name, text.unwrap_or(shown), first_help(&faults));
            (check, false)
        }
        Err(error) => {
            let help = "check that it is a readable regular file";
            (Check::problem(name, error.to_string(), help), false)
        }
    }
}

fn located(fault: &Diagnostic, sources: &Sources, here: &Path) -> String {
    let source = sources.get(fault.span.file);
    let at = source.line_col(fault.span.start as usize);
    let path = source.path().strip_prefix(here).unwrap_or(source.path());
    format!(
        "{}:{}:{}: {}",
        path.display(),
        at.line,
        at.col,
        fault.message
    )
}

fn first_help(faults: &[Diagnostic]) -> String {
    let help = faults.first().and_then(|fault| fault.help.first().cloned());
    help.unwrap_or_else(|| "fix this line; docs/configuration.md describes all settings".to_owned())
}

fn specs(config: Option<&Path>) -> Vec<Check> {
    let settings = match build::Settings::read(&BuildArgs::of(&[], config)) {
        Ok(Some(settings)) => settings,
        Ok(None) => {
            let help = "fix the path in slosmith.toml";
            let text = "slosmith.toml refers to a path that does not exist (see above)";
            return vec![Check::problem("specs", text, help)];
        }
        Err(error) => {
            let help = "run `slosmith init`: it writes a first spec";
            return vec![Check::problem("specs", format!("{error:#}"), help)];
        }
    };
    let mut findings = Sink::default();
    let read = input::read(&settings.specs.files, &mut findings);
    let documents = read.map(|inputs| inputs.documents).unwrap_or_default();
    let mut checks = Vec::new();
    match build::look(&settings) {
        Ok(Some(seen)) => {
            checks.push(Check::ok("specs", count(seen.services, "service")));
            checks.extend(left_out(&settings));
            checks.extend(links(&documents));
            checks.push(generated(&settings.out.display().to_string(), seen.stale));
        }
        Ok(None) => {
            let help = "fix the errors, then run `slosmith build`";
            checks.push(Check::problem(
                "specs",
                "specs have errors (see above)",
                help,
            ));
        }
        Err(error) => {
            let help = "run `slosmith build` for the full error";
            checks.push(Check::problem("specs", format!("{error:#}"), help));
        }
    }
    checks
}

/// Specs that no build reads, as after one was moved out of the folders of the configuration.
fn left_out(settings: &build::Settings) -> Option<Check> {
    let here = std::env::current_dir().ok()?;
    let config = &settings.config;
    let root = Some(config.folder()).filter(|root| *root != Path::new(""));
    let root = root.unwrap_or(Path::new("."));
    let real = |path: &PathBuf| path.canonicalize().ok();
    let built: BTreeSet<_> = settings.specs.files.iter().filter_map(real).collect();
    let is_spec = |path: &PathBuf| {
        // A file that cannot be read is told by `lint`.
        let bytes = text_input::read(path, text_input::ARTIFACT).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let mut lines = text.lines();
        lines.any(|line| line.starts_with("apiVersion: slosmith/"))
            && !spec::is_defaults(FileId::default(), &text)
    };
    let is_left_out = |path: &PathBuf| {
        matches!(path.extension()?.to_str()?, "yaml" | "yml").then_some(())?;
        let is_known = built.contains(&real(path)?) || config.build.is_defaults(path);
        (!is_known && is_spec(path)).then(|| path.display().to_string())
    };
    let files = walk::files(&[root.to_owned()], config, &here).ok()?;
    let found: Vec<_> = files.found.iter().filter_map(is_left_out).collect();
    (!found.is_empty()).then(|| {
        let text = format!("{} not built: {}", count(found.len(), "spec"), first_of(&found, NAMED));
        let help = "add the folder to `specs` in the table `[build]` of slosmith.toml, or list the files under `exclude`";
        Check::warning("specs", text, help)
    })
}

fn generated(out: &str, stale: usize) -> Check {
    match stale {
        0 => Check::ok("generated", format!("{out} is up to date")),
        n => {
            let text = format!("{out}: {} out of date", count(n, "file"));
            Check::problem(
                "generated",
                text,
                "run `slosmith build` and commit the result",
            )
        }
    }
}

fn links(documents: &[Document]) -> Vec<Check> {
    let is_example = |url: &str| {
        let host = url
            .split("//")
            .nth(1)
            .and_then(|rest| rest.split('/').next());
        host.is_some_and(|host| host.ends_with(".example"))
    };
    // A project of many services has one for all: of runbooks first.
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for document in documents {
        let spec = &document.spec;
        let links = spec.links.iter();
        let links =
            links.flat_map(|links| [("runbooks", &links.runbooks), ("grafana", &links.grafana)]);
        let set = links.filter_map(|(key, link)| Some((key, link.as_ref()?)));
        for (key, _) in set.filter(|(_, link)| is_example(&link.value)) {
            let services = found.entry(key).or_default();
            services.push(&spec.service.name.value);
        }
    }
    let told = found.into_iter().rev().map(|(key, services)| {
        let text = format!(
            "{}: the URL of `links.{key}` is a placeholder",
            first_of(&services, NAMED)
        );
        let help = format!("set `links: {{{key}: …}}` to your own URL: every alert links to it");
        Check::warning("links", text, help)
    });
    told.collect()
}
