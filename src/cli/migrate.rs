//! `slosmith migrate`: rewrites specs that use fields of before.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;

use super::lint::input::{Files, Loaded, load};
use super::lint::{fixing, projects};
use super::progress::Progress;
use super::terminal::Terminal;
use super::words::count;
use super::{build, configuration, findings};
use slosmith_render::output::Writer;
use slosmith_resolve::{Options, resolve};
use slosmith_spec::spec::{self, Bases};
use slosmith_text::diag::render::place;
use slosmith_text::diag::{Diagnostic, Sink, one_line};
use slosmith_text::source::{FileId, SourceFile, Sources};

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

pub fn run(args: &MigrateArgs, out: &mut Terminal) -> Result<u8> {
    let here = std::env::current_dir().context("cannot determine the working directory")?;
    let mut sources = Sources::default();
    let Some(config) = configuration::nearest(args.config.as_deref(), &here, &mut sources)? else {
        return Ok(2);
    };
    let mut files = Files::default();
    let mut all = Vec::new();
    for path in &args.paths {
        let found = build::input::specs_under(path)?.into_iter();
        all.extend(found.map(|file| (file, path.is_file())));
    }
    // One file, one edit: links come after what they lead to.
    all.sort_by_key(|(path, _)| path.is_symlink());
    let mut seen = BTreeSet::new();
    all.retain(|(path, _)| seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())));
    for (path, is_named) in all {
        match is_named {
            true => files.named.push(path),
            false => files.found.push(path),
        }
    }
    let named = files.named.clone();
    let is_spec = |path: &Path, text: &str| {
        let mut lines = text.lines();
        let version = |line: &str| line.trim_start_matches('"').starts_with("apiVersion");
        named.iter().any(|named| named == path)
            || lines.any(|line| version(line) && line.contains(spec::API_VERSION))
    };
    let told = RefCell::new(BTreeSet::new());
    let old = |loaded: &Loaded| -> Vec<Diagnostic> {
        let files = loaded.sources.iter();
        let specs = files.filter(|(_, file)| is_spec(file.path(), file.text()));
        let specs: Vec<_> = specs.map(|(id, _)| id).collect();
        let text = |id: &FileId| loaded.sources.get(*id).text();
        let renamed = specs.iter().flat_map(|id| spec::renamed(*id, text(id)));
        let mut renamed: Vec<_> = renamed.collect();
        if renamed.iter().any(|d| d.details.fix.is_some()) {
            return renamed;
        }
        let found = hidden(loaded, &specs);
        told.borrow_mut()
            .extend(found.iter().map(|d| line(d, &loaded.sources, &here)));
        renamed.extend(found);
        renamed
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
    for warning in told.take() {
        writeln!(err, "warning: {warning}")?;
    }
    let mut failed = !fixed.found.is_empty();
    let left = findings::print(&mut err, sink(fixed.found.clone()), &fixed.loaded.sources)?;
    let left = left.map(|errors| format!("; {errors}")).unwrap_or_default();
    if args.diff {
        out.write_all(fixed.diff(&here).as_bytes())?;
        writeln!(err, "{} to rewrite{left}", count(fixed.count(), "field"))?;
        return Ok(u8::from(failed));
    }
    let root = here.join(config.folder());
    let written = fixed.write(&Writer::within(projects(&root, &args.paths, &here)));
    for (_, why) in written.kept.values() {
        let why = one_line(&why.to_string()).into_owned();
        writeln!(err, "error: {why}; the file was not changed")?;
        failed = true;
    }
    writeln!(err, "{} rewritten{left}", count(written.fixed, "field"))?;
    Ok(if written.kept.is_empty() {
        u8::from(failed)
    } else {
        2
    })
}

/// What now has to be said, and was not: with the edits that say what it meant, or was meant to.
fn hidden(loaded: &Loaded, specs: &[FileId]) -> Vec<Diagnostic> {
    let mut sources = Sources::default();
    for (_, file) in loaded.sources.iter() {
        sources.add(SourceFile::new(file.path(), file.text()));
    }
    let mut bases = Bases::among(&sources);
    let mut found: Vec<Diagnostic> = Vec::new();
    for id in specs {
        let variants = bases.of_spec(*id, &mut sources, &mut Sink::default());
        let errors = variants
            .iter()
            .filter_map(|variant| match variant.read(&sources) {
                Ok(document) => resolve(&document, Options::default()).err(),
                Err(errors) => Some(errors),
            });
        let errors = errors.flat_map(Sink::into_sorted);
        let ours = |d: &Diagnostic| {
            let files = d.details.fix.iter().flat_map(|fix| &fix.edits);
            let mut files = files.map(|edit| edit.span.file);
            d.details.fix.is_some() && files.all(|file| specs.contains(&file))
        };
        for error in errors.filter(ours) {
            if !found.contains(&error) {
                found.push(error);
            }
        }
    }
    found
}

fn line(finding: &Diagnostic, sources: &Sources, here: &Path) -> String {
    let file = sources.get(finding.span.file);
    let at = file.line_col(finding.span.range().start);
    let path = place::path(file.path(), Some(here));
    let title = finding.details.fix.as_ref().map(|fix| fix.title.as_str());
    let title = title.unwrap_or_default();
    let message = &finding.message;
    one_line(&format!(
        "{path}:{}: {message}; to keep the meaning: {title}. Check it.",
        at.line
    ))
    .into_owned()
}

fn sink(found: Vec<Diagnostic>) -> Sink {
    let mut sink = Sink::default();
    found.into_iter().for_each(|finding| sink.push(finding));
    sink
}
