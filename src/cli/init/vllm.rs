//! Detects the vLLM server, and chooses the releases of a new project.

use std::io::Write;

use anyhow::{Result, anyhow, bail};

use super::ask::Questions;
use crate::cli::stored::Prefixes;
use crate::cli::terminal::Terminal;
use slosmith_catalog::exposition::Page;
use slosmith_catalog::{Catalog, Range, Release, Server};

pub(super) struct Seen {
    pub(super) page: Page,
    pub(super) server: Server,
    pub(super) prefixes: Prefixes,
}

impl Seen {
    pub(super) fn new(mut page: Page, address: &str) -> Result<Self> {
        let catalog = Catalog::vllm();
        let prefixes = Prefixes::on(&page);
        prefixes.serve(&mut page);
        let Some(server) = catalog.detect(&page) else {
            bail!(
                "{address}: not the /metrics output of a known server: no metric name starts with `vllm:` or the prefix of another server \
                 (docs/servers.md)"
            );
        };
        show(catalog, &server)?;
        Ok(Self {
            page,
            server,
            prefixes,
        })
    }
}

fn show(catalog: &Catalog, server: &Server) -> Result<()> {
    let mut err = Terminal::stderr();
    if !server.releases.is_empty() {
        let releases = catalog.describe(&server.releases);
        let profiles = server.profiles.join(", ");
        let models = match server.models.as_slice() {
            [] => "no model".to_owned(),
            models => format!("model {}", models.join(", ")),
        };
        writeln!(
            err,
            "detected vLLM {releases}, profile {profiles}, {models}"
        )?;
    }
    if let [first, rest @ ..] = server.unknown.as_slice() {
        let more = match rest.len() {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        let newest = newest(catalog);
        writeln!(
            err,
            "warning: unknown metric `{first}`{more}: the server is newer than vLLM {newest}, or patched"
        )?;
    }
    Ok(())
}

/// The releases from the command line, the metrics or the prompt.
pub(super) fn chosen(
    asked: Option<&Range>,
    seen: Option<&Seen>,
    questions: &mut Questions,
) -> Result<Range> {
    let page = seen.map(|seen| &seen.page);
    if let Some(range) = asked {
        return match reject(range, page) {
            Some(why) => Err(anyhow!("`--vllm {range}`: {why}")),
            None => Ok(range.clone()),
        };
    }
    let catalog = Catalog::vllm();
    let usual = match seen {
        Some(seen) => catalog.range_of(&seen.server.releases),
        None => catalog.range_of(catalog.releases().last().map(Release::id).as_slice()),
    };
    let Some(usual) = usual else {
        let newest = newest(catalog);
        let why = reject(&Range::parse(&newest)?, page).unwrap_or_default();
        bail!(
            "cannot detect the vLLM release (closest: {newest}, but {why}); pass `--vllm RANGE` instead of `--metrics`"
        );
    };
    let check = |text: &str| {
        let range = Range::told(text)?;
        reject(&range, page).map_or(Ok(()), Err)
    };
    let text = questions.checked("vLLM releases", &usual, check)?;
    Ok(Range::parse(&text)?)
}

/// Why a range cannot be used: no release is in it, or its releases do not have these metrics.
fn reject(range: &Range, page: Option<&Page>) -> Option<String> {
    let catalog = Catalog::vllm();
    let releases = match catalog.select(range) {
        Ok(selection) => selection.releases,
        Err(none) => return Some(none.to_string()),
    };
    let page = page?;
    let inside = releases.iter().map(|id| catalog.release(*id).version());
    let versions: Vec<_> = match range.as_exact() {
        Some(version) => vec![version],
        None => inside.collect(),
    };
    let against = versions.into_iter();
    let against: Vec<_> = against.map(|v| catalog.contradictions(page, v)).collect();
    match against.iter().any(Vec::is_empty) {
        true => None,
        false => against.last()?.first().map(ToString::to_string),
    }
}

fn newest(catalog: &Catalog) -> String {
    let newest = catalog.releases().last();
    newest.map_or_else(String::new, |release| release.version().to_string())
}
