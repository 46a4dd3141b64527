//! Entities of Backstage's software catalog: a component for each service of a project.

use serde::Serialize;

use super::TargetError;
use crate::template::Templates;
use slosmith_plan::inventory::Service;
use slosmith_spec::naming;

#[derive(Serialize)]
struct View<'a> {
    services: Vec<Component<'a>>,
}

#[derive(Serialize)]
struct Component<'a> {
    name: &'a str,
    title: &'a str,
    owner: Option<&'a str>,
    environment: Option<&'a str>,
    links: Vec<Link>,
}

#[derive(Serialize)]
struct Link {
    url: String,
    title: &'static str,
}

/// The entities, as text.
pub fn render(services: &[Service], templates: &Templates) -> Result<String, TargetError> {
    let services = services.iter().map(component).collect();
    Ok(templates.render("project/backstage.yaml", &View { services })?)
}

fn component(service: &Service) -> Component<'_> {
    let grafana = service.grafana_url.iter();
    let dashboards = grafana.map(|base| Link {
        url: naming::dashboard_url(base, &service.name),
        title: "Dashboard",
    });
    let runbooks = service.runbooks_url.iter().map(|base| Link {
        url: naming::runbook_index(base),
        title: "Runbooks",
    });
    Component {
        name: &service.name,
        title: &service.title,
        owner: service.owner.as_deref(),
        environment: service.environment.as_deref(),
        links: dashboards.chain(runbooks).collect(),
    }
}
