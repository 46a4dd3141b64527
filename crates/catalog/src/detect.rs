//! A page of a running server → the releases and profiles that write such a page.
//!
//! No vLLM page names its release. Its families do: each came with one release, and some went with another. So do types of families,
//! and labels that no option adds or leaves out.
//! [`Catalog::detect`] tells which recorded releases fit; [`Catalog::contradictions`] says what is against a claim.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::exposition::{Page, PageFamily};
use super::lineage::{DEFAULT_PROFILE, covers};
use super::release::{PageEntry, Release, ReleaseId};
use super::shape::{MetricType, Shape};
use super::version::{Range, Version};
use super::{Catalog, Family, Lifetime, Selection, Series};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Server {
    /// The recorded releases that write such a page, oldest first; none when no recorded release does.
    pub releases: Vec<ReleaseId>,
    /// The profiles that explain the page on the newest of them, sorted; the default one when it explains all.
    pub profiles: Vec<String>,
    /// The values of `model_name`, in the order of the page.
    pub models: Vec<String>,
    /// Bucket boundaries that an option of the server replaced, without `+Inf`, by the option's key.
    pub buckets: BTreeMap<String, Vec<String>>,
    pub unknown: Vec<String>,
}

/// Something on a page that a release does not write so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contradiction {
    /// The page has a family that the release does not serve.
    Unserved { family: String, life: Lifetime },
    Elsewhere {
        family: String,
        profiles: Vec<String>,
    },
    /// The page has a family with another type than every server of the release.
    Kind { family: String, kind: MetricType },
    /// The page has a family with a label that no server of the release shows there, or without one that each shows.
    Label {
        family: String,
        label: String,
        is_on_page: bool,
    },
    /// The page lacks a family that every server of the release shows from its start.
    Missing { family: String },
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unserved { family, life } => {
                write!(f, "the `/metrics` output has `{family}`, which exists ")?;
                match &life.last {
                    Some(last) => write!(f, "only from {} to {last}", life.first),
                    None => write!(f, "only since {}", life.first),
                }
            }
            Self::Elsewhere { family, profiles } => write!(
                f,
                "the `/metrics` output has `{family}`, which belongs to the profile {}",
                profiles.join(" or ")
            ),
            Self::Kind { family, kind } => write!(
                f,
                "the `/metrics` output has `{family}` as a {kind}, which is another type on that release"
            ),
            Self::Label {
                family,
                label,
                is_on_page,
            } => {
                let (with, every) = match is_on_page {
                    true => ("with", "no server"),
                    false => ("without", "every server"),
                };
                write!(
                    f,
                    "the `/metrics` output has `{family}` {with} the label `{label}`, which {every} of that release exposes"
                )
            }
            Self::Missing { family } => write!(
                f,
                "the `/metrics` output lacks `{family}`, which every server of that release exposes"
            ),
        }
    }
}

impl Catalog {
    /// What a page says about the server that wrote it; `None` when no family on it is the product's.
    pub fn detect(&self, page: &Page) -> Option<Server> {
        let names = page.families.iter().map(|family| family.name.as_str());
        let own: Vec<_> = names.filter(|name| self.claims(name)).collect();
        if own.is_empty() {
            return None;
        }
        let unknown = own.into_iter().filter(|name| !self.is_known(name));
        let known = self.families_on(page);
        let fits = |release: &&Release| self.against(&known, release).is_empty();
        let fitting: Vec<_> = self.releases().iter().filter(fits).collect();
        let profiles = fitting.last().map(|release| self.explain(&known, release));
        let profiles = profiles.unwrap_or_default();
        let buckets = fitting
            .last()
            .map(|release| self.own_buckets(page, release, &profiles));
        Some(Server {
            releases: fitting.iter().map(|release| release.id()).collect(),
            profiles,
            models: models(page),
            buckets: buckets.unwrap_or_default(),
            unknown: unknown.map(str::to_owned).collect(),
        })
    }

