//! One file: every rule over every query and dashboard in it.

use super::dashboard::DashboardCx;
use super::query::{Names, QueryCx, Site, series};
use super::rule::{Check, Findings, Rule};
use super::rules::invalid_promql;
use super::scope::Scope;
use crate::artifact::{Artifact, Language, Query};
use crate::diag::Diagnostic;
use crate::promql::ast::Expr;

/// What the rules find in a file. Levels are the rules' own; nothing is suppressed yet.
pub(super) fn lint(
    artifact: &Artifact,
    file_text: &str,
    scope: &Scope<'_>,
    rules: &[&'static Rule],
) -> Vec<Diagnostic> {
    let mut found = artifact.faults.clone();
    let names = Names::new(scope);
    queries(artifact, |query, site, expr, errors| {
        found.extend(errors);
        let Some(expr) = expr else { return };
        let series = series(expr, &names);
        let cx = QueryCx {
            scope,
            artifact,
            file_text,
            query,
            site,
            expr,
            series: &series,
        };
        for rule in rules {
            if let Check::Query(check) = rule.check {
                run(rule, &mut found, |out| check(&cx, out));
            }
        }
    });
    for dashboard in &artifact.dashboards {
        let cx = DashboardCx {
            scope,
            artifact,
            file_text,
            dashboard,
        };
        for rule in rules {
            if let Check::Dashboard(check) = rule.check {
                run(rule, &mut found, |out| check(&cx, out));
            }
        }
    }
    found
}

/// Hands every PromQL query to `visit`: with what it belongs to, as much of its tree as can be read, and
/// what is wrong with it. No tree outlives its turn: a file may hold tens of thousands.
pub(super) fn queries<'q>(
    artifact: &'q Artifact,
    mut visit: impl FnMut(&'q Query, Site<'q>, Option<&Expr>, Vec<Diagnostic>),
) {
    for (query, site) in artifact.queries.iter().zip(sites(artifact)) {
        if query.language != Language::PromQl {
            continue;
        }
        match invalid_promql::parse(query) {
            Ok(expr) => visit(query, site, Some(&expr), Vec::new()),
            Err((expr, errors)) => visit(query, site, expr.as_ref(), errors),
        }
    }
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
