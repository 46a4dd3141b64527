//! `slosmith catalog record`: a page of one's own → a catalog.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use serde_json::{Map, Value, json};

use crate::catalog::exposition::{self, Page, ProblemKind};
use crate::catalog::record::recorded;
use crate::catalog::{Catalog, DEFAULT_PROFILE, Version};
use crate::cli::page;
use crate::input;
use crate::output::Writer;
use crate::source::mark_len;

#[derive(Debug, Args)]
pub(super) struct RecordArgs {
    /// The page: an http:// or https:// URL, a file, or - for standard input
    page: String,
    /// The version of the service. Default: the only recorded release of vLLM that writes such a page
    #[arg(long, value_name = "VERSION")]
    version: Option<Version>,
    /// The serving configuration of the page. Default: the one that a page of vLLM shows, else `default`
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
    /// The catalog: a folder with one folder per version
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Keep all label values; by default only those of a few known labels, such as `code` or `le`, are kept
    #[arg(long)]
    keep_values: bool,
    #[command(flatten)]
    http: page::HttpArgs,
}

/// Where a page belongs in a catalog.
struct Claim {
    version: Version,
    profile: String,
}

/// Writes the page and notes where it came from.
pub(super) fn run(args: &RecordArgs) -> Result<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if let Some(profile) = &args.profile
        && (profile.is_empty() || !profile.chars().all(plain))
    {
        bail!("`--profile`: `{profile}` may only have letters, digits, `-` and `_`");
    }
    let page = exposition::parse(&page::fetch(&args.page, &args.http)?);
    check(&page, &args.page)?;
    let claim = claim(args, &page)?;
    let (version, profile) = (&claim.version, &claim.profile);
    let folder = args.out.join(version.to_string());
    let path = folder.join(format!("{profile}.prom"));
    let provenance = folder.join("provenance.json");
    let old = notes(&provenance)?;
    let new = noted(old.as_deref(), &provenance, &claim)?;
    let writer = Writer::within(vec![args.out.clone()]);
    // The notes last: a reader passes over a page that they do not name.
    writer.put(&path, &recorded(&page, args.keep_values))?;
    if old.as_deref() != Some(&new) {
        writer.replace(&provenance, old.as_deref(), &new)?;
    }
    let families = page.families.len();
    Ok(format!("{}: {families} families\n", path.display()))
}

/// What the command line says of the page, unless the page says otherwise, and what the page says beyond it.
fn claim(args: &RecordArgs, page: &Page) -> Result<Claim> {
    let catalog = Catalog::vllm();
    let server = catalog.detect(page);
    let version = match &args.version {
        Some(version) => version.clone(),
        None => match server.as_ref().map(|server| server.releases.as_slice()) {
            Some([only]) => catalog.release(*only).version().clone(),
            Some([]) => bail!("no recorded release of vLLM writes this page: use `--version`"),
            Some(some) => bail!(
                "the page fits vLLM {}: use `--version` to say which it is",
                catalog.describe(some)
            ),
            None => bail!("use `--version`: only pages of vLLM show it"),
        },
    };
    if let Some(why) = catalog.contradictions(page, &version).first() {
        bail!("not a page of vLLM {version}: {why}");
    }
    let profile = match &args.profile {
        Some(profile) => profile.clone(),
        None => match server.map(|server| server.profiles).as_deref() {
            Some([only]) => only.clone(),
            None | Some([]) => DEFAULT_PROFILE.to_owned(),
            Some(some) => bail!(
                "the page shows the profiles {}: use `--profile` to name this configuration",
                some.join(", ")
            ),
        },
    };
    let against = catalog.contradictions_of_profile(page, &version, &profile);
    if let Some(why) = against.first() {
        bail!("not a page of vLLM {version} in the profile `{profile}`: {why}");
    }
    Ok(Claim { version, profile })
}

/// A page with broken lines, or without any family, is no recording.
fn check(page: &Page, name: &str) -> Result<()> {
    let mut problems = page.problems.iter();
    if let Some(problem) = problems.find(|p| p.kind == ProblemKind::Malformed) {
        return Err(anyhow!("{name}:{}: {}", problem.line, problem.message));
    }
    if page.families.is_empty() {
        bail!("{name}: no metric on this page");
    }
    Ok(())
}

/// The notes of a version's folder, when there are any.
fn notes(path: &Path) -> Result<Option<String>> {
    match input::read_text(path, input::SMALL) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// The notes with this page among them.
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
        None => bail!("{}: `profiles` is not an object", path.display()),
    }
    Ok(format!("{}\n", serde_json::to_string_pretty(&notes)?))
}
