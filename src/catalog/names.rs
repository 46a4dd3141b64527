//! Names: series of a family, known or not, and what was probably meant.

use super::shape::MetricType;
use super::{Catalog, Family};
use crate::diag::nearest;

/// Which of a family's series a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Series {
    /// The family's own name; a histogram has no such series.
    Whole,
    /// `_bucket`
    Bucket,
    /// `_sum`
    Sum,
    /// `_count`
    Count,
    /// `_created`: the times at which the series began.
    Created,
}

impl Series {
    /// What it adds to the family's name; `_created` replaces a counter's `_total`.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Whole => "",
            Self::Bucket => "_bucket",
            Self::Sum => "_sum",
            Self::Count => "_count",
            Self::Created => "_created",
        }
    }
}

impl Catalog {
    /// The recorded family that a series name belongs to.
    pub fn series_of(&self, name: &str) -> Option<(&Family, Series)> {
        if let Some(family) = self.family(name) {
            return Some((family, Series::Whole));
        }
        let parts = [Series::Bucket, Series::Sum, Series::Count];
        let part = parts.into_iter().find_map(|series| {
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
            || self.unrecorded_of(name)
            || self.foreign.find(name).is_some()
    }

    /// All recorded families' names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.families.keys().map(String::as_str)
    }

    /// The known name that was probably meant: `vllm_x` for `vllm:x`, a counter without `_total`, a slip.
    pub fn suggest(&self, name: &str) -> Option<String> {
        let colon = match name.strip_prefix("vllm_") {
            Some(rest) => format!("vllm:{rest}"),
            None => name.to_owned(),
        };
        let exact = [
            Some(colon.clone()),
            Some(format!("{colon}_total")),
            colon.strip_suffix("_total").map(str::to_owned),
            Some(format!("vllm:{colon}")),
        ];
        let exact = exact
            .into_iter()
            .flatten()
            .filter(|candidate| candidate != name);
        if let Some(known) = exact.into_iter().find(|candidate| self.is_known(candidate)) {
            return Some(known);
        }
        let suffixes = [Series::Bucket, Series::Sum, Series::Count].map(Series::suffix);
        let suffix = suffixes
            .into_iter()
            .find(|s| colon.ends_with(s))
            .unwrap_or("");
        let base = colon.strip_suffix(suffix).unwrap_or(&colon);
        self.near(base).map(|found| format!("{found}{suffix}"))
    }

    /// Families of the newest release come first: nobody wants to be pointed at a removed one. A name of
    /// some other exporter's is never taken for ours.
    fn near(&self, base: &str) -> Option<&str> {
        let prefix = base
            .split_inclusive([':', '_'])
            .next()
            .filter(|p| p.len() < base.len())?;
        let alike = |name: &&str| name.starts_with(prefix);
        let newest = self.releases.last();
        let alive =
            |family: &&Family| newest.is_some_and(|r| !family.profiles_showing(r).is_empty());
        let current = self.families().filter(alive).map(Family::name);
        let others = self.names().chain(self.foreign.names());
        nearest(base, current.filter(alike)).or_else(|| nearest(base, others.filter(alike)))
    }

    fn unrecorded_of(&self, name: &str) -> bool {
        self.lineage.unrecorded.iter().any(|known| {
            let rest = name.strip_prefix(&known.family);
            rest.is_some_and(|rest| rest.is_empty() || known.kind.suffixes().contains(&rest))
        })
    }
}
