//! Resources for Kubernetes: metadata, and where monitors take target labels from.
//!
//! `jobs: {vllm: {kubernetes: {pods: {app: vllm}, port: http, labels: {cluster: eu-1}}}}` becomes a `PodMonitor` whose
//! targets have the label `cluster`; `namespace` and `pod` the operator adds itself.

use indexmap::IndexMap;

use super::context::Context;
use super::labels::SCRAPE_LABELS;
use slosmith_plan::plan::{Discovery, Kind, Kubernetes, LabelSource};
use slosmith_spec::kubernetes::{self, Metadata};
use slosmith_spec::spec::{self, Map, Text};
use slosmith_text::diag::{Diagnostic, did_you_mean};
use slosmith_text::source::Spanned;

/// Labels that the operator adds to every target of a pod, and of a service.
const OF_POD: [&str; 4] = ["namespace", "pod", "container", "endpoint"];

pub(super) fn resolve(cx: &mut Context<'_>, project: Option<&Metadata>) -> Option<Kubernetes> {
    let own = cx.spec.kubernetes.as_ref();
    for fault in own.iter().flat_map(|own| own.value.faults()) {
        cx.sink.push(fault);
    }
    let found = match (own, project) {
        (Some(own), Some(project)) => own.value.over(project),
        (Some(own), None) => own.value.clone(),
        (None, Some(project)) => project.clone(),
        (None, None) => return None,
    };
    Some(Kubernetes {
        namespace: found.namespace.map(|name| name.value),
        labels: plain(&found.labels),
        annotations: plain(&found.annotations),
    })
}

pub(super) fn plain(map: &IndexMap<Text, Text>) -> IndexMap<String, String> {
    let pairs = map.iter();
    pairs
        .map(|(k, v)| (k.value.clone(), v.value.clone()))
        .collect()
}

pub(super) fn discovery(cx: &mut Context<'_>, at: &Spanned<spec::Discovery>) -> Option<Discovery> {
    let given = &at.value;
    let (kind, selector) = match (&given.pods, &given.services) {
        (Some(pods), None) => (Kind::Pods, pods),
        (None, Some(services)) => (Kind::Services, services),
        (Some(_), Some(services)) => {
            let message = "`services` cannot be combined with `pods`";
            cx.reject_field("services", services.span, message);
            return None;
        }
        (None, None) => {
            let message = "one of `pods` and `services` is required";
            let error = Diagnostic::error("missing-field", at.span, message);
            cx.sink
                .push(error.help("set the pod labels: `pods: {app: vllm}`"));
            return None;
        }
    };
    if selector.value.is_empty() {
        let message = "an empty selector selects everything in the namespace";
        let error = Diagnostic::error("empty-list", selector.span, message);
        cx.sink
            .push(error.help("add a label that only these targets have"));
    }
    let names = given.namespaces.iter();
    let bad = names.filter_map(|name| {
        let why = kubernetes::bad_namespace(&name.value)?;
        let message = format!("`{name}` is not a valid Kubernetes namespace");
        Some(Diagnostic::error("invalid-name", name.span, message).help(why))
    });
    let faults = bad.chain(kubernetes::selector_faults(&selector.value));
    let sources = given.from.values().filter_map(|label| {
        let why = kubernetes::bad_key(&label.value)?;
        let message = format!("`{label}` is not a valid Kubernetes label name");
        Some(Diagnostic::error("invalid-name", label.span, message).help(why))
    });
    for fault in faults.chain(sources).collect::<Vec<_>>() {
        cx.sink.push(fault);
    }
    Some(Discovery {
        kind,
        selector: plain(&selector.value),
        port: given.port.value.clone(),
        namespaces: given.namespaces.iter().map(|n| n.value.clone()).collect(),
        labels: labels(cx, at, kind),
    })
}

/// Every target label that the operator does not add, with its source.
fn labels(
    cx: &mut Context<'_>,
    at: &Spanned<spec::Discovery>,
    kind: Kind,
) -> Vec<(String, LabelSource)> {
    let given = &at.value;
    for label in given.labels.keys().chain(given.from.keys()) {
        cx.check_label_name(label);
    }
    if let Some((label, _)) = given
        .from
        .iter()
        .find(|(label, _)| given.labels.contains_key(*label))
    {
        let message = format!("`labels` and `from` both set the label `{label}`");
        cx.sink
            .push(Diagnostic::error("contradiction", label.span, message));
    }
    let what = match kind {
        Kind::Pods => "pod",
        Kind::Services => "service",
    };
    let fixed = given.labels.iter();
    let fixed = fixed.map(|(k, v)| (k.value.clone(), LabelSource::Value(v.value.clone())));
    let copied = given.from.iter().map(|(label, from)| {
        let from = kubernetes::discovered(&from.value);
        let from = format!("__meta_kubernetes_{what}_label_{from}");
        (label.value.clone(), LabelSource::Discovered(from))
    });
    let mut found: Vec<_> = fixed.chain(copied).collect();
    for label in cx.target_labels() {
        let known = OF_POD
            .iter()
            .chain(&SCRAPE_LABELS)
            .any(|known| *known == label);
        if known || found.iter().any(|(name, _)| *name == label) {
            continue;
        }
        match label.as_str() {
            "node" => {
                let node = LabelSource::Discovered("__meta_kubernetes_pod_node_name".to_owned());
                found.push((label, node));
            }
            _ => missing(cx, at, &label),
        }
    }
    found
}

fn missing(cx: &mut Context<'_>, at: &Spanned<spec::Discovery>, label: &str) {
    let message = format!("the target label `{label}` has no source");
    let names = |map: &Map<Text>| map.keys().map(|k| k.value.clone()).collect::<Vec<_>>();
    let given = [names(&at.value.labels), names(&at.value.from)].concat();
    let error = Diagnostic::error("missing-label", at.span, message)
        .maybe_help(did_you_mean(label, given.iter().map(String::as_str)))
        .help(format!(
            "write `labels: {{{label}: VALUE}}`, or `from: {{{label}: LABEL}}` with a label of the pods or services"
        ));
    cx.sink.push(error);
}
