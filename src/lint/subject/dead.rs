//! The reasons why releases do not expose a family.

use crate::catalog::{Coverage, Lifetime, ReleaseId};
use crate::lint::scope::Product;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dead {
    pub why: Why,
    pub releases: Vec<ReleaseId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    Removed,
    Hidden,
    Future,
    /// It needs another profile: names of profiles, or conditions in words.
    Conditional(Vec<String>),
}

/// The reasons, each with its releases.
pub(super) fn reasons(product: &Product<'_>, family: &str, coverage: &Coverage) -> Vec<Dead> {
    let life = product.catalog.first_last_in(family, &product.profiles);
    let life = life.or_else(|| product.catalog.first_last(family));
    let mut found: Vec<Dead> = Vec::new();
    for id in &coverage.absent {
        let why = reason(product, family, life.as_ref(), *id);
        match found.iter_mut().find(|dead| dead.why == why) {
            Some(dead) => dead.releases.push(*id),
            None => found.push(Dead {
                why,
                releases: vec![*id],
            }),
        }
    }
    found
}

fn reason(product: &Product<'_>, family: &str, life: Option<&Lifetime>, id: ReleaseId) -> Why {
    let catalog = product.catalog;
    let release = catalog.release(id);
    let version = release.version();
    if let Some(change) = catalog.lineage().change(family) {
        let since = |at: &Option<_>| at.as_ref().is_some_and(|at| version >= at);
        if since(&change.removed) {
            return Why::Removed;
        }
        if since(&change.hidden) {
            return Why::Hidden;
        }
    }
    let showing = catalog.family(family);
    let showing = showing.map_or_else(Vec::new, |family| family.profiles_adding(release));
    if !showing.is_empty() {
        return Why::Conditional(showing.into_iter().map(str::to_owned).collect());
    }
    match life {
        Some(life) if *version < life.first => Why::Future,
        Some(life) if life.last.as_ref().is_some_and(|last| version > last) => Why::Removed,
        // A gap between two releases that expose it.
        _ => Why::Future,
    }
}
