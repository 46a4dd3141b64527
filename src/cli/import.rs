//! `slosmith import`: what people have in other tools → specs.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};

use super::terminal::{Terminal, Trust, is_stderr_styled};
use super::words::count;
use super::{build, examples, read};
use crate::catalog::Catalog;
use crate::diag::{Diagnostic, Severity, Sink, render};
use crate::import::{self, Format, Imported, Options};
use crate::output::Writer;
use crate::resolve;
use crate::source::{FileId, SourceFile, Sources};
use crate::spec;
use crate::units::Duration;

/// Turn what you have in another tool into specs. What cannot be carried over is listed, here and in comments of the specs
#[derive(Debug, Args)]
pub struct ImportArgs {
    #[command(subcommand)]
    format: Source,
}

#[derive(Debug, Subcommand)]
enum Source {
    /// Specs of sloth: `prometheus/v1`, and the resource `PrometheusServiceLevel`
    #[command(after_long_help = examples::IMPORT_SLOTH)]
    Sloth(SlothArgs),
    /// OpenSLO, `v1` and `v1alpha`: objectives, and the indicators and alert policies that they name
    #[command(after_long_help = examples::IMPORT_OPENSLO)]
    Openslo(Common),
    /// Pyrra's resource `ServiceLevelObjective`
    #[command(after_long_help = examples::IMPORT_PYRRA)]
    Pyrra(Nameless),
    /// Alerting rules of Prometheus: rule files, and the resource `PrometheusRule`
    #[command(after_long_help = examples::IMPORT_RULES)]
    Rules(RulesArgs),
    /// Grafana's classic dashboards: JSON files, also as its API has them, or in a ConfigMap
    #[command(after_long_help = examples::IMPORT_DASHBOARD)]
    Dashboard(RulesArgs),
}

impl Source {
    fn parts(&self) -> (Format, &Common) {
        match self {
            Self::Sloth(args) => (Format::Sloth, &args.common),
            Self::Openslo(args) => (Format::OpenSlo, args),
            Self::Pyrra(args) => (Format::Pyrra, &args.common),
            Self::Rules(args) => (Format::Rules, &args.common),
            Self::Dashboard(args) => (Format::Dashboard, &args.common),
        }
    }

    fn vllm(&self) -> Option<String> {
        let (Self::Rules(args) | Self::Dashboard(args)) = self else {
            return None;
        };
        let newest = || {
            Some(format!(
                "=={}",
                Catalog::vllm().releases().last()?.version()
            ))
        };
        args.vllm.clone().or_else(newest)
    }

    fn service(&self) -> Option<String> {
        match self {
            Self::Pyrra(args) => args.service.clone(),
            Self::Rules(args) | Self::Dashboard(args) => args.service.clone(),
            _ => None,
        }
    }
}

#[derive(Debug, Args)]
struct SlothArgs {
    #[command(flatten)]
    common: Common,
    /// The period of the objectives, such as `28d`: what you give to sloth as `--default-slo-period`. Default: the period of
    /// the only file of `--windows`, else 30d
    #[arg(long, value_name = "DURATION")]
    period: Option<Duration>,
    /// Alert windows: a file, or a folder of files, as for sloth's `--slo-period-windows-path`
    #[arg(long, value_name = "PATH")]
    windows: Vec<PathBuf>,
}

/// Sources that name no service.
#[derive(Debug, Args)]
struct Nameless {
    #[command(flatten)]
    common: Common,
    /// The service. Default: one for each objective, of its name
    #[arg(long, value_name = "NAME")]
    service: Option<String>,
}

#[derive(Debug, Args)]
struct RulesArgs {
    #[command(flatten)]
    common: Common,
    /// The service. Default: one for each file, of its name
    #[arg(long, value_name = "NAME")]
    service: Option<String>,
    /// The releases of vLLM that run, as a PEP 440 range; needed if queries read vLLM's metrics. Default: the newest release
    /// that the catalog has
    #[arg(long, value_name = "RANGE")]
    vllm: Option<String>,
}

/// What every source has.
#[derive(Debug, Args)]
struct Common {
    /// Files to import
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write one file per service into this folder, instead of printing one spec
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Replace specs that are there already
    #[arg(long, requires = "output")]
    force: bool,
    /// URL of the folder where runbooks are published, for the links in alerts
    #[arg(long, value_name = "URL")]
    runbooks: Option<String>,
    /// Root URL of Grafana, for the links in alerts
    #[arg(long, value_name = "URL")]
    grafana: Option<String>,
}

