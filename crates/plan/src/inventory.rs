//! What a spec says of its service, for lists, comparisons and policies.

mod view;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::plan::Plan;
use slosmith_spec::spec::{Document, Text};
use slosmith_text::source::Span;
use view::View;

#[derive(Serialize)]
pub struct Service {
    pub name: String,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<String>,
    pub owner: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// Where its name is: `specs/chat.yaml:3`; `None` where no file is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    #[serde(skip)]
    pub at: Span,
    /// The folder of the runbooks, and the root of Grafana.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runbooks_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grafana_url: Option<String>,
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
    /// Severities of these alerts.
    pub severities: Vec<String>,
    /// Of these alerts; the query is the error ratio over the base window.
    #[serde(flatten)]
    pub told: Told,
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
    pub action: Option<String>,
    /// True for an alert that slosmith adds to the service.
    pub generated: bool,
    #[serde(flatten)]
    pub told: Told,
}

/// What the alerts of an SLO have, and an alert.
#[derive(Serialize)]
pub struct Told {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<String>,
    pub owner: Option<String>,
    pub labels: BTreeMap<String, String>,
    /// What the author has in place of the generated summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    pub runbook: Option<String>,
    /// True for the severity of pages, where tickets have another one.
    pub pages: bool,
    pub query: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    #[serde(skip)]
    pub at: Span,
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
        let environment = document.environment.clone();
        let shared = environment.is_some();
        let view = View {
            file,
            spec,
            plan,
            shared,
        };
        Self {
            environment,
            ..view.service()
        }
    }

    /// Everything of it that has a place in a spec.
    pub fn places(&mut self) -> impl Iterator<Item = (&mut Option<String>, Span)> {
        let slos = self.slos.iter_mut().map(|slo| &mut slo.told);
        let told = slos.chain(self.alerts.iter_mut().map(|alert| &mut alert.told));
        let told = told.map(|told| (&mut told.spec, told.at));
        std::iter::once((&mut self.spec, self.at)).chain(told)
    }

    /// An entry of the list `slos` or `alerts`: the word for it, its name and its place.
    pub fn entry(&self, list: &str, index: usize) -> Option<(&'static str, &str, Span)> {
        match list {
            "slos" => self
                .slos
                .get(index)
                .map(|of| ("SLO", of.name.as_str(), of.told.at)),
            "alerts" => self
                .alerts
                .get(index)
                .map(|of| ("alert", of.name.as_str(), of.told.at)),
            _ => None,
        }
    }

    /// Where the file of a spec sets a field of a service, or of an entry of one of its lists: `None` where an extended file does, or nothing.
    pub fn field_at(document: &Document, entry: Option<(&str, &str)>, field: &str) -> Option<Span> {
        let spec = &document.spec;
        let of = |text: &Option<Text>| text.as_ref().map(|text| text.span);
        let links = spec.links.as_ref();
        let of_list = |list| entry.filter(|(of, _)| *of == list).map(|(_, name)| name);
        let slo = of_list("slos").and_then(|name| spec.slos.get(name));
        let alert = of_list("alerts").and_then(|name| spec.alerts.get(name));
        let notice = slo.map(|slo| &slo.notice);
        let notice = notice.or_else(|| alert.map(|alert| &alert.notice));
        // What slosmith adds to a service has the service's owner.
        let marks = notice.map_or(&spec.service.marks, |notice| &notice.marks);
        let at = match field {
            "owner" => of(&marks.owner),
            "summary" => of(&notice?.summary),
            "runbook" => of(&notice?.runbook),
            "title" if entry.is_none() => of(&spec.service.title),
            "runbooks_url" => of(&links?.runbooks),
            "grafana_url" => of(&links?.grafana),
            "title" => of(&slo?.title),
            "objective" | "ratio" => Some(slo?.objective.span),
            "period" | "days" => Some(slo?.period.span),
            "sli" => Some(slo?.sli.span),
            "burn" | "severities" | "pages" if slo.is_some() => {
                slo?.burn.as_ref().map(|burn| burn.span)
            }
            "min_events" => slo?.min_events.map(|events| events.span),
            "count_new_series" => slo?.count_new_series.map(|count| count.span),
            "severity" | "pages" => Some(alert?.severity.span),
            "condition" => Some(alert?.when.span),
            "keep_firing_for" => alert?.keep_firing_for.map(|time| time.span),
            "action" => of(&alert?.action),
            _ => None,
        };
        at.filter(|span| span.file == document.file)
    }

    /// The names of the alerts that page, also on SLOs, below a name of the service.
    pub fn pages(&self, service: &str) -> Vec<String> {
        let alerts = self.alerts.iter().map(|alert| (&alert.name, &alert.told));
        let slos = self.slos.iter().map(|slo| (&slo.alert, &slo.told));
        let paging = alerts.chain(slos).filter(|(_, told)| told.pages);
        paging
            .map(|(name, _)| format!("{service}/{name}"))
            .collect()
    }
}
