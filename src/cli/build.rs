//! `slosmith build`: specs → generated files.

pub(super) mod input;
mod job;
pub(super) mod report;

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, anyhow};
use clap::Args;
use rayon::prelude::*;

use super::terminal::Terminal;
use crate::diag::Sink;
use crate::output::{self, Staging};
use crate::resolve;
use crate::target::Target;
use crate::template::Templates;
use job::{Built, Job};

/// Compile specs into Prometheus rules with their unit tests, and Grafana dashboards
#[derive(Debug, Args)]
pub struct BuildArgs {
    /// Specs, or folders of specs
    #[arg(default_value = "specs")]
    paths: Vec<PathBuf>,
    /// Where one folder per service is written
    #[arg(long, value_name = "DIR", default_value = "generated")]
    out: PathBuf,
    /// Build only this target; may be given more than once
    #[arg(long, value_name = "T", value_enum)]
    target: Vec<Target>,
    /// vLLM versions to build for, in place of each spec's `runtime.vllm`
    #[arg(long, value_name = "RANGE")]
    vllm: Option<String>,
    /// Write nothing; show what is stale and exit with 1
    #[arg(long)]
    check: bool,
    /// Check every output against its JSON Schema before anything is written
    #[arg(long)]
    validate: bool,
    /// Templates that replace ours, file by file
    #[arg(long, value_name = "DIR")]
    templates: Option<PathBuf>,
}

/// Runs `slosmith build`; gives back the exit code.
///
/// # Errors
/// When input cannot be read or output cannot be written.
pub fn run(args: &BuildArgs, out: &mut dyn Write) -> Result<u8> {
    let started = Instant::now();
    let mut err = Terminal::stderr();
    if let Some(range) = &args.vllm {
        resolve::check_range(range).map_err(|why| anyhow!("`--vllm`: {why}"))?;
    }
    let mut findings = Sink::default();
    let inputs = input::read(&args.paths, &mut findings)?;
    let templates = Templates::load(args.templates.as_deref())?;
    let staging = Staging::new(&args.out);
    let job = Job {
        args,
        templates: &templates,
        staging: &staging,
        failed: findings.has_errors(),
    };
    let documents = inputs.documents.par_iter();
    let results = documents.map(|document| job.build(document)).collect();
    let built = gather(results, &mut findings);
    let failed = findings.has_errors();
    report::findings(&mut err, findings, &inputs.sources)?;
    if failed {
        return Ok(2);
    }
    let mut built = built?;
    if inputs.whole_folder {
        remove_stale(&job, &mut built)?;
    }
    if args.check {
        let mut diffs = built.iter().map(|b| &b.diff);
        let written = diffs.try_for_each(|diff| out.write_all(diff.as_bytes()));
        written.map_err(Into::into).or_else(super::unless_closed)?;
    } else {
        staging.commit()?;
    }
    report::summary(&mut err, args, &built, started.elapsed())?;
    let stale = built.iter().any(|b| b.changed > 0);
    Ok(u8::from(args.check && stale))
}

/// All services, or the first fault that is not a spec's.
fn gather(results: Vec<Result<(Option<Built>, Sink)>>, findings: &mut Sink) -> Result<Vec<Built>> {
    let mut all = Ok(Vec::new());
    for result in results {
        match (result, &mut all) {
            (Ok((built, found)), all) => {
                findings.absorb(found);
                if let Ok(all) = all {
                    all.extend(built);
                }
            }
            (Err(error), Ok(_)) => all = Err(error),
            (Err(_), Err(_)) => {}
        }
    }
    all
}

/// Services that no spec of the folder asks for.
fn remove_stale(job: &Job<'_>, built: &mut Vec<Built>) -> Result<()> {
    let wanted = built.iter().map(|b| b.service.as_str()).collect();
    for service in output::stale_services(&job.args.out, &wanted)? {
        built.push(job.remove(&service)?);
    }
    Ok(())
}
