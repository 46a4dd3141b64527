//! The dashboard that every service has: its SLOs, the firing alerts, and a panel for every alert without one elsewhere.

use super::Panels;
use super::panel::blank;
use super::thresholds::{self, Watch};
use super::variables::{filter_author, filtered};
use crate::context::Context;
use slosmith_plan::plan::dashboard::{
    COLUMNS, Draw, Fact, Origin, Panel, PanelSignal, Row, Series, Size,
};
use slosmith_plan::plan::{Alert, Condition, Dashboard, Query, Slo, ValueUnit, Window};
use slosmith_plan::query::{self, SignalQuery};
use slosmith_spec::naming;
use slosmith_spec::spec::{GraphKind, Text};
use slosmith_text::units::{Duration, Unit};

const MOST_LINES: u32 = 40;

/// Heights of the verdict, and of what to do and what changed, in lines.
const VERDICT: u32 = 4;
const NEXT: u32 = 3;

/// An incident of twenty minutes is seen; the budgets cover their own time.
const RANGE: Duration = Duration::from_mins(6 * 60);

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
    let mut verdict = panels.verdict();
    verdict.extend(panels.tiles(others));
    verdict.push(panels.firing(None));
    if !slos.is_empty() {
        verdict.push(panels.objectives());
    }
    let objectives = slos.iter().flat_map(|slo| {
        panels.remember(slo);
        panels.slo(slo)
    });
    let objectives = objectives.collect();
    let behind = panels.behind(&shown);
    let changes = panels.changes().into_iter().collect();
    let mut rows = Vec::new();
    for (title, panels) in [
        ("Is the service healthy?", verdict),
        ("What changed?", changes),
        ("SLOs", objectives),
        ("Signals of the alerts", behind),
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
            "SLOs, firing alerts and the signals of the alerts. slosmith generates this dashboard for every service."
                .to_owned(),
        range: RANGE,
        ..panels.finish(naming::OVERVIEW, rows)
    }
}

/// How to read the table of SLOs.
const OBJECTIVES: &str = "One row per SLO and label set, the worst state first. A click on the name opens the panels of the SLO.

- Current: good share over the SLO window
- Budget left: remaining error budget
- Burn rate: at 1, the budget lasts exactly one SLO window
- Budget lasts: the time until the budget is spent, at the burn rate of the last five minutes; empty below a burn rate of 1
- Since: when the state began: after the last moment at which the burn rate was below 1 or the state was better

States: burning fast (a paging alert fires), no data, burning (a ticket alert fires), \
burning now (burn rate of the last five minutes at least 1), budget spent, budget low (less than 25% left), ok.";

impl Panels<'_, '_> {
    /// The table of SLOs. It gets its queries when all panels are known.
    fn objectives(&self) -> Panel {
        // A row of the table takes a line; title, heading and borders take three. Two models are usual.
        let rows = self
            .slos
            .iter()
            .map(|slo| if slo.labels.is_empty() { 1 } else { 2 });
        let lines = (rows.sum::<u32>() + 3).clamp(6, MOST_LINES);
        let alerts = self.alerts.iter();
        let on_data: Vec<_> = alerts
            .filter(|alert| alert.condition.slo_data().is_some())
            .collect();
        let runbook = |alert: &&Alert| {
            (
                format!("Runbook: {}", alert.name),
                alert.links.runbook.clone(),
            )
        };
        Panel {
            description: OBJECTIVES.to_owned(),
            leads: on_data.iter().map(|alert| alert.name.clone()).collect(),
            links: on_data.iter().map(runbook).collect(),
            size: Size::Fixed(COLUMNS, lines),
            ..blank("SLOs".to_owned(), Draw::Objectives(Vec::new()))
        }
    }

    /// The worst state of all SLOs and alerts, for whom and since when it is so, when a budget is spent, what to do, and what changed
    /// last. The panels get their queries when all others are known.
    fn verdict(&self) -> Vec<Panel> {
        let worst = "The worst state of the SLOs and the firing alerts in the selected label sets. Missing data is a state of its own. An \
                     SLO that burns comes before alerts on causes of the same severity. The tables below have all states.";
        let since = "The label set of the verdict, and since when its state is so. An SLO burns since the last moment at which its burn \
                     rate was below 1. If several states are equally bad, the verdict shows the one that began first.";
        let lasts = "The SLO whose error budget is spent first at the burn rate of the last five minutes, and in which time. Budgets with a \
                     burn rate below 1 last for their SLO window. `nothing left`: every budget that burns is spent.";
        let advice = "What to do first, and for which label set. A firing alert on a cause comes before the SLO that burns. A click opens the runbook.";
        let budgets = !self.slos.is_empty();
        let grouped = !self.cx.spec.prometheus.group_by.is_empty();
        let whose = if grouped {
            "Affected, and since when"
        } else {
            "Since when"
        };
        let half = COLUMNS / 2;
        let side = if budgets { half / 2 } else { half };
        let panel = |title: &str, about: &str, draw, width, height| Panel {
            description: about.to_owned(),
            size: Size::Fixed(width, height),
            unit: ValueUnit::plain(Unit::Seconds),
            ..blank(title.to_owned(), draw)
        };
        let fact =
            |title, about, fact, width| panel(title, about, Draw::Fact(fact), width, VERDICT);
        let mut panels = vec![
            panel("Verdict", worst, Draw::Verdict(Vec::new()), half, VERDICT),
            fact(whose, since, Fact::Since, side),
        ];
        panels
            .extend(budgets.then(|| fact("Budget lasts, at this rate", lasts, Fact::Lasts, side)));
        let changed = self.changed();
        let width = if changed.is_some() { half } else { COLUMNS };
        panels.push(panel(
            "What to do",
            advice,
            Draw::Fact(Fact::Advice),
            width,
            NEXT,
        ));
        panels.extend(changed.map(|changed| Panel {
            size: Size::Fixed(half, NEXT),
            ..changed
        }));
        panels
    }

