//! `slosmith preview`: specs → HTML previews.

mod pages;
mod serve;

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use clap::Args;

use super::build::input;
use super::findings;
use super::terminal::Terminal;
use super::watch::{self, Place};
use super::words::{count, took};
use pages::Pages;
use serve::Server;
use slosmith_render::output::Writer;
use slosmith_render::target::{OutFile, preview};
use slosmith_render::template::Templates;
use slosmith_resolve::Options;
use slosmith_text::diag::Sink;
use slosmith_text::source::Sources;

/// Write one HTML preview per service, for review without Grafana
#[derive(Debug, Args)]
pub struct PreviewArgs {
    /// Specs or folders of specs
    #[arg(default_value = "specs")]
    paths: Vec<PathBuf>,
    /// Output folder
    #[arg(long, value_name = "DIR", default_value = "preview")]
    out: PathBuf,
    /// Folder with your templates; each file replaces the built-in template of the same name
    #[arg(long, value_name = "DIR")]
    templates: Option<PathBuf>,
    /// Write nothing; serve the previews to browsers on this machine, and reload them after every change of an input file,
    /// until Ctrl-C
    #[arg(long, conflicts_with = "out")]
    watch: bool,
    /// Port on 127.0.0.1 for `--watch`. Default: any free port
    #[arg(
        long,
        value_name = "PORT",
        requires = "watch",
        default_value_t,
        hide_default_value = true
    )]
    port: u16,
}

pub fn run(args: &PreviewArgs, out: &mut dyn Write) -> Result<u8> {
    if args.watch {
        return serve(args, out);
    }
    let made = Made::of(args)?;
    let failed = made.findings.has_errors();
    findings::show(&mut Terminal::stderr(), made.findings, &made.sources)?;
    if failed {
        return Ok(2);
    }
    let writer = Writer::within(vec![args.out.clone()]);
    for page in made.pages {
        let path = args.out.join(&page.path);
        writer.put(&path, &page.text)?;
        writeln!(out, "{}", path.display())?;
    }
    Ok(0)
}

/// Serves the newest pages until something ends the process.
fn serve(args: &PreviewArgs, out: &mut dyn Write) -> Result<u8> {
    watch::check(&args.paths)?;
    let server = Server::start(args.port)?;
    writeln!(out, "{}", server.address())?;
    out.flush()?;
    let work = || {
        let started = Instant::now();
        let made = Made::of(args).inspect_err(|error| {
            server.show(Pages::Wrong(format!("error: {error:#}")));
        })?;
        let failed = made.findings.has_errors();
        let number = count(made.pages.len(), "preview");
        server.show(match failed {
            true => Pages::Wrong(findings::plain(made.findings.clone(), &made.sources)),
            false => Pages::of(made.pages),
        });
        let mut err = Terminal::stderr();
        findings::show(&mut err, made.findings, &made.sources)?;
        if !failed {
            writeln!(err, "{number} in {}", took(started.elapsed()))?;
        }
        Ok(if failed { 2 } else { 0 })
    };
    watch::repeat(|| Ok(places(args)), work)
}

/// The inputs, without the files that specs extend.
fn places(args: &PreviewArgs) -> Vec<Place> {
    let specs = args.paths.iter().cloned().map(Place::Specs);
    let templates = args.templates.iter().cloned().map(Place::Folder);
    specs.chain(templates).collect()
}

/// Previews of the specs without errors, and the errors of the other specs.
struct Made {
    pages: Vec<OutFile>,
    findings: Sink,
    sources: Sources,
}

impl Made {
    fn of(args: &PreviewArgs) -> Result<Self> {
        let mut findings = Sink::default();
        let inputs = input::read(&args.paths, &mut findings)?;
        let templates = Templates::load(args.templates.as_deref())?;
        let mut plans = Vec::new();
        for document in &inputs.documents {
            plans.extend(input::resolved(document, Options::default(), &mut findings));
        }
        let pages = plans.iter().map(|plan| preview::page(plan, &templates));
        let mut pages = pages.collect::<Result<Vec<_>, _>>()?;
        pages.extend(preview::index(&plans, &templates)?);
        Ok(Self {
            pages,
            findings,
            sources: inputs.sources,
        })
    }
}
