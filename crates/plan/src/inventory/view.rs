//! From a plan to its inventory.

use super::{Notice, Objective, Service, Titled, Told};
use crate::plan::runbook::{Check, Step};
use crate::plan::{Alert, BASE_WINDOW, EventSli, Links, Marks, Plan, Slo, Tier, words};
use crate::query;
use slosmith_promql::ast::Expr;
use slosmith_spec::spec::{Spec, Text};
use slosmith_text::source::{FileId, Span};
use slosmith_text::units::{Unit, decimal, shown};

pub(super) struct View<'a> {
    /// The file of the spec, without what it extends.
    pub(super) file: FileId,
    pub(super) spec: &'a Spec,
    pub(super) plan: &'a Plan,
    /// True for one of several environments of the spec.
    pub(super) shared: bool,
}

impl View<'_> {
    pub(super) fn service(&self) -> Service {
        let service = &self.plan.service;
        let servers = self.plan.servers.iter();
        let links = self.spec.links.as_ref();
        let dashboards = self.plan.dashboards.iter().map(|dashboard| Titled {
            name: dashboard.name.clone(),
            title: dashboard.title.clone(),
            panels: {
                // The panels of an overview follow from SLOs and alerts.
                let own = &self.spec.dashboards;
                let is_own = own.contains_key(dashboard.name.as_str());
                let rows = dashboard.rows.iter().filter(|_| is_own);
                let panels = rows.flat_map(|row| {
                    let titles = row.panels.iter().map(|panel| panel.title.as_str());
                    titles.map(|title| format!("{} / {title}", row.title))
                });
                panels.collect()
            },
            steps: Vec::new(),
        });
        let runbooks = self.plan.runbooks.pages.iter().map(|page| Titled {
            name: page.name.clone(),
            title: page.title.clone(),
            panels: Vec::new(),
            steps: page.steps.iter().map(step).collect(),
        });
        Service {
            name: service.name.clone(),
            title: service.title.clone(),
            renamed_from: text(self.spec.service.renamed_from.as_ref()),
            owner: service.owner.clone(),
            environment: None,
            spec: None,
            at: self.place(None),
            runbooks_url: text(links.and_then(|links| links.runbooks.as_ref())),
            grafana_url: text(links.and_then(|links| links.grafana.as_ref())),
            servers: servers
                .map(|s| format!("{} {}", s.title, s.range))
                .collect(),
            slos: self
                .plan
                .slos
                .iter()
                .map(|slo| self.objective(slo))
                .collect(),
            alerts: self
                .plan
                .alerts
                .iter()
                .map(|alert| self.notice(alert))
                .collect(),
            dashboards: dashboards.collect(),
            runbooks: runbooks.collect(),
        }
    }

    fn objective(&self, slo: &Slo) -> Objective {
        let events = &slo.events;
        let mut severities: Vec<_> = events.tiers.iter().map(|t| t.severity.clone()).collect();
        severities.dedup();
        let marks = events.tiers.first().map(|tier| &tier.marks);
        let ratio = query::direct_ratio(&events.sli, &slo.labels, BASE_WINDOW);
        let named = self.spec.slos.get_key_value(slo.name.as_str());
        Objective {
            name: slo.name.clone(),
            title: slo.title.clone(),
            objective: shown(events.budget.objective, Unit::Ratio),
            ratio: decimal(events.budget.objective).parse().unwrap_or_default(),
            period: slo.period.to_string(),
            days: slo.period.as_secs() as f64 / 86_400.0,
            sli: match &events.sli {
                EventSli::Ratio { .. } => "ratio",
                EventSli::Latency { .. } => "latency",
                EventSli::Time(_) => "time",
                EventSli::Own(_) | EventSli::OwnRatio(_) => "promql",
            },
            burn: events.tiers.iter().map(burn).collect(),
            min_events: events.min_events,
            count_new_series: events.count_new_series,
            alert: slo.alert_name.clone(),
            told: Told {
                pages: severities.iter().any(|severity| self.is_page(severity)),
                summary: slo.summary.clone(),
                renamed_from: text(named.and_then(|(_, slo)| slo.renamed_from.as_ref())),
                at: self.place(named.map(|(name, _)| name)),
                ..self.told(marks, &slo.links, &ratio)
            },
            severities,
        }
    }

    fn notice(&self, alert: &Alert) -> Notice {
        let named = self.spec.alerts.get_key_value(alert.name.as_str());
        let query = &alert.condition.query().expr;
        Notice {
            name: alert.name.clone(),
            severity: alert.severity.clone(),
            condition: words::condition_held(&alert.condition, alert.hold),
            keep_firing_for: (alert.keep.as_secs() > 0).then(|| alert.keep.to_string()),
            action: alert.action.clone(),
            generated: named.is_none(),
            told: Told {
                pages: self.is_page(&alert.severity),
                summary: alert.summary_is_own.then(|| alert.summary.clone()),
                renamed_from: text(named.and_then(|(_, alert)| alert.renamed_from.as_ref())),
                at: self.place(named.map(|(name, _)| name)),
                ..self.told(Some(&alert.marks), &alert.links, query)
            },
        }
    }

    fn told(&self, marks: Option<&Marks>, links: &Links, query: &Expr) -> Told {
        let owner = marks.and_then(|marks| marks.owner.clone());
        let labels = marks.into_iter().flat_map(|marks| &marks.labels);
        Told {
            renamed_from: None,
            owner: owner.or_else(|| self.plan.service.owner.clone()),
            labels: labels.cloned().collect(),
            summary: None,
            // A page of the spec, or an address outside it; not the index of all pages.
            runbook: (links.page.is_some() || links.elsewhere).then(|| links.runbook.clone()),
            pages: false,
            query: query.to_string(),
            spec: None,
            at: Span::default(),
        }
    }

    /// Where pages and tickets have one severity, none pages.
    fn is_page(&self, severity: &str) -> bool {
        let severities = &self.plan.service.severities;
        severity == severities.page && severities.page != severities.ticket
    }

    /// The place of a name in the spec; what slosmith adds to a service is at the service. An extended file may set its name.
    fn place(&self, name: Option<&Text>) -> Span {
        let service = &self.spec.service;
        let owner = service.marks.owner.as_ref();
        // An environment may have a name and a title of its own: all are at one place.
        let fields = match self.shared {
            false => [Some(&service.name), service.title.as_ref(), owner],
            true => [owner, service.title.as_ref(), Some(&service.name)],
        };
        let mut here = fields.into_iter().flatten().map(|field| field.span);
        let here = here.find(|span| span.file == self.file);
        let service = here.unwrap_or(Span::new(self.file, 0..0));
        name.map_or(service, |name| name.span)
    }
}

fn text(given: Option<&Text>) -> Option<String> {
    given.map(|given| given.value.clone())
}

/// What a step asks.
fn step(step: &Step) -> String {
    let asked = || match &step.check {
        Check::Condition { condition, .. } => words::condition(condition),
        Check::Command(command, None) => command.clone(),
        Check::Command(_, Some(question)) | Check::Question(question) => question.clone(),
    };
    step.title.clone().unwrap_or_else(asked)
}

fn burn(tier: &Tier) -> String {
    let factor = decimal(tier.factor);
    let (severity, long, short) = (&tier.severity, tier.long, tier.short);
    format!("{severity}: burn rate {factor} over {long} and {short}")
}
