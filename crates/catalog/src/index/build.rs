//! `catalog/` on disk → [`Index`].

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::pages::{Recorded, backfill};
use super::{FamilyEntry, Index, PageEntry, ReleaseEntry, Run, ShapeEntry};
use crate::exposition;
use crate::identity::{Identity, VLLM};
use crate::shape::Shape;
use crate::version::Version;
use slosmith_text::input;
use slosmith_text::source::FileId;
use slosmith_text::yaml;

/// Where the pages of a version came from.
const NOTES: &str = "provenance.json";

#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error("cannot read {path}: {source}")]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    /// A file does not hold what it should.
    #[error("{path}: {why}")]
    Content { path: PathBuf, why: String },
}

#[derive(Deserialize)]
struct Provenance {
    version: Version,
    profiles: BTreeMap<String, PageProvenance>,
}

#[derive(Deserialize)]
struct PageProvenance {
    tier: String,
    #[serde(default)]
    engine: String,
    page: PageExtent,
}

#[derive(Clone, Copy, PartialEq, Deserialize)]
enum PageExtent {
    /// All that the server shows, or all of one kind.
    #[serde(
        rename = "whole",
        alias = "families with a sample",
        alias = "own families only"
    )]
    Whole,
    #[serde(rename = "additions to default")]
    Additions,
}

/// Builds the index of a product from `dir`, which holds a folder for each, and `foreign.yaml` for names beside vLLM's.
pub fn build(dir: &Path, product: &str) -> Result<Index, BuildError> {
    let folder = dir.join(product);
    let mut index = named(&folder)?;
    if product == VLLM {
        index.foreign = read_yaml(&dir.join("foreign.yaml"))?;
    }
    Ok(assemble(index, read_all(versions(&folder)?)?))
}

/// The index of a folder without its pages.
fn named(folder: &Path) -> Result<Index, BuildError> {
    let product = optional(&folder.join("product.yaml"))?;
    let product = product.unwrap_or_else(|| Identity {
        title: folder
            .file_name()
            .unwrap_or(folder.as_os_str())
            .to_string_lossy()
            .into_owned(),
        ..Identity::default()
    });
    Ok(Index {
        product,
        lineage: optional(&folder.join("lineage.yaml"))?.unwrap_or_default(),
        ..Index::default()
    })
}

fn optional<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, BuildError> {
    match path.symlink_metadata() {
        Ok(_) => read_yaml(path).map(Some),
        Err(_) => Ok(None),
    }
}

#[derive(Debug)]
pub struct Service {
    pub index: Index,
    pub unfinished: Vec<PathBuf>,
    /// Recordings of a server that are not newer than those in the program.
    pub known: Vec<Version>,
}

/// Builds the index of a service of one's own from `dir`, which holds one folder per recorded version, as
/// `slosmith catalog record` writes them, and may hold `product.yaml` and `lineage.yaml`. If the pages are of a server in the program, whose
/// index is given, their newer releases are added to it.
pub fn build_service(dir: &Path, server: Option<Index>) -> Result<Service, BuildError> {
    let has_notes = |folder: &PathBuf| folder.join(NOTES).symlink_metadata().is_ok();
    let (finished, unfinished) = versions(dir)?.into_iter().partition(has_notes);
    let recorded = read_all(finished)?;
    let of_server = |index: &Index| {
        let pages = recorded.iter().flat_map(|release| release.pages.values());
        let mut families = pages.flat_map(|(_, page)| &page.families);
        families.any(|family| index.product.claims(&family.name))
    };
    let mut index = match server.filter(of_server) {
        Some(index) => used(index),
        None => named(dir)?,
    };
    index.lineage.domains.seen = true;
    let last = index.releases.last().map(|release| release.version.clone());
    let is_newer = |release: &Recorded| last.as_ref().is_none_or(|last| release.version > *last);
    let (newer, known): (Vec<_>, Vec<_>) = recorded.into_iter().partition(is_newer);
    Ok(Service {
        index: assemble(index, newer),
        unfinished,
        known: known.into_iter().map(|release| release.version).collect(),
    })
}

/// An index whose newest releases are pages of servers: these show what was used, and not all of a release.
fn used(mut index: Index) -> Index {
    let all = index.product.prefixes.iter();
    let all = all.map(|prefix| format!("{prefix}*"));
    index.lineage.open.families.extend(all);
    index
}

fn versions(product: &Path) -> Result<Vec<PathBuf>, BuildError> {
    let hidden = |path: &Path| {
        let name = path.file_name().unwrap_or_default();
        name.as_encoded_bytes().starts_with(b".")
    };
    let mut folders = list(product)?;
    folders.retain(|path| path.is_dir() && !hidden(path));
    Ok(folders)
}

fn read_all(folders: Vec<PathBuf>) -> Result<Vec<Recorded>, BuildError> {
    let mut recorded = Vec::new();
    for folder in folders {
        recorded.push(read_release(&folder)?);
    }
    recorded.sort_by(|a, b| a.version.cmp(&b.version));
    Ok(recorded)
}

