//! Labels of the selected series, as far as recordings show.

use super::QueryCx;
use super::labels::may_have;
use crate::promql::ast::Selector;
use crate::promql::labels::{Flow, Leaf};

/// Where a selector starts in its query.
fn start(selector: &Selector) -> usize {
    match &selector.metric {
        Some(metric) if !metric.quoted => metric.span.start,
        _ => selector.braces.start,
    }
}

/// What the catalogs know of each selector of a query.
pub(super) struct Leaves<'q, 'c, 'l> {
    pub(super) cx: QueryCx<'q, 'c>,
    /// A label to look for: a slip for one that a series has is on no series.
    pub(super) label: Option<&'l str>,
}

impl Leaf for Leaves<'_, '_, '_> {
    fn labels(&self, selector: &Selector) -> Flow {
        let same = |s: &&super::Series<'_, '_>| std::ptr::eq(s.context.selector, selector);
        let cx = &self.cx;
        let mut named = cx.series_at(start(selector)).filter(same);
        let (Some(series), None) = (named.next(), named.next()) else {
            return Flow::unknown();
        };
        let flow = series.subject.labels(cx.scope).clone();
        match self.label.filter(|label| !may_have(cx, series, label)) {
            Some(label) => flow.without(label),
            None => flow,
        }
    }
}
