//! Dashboards: the same definitions as Grafana's, as far as CloudWatch shows them.
//!
//! Each panel keeps its row; where CloudWatch cannot show one, the row and the parity report say why.

use super::builder::Builder;
use super::graph;
use crate::plan::cloudwatch::{
    self as plan, ChartQuery, CloudWatchDashboard, CloudWatchPanel, CloudWatchRow, Content,
    GraphLine, MissingPanel, NotExpressible, Note, Parity, Verdict, View, What,
};
use crate::plan::dashboard::{Draw, Origin, Panel, PanelSignal, Row};
use crate::plan::{DEFAULT_WINDOW, Dashboard, Slo, ValueUnit, Window};
use crate::query::{self, SignalQuery};
use slosmith_cloudwatch::{MOST_ALARMS, MOST_METRICS, MOST_WIDGETS};
use slosmith_promql::ast::{BinaryOp, Expr};
use slosmith_spec::naming;
use slosmith_spec::spec::{GraphKind, Via};
use slosmith_text::units::{Duration, Unit};

/// A panel's content and its differences, or the reasons why CloudWatch cannot show the panel.
type Shown = Result<(Content, Vec<Note>), Vec<NotExpressible>>;

impl Builder<'_> {
    pub fn dashboards(
        &mut self,
        slos: &[Slo],
        dashboards: &[Dashboard],
        account: bool,
    ) -> Vec<CloudWatchDashboard> {
        dashboards
            .iter()
            .map(|dashboard| {
                let mut room = Room::of(dashboard);
                CloudWatchDashboard {
                    file: dashboard.name.clone(),
                    name: naming::dashboard(self.service, &dashboard.name),
                    range: dashboard.range,
                    rows: dashboard
                        .rows
                        .iter()
                        .map(|row| self.row(slos, dashboard, row, account, &mut room))
                        .collect(),
                }
            })
            .collect()
    }

    fn row(
        &mut self,
        slos: &[Slo],
        dashboard: &Dashboard,
        row: &Row,
        account: bool,
        room: &mut Room,
    ) -> CloudWatchRow {
        let (mut panels, mut missing) = (Vec::new(), Vec::new());
        for panel in alarms_first(&row.panels) {
            let shown = show(self, slos, panel, account).and_then(|shown| room.take(shown));
            self.report(slos, dashboard, panel, &shown);
            let title = panel.title.clone();
            match shown {
                Ok((content, _)) => panels.push(CloudWatchPanel {
                    size: panel.size,
                    title,
                    content,
                }),
                Err(why) if asked_for(panel) => missing.push(MissingPanel { title, why }),
                Err(_) => {}
            }
        }
        CloudWatchRow {
            title: row.title.clone(),
            panels,
            missing,
        }
    }

    fn report(&mut self, slos: &[Slo], dashboard: &Dashboard, panel: &Panel, shown: &Shown) {
        let name = self.named(dashboard, panel);
        let verdict = match shown {
            Ok((_, notes)) => Verdict::There(notes.clone()),
            Err(why) => Verdict::Absent(why.clone()),
        };
        let resource = naming::dashboard(self.service, &dashboard.name);
        let signals = panel
            .series
            .iter()
            .filter_map(|series| match &series.origin {
                Origin::Signal(read) => Some(&read.signal),
                _ => None,
            });
        let of_slo = |slo: &&Slo| panel.objective.as_ref() == Some(&slo.name);
        let of_slo = slos.iter().filter(of_slo).flat_map(Slo::signals);
        self.parity.push(Parity {
            what: What::Panel,
            name,
            prometheus: Verdict::of_prometheus(signals.chain(of_slo)),
            resources: verdict
                .is_expressible()
                .then_some(resource)
                .into_iter()
                .collect(),
            cloudwatch: verdict,
        });
    }

    /// Dashboard and title; a title that is used twice gets its panel's number.
    fn named(&self, dashboard: &Dashboard, panel: &Panel) -> String {
        let name = format!("{} / {}", dashboard.name, panel.title);
        let taken = self.parity.iter().any(|parity| parity.name == name);
        match taken || panel.title.is_empty() {
            true => format!("{name} (panel {})", panel.id).replace("  ", " "),
            false => name,
        }
    }
}

struct Room {
    widgets: usize,
    metrics: usize,
}

impl Room {
    fn of(dashboard: &Dashboard) -> Self {
        Self {
            widgets: MOST_WIDGETS.saturating_sub(2 * dashboard.rows.len()),
            metrics: MOST_METRICS,
        }
    }

    fn take(&mut self, shown: (Content, Vec<Note>)) -> Shown {
        let (widgets, metrics) = match &shown.0 {
            Content::Alarms(names) => (names.len().div_ceil(MOST_ALARMS), 0),
            Content::Graph(graph) => (1, graph.lines.iter().map(rows).sum()),
            Content::Text(_) | Content::Chart(..) => (1, 0),
        };
        if widgets > self.widgets || metrics > self.metrics {
            return Err(vec![NotExpressible::DashboardFull]);
        }
        self.widgets -= widgets;
        self.metrics -= metrics;
        Ok(shown)
    }
}

/// The metrics of a line, and the expression that is made of them.
fn rows(line: &GraphLine) -> usize {
    let metrics = line.value.metrics().len();
    let plain = metrics == 1 && line.shown == plan::Shown::Times(1.into());
    metrics + usize::from(!plain)
}

/// The panels of a row; on an overview, the states of all alarms before the tiles. An author's order is kept.
fn alarms_first(panels: &[Panel]) -> impl Iterator<Item = &Panel> {
    let tiles = panels.iter().any(|panel| panel.draw == Draw::Tile);
    let alarms = move |panel: &&Panel| tiles && matches!(panel.draw, Draw::Alerts(_));
    let rest = panels.iter().filter(move |panel| !alarms(panel));
    panels.iter().filter(alarms).chain(rest)
}

