//! `slosmith explain`: what the code of a finding means.

use std::io::Write;

use anyhow::{Result, anyhow};
use clap::Args;

use slosmith_lint::lint::rules;
use slosmith_text::diag::{codes, did_you_mean};

/// Explain the code of a finding
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The code, as shown in brackets in a finding: a lint rule, or a code of `slosmith build`. Without it, all codes are
    /// listed
    code: Option<String>,
}

/// Prints the page of one code, or the list of all.
pub fn run(args: &ExplainArgs, out: &mut dyn Write) -> Result<u8> {
    let Some(code) = &args.code else {
        list(out)?;
        return Ok(0);
    };
    let page = rules::find(code)
        .map(rules::page)
        .or_else(|| codes::find(code).map(|info| info.page()));
    let page = page.ok_or_else(|| unknown(code))?;
    out.write_all(page.as_bytes())?;
    Ok(0)
}

/// All rules with their groups and levels, then the other codes group by group.
fn list(out: &mut dyn Write) -> Result<()> {
    let infos = rules::infos();
    let names = infos.iter().map(|info| info.name);
    let width = names.chain(codes::all().map(|info| info.name));
    let width = width.map(str::len).max().unwrap_or(0);
    writeln!(out, "Lint rules")?;
    for info in infos {
        let (name, summary) = (info.name, info.summary);
        let (group, level) = (info.group.as_str(), info.level.as_str());
        writeln!(out, "  {name:width$}  {group:11}  {level:7}  {summary}")?;
    }
    let mut group = "";
    for info in codes::all() {
        if info.group != group {
            group = info.group;
            writeln!(out, "\n{group}")?;
        }
        let summary = info.summary.trim_end_matches('.');
        writeln!(out, "  {:width$}  {summary}", info.name)?;
    }
    Ok(())
}

fn unknown(code: &str) -> anyhow::Error {
    let rules = rules::infos().into_iter().map(|info| info.name);
    let known: Vec<_> = rules.chain(codes::all().map(|info| info.name)).collect();
    let hint = did_you_mean(code, known).map(|hint| format!(": {hint}"));
    let hint = hint.unwrap_or_else(|| "; `slosmith explain` lists all codes".to_owned());
    anyhow!("unknown code `{code}`{hint}")
}
