//! The preview for reviewers without Grafana: dashboards in their layout, on two simulated days, SLOs, alerts, and the vLLM
//! releases of the metrics. One HTML file without scripts and without requests to the network.

mod dashboards;
mod objectives;
mod simulated;
mod sketch;
mod tables;
mod timeline;
mod value;
mod view;

use super::{OutFile, TargetError};
use crate::plan::alert::{self, ConditionAlert};
use crate::plan::{Plan, words};
use crate::template::Templates;

/// The preview of one service: `SERVICE.html`.
///
/// # Errors
/// When the template fails.
pub fn page(plan: &Plan, templates: &Templates) -> Result<OutFile, TargetError> {
    let dashboards = plan.dashboards.iter();
    let dashboards = dashboards.map(|dashboard| dashboards::dashboard(plan, dashboard));
    let page = view::Page {
        title: plan.service.title.clone(),
        service: plan.service.name.clone(),
        owner: plan.service.owner.clone().unwrap_or_default(),
        runtime: plan.runtime.as_ref().map_or_else(String::new, |runtime| {
            format!("vLLM {} ({})", runtime.range, runtime.releases)
        }),
        objectives: plan.slos.iter().map(objectives::objective).collect(),
        alerts: alerts(plan),
        dashboards: dashboards.collect(),
        begin: simulated::clock(simulated::NOW - simulated::INCIDENT),
        now: simulated::clock(simulated::NOW),
        timeline: timeline::timeline(plan),
    };
    Ok(OutFile {
        path: format!("{}.html", plan.service.name),
        text: templates.render("preview/page.html", &page)?,
    })
}

/// All alerts on conditions, paging alerts first.
fn alerts(plan: &Plan) -> Vec<view::Alert> {
    let one = |alert: ConditionAlert<'_>| view::Alert {
        name: alert.name.to_owned(),
        severity: alert.severity.to_owned(),
        pages: alert.severity == plan.service.severities.page,
        when: words::condition(alert.condition),
        hold: words::hold(alert.hold),
        runbook: alert.links.runbook.clone(),
        dashboard: alert.links.dashboard.clone(),
    };
    let mut all: Vec<_> = alert::on_conditions(&plan.slos, &plan.alerts)
        .map(one)
        .collect();
    all.sort_by_key(|alert| !alert.pages);
    all
}
