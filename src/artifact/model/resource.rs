//! CloudWatch resources and what delivers their metrics.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::artifact::Raw;
use crate::cloudwatch::Form;
use crate::source::Span;

/// An alarm, a dashboard, or the configuration of an agent.
#[derive(Clone, Debug)]
pub struct Resource {
    /// What it is.
    pub what: ResourceKind,
    /// Its name; may be empty.
    pub name: String,
    /// As it is in the file.
    pub raw: Raw,
    /// As the API has it; what is only known when the file is applied is [`unknown`](crate::cloudwatch::unknown).
    pub request: Value,
    /// Pointers into `request` with those into `raw`; where none fits, both are the same.
    pub pointers: BTreeMap<String, String>,
    /// How the file is written.
    pub form: Form,
}

/// The kinds of resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceKind {
    /// An alarm of either sort.
    Alarm,
    /// The body of a dashboard.
    Dashboard,
    /// What the CloudWatch agent delivers.
    Agent,
}

/// A metric that an alarm or a dashboard names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedMetric {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Names of its dimensions, sorted.
    pub dimensions: Vec<String>,
    /// Pointer into the request: to what names it.
    pub pointer: String,
}

impl Resource {
    /// The bytes behind a pointer into the request.
    pub fn span(&self, pointer: &str) -> Span {
        let mut api = pointer;
        loop {
            if let Some(raw) = self.pointers.get(api) {
                return self.raw.span(&format!("{raw}{}", &pointer[api.len()..]));
            }
            match api.rsplit_once('/') {
                Some((around, _)) => api = around,
                None => return self.raw.span(pointer),
            }
        }
    }

    /// All metrics that it names.
    pub fn metrics(&self) -> Vec<NamedMetric> {
        match self.what {
            ResourceKind::Alarm => self.alarm_metrics(),
            ResourceKind::Dashboard => self.dashboard_metrics(),
            ResourceKind::Agent => Vec::new(),
        }
    }

    fn alarm_metrics(&self) -> Vec<NamedMetric> {
        let entries = self.request["Metrics"].as_array().into_iter().flatten();
        let entries = entries.enumerate().map(|(i, entry)| {
            let pointer = format!("/Metrics/{i}/MetricStat/Metric");
            (pointer, &entry["MetricStat"]["Metric"])
        });
        std::iter::once((String::new(), &self.request))
            .chain(entries)
            .filter_map(|(pointer, metric)| named(metric, &pointer))
            .collect()
    }

    fn dashboard_metrics(&self) -> Vec<NamedMetric> {
        let mut found = Vec::new();
        let widgets = self.request["widgets"].as_array().into_iter().flatten();
        for (i, widget) in widgets.enumerate() {
            let rows = widget["properties"]["metrics"].as_array();
            let mut before: Vec<&str> = Vec::new();
            for (j, row) in rows.into_iter().flatten().enumerate() {
                let cells = row.as_array().into_iter().flatten();
                let cells: Vec<&str> = cells.filter_map(Value::as_str).collect();
                let cells: Vec<&str> = cells
                    .iter()
                    .enumerate()
                    .map(|(k, cell)| match *cell {
                        "." => before.get(k).copied().unwrap_or_default(),
                        cell => cell,
                    })
                    .collect();
                let [namespace, name, dimensions @ ..] = cells.as_slice() else {
                    continue;
                };
                let names = dimensions.iter().step_by(2).map(|n| (*n).to_owned());
                let mut names: Vec<_> = names.collect();
                names.sort();
                found.push(NamedMetric {
                    namespace: (*namespace).to_owned(),
                    name: (*name).to_owned(),
                    dimensions: names,
                    pointer: format!("/widgets/{i}/properties/metrics/{j}/1"),
                });
                before = cells;
            }
        }
        found
    }
}

fn named(metric: &Value, pointer: &str) -> Option<NamedMetric> {
    let dimensions = metric["Dimensions"].as_array().into_iter().flatten();
    let mut dimensions: Vec<_> = dimensions
        .filter_map(|d| d["Name"].as_str().map(str::to_owned))
        .collect();
    dimensions.sort();
    Some(NamedMetric {
        namespace: metric["Namespace"].as_str()?.to_owned(),
        name: metric["MetricName"].as_str()?.to_owned(),
        dimensions,
        pointer: format!("{pointer}/MetricName"),
    })
}
