//! The names of vLLM's metrics in Prometheus, and in specs.

use std::collections::BTreeSet;

use anyhow::{Result, anyhow};

use super::{Check, DoctorArgs};
use crate::cli::build::{self, BuildArgs, input};
use crate::cli::page;
use crate::cli::stored::Prefixes;
use slosmith_catalog::exposition::Page;
use slosmith_catalog::{Catalog, Server};
use slosmith_render::starter;
use slosmith_resolve as resolve;
use slosmith_spec::spec::Document;
use slosmith_text::diag::Sink;
use slosmith_text::units::parse_decimal;

const NAME: &str = "names";

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
        let page = page.unwrap_or_default();
        if let Some(server) = Catalog::vllm().detect(&page) {
            let documents = documents(args);
            let other = documents.iter();
            checks.extend(other.filter_map(|document| other_buckets(document, &page, &server)));
        }
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
    if spec.vllm().is_none() || found.has(prefix) {
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

/// A spec whose bucket boundaries the server does not have.
fn other_buckets(document: &Document, page: &Page, server: &Server) -> Option<Check> {
    let spec = &document.spec;
    spec.vllm()?;
    let job = resolve::own_job(spec);
    let given = spec.prometheus.jobs.get(job);
    let given = given.map(|job| &job.custom_histogram_buckets);
    let mut wanted = server.buckets.clone();
    let mut keys: BTreeSet<_> = wanted.keys().cloned().collect();
    for (key, bounds) in given.into_iter().flatten() {
        let found = Catalog::vllm().boundaries(page, &key.value);
        let numbers = found.iter().map(|le| parse_decimal(le).ok());
        match found.is_empty() || numbers.eq(bounds.iter().map(|at| at.value.bare())) {
            true => keys.remove(&key.value),
            false => keys.insert(key.value.clone()),
        };
        wanted.insert(key.value.clone(), found);
    }
    if keys.is_empty() {
        return None;
    }
    let keys = keys.into_iter().collect::<Vec<_>>().join("`, `");
    let text = format!(
        "{}: the server has other bucket boundaries than the spec: `{keys}`",
        spec.service.name
    );
    wanted.retain(|_, bounds| !bounds.is_empty());
    let help = format!(
        "set `prometheus: {{jobs: {{{job}: {{custom_histogram_buckets: {}}}}}}}`, then fix the thresholds that `slosmith build` reports",
        starter::own_buckets(&wanted)
    );
    Some(Check::problem("buckets", text, help))
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
