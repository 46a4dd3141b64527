//! The meaning of a metric name in a query.

mod unknown_metric;

use std::borrow::Cow;

use super::scope::Scope;
use slosmith_catalog::{
    Answer, Catalog, Coverage, Lifetime, MetricType, Product, ReleaseId, Series, Shape,
};
pub use unknown_metric::{Meant, UnknownMetric};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ties {
    pub servers: bool,
    /// A router in front of vLLM servers: names that both have belong to the router.
    pub router: bool,
}

#[derive(Clone, Debug)]
pub enum Subject<'c> {
    Known(Known<'c>),
    /// The same as another program exposes it, with unrecorded labels.
    Relabelled(Known<'c>),
    Unknown(UnknownMetric<'c>),
    Foreign(Shape),
    Declared(Shape),
    /// Probably a slip in the name of a declared series, which is given.
    Slip(String),
    Outside,
}

#[derive(Clone, Debug)]
pub struct Known<'c> {
    pub product: &'c Product<'c>,
    pub family: String,
    pub part: Series,
    pub present: Vec<ReleaseId>,
    pub dead: Vec<Dead>,
    pub shapes: Vec<&'c Shape>,
    pub answer: Answer,
    pub spelling: Option<&'c str>,
}

impl<'c> Subject<'c> {
    pub fn of(scope: &'c Scope<'c>, name: &str, ties: Ties) -> Self {
        if scope.is_recorded(name) {
            return Self::Outside;
        }
        if let Some(shape) = scope.declared_shape(name) {
            return shape.clone().map_or(Self::Outside, Self::Declared);
        }
        let products = || scope.products.iter();
        let foreign = Catalog::vllm().foreign();
        if ties.router
            && let Some(shape) = foreign.shape_elsewhere(name)
        {
            return Self::Foreign(shape);
        }
        let mut owners = products().filter(|product| ties.servers || product.owns(name));
        if let Some(known) = owners.find_map(|product| Known::of(product, name)) {
            return Self::Known(known);
        }
        if let Some(shape) = foreign.shape(name) {
            return Self::Foreign(shape);
        }
        let spelled = products().find_map(|product| Self::spelled(scope, product, name));
        if let Some(subject) = spelled.filter(|_| !scope.is_published(name)) {
            return subject;
        }
        let unknown = products().find_map(|product| UnknownMetric::of(product, name));
        let unknown = unknown.filter(|unknown| !unknown.is_elsewhere(scope, name));
        let slip = || scope.declared_name(name).map(Self::Slip);
        let unknown = unknown.map(Self::Unknown);
        unknown.or_else(slip).unwrap_or(Self::Outside)
    }

    /// A series under a prefix that stores have in the place of the product's own.
    fn spelled(scope: &'c Scope<'c>, product: &'c Product<'c>, name: &str) -> Option<Self> {
        let catalog = product.catalog;
        let known = catalog.spellings().iter();
        let known = known.map(|spelling| (spelling.prefix.as_str(), spelling.open));
        let set = scope.names_of(product).into_iter();
        let set = set.map(|prefix| (prefix, false));
        known.chain(set).find_map(|(prefix, open)| {
            let own = catalog.served(prefix, name)?;
            let spelled = |known| Known {
                spelling: (prefix != catalog.prefix()).then_some(prefix),
                ..known
            };
            match open {
                false => Known::of(product, &own).map(spelled).map(Self::Known),
                true => {
                    let names = [format!("{own}_total"), own];
                    let known = names.iter().rev().find_map(|name| Known::of(product, name));
                    known.map(spelled).map(Self::Relabelled)
                }
            }
        })
    }

    pub fn known(&self) -> Option<&Known<'c>> {
        match self {
            Self::Known(known) => Some(known),
            _ => None,
        }
    }

    /// The series, when a release has it, under whatever name.
    pub fn served(&self) -> Option<&Known<'c>> {
        match self {
            Self::Known(known) | Self::Relabelled(known) => Some(known),
            _ => None,
        }
    }

    pub fn is_bucket(&self) -> bool {
        match self {
            Self::Known(known) => known.is_bucket(),
            Self::Declared(shape) => shape.labels.iter().any(|label| label == "le"),
            _ => false,
        }
    }

    /// Its shapes on all releases that expose it; none if its labels are unknown.
    pub fn shapes(&self) -> Cow<'_, [&Shape]> {
        match self {
            Self::Known(known) => Cow::Borrowed(&known.shapes),
            Self::Foreign(shape) | Self::Declared(shape) => Cow::Owned(vec![shape]),
            Self::Relabelled(_) | Self::Unknown(_) | Self::Slip(_) | Self::Outside => {
                Cow::Borrowed(&[])
            }
        }
    }

    /// True if it has one of these types on every release that exposes it.
    pub fn is_surely(&self, kinds: &[MetricType]) -> bool {
        let shapes = match self {
            Self::Relabelled(known) => Cow::Borrowed(&*known.shapes),
            _ => self.shapes(),
        };
        !shapes.is_empty() && shapes.iter().all(|shape| kinds.contains(&shape.kind))
    }

    pub fn is_counter(&self) -> bool {
        match self {
            Self::Known(known) | Self::Relabelled(known) => match known.part {
                Series::Bucket | Series::Sum | Series::Count => true,
                Series::Whole => self.is_surely(&[MetricType::Counter]),
                Series::Created => false,
            },
            Self::Foreign(_) | Self::Declared(_) => self.is_surely(&[MetricType::Counter]),
            Self::Unknown(_) | Self::Slip(_) | Self::Outside => false,
        }
    }

    pub fn is_gauge(&self) -> bool {
        let is_other = |known: &Known<'_>| known.part != Series::Whole || known.counts();
        !self.served().is_some_and(is_other) && self.is_surely(&[MetricType::Gauge])
    }
}

