//! Panels of a plan as Grafana lays them out.

use serde_json::json;

use super::field::field;
use super::view::{Link, Override, Panel, Place, Query, WIDTH, ref_id};
use super::{SPELLING, changes, colors, legend, lines, table};
use crate::template::Tree;
use slosmith_plan::plan::dashboard::{self, Dashboard, Draw, Fact, Origin, Row};
use slosmith_plan::plan::layout::height;
use slosmith_plan::plan::{Plan, SignalKind, dashboard::COLUMNS};
use slosmith_promql::pretty;
use slosmith_spec::spec::GraphKind;

/// Columns of a graph whose legend has room for values.
const WIDE: u32 = 12;

/// Rows and panels from top to bottom, and a footer.
pub(super) fn panels(plan: &Plan, dashboard: &Dashboard) -> Vec<Panel> {
    let mut all = Vec::new();
    let mut top = 0;
    for row in &dashboard.rows {
        let mut inside: Vec<_> = row
            .placed()
            .map(|(place, p)| panel(plan, dashboard, p, place, top + 1))
            .collect();
        let mut heading = heading(row, top);
        top += 1;
        if row.collapsed {
            heading.inside = inside;
            all.push(heading);
        } else {
            top += height(row.placed().map(|(place, _)| place));
            all.push(heading);
            all.append(&mut inside);
        }
    }
    all.push(footer(plan, dashboard, top));
    all
}

fn heading(row: &Row, top: u32) -> Panel {
    Panel {
        template: "row".into(),
        id: row.id,
        title: row.title.clone(),
        place: Place {
            x: 0,
            y: top,
            w: COLUMNS,
            h: 1,
        },
        collapsed: row.collapsed,
        repeat: row.repeat.clone(),
        ..Panel::default()
    }
}

fn graph(kind: GraphKind) -> &'static str {
    match kind {
        GraphKind::Number => "stat",
        GraphKind::Gauge => "gauge",
        GraphKind::Timeseries | GraphKind::Stacked | GraphKind::Bars => "timeseries",
        GraphKind::Heatmap => "heatmap",
        GraphKind::Table => "table",
        GraphKind::Status => "status",
    }
}

fn panel(
    plan: &Plan,
    dashboard: &Dashboard,
    panel: &dashboard::Panel,
    place: dashboard::Place,
    top: u32,
) -> Panel {
    let (template, columns) = match &panel.draw {
        Draw::Graph(kind) => (graph(*kind), None),
        Draw::Tile => ("tile", None),
        Draw::Text(_) => ("text", None),
        Draw::Alerts(columns) | Draw::Objectives(columns) | Draw::Changes(columns) => {
            ("joined", Some(columns))
        }
        Draw::Verdict(_) => ("verdict", None),
        Draw::Fact(_) => ("fact", None),
    };
    let queries = (0..).zip(&panel.series);
    let queries = queries.map(|(i, s)| query(plan, dashboard, panel, s, i));
    let lines = lines::lines(panel);
    let word = lines::word(panel);
    let links = panel.links.iter().map(|(title, url)| Link {
        title: title.clone(),
        url: url.clone(),
    });
    Panel {
        template: template.into(),
        id: panel.id,
        title: panel.title.clone(),
        description: panel.description.clone(),
        place: Place {
            x: place.x,
            y: top + place.y,
            w: place.w,
            h: place.h,
        },
        interval: plan.scrape.interval.to_string(),
        targets: queries
            .chain(lines.iter().map(|line| line.query.clone()))
            .chain(word.iter().map(|word| word.query.clone()))
            .collect(),
        // Narrow panels only have room for names. The newest value would stay after its series has ended.
        legend: match place.w < WIDE || !lines.is_empty() {
            true => Vec::new(),
            false => vec!["min", "max"],
        },
        past: panel.past.map(|past| past.to_string()),
        links: links.collect(),
        field: field(panel),
        overrides: Tree::of(&match columns {
            Some(columns) => table::overrides(columns),
            None => colors::overrides(panel)
                .into_iter()
                .chain(lines.into_iter().chain(word).map(|line| line.look))
                .chain(leads(plan, panel))
                .collect(),
        }),
        states: match &panel.draw {
            Draw::Verdict(words) => Tree::of(&table::states(words)),
            Draw::Fact(fact) => Tree::of(&table::fact(*fact)),
            _ => Tree::default(),
        },
        table: columns.map(|columns| table::table(columns, panel.series.len())),
        content: match &panel.draw {
            Draw::Text(text) => text.clone(),
            _ => String::new(),
        },
        ..Panel::default()
    }
}

/// Where a click on a fact leads.
fn leads(plan: &Plan, panel: &dashboard::Panel) -> Option<Override> {
    let link = match &panel.draw {
        Draw::Fact(Fact::Advice) => table::to_runbook("${__field.labels.runbook}"),
        Draw::Fact(Fact::Changed) => table::to_panel(&changes(plan)?.url),
        _ => return None,
    };
    Some(Override {
        matcher: json!({"id": "byFrameRefID", "options": ref_id(0)}),
        properties: vec![json!({"id": "links", "value": [link]})],
    })
}

/// Whether a panel marks requests with a trace: on histograms, if the spec names the tool that stores traces.
fn marks_traces(plan: &Plan, panel: &dashboard::Panel, series: &dashboard::Series) -> bool {
    let traces = plan.runbooks.traces.as_ref();
    let Origin::Signal(read) = &series.origin else {
        return false;
    };
    panel.draw == GraphKind::Timeseries.into()
        && read.signal.kind() == SignalKind::Histogram
        && traces.is_some_and(|traces| traces.tool.is_some())
}

fn query(
    plan: &Plan,
    dashboard: &Dashboard,
    panel: &dashboard::Panel,
    series: &dashboard::Series,
    index: usize,
) -> Query {
    let name = legend::name(dashboard, &series.title, &series.query.labels);
    Query {
        name: ref_id(index),
        expr: pretty(&SPELLING.of(&series.query.expr), WIDTH),
        legend: match name.is_empty() {
            true => panel.title.clone(),
            false => name,
        },
        heading: match series.title.is_empty() {
            true => panel.title.clone(),
            false => series.title.clone(),
        },
        exemplar: marks_traces(plan, panel, series),
        instant: false,
    }
}

fn footer(plan: &Plan, dashboard: &Dashboard, top: u32) -> Panel {
    let rows = dashboard.rows.iter();
    let last = rows.flat_map(|row| row.panels.iter().map(|panel| panel.id).chain([row.id]));
    let mut content = format!(
        "Generated by slosmith from the spec of **{}**. To change this dashboard, edit the spec and build again.",
        plan.service.name
    );
    let servers = plan.servers.iter();
    let servers = servers.map(|of| format!("{} {} (`{}`)", of.title, of.releases, of.range));
    if let Some(servers) = servers.reduce(|all, one| format!("{all} and {one}")) {
        content.push_str(&format!(" Checked against {servers}."));
    }
    if !dashboard.left_out.is_empty() {
        let list = dashboard.left_out.join(", ");
        content.push_str(&format!(
            " Not shown, because no vLLM release in this range has the metrics: {list}."
        ));
    }
    Panel {
        template: "text".into(),
        id: last.max().unwrap_or(0) + 1,
        place: Place {
            x: 0,
            y: top,
            w: COLUMNS,
            h: 3,
        },
        transparent: true,
        content,
        ..Panel::default()
    }
}
