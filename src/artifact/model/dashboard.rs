//! Dashboards.

use crate::artifact::raw::Raw;
use crate::source::{Span, Spanned};
use crate::yaml::Text;

/// A dashboard of any kind.
#[derive(Clone, Debug)]
pub struct Dashboard {
    /// Which model it follows.
    pub form: Form,
    /// What links name it by.
    pub uid: Option<Text>,
    /// Its title.
    pub title: Option<Text>,
    /// Its description; may hold directives for the linter.
    pub description: Option<Text>,
    /// `schemaVersion` of classic dashboards.
    pub schema_version: Option<Spanned<String>>,
    /// Its variables.
    pub variables: Vec<Variable>,
    /// Places in its texts that name a variable, built-in ones included.
    pub uses: Vec<Use>,
    /// Its panels in the order of the file, those inside rows and the rows themselves included.
    pub panels: Vec<Panel>,
    /// Queries of its annotations, by index.
    pub annotations: Vec<usize>,
    /// Names of `__inputs`, filled in on import.
    pub inputs: Vec<String>,
    /// The whole dashboard, for schemas.
    pub raw: Raw,
    /// Its bytes.
    pub span: Span,
}

/// The models of dashboards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Grafana's classic JSON.
    Classic,
    /// Grafana's v2.
    V2,
    /// Perses.
    Perses,
    /// The body of a CloudWatch dashboard.
    CloudWatch,
}

/// A dashboard variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: Text,
    /// `query`, `datasource`, `custom`, …; the plugin in Perses.
    pub kind: String,
    /// What its query asks for; `None` when its values do not come from a query.
    pub call: Option<Call>,
    /// The data source it asks.
    pub datasource: Option<Datasource>,
    /// The whole variable.
    pub span: Span,
}

/// What the query of a variable asks for; queries are given by index.
#[derive(Clone, Debug)]
pub enum Call {
    /// `label_values(selector, label)`: values of a label, of all series or of some.
    LabelValues {
        /// The selector.
        query: Option<usize>,
        /// The label.
        label: Text,
    },
    /// `label_names()`.
    LabelNames {
        /// The selector.
        query: Option<usize>,
    },
    /// `metrics(pattern)`: names of metrics that match a regular expression.
    Metrics {
        /// The expression.
        pattern: Text,
    },
    /// `query_result(expr)`.
    QueryResult {
        /// The expression.
        query: usize,
    },
    /// A selector; its series are listed.
    Series {
        /// The selector.
        query: usize,
    },
}

/// A place that names a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The name, without `$` and format.
    pub name: String,
    /// The name and what marks it as one.
    pub span: Span,
}

/// A panel, or a row that holds panels.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Its title.
    pub title: Option<Text>,
    /// Its number or name.
    pub id: Option<Spanned<String>>,
    /// `timeseries`, `stat`, `row`, …
    pub kind: Option<Spanned<String>>,
    /// The unit of its values.
    pub unit: Option<Text>,
    /// Units that overrides set for some of its series.
    pub override_units: Vec<Text>,
    /// Values are shown as words.
    pub has_mappings: bool,
    /// Its description.
    pub description: Option<Text>,
    /// Its data source; targets may have their own.
    pub datasource: Option<Datasource>,
    /// Its own thresholds.
    pub thresholds: Option<Thresholds>,
    /// Its queries.
    pub targets: Vec<Target>,
    /// Where it is drawn.
    pub grid: Option<Grid>,
    /// Its content stands elsewhere, in Grafana's library.
    pub from_library: bool,
    /// JSON pointer to it in [`Dashboard::raw`].
    pub pointer: String,
    /// The whole panel.
    pub span: Span,
}

/// A data source that is named by a query, panel or variable.
#[derive(Clone, Debug)]
pub struct Datasource {
    /// Its type, such as `prometheus`, where known: written here or told by the variable it comes from.
    pub kind: Option<String>,
    /// Its uid or name, or a variable that holds it.
    pub uid: Option<Text>,
    /// What stands there.
    pub span: Span,
}

/// A query of a panel.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its letter.
    pub ref_id: Option<String>,
    /// Index of its query; `None` when it has no expression.
    pub query: Option<usize>,
    /// How its series are named.
    pub legend: Option<Text>,
    /// Its data source.
    pub datasource: Option<Datasource>,
    /// Not drawn.
    pub hidden: bool,
    /// Asked for one time only.
    pub instant: bool,
    /// The whole target.
    pub span: Span,
}

/// The thresholds of a panel.
#[derive(Clone, Debug)]
pub struct Thresholds {
    /// `absolute` or `percentage`.
    pub mode: Option<String>,
    /// How they are drawn: `off`, `line`, `dashed`, `area`, …
    pub style: Option<String>,
    /// In the order written.
    pub steps: Vec<Step>,
    /// All of them.
    pub span: Span,
}

/// One threshold.
#[derive(Clone, Debug)]
pub struct Step {
    /// From here on; `None` for the base.
    pub value: Option<Spanned<f64>>,
    /// Its colour.
    pub color: Option<String>,
    /// Its name, where the model has one (Perses, CloudWatch).
    pub name: Option<String>,
    /// The whole step.
    pub span: Span,
}

/// A panel's rectangle, in columns and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Left edge.
    pub x: i64,
    /// Upper edge.
    pub y: i64,
    /// Width.
    pub w: i64,
    /// Height.
    pub h: i64,
    /// Where it is written.
    pub span: Span,
}
