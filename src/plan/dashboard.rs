//! Dashboards: panels with complete queries and sizes.
//!
//! A panel of `{signal: queue_depth}` has one [`Series`] with a query, a [`Size`] on a grid of [`COLUMNS`], and a
//! [`Threshold`] for each alert on the same value.

use super::layout::places;
use super::{Query, ValueUnit};
use crate::promql::ast::Selector;
use crate::spec::GraphKind;
use crate::units::{Duration, Number};

pub use super::layout::{COLUMNS, Place, Size};
pub use crate::spec::{Color, Role};

/// A dashboard.
#[derive(Clone, Debug)]
pub struct Dashboard {
    /// Its name in the spec.
    pub name: String,
    /// Its identifier in Grafana, which never changes.
    pub uid: String,
    /// For people.
    pub title: String,
    /// What it answers.
    pub description: String,
    /// How often it looks again.
    pub refresh: Duration,
    /// The time it shows at first, up to now.
    pub range: Duration,
    /// Labels a reader can filter by.
    pub variables: Vec<Variable>,
    /// From the most urgent to the least.
    pub rows: Vec<Row>,
    /// Panels that are not there, because their optional signals are not.
    pub left_out: Vec<String>,
}

/// A label that panels are filtered by.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The label; also the variable's name.
    pub label: String,
    /// Series that have all its values, filtered by the variables before it.
    pub series: Selector,
}

/// Panels under one heading.
#[derive(Clone, Debug)]
pub struct Row {
    /// Unique in the dashboard.
    pub id: u32,
    /// The heading.
    pub title: String,
    /// The variable it is shown once for each value of.
    pub repeat: Option<String>,
    /// True when it is closed at first.
    pub collapsed: bool,
    /// In reading order.
    pub panels: Vec<Panel>,
}

/// A panel.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Unique in the dashboard.
    pub id: u32,
    /// For people.
    pub title: String,
    /// What to read from it, in Markdown.
    pub description: String,
    /// How it is drawn.
    pub draw: Draw,
    /// What it shows.
    pub series: Vec<Series>,
    /// What all series count in.
    pub unit: ValueUnit,
    /// Ascending.
    pub thresholds: Vec<Threshold>,
    /// Alerts on what it shows, by name.
    pub alerts: Vec<String>,
    /// Those of them that lead here: it shows the value that they compare first, by all labels that they have.
    pub leads: Vec<String>,
    /// The objective that it is about, by name.
    pub objective: Option<String>,
    /// The time it shows up to now, where that is not the dashboard's.
    pub past: Option<Duration>,
    /// The last boundary of the histogram under its percentiles: no percentile can be above it.
    pub ends: Option<Number>,
    /// Where it leads: title and URL.
    pub links: Vec<(String, String)>,
    /// How much room it takes.
    pub size: Size,
}

/// How a panel is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Draw {
    /// Values of its series.
    Graph(GraphKind),
    /// One value in large type, which is never older than the end of the time shown, above its course.
    Tile,
    /// Markdown.
    Text(String),
    /// What is firing.
    Alerts(Vec<Column>),
    /// All objectives.
    Objectives(Vec<Column>),
    /// What started, and how it is configured.
    Changes(Vec<Column>),
    /// The worst state of objectives and alerts, in words for its number.
    Verdict(Vec<Word>),
    /// What belongs to the verdict: one value, and whose it is.
    Fact(Fact),
}

/// In the advice, an alert on a cause counts as worse by this than in the verdict: it then comes before the SLO that burns of the same
/// severity, because its action is nearer to the cause.
pub const CAUSE_FIRST: u32 = 2;

/// What belongs to the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// For whom and since when it is so.
    Since,
    /// The time in which the first budget is spent.
    Lasts,
    /// What to do, with a link to the runbook.
    Advice,
    /// The newest start or release.
    Changed,
}

/// A word for a number, and its colour.
pub type Word = (u32, String, Color);

impl Draw {
    /// How values are drawn, of a panel that shows some.
    pub fn graph(&self) -> Option<GraphKind> {
        match self {
            Self::Graph(kind) => Some(*kind),
            Self::Tile => Some(GraphKind::Number),
            Self::Text(_)
            | Self::Alerts(_)
            | Self::Objectives(_)
            | Self::Changes(_)
            | Self::Verdict(_)
            | Self::Fact(_) => None,
        }
    }
}

impl From<GraphKind> for Draw {
    fn from(kind: GraphKind) -> Self {
        Self::Graph(kind)
    }
}

