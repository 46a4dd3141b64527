//! What the readers of all formats make: services with objectives, alerts and dashboards, before they are written.

use indexmap::IndexMap;

use super::context::Cx;
use super::print::{Map, Value};
use slosmith_spec::spec::Text;
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::Span;
use slosmith_text::units::{Duration, Number};

/// Names and texts, without places.
pub(super) type Pairs = IndexMap<String, String>;

#[derive(Debug, Default)]
pub(super) struct Services {
    all: IndexMap<String, Service>,
    last: String,
}

#[derive(Debug, Default)]
pub(super) struct Service {
    pub(super) name: String,
    pub(super) title: Option<String>,
    pub(super) owner: Option<String>,
    pub(super) labels: Pairs,
    pub(super) comments: Vec<String>,
    pub(super) service_comments: Vec<String>,
    pub(super) is_sloth: bool,
    pub(super) metadata: Metadata,
    pub(super) objectives: Vec<Objective>,
    pub(super) alerts: Vec<Alert>,
    pub(super) dashboards: Vec<Dashboard>,
    pub(super) vllm: Option<String>,
    pub(super) selector: Pairs,
    pub(super) group_by: Vec<String>,
}

#[derive(Debug, Default)]
pub(super) struct Dashboard {
    pub(super) name: String,
    pub(super) comments: Vec<String>,
    pub(super) fields: Map,
    pub(super) is_lost: bool,
}

#[derive(Debug, Default)]
pub(super) struct Metadata {
    pub(super) namespace: Option<String>,
    pub(super) labels: Pairs,
    pub(super) annotations: Pairs,
    pub(super) comments: Vec<String>,
}

#[derive(Debug)]
pub(super) struct Objective {
    pub(super) name: String,
    pub(super) at: Span,
    pub(super) comments: Vec<String>,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) objective: Number,
    pub(super) window: Duration,
    /// The indicator; `None` where it cannot be carried over, so that the objective becomes a comment.
    pub(super) sli: Option<Value>,
    pub(super) by: Vec<String>,
    pub(super) alert_name: Option<String>,
    pub(super) summary: Option<String>,
    pub(super) runbook: Option<String>,
    pub(super) owner: Option<String>,
    pub(super) labels: Pairs,
    pub(super) annotations: Pairs,
    /// What pages carry; `None` without pages.
    pub(super) page: Option<Urgency>,
    /// What tickets carry; `None` without tickets.
    pub(super) ticket: Option<Urgency>,
    pub(super) tiers: Vec<Tier>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Urgency {
    pub(super) severity: Option<String>,
    pub(super) labels: Pairs,
    pub(super) annotations: Pairs,
}

#[derive(Clone, Debug)]
pub(super) struct Tier {
    pub(super) burn: Burn,
    pub(super) long: Duration,
    pub(super) short: Duration,
    pub(super) is_page: bool,
    pub(super) at: Option<Span>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Burn {
    Consumes(Number),
    Factor(Number),
}

#[derive(Debug)]
pub(super) struct Alert {
    pub(super) name: String,
    pub(super) at: Span,
    pub(super) severity: String,
    pub(super) comments: Vec<String>,
    pub(super) fields: Map,
    pub(super) is_lost: bool,
}

impl Objective {
    pub(super) fn new(
        name: String,
        at: Span,
        objective: Number,
        window: Duration,
        comments: Vec<String>,
    ) -> Self {
        Self {
            name,
            at,
            comments,
            title: None,
            description: None,
            objective,
            window,
            sli: None,
            by: Vec::new(),
            alert_name: None,
            summary: None,
            runbook: None,
            owner: None,
            labels: Pairs::new(),
            annotations: Pairs::new(),
            page: None,
            ticket: None,
            tiers: Vec::new(),
        }
    }
}

impl Services {
    pub(super) fn entry(&mut self, name: &str) -> &mut Service {
        name.clone_into(&mut self.last);
        self.all.entry(name.to_owned()).or_insert_with(|| Service {
            name: name.to_owned(),
            ..Service::default()
        })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.all.contains_key(name)
    }

    /// Puts what was said of a document, and is nowhere, above the service that it belongs to; returns what has none.
    pub(super) fn place(&mut self, said: Vec<String>) -> Vec<String> {
        if said.is_empty() || self.all.is_empty() {
            return said;
        }
        let placed: std::collections::HashSet<_> =
            self.all.values().flat_map(Service::said).collect();
        let lost = said.into_iter().filter(|comment| !placed.contains(comment));
        let lost: Vec<_> = lost.collect();
        let index = self.all.get_index_of(&self.last).unwrap_or_default();
        if let Some((_, service)) = self.all.get_index_mut(index) {
            service.service_comments.extend(lost);
        }
        Vec::new()
    }

    pub(super) fn are_empty(&self) -> bool {
        let is_empty = |service: &Service| {
            service.objectives.is_empty()
                && service.alerts.is_empty()
                && service.dashboards.is_empty()
        };
        self.all.values().all(is_empty)
    }

    pub(super) fn into_values(self) -> impl Iterator<Item = Service> {
        self.all.into_values()
    }
}

impl Service {
    fn said(&self) -> impl Iterator<Item = String> {
        let own = [
            &self.comments,
            &self.service_comments,
            &self.metadata.comments,
        ];
        let own = own.into_iter().flatten();
        let objectives = self
            .objectives
            .iter()
            .flat_map(|objective| &objective.comments);
        let dashboards = self.dashboards.iter();
        let dashboards =
            dashboards.flat_map(|d| [d.comments.clone(), d.fields.comments()].concat());
        own.chain(objectives)
            .chain(self.alerts.iter().flat_map(|alert| &alert.comments))
            .cloned()
            .chain(dashboards)
    }

    pub(super) fn add(&mut self, cx: &mut Cx<'_>, mut objective: Objective) {
        if objective.objective == Number::from_integer(1) {
            let what = format!(
                "SLO `{}`: an objective of 100% has no error budget",
                objective.name
            );
            let comment = cx.lost(objective.at, what, "use a lower objective, such as 99.99%");
            objective.comments.push(comment);
            objective.sli = None;
        }
        let same = |other: &&Objective| other.name == objective.name;
        if let Some(first) = self.objectives.iter().find(same) {
            let message = format!(
                "the service `{}` has two SLOs named `{}`",
                self.name, objective.name
            );
            let error = Diagnostic::error("duplicate-name", objective.at, message);
            cx.sink.push(error.related(first.at, "the other SLO"));
            return;
        }
        self.objectives.push(objective);
    }

    /// Adds labels of all alerts; one that is there with another value stays as it is.
    pub(super) fn add_labels(&mut self, cx: &mut Cx<'_>, labels: Vec<(Text, Text)>) {
        for (name, value) in labels {
            if name.value == slosmith_spec::naming::OWNER && self.owner.is_none() {
                self.owner = Some(value.value);
                continue;
            }
            let known = match name.value.as_str() {
                slosmith_spec::naming::OWNER => self.owner.as_ref(),
                other => self.labels.get(other),
            };
            match known {
                Some(known) if *known != value.value => {
                    let what = format!(
                        "label `{name}: {value}`: another part of this service sets `{known}`"
                    );
                    let comment = cx.lost(name.span, what, "");
                    self.service_comments.push(comment);
                }
                Some(_) => {}
                None => drop(self.labels.insert(name.value, value.value)),
            }
        }
    }
}

pub(super) fn plain(pairs: &[(Text, Text)]) -> Pairs {
    let pairs = pairs.iter();
    pairs
        .map(|(name, value)| (name.value.clone(), value.value.clone()))
        .collect()
}
