//! The catalogs and releases to check queries against, from configuration and command line.

use std::path::Path;

use anyhow::{Result, anyhow, bail};

use crate::cli::words::meant_or_all;
use slosmith_catalog::{Catalog, Embedded, Product, Range, Service, VLLM, build_service};
use slosmith_lint::lint::Scope;
use slosmith_spec::config::Config;

/// What a command line selects.
#[derive(Default)]
pub(in crate::cli) struct Asked<'a> {
    pub(in crate::cli) vllm: Option<Range>,
    pub(in crate::cli) products: &'a [(String, Range)],
    pub(in crate::cli) profiles: &'a [String],
}

/// vLLM, the other servers, and the services of the project.
pub(in crate::cli) fn products(
    config: &Config,
    asked: &Asked<'_>,
    others: impl IntoIterator<Item = &'static Embedded>,
) -> Result<Vec<Product<'static>>> {
    let range = |name: &str| {
        let mut asked = asked.products.iter().rev();
        let asked = asked.find(|(product, _)| product == name);
        let configured = || Some(config.products.iter().find(|(of, _)| of.value == name)?.1);
        asked.map(|(_, range)| range).or_else(configured)
    };
    let vllm = asked.vllm.as_ref().or_else(|| range(VLLM));
    let vllm = vllm.or(config.vllm.as_ref().map(|range| &range.value));
    let catalog = Catalog::vllm();
    let mut first = Product::new(VLLM, catalog, vllm)?;
    first.profiles = profiles(catalog, config, asked.profiles)?;
    let mut all = vec![first];
    let replaced = |other: &Embedded| {
        let mut folders = config.catalogs.iter();
        folders.any(|folder| name_of(&folder.value) == other.name)
    };
    // A folder of the project with the name of a server has the releases that the project runs.
    for other in others.into_iter().filter(|other| !replaced(other)) {
        all.push(Product::new(
            other.name,
            other.catalog(),
            range(other.name),
        )?);
    }
    for folder in &config.catalogs {
        all.push(service(&folder.value, &range)?);
    }
    let folders = config.catalogs.iter().map(|folder| name_of(&folder.value));
    let known: Vec<_> = Embedded::all()
        .iter()
        .map(|product| product.name.to_owned())
        .chain(folders)
        .collect();
    let names = asked.products.iter().map(|(name, _)| name);
    for name in names.chain(config.products.keys().map(|name| &name.value)) {
        if name != VLLM && !known.contains(name) {
            return Err(unknown(name, known.iter().map(String::as_str)));
        }
    }
    Ok(all)
}

/// A server beside vLLM, by the word for it.
pub(in crate::cli) fn embedded(name: &str) -> Result<&'static Embedded> {
    let known = Embedded::all().iter().map(|product| product.name);
    Embedded::find(name).ok_or_else(|| unknown(name, known))
}

pub(in crate::cli) fn unknown<'a>(
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> anyhow::Error {
    let known: Vec<_> = std::iter::once(VLLM).chain(known).collect();
    let hint = meant_or_all(name, &known, "recorded products");
    anyhow!("unknown product `{name}`; {hint}")
}

pub(in crate::cli) fn services(config: &Config) -> Result<Vec<Product<'static>>> {
    let folders = config.catalogs.iter();
    folders
        .map(|folder| service(&folder.value, &|_| None))
        .collect()
}

/// The catalogs of the project's services, out of all products.
pub(in crate::cli) fn own(products: &[Product<'static>]) -> Vec<&'static Catalog> {
    let is_own = |product: &&Product<'_>| {
        let embedded = Embedded::find(&product.key).map(Embedded::catalog);
        product.key != VLLM
            && !embedded.is_some_and(|embedded| std::ptr::eq(embedded, product.catalog))
    };
    let own = products.iter().filter(is_own);
    own.map(|product| product.catalog).collect()
}

/// A service of the project with recordings, by default with its newest version.
fn service<'r>(
    folder: &Path,
    range: &impl Fn(&str) -> Option<&'r Range>,
) -> Result<Product<'static>> {
    let server = Embedded::find(&name_of(folder)).map(Embedded::index);
    let Service {
        index,
        unfinished,
        known,
    } = build_service(folder, server)?;
    // Lives as long as the process, like the embedded one.
    let catalog: &'static Catalog = Box::leak(Box::new(index.into_catalog()));
    if catalog.releases().is_empty() {
        bail!(
            "{}: no recorded version in this folder; use `slosmith catalog record`",
            folder.display()
        );
    }
    let key = name_of(folder);
    let mut product = Product::new(&key, catalog, range(&key))?;
    product.selection.notes.extend(unfinished.iter().map(|folder| {
        let folder = folder.display();
        format!("{folder} is skipped: incomplete recording (no provenance.json); run `slosmith catalog record` again")
    }));
    product.selection.notes.extend(known.iter().map(|version| {
        let folder = folder.join(version.to_string());
        format!(
            "{} is not used: slosmith has {} {version} or a newer release",
            folder.display(),
            product.name
        )
    }));
    Ok(product)
}

fn name_of(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or(folder.as_os_str());
    name.to_string_lossy().into_owned()
}

/// `checked against vLLM 0.33.0`. Where queries are on other servers alone, and vLLM is not set, vLLM is left out.
pub(super) fn describe(scope: &Scope<'_>, names_vllm: bool) -> String {
    let is_needless = |p: &&Product<'_>| p.key == VLLM && p.is_guess && !names_vllm;
    let products = scope.products.iter().filter(|p| !is_needless(p));
    let said = products.map(|p| format!("{} {}", p.name, p.describe(&p.selection.releases)));
    format!("checked against {}", said.collect::<Vec<_>>().join(", "))
}

/// The profiles that vLLM runs with.
pub(in crate::cli) fn profiles(
    catalog: &Catalog,
    config: &Config,
    named: &[String],
) -> Result<Vec<String>> {
    let configured = config.profiles.iter().map(|profile| profile.value.clone());
    let mut used: Vec<_> = configured.chain(named.iter().cloned()).collect();
    used.dedup();
    known(catalog, used)
}

/// The profiles that another server runs with.
pub(in crate::cli) fn named_or_all(catalog: &Catalog, named: &[String]) -> Result<Vec<String>> {
    match named {
        [] => Ok(catalog.profiles().into_iter().map(str::to_owned).collect()),
        named => known(catalog, named.to_vec()),
    }
}

fn known(catalog: &Catalog, profiles: Vec<String>) -> Result<Vec<String>> {
    let known = catalog.profiles();
    for profile in &profiles {
        if !known.contains(&profile.as_str()) {
            let hint = meant_or_all(profile, &known, "recorded profiles");
            bail!("unknown profile `{profile}`; {hint}");
        }
    }
    Ok(profiles)
}
