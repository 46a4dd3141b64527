//! Detects a server other than vLLM.

use std::io::Write;

use anyhow::{Result, bail};

use crate::cli::lint::scope::embedded;
use crate::cli::terminal::Terminal;
use slosmith_catalog::exposition::Page;
use slosmith_catalog::{Catalog, Embedded, Identity, VLLM};
use slosmith_render::starter::Other;

/// The server that is named, or that wrote the page; none for vLLM.
pub(super) fn chosen(named: Option<&str>, page: Option<&Page>) -> Result<Option<Other>> {
    let product = match (named, page) {
        (Some(VLLM), _) | (None, None) => return Ok(None),
        (Some(name), _) => embedded(name)?,
        (None, Some(page)) => match on(page) {
            Some(product) => product,
            None => return Ok(None),
        },
    };
    if !Other::has_starter(product.name) {
        bail!(
            "`slosmith init` has no first spec for {}; write one as for a service of your own (docs/own-services.md). `lint` and `drift` \
             know its metrics",
            product.identity.title
        );
    }
    let catalog = product.catalog();
    let server = page.and_then(|page| catalog.detect(page));
    let releases = server
        .as_ref()
        .map(|server| server.releases.clone())
        .unwrap_or_default();
    let newest = || catalog.range_of(&catalog.select_newest().releases);
    let range = catalog.range_of(&releases).or_else(newest);
    if !releases.is_empty() {
        let title = &product.identity.title;
        writeln!(
            Terminal::stderr(),
            "detected {title} {}",
            catalog.describe(&releases)
        )?;
    }
    Ok(Some(Other {
        key: product.name,
        title: &product.identity.title,
        range: range.unwrap_or_default(),
        models: server.map(|server| server.models).unwrap_or_default(),
    }))
}

/// The server with most families on the page, if vLLM has none there.
fn on(page: &Page) -> Option<&'static Embedded> {
    let count = |identity: &Identity| {
        let families = page.families.iter();
        families
            .filter(|family| identity.claims(&family.name))
            .count()
    };
    if count(Catalog::vllm().identity()) > 0 {
        return None;
    }
    let found = Embedded::all()
        .iter()
        .map(|product| (count(&product.identity), product));
    let found = found.filter(|(count, _)| *count > 0);
    Some(found.max_by_key(|(count, _)| *count)?.1)
}
