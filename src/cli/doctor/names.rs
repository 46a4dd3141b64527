//! The names of vLLM's metrics in Prometheus, and in specs.

use anyhow::Result;

use super::{Check, DoctorArgs};
use crate::cli::build::{self, BuildArgs, input};
use crate::cli::page;
use crate::cli::stored::Prefixes;
use crate::diag::Sink;
use crate::resolve;
use crate::spec::Document;

const NAME: &str = "names";

/// Checks that a Prometheus, or a server, has the names that the specs use.
pub(super) fn checks(args: &DoctorArgs) -> Vec<Check> {
    let stored = args.prometheus.as_deref().map(|url| {
        let found = Prefixes::stored(url, &args.http);
        checked(args, "Prometheus", found)
    });
    let served = args.metrics.as_deref().map(|page| {
        let found = page::read(page, &args.http).map(|page| Prefixes::on(&page));
        let mut checks = checked(args, "the `/metrics` output", found);
        checks.extend(other_answer(args, page));
        checks
    });
    [stored, served].into_iter().flatten().flatten().collect()
}

fn checked(args: &DoctorArgs, place: &str, found: Result<Prefixes>) -> Vec<Check> {
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            let help = "check the URL, and that it can be reached from here";
            return vec![Check::problem(NAME, format!("{error:#}"), help)];
        }
    };
    if found.is_empty() {
        let text = format!("{place} has no vLLM metric");
        return vec![Check::warning(
            NAME,
            text,
            "check the scrape job of the vLLM servers",
        )];
    }
    let mut checks = vec![Check::ok(
        NAME,
        format!("{place} has vLLM metrics: {found}"),
    )];
    let documents = documents(args).into_iter();
    checks.extend(documents.filter_map(|document| differs(&document, place, &found)));
    checks
}

/// A spec whose names the store does not have.
fn differs(document: &Document, place: &str, found: &Prefixes) -> Option<Check> {
    let spec = &document.spec;
    let prefix = resolve::own_prefix(spec);
    if spec.runtime.is_none() || found.has(prefix) {
        return None;
    }
    let other = found.other()?;
    let text = format!(
        "{}: the spec has the prefix `{prefix}`, {place} has `{other}`",
        spec.service.name
    );
    let job = resolve::own_job(spec);
    let help = format!(
        "use the generated scrape configuration, which stores `{prefix}`, or set `prometheus: {{jobs: {{{job}: {{names: \"{other}\"}}}}}}`"
    );
    Some(Check::warning(NAME, text, help))
}

/// A server that serves other names to Prometheus 2.
fn other_answer(args: &DoctorArgs, page: &str) -> Option<Check> {
    let answer = page::openmetrics(page, &args.http).ok()??;
    let answer = Prefixes::on(&answer);
    let other = answer.other()?;
    let text = format!("Prometheus 2 gets the prefix `{other}` from this server");
    let help = "use the generated scrape configuration: it stores the names that the rules use";
    Some(Check::warning(NAME, text, help))
}

fn documents(args: &DoctorArgs) -> Vec<Document> {
    let settings = build::Settings::read(&BuildArgs::of(&[], args.config.as_deref()));
    let Ok(Some(settings)) = settings else {
        return Vec::new();
    };
    let read = input::read(&settings.specs.files, &mut Sink::default());
    read.map(|inputs| inputs.documents).unwrap_or_default()
}
