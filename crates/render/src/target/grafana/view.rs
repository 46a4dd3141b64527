//! What the templates see.

use serde::Serialize;
use serde_json::Value;

use crate::target::kubernetes::Metadata;
use crate::template::Tree;

#[derive(Debug, Serialize)]
pub(super) struct Dashboard {
    pub(super) uid: String,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) tags: Vec<String>,
    pub(super) refresh: String,
    /// `3h`: the time shown, up to now.
    pub(super) range: String,
    pub(super) variables: Vec<Variable>,
    pub(super) legend_variable: Option<LegendVariable>,
    pub(super) annotations: Vec<Annotation>,
    pub(super) changes: Option<Link>,
    /// Tags of the annotations in Grafana that mark a deployment.
    pub(super) deployments: Vec<String>,
    /// Rows and panels in reading order; panels of a collapsed row are inside it.
    pub(super) panels: Vec<Panel>,
}

/// A variable over the values of a label.
#[derive(Debug, Serialize)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) label: String,
    pub(super) query: String,
}

/// A hidden variable that holds a label to write in legends.
#[derive(Debug, Serialize)]
pub(super) struct LegendVariable {
    pub(super) name: String,
    pub(super) query: String,
}

/// Marks on the time axis.
#[derive(Debug, Serialize)]
pub(super) struct Annotation {
    pub(super) name: String,
    pub(super) color: String,
    pub(super) expr: String,
    pub(super) title: String,
    pub(super) text: String,
    /// True when the value of the query is the time of the mark, in milliseconds.
    pub(super) value_is_time: bool,
}

#[derive(Debug, Default, Serialize)]
pub(super) struct Panel {
    /// Name of the template below `panels/`.
    pub(super) template: String,
    pub(super) id: u32,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) place: Place,
    pub(super) transparent: bool,
    /// The scrape interval: the shortest useful step of a query.
    pub(super) interval: String,
    pub(super) targets: Vec<Query>,
    pub(super) links: Vec<Link>,
    pub(super) field: Field,
    /// What stands behind each name in the legend.
    pub(super) legend: Vec<&'static str>,
    /// How some values look different: a list of [`Override`].
    pub(super) overrides: Tree,
    /// `30d`: the time it shows, where that is not the dashboard's.
    pub(super) past: Option<String>,
    /// Words for the numbers of a verdict.
    pub(super) states: Tree,
    pub(super) table: Option<Table>,
    pub(super) content: String,
    /// For a row: whether it is collapsed, the variable that repeats it, and the panels inside when collapsed.
    pub(super) collapsed: bool,
    pub(super) repeat: Option<String>,
    pub(super) inside: Vec<Panel>,
}

/// Columns and lines on the whole dashboard.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Place {
    pub(super) x: u32,
    pub(super) y: u32,
    pub(super) w: u32,
    pub(super) h: u32,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct Query {
    /// `A`, `B`, …
    pub(super) name: String,
    pub(super) expr: String,
    pub(super) legend: String,
    pub(super) heading: String,
    /// Whether single requests with a trace are marked.
    pub(super) exemplar: bool,
    /// True for the newest value alone, where other queries of the panel have a course.
    pub(super) instant: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct Link {
    pub(super) title: String,
    pub(super) url: String,
}

#[derive(Debug, Default, Serialize)]
pub(super) struct Field {
    pub(super) unit: String,
    pub(super) min: Option<f64>,
    pub(super) max: Option<f64>,
    /// Where the axis ends at least, so that every line is in sight.
    pub(super) soft_min: Option<f64>,
    pub(super) soft_max: Option<f64>,
    /// Digits behind the point, where the usual ones hide what matters.
    pub(super) decimals: Option<u32>,
    pub(super) steps: Vec<Step>,
    pub(super) stacked: bool,
    pub(super) bars: bool,
    /// True when each step of the axis is ten times the last.
    pub(super) logarithmic: bool,
}

/// How some values are shown.
#[derive(Debug, Serialize)]
pub(super) struct Override {
    pub(super) matcher: Value,
    pub(super) properties: Vec<Value>,
}

/// How a table joins its queries: order and heading of each field, and what it is sorted by.
#[derive(Debug, Serialize)]
pub(super) struct Table {
    pub(super) order: Tree,
    pub(super) headings: Tree,
    pub(super) sort: String,
}

/// A colour from a value on; the first has no value.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Step {
    pub(super) value: Option<f64>,
    pub(super) color: String,
}

/// Where a service's dashboards and data come from.
#[derive(Debug, Serialize)]
pub(super) struct Provisioning {
    pub(super) service: String,
    pub(super) title: String,
    pub(super) interval: String,
}

/// A dashboard for the sidecar that collects ConfigMaps.
#[derive(Debug, Serialize)]
pub(super) struct ConfigMap {
    pub(super) service: String,
    /// What every resource begins with.
    pub(super) metadata: Metadata,
    pub(super) file: String,
    pub(super) folder: String,
    pub(super) json: String,
}

/// Lines of queries break here.
pub(super) const WIDTH: usize = 100;

/// `A` to `Z`, then `A1`, `B1`, …
pub(super) fn ref_id(index: usize) -> String {
    // Below 26, so it fits.
    let letter = char::from(b'A' + u8::try_from(index % 26).unwrap_or_default());
    match index / 26 {
        0 => letter.to_string(),
        more => format!("{letter}{more}"),
    }
}

/// Exceptions from the rules of dashboard-linter.
#[derive(Debug, Serialize)]
pub(super) struct Exceptions {
    pub(super) service: String,
    /// Panels with a unit that the linter does not know.
    pub(super) units: Vec<PanelName>,
}

#[derive(Debug, Serialize)]
pub(super) struct PanelName {
    pub(super) dashboard: String,
    pub(super) panel: String,
}
