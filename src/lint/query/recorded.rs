//! Labels of a name's series, as far as recordings show.

use std::rc::Rc;

use crate::lint::scope::Scope;
use crate::lint::subject::{Known, Subject};
use crate::promql::labels::Flow;

/// The labels that each series of a name has, and those that some may have.
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
    let more = (!is_open).then(|| names(all).collect());
    Flow::of_series(names(sure).chain(le).collect(), more)
}

fn names<'l>(labels: impl Iterator<Item = &'l String>) -> impl Iterator<Item = Rc<str>> {
    labels.map(|label| label.as_str().into())
}
