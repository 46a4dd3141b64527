//! Dashboards: rows of panels over signals; one definition serves every back end.

use std::ops::Deref;

use schemars::JsonSchema;
use serde::Deserialize;

use super::panel_kind::PanelKind;
use super::{Reading, Text};
use slosmith_text::source::Spanned;
use slosmith_text::units::{Duration, Quantity};

/// A dashboard.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dashboard {
    /// Title to display. Default: the name.
    pub title: Option<Text>,
    /// Purpose and audience of the dashboard.
    pub description: Option<Text>,
    /// Refresh interval. Default: 30s.
    pub refresh: Option<Spanned<Duration>>,
    /// Initial time range, up to now. Default: 3h.
    pub range: Option<Spanned<Duration>>,
    /// Labels to filter by. Default: the labels of the service's `group_by` that the panels have.
    pub variables: Option<Vec<Text>>,
    /// Rows, the most urgent first.
    pub rows: Spanned<Vec<Spanned<Row>>>,
}

/// Panels under one heading.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Name of the row, for specs that extend this one.
    pub id: Option<Text>,
    /// The heading.
    pub title: Text,
    /// Rate window of the panels. Default: the window of an alert on the same value, else `$__rate_interval`.
    pub window: Option<Spanned<Duration>>,
    /// A label; the row is repeated for each of its values.
    pub repeat: Option<Text>,
    /// `true`: the row is collapsed at first.
    #[serde(default)]
    pub collapsed: bool,
    /// Panels, from left to right.
    pub panels: Spanned<Vec<Spanned<Panel>>>,
}

/// A panel over one signal, several series, an SLO, or none.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Panel {
    /// Name of the panel, for specs that extend this one and for its address in Grafana. Default: made from the titles.
    pub id: Option<Text>,
    /// Title to display. Default: made from the content.
    pub title: Option<Text>,
    /// Help text of the panel. Default: made from the signals.
    pub description: Option<Text>,
    /// Panel type. Default: `timeseries`.
    #[schemars(with = "Option<super::panel_kind::Word>")]
    pub kind: Option<Spanned<PanelKind>>,
    /// The value to show.
    #[serde(rename = "<reading>")]
    pub reading: Reading,
    /// Several signals in one panel.
    pub series: Option<Spanned<Vec<Spanned<Series>>>>,
    /// Name of the SLO to show, for `kind: slo`.
    pub slo: Option<Text>,
    /// Markdown, for `kind: text`.
    pub text: Option<Text>,
    /// Lines and colors, in addition to the thresholds of the alerts and SLOs on the signal. A threshold with the role `alert`
    /// or `target` replaces them.
    pub thresholds: Option<Spanned<Vec<Spanned<Threshold>>>>,
    /// Name or URL of a runbook to link to, in addition to the runbooks of the alerts.
    pub runbook: Option<Text>,
    /// Fixed position on a grid of 24 columns, from the top of its row: `[x, y, width, height]`, with rows of 30 px. Default:
    /// placed automatically.
    pub position: Option<Spanned<Position>>,
}

impl Deref for Panel {
    type Target = Reading;

    fn deref(&self) -> &Reading {
        &self.reading
    }
}

/// One of several signals in a panel.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Series {
    /// Title to display. Default: made from the signal.
    pub title: Option<Text>,
    /// The value to show.
    #[serde(rename = "<reading>")]
    pub reading: Reading,
}

impl Deref for Series {
    type Target = Reading;

    fn deref(&self) -> &Reading {
        &self.reading
    }
}

/// A value with a meaning.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Threshold {
    /// The value.
    pub at: Spanned<Quantity>,
    /// Meaning of the threshold. Default: `advisory`.
    #[serde(default)]
    pub role: Role,
    /// Color of the threshold and of values beyond it. Default: the color of the role.
    pub color: Option<Color>,
}

/// Meaning of a threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The threshold of an alert.
    Alert,
    /// The intended value.
    Target,
    /// A value beyond which a look at the panel is useful.
    #[default]
    Advisory,
}

/// A color with a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Color {
    /// Good.
    Green,
    /// Neither good nor bad.
    Blue,
    /// Needs attention.
    Yellow,
    /// Close to bad.
    Orange,
    /// Bad.
    Red,
}

/// A place on a grid of 24 columns: `[x, y, width, height]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Vec<u32>")]
pub struct Position {
    /// Column of the left edge, from 0.
    pub x: u32,
    /// Grid row of the upper edge, from the top of the dashboard row.
    pub y: u32,
    /// Width in grid columns.
    pub w: u32,
    /// Height in grid rows (30 px each).
    pub h: u32,
}

impl TryFrom<Vec<u32>> for Position {
    type Error = &'static str;

    fn try_from(numbers: Vec<u32>) -> Result<Self, Self::Error> {
        match numbers[..] {
            [x, y, w, h] => Ok(Self { x, y, w, h }),
            _ => Err("a position has four numbers: `[x, y, width, height]`"),
        }
    }
}
