//! The names of vLLM's metrics in Prometheus, and in specs.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, anyhow};

use super::{Check, DoctorArgs};
use crate::catalog::{Catalog, Server};
use crate::cli::build::{self, BuildArgs, input};
use crate::cli::page;
use crate::cli::stored::Prefixes;
use crate::diag::Sink;
use crate::resolve;
use crate::spec::Document;
use crate::starter;

const NAME: &str = "names";

/// Checks that a Prometheus, or a server, has the names that the specs use.
pub(super) fn checks(args: &DoctorArgs) -> Vec<Check> {
    let stored = args.prometheus.as_deref().map(|url| {
        let found = Prefixes::stored(url, &args.http);
        checked(args, "Prometheus", found)
    });
    let served = args.metrics.as_deref().map(|address| {
        let mut page = page::read(address, &args.http);
        let found = page.as_mut().map(|page| {
            let found = Prefixes::on(page);
            found.serve(page);
            found
        });
        let found = found.map_err(|error| anyhow!("{error:#}"));
        let mut checks = checked(args, "the `/metrics` output", found);
        let server = page.ok().and_then(|page| Catalog::vllm().detect(&page));
        checks.extend(server.iter().flat_map(|server| buckets(args, server)));
        checks.extend(other_answer(args, address));
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

/// Specs whose bucket boundaries the server does not have.
fn buckets(args: &DoctorArgs, server: &Server) -> Vec<Check> {
    let numbers = |bounds: &[String]| {
        bounds
            .iter()
            .map(|le| le.parse().ok())
            .collect::<Vec<Option<f64>>>()
    };
    let found: BTreeMap<_, _> = server
        .buckets
        .iter()
        .map(|(key, all)| (key.as_str(), numbers(all)))
        .collect();
    let differs = |document: Document| {
        let spec = &document.spec;
        spec.runtime.as_ref()?;
        let job = resolve::own_job(spec);
        let given = spec.prometheus.jobs.get(job);
        let given = given
            .into_iter()
            .flat_map(|job| &job.custom_histogram_buckets);
        let given: BTreeMap<_, _> = given
            .map(|(key, all)| {
                (
                    key.value.as_str(),
                    numbers(&all.iter().map(ToString::to_string).collect::<Vec<_>>()),
                )
            })
            .collect();
        let keys = found.keys().chain(given.keys());
        let keys: BTreeSet<_> = keys
            .filter(|key| found.get(*key) != given.get(*key))
            .collect();
        let keys: Vec<_> = keys.into_iter().map(|key| format!("`{key}`")).collect();
        let (first, _) = keys.split_first()?;
        let text = format!(
            "{}: the server has other bucket boundaries than the spec: {}",
            spec.service.name,
            match keys.len() {
                1 => first.clone(),
                _ => keys.join(", "),
            }
        );
        let help = match server.buckets.is_empty() {
            true => "remove `custom_histogram_buckets` from the spec".to_owned(),
            false => format!(
                "set `prometheus: {{jobs: {{{job}: {{custom_histogram_buckets: {}}}}}}}`, then mend the thresholds that `slosmith build` reports",
                starter::own_buckets(&server.buckets)
            ),
        };
        Some(Check::problem("buckets", text, help))
    };
    documents(args).into_iter().filter_map(differs).collect()
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
