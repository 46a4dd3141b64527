//! CloudWatch resources and what delivers their metrics.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::artifact::Raw;
use slosmith_cloudwatch::{Form, Violation, is_unknown};
use slosmith_text::source::Span;

#[derive(Clone, Debug)]
pub struct Resource {
    pub what: ResourceKind,
    /// Its name; may be empty.
    pub name: String,
    pub raw: Raw,
    /// As the API has it; what is only known when the file is applied is [`unknown`](slosmith_cloudwatch::unknown).
    pub request: Value,
    /// Pointers into `request` with those into `raw`; where none fits, both are the same.
    pub pointers: BTreeMap<String, String>,
    pub form: Form,
    /// What the language of the file refuses; pointers into `raw`.
    pub faults: Vec<Violation>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceKind {
    Alarm,
    Dashboard,
    /// The request that makes a dashboard; its body is another resource.
    PutDashboard,
    Agent,
    /// What `slosmith cloudwatch list-metrics` found in an account.
    Listing,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedMetric {
    pub namespace: String,
    pub name: String,
    /// Its dimensions with their values; none where the file leaves them to be filled in.
    pub dimensions: Option<Dimensions>,
    /// Pointer into the request: to what names it.
    pub pointer: String,
}

/// Values of dimensions by name; none where the file leaves the value to be filled in.
pub type Dimensions = BTreeMap<String, Option<String>>;

impl Resource {
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

    pub fn metrics(&self) -> Vec<NamedMetric> {
        match self.what {
            ResourceKind::Alarm => self.alarm_metrics(),
            ResourceKind::Dashboard => self.dashboard_metrics(),
            ResourceKind::PutDashboard | ResourceKind::Agent | ResourceKind::Listing => Vec::new(),
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
            let mut before = Vec::new();
            for (j, row) in rows.into_iter().flatten().enumerate() {
                let cells = cells(row, &before);
                let pointer = format!("/widgets/{i}/properties/metrics/{j}/1");
                found.extend(in_row(&cells, pointer));
                before = cells;
            }
        }
        found
    }
}

/// The cells of a row without its options, with what it repeats of the row before; none for a cell that is filled in.
fn cells<'v>(row: &'v Value, before: &[Option<&'v str>]) -> Vec<Option<&'v str>> {
    let cells = row.as_array().map_or(&[][..], Vec::as_slice);
    let cells = match cells.split_last() {
        Some((last, cells)) if last.is_object() && !is_unknown(last) => cells,
        _ => cells,
    };
    let cells: Vec<_> = cells.iter().map(Value::as_str).collect();
    let (kept, own) = match cells.split_first() {
        // It repeats all cells of the row before that this one does not have.
        Some((Some("..."), own)) => (before.len().saturating_sub(own.len()), own),
        _ => (0, &cells[..]),
    };
    let kept = &before[..kept];
    let own = own.iter().enumerate().map(|(k, cell)| match cell {
        Some(".") => before.get(kept.len() + k).copied().flatten(),
        cell => *cell,
    });
    kept.iter().copied().chain(own).collect()
}

/// The metric of a row `[namespace, name, dimension, value, …]`.
fn in_row(cells: &[Option<&str>], pointer: String) -> Option<NamedMetric> {
    let [Some(namespace), Some(name), dimensions @ ..] = cells else {
        return None;
    };
    let (pairs, odd) = dimensions.as_chunks::<2>();
    let pairs = pairs
        .iter()
        .map(|[name, value]| Some((name.map(str::to_owned)?, value.map(str::to_owned))));
    Some(NamedMetric {
        namespace: (*namespace).to_owned(),
        name: (*name).to_owned(),
        dimensions: pairs.collect::<Option<_>>().filter(|_| odd.is_empty()),
        pointer,
    })
}

fn named(metric: &Value, pointer: &str) -> Option<NamedMetric> {
    Some(NamedMetric {
        namespace: metric["Namespace"].as_str()?.to_owned(),
        name: metric["MetricName"].as_str()?.to_owned(),
        dimensions: dimensions(&metric["Dimensions"]),
        pointer: format!("{pointer}/MetricName"),
    })
}

fn dimensions(all: &Value) -> Option<Dimensions> {
    if is_unknown(all) {
        return None;
    }
    let all = all.as_array().into_iter().flatten();
    let one = |dimension: &Value| {
        let name = dimension["Name"].as_str()?;
        Some((
            name.to_owned(),
            dimension["Value"].as_str().map(str::to_owned),
        ))
    };
    all.map(one).collect()
}
