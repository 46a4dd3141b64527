//! Dashboards: panels over the same signals and thresholds as the alerts.
//!
//! `{signal: queue_depth}` in a row becomes a panel with its unit, a query filtered by the dashboard's variables, and
//! the line at 80 of the alert that watches the same value.

mod changes;
mod objective;
mod overview;
mod panel;
mod tables;
mod thresholds;
mod tiles;
mod variables;
mod verdict;

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::context::Context;
use super::matchers;
use slosmith_plan::plan::dashboard::{COLUMNS, Panel, Place, Row, Size};
use slosmith_plan::plan::{Alert, Dashboard, Links, Slo};
use slosmith_spec::naming;
use slosmith_spec::spec;
use slosmith_spec::spec::Text;
use slosmith_text::diag::{Diagnostic, Sink};
use slosmith_text::source::Span;
use slosmith_text::units::Duration;
pub(super) use verdict::fill;

const REFRESH: Duration = Duration::from_secs(30);

const RANGE: Duration = Duration::from_secs(3 * 3_600);

pub(super) struct Panels<'a, 'b> {
    pub(super) cx: &'a mut Context<'b>,
    pub(super) slos: &'a [Slo],
    pub(super) alerts: &'a [Alert],
    variables: Vec<String>,
    left_out: Vec<String>,
    /// The families in use: variables list their label values.
    seen: variables::Seen,
}

pub(super) fn resolve(cx: &mut Context<'_>, slos: &[Slo], alerts: &[Alert]) -> Vec<Dashboard> {
    let spec = cx.spec;
    let mut all = Vec::new();
    for (name, declared) in &spec.dashboards {
        cx.check_name(name, true);
        all.extend(one(cx, name, declared, slos, alerts));
    }
    let own = spec.dashboards.contains_key(naming::OVERVIEW);
    let (slos, alerts) = (
        stored(slos, Slo::is_stored),
        stored(alerts, Alert::is_stored),
    );
    let alerting = !slos.is_empty() || !alerts.is_empty();
    if all.is_empty() && !alerting && spec.cloudwatch.is_some() {
        cx.notes.push(
            "no dashboard: the dashboard `overview` needs metrics in Prometheus; for one in CloudWatch, add `dashboards`"
                .to_owned(),
        );
    }
    if alerting && !own {
        all.push(overview::dashboard(cx, &slos, &alerts, &all));
    }
    all
}

/// Those of which Prometheus has all signals.
fn stored<T: Clone>(all: &[T], is_stored: fn(&T) -> bool) -> Cow<'_, [T]> {
    match all.iter().all(is_stored) {
        true => Cow::Borrowed(all),
        false => all.iter().filter(|one| is_stored(one)).cloned().collect(),
    }
}

fn one(
    cx: &mut Context<'_>,
    name: &Text,
    declared: &spec::Dashboard,
    slos: &[Slo],
    alerts: &[Alert],
) -> Option<Dashboard> {
    let errors = cx.sink.has_errors();
    let variables = variables::wanted(cx, declared);
    let mut panels = Panels::new(cx, slos, alerts, variables);
    let rows: Vec<_> = declared
        .rows
        .value
        .iter()
        .filter_map(|row| panels.row(&row.value))
        .collect();
    let mut dashboard = panels.finish(&name.value, rows);
    let text = |t: &Option<Text>| t.as_ref().map(|t| t.value.clone());
    if let Some(title) = text(&declared.title) {
        dashboard.title = title;
    }
    dashboard.description = text(&declared.description).unwrap_or_default();
    if let Some(refresh) = declared.refresh {
        dashboard.refresh = refresh.value;
    }
    if let Some(range) = declared.range {
        dashboard.range = range.value;
    }
    if errors == cx.sink.has_errors() {
        variables::check_used(cx, declared, &dashboard);
    }
    Some(dashboard)
}

impl<'a, 'b> Panels<'a, 'b> {
    fn new(
        cx: &'a mut Context<'b>,
        slos: &'a [Slo],
        alerts: &'a [Alert],
        variables: Vec<String>,
    ) -> Self {
        Self {
            cx,
            slos,
            alerts,
            variables,
            left_out: Vec::new(),
            seen: variables::Seen::default(),
        }
    }

