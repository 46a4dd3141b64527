//! A plan in a file: what is wanted, and the changes that followed from what the account held.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::changes::{Allowed, Change, Changes};
use super::object::{Desired, Key, Wanted};

const VERSION: u32 = 2;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Saved {
    version: u32,
    pub region: String,
    /// The account that the specs name, or that the plan was made from.
    pub account: Option<String>,
    pub allowed: Allowed,
    services: Vec<String>,
    removed: Vec<String>,
    objects: Vec<Entry>,
    changes: Vec<Change>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Entry {
    #[serde(flatten)]
    key: Key,
    #[serde(flatten)]
    wanted: Wanted,
}

#[derive(Debug, Error)]
pub enum SavedError {
    #[error("not a plan file of `slosmith cloudwatch plan --out`: {0}")]
    Unreadable(#[from] serde_json::Error),
    #[error(
        "plan file of another slosmith version (format {0}, expected {VERSION}); run `slosmith cloudwatch plan` again"
    )]
    Version(u64),
}

impl Saved {
    pub fn new(
        region: &str,
        account: Option<&str>,
        allowed: Allowed,
        desired: &Desired,
        changes: &Changes,
    ) -> Self {
        let objects = desired.objects.iter().map(|(key, wanted)| Entry {
            key: key.clone(),
            wanted: wanted.clone(),
        });
        Self {
            version: VERSION,
            region: region.to_owned(),
            account: account.map(str::to_owned),
            allowed,
            services: desired.services.iter().cloned().collect(),
            removed: desired.removed.iter().cloned().collect(),
            objects: objects.collect(),
            changes: changes.changes.values().cloned().collect(),
        }
    }

    /// Reads what [`Saved::text`] gives.
    pub fn read(text: &str) -> Result<Self, SavedError> {
        let value: Value = serde_json::from_str(text)?;
        match value["version"].as_u64() {
            Some(version) if version != u64::from(VERSION) => Err(SavedError::Version(version)),
            _ => Ok(serde_json::from_value(value)?),
        }
    }

    /// The file. Never fails: everything in it is JSON.
    pub fn text(&self) -> Result<String, serde_json::Error> {
        Ok(format!("{}\n", serde_json::to_string_pretty(self)?))
    }

    pub fn desired(&self) -> Desired {
        let objects = self.objects.iter();
        Desired {
            region: self.region.clone(),
            services: self.services.iter().cloned().collect(),
            removed: self.removed.iter().cloned().collect(),
            objects: objects
                .map(|entry| (entry.key.clone(), entry.wanted.clone()))
                .collect(),
        }
    }

    /// Objects that would change otherwise than when the plan was made: the account has changed since.
    pub fn differing(&self, now: &Changes) -> Vec<Key> {
        let planned = |key: &Key| self.changes.iter().find(|change| change.key == *key);
        let mut found: Vec<_> = now
            .changes
            .iter()
            .filter(|(key, change)| planned(key) != Some(change))
            .map(|(key, _)| key.clone())
            .collect();
        let gone = self.changes.iter().map(|change| &change.key);
        found.extend(gone.filter(|key| !now.changes.contains_key(*key)).cloned());
        found
    }
}
