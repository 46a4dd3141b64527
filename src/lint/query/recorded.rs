//! Labels of a name's series, as far as recordings show.

use std::rc::Rc;

use crate::lint::scope::Scope;
use crate::lint::subject::{Known, Subject};
use crate::promql::labels::Flow;

/// The labels that each series of a name has, and those that it never has: `unknown-label` reports them.
pub(super) fn recorded(subject: &Subject<'_>, scope: &Scope<'_>) -> Flow {
    let shapes = subject.shapes();
    let Some((first, more)) = shapes.split_first() else {
        return Flow::unknown();
    };
    let le = subject.known().is_some_and(Known::is_bucket);
    let le = le.then(|| "le".into());
    let everywhere = |label: &&String| more.iter().all(|shape| shape.labels.contains(label));
    let sure = first.labels.iter().filter(everywhere);
    let all = shapes.iter().flat_map(|shape| &shape.labels);
    let all = all.chain(scope.added_labels());
    let is_open = shapes.iter().any(|shape| shape.open_labels);
    if !is_open && scope.has_all_labels() {
        return Flow::of_series(names(sure).chain(le).collect(), Some(names(all).collect()));
    }
    // A scrape may add any label, but hardly one that the product uses for something else.
    let has = |label: &str| shapes.iter().any(|shape| shape.may_have_label(label));
    let added = |label: &str| scope.added_labels().contains(label);
    let others = scope.own_labels().iter().copied();
    let others = others.filter(|label| !has(label) && !added(label));
    let no_buckets = subject.known().is_some_and(|known| !known.is_bucket());
    let others = others.chain(no_buckets.then_some("le"));
    let flow = Flow::of_series(names(sure).chain(le).collect(), None);
    others.fold(flow, Flow::without)
}

fn names<'l>(labels: impl Iterator<Item = &'l String>) -> impl Iterator<Item = Rc<str>> {
    labels.map(|label| label.as_str().into())
}
