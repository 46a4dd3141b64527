//! One Alertmanager configuration for all services of a project: a route per owner and severity, and the inhibit rules of all services.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::view::InhibitRule;
use super::{inhibition, places, rules};
use crate::target::{OutFile, TargetError};
use crate::template::Templates;
use slosmith_plan::plan::Plan;
use slosmith_spec::naming::{self, SERVICE, SEVERITY};

/// What Alertmanager needs to know of a service.
pub struct Notified {
    service: String,
    /// Owners and severities of its alerts.
    alerts: BTreeSet<(Option<String>, String)>,
    /// Labels that tell places of it apart.
    places: BTreeSet<String>,
    rules: Vec<InhibitRule>,
}

impl Notified {
    /// `None` for a service that has nothing in Prometheus.
    pub fn of(plan: &Plan) -> Option<Self> {
        let plan = &*plan.stored()?;
        let files = rules::files(plan);
        let groups = files.iter().flat_map(|file| &file.file.groups);
        let rules = groups.flat_map(|group| &group.rules);
        let alerts = rules
            .filter(|rule| rule.alert.is_some())
            .filter_map(|rule| {
                let owner = rule.labels.get(naming::OWNER);
                let owner = owner.filter(|owner| !owner.is_empty()).cloned();
                Some((owner, rule.labels.get(SEVERITY)?.clone()))
            });
        let of_slos = plan.slos.iter().flat_map(|slo| &slo.labels);
        let of_targets = of_slos.filter(|label| plan.scrape.labels.contains(label));
        Some(Self {
            service: plan.service.name.clone(),
            alerts: alerts.collect(),
            places: of_targets.chain(places(plan)).cloned().collect(),
            rules: inhibition(plan).map_or(Vec::new(), |all| all.inhibit_rules),
        })
    }
}

#[derive(Serialize)]
struct View {
    group_by: Vec<String>,
    /// The same without the SLO.
    group_data_by: Vec<String>,
    routes: Vec<Route>,
    receivers: BTreeSet<String>,
    inhibit_rules: Vec<InhibitRule>,
}

#[derive(Serialize)]
struct Route {
    matchers: Vec<String>,
    receiver: String,
}

/// The receiver of alerts whose owner or severity no route names, and the owner of those without one.
const UNOWNED: &str = "unowned";

/// The configuration, as text.
pub fn alertmanager(all: &[Notified], templates: &Templates) -> Result<String, TargetError> {
    let alerts: BTreeSet<_> = all.iter().flat_map(|service| &service.alerts).collect();
    let routes: Vec<_> = alerts.into_iter().map(route).collect();
    let fixed = |labels: &[&str]| {
        let places: BTreeSet<_> = all.iter().flat_map(|service| &service.places).collect();
        let labels = labels.iter().map(|label| (*label).to_owned());
        labels
            .chain(places.into_iter().cloned())
            .collect::<Vec<_>>()
    };
    let receivers = routes.iter().map(|route| route.receiver.clone());
    let view = View {
        group_by: fixed(&["alertname", SERVICE, naming::SLO]),
        group_data_by: fixed(&["alertname", SERVICE]),
        receivers: receivers.chain([UNOWNED.to_owned()]).collect(),
        routes,
        inhibit_rules: merged(all),
    };
    let file = OutFile {
        path: "alertmanager.yaml".to_owned(),
        text: templates.render("project/alertmanager.yaml", &view)?,
    };
    file.read::<serde_json::Value>()?;
    Ok(file.text)
}

fn route((owner, severity): &(Option<String>, String)) -> Route {
    let of = |label: &str, value: &str| format!("{label}=\"{}\"", escaped(value));
    let name = owner.as_deref().unwrap_or(UNOWNED);
    Route {
        // An empty one is a missing one.
        matchers: vec![
            of(naming::OWNER, owner.as_deref().unwrap_or_default()),
            of(SEVERITY, severity),
        ],
        receiver: format!("{name}/{severity}"),
    }
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Rules that differ only in the service stand once, for all of these services: `service` is then one of the equal labels.
fn merged(all: &[Notified]) -> Vec<InhibitRule> {
    type Key = [Vec<String>; 3];
    let mut services: BTreeMap<Key, BTreeSet<&str>> = BTreeMap::new();
    let mut order: Vec<Key> = Vec::new();
    for of in all {
        let own = format!("{SERVICE}=\"{}\"", of.service);
        let without = |matchers: &[String]| -> Vec<String> {
            matchers.iter().filter(|m| **m != own).cloned().collect()
        };
        for rule in &of.rules {
            let key = [
                without(&rule.source_matchers),
                without(&rule.target_matchers),
                rule.equal.clone(),
            ];
            if !services.contains_key(&key) {
                order.push(key.clone());
            }
            services.entry(key).or_default().insert(&of.service);
        }
    }
    let rule = |key: Key| {
        let names: Vec<_> = services[&key].iter().copied().collect();
        let matcher = match &names[..] {
            [name] => format!("{SERVICE}=\"{name}\""),
            names => format!("{SERVICE}=~\"{}\"", names.join("|")),
        };
        let [source, target, equal] = key;
        let with = |matchers: Vec<String>| [vec![matcher.clone()], matchers].concat();
        InhibitRule {
            source_matchers: with(source),
            target_matchers: with(target),
            equal: [vec![SERVICE.to_owned()], equal].concat(),
        }
    };
    order.into_iter().map(rule).collect()
}
