//! The preview for reviewers without Grafana: dashboards in their layout, on three simulated days, SLOs, alerts, and the
//! releases of the metrics. One HTML file without scripts and without requests to the network.

mod dashboards;
mod facts;
mod objectives;
mod simulated;
mod sketch;
mod tables;
mod timeline;
mod value;
mod view;

use std::cmp::Reverse;

use serde_json::json;

use super::{OutFile, TargetError};
use crate::template::Templates;
use simulated::Day;
use slosmith_plan::plan::Alert;
use slosmith_plan::plan::{Plan, words};
use slosmith_spec::naming;

/// The preview of one service: `SERVICE.html`.
pub fn page(plan: &Plan, templates: &Templates) -> Result<OutFile, TargetError> {
    let mut dashboards: Vec<_> = plan.dashboards.iter().collect();
    dashboards.sort_by_key(|dashboard| dashboard.name != naming::OVERVIEW);
    let dashboards = dashboards.iter();
    let dashboards = dashboards.map(|dashboard| dashboards::dashboard(plan, dashboard));
    let servers = plan.servers.iter().map(ToString::to_string);
    let page = view::Page {
        title: plan.service.title.clone(),
        service: plan.service.name.clone(),
        owner: plan.service.owner.clone().unwrap_or_default(),
        runtime: servers.collect::<Vec<_>>().join(", "),
        objectives: plan
            .slos
            .iter()
            .map(|slo| objectives::objective(plan, slo))
            .collect(),
        alerts: alerts(plan),
        dashboards: dashboards.collect(),
        firing: tables::firing_on(plan, Day::Incident),
        now: simulated::clock(simulated::NOW),
        timelines: timeline::timelines(plan),
    };
    Ok(OutFile {
        path: format!("{}.html", plan.service.name),
        text: templates.render("preview/page.html", &page)?,
    })
}

/// The index of several services: `index.html`, those first that are worst in the simulated incident. None for one service,
/// or where a service has that name.
pub fn index(plans: &[Plan], templates: &Templates) -> Result<Option<OutFile>, TargetError> {
    if plans.len() < 2 || plans.iter().any(|plan| plan.service.name == "index") {
        return Ok(None);
    }
    let mut entries: Vec<_> = plans.iter().map(entry).collect();
    entries.sort_by_key(|(number, entry)| {
        let paging = entry.firing.iter().filter(|word| word.color == "red");
        Reverse((*number, paging.count(), entry.firing.len()))
    });
    let services: Vec<_> = entries.into_iter().map(|(_, entry)| entry).collect();
    Ok(Some(OutFile {
        path: "index.html".to_owned(),
        text: templates.render("preview/index.html", &json!({"services": services}))?,
    }))
}

/// A service, and the number of its worst state.
fn entry(plan: &Plan) -> (u32, view::Entry) {
    let (number, state) = facts::summary(plan, Day::Incident).unwrap_or_default();
    let entry = view::Entry {
        path: format!("{}.html", plan.service.name),
        title: plan.service.title.clone(),
        owner: plan.service.owner.clone().unwrap_or_default(),
        objectives: plan.slos.len(),
        alerts: plan.alerts.len(),
        state,
        firing: tables::firing_on(plan, Day::Incident),
    };
    (number, entry)
}

/// All alerts on conditions, paging alerts first.
fn alerts(plan: &Plan) -> Vec<view::Alert> {
    let one = |alert: &Alert| view::Alert {
        name: alert.name.clone(),
        severity: alert.severity.clone(),
        pages: alert.severity == plan.service.severities.page,
        when: words::condition(&alert.condition),
        hold: words::hold(alert.hold),
        runbook: alert.links.runbook.clone(),
        dashboard: alert.links.dashboard_url().to_owned(),
    };
    let mut all: Vec<_> = plan.alerts.iter().map(one).collect();
    all.sort_by_key(|alert| !alert.pages);
    all
}
