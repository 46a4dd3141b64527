//! Cost: what a service's alarms, metrics, dashboards and logs cost a month, at list prices.
//!
//! Three alarms on one metric each and one on both of a ratio are five alarm metrics; a metric that is published under
//! `[]` and `[AdapterId]` is one, and one more for each adapter.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::plan::Plan;
use crate::plan::cloudwatch::{Alarm, AlarmKind, CloudWatch, MetricAlarm, Test};
use slosmith_spec::spec::Via;
use slosmith_text::source::FileId;

/// Minutes of a month, on average.
const MINUTES: f64 = 43_830.0;

/// Bytes of a gigabyte, as logs are charged.
const GIGABYTE: f64 = 1_073_741_824.0;

/// Days that the agent's log is kept.
pub const RETENTION_DAYS: u32 = 7;

static PRICES: LazyLock<Option<Prices>> =
    LazyLock::new(|| slosmith_text::yaml::read(FileId(u32::MAX), include_str!("prices.yaml")).ok());

/// List prices in US dollars, as explained in `prices.yaml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    pub source: String,
    pub region: String,
    /// Year and month in which they were read.
    pub date: String,
    pub alarm_metric: f64,
    pub fine_alarm_metric: f64,
    pub band_metrics: u32,
    pub composite_alarm: f64,
    custom_metric: f64,
    pub dashboard: f64,
    log_ingestion: f64,
    log_storage: f64,
    log_event_bytes: f64,
}

impl Prices {
    pub fn listed() -> Option<&'static Self> {
        PRICES.as_ref()
    }
}

#[derive(Clone, Debug)]
pub struct Cost {
    pub items: Vec<CostItem>,
    pub unpriced: Vec<Unpriced>,
    pub prices: &'static Prices,
    /// True when some costs cannot be counted beforehand.
    pub at_least: bool,
}

#[derive(Clone, Debug)]
pub struct CostItem {
    pub what: String,
    pub count: f64,
    pub each: f64,
    pub at_least: bool,
}

#[derive(Clone, Debug)]
pub struct Unpriced {
    pub what: &'static str,
    /// How many, where that is known before anything runs.
    pub count: Option<usize>,
    /// The unit of charge, and the reason for the missing price.
    pub why: String,
}

impl CostItem {
    fn new(what: impl Into<String>, count: usize, each: f64) -> Self {
        Self {
            what: what.into(),
            count: float(count),
            each,
            at_least: false,
        }
    }

    pub fn dollars(&self) -> f64 {
        self.count * self.each
    }
}

impl Cost {
    pub fn total(&self) -> f64 {
        // A sum of nothing is -0.0.
        self.items.iter().map(CostItem::dollars).sum::<f64>() + 0.0
    }

    /// One sentence: *CloudWatch costs at least $25.30 a month*.
    pub fn sentence(&self) -> String {
        format!(
            "CloudWatch costs {}${:.2} a month (list prices of {} in {})",
            if self.at_least { "at least " } else { "" },
            self.total(),
            self.prices.date,
            self.prices.region
        )
    }
}

pub fn cost(plan: &Plan) -> Option<Cost> {
    let cw = plan.cloudwatch.as_ref()?;
    let prices = PRICES.as_ref()?;
    let mut items = alarms(cw, prices);
    items.extend(metrics(plan, cw, prices));
    let dashboards = cw.dashboards.len();
    items.push(CostItem::new("dashboards", dashboards, prices.dashboard));
    items.extend(logs(cw, prices));
    items.retain(|item| item.count > 0.0);
    let telemetry = by_telemetry(cw, prices);
    let unpriced: Vec<_> = by_requests(plan).into_iter().chain(telemetry).collect();
    let at_least = !unpriced.is_empty() || items.iter().any(|item| item.at_least);
    Some(Cost {
        items,
        unpriced,
        prices,
        at_least,
    })
}

fn alarms(cw: &CloudWatch, prices: &Prices) -> Vec<CostItem> {
    let (mut plain, mut fine, mut bands, mut composites) = (0, 0, 0, 0);
    for alarm in &cw.alarms {
        match &alarm.kind {
            AlarmKind::Metric(metric) => match metric.test {
                Test::Threshold(..) if metric.is_fine() => fine += alarm_metrics(metric),
                Test::Threshold(..) => plain += alarm_metrics(metric),
                Test::Band(..) => bands += alarm_metrics(metric),
            },
            AlarmKind::Composite(_) => composites += 1,
            // They have no price here.
            AlarmKind::PromQl(_) => {}
        }
    }
    let band = prices.alarm_metric * f64::from(prices.band_metrics);
    vec![
        CostItem::new(
            "alarms: metrics against a threshold",
            plain,
            prices.alarm_metric,
        ),
        CostItem::new(
            "alarms: metrics against a threshold, with periods below a minute",
            fine,
            prices.fine_alarm_metric,
        ),
        CostItem::new("alarms: metrics of anomaly detection bands", bands, band),
        CostItem::new("alarms: composite", composites, prices.composite_alarm),
    ]
}

