//! `slosmith cloudwatch plan`: shows the changes.

use std::io::Write;
use std::path::Path;

use anyhow::{Result, bail};

use super::{Compared, PlanArgs, Target, compare, json, specs, text};
use crate::cli::Format;
use crate::cli::out::put;
use crate::cli::terminal::{Terminal, Trust};
use slosmith_aws::Saved;

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
        bail!(
            "`--out`: the plan was not saved, because it cannot be applied; fix the errors first"
        );
    }
    // Without a number in the specs, the plan is for the account that it was made from.
    let account = target.account.clone().or_else(|| compared.number());
    let saved = Saved::new(
        &target.region,
        account.as_deref(),
        target.allowed,
        &target.desired,
        &compared.changes,
    );
    put(path, &saved.text()?)
}
