//! Dashboards: rows of panels over signals; one definition serves every back end.

use schemars::JsonSchema;
use serde::Deserialize;

use super::name::SignalName;
use super::panel_kind::PanelKind;
use super::{Matchers, Stat, Text};
use crate::source::Spanned;
use crate::units::{Duration, Quantity, Unit};

/// A dashboard.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dashboard {
    /// For people; the name when absent.
    pub title: Option<Text>,
    /// What it answers, and for whom.
    pub description: Option<Text>,
    /// How often it looks again; 30s when absent.
    pub refresh: Option<Spanned<Duration>>,
    /// The time it shows at first, up to now; 3h when absent.
    pub range: Option<Spanned<Duration>>,
    /// Labels a reader can filter by; the service's `group_by` as far as the panels have it when absent.
    pub variables: Option<Vec<Text>>,
    /// From the most urgent to the least.
    pub rows: Spanned<Vec<Spanned<Row>>>,
}

/// Panels under one heading.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The heading.
    pub title: Text,
    /// Look-back of its panels; follows the zoom of the graph when absent.
    pub window: Option<Spanned<Duration>>,
    /// A label: the row is shown once for each of its values.
    pub repeat: Option<Text>,
    /// `true`: only the heading is shown until somebody opens it.
    #[serde(default)]
    pub collapsed: bool,
    /// From left to right.
    pub panels: Spanned<Vec<Spanned<Panel>>>,
}

/// A panel over one signal, several series, an SLO, or none.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Panel {
    /// For people; made from what it shows when absent.
    pub title: Option<Text>,
    /// What to read from it; made from its signals when absent.
    pub description: Option<Text>,
    /// How it is drawn; `timeseries` when absent.
    #[schemars(with = "Option<super::panel_kind::Word>")]
    pub kind: Option<Spanned<PanelKind>>,
    /// The signal shown.
    #[schemars(with = "Option<SignalName>")]
    pub signal: Option<Text>,
    /// PromQL in place of a signal; may use Grafana's variables.
    pub promql: Option<Text>,
    /// Unit of `promql`; a plain count when absent.
    pub unit: Option<Spanned<Unit>>,
    /// How the signal is read over time; one line for each. The kind's usual ones when absent.
    pub stats: Option<Spanned<Vec<Spanned<Stat>>>>,
    /// Look-back; the row's when absent.
    pub window: Option<Spanned<Duration>>,
    /// Labels kept beside the service's `group_by`.
    pub by: Vec<Text>,
    /// Label values to select.
    #[serde(rename = "where")]
    pub matchers: Matchers,
    /// Several signals in one panel.
    pub series: Option<Spanned<Vec<Spanned<Series>>>>,
    /// The objective shown, by `kind: slo`.
    pub slo: Option<Text>,
    /// Markdown, by `kind: text`.
    pub text: Option<Text>,
    /// Lines and colours at values, beside the bounds of the alerts and objectives on the signal; one with
    /// the role `alert` or `target` takes the place of those.
    pub thresholds: Option<Spanned<Vec<Spanned<Threshold>>>>,
    /// Name or URL of the runbook it links to, beside those of its alerts.
    pub runbook: Option<Text>,
    /// Where it is, when it should not flow: columns of 24, rows from the top of its row.
    pub position: Option<Spanned<Position>>,
}

/// One of several signals in a panel.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Series {
    /// For people; made from the signal when absent.
    pub title: Option<Text>,
    /// The signal.
    #[schemars(with = "Option<SignalName>")]
    pub signal: Option<Text>,
    /// PromQL in place of a signal; may use Grafana's variables.
    pub promql: Option<Text>,
    /// Unit of `promql`; a plain count when absent.
    pub unit: Option<Spanned<Unit>>,
    /// How the signal is read over time; the kind's usual one when absent.
    pub stat: Option<Spanned<Stat>>,
    /// Look-back; the panel's when absent.
    pub window: Option<Spanned<Duration>>,
    /// Labels kept beside the service's `group_by`.
    pub by: Vec<Text>,
    /// Label values to select.
    #[serde(rename = "where")]
    pub matchers: Matchers,
}

/// A value that means something.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Threshold {
    /// The value.
    pub at: Spanned<Quantity>,
    /// What it means; `advisory` when absent.
    #[serde(default)]
    pub role: Role,
    /// Its colour, and that of values beyond it; the role's when absent.
    pub color: Option<Color>,
}

/// What a threshold means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// An alert fires beyond it.
    Alert,
    /// Where the value should be.
    Target,
    /// Worth a look beyond it.
    #[default]
    Advisory,
}

/// A colour with a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Color {
    /// Well.
    Green,
    /// Neither good nor bad.
    Blue,
    /// Look at it.
    Yellow,
    /// Soon bad.
    Orange,
    /// Bad.
    Red,
}

/// A place on a grid of 24 columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// Column of the left edge, from 0.
    pub x: u32,
    /// Line of the upper edge, from the top of the row.
    pub y: u32,
    /// Columns.
    pub w: u32,
    /// Lines of 30 pixels.
    pub h: u32,
}
