//! `slosmith catalog record`: `/metrics` output → a catalog.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use serde_json::{Map, Value, json};

use crate::cli::page;
use slosmith_catalog::exposition::{self, Page, ProblemKind};
use slosmith_catalog::record::recorded;
use slosmith_catalog::{Catalog, DEFAULT_PROFILE, Version};
use slosmith_render::output::Writer;
use slosmith_text::input;
use slosmith_text::source::mark_len;

#[derive(Debug, Args)]
pub(super) struct RecordArgs {
    /// `/metrics` output: an http:// or https:// URL, a file, or - for standard input
    #[arg(value_name = "METRICS")]
    page: String,
    /// Server whose metrics these are, such as `sglang`, if a release is not recorded yet. The folder must have its name
    #[arg(long, value_name = "NAME")]
    product: Option<String>,
    /// Version of the service. Default for vLLM: the release, if it can be detected
    #[arg(long, value_name = "VERSION")]
    version: Option<Version>,
    /// Profile: a name for the options of the server. Default: detected for vLLM, otherwise `default`
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
    /// Folder of the catalog, with one folder per version
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Keep all label values. Default: keep only values of a few known labels, such as `code` and `le`
    #[arg(long)]
    keep_values: bool,
    #[command(flatten)]
    http: page::HttpArgs,
}

struct Claim {
    version: Version,
    profile: String,
}

/// Writes the recording and its provenance.
pub(super) fn run(args: &RecordArgs) -> Result<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if let Some(profile) = &args.profile
        && (profile.is_empty() || !profile.chars().all(plain))
    {
        bail!("`--profile {profile}`: use only letters, digits, `-` and `_`");
    }
    let page = exposition::parse(&page::fetch(&args.page, &args.http)?);
    check(&page, &args.page)?;
    let catalog = match args.product.as_deref() {
        Some(name) if args.out.file_name().is_none_or(|folder| folder != name) => {
            bail!("`--out`: the folder of the recordings of `{name}` must be named `{name}`")
        }
        Some(name) => super::of(name)?,
        None => Catalog::vllm(),
    };
    let claim = claim(args, catalog, &page)?;
    let (version, profile) = (&claim.version, &claim.profile);
    let folder = args.out.join(version.to_string());
    let path = folder.join(format!("{profile}.prom"));
    let provenance = folder.join("provenance.json");
    let old = notes(&provenance)?;
    let new = noted(old.as_deref(), &provenance, &claim)?;
    let writer = Writer::within(vec![args.out.clone()]);
    // Provenance last: readers skip recordings without an entry in it.
    writer.put(&path, &recorded(&page, args.keep_values))?;
    if old.as_deref() != Some(&new) {
        writer.replace(&provenance, old.as_deref(), &new)?;
    }
    let families = page.families.len();
    Ok(format!("{}: {families} metrics\n", path.display()))
}

/// Version and profile, from the command line or detected. An error if the metrics contradict them.
fn claim(args: &RecordArgs, catalog: &Catalog, page: &Page) -> Result<Claim> {
    let title = catalog.title();
    let server = catalog.detect(page);
    let version = match &args.version {
        Some(version) => version.clone(),
        None => match server.as_ref().map(|server| server.releases.as_slice()) {
            Some([only]) => catalog.release(*only).version().clone(),
            Some([]) => bail!(
                "cannot detect the {title} release: no recorded release has these metrics; pass `--version`"
            ),
            Some(some) => bail!(
                "the metrics match {title} {}: pass `--version` to select one",
                catalog.describe(some)
            ),
            None => bail!("pass `--version`: it can be detected only from {title} metrics"),
        },
    };
    if let Some(why) = catalog.contradictions(page, &version).first() {
        bail!("not the /metrics output of {title} {version}: {why}");
    }
    let profile = match &args.profile {
        Some(profile) => profile.clone(),
        None => match server.map(|server| server.profiles).as_deref() {
            Some([only]) => only.clone(),
            None | Some([]) => DEFAULT_PROFILE.to_owned(),
            Some(some) => bail!(
                "the metrics match the profiles {}: pass `--profile` to name this combination",
                some.join(", ")
            ),
        },
    };
    let against = catalog.contradictions_of_profile(page, &version, &profile);
    if let Some(why) = against.first() {
        bail!("not the /metrics output of {title} {version} with profile `{profile}`: {why}");
    }
    Ok(Claim { version, profile })
}

/// Rejects broken lines, and text without metrics.
fn check(page: &Page, name: &str) -> Result<()> {
    let mut problems = page.problems.iter();
    if let Some(problem) = problems.find(|p| p.kind == ProblemKind::Malformed) {
        return Err(anyhow!("{name}:{}: {}", problem.line, problem.message));
    }
    if page.families.is_empty() {
        bail!("{name}: not /metrics output: no metrics found");
    }
    Ok(())
}

/// The provenance file of a version, if it exists.
fn notes(path: &Path) -> Result<Option<String>> {
    match input::read_text(path, input::SMALL) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

fn noted(old: Option<&str>, path: &Path, claim: &Claim) -> Result<String> {
    let old = old
        .map(|text| serde_json::from_str(&text[mark_len(text)..]))
        .transpose();
    let mut notes: Map<String, Value> = old
        .with_context(|| path.display().to_string())?
        .unwrap_or_default();
    notes.insert("version".to_owned(), json!(claim.version.to_string()));
    let profiles = notes.entry("profiles").or_insert_with(|| json!({}));
    let page = json!({"tier": "server", "engine": "", "page": "whole"});
    match profiles.as_object_mut() {
        Some(profiles) => drop(profiles.insert(claim.profile.clone(), page)),
        None => bail!("{}: `profiles` must be an object", path.display()),
    }
    Ok(format!("{}\n", serde_json::to_string_pretty(&notes)?))
}
