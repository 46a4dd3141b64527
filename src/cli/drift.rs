//! `slosmith drift`: the effect of a vLLM upgrade on metrics, and on the files that query them.

mod json;
mod markdown;
mod text;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;

use super::configuration;
use super::lint::input::{Loaded, load};
use super::lint::walk;
use super::progress::Progress;
use super::terminal::Terminal;
use super::{ReportFormat, catalog as pages, lint};
use slosmith_catalog::Product;
use slosmith_catalog::diff::Diff;
use slosmith_catalog::{Catalog, Release, VLLM, Version};
use slosmith_lint::artifact::Artifact;
use slosmith_lint::lint::Scope;
use slosmith_lint::lint::drift::{Fate, Item, Queries, drift};
use slosmith_spec::config::Config;
use slosmith_text::diag::render::{Report, place, render};
use slosmith_text::diag::{Diagnostic, guarded};
use slosmith_text::source::{LineCol, Sources};

/// Show how an upgrade of vLLM or another server affects metrics and the files that query them
#[derive(Debug, Args)]
pub struct DriftArgs {
    /// Files, or folders to search for YAML, JSON, HCL and Markdown. Without paths, only metrics are compared
    paths: Vec<PathBuf>,
    /// The release that runs now
    #[arg(long, value_name = "VERSION")]
    from: Version,
    /// The release to upgrade to
    #[arg(long, value_name = "VERSION")]
    to: Version,
    /// The server that is upgraded: `vllm`, `sglang`, `litellm`, … Default: the only one that `[products]` of `slosmith.toml` names,
    /// otherwise `vllm`
    #[arg(long, value_name = "NAME")]
    product: Option<String>,
    /// A profile in use, such as `lora` (repeatable)
    #[arg(long, value_name = "PROFILE")]
    profile: Vec<String>,
    /// The configuration file. Default: the nearest `slosmith.toml` in the working directory or above it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,
}

struct Drift<'a> {
    catalog: &'static Catalog,
    from: &'static Release,
    to: &'static Release,
    profiles: Vec<String>,
    diff: Diff,
    items: Vec<Place<'a>>,
}

struct Place<'a> {
    path: String,
    at: LineCol,
    item: &'a Item,
}

impl Drift<'_> {
    fn of(&self, fate: Fate) -> impl Iterator<Item = &Place<'_>> {
        self.items
            .iter()
            .filter(move |place| place.item.fate == fate)
    }

    /// `2 of 14 queries break`; none without queries.
    fn headline(&self) -> Option<String> {
        let count = |of: fn(Queries) -> usize| self.items.iter().map(|p| of(p.item.queries)).sum();
        let (all, breaking): (usize, usize) = (count(|q| q.all), count(|q| q.breaking));
        let queries = if all == 1 { "query" } else { "queries" };
        let verb = Fate::Breaks.plural(breaking);
        (all > 0).then(|| format!("{breaking} of {all} {queries} {verb}"))
    }

    fn counts(&self) -> Vec<(Fate, usize)> {
        let fates = [
            Fate::Breaks,
            Fate::ChangesMeaning,
            Fate::AlreadyBroken,
            Fate::StartsWorking,
            Fate::Works,
        ];
        let counted = fates.map(|fate| (fate, self.of(fate).count()));
        counted.into_iter().filter(|(_, n)| *n > 0).collect()
    }
}

/// Runs `slosmith drift` and returns the exit code: 1 if a query breaks or changes its meaning.
pub fn run(args: &DriftArgs, out: &mut Terminal) -> Result<u8> {
    let here = std::env::current_dir().context("cannot determine the working directory")?;
    let mut sources = Sources::default();
    let Some(config) = configuration::nearest(args.config.as_deref(), &here, &mut sources)? else {
        return Ok(2);
    };
    let key = args
        .product
        .as_deref()
        .unwrap_or_else(|| configuration::only_server(&config));
    let catalog = pages::of(key)?;
    let from = pages::release(catalog, &args.from)?;
    let to = pages::release(catalog, &args.to)?;
    let profiles = match key {
        VLLM => lint::scope::profiles(catalog, &config, &args.profile)?,
        _ => lint::scope::named_or_all(catalog, &args.profile)?,
    };
    let files = walk::files(&args.paths, &config, &here)?;
    let mut loaded = load(files, sources, &Progress::none());
    let items = items(
        &mut loaded,
        &config,
        [from, to].map(|release| product((key, catalog), release, &profiles)),
    );
    complain(&loaded, &here)?;
    let mut diff = catalog.diff(from, to, &profiles);
    pages::only_vllm(&mut diff);
    let items = items.iter().map(|(artifact, item)| {
        let source = loaded.sources.get(*artifact);
        Place {
            path: place::path(source.path(), Some(&here)),
            at: source.line_col(item.span.range().start),
            item,
        }
    });
    let drift = Drift {
        catalog,
        from,
        to,
        diff,
        items: items.collect(),
        profiles,
    };
    match args.format {
        ReportFormat::Text => text::report(&drift, out)?,
        ReportFormat::Json => out.write_all(json::report(&drift)?.as_bytes())?,
        ReportFormat::Markdown => out.write_all(markdown::report(&drift).as_bytes())?,
    }
    let bad = drift
        .items
        .iter()
        .any(|p| matches!(p.item.fate, Fate::Breaks | Fate::ChangesMeaning));
    Ok(if loaded.unreadable { 2 } else { u8::from(bad) })
}

fn product<'c>(
    (key, catalog): (&str, &'c Catalog),
    release: &Release,
    profiles: &[String],
) -> Product<'c> {
    let mut selection = catalog.select_all();
    selection.releases.retain(|id| *id == release.id());
    Product {
        key: key.to_owned(),
        name: catalog.title().to_owned(),
        catalog,
        selection,
        profiles: profiles.to_vec(),
        is_guess: false,
    }
}

fn items(
    loaded: &mut Loaded,
    config: &Config,
    [from, to]: [Product<'static>; 2],
) -> Vec<(slosmith_text::source::FileId, Item)> {
    let readings = loaded.artifacts.iter().flat_map(Artifact::readings);
    let written = readings.flat_map(|a| &a.records);
    let written: Vec<_> = written.map(|record| record.name.value.clone()).collect();
    let scope = |product| Scope::configured(vec![product], config).recorded(written.clone());
    let (from, to) = (scope(from), scope(to));
    let mut all = Vec::new();
    for artifact in &loaded.artifacts {
        let text = loaded.sources.get(artifact.file).text();
        match guarded(artifact.file, || drift(artifact, text, &from, &to)) {
            Ok(found) => all.extend(found.into_iter().map(|item| (artifact.file, item))),
            Err(panic) => {
                loaded.faults.push(panic);
                loaded.unreadable = true;
            }
        }
    }
    all
}

fn complain(loaded: &Loaded, here: &Path) -> Result<()> {
    for line in loaded.passed.lines(here) {
        Terminal::stderr().fold(0, 2, &format!("note: {line}"))?;
    }
    let faults: &[Diagnostic] = &loaded.faults;
    if faults.is_empty() {
        return Ok(());
    }
    let report = Report::new(faults, &loaded.sources, &[]).root(here);
    let text = render(slosmith_text::diag::render::Format::Human, &report);
    Ok(Terminal::stderr().write_all(text.as_bytes())?)
}
