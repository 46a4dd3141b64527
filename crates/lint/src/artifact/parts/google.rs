//! Dashboards and alerts of Google Cloud Monitoring: as its API has them, and as Terraform does.

use crate::artifact::field::{text, word};
use crate::artifact::reader::Reader;
use crate::artifact::{Kind, Role, cloudwatch, metric};
use slosmith_promql::Dialect;
use slosmith_text::yaml::{Body, Node};

/// Conditions in PromQL.
const PROMQL: [&str; 2] = [
    "conditionPrometheusQueryLanguage",
    "condition_prometheus_query_language",
];

/// Where else queries are: in the language that it had before, and in its own filters, all of whose keys end alike.
const OLD: [&str; 3] = [
    "query",
    "timeSeriesQueryLanguage",
    "time_series_query_language",
];

/// Reads the queries of a chart, a condition or an objective. The names in other languages are known as well.
pub(super) fn query(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, of: &str) -> bool {
    let mut any = false;
    for (key, value) in node.entries() {
        let key = key.text().unwrap_or_default();
        let promql = match key {
            "prometheusQuery" => body.read(value),
            _ if PROMQL.contains(&key) => {
                let block = cloudwatch::blocks(value).first();
                block.and_then(|block| text(body, block, &["query"]))
            }
            _ => None,
        };
        if let Some(query) = promql {
            let name = ["displayName", "display_name"].map(|key| word(node, &[key]));
            let role = match name.into_iter().flatten().next() {
                Some(name) => Role::Alert {
                    name: name.to_owned(),
                },
                None => Role::Part {
                    part: "query".to_owned(),
                    of: of.to_owned(),
                },
            };
            // `${x}` and `$x` are variables, without those that Grafana has.
            reader.query(query, Dialect::Template, role);
            any = true;
        } else if OLD.contains(&key) || key.ends_with("ilter") {
            let filter = body.read(value);
            any |= filter.is_some_and(|filter| metric::google(reader, &filter, of));
        }
    }
    if any {
        reader.is(Kind::GoogleCloud);
    }
    any
}
