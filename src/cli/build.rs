//! `slosmith build`: specs → generated files.

mod input;
mod report;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use clap::Args;

use crate::diag::Sink;
use crate::output::{self, Change, Folder};
use crate::plan::{LeftOut, Plan, Runtime};
use crate::resolve::{self, Options};
use crate::target::{self, Target};
use crate::template::Templates;
use input::Inputs;

/// Compile specs into Prometheus rules and their unit tests
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

/// One service, built in memory.
struct Built {
    folder: Folder,
    summary: Summary,
}

/// What is left to say of a plan once its files are made.
struct Summary {
    runtime: Option<Runtime>,
    left_out: Vec<LeftOut>,
    notes: Vec<String>,
}

/// Runs `slosmith build`; gives back the exit code.
///
/// # Errors
/// When input cannot be read or output cannot be written.
pub fn run(args: &BuildArgs, out: &mut dyn Write) -> Result<u8> {
    let started = Instant::now();
    let mut err = anstream::stderr();
    let mut findings = Sink::default();
    let inputs = input::read(&args.paths, &mut findings)?;
    let templates = Templates::load(args.templates.as_deref())?;
    let built = build_all(args, &inputs, &templates, &mut findings)?;
    let failed = findings.has_errors();
    report::findings(&mut err, findings, &inputs.sources)?;
    if failed {
        return Ok(2);
    }
    let changes = apply(args, &inputs, &built)?;
    if args.check {
        report::stale(out, &args.out, &built, &changes).or_else(super::unless_closed)?;
    }
    report::summary(&mut err, args, &built, &changes, started.elapsed())?;
    let stale = changes.values().any(|c| !c.is_empty());
    Ok(u8::from(args.check && stale))
}

fn build_all(
    args: &BuildArgs,
    inputs: &Inputs,
    templates: &Templates,
    findings: &mut Sink,
) -> Result<Vec<Built>> {
    let options = Options {
        vllm: args.vllm.as_deref(),
    };
    let mut built = Vec::new();
    for document in &inputs.documents {
        match resolve::resolve(document, options) {
            Ok((plan, warnings)) => {
                findings.absorb(warnings);
                built.push(render(args, plan, templates)?);
            }
            Err(errors) => findings.absorb(errors),
        }
    }
    Ok(built)
}

fn render(args: &BuildArgs, plan: Plan, templates: &Templates) -> Result<Built> {
    let wanted = |t: &Target| args.target.is_empty() || args.target.contains(t);
    let mut files = Vec::new();
    let mut notes = Vec::new();
    for target in Target::ALL.into_iter().filter(wanted) {
        let rendered = target::render(&plan, target, templates)?;
        if args.validate || templates.are_replaced() {
            target::validate(target, &rendered.files)?;
        }
        files.extend(rendered.files);
        notes.extend(rendered.notes);
    }
    let kept = Target::ALL.into_iter().filter(|t| !wanted(t));
    let kept = kept.map(|t| t.as_str().to_owned()).collect();
    let folder = Folder::new(&plan.service.name, files, kept)?;
    notes.splice(0..0, plan.notes);
    let summary = Summary {
        runtime: plan.runtime,
        left_out: plan.left_out,
        notes,
    };
    Ok(Built { folder, summary })
}

/// Changes by service.
type Changes = BTreeMap<String, BTreeMap<String, Change>>;

fn apply(args: &BuildArgs, inputs: &Inputs, built: &[Built]) -> Result<Changes> {
    let mut folders: Vec<&Folder> = built.iter().map(|b| &b.folder).collect();
    let mut gone = Vec::new();
    if inputs.whole_folder {
        let wanted = folders.iter().map(|f| f.service.as_str()).collect();
        for service in output::stale_services(&args.out, &wanted)? {
            gone.push(Folder::gone(&service)?);
        }
    }
    folders.extend(&gone);
    // Everything is compared before anything is written: one folder in the way stops the whole build.
    let mut all = Changes::new();
    for folder in &folders {
        let changes = output::changes(&args.out, folder)?;
        all.insert(folder.service.clone(), changes);
    }
    folders.retain(|f| !all[&f.service].is_empty());
    if !args.check {
        output::write(&args.out, &folders)?;
    }
    Ok(all)
}