    /// The table of pending and firing alerts. It gets its queries when all panels are known.
    pub(super) fn firing(&mut self, title: Option<&Text>) -> Panel {
        let title = title.map_or_else(|| "Alerts".to_owned(), |title| title.value.clone());
        Panel {
            description: "Pending and firing alerts of the selected label sets, and missing data. While a paging alert fires, the \
                          ticket alerts of the same SLO are hidden. A click on the title opens the panel that shows the value.\n\n- Value and \
                          threshold: the first condition of the alert; for a burn-rate alert, its fastest tier that fires\n- recovering: the value \
                          is back on the good side of the threshold, and the alert has not ended yet"
                .to_owned(),
            size: Size::Fixed(COLUMNS, 8),
            ..blank(title, Draw::Alerts(Vec::new()))
        }
    }

    /// The families of an SLO have its labels, too.
    fn remember(&mut self, slo: &Slo) {
        if let Some(signal) = slo.events.sli.signal() {
            self.seen.add(signal);
        }
    }

    /// One panel for every alert that is on no other dashboard.
    fn behind(&mut self, shown: &[String]) -> Vec<Panel> {
        let page = self.cx.spec.severities.page.name.value.clone();
        let watches = thresholds::watches(self.alerts, &page);
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
        // What the alert reads of all values of a label together is shown of all.
        let apart = self.variables.iter();
        let apart: Vec<_> = apart
            .filter(|label| compare.query.labels.contains(label))
            .cloned()
            .collect();
        let signal = filtered(&compare.signal, &apart);
        let read = SignalQuery {
            signal: &signal,
            stat: compare.stat,
            window: Window::Fixed(compare.window),
            labels: compare.query.labels.clone(),
        };
        let mut query = query::query(&read, None);
        query.expr = query::per_time(query.expr, compare.unit);
        let words = [compare.signal.description.clone(), Some(watch.words())];
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
                    replaces: false,
                })),
            }],
            unit: compare.unit,
            thresholds: watch.lines(compare.unit),
            alerts: vec![watch.alert.to_owned()],
            leads: vec![watch.alert.to_owned()],
            links: vec![("Runbook".to_owned(), watch.runbook.to_owned())],
            ..blank(watch.alert.to_owned(), GraphKind::Timeseries)
        }
    }

    /// Alerts that compare no signal: the value of the author's PromQL without its comparison, or the number of
    /// series that may be absent.
    fn other_alerts(&mut self, shown: &[String]) -> Vec<Panel> {
        let mut panels = Vec::new();
        for alert in self.alerts.iter().filter(|a| !shown.contains(&a.name)) {
            let (unit, query, what, why) = match alert.condition.leading() {
                // The panels of the SLOs show that they have no data.
                leading if leading.slo_data().is_some() => continue,
                Condition::Raw(raw) => {
                    let mut expr = raw.expr.clone();
                    filter_author(&mut expr, &raw.query.labels, &self.variables);
                    let [what, why] = match raw.words {
                        Some(_) => [
                            "The correlation that the alert compares with its threshold.",
                            "CloudWatch cannot compute correlations",
                        ],
                        None => [
                            "Result of the alert's PromQL query, without its comparison.",
                            "the query is PromQL from the spec",
                        ],
                    };
                    (raw.unit, (expr, &raw.query.labels), what, why)
                }
                Condition::Absent(absent) => {
                    self.seen.add(&absent.signal);
                    let signal = filtered(&absent.signal, &self.variables);
                    let Some(family) = signal.family() else {
                        continue;
                    };
                    let labels = &absent.query.labels;
                    let count = query::number_of_series(family, labels);
                    let what = "Number of series with data. Without a line, no series has data.";
                    let why = "the query counts series";
                    (ValueUnit::plain(Unit::Count), (count, labels), what, why)
                }
                _ => continue,
            };
            let (expr, labels) = query;
            panels.push(Panel {
                description: format!("{what}\n\n{}", thresholds::of_alert(alert)),
                series: vec![Series {
                    title: String::new(),
                    query: Query {
                        expr,
                        labels: labels.clone(),
                    },
                    origin: Origin::Query(why),
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
