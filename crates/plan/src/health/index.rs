//! Pages by series and by group, so that a page of many series costs no more than its length.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::Pages;
use crate::plan::Family;
use slosmith_catalog as catalog;
use slosmith_catalog::exposition::{Page, Sample};
use slosmith_promql::{self as promql, ast::MatchOp};

/// Labels with the values that make a group; empty for the whole server.
pub(super) type Group = Vec<(String, String)>;

/// `cluster=a, model_name=m`
pub(super) fn named(group: &Group) -> String {
    let pairs = group
        .iter()
        .map(|(label, value)| format!("{label}={value}"));
    pairs.collect::<Vec<_>>().join(", ")
}

pub(super) struct Indexed<'p> {
    pub(super) now: PageIndex<'p>,
    /// An earlier one, and the seconds between the two.
    pub(super) since: Option<(PageIndex<'p>, f64)>,
    /// True when nothing stands for the earlier one: what is counted was counted since the server started.
    from_start: bool,
}

impl<'p> Indexed<'p> {
    pub(super) fn new(pages: Pages<'p>) -> Self {
        let since = pages.since;
        Self {
            now: PageIndex::new(pages.now),
            since: since.map(|(page, seconds)| (PageIndex::new(page), seconds)),
            from_start: false,
        }
    }

    /// The same pages for what needs an earlier one, but not the time between the two: a server starts with no series.
    pub(super) fn or_since_start(pages: Pages<'p>) -> Self {
        let from_start = pages.since.is_none();
        let since = pages.since.or(Some((&NOTHING, 1.0)));
        Self {
            from_start,
            ..Self::new(Pages { since, ..pages })
        }
    }

    /// The time that is counted over, for people.
    pub(super) fn span(&self) -> &'static str {
        match self.from_start {
            true => "since the server started",
            false => "between the two snapshots",
        }
    }

    pub(super) fn seconds(&self) -> f64 {
        self.since.as_ref().map_or(1.0, |(_, seconds)| *seconds)
    }
}

/// What a server shows before it starts.
static NOTHING: Page = Page {
    families: Vec::new(),
    problems: Vec::new(),
};

pub(super) struct PageIndex<'p> {
    by_name: BTreeMap<&'p str, Vec<&'p Sample>>,
    by_series: BTreeMap<Series<'p>, f64>,
    grouped: RefCell<BTreeMap<Selection, Rc<Grouped<'p>>>>,
}

/// Name and labels, sorted.
type Series<'s> = (&'s str, Vec<(&'s str, &'s str)>);

/// A selection of samples: names, matchers, and the labels that group them.
type Selection = (
    Vec<String>,
    Vec<(String, &'static str, String)>,
    Vec<String>,
);

/// Samples by which of the grouping labels they have, and then by the values of these.
type Grouped<'p> = BTreeMap<Vec<bool>, BTreeMap<Vec<&'p str>, Vec<&'p Sample>>>;

impl<'p> PageIndex<'p> {
    fn new(page: &'p Page) -> Self {
        let mut by_name = BTreeMap::<_, Vec<_>>::new();
        let mut by_series = BTreeMap::new();
        for sample in page.families.iter().flat_map(|family| &family.samples) {
            by_name.entry(&*sample.name).or_default().push(sample);
            by_series.entry(series(sample)).or_insert(sample.value);
        }
        Self {
            by_name,
            by_series,
            grouped: RefCell::default(),
        }
    }

    /// The value of the same series on this page.
    pub(super) fn same(&self, sample: &Sample) -> Option<f64> {
        self.by_series.get(&series(sample)).copied()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Samples of a family under any of its names, in a group. What the scrape adds is on no page, so that a
    /// matcher on a label that no sample has selects them all.
    pub(super) fn samples(
        &self,
        family: &Family,
        series: catalog::Series,
        group: &Group,
    ) -> Vec<&'p Sample> {
        let matchers = family.matchers.iter();
        let selection = (
            family
                .served
                .iter()
                .map(|n| format!("{n}{}", series.suffix()))
                .collect(),
            matchers
                .map(|(l, op, v)| (l.clone(), op.symbol(), v.clone()))
                .collect(),
            group.iter().map(|(label, _)| label.clone()).collect(),
        );
        let mut known = self.grouped.borrow_mut();
        let grouped = known
            .entry(selection)
            .or_insert_with_key(|(names, _, labels)| Rc::new(self.group(names, family, labels)));
        let mut found = Vec::new();
        for (mask, by_values) in &**grouped {
            let wanted = group.iter().zip(mask).filter(|(_, has)| **has);
            let wanted: Vec<&str> = wanted.map(|((_, value), _)| value.as_str()).collect();
            found.extend(by_values.get(&wanted).into_iter().flatten().copied());
        }
        found
    }

    fn group(&self, names: &[String], family: &Family, labels: &[String]) -> Grouped<'p> {
        let matchers: Vec<_> = family.matchers.iter().map(Matcher::new).collect();
        let all = names
            .iter()
            .filter_map(|name| self.by_name.get(name.as_str()));
        let mut grouped = Grouped::new();
        for sample in all.flatten().filter(|s| matchers.iter().all(|m| m.fits(s))) {
            let values: Vec<_> = labels.iter().map(|label| sample.label(label)).collect();
            let mask = values.iter().map(Option::is_some).collect();
            let by_values = grouped.entry(mask).or_default();
            let there = values.into_iter().flatten().collect();
            by_values.entry(there).or_default().push(*sample);
        }
        grouped
    }
}

fn series(sample: &Sample) -> Series<'_> {
    let labels = sample.labels.iter();
    let mut labels: Vec<_> = labels.map(|(l, v)| (l.as_str(), v.as_str())).collect();
    labels.sort_unstable();
    (&sample.name, labels)
}

/// A matcher whose pattern is made once.
struct Matcher<'f> {
    label: &'f str,
    fits: Box<dyn Fn(&str) -> bool + 'f>,
}

impl<'f> Matcher<'f> {
    fn new((label, op, wanted): &'f (String, MatchOp, String)) -> Self {
        let pattern = promql::matcher(wanted);
        let matches = move |value: &str| pattern.as_ref().map(|matches| matches(value));
        let fits: Box<dyn Fn(&str) -> bool> = match op {
            MatchOp::Equal => Box::new(move |value| value == wanted),
            MatchOp::NotEqual => Box::new(move |value| value != wanted),
            MatchOp::Match => Box::new(move |value| matches(value) == Some(true)),
            MatchOp::NotMatch => Box::new(move |value| matches(value) == Some(false)),
        };
        Self { label, fits }
    }

    fn fits(&self, sample: &Sample) -> bool {
        sample.label(self.label).is_none_or(&self.fits)
    }
}