    fn row(&mut self, row: &spec::Row) -> Option<Row> {
        let mut panels: Vec<Panel> = Vec::new();
        let mut positions = Positions::default();
        for panel in &row.panels.value {
            let mut made = self.panel(panel, row);
            if let (
                Some(position),
                [
                    Panel {
                        size: Size::At(place),
                        ..
                    },
                ],
            ) = (panel.value.position, made.as_slice())
            {
                positions.take(&mut self.cx.sink, *place, position.span);
            }
            if let Some(id) = &panel.value.id {
                let id = naming::panel_id("", &id.value);
                made.iter_mut().for_each(|panel| panel.id = id);
            }
            panels.extend(made);
        }
        if let Some(label) = &row.repeat {
            self.cx.check_label_name(label);
        }
        (!panels.is_empty()).then(|| Row {
            id: 0,
            title: row.title.value.clone(),
            repeat: row.repeat.as_ref().map(|label| label.value.clone()),
            collapsed: row.collapsed,
            panels,
        })
    }

    fn finish(mut self, name: &str, mut rows: Vec<Row>) -> Dashboard {
        let selector = matchers::of_own_servers(self.cx.spec);
        let own: Vec<_> = selector.iter().map(|(label, ..)| label.as_str()).collect();
        let variables = self.seen.variables(&self.variables, &rows, &own);
        let mut taken = BTreeSet::new();
        let mut free = |id: u32| (id..).find(|id| taken.insert(*id)).unwrap_or(id);
        for row in &mut rows {
            row.id = free(naming::panel_id(&row.title, ""));
            for panel in &mut row.panels {
                panel.id = free(match panel.id {
                    0 => naming::panel_id(&row.title, &panel.title),
                    id => id,
                });
            }
        }
        let service = &self.cx.spec.service.name.value;
        Dashboard {
            uid: naming::dashboard_uid(service, name),
            name: name.to_owned(),
            title: format!("{}: {name}", self.cx.title()),
            description: String::new(),
            refresh: REFRESH,
            range: RANGE,
            variables,
            rows,
            left_out: std::mem::take(&mut self.left_out),
        }
    }

    fn unknown<'n>(&mut self, what: &str, name: &Text, known: impl Iterator<Item = &'n str>) {
        let message = format!("unknown {what} `{name}`");
        let help = slosmith_text::diag::did_you_mean(&name.value, known);
        let error = Diagnostic::error("unknown-name", name.span, message);
        self.cx.sink.push(error.maybe_help(help));
    }
}

/// Links every alert to the panel that shows its value.
///
/// This panel shows the value that the alert compares first. The overview has a panel for each alert without one elsewhere.
pub(super) fn link(
    cx: &Context<'_>,
    dashboards: &[Dashboard],
    slos: &mut [Slo],
    alerts: &mut [Alert],
) {
    let grafana = cx.spec.links.as_ref().and_then(|l| l.grafana.as_ref());
    let grafana = grafana.map_or("", |url| &url.value);
    let lead = |name: &str, links_of: &mut Links| {
        let panels = || {
            dashboards
                .iter()
                .flat_map(|d| d.panels().map(move |panel| (d, panel)))
        };
        let named = |alerts: &[String]| alerts.iter().any(|alert| alert == name);
        // Otherwise any panel that shows another value of the alert.
        let shown = panels()
            .find(|(_, p)| named(&p.leads))
            .or_else(|| panels().find(|(_, p)| named(&p.alerts)));
        if let Some((dashboard, panel)) = shown {
            let variables = dashboard.variables.iter();
            links_of.variables = variables.map(|v| v.label.clone()).collect();
            links_of.dashboard = naming::panel_url(grafana, &dashboard.uid, panel.id);
        }
    };
    for slo in slos {
        match slo.is_stored() {
            true => lead(&slo.alert_name, &mut slo.links),
            false => slo.links.dashboard.clear(),
        }
    }
    for alert in alerts {
        match alert.is_stored() {
            true => lead(&alert.name, &mut alert.links),
            false => alert.links.dashboard.clear(),
        }
    }
}

#[derive(Default)]
struct Positions(Vec<(Place, Span)>);

impl Positions {
    fn take(&mut self, sink: &mut Sink, place: Place, at: Span) {
        match self.fault(place, at) {
            Some(fault) => sink.push(fault),
            None => self.0.push((place, at)),
        }
    }

    fn fault(&self, place: Place, at: Span) -> Option<Diagnostic> {
        if place.w == 0 || place.h == 0 || place.x + place.w > COLUMNS {
            let message = format!("the panel does not fit into the grid of {COLUMNS} columns");
            let help = format!("use `w` and `h` of at least 1, and `x` + `w` of at most {COLUMNS}");
            return Some(Diagnostic::error("bad-position", at, message).help(help));
        }
        let (_, other) = self.0.iter().find(|(other, _)| other.overlaps(place))?;
        let error = Diagnostic::error("overlapping-panels", at, "the panel overlaps another panel");
        Some(error.related(*other, "the other panel"))
    }
}
