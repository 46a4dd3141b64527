//! `slosmith diff`: what a change of specs means.

mod base;
mod changes;
mod report;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;

use super::build::BuildArgs;
use super::{ReportFormat, configuration, inventory};
pub(super) use base::Base;
use base::Project;
use changes::Changes;

/// Show what a change of specs means for SLOs, alerts and pages
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The state before: a Git revision such as `origin/main`, or a folder with another copy of the project
    #[arg(default_value = "HEAD")]
    base: String,
    /// The configuration file. Default: the nearest `slosmith.toml` in the working directory or above it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,
}

/// The project of a configuration, or of the working directory.
pub(super) fn project(config: Option<&Path>) -> Result<Project> {
    let here = std::env::current_dir()?;
    let config = configuration::path(config, &here);
    let config = config.map(|path| here.join(path));
    let folder = config.as_ref().and_then(|path| path.parent());
    Ok(Project {
        folder: folder.unwrap_or(&here).to_owned(),
        config,
    })
}

pub fn run(args: &DiffArgs, out: &mut dyn Write) -> Result<u8> {
    let project = project(args.config.as_deref())?;
    let Some(after) = inventory::read(&BuildArgs::of(&[], args.config.as_deref()))? else {
        return Ok(2);
    };
    let base = Base::open(&args.base, &project)?;
    let before = match base.specs() {
        Some(build) => inventory::read(&build)?,
        None => Some(Vec::new()),
    };
    let Some(before) = before else {
        let mut err = super::terminal::Terminal::stderr();
        writeln!(
            err,
            "the specs of `{}` have errors: there is nothing to compare with",
            args.base
        )?;
        return Ok(2);
    };
    let changes = Changes::between(&before, &after)?;
    match args.format {
        ReportFormat::Text => report::text(out, &changes)?,
        ReportFormat::Markdown => report::markdown(out, &changes)?,
        ReportFormat::Json => writeln!(out, "{}", serde_json::to_string_pretty(&changes)?)?,
    }
    Ok(0)
}
