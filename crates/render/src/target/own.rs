//! Files of a project's own, made by its own templates.

use serde::Serialize;

use super::{OutFile, TargetError, prometheus};
use crate::template::Templates;
use slosmith_plan::plan::{Plan, Slo};
use slosmith_text::source::FileId;
use slosmith_text::units::decimal;
use slosmith_text::yaml;

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
    match wrong(&file) {
        None => Ok(file),
        Some(why) => Err(file.invalid(why)),
    }
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

fn wrong(file: &OutFile) -> Option<String> {
    let (_, ending) = file.path.rsplit_once('.')?;
    match ending {
        "json" => serde_json::from_str::<serde::de::IgnoredAny>(&file.text)
            .err()
            .map(|error| error.to_string()),
        "yaml" | "yml" => yaml::read::<serde_json::Value>(FileId::default(), &file.text)
            .err()
            .map(|error| error.message),
        _ => None,
    }
}
