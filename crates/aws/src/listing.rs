//! The metrics of an account, as `lint` reads them.

use std::collections::BTreeSet;

use aws_sdk_cloudwatch::types::{Metric, RecentlyActive};
use serde_json::{Value, json};

use super::account::{Account, more};
use super::error::CallError;
use super::pace::Operation;

/// Namespace, name, and dimensions with their values.
type Series = (String, String, Vec<(String, String)>);

impl Account {
    /// All metrics of some namespaces. CloudWatch lists those that had a value in the past two weeks; `RecentlyActive` says
    /// that one came in the past three hours.
    pub async fn list_metrics(
        &self,
        namespaces: &[String],
        today: &str,
    ) -> Result<Value, CallError> {
        let namespaces: BTreeSet<_> = namespaces.iter().collect();
        let (mut all, mut recent) = (BTreeSet::new(), BTreeSet::new());
        for namespace in &namespaces {
            all.extend(self.series(namespace, None).await?);
            recent.extend(self.series(namespace, Some(RecentlyActive::Pt3H)).await?);
        }
        let metrics = all.union(&recent);
        let metrics: Vec<_> = metrics
            .map(|series| entry(series, recent.contains(series)))
            .collect();
        Ok(json!({"Date": today, "Namespaces": namespaces, "Metrics": metrics}))
    }

    async fn series(
        &self,
        namespace: &str,
        active: Option<RecentlyActive>,
    ) -> Result<BTreeSet<Series>, CallError> {
        let mut found = BTreeSet::new();
        let mut next = None;
        loop {
            let page = self.call(Operation::ListMetrics, async || {
                let request = self.client().list_metrics().namespace(namespace);
                let request = request.set_recently_active(active.clone());
                request.set_next_token(next.clone()).send().await
            });
            let page = page.await?;
            found.extend(page.metrics().iter().map(series));
            next = more(page.next_token());
            if next.is_none() {
                return Ok(found);
            }
        }
    }
}

fn series(metric: &Metric) -> Series {
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let dimensions = metric
        .dimensions()
        .iter()
        .map(|d| (text(d.name()), text(d.value())));
    let mut dimensions: Vec<_> = dimensions.collect();
    dimensions.sort();
    (
        text(metric.namespace()),
        text(metric.metric_name()),
        dimensions,
    )
}

fn entry((namespace, name, dimensions): &Series, recent: bool) -> Value {
    let dimensions = dimensions
        .iter()
        .map(|(name, value)| json!({"Name": name, "Value": value}));
    let dimensions: Vec<_> = dimensions.collect();
    let mut entry = json!({"Namespace": namespace, "MetricName": name, "Dimensions": dimensions});
    if recent {
        entry["RecentlyActive"] = "PT3H".into();
    }
    entry
}
