//! The contract between the service's code and its alarms: what it publishes, under which names.
//!
//! The signal `gateway_ttft` with `cloudwatch: {metric: TTFTMs, …}` is published as `TTFTMs`, and is on the page as
//! `mangaassist_ttft_seconds`.

use crate::context::{Context, Outcome};
use slosmith_plan::plan::cloudwatch::{Delivery, Metric, Published, PublishedMetric};
use slosmith_plan::plan::{Family, Signal, Source};
use slosmith_spec::spec::FamilyKind;

/// Every value that the service publishes, in the order of the spec: what CloudWatch gets of it, and what
/// is on the service's own page.
pub(crate) fn published(cx: &mut Context<'_>) -> Vec<Published> {
    let spec = cx.spec;
    let mut all: Vec<Published> = Vec::new();
    let mut parts: Vec<(String, PublishedMetric)> = Vec::new();
    for (name, definition) in &spec.signals {
        let Outcome::Ready(signal) = cx.declared(name) else {
            continue;
        };
        let metric = signal.cloudwatch.clone();
        let metric = metric.filter(|m| m.delivery == Delivery::Published);
        let own = definition.cloudwatch.is_some();
        match (&signal.source, metric) {
            (Source::Family(family), Some(metric)) if definition.base.is_none() => {
                let labels = definition.has_labels.iter().flatten();
                let labels = labels.map(|label| label.value.clone()).collect();
                all.push(value(&signal, family, labels, metric));
            }
            (Source::Family(family), Some(metric)) if own => {
                let base = definition
                    .matchers
                    .iter()
                    .map(|(label, _)| label.value.clone());
                let narrowed: Vec<_> = base.collect();
                let only = family.matchers.iter();
                let only = only.filter(|(label, ..)| narrowed.contains(label));
                let only = only.cloned().collect();
                let family = family.served.newest().to_owned();
                parts.push((family, PublishedMetric { metric, only }));
            }
            (Source::Ratio { of, .. }, Some(metric)) if own => {
                if let Some(family) = of.family() {
                    let family = family.served.newest().to_owned();
                    let only = Vec::new();
                    parts.push((family, PublishedMetric { metric, only }));
                }
            }
            _ => {}
        }
    }
    for (family, part) in parts {
        let Some(value) = all.iter_mut().find(|value| value.family == family) else {
            continue;
        };
        // A ratio of zeros and ones is the average of the very metric that counts the ones.
        let same = |known: &PublishedMetric| known.metric.names == part.metric.names;
        if !value.metrics.iter().any(same) {
            value.metrics.push(part);
        }
    }
    all
}

fn value(signal: &Signal, family: &Family, labels: Vec<String>, metric: Metric) -> Published {
    let title = &signal.title;
    let only = Vec::new();
    Published {
        signal: signal.name.clone(),
        description: match &signal.description {
            Some(text) => text.clone(),
            None => format!("{title}."),
        },
        kind: family.kind,
        labels,
        family: family.served.newest().to_owned(),
        buckets: match family.kind {
            FamilyKind::Histogram => family.buckets.iter().map(|bucket| bucket.bound).collect(),
            FamilyKind::Gauge | FamilyKind::Counter => Vec::new(),
        },
        scale: signal.scale,
        metrics: vec![PublishedMetric { metric, only }],
    }
}