/// Runs `slosmith import`; gives back the exit code: 2 when a file cannot be read, 1 when a spec does not build as it is.
///
/// # Errors
/// When reading or writing fails, or a spec is there already.
pub fn run(args: &ImportArgs, out: &mut dyn Write) -> Result<u8> {
    let mut sources = Sources::default();
    let mut findings = Sink::default();
    let (format, common) = args.format.parts();
    let (period, paths) = match &args.format {
        Source::Sloth(sloth) => (sloth.period, sloth.windows.as_slice()),
        _ => (None, &[][..]),
    };
    let files = load(&common.files, &mut sources, &mut findings)?;
    let mut windows = Vec::new();
    for path in paths {
        windows.extend(build::input::specs_under(path)?);
    }
    let options = Options {
        runbooks: common.runbooks.clone(),
        grafana: common.grafana.clone(),
        service: args.format.service(),
        vllm: args.format.vllm(),
        period,
        windows: load(&windows, &mut sources, &mut findings)?,
        first_file: files.first().copied(),
    };
    let (specs, found) = import::import(format, &sources, &files, &options);
    findings.absorb(found);
    let failed = findings.has_errors();
    show(findings, &sources)?;
    if failed {
        return Ok(2);
    }
    match &common.output {
        Some(folder) => write(folder, &specs, common.force, out)?,
        None => print(&specs, out)?,
    }
    let does_build = check(&specs)?;
    Ok(u8::from(!does_build))
}

fn load(paths: &[PathBuf], sources: &mut Sources, findings: &mut Sink) -> Result<Vec<FileId>> {
    let mut files = Vec::new();
    for path in paths {
        let read = read::read(path, true, sources);
        let read = read.with_context(|| format!("cannot read {}", path.display()))?;
        files.extend(findings.take(read));
    }
    Ok(files)
}

/// Shows what was found, and how much of it was lost or changed.
fn show(findings: Sink, sources: &Sources) -> Result<()> {
    let counts = [Severity::Error, Severity::Warning, Severity::Info].map(|s| findings.count(s));
    let [errors, lost, changed] = counts;
    let found = findings.into_sorted();
    let mut err = Terminal::stderr();
    let text = render::human::render(&found, sources, is_stderr_styled());
    err.print(&text, Trust::Styles)?;
    if errors > 0 {
        writeln!(err, "{}; nothing was written", count(errors, "error"))?;
    } else if lost + changed > 0 {
        let parts = count(lost, "part");
        writeln!(
            err,
            "{parts} not carried over, {changed} changed; each has a comment in the spec"
        )?;
    }
    Ok(())
}

/// Writes one file per service; nothing where a file is there already.
fn write(folder: &Path, specs: &[Imported], force: bool, out: &mut dyn Write) -> Result<()> {
    let path = |spec: &Imported| folder.join(format!("{}.yaml", spec.service));
    let paths = specs.iter().map(path);
    let mut paths = paths.flat_map(|path| [path.with_extension("yml"), path]);
    let known = paths.find(|path| path.exists());
    if let Some(path) = known.filter(|_| !force) {
        bail!(
            "{}: this file is there already; `--force` replaces it",
            path.display()
        );
    }
    let writer = Writer::within(vec![folder.to_owned()]);
    for spec in specs {
        let path = path(spec);
        writer.put(&path, &spec.text)?;
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}

/// Prints the spec.
fn print(specs: &[Imported], out: &mut dyn Write) -> Result<()> {
    if specs.len() > 1 {
        let names: Vec<_> = specs.iter().map(|spec| spec.service.as_str()).collect();
        let names = names.join("`, `");
        bail!(
            "the files describe several services (`{names}`): write one spec for each with `--output DIR`"
        );
    }
    for spec in specs {
        out.write_all(spec.text.as_bytes())?;
    }
    Ok(())
}

/// Builds the specs in memory; tells what somebody has to mend.
fn check(specs: &[Imported]) -> Result<bool> {
    let mut sources = Sources::default();
    let mut findings: Vec<Diagnostic> = Vec::new();
    for imported in specs {
        let path = format!("{}.yaml", imported.service);
        let file = sources.add(SourceFile::new(path, imported.text.as_str()));
        let found = match spec::read(file, &imported.text) {
            Ok(document) => match resolve::resolve(&document, resolve::Options::default()) {
                Ok(_) => continue,
                Err(errors) => errors,
            },
            Err(errors) => errors,
        };
        findings.extend(found.into_sorted());
    }
    if findings.is_empty() {
        return Ok(true);
    }
    let mut err = Terminal::stderr();
    let text = render::human::render(&findings, &sources, is_stderr_styled());
    err.print(&text, Trust::Styles)?;
    writeln!(err, "the spec does not build before this is mended")?;
    Ok(false)
}
