//! Metadata of Kubernetes resources.

use super::context::Cx;
use super::fields::Fields;
use super::model::{Metadata, Pairs, Service, plain};
use slosmith_text::source::Span;

/// What the API server or `kubectl` write: it says nothing about the service.
const OF_THE_CLUSTER: [&str; 8] = [
    "creationTimestamp",
    "generation",
    "managedFields",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
    "name",
];
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

pub(super) struct Found {
    metadata: Metadata,
    at: Span,
}

impl Found {
    pub(super) fn namespace(&self) -> Option<&String> {
        self.metadata.namespace.as_ref()
    }

    pub(super) fn split(mut self, prefix: &str) -> (Self, Metadata) {
        let take = |pairs: &mut Pairs| {
            let all = std::mem::take(pairs).into_iter();
            let (own, others): (Vec<_>, Vec<_>) =
                all.partition(|(name, _)| name.starts_with(prefix));
            *pairs = others.into_iter().collect();
            let own = own.into_iter();
            own.map(|(name, value)| (name[prefix.len()..].to_owned(), value))
                .collect()
        };
        let labels = take(&mut self.metadata.labels);
        let annotations = take(&mut self.metadata.annotations);
        let marks = Metadata {
            labels,
            annotations,
            ..Metadata::default()
        };
        (self, marks)
    }
}

/// Reads `metadata`. The resources that a build writes have names of their own.
pub(super) fn metadata(cx: &mut Cx<'_>, fields: &mut Fields<'_>) -> Option<Found> {
    let mut fields = fields.required_map(cx, "metadata")?;
    let at = fields.span();
    fields.skip(&OF_THE_CLUSTER);
    let namespace = fields.text(cx, "namespace").map(|text| text.value);
    let labels = plain(&fields.pairs(cx, "labels"));
    let mut annotations = plain(&fields.pairs(cx, "annotations"));
    annotations.shift_remove(LAST_APPLIED);
    let comments = fields.finish(cx);
    let metadata = Metadata {
        namespace,
        labels,
        annotations,
        comments,
    };
    Some(Found { metadata, at })
}

pub(super) fn add(cx: &mut Cx<'_>, service: &mut Service, found: Option<Found>) {
    let Some(Found { metadata, at, .. }) = found else {
        return;
    };
    let own = &mut service.metadata;
    own.comments.extend(metadata.comments);
    let mut lost = Vec::new();
    match (&own.namespace, metadata.namespace) {
        (Some(known), Some(other)) if *known != other => {
            lost.push(format!(
                "namespace `{other}`: another resource of this service has `{known}`"
            ));
        }
        (None, Some(other)) => own.namespace = Some(other),
        _ => {}
    }
    merge(&mut own.labels, metadata.labels, "label", &mut lost);
    merge(
        &mut own.annotations,
        metadata.annotations,
        "annotation",
        &mut lost,
    );
    for what in lost {
        let comment = cx.lost(at, what, "");
        service.metadata.comments.push(comment);
    }
}

fn merge(own: &mut Pairs, more: Pairs, what: &str, lost: &mut Vec<String>) {
    for (name, value) in more {
        match own.get(&name) {
            Some(known) if *known != value => {
                lost.push(format!(
                    "{what} `{name}: {value}` of a resource: another resource has `{known}`"
                ));
            }
            Some(_) => {}
            None => drop(own.insert(name, value)),
        }
    }
}
