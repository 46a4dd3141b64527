//! One file: every rule over every query and dashboard in it.

use rayon::prelude::*;

use super::dashboard::DashboardCx;
use super::query::{Names, QueryCx, Series, Site, series};
use super::resource::ResourceCx;
use super::rule::{Check, Findings, Rule};
use super::rules::invalid_promql;
use super::scope::Scope;
use crate::artifact::{Artifact, Dashboard, Language, Query, Resource, Role};
use crate::diag::Diagnostic;

/// Queries that one processor takes at a time.
const CHUNK: usize = 512;

/// The rules that judge a name which a text mentions: whatever else is unusual, the text may mean it.
const OF_MENTIONS: [&str; 2] = ["hidden-metric", "removed-metric"];

/// What the rules find in a file. Levels are the rules' own; nothing is suppressed yet.
pub(super) fn lint(
    artifact: &Artifact,
    file_text: &str,
    scope: &Scope<'_>,
    rules: &[&'static Rule],
) -> Vec<Diagnostic> {
    let file = File {
        artifact,
        file_text,
        scope,
        rules,
    };
    let queries = sited(artifact);
    let chunks = queries.par_chunks(CHUNK);
    let found: Vec<_> = chunks.map(|chunk| file.queries(chunk)).collect();
    let faults = artifact.faults.iter().cloned();
    let dashboards = artifact.dashboards.iter().flat_map(|d| file.dashboard(d));
    faults
        .chain(found.into_iter().flatten())
        .chain(dashboards)
        .chain(artifact.resources.iter().flat_map(|r| file.resource(r)))
        .collect()
}

/// A file and everything that it is judged by.
struct File<'a> {
    artifact: &'a Artifact,
    file_text: &'a str,
    scope: &'a Scope<'a>,
    rules: &'a [&'static Rule],
}

impl File<'_> {
    fn queries(&self, queries: &[(&Query, Site<'_>)]) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let names = Names::new(self.scope);
        for (query, site) in queries {
            let (expr, errors) = invalid_promql::parse(query);
            found.extend(errors);
            let Some(expr) = expr else {
                continue;
            };
            let mut series = series(&expr, &names);
            if query.role == Role::Mention {
                series.retain(|series| !self.is_settled(series));
            }
            let cx = QueryCx {
                scope: self.scope,
                artifact: self.artifact,
                file_text: self.file_text,
                query,
                site: *site,
                expr: &expr,
                series: &series,
            };
            for rule in self.rules {
                if let Check::Query(check) = rule.check
                    && is_asked(rule, query)
                {
                    run(rule, &mut found, |out| check(&cx, out));
                }
            }
        }
        found
    }

    /// True when the text names what took the place of a series as well: whoever wrote it knows.
    fn is_settled(&self, series: &Series<'_, '_>) -> bool {
        let new = series.subject.known().and_then(|known| {
            let lineage = known.product.catalog.lineage();
            lineage.successor(&known.family)
        });
        new.is_some_and(|new| self.file_text.contains(new))
    }

    fn dashboard(&self, dashboard: &Dashboard) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let cx = DashboardCx {
            scope: self.scope,
            artifact: self.artifact,
            file_text: self.file_text,
            dashboard,
        };
        for rule in self.rules {
            if let Check::Dashboard(check) = rule.check {
                run(rule, &mut found, |out| check(&cx, out));
            }
        }
        found
    }
}

impl File<'_> {
    fn resource(&self, resource: &Resource) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let cx = ResourceCx {
            scope: self.scope,
            resource,
        };
        for rule in self.rules {
            if let Check::Resource(check) = rule.check {
                run(rule, &mut found, |out| check(&cx, out));
            }
        }
        found
    }
}

fn is_asked(rule: &Rule, query: &Query) -> bool {
    query.role != Role::Mention || OF_MENTIONS.contains(&rule.info.name)
}

/// Every PromQL query with what it belongs to.
pub(super) fn sited(artifact: &Artifact) -> Vec<(&Query, Site<'_>)> {
    let queries = artifact.queries.iter().zip(sites(artifact));
    queries
        .filter(|(query, _)| query.language == Language::PromQl)
        .collect()
}

fn run(rule: &'static Rule, found: &mut Vec<Diagnostic>, check: impl FnOnce(&mut Findings)) {
    let mut out = Findings::new(&rule.info);
    check(&mut out);
    found.append(&mut out.into_inner());
}

/// What each query belongs to, by its index.
fn sites(artifact: &Artifact) -> Vec<Site<'_>> {
    let mut sites = vec![Site::Other; artifact.queries.len()];
    let mut set = |query: usize, site| {
        if let Some(slot) = sites.get_mut(query) {
            *slot = site;
        }
    };
    for alert in &artifact.alerts {
        set(alert.query, Site::Alert(alert));
    }
    for record in &artifact.records {
        set(record.query, Site::Record(record));
    }
    for dashboard in &artifact.dashboards {
        for panel in &dashboard.panels {
            for target in &panel.targets {
                if let Some(query) = target.query {
                    set(query, Site::Panel(dashboard, panel, target));
                }
            }
        }
    }
    sites
}
