//! `slosmith migrate`: rewrites specs that use fields of before.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;

use super::lint::input::{Files, Loaded, load};
use super::lint::progress::Progress;
use super::lint::{fixing, projects};
use super::terminal::Terminal;
use super::words::count;
use super::{build, configuration, findings};
use crate::diag::{Diagnostic, Sink, one_line};
use crate::output::Writer;
use crate::source::Sources;
use crate::spec;

/// Rewrite specs that use fields of before
#[derive(Debug, Args)]
pub struct MigrateArgs {
    /// Specs, or folders to search for specs
    #[arg(default_value = ".")]
    paths: Vec<PathBuf>,
    /// Write nothing; exit with 1 if a spec uses fields of before
    #[arg(long, conflicts_with = "diff")]
    check: bool,
    /// Write nothing; show the changes
    #[arg(long)]
    diff: bool,
    /// The configuration file. Default: the nearest `slosmith.toml` in the working directory or above it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Runs `slosmith migrate`; returns the exit code.
///
/// # Errors
/// When a path does not exist, or reading or writing fails.
pub fn run(args: &MigrateArgs, out: &mut Terminal) -> Result<u8> {
    let here = std::env::current_dir().context("cannot determine the working directory")?;
    let mut sources = Sources::default();
    let Some(config) = configuration::nearest(args.config.as_deref(), &here, &mut sources)? else {
        return Ok(2);
    };
    let mut files = Files::default();
    for path in &args.paths {
        let list = match path.is_file() {
            true => &mut files.named,
            false => &mut files.found,
        };
        list.extend(build::input::specs_under(path)?);
    }
    let named = files.named.clone();
    let is_spec = |path: &Path, text: &str| {
        let mut lines = text.lines();
        let version = |line: &str| line.trim_start_matches('"').starts_with("apiVersion");
        named.iter().any(|named| named == path)
            || lines.any(|line| version(line) && line.contains(spec::API_VERSION))
    };
    let old = |loaded: &Loaded| -> Vec<Diagnostic> {
        let files = loaded.sources.iter();
        let specs = files.filter(|(_, file)| is_spec(file.path(), file.text()));
        specs
            .flat_map(|(id, file)| spec::renamed(id, file.text()))
            .collect()
    };
    let loaded = load(files, sources, &Progress::none());
    let found = old(&loaded);
    let mut err = Terminal::stderr();
    if args.check {
        let code = u8::from(!found.is_empty());
        findings::show(&mut err, sink(found), &loaded.sources)?;
        return Ok(code);
    }
    let fixed = fixing::apply_all(loaded, found, true, old);
    let mut failed = !fixed.found.is_empty();
    findings::show(&mut err, sink(fixed.found.clone()), &fixed.loaded.sources)?;
    if args.diff {
        out.write_all(fixed.diff(&here).as_bytes())?;
        writeln!(err, "{} to rewrite", count(fixed.count(), "field"))?;
        return Ok(u8::from(failed));
    }
    let root = here.join(config.folder());
    let written = fixed.write(&Writer::within(projects(&root, &args.paths, &here)));
    for (_, why) in written.kept.values() {
        let why = one_line(&why.to_string()).into_owned();
        writeln!(err, "error: {why}; the file was not changed")?;
        failed = true;
    }
    writeln!(err, "{} rewritten", count(written.fixed, "field"))?;
    Ok(if written.kept.is_empty() {
        u8::from(failed)
    } else {
        2
    })
}

fn sink(found: Vec<Diagnostic>) -> Sink {
    let mut sink = Sink::default();
    found.into_iter().for_each(|finding| sink.push(finding));
    sink
}
