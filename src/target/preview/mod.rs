//! A page for people who review a change and have no Grafana at hand: dashboards as they are laid out, objectives,
//! alerts, and when vLLM had the metrics they rest on. One HTML file without scripts, and nothing from the network.

mod boards;
mod objectives;
mod timeline;
mod view;

use super::{OutFile, TargetError};
use crate::plan::{Condition, Plan, SloKind};
use crate::resolve::words;
use crate::template::Templates;

/// The page of one service: `SERVICE.html`.
///
/// # Errors
/// When the template fails.
pub fn page(plan: &Plan, templates: &Templates) -> Result<OutFile, TargetError> {
    let page = view::Page {
        title: plan.service.title.clone(),
        service: plan.service.name.clone(),
        owner: plan.service.owner.clone().unwrap_or_default(),
        runtime: plan.runtime.as_ref().map_or_else(String::new, |runtime| {
            format!("vLLM {} ({})", runtime.range, runtime.releases)
        }),
        objectives: plan.slos.iter().map(objectives::objective).collect(),
        alerts: alerts(plan),
        boards: plan.dashboards.iter().map(boards::board).collect(),
        timeline: timeline::timeline(plan),
    };
    Ok(OutFile {
        path: format!("{}.html", plan.service.name),
        text: templates.render("preview/page.html", &page)?,
    })
}

fn alerts(plan: &Plan) -> Vec<view::Alert> {
    let one = |name: &str,
               severity: &str,
               condition: &Condition,
               hold: &str,
               links: &crate::plan::alert::Links| {
        view::Alert {
            name: name.to_owned(),
            severity: severity.to_owned(),
            pages: severity == plan.service.severities.page,
            when: words(condition),
            hold: if hold == "0s" {
                "at once".to_owned()
            } else {
                hold.to_owned()
            },
            runbook: links.runbook.clone(),
            dashboard: links.dashboard.clone(),
        }
    };
    let percentiles = plan.slos.iter().filter_map(|slo| match &slo.kind {
        SloKind::Percentile(p) => p.alert.as_ref().map(|alert| (slo, alert)),
        SloKind::Events(_) => None,
    });
    let percentiles = percentiles.map(|(slo, alert)| {
        let hold = alert.hold.to_string();
        one(
            &slo.alert_name,
            &alert.severity,
            &alert.condition,
            &hold,
            &slo.links,
        )
    });
    let own = plan.alerts.iter().map(|alert| {
        let hold = alert.hold.to_string();
        one(
            &alert.name,
            &alert.severity,
            &alert.condition,
            &hold,
            &alert.links,
        )
    });
    let mut all: Vec<_> = percentiles.chain(own).collect();
    all.sort_by_key(|alert| !alert.pages);
    all
}
