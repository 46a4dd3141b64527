//! What a spec says of its service, for lists, comparisons and policies.

mod view;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::plan::Plan;
use crate::source::Span;
use crate::spec::Document;
use view::View;

#[derive(Serialize)]
pub struct Service {
    pub name: String,
    pub title: String,
    pub owner: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// Where its name is: `specs/chat.yaml:3`; `None` where no file is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    #[serde(skip)]
    pub at: Span,
    /// The servers and their releases: `vLLM >=0.20`.
    pub servers: Vec<String>,
    pub slos: Vec<Objective>,
    pub alerts: Vec<Notice>,
    pub dashboards: Vec<Titled>,
    pub runbooks: Vec<Titled>,
}

#[derive(Serialize)]
pub struct Objective {
    pub name: String,
    pub title: String,
    pub objective: String,
    /// The same as a share of events: 0.999.
    pub ratio: f64,
    pub period: String,
    /// The same in days.
    pub days: f64,
    /// `ratio`, `latency`, `time` or `promql`.
    pub sli: &'static str,
    /// The alerts on its burn rate: `critical: burn rate 14.4 over 1h and 5m`.
    pub burn: Vec<String>,
    pub alert: String,
    /// Events in the long window without which no alert fires.
    pub min_events: u32,
    /// True where the first value of a new series counts.
    pub count_new_series: bool,
    pub labels: BTreeMap<String, String>,
    /// What the author has in place of the generated summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Severities of these alerts.
    pub severities: Vec<String>,
    /// True where one of them pages.
    pub pages: bool,
    pub owner: Option<String>,
    pub runbook: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    #[serde(skip)]
    pub at: Span,
    /// The error ratio over the base window.
    pub query: String,
}

#[derive(Serialize)]
pub struct Notice {
    pub name: String,
    pub severity: String,
    /// `queue depth > 80 for 5m`.
    pub condition: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_firing_for: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    pub owner: Option<String>,
    pub labels: BTreeMap<String, String>,
    pub runbook: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    #[serde(skip)]
    pub at: Span,
    pub query: String,
    /// True for an alert that slosmith adds to the service.
    pub generated: bool,
    /// True for the severity of pages.
    pub pages: bool,
}

/// A dashboard with its panels, or a runbook with its steps.
#[derive(Serialize)]
pub struct Titled {
    pub name: String,
    pub title: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub panels: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<String>,
}

impl Service {
    pub fn of(document: &Document, plan: &Plan) -> Self {
        let (file, spec) = (document.file, &document.spec);
        Self {
            environment: document.environment.clone(),
            ..View { file, spec, plan }.service()
        }
    }

    /// Everything of it that has a place in a spec.
    pub fn places(&mut self) -> impl Iterator<Item = (&mut Option<String>, Span)> {
        let slos = self.slos.iter_mut().map(|slo| (&mut slo.spec, slo.at));
        let alerts = self
            .alerts
            .iter_mut()
            .map(|alert| (&mut alert.spec, alert.at));
        std::iter::once((&mut self.spec, self.at))
            .chain(slos)
            .chain(alerts)
    }

    /// The names of the alerts that page, also those on SLOs.
    pub fn pages(&self) -> impl Iterator<Item = String> {
        let alerts = self.alerts.iter().filter(|alert| alert.pages);
        let slos = self.slos.iter().filter(|slo| slo.pages);
        let names = alerts
            .map(|alert| &alert.name)
            .chain(slos.map(|slo| &slo.alert));
        names.map(|name| format!("{}/{name}", self.name))
    }
}
