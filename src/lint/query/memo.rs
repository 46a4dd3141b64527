//! What several rules ask of a query as a whole. A query may be very long: what looks at all of it is found out once.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use super::Series;
use super::patterns::Patterns;
use super::replacements::Replacements;
use crate::promql::usage::{Comparison, Holders, Kinds};

/// How many bytes of queries are read again to make the fixes of one query. Its length is read for each: without an end
/// to that, a query with a fix at each of many terms would take longer than anybody waits.
const MENDING: usize = 512 << 10;

/// Series of which all are looked at: asking again costs less than to remember.
pub(in crate::lint) const FEW: usize = 16;

/// What a value measures, where that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lint) enum Measure {
    /// A share of a whole, from 0 to 1.
    Fraction,
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
}

/// What was asked of a query, and what may still be done for it.
#[derive(Debug)]
pub(in crate::lint) struct Memo<'p> {
    /// All its expressions but the selectors.
    pub(in crate::lint) holders: Rc<Holders<'p>>,
    /// What they are: most rules have nothing to look for in most queries.
    pub(in crate::lint) kinds: Kinds,
    /// The patterns of its matchers, and of other queries'.
    pub(super) patterns: &'p Patterns,
    pub(super) comparisons: OnceCell<Vec<Comparison<'p>>>,
    pub(super) replacements: OnceCell<Replacements>,
    /// What operations measure, by their place in memory, with the index of a series that says so.
    pub(in crate::lint) measured: RefCell<HashMap<usize, Option<(Measure, usize)>>>,
    /// For each series the end of those behind it that measure the same.
    pub(in crate::lint) units: Runs,
    /// For each series the end of those behind it that are the same part of their families.
    pub(in crate::lint) parts: Runs,
    left: Cell<usize>,
}

impl<'p> Memo<'p> {
    pub(in crate::lint) fn new(holders: Rc<Holders<'p>>, patterns: &'p Patterns) -> Self {
        Self {
            kinds: holders.kinds(),
            holders,
            patterns,
            comparisons: OnceCell::new(),
            replacements: OnceCell::new(),
            measured: RefCell::default(),
            units: Runs::default(),
            parts: Runs::default(),
            left: Cell::new(MENDING),
        }
    }

    /// Takes the work of one more fix from what is left.
    pub(super) fn may_mend(&self, length: usize) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(length));
        left > 0
    }
}

/// Where runs of series that are alike end.
#[derive(Debug, Default)]
pub(in crate::lint) struct Runs(OnceCell<Vec<usize>>);

impl Runs {
    /// True when all series of a range are like its first, by the same `key` each time.
    pub(in crate::lint) fn are_alike<K: PartialEq>(
        &self,
        series: &[Series<'_, '_>],
        range: &Range<usize>,
        key: impl Fn(&Series<'_, '_>) -> K,
    ) -> bool {
        if range.len() <= FEW {
            let mut inside = series[range.clone()].iter();
            let first = inside.next().map(&key);
            return inside.all(|s| Some(key(s)) == first);
        }
        let ends = self.0.get_or_init(|| ends(series, key));
        ends[range.start] >= range.end
    }
}

fn ends<K: PartialEq>(series: &[Series<'_, '_>], key: impl Fn(&Series<'_, '_>) -> K) -> Vec<usize> {
    let runs = series.chunk_by(|a, b| key(a) == key(b));
    let mut ends = Vec::with_capacity(series.len());
    for run in runs {
        let end = ends.len() + run.len();
        ends.resize(end, end);
    }
    ends
}
