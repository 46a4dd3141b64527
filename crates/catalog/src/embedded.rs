//! The products whose recordings are in the program.

use std::sync::{LazyLock, OnceLock};

use regex::Regex;

use super::names::{is_in_name, word_at};
use super::{Catalog, Identity, Index, VLLM};

/// The names of the folders in `catalog/`, with their indexes and signals.
const FOLDERS: &[(&str, &str, &str)] = &include!(concat!(env!("OUT_DIR"), "/catalogs.rs"));

/// A server beside vLLM. Its recordings are read when something asks for them.
#[derive(Debug)]
pub struct Embedded {
    /// The word for configuration and command line: `sglang`.
    pub name: &'static str,
    pub identity: Identity,
    /// `signals.yaml`: what specs can use; empty if there is none.
    pub signals: &'static str,
    catalog: OnceLock<Catalog>,
    /// The text of the catalog that took the place of the embedded one.
    newer: OnceLock<String>,
}

impl Embedded {
    pub fn all() -> &'static [Self] {
        static ALL: LazyLock<Vec<Embedded>> = LazyLock::new(|| {
            let others = FOLDERS.iter().filter(|(name, ..)| *name != VLLM);
            let named = others.map(|(name, index, signals)| Embedded {
                name,
                identity: identity(index).expect("a test reads each index"),
                signals,
                catalog: OnceLock::new(),
                newer: OnceLock::new(),
            });
            named.collect()
        });
        &ALL
    }

    pub fn find(name: &str) -> Option<&'static Self> {
        Self::all().iter().find(|product| product.name == name)
    }

    /// The one whose metrics begin as a name does.
    pub fn owner(name: &str) -> Option<&'static Self> {
        let mut all = Self::all().iter();
        all.find(|product| product.identity.claims(name))
    }

    /// Those whose metrics or signals some of the texts name.
    pub fn in_texts<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<&'static Self> {
        static STEMS: LazyLock<Regex> = LazyLock::new(|| {
            let stems = Embedded::all().iter().flat_map(Embedded::stems);
            let stems: Vec<_> = stems.map(|stem| regex::escape(&stem)).collect();
            Regex::new(&stems.join("|")).expect("literals make a pattern")
        });
        let mut missing: Vec<_> = Self::all().iter().collect();
        let mut found = Vec::new();
        for text in texts {
            for stem in STEMS.find_iter(text) {
                let at = missing
                    .iter()
                    .position(|product| product.stems().any(|own| own == stem.as_str()));
                found.extend(at.map(|at| missing.remove(at)));
            }
        }
        found.sort_by_key(|product| product.name);
        found
    }

    /// The texts of catalogs that took the place of embedded ones.
    pub(super) fn newer() -> impl Iterator<Item = &'static str> {
        Self::all()
            .iter()
            .filter_map(|other| Some(other.newer.get()?.as_str()))
    }

    /// The same as [`Catalog::use_newer`] for this server.
    pub fn use_newer(&'static self, text: String) -> Result<(), serde_json::Error> {
        let newer = Index::from_json(&text)?.into_catalog();
        if newer.lacks(&read(self.name)).next().is_none() {
            drop(self.catalog.set(newer));
            drop(self.newer.set(text));
        }
        Ok(())
    }

    /// Its recordings, to which newer ones can be added.
    pub fn index(&self) -> Index {
        match self.newer.get() {
            Some(text) => Index::from_json(text).expect("it was read before"),
            None => index(self.name),
        }
    }

    pub fn catalog(&'static self) -> &'static Catalog {
        self.catalog.get_or_init(|| read(self.name))
    }

    /// What names of its metrics begin with, served or stored, and names of its signals.
    fn stems(&self) -> impl Iterator<Item = String> {
        let signals = (!self.signals.is_empty()).then(|| format!("{}.", self.name));
        let metrics = self.identity.stems().map(str::to_owned);
        metrics.chain(signals)
    }
}

/// Where a text names a metric of a server: names whose prefix no other word has (`vllm:`, `sglang:`), and whole names of recorded
/// series.
pub fn mentions(text: &str) -> impl Iterator<Item = usize> {
    static STEMS: LazyLock<Regex> = LazyLock::new(|| {
        let mut all: Vec<_> = identities().flat_map(Identity::stems).collect();
        // The first alternative that fits is taken.
        all.sort_unstable_by_key(|stem| std::cmp::Reverse(stem.len()));
        let all: Vec<_> = all.into_iter().map(regex::escape).collect();
        Regex::new(&all.join("|")).expect("literals make a pattern")
    });
    let found = STEMS.find_iter(text).map(|found| found.range());
    found.filter_map(|stem| {
        let name = word_at(text, stem.start);
        let is_whole = !text[..stem.start].ends_with(is_in_name);
        let own =
            served_prefixes().any(|prefix| prefix.ends_with(':') && *prefix == text[stem.clone()]);
        (own || is_whole && is_series(name)).then_some(stem.start)
    })
}

/// True for the name of a series that some release of a server has, as the server serves it or as a store has it.
pub fn is_series(name: &str) -> bool {
    let mut others = Embedded::all().iter().filter(|other| {
        let mut stems = other.identity.stems();
        stems.any(|stem| name.starts_with(stem))
    });
    Catalog::vllm().has_series(name) || others.any(|other| other.catalog().has_series(name))
}

/// True for the name of a series that a product has, or that has a prefix no other word has.
pub fn is_recorded(name: &str) -> bool {
    mentions(name).next() == Some(0) || Catalog::vllm().series_of(name).is_some()
}

/// What names of all servers begin with.
pub fn served_prefixes() -> impl Iterator<Item = &'static str> {
    let all = identities().flat_map(|identity| &identity.prefixes);
    all.map(String::as_str)
}

fn identities() -> impl Iterator<Item = &'static Identity> {
    let others = Embedded::all().iter().map(|product| &product.identity);
    std::iter::once(Catalog::vllm().identity()).chain(others)
}

/// The catalog of a folder in `catalog/`.
pub(super) fn read(name: &str) -> Catalog {
    index(name).into_catalog()
}

fn index(name: &str) -> Index {
    let known = FOLDERS.iter().find(|(folder, ..)| *folder == name);
    let index = known.map(|(_, index, _)| Index::from_json(index));
    let index = index.expect("each product has an index");
    index.expect("a test reads each index")
}

/// The product of a committed text, from its first line alone.
fn identity(text: &str) -> Option<Identity> {
    let line = text.lines().nth(1)?.strip_prefix("\"product\":")?;
    serde_json::from_str(line.strip_suffix(',')?).ok()
}
