//! Dashboards: the same definitions as Grafana's.

use super::alarms::Builder;
use super::lines::{Axis, Drawn};
use crate::naming;
use crate::plan::cloudwatch::{Board, Content, Graph, Mark, Parity, Verdict, View, What, Widget};
use crate::plan::dashboard::{Draw, Origin, Panel, Place, Reading, Role, Threshold};
use crate::plan::{DEFAULT_WINDOW, Dashboard, EventSlo, Slo, SloKind, Window, words};
use crate::query::{self, SignalQuery};
use crate::spec::{Stat, Via};
use crate::units::{Number, Unit};

/// Lines of a heading.
const HEADING: u32 = 1;

/// All dashboards; those of alarms need the account to name them.
pub(super) fn boards(
    builder: &mut Builder<'_, '_>,
    slos: &[Slo],
    dashboards: &[Dashboard],
    account: bool,
) -> Vec<Board> {
    let mut boards = Vec::new();
    for dashboard in dashboards {
        let mut widgets = Vec::new();
        let mut top = 0;
        for row in &dashboard.rows {
            let mut shown = Vec::new();
            for panel in &row.panels {
                let content = widget(builder, slos, panel, account);
                let name = named(builder, dashboard, panel);
                let content = told(builder, name, &dashboard.name, content);
                shown.push(Widget {
                    place: lowered(panel.place),
                    title: panel.title.clone(),
                    content: content.unwrap_or_else(|why| missing(panel, &why)),
                });
            }
            widgets.push(heading(&row.title, top));
            top += HEADING;
            let height = shown.iter().map(|w| w.place.y + w.place.h).max();
            widgets.extend(shown.into_iter().map(|mut widget| {
                widget.place.y += top;
                widget
            }));
            top += height.unwrap_or(0);
        }
        boards.push(Board {
            file: dashboard.name.clone(),
            name: naming::board(&builder.service, &dashboard.name),
            range: dashboard.range,
            widgets,
        });
    }
    boards
}

/// Dashboard and title; a title that stands twice gets its panel's number.
fn named(builder: &Builder<'_, '_>, dashboard: &Dashboard, panel: &Panel) -> String {
    let name = format!("{} / {}", dashboard.name, panel.title);
    let taken = builder.parity.iter().any(|parity| parity.name == name);
    match taken || panel.title.is_empty() {
        true => format!("{name} (panel {})", panel.id).replace("  ", " "),
        false => name,
    }
}

/// Lines of CloudWatch are a quarter higher than those of Grafana.
fn lowered(place: Place) -> Place {
    let line = |y: u32| y * 4 / 5;
    Place {
        y: line(place.y),
        h: (line(place.y + place.h) - line(place.y)).max(1),
        ..place
    }
}

fn heading(title: &str, y: u32) -> Widget {
    Widget {
        place: Place {
            x: 0,
            y,
            w: crate::plan::dashboard::COLUMNS,
            h: HEADING,
        },
        title: String::new(),
        content: Content::Text(format!("## {title}")),
    }
}

/// A panel's content with what is to be said of it.
type Made = Result<(Content, Vec<String>), String>;

/// Where a panel would stand, a reader is told why it does not.
fn missing(panel: &Panel, why: &str) -> Content {
    Content::Text(format!("**{}**\n\nNot in CloudWatch: {why}.", panel.title))
}

fn told(
    builder: &mut Builder<'_, '_>,
    name: String,
    board: &str,
    made: Made,
) -> Result<Content, String> {
    let (content, verdict) = match made {
        Ok((content, notes)) => (Ok(content), Verdict::of(notes)),
        Err(why) => (Err(why.clone()), Verdict::NotExpressible(why)),
    };
    let resource = naming::board(&builder.service, board);
    builder.parity.push(Parity {
        what: What::Panel,
        name,
        prometheus: Verdict::Identical,
        cloudwatch: verdict,
        resource: content.is_ok().then_some(resource),
    });
    content
}

fn widget(builder: &mut Builder<'_, '_>, slos: &[Slo], panel: &Panel, account: bool) -> Made {
    match &panel.draw {
        Draw::Text(text) => Ok((Content::Text(text.clone()), Vec::new())),
        Draw::Alerts => states(builder, account),
        _ => graph(builder, slos, panel),
    }
}

