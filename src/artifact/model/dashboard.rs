//! Dashboards.

use crate::artifact::raw::Raw;
use crate::source::{Span, Spanned};
use crate::yaml::Text;

#[derive(Clone, Debug)]
pub struct Dashboard {
    /// Which model it follows.
    pub form: Form,
    /// What links name it by.
    pub uid: Option<Text>,
    pub title: Option<Text>,
    /// Its description; may hold words for the linter.
    pub description: Option<Text>,
    pub variables: Vec<Variable>,
    /// Its panels in the order of the file, those inside rows and the rows themselves included.
    pub panels: Vec<Panel>,
    /// The whole dashboard, for schemas.
    pub raw: Raw,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Classic,
    V2,
    Perses,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: Text,
    /// `query`, `datasource`, `custom`, …; the plugin in Perses.
    pub kind: String,
    /// For a data source variable: the type that it lists.
    pub lists: Option<String>,
}

/// A panel, or a row that holds panels.
#[derive(Clone, Debug)]
pub struct Panel {
    pub title: Option<Text>,
    pub id: Option<String>,
    /// `timeseries`, `stat`, `row`, …
    pub kind: Option<Spanned<String>>,
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
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Datasource {
    /// Its type, such as `prometheus`, where it is written.
    pub kind: Option<String>,
    pub uid: Option<Text>,
}

/// A query of a panel.
#[derive(Clone, Debug)]
pub struct Target {
    /// Index of its query; `None` when it has no expression.
    pub query: Option<usize>,
    /// An expression has its place, and none is written there.
    pub is_blank: bool,
    pub datasource: Option<Datasource>,
    /// Asked for one time only.
    pub instant: bool,
    pub span: Span,
}

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
