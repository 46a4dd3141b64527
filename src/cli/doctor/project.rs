//! Configuration, specs and generated files.

use std::path::Path;

use anyhow::{Context, Result};

use super::Check;
use crate::cli::build::{self, BuildArgs, input};
use crate::cli::words::count;
use crate::config::{self, Config, LoadError};
use crate::diag::{Diagnostic, Sink};
use crate::source::Sources;
use crate::spec::Document;

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

/// The configuration, and whether a build can use it.
fn configuration(path: Option<&Path>, here: &Path) -> (Check, bool) {
    let name = "configuration";
    let Some(path) = path else {
        let text = format!("no {}; specs are in `specs`", config::NAME);
        let help = "`slosmith init` writes one, with a spec and a file for CI";
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
            let help = "make it a file that can be read";
            (Check::problem(name, error.to_string(), help), false)
        }
    }
}

/// `file:line:column: message`.
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
    help.unwrap_or_else(|| "correct it; docs/configuration.md explains it".to_owned())
}

/// The specs, their links, and what was generated from them.
fn specs(config: Option<&Path>) -> Vec<Check> {
    let settings = match build::Settings::read(&BuildArgs::of(&[], config)) {
        Ok(Some(settings)) => settings,
        Ok(None) => {
            let help = "the configuration names what is not there, see above";
            return vec![Check::problem("specs", "they cannot be found", help)];
        }
        Err(error) => {
            let help = "`slosmith init` writes a first one";
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
            checks.extend(links(&documents));
            checks.push(generated(&settings.out.display().to_string(), seen.stale));
        }
        Ok(None) => {
            let help = "`slosmith build` shows them in full";
            checks.push(Check::problem("specs", "there are errors, see above", help));
        }
        Err(error) => {
            let help = "`slosmith build` stops at the same place";
            checks.push(Check::problem("specs", format!("{error:#}"), help));
        }
    }
    checks
}

fn generated(out: &str, stale: usize) -> Check {
    match stale {
        0 => Check::ok("generated", format!("{out} is up to date")),
        n => {
            let text = format!("{out}: {} stale", count(n, "file"));
            Check::problem(
                "generated",
                text,
                "run `slosmith build`, and commit what it writes",
            )
        }
    }
}

/// Links that `slosmith init` wrote and nobody has changed.
fn links(documents: &[Document]) -> Vec<Check> {
    let is_example = |url: &str| {
        let host = url
            .split("//")
            .nth(1)
            .and_then(|rest| rest.split('/').next());
        host.is_some_and(|host| host.ends_with(".example"))
    };
    let mut found = Vec::new();
    for document in documents {
        let spec = &document.spec;
        let links = spec.links.iter();
        let links =
            links.flat_map(|links| [("runbooks", &links.runbooks), ("grafana", &links.grafana)]);
        for (key, link) in links.filter(|(_, link)| is_example(&link.value)) {
            let text = format!("{}: `{link}` is only an example", spec.service.name);
            let help = format!("set `links: {{{key}: …}}` to where yours are; alerts link there");
            found.push(Check::warning("links", text, help));
        }
    }
    found
}
