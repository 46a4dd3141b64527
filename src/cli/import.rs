//! `slosmith import`: SLOs, rules and dashboards of other tools → specs.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};

use super::terminal::{Terminal, Trust, is_stderr_styled};
use super::words::count;
use super::{build, examples, read};
use slosmith_catalog::Catalog;
use slosmith_import::{self as import, Format, Imported, Options};
use slosmith_render::output::Writer;
use slosmith_resolve as resolve;
use slosmith_spec::spec;
use slosmith_text::diag::{Diagnostic, Severity, Sink, render};
use slosmith_text::source::{FileId, SourceFile, Sources};
use slosmith_text::units::Duration;

/// Convert SLOs, rules and dashboards from other tools into specs
#[derive(Debug, Args)]
pub struct ImportArgs {
    #[command(subcommand)]
    format: Source,
}

#[derive(Debug, Subcommand)]
enum Source {
    /// Import sloth specs (`prometheus/v1`) and `PrometheusServiceLevel` resources
    #[command(after_long_help = examples::IMPORT_SLOTH)]
    Sloth(SlothArgs),
    /// Import OpenSLO `v1` and `v1alpha` SLOs with their SLIs and alert policies
    #[command(after_long_help = examples::IMPORT_OPENSLO)]
    Openslo(Common),
    /// Import Pyrra `ServiceLevelObjective` resources
    #[command(after_long_help = examples::IMPORT_PYRRA)]
    Pyrra(Nameless),
    /// Import Prometheus alerting rules from rule files and `PrometheusRule` resources
    #[command(after_long_help = examples::IMPORT_RULES)]
    Rules(RulesArgs),
    /// Import classic Grafana dashboards (exported JSON, API responses or ConfigMaps)
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
    /// SLO window, such as `28d`: the value of sloth's `--default-slo-period`. Default: the window of the only `--windows`
    /// file, otherwise 30d
    #[arg(long, value_name = "DURATION")]
    period: Option<Duration>,
    /// Alert windows: a file or folder, as for sloth's `--slo-period-windows-path` (repeatable)
    #[arg(long, value_name = "PATH")]
    windows: Vec<PathBuf>,
}

/// Arguments of formats without service names.
#[derive(Debug, Args)]
struct Nameless {
    #[command(flatten)]
    common: Common,
    /// Service name. Default: one service per SLO, named after the SLO
    #[arg(long, value_name = "NAME")]
    service: Option<String>,
}

#[derive(Debug, Args)]
struct RulesArgs {
    #[command(flatten)]
    common: Common,
    /// Service name. Default: one service per file, named after the file
    #[arg(long, value_name = "NAME")]
    service: Option<String>,
    /// vLLM releases that run, as a PEP 440 range. Used if queries read vLLM metrics. Default: the newest release in the
    /// catalog
    #[arg(long, value_name = "RANGE")]
    vllm: Option<String>,
}

/// Arguments of all formats.
#[derive(Debug, Args)]
struct Common {
    /// Files to import
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write one spec per service to this folder, instead of printing one spec
    #[arg(long, value_name = "DIR", alias = "output")]
    out: Option<PathBuf>,
    /// Overwrite existing specs
    #[arg(long, requires = "out")]
    force: bool,
    /// URL of the published runbook folder, for links in alerts
    #[arg(long, value_name = "URL")]
    runbooks: Option<String>,
    /// Root URL of Grafana, for links in alerts
    #[arg(long, value_name = "URL")]
    grafana: Option<String>,
}

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
    match &common.out {
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
        if matches!(&read, Err(e) if e.kind() == ErrorKind::NotFound) {
            bail!("{}: no such file or folder", path.display());
        }
        let read = read.with_context(|| format!("cannot read {}", path.display()))?;
        files.extend(findings.take(read));
    }
    Ok(files)
}

/// Shows the findings, and how many parts were lost or changed.
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
        let lost = count(lost, "part");
        writeln!(
            err,
            "{lost} not carried over, {changed} changed; comments in the spec explain each"
        )?;
    }
    Ok(())
}

/// Writes one spec per service; nothing if one of the files exists.
fn write(folder: &Path, specs: &[Imported], force: bool, out: &mut dyn Write) -> Result<()> {
    let path = |spec: &Imported| folder.join(format!("{}.yaml", spec.service));
    let paths = specs.iter().map(path);
    let mut paths = paths.flat_map(|path| [path.with_extension("yml"), path]);
    let known = paths.find(|path| path.exists());
    if let Some(path) = known.filter(|_| !force) {
        bail!(
            "{}: file already exists; use `--force` to overwrite it",
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

fn print(specs: &[Imported], out: &mut dyn Write) -> Result<()> {
    if specs.len() > 1 {
        let names: Vec<_> = specs.iter().map(|spec| spec.service.as_str()).collect();
        let names = names.join("`, `");
        bail!("found several services (`{names}`): pass `--out DIR` to write one spec per service");
    }
    for spec in specs {
        out.write_all(spec.text.as_bytes())?;
    }
    Ok(())
}

/// Builds the specs in memory; shows the errors that the user must fix.
fn check(specs: &[Imported]) -> Result<bool> {
    let mut sources = Sources::default();
    let mut findings: Vec<Diagnostic> = Vec::new();
    for imported in specs {
        let path = format!("{}.yaml", imported.service);
        let file = sources.add(SourceFile::new(path, imported.text.as_str()));
        let document = spec::read(file, &imported.text);
        let options = resolve::Options::default();
        let resolved = document.and_then(|document| resolve::resolve(&document, options));
        findings.extend(resolved.err().into_iter().flat_map(Sink::into_sorted));
    }
    if findings.is_empty() {
        return Ok(true);
    }
    let mut err = Terminal::stderr();
    let text = render::human::render(&findings, &sources, is_stderr_styled());
    err.print(&text, Trust::Styles)?;
    writeln!(err, "fix these errors: the spec does not build yet")?;
    Ok(false)
}
