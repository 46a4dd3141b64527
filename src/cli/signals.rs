//! `slosmith signals`: the built-in `vllm.*` signals, for people, scripts and the docs.

mod list;
mod show;

use std::io::Write;

use anyhow::{Result, anyhow, bail};
use clap::Args;

use super::{Format, configuration};
use crate::cli::words;
use slosmith_catalog::{Catalog, DEFAULT_PROFILE, Embedded, Range, ReleaseId, Shape, VLLM};
use slosmith_spec::library;
use slosmith_spec::library::PREFIX;
use slosmith_spec::spec::{Across, FamilyKind, Signal};
use slosmith_text::units::Unit;

/// List the built-in signals that a spec can use
#[derive(Debug, Args)]
pub struct SignalsArgs {
    /// Show only this signal, with its metrics, labels and buckets in each release
    name: Option<String>,
    /// vLLM releases to show, such as ">=0.10,<=0.16"
    #[arg(long, value_name = "RANGE", value_parser = Range::told)]
    vllm: Option<Range>,
    /// Server: `vllm`, `sglang`, `litellm`, … Default: the only one that `[products]` of `slosmith.toml` names, otherwise `vllm`
    #[arg(long, value_name = "NAME")]
    product: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub fn run(args: &SignalsArgs, out: &mut dyn Write) -> Result<u8> {
    let text = match &args.name {
        Some(name) => shown(args, name)?,
        None => listed(args)?,
    };
    out.write_all(text.as_bytes())?;
    Ok(0)
}

/// `--vllm` names its server.
fn product(args: &SignalsArgs) -> Result<String> {
    match (&args.product, &args.vllm) {
        (None, Some(_)) => Ok(VLLM.to_owned()),
        (named, _) => configuration::product(named.as_deref()),
    }
}

fn listed(args: &SignalsArgs) -> Result<String> {
    let product = &product(args)?;
    let catalog = super::catalog::of(product)?;
    let releases = releases(args, product, catalog)?;
    let views = views(catalog, product, &releases);
    if views.is_empty() {
        let title = catalog.title();
        bail!(
            "{title} has no built-in signals; declare its metrics as signals of your own (docs/own-services.md)"
        );
    }
    match args.format {
        Format::Text => Ok(list::text(catalog, product, &views, &releases)),
        Format::Json => super::catalog::json(&list::as_json(catalog, &views)),
    }
}

/// One signal; `llm.` before its name stands for each engine that has it.
fn shown(args: &SignalsArgs, name: &str) -> Result<String> {
    let of_engines = name.strip_prefix(library::ANY_ENGINE);
    let named = match of_engines {
        Some(bare) => library::engines()
            .map(|engine| format!("{engine}.{bare}"))
            .filter_map(with_signal)
            .collect(),
        None => vec![known(name, &product(args)?)?],
    };
    if named.is_empty() {
        let all: Vec<_> = library::of_engines().collect();
        let hint = words::meant_or_all(name, &all, "signals of any engine");
        bail!("unknown signal `{name}`; {hint}");
    }
    let mut texts = Vec::new();
    let mut values = Vec::new();
    for (name, signal) in named {
        let prefix = library::prefix_of(&name).unwrap_or_default();
        let product = prefix.trim_end_matches('.');
        let catalog = super::catalog::of(product)?;
        let view = View::new(catalog, name, signal, &releases(args, product, catalog)?);
        match args.format {
            Format::Text => texts.push(show::text(catalog, &view)),
            Format::Json => values.push(show::as_json(catalog, &view)),
        }
    }
    match (args.format, of_engines) {
        (Format::Text, _) => Ok(texts.join("\n")),
        (Format::Json, Some(_)) => super::catalog::json(&values.into()),
        (Format::Json, None) => values.iter().map(super::catalog::json).collect(),
    }
}

fn releases(args: &SignalsArgs, product: &str, catalog: &Catalog) -> Result<Vec<ReleaseId>> {
    Ok(match &args.vllm {
        Some(range) if product == VLLM => catalog.select(range)?.releases,
        _ => catalog.select_all().releases,
    })
}

/// The description of a built-in signal in all releases.
pub(super) fn described(name: &str) -> Option<String> {
    let prefix = library::prefix_of(name)?;
    let catalog = super::catalog::of(prefix.trim_end_matches('.')).ok()?;
    let (name, signal) = with_signal(name.to_owned())?;
    let view = View::new(catalog, name, signal, &catalog.select_all().releases);
    Some(show::text(catalog, &view))
}

/// The signal of a name, whose prefix may be left out on the command line.
fn known(name: &str, product: &str) -> Result<(String, &'static Signal)> {
    let with_prefix = [
        name.to_owned(),
        format!("{product}.{name}"),
        format!("{PREFIX}{name}"),
    ];
    let mut found = with_prefix.into_iter().filter_map(with_signal);
    found.next().ok_or_else(|| {
        let hint = library::meant(name).map(|meant| format!(": did you mean `{meant}`?"));
        let hint = hint.unwrap_or_else(|| ";".to_owned());
        anyhow!("unknown signal `{name}`{hint} `slosmith signals` lists all")
    })
}

fn with_signal(name: String) -> Option<(String, &'static Signal)> {
    let signal = library::signal(&name)?;
    Some((name, signal))
}

fn views<'a>(catalog: &'a Catalog, product: &str, releases: &[ReleaseId]) -> Vec<View<'a>> {
    let known = library::of_product(product);
    known
        .map(|(name, signal)| View::new(catalog, format!("{product}.{name}"), signal, releases))
        .collect()
}

