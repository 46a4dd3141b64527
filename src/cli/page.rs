//! Metrics pages: from a server, a file or standard input.

use std::io::Read;
use std::time::Duration;

use anyhow::{Context, Result, bail};

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// The text of a page.
///
/// # Errors
/// When it cannot be read.
pub(super) fn fetch(page: &str) -> Result<String> {
    if page == "-" {
        let mut text = String::new();
        std::io::stdin()
            .read_to_string(&mut text)
            .context("cannot read standard input")?;
        return Ok(text);
    }
    if page.starts_with("https://") {
        bail!("https is not spoken here; use `curl -s {page} | slosmith … -`");
    }
    if !page.starts_with("http://") {
        return std::fs::read_to_string(page).with_context(|| format!("cannot read {page}"));
    }
    let agent = ureq::Agent::config_builder()
        .timeout_global(Some(PATIENCE))
        .build();
    let agent = ureq::Agent::new_with_config(agent);
    let answer = agent
        .get(page)
        .header("accept", "text/plain; version=0.0.4")
        .call();
    let mut answer = answer.with_context(|| format!("cannot fetch {page}"))?;
    answer
        .body_mut()
        .read_to_string()
        .with_context(|| format!("cannot fetch {page}"))
}