/// True for panels from the spec. Panels that every service has may be missing in CloudWatch without a remark.
fn asked_for(panel: &Panel) -> bool {
    matches!(panel.draw, Draw::Graph(_) | Draw::Text(_))
}

fn show(builder: &mut Builder<'_>, slos: &[Slo], panel: &Panel, account: bool) -> Shown {
    match &panel.draw {
        Draw::Text(text) => Ok((Content::Text(text.clone()), Vec::new())),
        Draw::Alerts(_) => states(builder, account),
        Draw::Objectives(_) | Draw::Changes(_) | Draw::Verdict(_) | Draw::Fact(_) => {
            Err(vec![NotExpressible::OnlyPromQl(
                "the table joins several PromQL queries",
            )])
        }
        Draw::Graph(_) | Draw::Tile => {
            if let Some(alarms) = status(builder, panel, account) {
                return Ok((Content::Alarms(alarms), Vec::new()));
            }
            let graph = builder.graph(slos, panel);
            match (graph.is_empty(), builder.via) {
                (false, _) => {
                    let (graph, differences) = graph.finish(panel);
                    Ok((Content::Graph(graph), differences))
                }
                (true, Via::Otlp) => chart(builder, slos, panel, graph.missing),
                (true, Via::Agent) => Err(graph.missing),
            }
        }
    }
}

/// The alarms on the value of a status panel. Alarms are green and red; numbers have no colours in CloudWatch.
fn status(builder: &Builder<'_>, panel: &Panel, account: bool) -> Option<Vec<String>> {
    let is_status = account && panel.draw == Draw::Graph(GraphKind::Status);
    let of_panel = |p: &&Parity| p.what == What::Alert && panel.alerts.contains(&p.name);
    let alerts = builder.parity.iter().filter(of_panel);
    let alarms: Vec<_> = alerts.flat_map(|p| p.resources.iter().cloned()).collect();
    (is_status && !alarms.is_empty()).then_some(alarms)
}

fn states(builder: &Builder<'_>, account: bool) -> Shown {
    let alarms = builder.alarms.iter().filter(|a| a.severity.is_some());
    let alarms: Vec<_> = alarms.map(|alarm| alarm.name.clone()).collect();
    match (alarms.is_empty(), account) {
        (true, _) => Err(vec![NotExpressible::NoAlarm]),
        (_, false) => Err(vec![NotExpressible::NoAccount]),
        _ => Ok((Content::Alarms(alarms), Vec::new())),
    }
}

/// The panel's queries as they are in Prometheus, without the variables of a dashboard.
fn chart(
    builder: &mut Builder<'_>,
    slos: &[Slo],
    panel: &Panel,
    mut why: Vec<NotExpressible>,
) -> Shown {
    let mut queries = Vec::new();
    for series in &panel.series {
        let Some((usual, expr)) = read(builder, slos, panel, &series.origin) else {
            return Err(why);
        };
        let label = match series.title.as_str() {
            "" => usual,
            title => title.to_owned(),
        };
        // As a graph of metrics shows them.
        let (expr, label) = match panel.unit.unit {
            Unit::Ratio => (percent(expr), format!("{label} (%)")),
            _ => (expr, label),
        };
        match builder.ask(&expr) {
            Ok(expr) => queries.push(ChartQuery { label, expr }),
            Err(more) => {
                why.push(more);
                return Err(why);
            }
        }
    }
    let view = match graph::view(&panel.draw) {
        View::Gauge => View::Number,
        View::Table => View::Lines,
        view => view,
    };
    Ok((Content::Chart(view, queries), Vec::new()))
}

fn percent(ratio: Expr) -> Expr {
    query::bin(BinaryOp::Mul, ratio, query::number(100.into()))
}

/// What a series shows, and its usual name; nothing where only records have it.
fn read(
    builder: &Builder<'_>,
    slos: &[Slo],
    panel: &Panel,
    origin: &Origin,
) -> Option<(String, Expr)> {
    let ratio = |window: Duration| {
        let slo = graph::objective(slos, origin)?;
        let ratio = query::direct_ratio(&slo.events.sli, &slo.labels, window);
        Some((ratio, slo.events.budget.budget))
    };
    match origin {
        Origin::Signal(reading) => {
            let window = reading.window.unwrap_or(DEFAULT_WINDOW);
            let expr = promql(builder, reading, window, panel.unit);
            Some((reading.signal.title.clone(), expr))
        }
        Origin::Burn(_, window) => {
            let (ratio, budget) = ratio(*window)?;
            let burn = query::bin(BinaryOp::Div, ratio, query::number(budget));
            Some((window.to_string(), burn))
        }
        Origin::Good(_, window) => {
            let one = query::number(1.into());
            let good = query::bin(BinaryOp::Sub, one, ratio(*window)?.0);
            Some((window.to_string(), good))
        }
        Origin::Budget(_) | Origin::Query(_) => None,
    }
}

/// A signal as a panel reads it over a window, without the variables of a dashboard.
fn promql(builder: &Builder<'_>, reading: &PanelSignal, window: Duration, unit: ValueUnit) -> Expr {
    let signal = &reading.signal;
    let usual = builder.known.group_by.iter().filter(|_| !reading.replaces);
    let group_by = usual.map(|label| &label.value);
    let labels = group_by.chain(&reading.by);
    let labels = labels.filter(|label| signal.labels.contains(label));
    let read = SignalQuery {
        signal,
        stat: reading.stat,
        window: Window::Fixed(window),
        labels: labels.cloned().collect(),
    };
    query::per_time(query::query(&read, None).expr, unit)
}
