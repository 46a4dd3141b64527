//! Names: series of a family, known or not, and what was probably meant.

use super::shape::MetricType;
use super::{Catalog, Family};
use crate::diag::nearest;
use crate::promql::{Series, split_series};

/// What Ray puts before the names of all metrics that programs in it publish.
const RAY: &str = "ray_";

/// A name as Ray serves it: with its prefix, and without colons.
pub fn in_ray(name: &str) -> String {
    format!("{RAY}{}", name.replace(':', "_"))
}

impl Catalog {
    /// What every name of the product's own begins with; empty when there is nothing of the kind.
    pub fn prefix(&self) -> &str {
        &self.lineage.prefix
    }

    /// The name with the product's own colon, when only that differs: `vllm:x` for `vllm_x`.
    pub fn own_spelling(&self, name: &str) -> Option<String> {
        let prefix = self.prefix();
        let rest = name
            .strip_prefix(prefix.strip_suffix(':')?)?
            .strip_prefix('_')?;
        Some(format!("{prefix}{rest}"))
    }

    /// The product's own name of a series that Ray serves: `vllm:x` for `ray_vllm_x` and `ray_vllm:x`.
    pub fn behind_ray(&self, name: &str) -> Option<String> {
        let inner = name.strip_prefix(RAY)?;
        let own = !self.prefix().is_empty() && inner.starts_with(self.prefix());
        if own {
            Some(inner.to_owned())
        } else {
            self.own_spelling(inner)
        }
    }

    /// The family known from source alone that a series name belongs to.
    pub fn unrecorded_series_of(&self, name: &str) -> Option<(String, Series)> {
        let known = |family: &str, series: Series| {
            let found = self.lineage.unrecorded(family)?;
            let has = series == Series::Whole || found.kind.suffixes().contains(&series.suffix());
            has.then(|| (family.to_owned(), series))
        };
        let (base, series) = split_series(name);
        known(name, Series::Whole).or_else(|| known(base, series))
    }

    /// The recorded family that a series name belongs to.
    pub fn series_of(&self, name: &str) -> Option<(&Family, Series)> {
        if let Some(family) = self.family(name) {
            return Some((family, Series::Whole));
        }
        let part = Series::OF_HISTOGRAM.into_iter().find_map(|series| {
            let family = self.family(name.strip_suffix(series.suffix())?)?;
            let has = |kind: MetricType| kind.suffixes().contains(&series.suffix());
            family
                .shapes()
                .iter()
                .any(|s| has(s.kind))
                .then_some((family, series))
        });
        part.or_else(|| {
            let base = name.strip_suffix(Series::Created.suffix())?;
            let family = self
                .family(base)
                .or_else(|| self.family(&format!("{base}_total")));
            Some((family.filter(|f| f.has_created())?, Series::Created))
        })
    }

    /// True when some release of vLLM or another exporter publishes the name, recorded or not.
    pub fn is_known(&self, name: &str) -> bool {
        self.series_of(name).is_some()
            || self.unrecorded_series_of(name).is_some()
            || self.foreign.find(name).is_some()
    }

    /// All recorded families' names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.families.keys().map(String::as_str)
    }

    /// The known name that was probably meant: `vllm_x` for `vllm:x`, a counter without `_total`, a slip.
    pub fn suggest(&self, name: &str) -> Option<String> {
        let colon = self.own_spelling(name).unwrap_or_else(|| name.to_owned());
        let exact = [
            Some(colon.clone()),
            Some(format!("{colon}_total")),
            colon.strip_suffix("_total").map(str::to_owned),
            Some(format!("{}{colon}", self.prefix())),
        ];
        let exact = exact
            .into_iter()
            .flatten()
            .filter(|candidate| candidate != name);
        if let Some(known) = exact.into_iter().find(|candidate| self.is_known(candidate)) {
            return Some(known);
        }
        let (base, series) = split_series(&colon);
        let suffix = series.suffix();
        self.near(base).map(|found| format!("{found}{suffix}"))
    }

    /// Families of the newest release come first, so that no removed one is suggested. A name of another exporter is never
    /// treated as one of vLLM.
    fn near(&self, base: &str) -> Option<&str> {
        let prefix = base
            .split_inclusive([':', '_'])
            .next()
            .filter(|p| p.len() < base.len())?;
        let alike = |name: &&str| name.starts_with(prefix);
        let families = self.families().filter(|family| alike(&family.name()));
        let newest = self.releases.last();
        let alive = |family: &&Family| newest.is_some_and(|r| family.is_on(r));
        let current = families.filter(alive).map(Family::name);
        let others = self.names().chain(self.foreign.names());
        nearest(base, current).or_else(|| nearest(base, others.filter(alike)))
    }
}
