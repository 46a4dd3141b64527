//! Cached facts about a whole query. A query may be very long, so each fact is computed once.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use super::Series;
use super::patterns::Patterns;
use super::replacements::Replacements;
use crate::promql::usage::{Comparison, Holders, Kinds};

/// The limit of bytes that are parsed again for the fixes of one query. Each fix parses the whole query: without a limit,
/// a long query with many fixes would take too long.
const FIXING: usize = 512 << 10;

/// The number of series up to which a scan is cheaper than a cache.
pub(in crate::lint) const FEW: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lint) enum Measure {
    Fraction,
    Seconds,
    Milliseconds,
}

/// Cached facts about a query, and the remaining budget for fixes.
#[derive(Debug)]
pub(in crate::lint) struct Memo<'p> {
    pub(in crate::lint) holders: Rc<Holders<'p>>,
    pub(in crate::lint) kinds: Kinds,
    /// Compiled patterns of its matchers, shared with other queries.
    pub(super) patterns: &'p Patterns,
    pub(super) comparisons: OnceCell<Vec<Comparison<'p>>>,
    pub(super) replacements: OnceCell<Replacements>,
    /// The kind of value of operations, by address, with the index of a series of this kind.
    pub(in crate::lint) measured: RefCell<HashMap<usize, Option<(Measure, usize)>>>,
    /// For each series, the end of the run of series with the same kind of value.
    pub(in crate::lint) units: Runs,
    /// For each series, the end of the run of series that are the same part of a family.
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
            left: Cell::new(FIXING),
        }
    }

    /// True if the budget is not spent; subtracts the work of one more fix from it.
    pub(super) fn may_fix(&self, length: usize) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(length));
        left > 0
    }
}

#[derive(Debug, Default)]
pub(in crate::lint) struct Runs(OnceCell<Vec<usize>>);

impl Runs {
    /// True if all series of a range have the same `key`; the key function must be the same in each call.
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