    /// What on a page of vLLM no server of this version writes so; empty for other programs' pages.
    ///
    /// A version without a recording is checked against its neighbours, one older than all recordings not at all.
    pub fn contradictions(&self, page: &Page, version: &Version) -> Vec<Contradiction> {
        let known = self.families_on(page);
        let Ok(selection) = self.select(&Range::exact(version.clone())) else {
            return Vec::new();
        };
        let releases = selection.releases.iter();
        let mut against = releases.map(|id| self.against(&known, self.release(*id)));
        let mut found = against.next().unwrap_or_default();
        for other in against {
            found.retain(|contradiction| other.contains(contradiction));
        }
        // The newest recording does not say what later releases still show.
        let newest = self.releases().last().map(Release::version);
        if newest.is_some_and(|newest| version > newest) {
            found.retain(|c| matches!(c, Contradiction::Unserved { .. }));
        }
        found
    }

    pub fn contradictions_of_profile(
        &self,
        page: &Page,
        version: &Version,
        profile: &str,
    ) -> Vec<Contradiction> {
        let release = self.find_release(version);
        let Some(release) = release.filter(|release| release.page(profile).is_some()) else {
            return Vec::new();
        };
        let known = self.families_on(page).into_iter();
        let known = known.map(|known| known.family);
        let other = known.filter(|family| family.in_profile(release, profile).is_none());
        let elsewhere = other.map(|family| Contradiction::Elsewhere {
            family: family.name().to_owned(),
            profiles: owned(family.profiles_adding(release)),
        });
        let proven = |c: &Contradiction| matches!(c, Contradiction::Elsewhere { profiles, .. } if !profiles.is_empty());
        elsewhere.filter(proven).collect()
    }

    /// A range of whole minor releases around recorded ones, such as `>=0.20, <0.24`; `None` without any.
    pub fn range_of(&self, releases: &[ReleaseId]) -> Option<String> {
        let (first, last) = (releases.first()?, releases.last()?);
        let minor = |id: &ReleaseId| {
            let parts = self.release(*id).version().release().to_vec();
            (
                parts.first().copied().unwrap_or(0),
                parts.get(1).copied().unwrap_or(0),
            )
        };
        let beside = |at: Option<usize>| self.releases().get(at?).map(Release::id);
        let before = beside(first.index().checked_sub(1));
        let from = match before.is_some_and(|before| minor(&before) == minor(first)) {
            true => self.release(*first).version().to_string(),
            false => format!("{}.{}", minor(first).0, minor(first).1),
        };
        let after = beside(Some(last.index() + 1)).filter(|after| minor(after) == minor(last));
        let to = match after {
            Some(after) => self.release(after).version().to_string(),
            None => format!("{}.{}", minor(last).0, minor(last).1 + 1),
        };
        Some(format!(">={from}, <{to}"))
    }

    /// Boundaries on a page of the histograms of a key of `--custom-histogram-buckets`, without `+Inf`; empty without such a
    /// histogram.
    pub fn boundaries(&self, page: &Page, key: &str) -> Vec<String> {
        let option = self.lineage().open.own_buckets.as_ref();
        let families = option.and_then(|option| option.keys.get(key)).into_iter();
        let found = families.flatten().find_map(|name| page.family(name));
        let bounds = found.map(PageFamily::buckets).unwrap_or_default();
        bounds.into_iter().filter(|le| le != "+Inf").collect()
    }

    /// Boundaries on a page that are not the recorded ones of the release, by the key of the option that replaces them.
    fn own_buckets(
        &self,
        page: &Page,
        release: &Release,
        profiles: &[String],
    ) -> BTreeMap<String, Vec<String>> {
        let option = self.lineage().open.own_buckets.as_ref();
        let option = option.filter(|option| *release.version() >= option.first);
        let own = |(key, families): (&String, &Vec<String>)| {
            let found = self.boundaries(page, key);
            let on_page = families.iter().find(|name| page.family(name).is_some())?;
            let shape = self.family(on_page)?.visible_in(release, profiles)?;
            let recorded = shape.buckets.iter().filter(|le| *le != "+Inf");
            let bound = |le: &String| le.parse::<f64>().ok();
            let is_recorded = found.iter().map(bound).eq(recorded.map(bound));
            let is_own = !shape.open_buckets && !found.is_empty() && !is_recorded;
            is_own.then(|| (key.clone(), found))
        };
        let keys = option.iter().flat_map(|option| &option.keys);
        keys.filter_map(own).collect()
    }

