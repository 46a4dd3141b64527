//! Taking a page into a catalog.

use std::collections::BTreeSet;

use super::Catalog;
use super::exposition::{Dialect, Labels, Page, PageFamily, Sample, print};

const PUBLIC: [&str; 6] = ["code", "le", "method", "quantile", "status", "type"];

/// What replaces a label value that was dropped.
pub const DROPPED: &str = "-";

/// A page as it is kept: without HELP lines, exemplars, timestamps and numbers, each label set once.
///
/// Label values are dropped, because they may name models, tenants or machines; those that tell kinds of
/// series apart (`le`, `finished_reason`, …) are kept, and all are with `keep_values`.
pub fn recorded(page: &Page, keep_values: bool) -> String {
    let public = &Catalog::vllm().lineage().domains.labels;
    let keep = |label: &str| {
        keep_values || PUBLIC.contains(&label) || public.iter().any(|known| known == label)
    };
    let families: Vec<_> = page
        .families
        .iter()
        .map(|family| bare(family, &keep))
        .collect();
    print(&families, Dialect::Classic)
}

fn bare(family: &PageFamily, keep: &dyn Fn(&str) -> bool) -> PageFamily {
    let mut known = BTreeSet::new();
    let mut samples: Vec<Sample> = Vec::new();
    for sample in &family.samples {
        let labels = sample.labels.iter().map(|(label, value)| {
            let value = if keep(label) { value.as_str() } else { DROPPED };
            (label.clone(), value.to_owned())
        });
        let labels: Labels = labels.collect();
        if !known.insert((&sample.name, labels.clone())) {
            continue;
        }
        samples.push(Sample {
            name: sample.name.clone(),
            labels,
            value: 0.0,
            timestamp: None,
            exemplar: None,
        });
    }
    PageFamily {
        help: None,
        unit: None,
        samples,
        ..family.clone()
    }
}
