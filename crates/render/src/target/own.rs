//! Files of a project's own, made by its own templates.

use serde::Serialize;
use serde::de::IgnoredAny;

use super::{OutFile, TargetError, prometheus};
use crate::template::Templates;
use slosmith_plan::plan::{Plan, Slo};
use slosmith_text::units::decimal;

#[derive(Serialize)]
struct View<'a, G: Serialize> {
    service: Service<'a>,
    slos: Vec<Objective<'a>>,
    groups: G,
}

#[derive(Serialize)]
struct Service<'a> {
    name: &'a str,
    title: &'a str,
    /// Empty when the spec names none.
    owner: &'a str,
    grafana: &'a str,
}

#[derive(Serialize)]
struct Objective<'a> {
    name: &'a str,
    title: &'a str,
    /// Share of events that must be good: `0.999`.
    objective: String,
    window: String,
    alert: &'a str,
}

pub fn render(
    plan: &Plan,
    templates: &Templates,
    name: &str,
    path: &str,
) -> Result<OutFile, TargetError> {
    let view = View {
        service: Service {
            name: &plan.service.name,
            title: &plan.service.title,
            owner: plan.service.owner.as_deref().unwrap_or_default(),
            grafana: &plan.service.grafana,
        },
        slos: plan.slos.iter().map(objective).collect(),
        groups: prometheus::groups(plan),
    };
    let file = OutFile {
        path: path.to_owned(),
        text: templates.render(name, &view)?,
    };
    check(&file)?;
    Ok(file)
}

fn objective(slo: &Slo) -> Objective<'_> {
    Objective {
        name: &slo.name,
        title: &slo.title,
        objective: decimal(slo.events.budget.objective),
        window: slo.period.to_string(),
        alert: &slo.alert_name,
    }
}

fn check(file: &OutFile) -> Result<(), TargetError> {
    let ending = file.path.rsplit_once('.').map(|(_, ending)| ending);
    match ending {
        Some("json") => match serde_json::from_str::<IgnoredAny>(&file.text) {
            Ok(_) => Ok(()),
            Err(error) => Err(file.invalid(error.to_string())),
        },
        Some("yaml" | "yml") => file.read::<serde_json::Value>().map(drop),
        _ => Ok(()),
    }
}
