//! `slosmith catalog update`: a newer catalog, if its signature is right, → the file that the project names.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use minisign_verify::{PublicKey, Signature};

use crate::catalog::{Catalog, Index, Release, Version};
use crate::cli::{configuration, page};
use crate::config;
use crate::input;
use crate::output::Writer;
use crate::source::Sources;

#[derive(Debug, Args)]
pub(super) struct UpdateArgs {
    /// The catalog: an http:// or https:// URL, or a file; its signature is beside it, with `.minisig` behind the name
    source: String,
    /// The minisign key of whoever signed it: a file, or the key itself
    #[arg(long, value_name = "KEY")]
    public_key: String,
    #[command(flatten)]
    http: page::HttpArgs,
}

/// Replaces the project's catalog by one that has more.
pub(super) fn run(args: &UpdateArgs) -> Result<String> {
    let here = std::env::current_dir()?;
    let mut sources = Sources::default();
    let Some(config) = configuration::relative(None, &here, &mut sources)? else {
        bail!("nothing was fetched");
    };
    let Some(path) = &config.vllm_catalog else {
        bail!(
            "no {} here says where: add `vllm_catalog = \"vllm-catalog.json\"`",
            config::NAME
        );
    };
    let key = key(&args.public_key)?;
    let text = page::fetch(&args.source, &args.http)?;
    let name = format!("{}.minisig", args.source);
    let signature = Signature::decode(&page::fetch(&name, &args.http)?)
        .map_err(|error| anyhow!("{name}: not a signature by minisign: {error}"))?;
    key.verify(text.as_bytes(), &signature, false)
        .map_err(|error| anyhow!("{}: not signed with this key: {error}", args.source))?;
    let newer = read(&args.source, &text)?;
    check(&args.source, &newer, Catalog::vllm())?;
    let written = put(&here.join(config.folder()), &path.value, &text)?;
    let added: Vec<_> = Catalog::vllm()
        .lacks(&newer)
        .map(Version::to_string)
        .collect();
    Ok(match (written, added.as_slice()) {
        (false, _) => format!("{}: up to date\n", path.value.display()),
        (true, []) => format!("{}: written, no new release\n", path.value.display()),
        (true, added) => format!("{}: new: {}\n", path.value.display(), added.join(", ")),
    })
}

/// A key as minisign prints it, or the file that it writes.
fn key(given: &str) -> Result<PublicKey> {
    let path = Path::new(given);
    if !input::is_file(path) {
        return PublicKey::from_base64(given).map_err(|_| {
            anyhow!("`--public-key`: `{given}` is neither a file nor a key of minisign")
        });
    }
    let text = input::read_text(path, input::SMALL);
    let text = text.with_context(|| format!("cannot read {given}"))?;
    PublicKey::decode(text.trim_end())
        .map_err(|error| anyhow!("{given}: not a key of minisign: {error}"))
}

fn read(name: &str, text: &str) -> Result<Catalog> {
    let index = Index::from_json(text);
    let index = index.with_context(|| {
        format!("{name}: not a catalog that this version of slosmith understands")
    })?;
    Ok(index.into_catalog())
}

/// A signature says who made a catalog, and not that it is the newest: an old one must not come back.
fn check(name: &str, newer: &Catalog, present: &Catalog) -> Result<()> {
    let lost: Vec<_> = newer.lacks(present).map(Version::to_string).collect();
    if lost.is_empty() {
        return Ok(());
    }
    let newest = present.releases().last().map(Release::version);
    bail!(
        "{name}: older than the catalog here, whose newest release is {}: it lacks {}",
        newest.map(Version::to_string).unwrap_or_default(),
        lost.join(", ")
    )
}

/// Writes the file; false when it said the same already.
fn put(project: &Path, path: &Path, text: &str) -> Result<bool> {
    if input::read_text(path, input::ARTIFACT).is_ok_and(|old| old == text) {
        return Ok(false);
    }
    Writer::within(vec![project.to_owned()]).put(path, text)?;
    Ok(true)
}
