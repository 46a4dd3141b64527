//! `slosmith catalog`: recorded metrics, for people and scripts.

pub(super) mod diff;
mod family;
mod list;
mod record;
mod show;
mod update;

use std::io::Write;
use std::sync::OnceLock;

use anyhow::{Result, anyhow};
use clap::{Args, Subcommand};

use super::lint::scope::{self, unknown};
use super::{Format, configuration, examples};
use slosmith_catalog::diff::Diff;
use slosmith_catalog::{
    Catalog, DEFAULT_PROFILE, Embedded, Product, Range, Release, VLLM, Version,
};

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
    /// Install a newer catalog in the project, after checking its signature
    ///
    /// Writes the file that `vllm_catalog` or `[product_catalogs]` in `slosmith.toml` names. No catalog is published yet: sign your own
    /// with minisign.
    #[command(after_long_help = examples::CATALOG_UPDATE)]
    Update(update::UpdateArgs),
}

#[derive(Debug, Args)]
struct ListArgs {
    /// List the metrics of this release
    #[arg(long, value_name = "VERSION")]
    release: Option<Version>,
    /// Server: `vllm`, `sglang`, `litellm`, …; or a folder in `catalogs` of slosmith.toml. Default: the only one that `[products]` of
    /// `slosmith.toml` names, otherwise `vllm`
    #[arg(long, value_name = "NAME")]
    product: Option<String>,
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
    /// Server: `vllm`, `sglang`, `litellm`, …; or a folder in `catalogs` of slosmith.toml. Default: the only one that `[products]` of
    /// `slosmith.toml` names, otherwise `vllm`
    #[arg(long, value_name = "NAME")]
    product: Option<String>,
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
        CatalogCommand::List(args) => {
            list::view(&configuration::product(args.product.as_deref())?, args)?
        }
        CatalogCommand::Show(args) => show::view(args)?,
        CatalogCommand::Diff(args) => {
            let product = configuration::product(args.product.as_deref())?;
            diff::view(of(&product)?, args)?
        }
        CatalogCommand::Record(args) => record::run(args)?,
        CatalogCommand::Update(args) => update::run(args)?,
    };
    out.write_all(text.as_bytes())?;
    Ok(0)
}

/// The description of a family, by the name of any of its series.
pub(super) fn described(name: &str) -> Option<String> {
    let catalog = owner(name).ok()?;
    show::find(catalog, name, Format::Text).ok().flatten()
}

/// The catalog of a product or of a service of the project, by the word for it.
pub(super) fn of(product: &str) -> Result<&'static Catalog> {
    if product == VLLM {
        return Ok(Catalog::vllm());
    }
    let services = services()?;
    // A project can have recordings of newer releases of a server.
    let own = services.iter().find(|service| service.key == product);
    let other = || Some(Embedded::find(product)?.catalog());
    own.map(|own| own.catalog).or_else(other).ok_or_else(|| {
        let others = Embedded::all().iter().map(|other| other.name);
        let services = services.iter().map(|service| service.key.as_str());
        unknown(product, others.chain(services))
    })
}

/// The services in `catalogs` of the nearest configuration, read once.
fn services() -> Result<&'static [Product<'static>]> {
    static SERVICES: OnceLock<Vec<Product<'static>>> = OnceLock::new();
    if let Some(known) = SERVICES.get() {
        return Ok(known);
    }
    let read = scope::services(&configuration::quiet()?)?;
    Ok(SERVICES.get_or_init(|| read))
}

/// The catalog of the product whose metrics begin as `name` does, or of the service that has it; vLLM's if there is none.
fn owner(name: &str) -> Result<&'static Catalog> {
    let stored = || Embedded::in_texts([name].into_iter()).into_iter().next();
    let vllm = Catalog::vllm();
    if vllm.series_of(name).is_some() {
        return Ok(vllm);
    }
    let other = Embedded::owner(name).or_else(stored);
    let services = services()?;
    let mut services = services.iter().filter(|service| match other {
        Some(other) => service.key == other.name,
        None => service.catalog.series_of(name).is_some(),
    });
    let own = services.next().map(|service| service.catalog);
    Ok(own.or_else(|| other.map(Embedded::catalog)).unwrap_or(vllm))
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
    let hint = slosmith_text::diag::did_you_mean(profile, known.iter().copied());
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
