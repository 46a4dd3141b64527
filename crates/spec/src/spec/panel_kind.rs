//! How panels are drawn: one list, for specs and for the plan.

use schemars::JsonSchema;
use serde::Deserialize;

/// Declares the panel types that show values over time, and all other panel types.
macro_rules! panel_kinds {
    (
        graphs { $($(#[doc = $graph_doc:literal])+ $graph:ident,)+ }
        others { $($(#[doc = $other_doc:literal])+ $other:ident,)+ }
    ) => {
        /// Type of a panel over signals.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum GraphKind { $($(#[doc = $graph_doc])+ $graph,)+ }

        /// Type of a panel.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
        #[serde(from = "Word")]
        pub enum PanelKind {
            /// Values.
            Graph(GraphKind),
            $($(#[doc = $other_doc])+ $other,)+
        }

        /// Type of a panel.
        #[derive(Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        #[schemars(rename = "PanelKind")]
        pub(super) enum Word { $($(#[doc = $graph_doc])+ $graph,)+ $($(#[doc = $other_doc])+ $other,)+ }

        impl From<Word> for PanelKind {
            fn from(word: Word) -> Self {
                match word {
                    $(Word::$graph => Self::Graph(GraphKind::$graph),)+
                    $(Word::$other => Self::$other,)+
                }
            }
        }
    };
}

panel_kinds! {
    graphs {
        /// The newest value in large type.
        Number,
        /// The newest value on a scale.
        Gauge,
        /// Lines over time.
        Timeseries,
        /// Stacked areas over time.
        Stacked,
        /// Stacked bars over time.
        Bars,
        /// A histogram's distribution over time.
        Heatmap,
        /// The newest value of each series, one line each.
        Table,
        /// Up or down.
        Status,
    }
    others {
        /// Markdown.
        Text,
        /// One SLO: error budget, burn rate, SLI.
        Slo,
        /// Firing alerts.
        Alerts,
    }
}

impl GraphKind {
    /// True when it has an axis of time, not the newest value alone.
    pub fn is_over_time(self) -> bool {
        matches!(
            self,
            Self::Timeseries | Self::Stacked | Self::Bars | Self::Heatmap
        )
    }
}

impl Default for PanelKind {
    fn default() -> Self {
        Self::Graph(GraphKind::Timeseries)
    }
}
