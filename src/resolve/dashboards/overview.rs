//! The dashboard that every service has: its objectives, what is firing, and a panel for every alert that has
//! none elsewhere.

use super::Panels;
use super::panel::{amount, blank};
use super::thresholds::{self, Watch};
use super::variables::filtered;
use crate::naming;
use crate::plan::dashboard::{COLUMNS, Draw, Origin, Panel, PanelSignal, Row, Series, Size};
use crate::plan::{Alert, Condition, Dashboard, Query, Slo, Window};
use crate::promql::ast::{AggregateOp, BinaryOp, Expr, MatchOp};
use crate::promql::build;
use crate::query::{self, SignalQuery, bin};
use crate::resolve::context::Context;
use crate::spec::{GraphKind, Text};
use crate::units::{Duration, Unit};

/// An objective is judged over days.
const RANGE: Duration = Duration::from_secs(24 * 3_600);

pub(super) fn dashboard(
    cx: &mut Context<'_>,
    slos: &[Slo],
    alerts: &[Alert],
    others: &[Dashboard],
) -> Dashboard {
    let variables = cx.spec.prometheus.group_by.iter().map(|l| l.value.clone());
    let variables = variables.collect();
    let shown: Vec<String> = others
        .iter()
        .flat_map(|d| d.panels().flat_map(|panel| panel.alerts.clone()))
        .collect();
    let title = format!("{}: overview", cx.title());
    let mut panels = Panels::new(cx, slos, alerts, variables);
    let firing = vec![panels.firing(None)];
    let objectives = slos.iter().flat_map(|slo| {
        panels.remember(slo);
        panels.slo(slo)
    });
    let objectives = objectives.collect();
    let behind = panels.behind(&shown);
    let mut rows = Vec::new();
    for (title, panels) in [
        ("Firing now", firing),
        ("Objectives", objectives),
        ("Behind the alerts", behind),
    ] {
        if !panels.is_empty() {
            rows.push(Row {
                id: 0,
                title: title.to_owned(),
                repeat: None,
                collapsed: false,
                panels,
            });
        }
    }
    Dashboard {
        title,
        description:
            "Objectives, firing alerts and the signals behind them; generated for every service."
                .to_owned(),
        range: RANGE,
        ..panels.finish(naming::OVERVIEW, rows)
    }
}

/// 1 for every pending alert, 2 for every firing one; a single 0 when there is none.
fn firing(service: &str, labels: &[String]) -> Expr {
    let alerts = |state| {
        build::metric("ALERTS")
            .matcher(naming::SERVICE, MatchOp::Equal, service)
            .matcher("alertstate", MatchOp::Equal, state)
    };
    let firing = bin(BinaryOp::Mul, build::number("2"), alerts("firing").into());
    let both = bin(BinaryOp::Or, alerts("pending").into(), firing);
    let zero = build::call("vector", [build::number("0")]);
    let words = ["alertname", "Nothing is pending or firing", "", ""].map(build::string);
    let none = build::call("label_replace", std::iter::once(zero).chain(words));
    let nothing: [&str; 0] = [];
    let found = build::aggregate(AggregateOp::Max, labels, both);
    build::binary(BinaryOp::Or, found, none).on(&nothing).into()
}

impl Panels<'_, '_> {
    /// Alerts of the service that are pending or firing.
    pub(super) fn firing(&mut self, title: Option<&Text>) -> Panel {
        let spec = self.cx.spec;
        let title = title.map_or_else(|| "Alerts".to_owned(), |title| title.value.clone());
        let mut labels = vec!["alertname".to_owned(), naming::SEVERITY.to_owned()];
        labels.extend(spec.prometheus.group_by.iter().map(|l| l.value.clone()));
        Panel {
            description: "Pending alerts are yellow, firing ones red.".to_owned(),
            series: vec![Series {
                title: String::new(),
                query: Query {
                    expr: firing(&spec.service.name.value, &labels),
                    labels,
                },
                origin: Origin::Query("it shows states of Prometheus's alerts"),
            }],
            size: Size::Fixed(COLUMNS, 5),
            ..blank(title, Draw::Alerts)
        }
    }

