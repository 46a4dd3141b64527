//! `slosmith cloudwatch plan`: what would change.

use std::io::Write;
use std::path::Path;

use anyhow::{Result, bail};

use super::{Compared, PlanArgs, Target, compare, json, specs, text, write};
use crate::aws::Saved;
use crate::cli::Format;
use crate::cli::terminal::{Terminal, Trust};

/// Runs `slosmith cloudwatch plan`; gives back the exit code: 1 when something would change, or stands in the way.
pub(super) fn run(args: &PlanArgs, out: &mut Terminal) -> Result<u8> {
    let Some(target) = specs::target(&args.specs, &args.what)? else {
        return Ok(2);
    };
    let compared = compare(&target, &args.aws)?;
    match args.format {
        Format::Text => out.print(&text::plan(&target, &compared), Trust::Styles)?,
        Format::Json => writeln!(out, "{}", json::plan(&target, &compared)?)?,
    }
    if let Some(path) = &args.out {
        save(path, &target, &compared)?;
    }
    Ok(u8::from(!compared.changes.is_empty()))
}

fn save(path: &Path, target: &Target, compared: &Compared) -> Result<()> {
    if !compared.changes.problems.is_empty() {
        bail!("`--out`: this plan cannot be applied, so it was not written");
    }
    let account = target.account.as_deref();
    let saved = Saved::new(
        &target.region,
        account,
        target.allowed,
        &target.desired,
        &compared.changes,
    );
    write(path, &saved.text()?)
}
