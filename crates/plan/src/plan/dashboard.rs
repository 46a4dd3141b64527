//! Dashboards: panels with complete queries and sizes.
//!
//! A panel of `{signal: queue_depth}` has one [`Series`] with a query, a [`Size`] on a grid of [`COLUMNS`], and a
//! [`Threshold`] for each alert on the same value.

use super::layout::places;
use super::{Query, ValueUnit};
use slosmith_promql::ast::Selector;
use slosmith_spec::spec::GraphKind;
use slosmith_text::units::{Duration, Number};

pub use super::layout::{COLUMNS, Place, Size};
pub use slosmith_spec::spec::{Color, Role};

#[derive(Clone, Debug)]
pub struct Dashboard {
    pub name: String,
    pub uid: String,
    pub title: String,
    pub description: String,
    pub refresh: Duration,
    pub range: Duration,
    pub variables: Vec<Variable>,
    /// From the most urgent to the least.
    pub rows: Vec<Row>,
    pub left_out: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub label: String,
    /// Series that have all its values, filtered by the variables before it.
    pub series: Selector,
}

#[derive(Clone, Debug)]
pub struct Row {
    pub id: u32,
    pub title: String,
    pub repeat: Option<String>,
    /// True when it is closed at first.
    pub collapsed: bool,
    pub panels: Vec<Panel>,
}

#[derive(Clone, Debug)]
pub struct Panel {
    pub id: u32,
    pub title: String,
    /// What to read from it, in Markdown.
    pub description: String,
    pub draw: Draw,
    pub series: Vec<Series>,
    pub unit: ValueUnit,
    pub thresholds: Vec<Threshold>,
    pub alerts: Vec<String>,
    /// Those of them that lead here: it shows the value that they compare first, by all labels that they have.
    pub leads: Vec<String>,
    pub objective: Option<String>,
    /// The time it shows up to now, where that is not the dashboard's.
    pub past: Option<Duration>,
    /// The last boundary of the histogram under its percentiles: no percentile can be above it.
    pub ends: Option<Number>,
    pub links: Vec<(String, String)>,
    pub size: Size,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Draw {
    Graph(GraphKind),
    /// One value in large type, which is never older than the end of the time shown, above its course.
    Tile,
    Text(String),
    Alerts(Vec<Column>),
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    Since,
    /// The time in which the first budget is spent.
    Lasts,
    /// What to do, with a link to the runbook.
    Advice,
    /// The newest start or release.
    Changed,
}

pub type Word = (u32, String, Color);

impl Draw {
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub field: Field,
    pub heading: String,
    pub cells: Cells,
    /// The label of the same row whose value its cells lead to.
    pub leads_to: Option<Lead>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    Label(String),
    Value(usize),
}

pub const BEGAN: Duration = Duration::from_mins(6 * 60);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cells {
    /// Text; some values are written otherwise.
    Text(Vec<(String, String)>),
    Always(String),
    Coloured(Vec<(String, Color)>),
    Number(ValueUnit, Vec<Threshold>),
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lead {
    Url,
    /// To the panel that a label names as Grafana's address does: `uid?viewPanel=5`; with time and variables.
    Panel(String),
}

#[derive(Clone, Debug)]
pub struct Series {
    /// What it is called beside its labels; empty when the panel's title says it.
    pub title: String,
    pub query: Query,
    pub origin: Origin,
}

/// What a panel's query was made from, for targets that do not speak PromQL.
#[derive(Clone, Debug)]
pub enum Origin {
    Signal(Box<PanelSignal>),
    Burn(String, Duration),
    Good(String, Duration),
    Budget(String),
    Query(&'static str),
}

#[derive(Clone, Debug)]
pub struct PanelSignal {
    /// The signal, without the dashboard's variables.
    pub signal: super::Signal,
    pub stat: slosmith_spec::spec::Stat,
    /// Look-back; `None` when it follows the zoom.
    pub window: Option<Duration>,
    /// Labels that the author of the panel keeps.
    pub by: Vec<String>,
    /// True where they replace the service's `group_by`.
    pub replaces: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threshold {
    pub name: String,
    pub value: Number,
    /// As the author wrote it, so that a panel and an alert show the same: `1500ms`.
    pub text: String,
    pub role: Role,
    pub color: Color,
    pub upper: bool,
    /// True if a value that is equal to it is beyond it.
    pub closed: bool,
}

impl Threshold {
    /// An advisory one without a name.
    pub fn at(value: Number, text: String, color: Color, upper: bool) -> Self {
        Self {
            name: String::new(),
            value,
            text,
            role: Role::Advisory,
            color,
            upper,
            closed: false,
        }
    }

    /// True when both look the same, however their bounds were written.
    pub fn is_drawn_as(&self, other: &Self) -> bool {
        let look = |line: &Self| (line.value, line.role, line.color, line.upper);
        look(self) == look(other)
    }

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
    pub fn placed(&self) -> impl Iterator<Item = (Place, &Panel)> {
        let sizes: Vec<_> = self.panels.iter().map(|panel| panel.size).collect();
        places(&sizes).into_iter().zip(&self.panels)
    }
}

impl Dashboard {
    pub fn panels(&self) -> impl Iterator<Item = &Panel> {
        self.rows.iter().flat_map(|row| &row.panels)
    }
}