impl<'c> Known<'c> {
    fn of(product: &'c Product<'c>, name: &str) -> Option<Self> {
        let catalog = product.catalog;
        let (family, part) = catalog.series_of(name)?;
        let family = family.name().to_owned();
        let coverage = catalog.coverage(&family, &product.selection, &product.profiles);
        let shape = |id: &ReleaseId| catalog.shape(&family, *id, &product.profiles);
        let mut shapes: Vec<_> = coverage.present.iter().filter_map(shape).collect();
        // A removed family keeps its type: a rate of a removed gauge is a mistake, too.
        if shapes.is_empty() {
            shapes.extend(catalog.family(&family).into_iter().flat_map(|f| f.shapes()));
        }
        shapes.sort();
        shapes.dedup();
        if part == Series::Whole && shapes.iter().any(|s| s.kind == MetricType::Histogram) {
            return None;
        }
        let mut dead = reasons(product, &family, &coverage);
        let mut present = coverage.present;
        // A family of another type has no such series.
        let serves = |id: &ReleaseId| shape(id).is_none_or(|shape| shape.serves(part));
        let without: Vec<_> = present.extract_if(.., |id| !serves(id)).collect();
        if let Some(last) = without.last() {
            let releases = catalog.select_all().releases.into_iter();
            let mut newer = releases.filter(|id| id > last);
            let begins = newer.any(|id| shape(&id).is_some_and(|shape| shape.serves(part)));
            dead.push(Dead {
                why: if begins { Why::Future } else { Why::Removed },
                releases: without,
            });
        }
        if product.is_open(&family) {
            // A page does not prove that a release lacks it; lineage does.
            let change = catalog.lineage().change(&family);
            dead.retain(|dead| change.is_some() && dead.why == Why::Removed);
        }
        Some(Self {
            dead,
            present,
            answer: coverage.answer,
            product,
            family,
            part,
            shapes,
            spelling: None,
        })
    }

    pub fn is_bucket(&self) -> bool {
        self.part == Series::Bucket
    }

    pub fn is_alive(&self) -> bool {
        self.dead.is_empty()
    }

    /// True for a family under the name that it had before it became a counter: it counted then, too, whatever its page called it.
    fn counts(&self) -> bool {
        let catalog = self.product.catalog;
        let newer = catalog.lineage().successor(&self.family);
        let newer = newer.and_then(|newer| catalog.family(newer)?.shapes().last());
        newer.is_some_and(|shape| shape.kind == MetricType::Counter)
    }

    pub fn in_family(&self, family: &str) -> String {
        format!("{}{}", self.spelled(family), self.part.suffix())
    }

    pub fn in_served_family(&self) -> String {
        format!("{}{}", self.family, self.part.suffix())
    }

    pub fn spelled(&self, name: &str) -> String {
        match self.spelling {
            Some(prefix) => self.product.catalog.stored(prefix, name),
            None => name.to_owned(),
        }
    }
}

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

fn reasons(product: &Product<'_>, family: &str, coverage: &Coverage) -> Vec<Dead> {
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
