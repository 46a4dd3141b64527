//! Where the widgets of a dashboard are: rows under headings, from the top.
//!
//! A row of Grafana that is 10 lines high becomes a heading of one line and widgets of eight. Panels that CloudWatch
//! cannot show take no place of their own: one text below the row lists the reasons.

use slosmith_cloudwatch::MOST_ALARMS;
use slosmith_plan::plan::cloudwatch::{
    CloudWatchDashboard, CloudWatchPanel, Content, MissingPanel, NotExpressible,
};
use slosmith_plan::plan::dashboard::{COLUMNS, Place};
use slosmith_plan::plan::layout::{height, places};

const HEADING: u32 = 1;

pub(super) enum Widget<'b> {
    Heading(&'b str),
    Panel(&'b CloudWatchPanel),
    /// Alarms, at most as many as a widget takes, under the title of their panel.
    Alarms(&'b str, &'b [String]),
    /// The missing panels of a row and the reasons, a line each.
    Missing(Vec<String>),
}

pub(super) fn widgets(dashboard: &CloudWatchDashboard) -> Vec<(Place, Widget<'_>)> {
    let mut widgets = Vec::new();
    let mut top = 0;
    for row in &dashboard.rows {
        let heading = Place {
            x: 0,
            y: top,
            w: COLUMNS,
            h: HEADING,
        };
        widgets.push((heading, Widget::Heading(&row.title)));
        top += HEADING;
        let sizes: Vec<_> = row.panels.iter().map(|panel| panel.size).collect();
        let places: Vec<_> = places(&sizes).into_iter().map(lowered).collect();
        for (place, panel) in places.iter().zip(&row.panels) {
            let y = top + place.y;
            let place = Place { y, ..*place };
            match &panel.content {
                Content::Alarms(names) => widgets.extend(alarms(place, &panel.title, names)),
                _ => widgets.push((place, Widget::Panel(panel))),
            }
        }
        top += height(places.into_iter());
        let lines = reasons(&row.missing);
        if !lines.is_empty() {
            let place = Place {
                h: u32::try_from(lines.len()).unwrap_or(1).div_ceil(2) + 1,
                y: top,
                ..heading
            };
            top += place.h;
            widgets.push((place, Widget::Missing(lines)));
        }
    }
    widgets
}

fn alarms<'b>(
    place: Place,
    title: &'b str,
    names: &'b [String],
) -> impl Iterator<Item = (Place, Widget<'b>)> {
    let parts = names.chunks(MOST_ALARMS).take(place.w as usize);
    let w = place.w / u32::try_from(parts.len()).unwrap_or(1).max(1);
    (0..).zip(parts).map(move |(i, names)| {
        let x = place.x + i * w;
        (Place { x, w, ..place }, Widget::Alarms(title, names))
    })
}

/// A line for each reason, with the titles of its panels; each title is listed once.
fn reasons(missing: &[MissingPanel]) -> Vec<String> {
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for panel in missing {
        let why = NotExpressible::joined(&panel.why);
        let title = format!("*{}*", panel.title);
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, titles)) if titles.contains(&title) => {}
            Some((_, titles)) => titles.push(title),
            None => reasons.push((why, vec![title])),
        }
    }
    let line = |(why, titles): (String, Vec<String>)| format!("{}: {why}", titles.join(", "));
    reasons.into_iter().map(line).collect()
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
