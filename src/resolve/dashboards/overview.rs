//! The dashboard that every service has: its objectives, what is firing, and a panel for every alert that has
//! none elsewhere.

use super::Panels;
use super::panel::{amount, blank};
use super::thresholds::{self, Watch};
use super::variables::{filter_author, filtered};
use crate::naming;
use crate::plan::dashboard::{COLUMNS, Draw, Origin, Panel, PanelSignal, Row, Series, Size};
use crate::plan::{Alert, Condition, Dashboard, Query, Slo, Window};
use crate::query::{self, SignalQuery};
use crate::resolve::context::Context;
use crate::spec::{GraphKind, Text};
use crate::units::{Duration, Unit};

/// Lines of the table of objectives at most, so that the alerts stay on the first screen.
const MOST_LINES: u32 = 9;

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
        .flat_map(|d| d.panels().flat_map(|panel| panel.leads.clone()))
        .collect();
    let title = format!("{}: overview", cx.title());
    let mut panels = Panels::new(cx, slos, alerts, variables);
    let mut verdict = panels.tiles();
    if !slos.is_empty() {
        verdict.push(panels.objectives());
    }
    verdict.push(panels.firing(None));
    let objectives = slos.iter().flat_map(|slo| {
        panels.remember(slo);
        panels.slo(slo)
    });
    let objectives = objectives.collect();
    let behind = panels.behind(&shown);
    let mut rows = Vec::new();
    for (title, panels) in [
        ("Is the service healthy?", verdict),
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

impl Panels<'_, '_> {
    /// All objectives in a table, which is filled when all panels are known.
    fn objectives(&self) -> Panel {
        let rows = u32::try_from(self.slos.len()).unwrap_or(MOST_LINES);
        // Title and heading, and some objectives have several groups.
        let lines = (rows + rows / 2 + 2).clamp(5, MOST_LINES);
        Panel {
            description: "One row for each objective and group, the worst first: what is good over the whole period, how much of \
                          the error budget is left, and how fast it burns; at a burn rate of 1 the budget lasts exactly its \
                          period. The name leads to the objective's panels."
                .to_owned(),
            size: Size::Fixed(COLUMNS, lines),
            ..blank("Objectives".to_owned(), Draw::Objectives(Vec::new()))
        }
    }

    /// Alerts of the service that are pending or firing, in a table that is filled when all panels are known.
    pub(super) fn firing(&mut self, title: Option<&Text>) -> Panel {
        let title = title.map_or_else(|| "Alerts".to_owned(), |title| title.value.clone());
        Panel {
            description: "Alerts of the selected groups that are pending or firing, and data that is missing. A ticket is not listed \
                          while the page on the same objective fires. The name leads to the panel that shows the value."
                .to_owned(),
            size: Size::Fixed(COLUMNS, 7),
            ..blank(title, Draw::Alerts(Vec::new()))
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
            if !watch.leading() || done(shown) || panels.iter().any(|panel| done(&panel.leads)) {
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
            leads: vec![watch.alert.to_owned()],
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
                Condition::Raw(raw) => {
                    let mut expr = raw.expr.clone();
                    filter_author(&mut expr, &raw.query.labels, &self.variables);
                    (raw.unit, (expr, &raw.query.labels))
                }
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
                leads: vec![alert.name.clone()],
                links: vec![("Runbook".to_owned(), alert.links.runbook.clone())],
                ..blank(alert.name.clone(), GraphKind::Timeseries)
            });
        }
        panels
    }
}