/// A built-in signal with its metrics in each release.
struct View<'a> {
    name: String,
    signal: &'static Signal,
    kind: Option<FamilyKind>,
    unit: Option<Unit>,
    across: Option<Across>,
    families: Vec<Vec<Stretch<'a>>>,
}

/// Releases, oldest first, that serve a family alike.
struct Stretch<'a> {
    releases: Vec<ReleaseId>,
    family: &'a str,
    shape: &'a Shape,
    profiles: Vec<&'a str>,
}

impl<'a> View<'a> {
    fn new(
        catalog: &'a Catalog,
        name: String,
        signal: &'static Signal,
        releases: &[ReleaseId],
    ) -> Self {
        let base = signal.base.as_ref();
        let shaped = base
            .and_then(|base| library::signal(&base.value))
            .unwrap_or(signal);
        let families = library::families(&name).into_iter();
        Self {
            name,
            signal,
            kind: shaped.kind.as_ref().map(|kind| kind.value),
            unit: shaped.unit.as_ref().map(|unit| unit.value),
            across: shaped.across.as_ref().map(|across| across.value),
            families: families
                .map(|family| stretches(catalog, family, releases))
                .collect(),
        }
    }

    fn title(&self) -> &str {
        self.signal.title.as_ref().map_or("", |title| &title.value)
    }

    fn description(&self) -> &str {
        self.signal
            .description
            .as_ref()
            .map_or("", |text| &text.value)
    }

    /// `histogram`, or `ratio`.
    fn kind(&self) -> &'static str {
        self.kind.map_or("ratio", FamilyKind::as_str)
    }

    fn unit(&self) -> &'static str {
        self.unit.map_or("ratio", Unit::as_str)
    }

    fn releases(&self) -> Vec<ReleaseId> {
        let of = |stretches: &[Stretch<'_>]| -> Vec<_> {
            stretches.iter().flat_map(|s| s.releases.clone()).collect()
        };
        let mut parts = self.families.iter().map(|stretches| of(stretches));
        let first = parts.next().unwrap_or_default();
        parts.fold(first, |both, part| {
            both.into_iter()
                .filter(|release| part.contains(release))
                .collect()
        })
    }

    /// The profiles of the newest release that has the signal; all of its metrics have the same profiles.
    fn profiles(&self) -> &[&'a str] {
        let newest = self.families.first().and_then(|stretches| stretches.last());
        newest.map_or(&[], |stretch| &stretch.profiles)
    }
}