fn states(builder: &Builder<'_, '_>, account: bool) -> Made {
    let alarms = builder.alarms.iter().filter(|a| a.severity.is_some());
    let alarms: Vec<_> = alarms.map(|alarm| alarm.name.clone()).collect();
    match (alarms.is_empty(), account) {
        (true, _) => Err("there is no alarm".to_owned()),
        (_, false) => Err("the states of alarms need `cloudwatch.account`".to_owned()),
        _ => Ok((Content::Alarms(alarms), Vec::new())),
    }
}

fn graph(builder: &mut Builder<'_, '_>, slos: &[Slo], panel: &Panel) -> Made {
    let axis = Axis {
        unit: panel.unit.unit,
        per: panel.unit.per,
    };
    let mut drawn: Vec<Drawn> = Vec::new();
    let mut failed: Vec<String> = Vec::new();
    for (i, series) in panel.series.iter().enumerate() {
        let prefix = format!("{}m", letters(i));
        let lines = match &series.origin {
            Origin::Signal(reading) if panel.draw == Draw::Heatmap => {
                percentiles(builder, reading, axis, &prefix)
            }
            Origin::Signal(reading) => {
                let line = builder.reading(reading, axis, &series.title, &prefix);
                line.map(|line| vec![line])
            }
            Origin::Query(why) => Err((*why).to_owned()),
            Origin::Budget(name) => objective(slos, name)
                .and_then(|(slo, _)| builder.budget_line(slo, &prefix))
                .map(|line| vec![line]),
            Origin::Burn(name, window) => objective(slos, name)
                .and_then(|(_, events)| builder.burn_line(events, *window, &prefix))
                .map(|line| vec![line]),
            Origin::Good(name, window) => objective(slos, name)
                .and_then(|(_, events)| builder.good_line(events, *window, &prefix))
                .map(|line| vec![line]),
        };
        match lines {
            Ok(mut lines) => {
                if let Some(first) = lines.first_mut() {
                    first
                        .notes
                        .extend(one_for_all(&series.query.labels, &series.origin));
                }
                drawn.extend(lines);
            }
            Err(why) if failed.contains(&why) => {}
            Err(why) => failed.push(why),
        }
    }
    if drawn.is_empty() {
        return match builder.via {
            Via::Otlp => chart(builder, panel, failed.join("; ")),
            Via::Agent => Err(failed.join("; ")),
        };
    }
    Ok(finish(panel, axis, drawn, failed))
}

/// Grafana draws a line for each group.
fn one_for_all(labels: &[String], origin: &Origin) -> Option<String> {
    let by = match origin {
        Origin::Signal(reading) => reading.by.as_slice(),
        _ => &[],
    };
    let open = labels
        .iter()
        .filter(|label| *label != "le" && !by.contains(label));
    let open: Vec<_> = open.map(|label| format!("`{label}`")).collect();
    (!open.is_empty()).then(|| format!("one line for all of {}", open.join(", ")))
}

/// `a`, `b`, …, `z`, `aa`: ids of a widget begin with a small letter.
fn letters(i: usize) -> String {
    let letter = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap_or(0));
    match i / 26 {
        0 => letter(i).to_string(),
        n => format!("{}{}", letter(n - 1), letter(i)),
    }
}

fn objective<'a>(slos: &'a [Slo], name: &str) -> Result<(&'a Slo, &'a EventSlo), String> {
    let slo = slos.iter().find(|slo| slo.name == name);
    match slo.map(|slo| (slo, &slo.kind)) {
        Some((slo, SloKind::Events(events))) => Ok((slo, events)),
        _ => Err("it has no budget".to_owned()),
    }
}

/// A distribution by its percentiles: CloudWatch draws no heatmaps.
fn percentiles(
    builder: &mut Builder<'_, '_>,
    reading: &Reading,
    axis: Axis,
    prefix: &str,
) -> Result<Vec<Drawn>, String> {
    let mut lines = Vec::new();
    for percent in [50, 95, 99] {
        let stat = Stat::Quantile(Number::new(percent, 100));
        let reading = Reading {
            stat,
            ..reading.clone()
        };
        let prefix = format!("{prefix}{percent}x");
        let mut line = builder.reading(&reading, axis, &stat.to_string(), &prefix)?;
        if lines.is_empty() {
            line.notes
                .push("three percentiles in place of a heatmap".to_owned());
        }
        lines.push(line);
    }
    Ok(lines)
}

