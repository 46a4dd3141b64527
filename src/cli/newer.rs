//! The catalog of a project, which replaces an older one in the program.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::ArgMatches;

use super::configuration;
use crate::catalog::Catalog;
use crate::config::Config;
use crate::input;
use crate::source::Sources;

/// The value of `--config`, for any command that has it.
pub(super) fn configuration(matches: &ArgMatches) -> Option<&Path> {
    let (_, inner) = matches.subcommand()?;
    let named = inner.try_get_one::<PathBuf>("config").ok().flatten();
    named.map(PathBuf::as_path).or_else(|| configuration(inner))
}

/// Uses `vllm_catalog` of the nearest `slosmith.toml`, unless the catalog in the program is newer.
pub(super) fn install(named: Option<&Path>) -> Result<()> {
    let here = std::env::current_dir()?;
    let path = configuration::path(named, &here);
    // The command reports errors in the configuration, if it needs one.
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
    let text = text.with_context(|| {
        format!("cannot read the vLLM catalog {name}; `slosmith catalog update` writes it")
    })?;
    Catalog::use_newer(text).with_context(|| {
        format!("{name}: not a vLLM catalog, or one for another version of slosmith")
    })
}
