//! Labels of the selected series, as far as recordings show.

use std::collections::BTreeSet;

use super::QueryCx;
use crate::catalog::Shape;
use crate::promql::ast::Selector;
use crate::promql::labels::{AnySeries, Leaf, LeafLabels, Possible};

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
    fn labels(&self, selector: &Selector) -> LeafLabels {
        let same = |s: &&super::Series<'_, '_>| std::ptr::eq(s.context.selector, selector);
        let mut named = self.0.series_at(start(selector)).filter(same);
        let (Some(series), None) = (named.next(), named.next()) else {
            return AnySeries.labels(selector);
        };
        let shapes = series.subject.shapes();
        let mut labels = AnySeries.labels(selector);
        let own = |shape: &&Shape| shape.labels.iter().cloned().collect::<BTreeSet<_>>();
        let Some(first) = shapes.first() else {
            return labels;
        };
        let more = shapes.iter().skip(1);
        labels.sure = more.fold(own(first), |sure, shape| {
            sure.intersection(&own(shape)).cloned().collect()
        });
        labels
            .sure
            .extend(series.is_bucket().then(|| "le".to_owned()));
        if !shapes.iter().any(|shape| shape.open_labels) {
            let mut all: BTreeSet<_> = shapes.iter().flat_map(own).collect();
            all.extend(self.0.scope.added_labels().iter().cloned());
            all.extend(series.is_bucket().then(|| "le".to_owned()));
            labels.possible = Possible::Closed(all);
        }
        labels
    }
}
