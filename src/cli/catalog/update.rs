//! `slosmith catalog update`: a newer catalog with a valid signature → the file in the configuration.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use minisign_verify::{PublicKey, Signature};

use crate::cli::lint::scope::embedded;
use crate::cli::{configuration, page};
use slosmith_catalog::{Catalog, Index, Release, VLLM, Version};
use slosmith_render::output::Writer;
use slosmith_spec::config::{self, Config};
use slosmith_text::input;
use slosmith_text::source::{Sources, Spanned};

#[derive(Debug, Args)]
pub(super) struct UpdateArgs {
    /// Catalog: an http:// or https:// URL, or a file. The signature must have the same name plus `.minisig`
    source: String,
    /// Server whose catalog this is
    #[arg(long, value_name = "NAME", default_value = VLLM)]
    product: String,
    /// minisign public key of the publisher: the key itself, or a file
    #[arg(long, value_name = "KEY")]
    public_key: String,
    #[command(flatten)]
    http: page::HttpArgs,
}

pub(super) fn run(args: &UpdateArgs) -> Result<String> {
    let here = std::env::current_dir()?;
    let mut sources = Sources::default();
    let Some(config) = configuration::relative(None, &here, &mut sources)? else {
        bail!("fix the configuration first; nothing was fetched");
    };
    // Not what the project has recorded itself.
    let present = match args.product.as_str() {
        VLLM => Catalog::vllm(),
        other => embedded(other)?.catalog(),
    };
    let path = file(&config, &args.product)?;
    let key = key(&args.public_key)?;
    let text = page::fetch(&args.source, &args.http)?;
    let name = format!("{}.minisig", args.source);
    let signature = Signature::decode(&page::fetch(&name, &args.http)?)
        .map_err(|error| anyhow!("{name}: not a minisign signature: {error}"))?;
    key.verify(text.as_bytes(), &signature, false)
        .map_err(|error| {
            anyhow!(
                "{}: the signature does not match this key: {error}",
                args.source
            )
        })?;
    let newer = read(&args.source, present.title(), &text)?;
    check(&args.source, &newer, present)?;
    let written = put(&here.join(config.folder()), &path.value, &text)?;
    let added = present.lacks(&newer);
    let added: Vec<_> = added.map(Version::to_string).collect();
    Ok(match (written, added.as_slice()) {
        (false, _) => format!("{}: up to date\n", path.value.display()),
        (true, []) => format!("{}: written, no new release\n", path.value.display()),
        (true, added) => format!("{}: new: {}\n", path.value.display(), added.join(", ")),
    })
}

fn file<'c>(config: &'c Config, product: &str) -> Result<&'c Spanned<PathBuf>> {
    let (found, setting) = match product {
        VLLM => (
            config.vllm_catalog.as_ref(),
            "`vllm_catalog = \"vllm-catalog.json\"`".to_owned(),
        ),
        other => {
            let mut all = config.product_catalogs.iter();
            let found = all.find(|(name, _)| name.value == other);
            (
                found.map(|(_, path)| path),
                format!("`{other} = \"{other}-catalog.json\"` under `[product_catalogs]`"),
            )
        }
    };
    found.ok_or_else(|| {
        anyhow!(
            "set {setting} in {}: it names the file to update",
            config::NAME
        )
    })
}

/// A key as minisign prints it, or the file that it writes.
fn key(given: &str) -> Result<PublicKey> {
    let path = Path::new(given);
    if !input::is_file(path) {
        return PublicKey::from_base64(given).map_err(|_| {
            anyhow!("`--public-key`: `{given}` is neither a file nor a minisign public key")
        });
    }
    let text = input::read_text(path, input::SMALL);
    let text = text.with_context(|| format!("cannot read {given}"))?;
    PublicKey::decode(text.trim_end())
        .map_err(|error| anyhow!("{given}: not a minisign public key: {error}"))
}

fn read(name: &str, title: &str, text: &str) -> Result<Catalog> {
    let index = Index::from_json(text);
    let index = index.with_context(|| {
        format!("{name}: not a {title} catalog, or one for another version of slosmith")
    })?;
    let catalog = index.into_catalog();
    if catalog.title() != title {
        bail!("{name}: a catalog of {}, not of {title}", catalog.title());
    }
    Ok(catalog)
}

/// Rejects an older catalog: a valid signature does not prove that a catalog is the newest.
fn check(name: &str, newer: &Catalog, present: &Catalog) -> Result<()> {
    let lost: Vec<_> = newer.lacks(present).map(Version::to_string).collect();
    if lost.is_empty() {
        return Ok(());
    }
    let newest = present.releases().last().map(Release::version);
    bail!(
        "{name}: older than the installed catalog, whose newest release is {}; missing releases: {}",
        newest.map(Version::to_string).unwrap_or_default(),
        lost.join(", ")
    )
}

/// Writes the file; false if it already had this text.
fn put(project: &Path, path: &Path, text: &str) -> Result<bool> {
    if input::read_text(path, input::ARTIFACT).is_ok_and(|old| old == text) {
        return Ok(false);
    }
    Writer::within(vec![project.to_owned()]).put(path, text)?;
    Ok(true)
}
