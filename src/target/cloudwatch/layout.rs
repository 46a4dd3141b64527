//! Where the widgets of a dashboard are: rows under headings, from the top.
//!
//! A row of Grafana that is 10 lines high becomes a heading of one line and widgets of eight.

use crate::plan::cloudwatch::{CloudWatchDashboard, CloudWatchPanel};
use crate::plan::dashboard::{COLUMNS, Place};
use crate::plan::layout::{height, places};

/// Lines of a heading.
const HEADING: u32 = 1;

/// What is at a place of a dashboard.
pub(super) enum Widget<'b> {
    Heading(&'b str),
    Panel(&'b CloudWatchPanel),
}

/// Everything on a dashboard, each at its place.
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
            widgets.push((Place { y, ..*place }, Widget::Panel(panel)));
        }
        top += height(places.into_iter());
    }
    widgets
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
