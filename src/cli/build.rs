//! `slosmith build`: specs → generated files.

pub(super) mod input;
mod job;
mod overview;
mod report;
mod servers;
pub(super) mod settings;
mod shared;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use rayon::prelude::*;

use super::findings;
use super::terminal::Terminal;
use super::watch;
use job::{Built, Done, Job};
use servers::Servers;
pub(super) use settings::Settings;
use shared::Shared;
use slosmith_render::output::{self, Staging};
use slosmith_render::target::Target;
use slosmith_spec::spec::{Bases, Document, Findings, Variant};
use slosmith_text::diag::{Diagnostic, Sink, guarded};
use slosmith_text::source::{FileId, Sources};

/// Compile specs into rules, dashboards, alarms and runbooks
#[derive(Debug, Default, Args)]
pub struct BuildArgs {
    /// Specs or folders of specs. Default: `specs` in `slosmith.toml`, otherwise the folder `specs`
    paths: Vec<PathBuf>,
    /// The configuration file. Default: the nearest `slosmith.toml` in the working directory or above it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Output folder, with one folder per service. Default: `out` in `slosmith.toml`, otherwise `generated`
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Generate only this kind of output (repeatable)
    #[arg(long, value_name = "T", value_enum)]
    target: Vec<Target>,
    /// Do not generate unit tests for the rules
    #[arg(long)]
    no_tests: bool,
    /// vLLM releases to build for. Overrides `runtime.vllm` of every spec
    #[arg(long, value_name = "RANGE")]
    vllm: Option<String>,
    /// Write nothing; show a diff and exit with 1 if generated files are out of date
    #[arg(long, conflicts_with = "watch")]
    check: bool,
    /// With `--check`: one line per service that is out of date, in place of the diff
    #[arg(long, requires = "check")]
    summary: bool,
    /// Also remove the generated files of many services at once. Otherwise, a build fails if more than one service, and more than a
    /// tenth of all, have no spec any more, as in a checkout of some of the specs
    #[arg(long)]
    prune: bool,
    /// Parse every output and check it against its JSON Schema before writing anything
    #[arg(long)]
    validate: bool,
    /// Folder with your templates; each file replaces the built-in template of the same name
    #[arg(long, value_name = "DIR")]
    templates: Option<PathBuf>,
    /// Build again after every change of an input file, until Ctrl-C
    #[arg(long)]
    watch: bool,
    /// List every service, also if there are more than 20
    #[arg(long, short)]
    verbose: bool,
}

impl BuildArgs {
    /// The arguments of a build of these specs, without options.
    pub(super) fn of(paths: &[PathBuf], config: Option<&Path>) -> Self {
        Self {
            paths: paths.to_vec(),
            config: config.map(Path::to_owned),
            ..Self::default()
        }
    }
}

/// Number of services that are built before their results are collected: memory does not grow with the number of services.
const BATCH: usize = 32;

pub fn run(args: &BuildArgs, out: &mut dyn Write) -> Result<u8> {
    if !args.watch {
        return once(args, out);
    }
    settings::check(args)?;
    watch::check(&args.paths)?;
    watch::repeat(|| settings::places(args), || once(args, out))
}

fn once(args: &BuildArgs, out: &mut dyn Write) -> Result<u8> {
    let started = Instant::now();
    let Some(settings) = Settings::read(args)? else {
        return Ok(2);
    };
    let out_folder = settings.out.as_path();
    let mut err = Terminal::stderr();
    let wait = || report::waiting(out_folder);
    let staging = match settings.check {
        true => None,
        false => Some(Staging::open(out_folder, wait)?),
    };
    let _alone = settings.check.then(|| output::lock_for_reading(out_folder));
    let job = Job::new(&settings, staging.as_ref())?;
    let built = build(&job, out, &mut err).and_then(|built| {
        if let (Some(_), Some(staging)) = (&built, &staging) {
            staging.commit()?;
            let later = built
                .iter()
                .flatten()
                .filter_map(|b| Some((b.service.as_str(), b.later?)));
            // Without it, the next build does more work.
            let _ = output::remember(out_folder, &later.collect::<Vec<_>>());
        }
        Ok(built)
    });
    // Also reported after a failed build: leftover folders may hold files of other people.
    match staging.map_or(Ok(Vec::new()), Staging::close) {
        Ok(left) => left.into_iter().for_each(|why| report::left(&mut err, why)),
        Err(stuck) if built.is_err() => report::left(&mut err, stuck),
        Err(stuck) => return Err(stuck.into()),
    }
    let Some(built) = built? else {
        return Ok(2);
    };
    // The build is complete even if the report cannot be printed.
    let _ = report::summary(&mut err, &settings, &built, started.elapsed());
    let stale = built.iter().any(|b| b.changed > 0);
    Ok(u8::from(settings.check && stale))
}

