//! Dashboards as boxes on a grid, each with a sketch of its values.

use super::sketch::sketches;
use super::view::{Dashboard, Legend, Link, Panel, Query, Row, Sketch, Word};
use crate::target::grafana::{SPELLING, color_name};
use slosmith_plan::plan::dashboard::{self, Draw, Origin};
use slosmith_plan::plan::{Plan, words};
use slosmith_promql::pretty;
use slosmith_spec::spec::GraphKind;

/// Lines of queries break here.
const WIDTH: usize = 80;

pub(super) fn dashboard(plan: &Plan, dashboard: &dashboard::Dashboard) -> Dashboard {
    let variables: Vec<_> = dashboard
        .variables
        .iter()
        .map(|v| v.label.as_str())
        .collect();
    Dashboard {
        title: dashboard.title.clone(),
        description: dashboard.description.clone(),
        uid: dashboard.uid.clone(),
        refresh: dashboard.refresh.to_string(),
        range: dashboard.range.to_string(),
        variables: variables.join(", "),
        rows: dashboard
            .rows
            .iter()
            .map(|r| row(plan, dashboard, r))
            .collect(),
    }
}

fn row(plan: &Plan, dashboard: &dashboard::Dashboard, row: &dashboard::Row) -> Row {
    let panel = |(place, shown)| panel(shown, place, sketches(plan, dashboard, shown));
    let repeat = row
        .repeat
        .as_ref()
        .map(|label| format!("repeated for each {label}"));
    let closed = row.collapsed.then(|| "collapsed".to_owned());
    let note: Vec<_> = repeat.into_iter().chain(closed).collect();
    Row {
        title: row.title.clone(),
        note: note.join(", "),
        panels: row.placed().map(panel).collect(),
    }
}

fn name(kind: GraphKind) -> &'static str {
    match kind {
        GraphKind::Number => "number",
        GraphKind::Gauge => "gauge",
        GraphKind::Timeseries => "time series",
        GraphKind::Stacked => "stacked",
        GraphKind::Bars => "bars",
        GraphKind::Heatmap => "heatmap",
        GraphKind::Table => "table",
        GraphKind::Status => "status",
    }
}

/// The panel of an SLO that matters most: its burn rate.
pub(super) fn of_objective(plan: &Plan, name: &str) -> Option<Panel> {
    let burns = |panel: &dashboard::Panel| {
        let mut series = panel.series.iter();
        series.any(|series| matches!(series.origin, Origin::Burn(..)))
    };
    let all = plan.dashboards.iter();
    let all = all.flat_map(|d| {
        d.rows
            .iter()
            .flat_map(move |row| row.placed().map(move |p| (d, p)))
    });
    let own = all.filter(|(_, (_, panel))| panel.objective.as_deref() == Some(name));
    let graphs =
        own.filter(|(_, (_, panel))| panel.draw.graph().is_some_and(GraphKind::is_over_time));
    let (dashboard, (place, shown)) = graphs.min_by_key(|(_, (_, panel))| !burns(panel))?;
    Some(panel(shown, place, sketches(plan, dashboard, shown)))
}

fn panel(
    panel: &dashboard::Panel,
    place: dashboard::Place,
    (sketches, legend): (Vec<Sketch>, Vec<Legend>),
) -> Panel {
    let (kind, graph) = match &panel.draw {
        Draw::Graph(kind) => (name(*kind), kind.is_over_time()),
        // Their titles say it.
        _ => ("", false),
    };
    Panel {
        column: place.x + 1,
        line: place.y + 1,
        width: place.w,
        height: place.h,
        title: panel.title.clone(),
        kind: kind.to_owned(),
        description: panel.description.clone(),
        text: match &panel.draw {
            Draw::Text(text) => text.clone(),
            _ => String::new(),
        },
        graph,
        sketches,
        legend,
        bounds: bounds(panel),
        queries: panel.series.iter().map(query).collect(),
        links: panel
            .links
            .iter()
            .map(|(title, url)| Link {
                title: title.clone(),
                url: url.clone(),
            })
            .collect(),
    }
}

fn query(series: &dashboard::Series) -> Query {
    Query {
        title: series.title.clone(),
        expr: pretty(&SPELLING.of(&series.query.expr), WIDTH),
    }
}

/// The thresholds of a panel in words, the highest first.
fn bounds(panel: &dashboard::Panel) -> Vec<Word> {
    let word = |bound: &dashboard::Threshold| Word {
        text: words::line(bound),
        color: color_name(bound.color).to_owned(),
        ..Word::default()
    };
    panel.thresholds.iter().rev().map(word).collect()
}
