//! Labels of the selected series, as far as recordings show.

use super::QueryCx;
use crate::lint::scope::Scope;
use crate::lint::subject::{Known, Subject};
use crate::promql::ast::Selector;
use crate::promql::labels::{AnySeries, Labels, Leaf, LeafLabels, Possible};

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
        match (named.next(), named.next()) {
            (Some(series), None) => series.subject.labels(self.0.scope).clone(),
            _ => AnySeries.labels(selector),
        }
    }
}

/// The labels of a name's series, as far as recordings show.
pub(super) fn recorded(subject: &Subject<'_>, scope: &Scope<'_>) -> LeafLabels {
    let shapes = subject.shapes();
    let Some((first, more)) = shapes.split_first() else {
        return LeafLabels::unknown();
    };
    let le = subject.known().is_some_and(Known::is_bucket);
    let le = le.then(|| "le".into());
    let everywhere = |label: &&String| more.iter().all(|shape| shape.labels.contains(label));
    let sure = first.labels.iter().filter(everywhere);
    let all = shapes.iter().flat_map(|shape| &shape.labels);
    let all = all.chain(scope.added_labels());
    LeafLabels {
        sure: names(sure).chain(le.clone()).collect(),
        possible: match shapes.iter().any(|shape| shape.open_labels) {
            true => Possible::Open,
            false => Possible::Closed(names(all).chain(le).collect::<Labels>()),
        },
    }
}

fn names<'l>(labels: impl Iterator<Item = &'l String>) -> impl Iterator<Item = std::rc::Rc<str>> {
    labels.map(|label| label.as_str().into())
}