fn alarm_metrics(alarm: &MetricAlarm) -> usize {
    let metrics = alarm.value.metrics().into_iter();
    metrics.map(|metric| metric.names.iter().count()).sum()
}

/// Custom metrics by their dimensions: one for each value that these have.
fn metrics(plan: &Plan, cw: &CloudWatch, prices: &Prices) -> Vec<CostItem> {
    let mut sets: BTreeMap<Vec<(String, String)>, Vec<&str>> = BTreeMap::new();
    let published = plan.published.iter().flat_map(|p| &p.metrics);
    for metric in published.map(|published| &published.metric) {
        let label = |dimension: &String| {
            let known = metric.labels.iter().find(|(_, name)| name == dimension);
            let label = known.map_or(dimension, |(label, _)| label);
            (dimension.clone(), label.clone())
        };
        for set in &metric.dimension_sets {
            let names = sets.entry(set.iter().map(label).collect()).or_default();
            names.extend(metric.names.iter().map(String::as_str));
        }
    }
    if cw.via == Via::Agent {
        for scraped in &cw.scraped {
            for set in &scraped.dimension_sets {
                let set = set.iter().map(|name| (name.clone(), name.clone()));
                sets.entry(set.collect()).or_default().push(&scraped.family);
            }
        }
    }
    let item = |(set, mut names): (Vec<(String, String)>, Vec<&str>)| {
        names.sort_unstable();
        names.dedup();
        let values = |label: &String| {
            let known = cw.values.iter().find(|(known, _)| known == label);
            known.map(|(_, values)| values.len())
        };
        let known: Vec<_> = set.iter().map(|(_, label)| values(label)).collect();
        let series: usize = known.iter().map(|count| count.unwrap_or(1)).product();
        let dimensions: Vec<_> = set.iter().map(|(name, _)| name.as_str()).collect();
        let by = match dimensions.is_empty() {
            true => "without dimensions".to_owned(),
            false => format!("by {}", dimensions.join(", ")),
        };
        CostItem {
            at_least: known.contains(&None),
            ..CostItem::new(
                format!("custom metrics {by}"),
                names.len() * series,
                prices.custom_metric,
            )
        }
    };
    sets.into_iter().map(item).collect()
}

/// The log that the agent writes for one replica. AWS charges it in addition to the metrics in it.
fn logs(cw: &CloudWatch, prices: &Prices) -> Option<CostItem> {
    cw.agent_writes_log().then(|| {
        let bytes = float(cw.scraped.len()) * prices.log_event_bytes * MINUTES;
        let kept = f64::from(RETENTION_DAYS) / 30.0;
        CostItem {
            what: "agent log of one replica, in gigabytes".to_owned(),
            count: bytes / GIGABYTE,
            each: prices.log_ingestion + prices.log_storage * kept,
            at_least: true,
        }
    })
}

/// What grows with the requests that a service gets.
fn by_requests(plan: &Plan) -> Option<Unpriced> {
    let published: usize = plan.published.iter().map(|value| value.metrics.len()).sum();
    (published > 0).then(|| Unpriced {
        what: "metrics that your code publishes",
        count: Some(published),
        why: "each event is a log line of the embedded metric format or a part of a PutMetricData call, and AWS charges log gigabytes and calls".to_owned(),
    })
}

/// OpenTelemetry items, which the price list does not have.
///
/// Source: "OTel metrics pricing and storage" of the CloudWatch user guide has the unit of charge, and no price.
fn by_telemetry(cw: &CloudWatch, prices: &Prices) -> Vec<Unpriced> {
    if cw.via != Via::Otlp {
        return Vec::new();
    }
    let is_promql = |alarm: &&Alarm| matches!(alarm.kind, AlarmKind::PromQl(_));
    let date = &prices.date;
    let mut all = vec![Unpriced {
        what: "OpenTelemetry metrics, in gigabytes",
        count: None,
        why: format!(
            "AWS charges per gigabyte of sent data points, with names, labels and attributes; the price list of {date} has no price"
        ),
    }];
    let alarms = cw.alarms.iter().filter(is_promql).count();
    if alarms > 0 {
        all.push(Unpriced {
            what: "alarms: PromQL",
            count: Some(alarms),
            why: format!("the AWS guide gives no price, and neither does the price list of {date}"),
        });
    }
    all
}

fn float(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_price_file_is_read() {
        let prices = PRICES.as_ref().expect("prices");
        assert!(prices.source.starts_with("https://"));
        assert!(prices.date.len() == 7, "{}", prices.date);
    }
}
