//! What a store has of vLLM: the prefix of its names, asked of a Prometheus or seen in `/metrics` output, and the label of roles.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::page::{self, HttpArgs};
use slosmith_catalog::Catalog;
use slosmith_catalog::exposition::Page;
use slosmith_resolve::is_label_name;

const RECENT: u64 = 3_600;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Prefixes(Vec<(String, usize)>);

impl Prefixes {
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

    pub(super) fn on(page: &Page) -> Self {
        Self::of(page.families.iter().map(|family| family.name.as_str()))
    }

    pub(super) fn stored(prometheus: &str, http: &HttpArgs) -> Result<Self> {
        let word = Catalog::vllm().prefix().trim_end_matches(':');
        let names = format!("%7B__name__%3D~%22.*{word}.*%22%7D");
        let names: Vec<String> = recent(prometheus, "label/__name__/values", &names, http)?;
        Ok(Self::of(names.iter().map(String::as_str)))
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

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn has(&self, prefix: &str) -> bool {
        self.0.iter().any(|(known, _)| known == prefix)
    }

    /// The prefix that a spec must set, because no name has the served one.
    pub(super) fn other(&self) -> Option<&str> {
        let (first, _) = self.0.first()?;
        (!self.has(Catalog::vllm().prefix())).then_some(first)
    }
}

/// The answer of a Prometheus about the last hour.
fn recent<T: DeserializeOwned>(
    prometheus: &str,
    what: &str,
    matching: &str,
    http: &HttpArgs,
) -> Result<Vec<T>> {
    #[derive(Deserialize)]
    struct Answer<T> {
        data: Vec<T>,
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let base = prometheus.trim_end_matches('/');
    let start = now.saturating_sub(RECENT);
    let url = format!("{base}/api/v1/{what}?match%5B%5D={matching}&start={start}");
    let text = page::fetch(&url, http)?;
    let answer: Answer<T> = serde_json::from_str(&text)
        .with_context(|| format!("{prometheus}: not the URL of a Prometheus"))?;
    Ok(answer.data)
}

/// The label that tells prefill pods from decode pods in a Prometheus.
pub(super) fn role(prometheus: &str, prefix: &str, http: &HttpArgs) -> Result<Option<String>> {
    let running = format!("%7B__name__%3D%22{prefix}num_requests_running%22%7D");
    let series: Vec<BTreeMap<String, String>> = recent(prometheus, "series", &running, http)?;
    Ok(role_label(series.into_iter().flatten()))
}

/// The same in the output of a server that collects the metrics of others, such as `/federate`.
pub(super) fn role_on(page: &Page) -> Option<String> {
    let samples = page.families.iter().flat_map(|family| &family.samples);
    role_label(samples.flat_map(|sample| sample.labels.iter().cloned()))
}

/// The label that has both values.
fn role_label(labels: impl Iterator<Item = (String, String)>) -> Option<String> {
    let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (label, value) in labels {
        values.entry(label).or_default().insert(value);
    }
    let has_both = |of: &BTreeSet<String>| of.contains("prefill") && of.contains("decode");
    let found = values
        .into_iter()
        .find(|(label, values)| is_label_name(label) && has_both(values));
    found.map(|(label, _)| label)
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
