//! `slosmith explain`: what a rule looks for.

use std::io::Write;

use anyhow::{Result, anyhow};
use clap::Args;

use crate::diag::did_you_mean;
use crate::lint::rules;

/// Explain what a lint rule checks, and why
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The rule, as shown in brackets in a finding. Without it, all rules are listed
    rule: Option<String>,
}

/// Prints one rule, or the list of all.
///
/// # Errors
/// When there is no such rule, or `out` cannot be written.
pub fn run(args: &ExplainArgs, out: &mut dyn Write) -> Result<u8> {
    let Some(name) = &args.rule else {
        let infos = rules::infos();
        let width = infos.iter().map(|info| info.name.len()).max().unwrap_or(0);
        for info in infos {
            let level = info.level.as_str();
            let group = info.group.as_str();
            writeln!(
                out,
                "{:width$}  {group:11}  {level:7}  {}",
                info.name, info.summary
            )?;
        }
        return Ok(0);
    };
    let Some(info) = rules::find(name) else {
        let names: Vec<_> = rules::infos().iter().map(|info| info.name).collect();
        let hint = did_you_mean(name, names).map(|hint| format!(": {hint}"));
        return Err(anyhow!(
            "there is no rule `{name}`{}",
            hint.unwrap_or_default()
        ));
    };
    out.write_all(rules::page(info).as_bytes())?;
    Ok(0)
}