fn finish(
    panel: &Panel,
    axis: Axis,
    drawn: Vec<Drawn>,
    failed: Vec<String>,
) -> (Content, Vec<String>) {
    let mut notes: Vec<String> = Vec::new();
    for note in drawn.iter().flat_map(|line| &line.notes) {
        if !notes.contains(note) {
            notes.push(note.clone());
        }
    }
    notes.extend(
        failed
            .into_iter()
            .map(|why| format!("a line is missing: {why}")),
    );
    let worth = drawn[0].worth;
    let whole_range = panel
        .series
        .iter()
        .any(|series| matches!(series.origin, Origin::Budget(_)));
    let mut view = match &panel.draw {
        Draw::Number | Draw::Status => View::Number,
        Draw::Gauge => View::Gauge,
        Draw::Stacked | Draw::Bars => View::Stacked,
        Draw::Table => View::Table,
        _ => View::Lines,
    };
    let max = (axis.unit == Unit::Ratio && !whole_range).then(|| Number::from_integer(100));
    if view == View::Gauge && max.is_none() {
        view = View::Number;
        notes.push("a number in place of a gauge: the scale has no end".to_owned());
    }
    let ratio = |worth: Number| {
        if axis.unit == Unit::Ratio {
            Number::new(1, 100)
        } else {
            worth
        }
    };
    let marks = panel.thresholds.iter().map(|line| mark(line, ratio(worth)));
    let graph = Graph {
        view,
        unit: axis_unit(axis, worth),
        max: max.filter(|_| view == View::Gauge),
        marks: marks.collect(),
        lines: drawn.into_iter().map(|drawn| drawn.line).collect(),
        whole_range,
    };
    (Content::Graph(graph), notes)
}

fn mark(line: &Threshold, worth: Number) -> Mark {
    Mark {
        value: line.value / worth,
        label: words::line(line),
        color: line.color,
        upper: line.upper,
        fill: line.role == Role::Alert,
    }
}

fn axis_unit(axis: Axis, worth: Number) -> String {
    let unit = match axis.unit {
        Unit::Ratio => "%",
        Unit::Seconds if worth == Number::new(1, 1_000) => "ms",
        Unit::Seconds if worth == Number::new(1, 1_000_000) => "µs",
        Unit::Seconds => "s",
        Unit::Bool | Unit::Count => "",
        other => other.as_str(),
    };
    match axis.per {
        Some(per) => format!("{unit}/{}", per.name),
        None => unit.to_owned(),
    }
}

/// The panel's queries as they are in Prometheus, without the variables of a dashboard.
fn chart(builder: &mut Builder<'_, '_>, panel: &Panel, why: String) -> Made {
    let mut queries = Vec::new();
    for series in &panel.series {
        let Origin::Signal(reading) = &series.origin else {
            return Err(why);
        };
        let window = reading.window.unwrap_or(DEFAULT_WINDOW);
        if window > super::promql::FARTHEST {
            return Err(format!("{why}; PromQL looks back a day, not {window}"));
        }
        let group_by = builder.cx.spec.prometheus.group_by.iter();
        let labels = group_by.map(|label| &label.value).chain(&reading.by);
        let read = SignalQuery {
            signal: &reading.signal,
            stat: reading.stat,
            window: Window::Fixed(window),
            labels: labels
                .filter(|label| reading.signal.labels.contains(label))
                .cloned()
                .collect(),
        };
        let expr = query::per_time(query::query(&read, None).expr, panel.unit);
        let title = match series.title.as_str() {
            "" => reading.signal.title.clone(),
            title => title.to_owned(),
        };
        queries.push((title, expr));
    }
    let notes = queries
        .iter()
        .flat_map(|(_, expr)| super::promql::notes(expr))
        .take(1)
        .collect();
    let view = match panel.draw {
        Draw::Number | Draw::Gauge | Draw::Status => View::Number,
        Draw::Stacked | Draw::Bars => View::Stacked,
        _ => View::Lines,
    };
    let queries = queries
        .into_iter()
        .map(|(title, expr)| (title, expr.to_string()));
    Ok((Content::Chart(view, queries.collect()), notes))
}
