//! The catalogs of a project, which replace older ones in the program.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::ArgMatches;

use super::configuration;
use super::lint::scope::embedded;
use slosmith_catalog::Catalog;
use slosmith_spec::config::Config;
use slosmith_text::input;
use slosmith_text::source::Sources;

/// The value of `--config`, for any command that has it.
pub(super) fn configuration(matches: &ArgMatches) -> Option<&Path> {
    let (_, inner) = matches.subcommand()?;
    let named = inner.try_get_one::<PathBuf>("config").ok().flatten();
    named.map(PathBuf::as_path).or_else(|| configuration(inner))
}

/// Uses `vllm_catalog` and `[product_catalogs]` of the nearest `slosmith.toml`, unless the catalog in the program is newer.
pub(super) fn install(named: Option<&Path>) -> Result<()> {
    let here = std::env::current_dir()?;
    let path = configuration::path(named, &here);
    // The command reports errors in the configuration, if it needs one.
    let config = path.and_then(|path| Config::load(&path, &mut Sources::default()).ok());
    let config = config.unwrap_or_default();
    if let Some(catalog) = &config.vllm_catalog {
        newer(&catalog.value, "vLLM", Catalog::use_newer)?;
    }
    for (name, catalog) in &config.product_catalogs {
        let other = embedded(&name.value)?;
        newer(&catalog.value, &other.identity.title, |text| {
            other.use_newer(text)
        })?;
    }
    Ok(())
}

fn newer(
    path: &Path,
    title: &str,
    used: impl FnOnce(String) -> Result<(), serde_json::Error>,
) -> Result<()> {
    let name = path.display();
    let text = input::read_text(path, input::ARTIFACT);
    let text = text.with_context(|| {
        format!("cannot read the {title} catalog {name}; `slosmith catalog update` writes it")
    })?;
    used(text).with_context(|| {
        format!("{name}: not a {title} catalog, or one for another version of slosmith")
    })
}
