//! The products whose recordings are in the program.

use std::sync::{LazyLock, OnceLock};

use regex::Regex;

use super::index::identity;
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
}

impl Embedded {
    /// All of them, by name.
    pub fn all() -> &'static [Self] {
        static ALL: LazyLock<Vec<Embedded>> = LazyLock::new(|| {
            let others = FOLDERS.iter().filter(|(name, ..)| *name != VLLM);
            let named = others.map(|(name, index, signals)| Embedded {
                name,
                identity: identity(index).expect("a test reads each index"),
                signals,
                catalog: OnceLock::new(),
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

    pub fn catalog(&'static self) -> &'static Catalog {
        self.catalog.get_or_init(|| read(self.name))
    }

    /// What names of its metrics begin with, served or stored, and names of its signals.
    fn stems(&self) -> impl Iterator<Item = String> {
        let stored = self.identity.spellings.iter();
        let stored = stored.map(|spelling| spelling.prefix.clone());
        let signals = (!self.signals.is_empty()).then(|| format!("{}.", self.name));
        let served = self.identity.prefixes.iter().cloned();
        served.chain(stored).chain(signals)
    }
}

/// Where a text has a name whose prefix no other word has: `vllm:`, `sglang:`.
pub fn mentions(text: &str) -> impl Iterator<Item = usize> {
    static PREFIXES: LazyLock<Regex> = LazyLock::new(|| {
        let others = Embedded::all()
            .iter()
            .flat_map(|product| &product.identity.prefixes);
        let others = others
            .map(String::as_str)
            .filter(|prefix| prefix.ends_with(':'));
        let all: Vec<_> = std::iter::once(Catalog::vllm().prefix())
            .chain(others)
            .collect();
        Regex::new(&all.join("|")).expect("prefixes are words")
    });
    PREFIXES.find_iter(text).map(|found| found.start())
}

/// True for the name of a series that a product has, or that has a prefix no other word has.
pub fn is_recorded(name: &str) -> bool {
    let vllm = Catalog::vllm();
    let other = Embedded::owner(name).map(Embedded::catalog);
    mentions(name).next() == Some(0)
        || vllm.series_of(name).is_some()
        || other.is_some_and(|catalog| catalog.series_of(name).is_some())
}

/// The catalog of a folder in `catalog/`.
pub(super) fn read(name: &str) -> Catalog {
    let known = FOLDERS.iter().find(|(folder, ..)| *folder == name);
    let index = known.map(|(_, index, _)| Index::from_json(index));
    let index = index.expect("each product has an index");
    index.expect("a test reads each index").into_catalog()
}