    /// The families of an objective carry its labels too.
    fn remember(&mut self, slo: &Slo) {
        use crate::plan::SloKind;
        match &slo.kind {
            SloKind::Events(events) => {
                if let Some(signal) = events.sli.signal() {
                    self.seen.add(signal);
                }
            }
            SloKind::Percentile(percentile) => self.seen.add(&percentile.signal),
        }
    }

    /// One panel for every alert that no other dashboard shows.
    fn behind(&mut self, shown: &[String]) -> Vec<Panel> {
        let page = self.cx.spec.severities.page.name.value.clone();
        let watches = thresholds::watches(self.slos, self.alerts, &page);
        let mut panels: Vec<Panel> = Vec::new();
        for watch in &watches {
            let done = |alerts: &[String]| alerts.iter().any(|alert| alert == watch.alert);
            if done(shown) || panels.iter().any(|panel| done(&panel.alerts)) {
                continue;
            }
            panels.push(self.watched(watch));
        }
        panels.extend(self.other_alerts(shown));
        panels
    }

    fn watched(&mut self, watch: &Watch<'_>) -> Panel {
        let compare = watch.compare;
        self.seen.add(&compare.signal);
        let signal = filtered(&compare.signal, &self.variables);
        let read = SignalQuery {
            signal: &signal,
            stat: compare.stat,
            window: Window::Fixed(compare.window),
            labels: compare.query.labels.clone(),
        };
        let mut query = query::query(&read, None);
        query.expr = query::per_time(query.expr, compare.unit);
        let words = [
            compare.signal.description.clone(),
            Some(format!("Alert {}.", watch.words())),
        ];
        Panel {
            description: words.into_iter().flatten().collect::<Vec<_>>().join("\n\n"),
            series: vec![Series {
                title: String::new(),
                query,
                origin: Origin::Signal(Box::new(PanelSignal {
                    signal: compare.signal.clone(),
                    stat: compare.stat,
                    window: Some(compare.window),
                    by: Vec::new(),
                })),
            }],
            unit: compare.unit,
            thresholds: thresholds::line(watch, compare.unit).into_iter().collect(),
            alerts: vec![watch.alert.to_owned()],
            links: vec![("Runbook".to_owned(), watch.runbook.to_owned())],
            ..blank(watch.alert.to_owned(), GraphKind::Timeseries)
        }
    }

    /// Alerts that compare no signal: the value of the author's PromQL without its comparison, and how many
    /// series there are of those that may be absent.
    fn other_alerts(&mut self, shown: &[String]) -> Vec<Panel> {
        let mut panels = Vec::new();
        for alert in self.alerts.iter().filter(|a| !shown.contains(&a.name)) {
            let (unit, query) = match alert.condition.leading() {
                Condition::Raw(raw) => (raw.unit, (raw.expr.clone(), &raw.query.labels)),
                Condition::Absent(absent) => {
                    self.seen.add(&absent.signal);
                    let signal = filtered(&absent.signal, &self.variables);
                    let Some(family) = signal.family() else {
                        continue;
                    };
                    let labels = &absent.query.labels;
                    let count = query::number_of_series(family, labels);
                    (amount(Unit::Count), (count, labels))
                }
                _ => continue,
            };
            let (expr, labels) = query;
            panels.push(Panel {
                description: alert.summary.clone(),
                series: vec![Series {
                    title: String::new(),
                    query: Query {
                        expr,
                        labels: labels.clone(),
                    },
                    origin: Origin::Query("it is PromQL, or counts series"),
                }],
                unit,
                alerts: vec![alert.name.clone()],
                links: vec![("Runbook".to_owned(), alert.links.runbook.clone())],
                ..blank(alert.name.clone(), GraphKind::Timeseries)
            });
        }
        panels
    }
}
