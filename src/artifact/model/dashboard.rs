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
    /// Its description; may hold words for the linter.
    pub description: Option<Text>,
    /// Its variables.
    pub variables: Vec<Variable>,
    /// Its panels in the order of the file, those inside rows and the rows themselves included.
    pub panels: Vec<Panel>,
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
}

/// A dashboard variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: Text,
    /// `query`, `datasource`, `custom`, …; the plugin in Perses.
    pub kind: String,
    /// For a data source variable: the type that it lists.
    pub lists: Option<String>,
}

/// A panel, or a row that holds panels.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Its title.
    pub title: Option<Text>,
    /// Its number or name.
    pub id: Option<String>,
    /// `timeseries`, `stat`, `row`, …
    pub kind: Option<Spanned<String>>,
    /// The unit of its values.
    pub unit: Option<Text>,
    /// Overrides set units for some of its series.
    pub overrides_units: bool,
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
    /// Its content is elsewhere, in Grafana's library.
    pub from_library: bool,
    /// JSON pointer to it in [`Dashboard::raw`].
    pub pointer: String,
    /// The whole panel.
    pub span: Span,
}

/// A data source that is named by a panel or query.
#[derive(Clone, Debug)]
pub struct Datasource {
    /// Its type, such as `prometheus`, where it is written.
    pub kind: Option<String>,
    /// Its uid or name, or a variable that holds it.
    pub uid: Option<Text>,
}

/// A query of a panel.
#[derive(Clone, Debug)]
pub struct Target {
    /// Index of its query; `None` when it has no expression.
    pub query: Option<usize>,
    /// An expression has its place, and none is written there.
    pub is_blank: bool,
    /// Its data source.
    pub datasource: Option<Datasource>,
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
    /// Drawn as lines or areas over time; else they only colour values.
    pub is_drawn: bool,
    /// In the order written.
    pub steps: Vec<Step>,
}

/// One threshold.
#[derive(Clone, Debug)]
pub struct Step {
    /// From here on; `None` for the base.
    pub value: Option<Spanned<f64>>,
}
