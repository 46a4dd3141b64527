//! The catalog that a project brings, in place of an older one in the program.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::ArgMatches;

use super::configuration;
use crate::catalog::Catalog;
use crate::config::Config;
use crate::input;
use crate::source::Sources;

/// What `--config` names, for any command that has it.
pub(super) fn configuration(matches: &ArgMatches) -> Option<&Path> {
    let (_, inner) = matches.subcommand()?;
    let named = inner.try_get_one::<PathBuf>("config").ok().flatten();
    named.map(PathBuf::as_path).or_else(|| configuration(inner))
}

/// Uses the catalog that the nearest `slosmith.toml` names, if it is not older than the program's.
///
/// # Errors
/// When it cannot be read, or is no catalog.
pub(super) fn install(named: Option<&Path>) -> Result<()> {
    let here = std::env::current_dir()?;
    let path = configuration::path(named, &here);
    // What is wrong with a configuration, the command says that needs it.
    let config = path.map(|path| Config::load(&path, &mut Sources::default()));
    let Some(Ok(Config {
        vllm_catalog: Some(catalog),
        ..
    })) = config
    else {
        return Ok(());
    };
    let name = catalog.value.display();
    let text = input::read_text(&catalog.value, input::ARTIFACT);
    let text =
        text.with_context(|| format!("cannot read {name}: `slosmith catalog update` writes it"))?;
    Catalog::use_newer(text)
        .with_context(|| format!("{name}: not a catalog that this version of slosmith understands"))
}