/// The output folder compared with what a build would write.
pub(super) struct Seen {
    pub(super) services: usize,
    /// Files that a build would write or remove.
    pub(super) stale: usize,
}

/// Compares without writing; `None` if a spec has errors, which are then reported.
pub(super) fn look(settings: &Settings) -> Result<Option<Seen>> {
    let _alone = output::lock_for_reading(&settings.out);
    let job = Job::new(settings, None)?;
    let built = build(&job, &mut std::io::sink(), &mut Terminal::stderr())?;
    Ok(built.map(|built| Seen {
        services: built
            .iter()
            .filter(|b| !matches!(b.how, job::How::Removed))
            .count(),
        stale: built.iter().map(|b| b.changed).sum(),
    }))
}

/// Builds and stages all services; `None` if a spec has errors, which are then reported.
fn build(job: &Job<'_>, out: &mut dyn Write, err: &mut Terminal) -> Result<Option<Vec<Built>>> {
    let mut all = All::default();
    let specs = &job.settings.specs;
    for paths in specs.files.chunks(BATCH) {
        let variants = all.load(paths)?;
        let failed = all.findings.has_errors() || all.shared.has_errors();
        let sources = &all.sources;
        let done = variants.par_iter();
        let done: Vec<_> = done
            .map(|variant| {
                let build = || job.build(variant, sources, failed);
                guarded(variant.file(), build).unwrap_or_else(|panic| Ok(Done::failed(panic)))
            })
            .collect();
        for (variant, done) in variants.iter().zip(done) {
            all.take(job, variant, done, out)?;
        }
        for (file, found) in std::mem::take(&mut all.open) {
            if found.is_empty() {
                all.sources.forget(file);
            }
            all.tell(file, found);
        }
    }
    let shared = std::mem::take(&mut all.shared);
    shared.tell(&mut all.findings, &all.sources);
    all.check_renamed()?;
    all.check_duplicates()?;
    all.check_servers()?;
    let failed = all.findings.has_errors();
    findings::show(err, all.findings, &all.sources)?;
    if failed {
        return Ok(None);
    }
    let mut built = all.fault.map_or(Ok(all.built), Err)?;
    if specs.whole_folder {
        let wanted = built.iter().map(|b| b.service.as_str()).collect();
        let stale = output::stale_services(&job.settings.out, &wanted)?;
        let is_lost = |service: &&String| !all.renamed.contains_key(*service);
        let lost: Vec<_> = stale.iter().filter(is_lost).collect();
        job.settings.check_removals(&lost, built.len())?;
        for service in stale {
            let mut removed = job.remove(&service)?;
            show(job.settings, &mut removed, out)?;
            built.push(removed);
        }
    }
    Ok(Some(built))
}

/// The results of all services so far.
#[derive(Default)]
struct All {
    sources: Sources,
    findings: Sink,
    /// Files that specs extend.
    bases: Bases,
    named: BTreeMap<String, Vec<Variant>>,
    shared: Shared,
    /// The findings of the specs of a batch.
    open: BTreeMap<FileId, Findings>,
    servers: Servers,
    /// The services that were called otherwise, by that name.
    renamed: BTreeMap<String, Vec<(String, Variant)>>,
    built: Vec<Built>,
    /// The first failure outside a spec.
    fault: Option<anyhow::Error>,
}

impl All {
    fn load(&mut self, paths: &[PathBuf]) -> Result<Vec<Variant>> {
        let mut specs = Vec::new();
        for path in paths {
            specs.extend(self.load_one(path)?);
        }
        Ok(specs)
    }

    fn load_one(&mut self, path: &Path) -> Result<Vec<Variant>> {
        let (sources, findings) = (&mut self.sources, &mut self.findings);
        let file = input::load(path, sources, findings)?;
        Ok(match file {
            Some(file) => self.bases.of_spec(file, sources, findings),
            None => Vec::new(),
        })
    }