/// Adds releases, which are newer than those of the index.
fn assemble(mut index: Index, mut recorded: Vec<Recorded>) -> Index {
    backfill(&mut recorded, &index.lineage);
    let mut tables = Tables {
        labels: std::mem::take(&mut index.labels),
        buckets: std::mem::take(&mut index.buckets),
    };
    let known = index.releases.len() as u16;
    for (at, release) in (known..).zip(&recorded) {
        index.releases.push(entry(release));
        for profile in release.pages.keys() {
            let previous = previous_page(&index.releases, at, profile);
            for found in release.families(profile, &index.lineage) {
                let family = index.families.entry(found.name).or_default();
                family.created |= found.created;
                let shape = tables.entry(&found.shape);
                family.see(profile, at, previous, shape);
            }
        }
    }
    index.labels = tables.labels;
    index.buckets = tables.buckets;
    index
}

fn entry(release: &Recorded) -> ReleaseEntry {
    let pages = release.pages.iter();
    ReleaseEntry {
        version: release.version.clone(),
        pages: pages
            .map(|(name, (page, _))| (name.clone(), page.clone()))
            .collect(),
    }
}

fn previous_page(releases: &[ReleaseEntry], at: u16, profile: &str) -> Option<u16> {
    let before = (0..at)
        .zip(releases)
        .filter(|(_, r)| r.pages.contains_key(profile));
    before.map(|(i, _)| i).max()
}

impl FamilyEntry {
    fn see(&mut self, profile: &str, at: u16, previous: Option<u16>, shape: ShapeEntry) {
        let known = self.shapes.iter().position(|s| *s == shape);
        let number = known.unwrap_or(self.shapes.len()) as u16;
        if known.is_none() {
            self.shapes.push(shape);
        }
        let runs: &mut Vec<Run> = self.seen.entry(profile.to_owned()).or_default();
        match runs.last_mut() {
            Some((_, last, s)) if Some(*last) == previous && *s == number => *last = at,
            _ => runs.push((at, at, number)),
        }
    }
}

/// Label sets and boundaries, each stored once.
struct Tables {
    labels: Vec<Vec<String>>,
    buckets: Vec<Vec<String>>,
}

impl Tables {
    fn entry(&mut self, shape: &Shape) -> ShapeEntry {
        let buckets =
            (!shape.buckets.is_empty()).then(|| intern(&mut self.buckets, &shape.buckets));
        ShapeEntry {
            kind: shape.kind,
            labels: intern(&mut self.labels, &shape.labels),
            open_labels: shape.open_labels,
            values: shape.values.clone(),
            buckets,
            open_buckets: shape.open_buckets,
        }
    }
}

fn intern(table: &mut Vec<Vec<String>>, list: &[String]) -> u16 {
    let known = table.iter().position(|known| known == list);
    if known.is_none() {
        table.push(list.to_vec());
    }
    known.unwrap_or(table.len() - 1) as u16
}

fn read_release(folder: &Path) -> Result<Recorded, BuildError> {
    let path = folder.join(NOTES);
    let provenance: Provenance = serde_json::from_str(&read(&path)?).map_err(|error| {
        let why = error.to_string();
        BuildError::Content { path, why }
    })?;
    let mut pages = BTreeMap::new();
    for (profile, page) in &provenance.profiles {
        let text = read(&folder.join(format!("{profile}.prom")))?;
        let entry = PageEntry {
            tier: page.tier.clone(),
            engine: page.engine.clone(),
            base: base(page, &provenance.profiles),
        };
        pages.insert(profile.clone(), (entry, exposition::parse(&text)));
    }
    Ok(Recorded {
        version: provenance.version,
        pages,
    })
}

/// Additions are on the default page, or on the whole page of their own engine when the default's is
/// another; such additions without a whole page hold everything themselves.
fn base(page: &PageProvenance, all: &BTreeMap<String, PageProvenance>) -> Option<String> {
    if page.page == PageExtent::Whole {
        return None;
    }
    let same =
        |other: &PageProvenance| other.page == PageExtent::Whole && other.engine == page.engine;
    let default = all.iter().filter(|(name, _)| *name == "default");
    let mut candidates = default.chain(all);
    candidates
        .find(|(_, other)| same(other))
        .map(|(name, _)| name.clone())
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, BuildError> {
    let fail = |source| BuildError::Read {
        path: folder.to_owned(),
        source,
    };
    let entries = fs::read_dir(folder).map_err(fail)?;
    let paths: Result<Vec<_>, _> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths.map_err(fail)?;
    paths.sort();
    Ok(paths)
}

fn read(path: &Path) -> Result<String, BuildError> {
    input::read_text(path, input::PAGE).map_err(|source| BuildError::Read {
        path: path.to_owned(),
        source,
    })
}

fn read_yaml<T: DeserializeOwned>(path: &Path) -> Result<T, BuildError> {
    let text = read(path)?;
    yaml::read(FileId(0), &text).map_err(|diagnostic| {
        let line = text[..diagnostic.span.range().start.min(text.len())]
            .matches('\n')
            .count()
            + 1;
        BuildError::Content {
            path: path.to_owned(),
            why: format!("line {line}: {}", diagnostic.message),
        }
    })
}
