//! When vLLM had the metrics that a service rests on, and what they were called before.

use std::collections::BTreeSet;

use super::view::{Family, Release, Timeline};
use crate::catalog::Catalog;
use crate::plan::Plan;
use crate::promql::ast::Expr;
use crate::promql::usage::contexts;

pub(super) fn timeline(plan: &Plan) -> Timeline {
    let catalog = Catalog::vllm();
    let wanted = plan
        .vllm()
        .and_then(|server| server.range.parse().ok())
        .and_then(|range| catalog.select(&range).ok())
        .map(|selection| selection.releases)
        .unwrap_or_default();
    let releases = catalog.releases().iter().map(|release| Release {
        version: release.version().to_string(),
        wanted: wanted.contains(&release.id()),
    });
    let mut names: Vec<&str> = Vec::new();
    for name in used(plan) {
        let Some(family) = catalog.family(&name) else {
            continue;
        };
        let before = catalog.lineage().predecessors(family.name());
        for name in std::iter::once(family.name()).chain(before) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    Timeline {
        releases: releases.collect(),
        families: names
            .into_iter()
            .filter_map(|name| family(catalog, name))
            .collect(),
    }
}

fn family(catalog: &Catalog, name: &str) -> Option<Family> {
    let family = catalog.family(name)?;
    let releases = catalog.releases();
    let served: Vec<_> = releases
        .iter()
        .filter(|release| !family.profiles_showing(release).is_empty())
        .collect();
    let (first, last) = (served.first()?, served.last()?);
    Some(Family {
        name: name.to_owned(),
        span: format!("{} to {}", first.version(), last.version()),
        cells: releases
            .iter()
            .map(|release| served.iter().any(|s| s.id() == release.id()))
            .collect(),
    })
}

/// Families of vLLM in the queries of a plan, sorted.
fn used(plan: &Plan) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut add = |expr: &Expr| {
        for context in contexts(expr) {
            let name = context
                .selector
                .metric
                .as_ref()
                .map(|name| name.text.as_str());
            let served = |name| Catalog::vllm().served(&plan.scrape.names, name);
            let Some(name) = name.and_then(served) else {
                continue;
            };
            let (family, _) = crate::catalog::split_series(&name);
            names.insert(family.to_owned());
        }
    };
    for slo in &plan.slos {
        slo.events.read().into_iter().flatten().for_each(&mut add);
    }
    plan.alerts
        .iter()
        .for_each(|alert| add(&alert.condition.query().expr));
    plan.records
        .iter()
        .for_each(|record| add(&record.query.expr));
    let panels = plan.dashboards.iter().flat_map(|d| d.panels());
    panels
        .flat_map(|panel| &panel.series)
        .for_each(|series| add(&series.query.expr));
    names
}
