//! Queries.

use std::fmt;

use slosmith_promql::Dialect;
use slosmith_text::source::Span;
use slosmith_text::yaml::{Text, TextMap};

#[derive(Clone, Debug)]
pub struct Query {
    /// The query as the query engine would see it, placeholders not filled in.
    pub text: String,
    /// From byte offsets of `text` to the file.
    pub map: TextMap,
    /// Which placeholders may be in it.
    pub dialect: Dialect,
    /// The query language; of others than PromQL and MetricsQL nothing is checked.
    pub language: Language,
    /// The name or uid of its data source, where that is not a variable; empty for the default of Grafana.
    pub source: Option<String>,
    pub role: Role,
    /// The label whose values a dashboard variable lists; boxed, since nearly all queries have none.
    pub listed: Option<Box<Text>>,
    /// Another program, or the reader of a text, writes a part of it that is not known, so its syntax is not known.
    pub is_partial: bool,
}

impl Query {
    pub fn span(&self) -> Span {
        self.map.whole()
    }
}

/// The language of a query, as its data source says or as it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    PromQl,
    /// PromQL and more, of VictoriaMetrics: names and labels are checked where it has the form of PromQL.
    MetricsQl,
    Other,
}

/// Where a query is, in the words of the person who wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    Alert {
        name: String,
    },
    Record {
        name: String,
    },
    Panel {
        /// Its title; may be empty.
        title: String,
        id: Option<String>,
    },
    /// Of a dashboard variable; a selector whose label values are listed.
    Variable {
        name: String,
    },
    Annotation {
        /// Their name; may be empty.
        name: String,
    },
    UnitTest,
    TestSeries,
    Sli {
        slo: String,
        /// `error_query`, `total_query`, …
        part: String,
    },
    Alarm {
        /// Its name; may be empty.
        name: String,
    },
    /// What a part of something asks: a trigger, a chart.
    Part {
        /// `trigger`, `metricsQuery`, …
        part: String,
        /// `ScaledObject queue`; may be empty.
        of: String,
    },
    /// Selects the series that something works with; their values do not matter.
    Discovery {
        of: String,
    },
    /// The name of a metric where no query is: in an alarm, a dashboard, an autoscaler; read as its series.
    Metric {
        /// What names it; may be empty.
        of: String,
    },
    Fence,
    Mention,
    Literal,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Role::Alert { name } => write!(f, "alert {name}"),
            Role::Record { name } => write!(f, "recording rule {name}"),
            Role::Panel { title, id } => {
                write!(f, "panel \"{title}\"")?;
                id.iter().try_for_each(|id| write!(f, " (id {id})"))
            }
            Role::Variable { name } => write!(f, "variable {name}"),
            Role::Annotation { name } => write!(f, "annotation \"{name}\""),
            Role::UnitTest => f.write_str("unit test"),
            Role::TestSeries => f.write_str("unit test series"),
            Role::Sli { slo, part } => write!(f, "{part} of SLO {slo}"),
            Role::Alarm { name } => write!(f, "alarm {name}"),
            Role::Part { part, of } if of.is_empty() => f.write_str(part),
            Role::Part { part, of } => write!(f, "{part} of {of}"),
            Role::Discovery { of } => write!(f, "series of {of}"),
            Role::Metric { of } => write!(f, "metric of {of}"),
            Role::Fence => f.write_str("code fence"),
            Role::Mention => f.write_str("mention"),
            Role::Literal => f.write_str("string"),
        }
    }
}
