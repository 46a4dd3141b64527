//! Names: series of a family, known or not, and what was probably meant.

use super::lineage::Spelling;
use super::shape::MetricType;
use super::{Catalog, Family};
use crate::diag::nearest;
use crate::promql::{Series, split_series};

/// Help for a text that [`is_prefix`] rejects.
pub const PREFIX_HELP: &str =
    "use letters, digits and `_`, and `:` or `_` at the end, as in `vllm_`";

/// True for a text that names of a store can begin with: `vllm_`, `ray_vllm:`.
pub fn is_prefix(text: &str) -> bool {
    let word = text.strip_suffix([':', '_']).unwrap_or_default();
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    word.starts_with(|c: char| fits(c) && !c.is_ascii_digit()) && word.chars().all(fits)
}

impl Catalog {
    /// What every name of the product's own begins with; empty when there is nothing of the kind.
    pub fn prefix(&self) -> &str {
        &self.lineage.prefix
    }

    /// The served name of a series that is stored with `prefix`: `vllm:x` for `ray_vllm_x`.
    pub fn served(&self, prefix: &str, stored: &str) -> Option<String> {
        let own = self.prefix();
        let rest = stored.strip_prefix(prefix).filter(|_| !own.is_empty())?;
        Some(format!("{own}{rest}"))
    }

    /// The name of a series in a store that has `prefix` in the place of the product's own.
    pub fn stored(&self, prefix: &str, served: &str) -> String {
        match served.strip_prefix(self.prefix()) {
            Some(rest) if !self.prefix().is_empty() => format!("{prefix}{rest}"),
            _ => served.to_owned(),
        }
    }

    /// The prefix of a vLLM name in a store: `ray_vllm_` of `ray_vllm_num_requests_waiting`.
    pub fn prefix_of<'n>(&self, stored: &'n str) -> Option<&'n str> {
        let word = self.prefix().trim_end_matches(':');
        let end = stored.find(word).filter(|_| !word.is_empty())? + word.len() + 1;
        let prefix = stored.get(..end).filter(|prefix| is_prefix(prefix))?;
        let served = self.served(prefix, stored)?;
        let known = |name: &str| self.is_known(name);
        (known(&served) || known(&format!("{served}_total"))).then_some(prefix)
    }

    /// A prefix of some stores that is not the product's own.
    pub fn spelling(&self, prefix: &str) -> Option<&Spelling> {
        let mut spellings = self.lineage.spellings.iter();
        spellings.find(|spelling| spelling.prefix == prefix)
    }

    /// True for the product's own prefix with another separator, which may be a mistake: `vllm_`.
    pub fn is_ambiguous(&self, prefix: &str) -> bool {
        let word = |prefix: &str| prefix.trim_end_matches([':', '_']).to_owned();
        prefix != self.prefix() && word(prefix) == word(self.prefix())
    }

    /// The served name of a series, if only a known prefix of some stores differs: `vllm:x` for `vllm_x`.
    pub fn own_spelling(&self, name: &str) -> Option<String> {
        let mut spellings = self.lineage.spellings.iter();
        spellings.find_map(|spelling| self.served(&spelling.prefix, name))
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
