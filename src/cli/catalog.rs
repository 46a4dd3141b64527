//! `slosmith catalog`: recorded metrics, for people and scripts.

pub(super) mod diff;
mod family;
mod list;
mod record;
mod show;
mod update;

use std::io::Write;

use anyhow::{Result, anyhow};
use clap::{Args, Subcommand};

use super::lint::scope::embedded;
use super::{Format, examples};
use crate::catalog::diff::Diff;
use crate::catalog::{Catalog, DEFAULT_PROFILE, Embedded, Range, Release, VLLM, Version};

/// Show which metrics each release of vLLM and of other servers exposes
#[derive(Debug, Args)]
pub struct CatalogArgs {
    #[command(subcommand)]
    command: CatalogCommand,
}

#[derive(Debug, Subcommand)]
enum CatalogCommand {
    /// List the recorded releases, or the metrics of one release
    #[command(after_long_help = examples::CATALOG_LIST)]
    List(ListArgs),
    /// Show the history of a metric: releases, changes and replacement
    #[command(after_long_help = examples::CATALOG_SHOW)]
    Show(ShowArgs),
    /// Compare the metrics of two releases
    #[command(after_long_help = examples::CATALOG_DIFF)]
    Diff(DiffArgs),
    /// Add `/metrics` output of your own service to a catalog
    #[command(after_long_help = examples::CATALOG_RECORD)]
    Record(record::RecordArgs),
    /// Install a newer vLLM catalog in the project, after checking its signature
    ///
    /// Writes the file that `vllm_catalog` in `slosmith.toml` names. No catalog is published yet: sign your own with minisign.
    #[command(after_long_help = examples::CATALOG_UPDATE)]
    Update(update::UpdateArgs),
}

#[derive(Debug, Args)]
struct ListArgs {
    /// List the metrics of this release
    #[arg(long, value_name = "VERSION")]
    release: Option<Version>,
    /// Server: `vllm`, `sglang`, `litellm`, …
    #[arg(long, value_name = "NAME", default_value = VLLM)]
    product: String,
    /// Profile: a recorded set of server options. Default: `default` where there is one, otherwise all
    #[arg(long, requires = "release")]
    profile: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, Args)]
struct ShowArgs {
    /// Metric or series, such as vllm:num_requests_waiting
    #[arg(value_name = "METRIC")]
    family: String,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, Args)]
struct DiffArgs {
    /// The release that runs now
    from: Version,
    /// The release to upgrade to
    to: Version,
    /// Server: `vllm`, `sglang`, `litellm`, …
    #[arg(long, value_name = "NAME", default_value = VLLM)]
    product: String,
    /// Profile: a recorded set of server options. Default: `default` where there is one, otherwise all
    #[arg(long)]
    profile: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl CatalogArgs {
    /// True for `slosmith catalog update`.
    pub(super) fn is_update(&self) -> bool {
        matches!(self.command, CatalogCommand::Update(_))
    }
}

pub fn run(args: &CatalogArgs, out: &mut dyn Write) -> Result<u8> {
    let text = match &args.command {
        CatalogCommand::List(args) => list::view(of(&args.product)?, args)?,
        CatalogCommand::Show(args) => show::view(args)?,
        CatalogCommand::Diff(args) => diff::view(of(&args.product)?, args)?,
        CatalogCommand::Record(args) => record::run(args)?,
        CatalogCommand::Update(args) => update::run(args)?,
    };
    out.write_all(text.as_bytes())?;
    Ok(0)
}

/// The description of a family, by the name of any of its series.
pub(super) fn described(name: &str) -> Option<String> {
    show::find(owner(name), name, Format::Text).ok().flatten()
}

/// The catalog of a product, by the word for it.
pub(super) fn of(product: &str) -> Result<&'static Catalog> {
    if product == VLLM {
        return Ok(Catalog::vllm());
    }
    embedded(product).map(Embedded::catalog)
}

/// The catalog of the product whose metrics begin as `name` does; vLLM's if there is none.
fn owner(name: &str) -> &'static Catalog {
    let stored = || Embedded::in_texts([name].into_iter()).into_iter().next();
    let is_vllms = Catalog::vllm().series_of(name).is_some();
    let other = Embedded::owner(name).or_else(stored).filter(|_| !is_vllms);
    other.map_or_else(Catalog::vllm, Embedded::catalog)
}

/// The profiles that a command looks at: the one that it names, else the default one, else all of the releases.
fn profiles<'a>(named: Option<&'a str>, releases: &[&'a Release]) -> Result<Vec<&'a str>> {
    if let Some(named) = named {
        let has = |release: &&&Release| release.page(named).is_some();
        if let (None, Some(last)) = (releases.iter().find(has), releases.last()) {
            known_profile(last, named)?;
        }
        return Ok(vec![named]);
    }
    let mut all: Vec<_> = releases
        .iter()
        .flat_map(|release| release.profiles())
        .collect();
    all.sort_unstable();
    all.dedup();
    match all.contains(&DEFAULT_PROFILE) {
        true => Ok(vec![DEFAULT_PROFILE]),
        false => Ok(all),
    }
}

pub(super) fn release<'a>(catalog: &'a Catalog, version: &Version) -> Result<&'a Release> {
    if let Some(release) = catalog.find_release(version) {
        return Ok(release);
    }
    let near = match catalog.select(&Range::exact(version.clone())) {
        Ok(selection) => selection
            .releases
            .iter()
            .map(|id| catalog.release(*id).version().to_string())
            .collect(),
        Err(error) => error.nearest,
    };
    Err(anyhow!(
        "{} {version} is not recorded; nearest: {}",
        catalog.title(),
        near.join(" and ")
    ))
}

fn known_profile(release: &Release, profile: &str) -> Result<()> {
    if release.page(profile).is_some() {
        return Ok(());
    }
    let known: Vec<_> = release.profiles().collect();
    let hint = crate::diag::did_you_mean(profile, known.iter().copied());
    let hint = hint.map(|hint| format!(": {hint}")).unwrap_or_default();
    Err(anyhow!(
        "profile `{profile}` is not recorded for {}{hint}; recorded profiles: {}",
        release.version(),
        known.join(", ")
    ))
}

/// False for metrics of the process, such as `process_*`: they depend on the recording, not on the release.
fn is_vllms(name: &str) -> bool {
    !name.starts_with("python_") && !name.starts_with("process_")
}

/// Removes metrics that depend on the recording, not on the release.
pub(super) fn only_vllm(diff: &mut Diff) {
    diff.added.retain(|name| is_vllms(name));
    diff.removed.retain(|name| is_vllms(name));
    diff.changed.retain(|changed| is_vllms(&changed.family));
}

pub(super) fn json(value: &serde_json::Value) -> Result<String> {
    Ok(format!("{}\n", serde_json::to_string_pretty(value)?))
}
