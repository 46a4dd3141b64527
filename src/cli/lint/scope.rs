//! The catalogs and releases to check queries against, from configuration and command line.

use std::path::Path;

use anyhow::{Result, bail};

use crate::catalog::{Catalog, Product, Range, Selection, Service, build_service};
use crate::config::Config;
use crate::diag::did_you_mean;
use crate::lint::Scope;

pub(in crate::cli) fn products(
    config: &Config,
    range: Option<&Range>,
    named: &[String],
) -> Result<Vec<Product<'static>>> {
    let catalog = Catalog::vllm();
    let range = range.or(config.vllm.as_ref().map(|range| &range.value));
    let selection = match range {
        Some(range) => catalog.select(range)?,
        None => newest(catalog),
    };
    let mut all = vec![Product {
        name: "vLLM".to_owned(),
        catalog,
        selection,
        profiles: profiles(catalog, config, named)?,
    }];
    all.extend(services(config)?);
    Ok(all)
}

/// The project's recordings of its services, each with its newest version.
pub(in crate::cli) fn services(config: &Config) -> Result<Vec<Product<'static>>> {
    let folders = config.catalogs.iter();
    folders.map(|folder| service(&folder.value)).collect()
}

fn service(folder: &Path) -> Result<Product<'static>> {
    let Service { index, unfinished } = build_service(folder)?;
    // Lives as long as the process, like the embedded one.
    let catalog: &'static Catalog = Box::leak(Box::new(index.into_catalog()));
    if catalog.releases().is_empty() {
        bail!(
            "{}: no recorded version in this folder; use `slosmith catalog record`",
            folder.display()
        );
    }
    let name = folder.file_name().unwrap_or(folder.as_os_str());
    let mut selection = newest(catalog);
    selection.notes.extend(unfinished.iter().map(|folder| {
        let folder = folder.display();
        format!("{folder} is skipped: incomplete recording (no provenance.json); run `slosmith catalog record` again")
    }));
    Ok(Product {
        name: name.to_string_lossy().into_owned(),
        catalog,
        selection,
        profiles: catalog.profiles().into_iter().map(str::to_owned).collect(),
    })
}

fn newest(catalog: &Catalog) -> Selection {
    let mut selection = catalog.select_all();
    let last = selection.releases.len().saturating_sub(1);
    selection.releases.drain(..last);
    selection
}

/// `checked against vLLM 0.33.0`.
pub(super) fn describe(scope: &Scope<'_>) -> String {
    let products = scope.products.iter();
    let said = products.map(|p| format!("{} {}", p.name, p.describe(&p.selection.releases)));
    format!("checked against {}", said.collect::<Vec<_>>().join(" and "))
}

pub(in crate::cli) fn profiles(
    catalog: &Catalog,
    config: &Config,
    named: &[String],
) -> Result<Vec<String>> {
    let configured = config.profiles.iter().map(|profile| profile.value.clone());
    let mut used: Vec<_> = configured.chain(named.iter().cloned()).collect();
    used.dedup();
    let known = catalog.profiles();
    for profile in &used {
        if !known.contains(&profile.as_str()) {
            let hint = did_you_mean(profile, known.iter().copied());
            let known = format!("recorded profiles: {}", known.join(", "));
            bail!("unknown profile `{profile}`; {}", hint.unwrap_or(known));
        }
    }
    Ok(used)
}
