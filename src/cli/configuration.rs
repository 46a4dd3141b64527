//! The nearest `slosmith.toml`.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::terminal::Terminal;
use slosmith_catalog::{Embedded, VLLM};
use slosmith_spec::config::{self, Config, LoadError};
use slosmith_text::diag::render::{Format, Report, render};
use slosmith_text::source::{Sources, Spanned};

/// The nearest configuration, or the default one; `None` if the file has errors, which are then shown.
pub(super) fn nearest(
    named: Option<&Path>,
    here: &Path,
    sources: &mut Sources,
) -> Result<Option<Config>> {
    let path = named.map(Path::to_owned).or_else(|| config::find(here));
    load(path.as_deref(), here, sources)
}

/// Like [`nearest`], with paths relative to the working directory, so that messages show short names.
pub(super) fn relative(
    named: Option<&Path>,
    here: &Path,
    sources: &mut Sources,
) -> Result<Option<Config>> {
    load(path(named, here).as_deref(), here, sources)
}

/// The path of the nearest configuration, relative to the working directory.
pub(super) fn path(named: Option<&Path>, here: &Path) -> Option<PathBuf> {
    let found = || config::find(here).map(|path| from(here, &path));
    named.map(Path::to_owned).or_else(found)
}

/// The nearest configuration, or the default one. `lint` and `build` report its errors.
pub(super) fn quiet() -> Result<Config> {
    let path = path(None, &std::env::current_dir()?);
    let config = path.and_then(|path| Config::load(&path, &mut Sources::default()).ok());
    Ok(config.unwrap_or_default())
}

/// The server that a command is about: the one that it names, else the only one of the project.
pub(super) fn product(named: Option<&str>) -> Result<String> {
    match named {
        Some(named) => Ok(named.to_owned()),
        None => Ok(only_server(&quiet()?).to_owned()),
    }
}

/// The only server of a project.
pub(super) fn only_server(config: &Config) -> &str {
    let recorded = |name: &&Spanned<String>| Embedded::find(&name.value).is_some();
    let mut products = config.products.keys().filter(recorded);
    match (products.next(), products.next()) {
        (Some(only), None) if config.vllm.is_none() => &only.value,
        _ => VLLM,
    }
}

fn load(path: Option<&Path>, here: &Path, sources: &mut Sources) -> Result<Option<Config>> {
    let Some(path) = path else {
        return Ok(Some(Config::default()));
    };
    match Config::load(path, sources) {
        Ok(config) => Ok(Some(config)),
        Err(LoadError::Wrong(faults)) => {
            let report = Report::new(&faults, sources, &[]).root(here);
            Terminal::stderr().write_all(render(Format::Human, &report).as_bytes())?;
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// The relative path from a folder to a file in it or in a parent folder.
fn from(here: &Path, path: &Path) -> PathBuf {
    let folder = path.parent().unwrap_or(path);
    let depth = here
        .strip_prefix(folder)
        .map_or(0, |below| below.components().count());
    let up = std::iter::repeat_n("..", depth).collect::<PathBuf>();
    up.join(path.file_name().unwrap_or_default())
}
