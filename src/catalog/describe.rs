//! Releases in words.

use super::Catalog;
use super::release::ReleaseId;

impl Catalog {
    /// A set of releases as people write it: `0.8.0–0.10.2 and 0.12.0`. A stretch means that every
    /// recorded release in it belongs to the set.
    pub fn describe(&self, releases: &[ReleaseId]) -> String {
        let mut sorted = releases.to_vec();
        sorted.sort();
        sorted.dedup();
        let stretches = sorted.chunk_by(|a, b| a.index() + 1 == b.index());
        let words: Vec<_> = stretches
            .filter_map(|stretch| self.stretch(stretch))
            .collect();
        match words.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            Some((only, _)) => only.clone(),
            None => "no release".to_owned(),
        }
    }

    fn stretch(&self, releases: &[ReleaseId]) -> Option<String> {
        let first = self.release(*releases.first()?).version();
        let last = self.release(*releases.last()?).version();
        Some(match releases.len() {
            1 => first.to_string(),
            _ => format!("{first}–{last}"),
        })
    }
}