    fn take(
        &mut self,
        job: &Job<'_>,
        variant: &Variant,
        done: Result<Done>,
        out: &mut dyn Write,
    ) -> Result<()> {
        let done = match done {
            Ok(done) => done,
            Err(fault) => {
                self.fault.get_or_insert(fault);
                return Ok(());
            }
        };
        if let Some(service) = done.service {
            if let Some(selector) = &done.claims.servers {
                self.servers.add(selector, &service, variant);
            }
            // Its own name is reported at the spec.
            if let Some(old) = done.claims.renamed_from.filter(|old| *old != service) {
                let renamed = self.renamed.entry(old).or_default();
                renamed.push((service.clone(), variant.clone()));
            }
            let named = self.named.entry(service).or_default();
            named.push(variant.clone());
        }
        if let Some(mut built) = done.built {
            show(job.settings, &mut built, out)?;
            self.built.push(built);
        }
        let open = self.open.entry(variant.file()).or_default();
        open.add(variant.environment.as_deref(), done.findings);
        Ok(())
    }

    fn tell(&mut self, spec: FileId, found: Findings) {
        for finding in found.told().into_sorted() {
            match finding.span.file == spec {
                true => self.findings.push(finding),
                false => self.shared.add(finding, spec),
            }
        }
    }

    /// Reports an error in every spec of a service except the first.
    fn check_duplicates(&mut self) -> Result<()> {
        for variants in std::mem::take(&mut self.named).into_values() {
            if variants.len() < 2 {
                continue;
            }
            let mut first = None;
            for variant in variants {
                let Some(document) = self.read_again(&variant)? else {
                    continue;
                };
                let name = &document.spec.service.name;
                match first {
                    None => first = Some(name.span),
                    Some(first) => self.findings.push(input::duplicate(name, first)),
                }
            }
        }
        Ok(())
    }

    /// Reports services that take over the history of one that is still there, or that another one takes over.
    fn check_renamed(&mut self) -> Result<()> {
        for (old, services) in self.renamed.clone() {
            let is_kept = self.named.contains_key(&old);
            let first = services[0].0.clone();
            // One of several has the history, if no spec keeps the service.
            for (service, variant) in services.into_iter().skip(usize::from(!is_kept)) {
                let Some(document) = self.read_again(&variant)? else {
                    continue;
                };
                let Some(at) = &document.spec.service.renamed_from else {
                    continue;
                };
                let why = match is_kept {
                    true => format!("a spec still has the service `{old}`"),
                    false => format!("`{first}` is renamed from it, too"),
                };
                let message = format!("`{service}` cannot be renamed from `{old}`: {why}");
                let error = Diagnostic::error("bad-name", at.span, message);
                let help =
                    "the history of a service goes to one other service: remove `renamed_from`";
                self.findings.push(error.help(help));
            }
        }
        Ok(())
    }

    /// Warns of specs that select the same vLLM servers.
    fn check_servers(&mut self) -> Result<()> {
        for shared in self.servers.shared() {
            let spec = self.read_again(&shared.spec)?;
            let other = self.read_again(&shared.other)?;
            let place = |document: &Document| document.spec.service.name.span;
            if let (Some(spec), Some(other)) = (spec, other) {
                let warning = shared.warning(place(&spec), place(&other));
                self.findings.push(warning);
            }
        }
        Ok(())
    }

    /// A spec of this build. Its text was dropped after the build; an unchanged spec was never parsed in this run.
    fn read_again(&mut self, variant: &Variant) -> Result<Option<Document>> {
        let path = self.sources.get(variant.file()).path().to_owned();
        let mut again = self.load_one(&path)?.into_iter();
        let same = again.find(|again| again.environment == variant.environment);
        Ok(same.and_then(|same| same.read(&self.sources).ok()))
    }
}

/// Writes the differences of a service, with `--check`.
fn show(settings: &Settings, built: &mut Built, out: &mut dyn Write) -> Result<()> {
    let mut diff = std::mem::take(&mut built.diff);
    if settings.summary && built.changed > 0 {
        diff = report::line(settings, built);
    }
    let written = out.write_all(diff.as_bytes());
    written.map_err(Into::into).or_else(super::unless_closed)
}