fn stretches<'a>(
    catalog: &'a Catalog,
    family: &'a str,
    releases: &[ReleaseId],
) -> Vec<Stretch<'a>> {
    let mut found: Vec<Stretch<'a>> = Vec::new();
    for id in releases {
        let Some(served) = library::served(catalog, family, catalog.release(*id)) else {
            continue;
        };
        match found.last_mut() {
            Some(last)
                if last.family == served.family
                    && last.shape == served.shape
                    && last.profiles == served.profiles =>
            {
                last.releases.push(*id);
            }
            _ => found.push(Stretch {
                releases: vec![*id],
                family: served.family,
                shape: served.shape,
                profiles: served.profiles,
            }),
        }
    }
    found
}

pub fn page() -> String {
    let catalog = Catalog::vllm();
    let releases = catalog.select_all().releases;
    let all = views(catalog, VLLM, &releases);
    let mut page = format!(
        "# Signals\n\nBuilt-in signals: a spec can use them without declaring them. Recorded vLLM releases: {}.\n\
         `slosmith signals --vllm RANGE` lists the signals of the releases that you run. A metric of a profile other than\n\
         `{DEFAULT_PROFILE}` needs a server option: `slosmith catalog show METRIC` shows which.\n\n\
         | signal | kind | unit | releases | title |\n|---|---|---|---|---|\n",
        catalog.describe(&releases)
    );
    rows(&mut page, catalog, &all, &releases);
    let mut sections: String = all.iter().map(|view| section(catalog, view)).collect();
    for product in Embedded::all()
        .iter()
        .filter(|product| !product.signals.is_empty())
    {
        let (key, title) = (product.name, &product.identity.title);
        let jobs = library::of_product(key).filter_map(|(_, signal)| {
            let binding = &signal.prometheus.as_ref()?.value;
            binding.job.as_ref().map(|job| job.value.as_str())
        });
        let job = jobs.last().unwrap_or(key);
        let catalog = product.catalog();
        let releases = catalog.select_all().releases;
        let views = views(catalog, key, &releases);
        page.push_str(&format!(
            "\n## Signals of {title}\n\nThe job of the servers in Prometheus is `{job}`. Recorded releases: {}. Set yours under `[products]`\n\
             in `slosmith.toml`. Boundaries are the defaults of the newest one.\n\n\
             | signal | kind | unit | releases | title |\n|---|---|---|---|---|\n",
            catalog.describe(&releases)
        ));
        rows(&mut page, catalog, &views, &releases);
        sections.extend(views.iter().map(|view| section(catalog, view)));
    }
    page + &sections
}

fn rows(page: &mut String, catalog: &Catalog, views: &[View<'_>], releases: &[ReleaseId]) {
    for view in views {
        let on = list::on(catalog, view, &view.releases(), releases);
        let name = view.name.as_str();
        let anchor = name.replace('.', "");
        let (kind, unit, title) = (view.kind(), view.unit(), view.title());
        page.push_str(&format!(
            "| [`{name}`](#{anchor}) | {kind} | {unit} | {on} | {title} |\n"
        ));
    }
}

fn section(catalog: &Catalog, view: &View<'_>) -> String {
    let mut out = format!("\n## `{}`\n\n{}\n", view.name, view.description());
    let facts = show::facts(view).into_iter();
    let facts: Vec<_> = facts
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    out.push_str(&format!("\n{}.\n", facts.join("; ")));
    for stretches in &view.families {
        out.push_str(
            "\n| releases | metric | labels | buckets | profiles |\n|---|---|---|---|---|\n",
        );
        for stretch in stretches {
            let cells = [
                catalog.describe(&stretch.releases),
                format!("`{}`", stretch.family),
                words::labels(stretch.shape),
                words::buckets(stretch.shape),
                stretch.profiles.join(", "),
            ];
            out.push_str(&format!("| {} |\n", cells.join(" | ")));
        }
    }
    out
}