    /// The recorded families of the server that a page has, each once, in the order of their names.
    fn families_on<'p>(&self, page: &'p Page) -> Vec<OnPage<'_, 'p>> {
        let mut found: BTreeMap<&str, OnPage<'_, 'p>> = BTreeMap::new();
        for shown in &page.families {
            let Some((family, series)) = self.series_of(&shown.name) else {
                continue;
            };
            if self.claims(family.name()) {
                let on_page = found.entry(family.name()).or_insert_with(|| OnPage {
                    family,
                    shown: Vec::new(),
                });
                // Times of creation are gauges.
                on_page
                    .shown
                    .extend((series == Series::Whole).then_some(shown));
            }
        }
        found.into_values().collect()
    }

    fn against(&self, known: &[OnPage<'_, '_>], release: &Release) -> Vec<Contradiction> {
        let unserved = known
            .iter()
            .map(|known| known.family)
            .filter(|family| !self.may_serve(family, release))
            .filter_map(|family| {
                Some(Contradiction::Unserved {
                    family: family.name().to_owned(),
                    life: self.first_last(family.name())?,
                })
            });
        let unlike = known.iter().flat_map(|known| self.unlike(known, release));
        let has = |family: &Family| known.iter().any(|k| k.family.name() == family.name());
        let missing = self
            .certain(release)
            .filter(|family| !has(family))
            .map(|family| Contradiction::Missing {
                family: family.name().to_owned(),
            });
        match known {
            [] => Vec::new(),
            _ => unserved.chain(unlike).chain(missing).collect(),
        }
    }

    /// How a family differs from all recordings of a release that show it.
    fn unlike(&self, known: &OnPage<'_, '_>, release: &Release) -> Vec<Contradiction> {
        let family = known.family.name();
        let shapes = release.profiles();
        let shapes = shapes.filter_map(|profile| known.family.in_profile(release, profile));
        let shapes: Vec<_> = shapes.collect();
        let kind = known.shown.iter().find_map(|shown| {
            let is_known = |kind: MetricType| kind != MetricType::Untyped;
            let is_other = |shape: &&Shape| is_known(shape.kind) && shape.kind != shown.kind;
            let is_listed = || {
                self.lineage()
                    .open
                    .families
                    .iter()
                    .any(|p| covers(p, family))
            };
            let all_other = !shapes.is_empty() && shapes.iter().all(is_other);
            (is_known(shown.kind) && all_other && !is_listed()).then_some(shown.kind)
        });
        let kind = kind.map(|kind| Contradiction::Kind {
            family: family.to_owned(),
            kind,
        });
        let labels = known.labels();
        let differs = |shape: &&Shape| {
            let mut fixed = self.fixed_labels(family);
            fixed.find(|label| shape.has_label(label) != labels.contains(label))
        };
        let has_labels = |shape: &&&Shape| shape.has_recorded_labels();
        let mut differing = shapes.iter().filter(has_labels).map(differs);
        let first = differing.next().flatten().filter(|_| !labels.is_empty());
        let label = first.filter(|_| differing.all(|other| other.is_some()));
        let label = label.map(|label| Contradiction::Label {
            family: family.to_owned(),
            label: label.to_owned(),
            is_on_page: labels.contains(label),
        });
        kind.into_iter().chain(label).collect()
    }

    /// The labels of a family that no option adds or leaves out.
    fn fixed_labels(&self, family: &str) -> impl Iterator<Item = &str> {
        let fixed = self.lineage().fixed_labels.iter();
        let own = fixed.filter(move |fixed| fixed.families.iter().any(|p| covers(p, family)));
        own.flat_map(|fixed| &fixed.labels).map(String::as_str)
    }

    /// False when a recording proves that a release has no such family: one of a profile that shows it elsewhere.
    fn may_serve(&self, family: &Family, release: &Release) -> bool {
        let life = self.first_last(family.name());
        let alive = life.is_some_and(|life| {
            let version = release.version();
            life.first <= *version && life.last.is_none_or(|last| *version <= last)
        });
        alive || !family.pages().any(|page| release.page(page).is_some())
    }

    /// The families that every server of a release shows from its start, however it was started.
    fn certain<'a>(&'a self, release: &'a Release) -> impl Iterator<Item = &'a Family> {
        // A server that can run the old engine may show its few families instead.
        let old = |release: &&Release| release.pages().any(|(_, page)| page.engine != "v1");
        let last_old = self.releases().iter().rfind(old);
        let one_engine = last_old.is_none_or(|old| old.id() < release.id());
        let selection = Selection {
            releases: vec![release.id()],
            unrecorded: None,
            notes: Vec::new(),
        };
        let whole = |(name, page): (&'a str, &'a PageEntry)| page.base.is_none().then_some(name);
        self.visible(release, DEFAULT_PROFILE)
            .map(|(family, _)| family)
            .filter(move |family| one_engine && self.present_from_start(family.name(), &selection))
            .filter(move |family| {
                let mut whole = release.pages().filter_map(whole);
                whole.all(|profile| family.in_profile(release, profile).is_some())
            })
    }

    /// The fewest profiles that show what the default one lacks, sorted.
    fn explain(&self, known: &[OnPage<'_, '_>], release: &Release) -> Vec<String> {
        let shows = |profile: &str, family: &Family| family.in_profile(release, profile).is_some();
        let on_page = |family: &Family| known.iter().any(|k| k.family.name() == family.name());
        let mut open: Vec<_> = known.iter().map(|known| known.family).collect();
        open.retain(|family| !shows(DEFAULT_PROFILE, family));
        let mut found = BTreeSet::new();
        while !open.is_empty() {
            let explained = |profile: &str| open.iter().filter(|f| shows(profile, f)).count();
            let absent = |profile: &str| {
                let shown = self.visible(release, profile);
                shown.filter(|(family, _)| !on_page(family)).count()
            };
            let candidates = release.profiles().filter(|profile| explained(profile) > 0);
            // Of those that explain as many, the one that shows the least that the page lacks; of these, the first by name.
            let best = candidates.min_by_key(|p| (std::cmp::Reverse(explained(p)), absent(p)));
            let Some(best) = best else {
                break;
            };
            open.retain(|family| !shows(best, family));
            found.insert(best.to_owned());
        }
        if found.is_empty() {
            found.insert(DEFAULT_PROFILE.to_owned());
        }
        found.into_iter().collect()
    }
}

struct OnPage<'c, 'p> {
    family: &'c Family,
    shown: Vec<&'p PageFamily>,
}

impl OnPage<'_, '_> {
    /// The labels of all its samples; none without a sample.
    fn labels(&self) -> BTreeSet<&str> {
        let samples = self.shown.iter().flat_map(|shown| &shown.samples);
        let labels = samples.flat_map(|sample| &sample.labels);
        labels.map(|(label, _)| label.as_str()).collect()
    }
}

fn owned(names: Vec<&str>) -> Vec<String> {
    names.into_iter().map(str::to_owned).collect()
}

/// The values of `model_name`, in the order of the page.
fn models(page: &Page) -> Vec<String> {
    let samples = page.families.iter().flat_map(|family| &family.samples);
    let mut found: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    for name in samples.filter_map(|sample| sample.label("model_name")) {
        if seen.insert(name) {
            found.push(name.to_owned());
        }
    }
    found
}
