//! The prefix of vLLM's names in a store: asked of a Prometheus, or seen in `/metrics` output.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use serde::Deserialize;

use super::page::{self, HttpArgs};
use crate::catalog::Catalog;
use crate::catalog::exposition::Page;

/// Seconds of history in which a Prometheus is asked for names.
const RECENT: u64 = 3_600;

/// The prefixes of vLLM's names, each with the number of names; the most frequent one first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Prefixes(Vec<(String, usize)>);

impl Prefixes {
    /// The prefixes of the vLLM names among all names.
    pub(super) fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let catalog = Catalog::vllm();
        let mut found: Vec<(String, usize)> = Vec::new();
        for prefix in names.into_iter().filter_map(|name| catalog.prefix_of(name)) {
            match found.iter_mut().find(|(known, _)| known == prefix) {
                Some((_, names)) => *names += 1,
                None => found.push((prefix.to_owned(), 1)),
            }
        }
        found.sort_by_key(|(_, names)| std::cmp::Reverse(*names));
        Self(found)
    }

    /// The prefixes in `/metrics` output.
    pub(super) fn on(page: &Page) -> Self {
        Self::of(page.families.iter().map(|family| family.name.as_str()))
    }

    /// The prefixes that a Prometheus has stored recently.
    ///
    /// # Errors
    /// When it cannot be asked.
    pub(super) fn stored(prometheus: &str, http: &HttpArgs) -> Result<Self> {
        #[derive(Deserialize)]
        struct Answer {
            data: Vec<String>,
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
        let word = Catalog::vllm().prefix().trim_end_matches(':');
        let base = prometheus.trim_end_matches('/');
        let start = now.saturating_sub(RECENT);
        let url = format!(
            "{base}/api/v1/label/__name__/values?match%5B%5D=%7B__name__%3D~%22.*{word}.*%22%7D&start={start}"
        );
        let text = page::fetch(&url, http)?;
        let answer: Answer = serde_json::from_str(&text)
            .with_context(|| format!("{prometheus}: not the URL of a Prometheus"))?;
        Ok(Self::of(answer.data.iter().map(String::as_str)))
    }

    /// Gives all names with another prefix the served one.
    pub(super) fn serve(&self, page: &mut Page) {
        let Some(prefix) = self.other() else {
            return;
        };
        let serve = |name: &mut String| {
            if let Some(served) = Catalog::vllm().served(prefix, name) {
                *name = served;
            }
        };
        for family in &mut page.families {
            serve(&mut family.name);
            let samples = family.samples.iter_mut();
            samples.for_each(|sample| serve(&mut sample.name));
        }
    }

    /// True if there is no vLLM name.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if names have this prefix.
    pub(super) fn has(&self, prefix: &str) -> bool {
        self.0.iter().any(|(known, _)| known == prefix)
    }

    /// The prefix that a spec must set, because no name has the served one.
    pub(super) fn other(&self) -> Option<&str> {
        let (first, _) = self.0.first()?;
        (!self.has(Catalog::vllm().prefix())).then_some(first)
    }
}

impl fmt::Display for Prefixes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (prefix, names)) in self.0.iter().enumerate() {
            let sign = if at == 0 { "" } else { ", " };
            write!(f, "{sign}`{prefix}` ({names} metrics)")?;
        }
        Ok(())
    }
}