/// A column of a table whose rows are joined from several queries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// What is in it.
    pub field: Field,
    /// Its heading.
    pub heading: String,
    /// How its cells look.
    pub cells: Cells,
    /// The label of the same row whose value its cells lead to.
    pub leads_to: Option<Lead>,
}

/// What is in a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// The values of a label.
    Label(String),
    /// The values of a query, by its number in the panel.
    Value(usize),
}

/// How far back the beginning of a state is looked for.
pub const BEGAN: Duration = Duration::from_mins(6 * 60);

/// How the cells of a column look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cells {
    /// Text; some values are written otherwise.
    Text(Vec<(String, String)>),
    /// The same words for all values, which are only used by links.
    Always(String),
    /// Text in a colour of its own: value and colour.
    Coloured(Vec<(String, Color)>),
    /// A number.
    Number(ValueUnit, Vec<Threshold>),
    /// A share in percent, with so many decimals.
    Share(u32),
    /// Words for numbers, from the best to the worst.
    Words(Vec<Word>),
    /// How long ago a time was, given in milliseconds since 1970; 0 is longer ago than [`BEGAN`], -1 never.
    Since,
    /// The time in which a budget is spent, in seconds; below 0, it is not.
    Spent,
    /// Nothing: other columns use it.
    Hidden,
}

/// Where the cells of a column lead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lead {
    /// To the URL that is the value.
    Url,
    /// To the panel that a label names as Grafana's address does: `uid?viewPanel=5`; with time and variables.
    Panel(String),
}

/// A query of a panel.
#[derive(Clone, Debug)]
pub struct Series {
    /// What it is called beside its labels; empty when the panel's title says it.
    pub title: String,
    /// The query; may use the dashboard's variables and the zoom's window.
    pub query: Query,
    /// What it was made from.
    pub origin: Origin,
}

/// What a panel's query was made from, for targets that do not speak PromQL.
#[derive(Clone, Debug)]
pub enum Origin {
    /// A signal, read over time.
    Signal(Box<PanelSignal>),
    /// Burn rate of an objective over a window.
    Burn(String, Duration),
    /// Share of events that were good over a window.
    Good(String, Duration),
    /// What is left of an objective's budget.
    Budget(String),
    /// Only PromQL says it: why.
    Query(&'static str),
}

/// A signal as a panel reads it.
#[derive(Clone, Debug)]
pub struct PanelSignal {
    /// The signal, without the dashboard's variables.
    pub signal: super::Signal,
    /// How it is read over time.
    pub stat: crate::spec::Stat,
    /// Look-back; `None` when it follows the zoom.
    pub window: Option<Duration>,
    /// Labels that the author of the panel keeps.
    pub by: Vec<String>,
    /// True where they replace the service's `group_by`.
    pub replaces: bool,
}

/// A value that means something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threshold {
    /// Whose it is: names of alerts, or `objective`; empty when the author of the panel gave it.
    pub name: String,
    /// In the unit and time of the panel.
    pub value: Number,
    /// As the author wrote it, so that a panel and an alert show the same: `1500ms`.
    pub text: String,
    /// What it means.
    pub role: Role,
    /// Its colour, and that of values beyond it.
    pub color: Color,
    /// True when values above it are the worse ones.
    pub upper: bool,
}

impl Threshold {
    /// True when both look the same, however their bounds were written.
    pub fn is_drawn_as(&self, other: &Self) -> bool {
        let look = |line: &Self| (line.value, line.role, line.color, line.upper);
        look(self) == look(other)
    }

    /// Names the owner of a line that is drawn as this one.
    pub fn also(&mut self, other: &Self) {
        let known = self.name.split(", ").any(|name| name == other.name);
        if !known && !other.name.is_empty() {
            let names = [self.name.as_str(), &other.name];
            self.name = names
                .into_iter()
                .filter(|n| !n.is_empty())
                .collect::<Vec<_>>()
                .join(", ");
        }
    }
}

impl Row {
    /// Its panels with their places.
    pub fn placed(&self) -> impl Iterator<Item = (Place, &Panel)> {
        let sizes: Vec<_> = self.panels.iter().map(|panel| panel.size).collect();
        places(&sizes).into_iter().zip(&self.panels)
    }
}

impl Dashboard {
    /// All panels in reading order.
    pub fn panels(&self) -> impl Iterator<Item = &Panel> {
        self.rows.iter().flat_map(|row| &row.panels)
    }
}
