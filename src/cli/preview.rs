//! `slosmith preview`: specs → pages for reviewers.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use super::build::input;
use super::findings;
use super::terminal::Terminal;
use crate::diag::Sink;
use crate::output::Writer;
use crate::resolve::{self, Options};
use crate::target::preview;
use crate::template::Templates;

/// Write one HTML page per service: dashboards, objectives, alerts and metrics, for a reviewer without Grafana
#[derive(Debug, Args)]
pub struct PreviewArgs {
    /// Specs or folders of specs
    #[arg(default_value = "specs")]
    paths: Vec<PathBuf>,
    /// Where to write the pages
    #[arg(long, value_name = "DIR", default_value = "preview")]
    out: PathBuf,
    /// Folder of templates that replace built-in ones, file by file
    #[arg(long, value_name = "DIR")]
    templates: Option<PathBuf>,
}

/// Runs `slosmith preview`; nothing is written when a spec is wrong.
///
/// # Errors
/// When input cannot be read or output cannot be written.
pub fn run(args: &PreviewArgs, out: &mut dyn Write) -> Result<u8> {
    let mut findings = Sink::default();
    let inputs = input::read(&args.paths, &mut findings)?;
    let templates = Templates::load(args.templates.as_deref())?;
    let mut pages = Vec::new();
    for document in &inputs.documents {
        match resolve::resolve(document, Options::default()) {
            Ok((plan, warnings)) => {
                findings.absorb(warnings);
                pages.push(preview::page(&plan, &templates)?);
            }
            Err(errors) => findings.absorb(errors),
        }
    }
    let failed = findings.has_errors();
    findings::show(&mut Terminal::stderr(), findings, &inputs.sources)?;
    if failed {
        return Ok(2);
    }
    let writer = Writer::within(vec![args.out.clone()]);
    for page in pages {
        let path = args.out.join(&page.path);
        writer.put(&path, &page.text)?;
        writeln!(out, "{}", path.display())?;
    }
    Ok(0)
}
