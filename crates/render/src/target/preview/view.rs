//! What the template sees.

use serde::Serialize;

#[derive(Debug, Serialize)]
pub(super) struct Page {
    pub(super) title: String,
    pub(super) service: String,
    pub(super) owner: String,
    pub(super) runtime: String,
    pub(super) objectives: Vec<Objective>,
    pub(super) alerts: Vec<Alert>,
    pub(super) dashboards: Vec<Dashboard>,
    /// Alerts that fire in the simulated incident.
    pub(super) firing: Vec<Word>,
    /// The moment that is shown: `14:55`.
    pub(super) now: String,
    pub(super) timelines: Vec<Timeline>,
}

#[derive(Debug, Serialize)]
pub(super) struct Objective {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) description: String,
    /// `99.9% over 30d`.
    pub(super) promise: String,
    /// What may go wrong.
    pub(super) budget: String,
    pub(super) tiers: Vec<Tier>,
    pub(super) plot: Option<Plot>,
    pub(super) runbook: String,
    pub(super) dashboard: String,
    pub(super) panel: Option<Panel>,
}

/// A burn-rate alert, with how long it takes to fire.
#[derive(Debug, Serialize)]
pub(super) struct Tier {
    pub(super) severity: String,
    pub(super) factor: String,
    pub(super) windows: String,
    pub(super) threshold: String,
    pub(super) consumed: String,
    /// At the error ratios of the plot's columns.
    pub(super) times: Vec<String>,
}

/// Time until an alert fires against the ratio of errors, both logarithmic.
#[derive(Debug, Serialize)]
pub(super) struct Plot {
    /// Error ratios that the table gives times for.
    pub(super) columns: Vec<String>,
    /// One line for each tier: SVG points, and the index of its colour.
    pub(super) lines: Vec<Line>,
    pub(super) x: Vec<Tick>,
    pub(super) y: Vec<Tick>,
}

#[derive(Debug, Serialize)]
pub(super) struct Line {
    pub(super) points: String,
    pub(super) color: usize,
    pub(super) name: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Tick {
    pub(super) at: f64,
    pub(super) text: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Alert {
    pub(super) name: String,
    pub(super) severity: String,
    pub(super) pages: bool,
    pub(super) when: String,
    pub(super) hold: String,
    pub(super) runbook: String,
    pub(super) dashboard: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Dashboard {
    pub(super) title: String,
    pub(super) description: String,
    pub(super) uid: String,
    pub(super) refresh: String,
    pub(super) range: String,
    pub(super) variables: String,
    pub(super) rows: Vec<Row>,
}

#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) title: String,
    /// Whether it repeats or is closed at first.
    pub(super) note: String,
    pub(super) panels: Vec<Panel>,
}

/// A panel on the grid; lines and columns start at 1.
#[derive(Debug, Serialize)]
pub(super) struct Panel {
    pub(super) column: u32,
    pub(super) line: u32,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) title: String,
    pub(super) kind: String,
    pub(super) description: String,
    pub(super) text: String,
    pub(super) graph: bool,
    pub(super) sketches: Vec<Sketch>,
    pub(super) legend: Vec<Legend>,
    pub(super) bounds: Vec<Word>,
    pub(super) queries: Vec<Query>,
    pub(super) links: Vec<Link>,
}

/// What a panel looks like on a simulated day.
#[derive(Debug, Default, Serialize)]
pub(super) struct Sketch {
    /// `healthy` or `incident`.
    pub(super) day: String,
    pub(super) name: String,
    /// A single value, its colour, and where it leads; empty when there is none.
    pub(super) value: String,
    pub(super) href: String,
    pub(super) color: String,
    /// The state of a tile in a word: colours alone do not say it to every reader.
    pub(super) state: String,
    /// The ends of the axes.
    pub(super) high: String,
    pub(super) low: String,
    pub(super) from: String,
    pub(super) shapes: Vec<Shape>,
    pub(super) cells: Vec<Cell>,
    pub(super) headings: Vec<String>,
    pub(super) rows: Vec<Vec<Word>>,
    /// What is not simulated.
    pub(super) note: String,
}

/// A line or an area, in hundredths of the graph.
#[derive(Debug, Serialize)]
pub(super) struct Shape {
    pub(super) points: String,
    pub(super) color: String,
    pub(super) dashed: bool,
    pub(super) filled: bool,
}

/// A cell of a heatmap, in hundredths of the graph.
#[derive(Debug, Serialize)]
pub(super) struct Cell {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) dark: f64,
}

#[derive(Debug, Serialize)]
pub(super) struct Legend {
    pub(super) name: String,
    pub(super) color: String,
    pub(super) dashed: bool,
}

/// A text, its colour and where it leads; the last two may be empty.
#[derive(Debug, Default, Serialize)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) color: String,
    pub(super) href: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Entry {
    pub(super) path: String,
    pub(super) title: String,
    pub(super) owner: String,
    pub(super) objectives: usize,
    pub(super) alerts: usize,
    /// The worst state in the simulated incident, and the alerts that fire then.
    pub(super) state: Word,
    pub(super) firing: Vec<Word>,
}

#[derive(Debug, Serialize)]
pub(super) struct Query {
    pub(super) title: String,
    pub(super) expr: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Link {
    pub(super) title: String,
    pub(super) url: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Timeline {
    pub(super) title: String,
    pub(super) releases: Vec<Release>,
    pub(super) families: Vec<Family>,
}

#[derive(Debug, Serialize)]
pub(super) struct Release {
    pub(super) version: String,
    /// True when the spec's range holds it.
    pub(super) wanted: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct Family {
    pub(super) name: String,
    /// For people: `0.8.0 to 0.33.0`.
    pub(super) span: String,
    /// For each release, whether it serves the metric.
    pub(super) cells: Vec<bool>,
}
