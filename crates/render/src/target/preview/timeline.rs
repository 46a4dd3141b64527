//! When servers had the metrics that a service rests on, and what they were called before.

use std::collections::BTreeSet;

use super::view::{Family, Release, Timeline};
use slosmith_catalog::{Catalog, Embedded, VLLM};
use slosmith_plan::plan::Plan;
use slosmith_promql::ast::Expr;
use slosmith_promql::usage::contexts;

/// One for each server with metrics in the queries of a plan.
pub(super) fn timelines(plan: &Plan) -> Vec<Timeline> {
    let used = used(plan);
    let vllm = served(&used, |name| {
        Catalog::vllm().served(&plan.scrape.names, name)
    });
    let others = Embedded::all().iter().map(|other| {
        let is_own = |name: &str| other.identity.stems().any(|stem| name.starts_with(stem));
        let own: BTreeSet<_> = used.iter().filter(|name| is_own(name)).cloned().collect();
        (other, own)
    });
    let others = others.filter(|(_, own)| !own.is_empty());
    let others = others.filter_map(|(other, own)| {
        let catalog = other.catalog();
        let served = served(&own, |name| {
            catalog.own_spelling(name).or_else(|| Some(name.to_owned()))
        });
        timeline(plan, other.name, catalog, &served)
    });
    let vllm = timeline(plan, VLLM, Catalog::vllm(), &vllm);
    vllm.into_iter().chain(others).collect()
}

fn timeline(
    plan: &Plan,
    key: &str,
    catalog: &Catalog,
    served: &BTreeSet<String>,
) -> Option<Timeline> {
    let server = plan.servers.iter().find(|server| server.key == key);
    let wanted = server
        .and_then(|server| server.range.parse().ok())
        .and_then(|range| catalog.select(&range).ok());
    let wanted = wanted.unwrap_or_else(|| catalog.select_all()).releases;
    let releases = catalog.releases().iter().map(|release| Release {
        version: release.version().to_string(),
        wanted: wanted.contains(&release.id()),
    });
    let mut names: Vec<&str> = Vec::new();
    for name in served {
        let Some(family) = catalog.family(name) else {
            continue;
        };
        let before = catalog.lineage().predecessors(family.name());
        for name in std::iter::once(family.name()).chain(before) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let families = names.into_iter().filter_map(|name| family(catalog, name));
    let families: Vec<_> = families.collect();
    (!families.is_empty()).then(|| Timeline {
        title: catalog.title().to_owned(),
        releases: releases.collect(),
        families,
    })
}

/// The families of stored series, as a server serves them.
fn served(used: &BTreeSet<String>, served: impl Fn(&str) -> Option<String>) -> BTreeSet<String> {
    let names = used.iter().filter_map(|name| served(name));
    let families = names.map(|name| slosmith_catalog::split_series(&name).0.to_owned());
    families.collect()
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

/// The metrics in the queries of a plan, sorted.
fn used(plan: &Plan) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut add = |expr: &Expr| {
        for context in contexts(expr) {
            let name = context.selector.metric.as_ref();
            names.extend(name.map(|name| name.text.clone()));
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
