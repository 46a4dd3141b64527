//! Dashboards and alerts of Google Cloud Monitoring.

use crate::artifact::field::{text, word};
use crate::artifact::reader::Reader;
use crate::artifact::{Kind, Role, metric};
use crate::promql::Dialect;
use crate::yaml::{Body, Node};

/// Where its queries are: PromQL, its own filters, and the language that it had before.
const FILTERS: [&[&str]; 4] = [
    &["timeSeriesFilter", "filter"],
    &["timeSeriesFilterRatio", "numerator", "filter"],
    &["timeSeriesFilterRatio", "denominator", "filter"],
    &["timeSeriesQueryLanguage"],
];

/// Reads the query of a chart or of a condition. The names in other languages are known as well.
pub(super) fn query(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, of: &str) -> bool {
    let condition = |key| {
        node.at(&[key, "query"])
            .or_else(|| node.at(&[key, "filter"]))
    };
    let promql = text(body, node, &["prometheusQuery"])
        .or_else(|| text(body, node, &["conditionPrometheusQueryLanguage", "query"]));
    if let Some(query) = promql {
        reader.is(Kind::GoogleCloud);
        let role = match word(node, &["displayName"]) {
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
        return true;
    }
    let filters = FILTERS.iter().filter_map(|path| node.at(path));
    let conditions = [
        "conditionThreshold",
        "conditionAbsent",
        "conditionMonitoringQueryLanguage",
    ];
    let filters = filters.chain(conditions.into_iter().filter_map(condition));
    let mut any = false;
    for text in filters.filter_map(|filter| body.read(filter)) {
        if metric::google(reader, &text, of) {
            reader.is(Kind::GoogleCloud);
            any = true;
        }
    }
    any
}
