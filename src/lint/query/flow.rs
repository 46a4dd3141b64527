//! Labels of the selected series, as far as recordings show.

use super::QueryCx;
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
pub(super) struct Leaves<'q, 'c>(pub(super) QueryCx<'q, 'c>);

impl Leaf for Leaves<'_, '_> {
    fn labels(&self, selector: &Selector) -> Flow {
        let same = |s: &&super::Series<'_, '_>| std::ptr::eq(s.context.selector, selector);
        let mut named = self.0.series_at(start(selector)).filter(same);
        match (named.next(), named.next()) {
            (Some(series), None) => series.subject.labels(self.0.scope).clone(),
            _ => Flow::unknown(),
        }
    }
}
