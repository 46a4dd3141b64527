//! CloudWatch alarms and dashboards: as the API has them, in CloudFormation, in Terraform JSON.
//!
//! Only PromQL is taken from them; metric alarms hold no query.

use super::document::Reader;
use super::field::{items, text, word};
use super::{Kind, Role};
use crate::promql::Dialect;
use crate::yaml::{Body, Node};

/// True for anything that this module reads.
pub(super) fn is_any(node: &Node<'_>) -> bool {
    let is_list = |key: &str| node.get(key).is_some_and(Node::is_seq);
    let resources = node.get("Resources").map_or(&[][..], Node::entries).iter();
    let mut types = resources.filter_map(|(_, resource)| word(resource, &["Type"]));
    let terraform = node.get("resource").map_or(&[][..], Node::entries).iter();
    let mut blocks = terraform.filter_map(|(key, _)| key.text());
    node.get("AlarmName").is_some()
        || is_list("MetricAlarms")
        || is_list("widgets")
        || types.any(|kind| kind.starts_with("AWS::CloudWatch::"))
        || blocks.any(|block| block.starts_with("aws_cloudwatch_"))
}

/// Reads whichever it is.
pub(super) fn read(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    reader.is(Kind::CloudWatch);
    if node.get("AlarmName").is_some() {
        alarm(reader, body, node);
    }
    for inner in items(node, &["MetricAlarms"]) {
        alarm(reader, body, inner);
    }
    widgets(reader, body, node);
    for (_, resource) in node.get("Resources").map_or(&[][..], Node::entries) {
        let Some(properties) = resource.get("Properties") else {
            continue;
        };
        match word(resource, &["Type"]) {
            Some("AWS::CloudWatch::Alarm") => alarm(reader, body, properties),
            Some("AWS::CloudWatch::Dashboard") => {
                let inner = text(body, properties, &["DashboardBody"]);
                inner.into_iter().for_each(|inner| reader.nested(&inner));
            }
            _ => {}
        }
    }
    terraform(reader, body, node);
}

fn alarm(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    let name = word(node, &["AlarmName"]).unwrap_or_default().to_owned();
    let query = text(
        body,
        node,
        &["EvaluationCriteria", "PromQLCriteria", "Query"],
    );
    if let Some(query) = query {
        reader.query(query, Dialect::Prometheus, Role::Alarm { name });
    }
}

/// Queries of `chart` widgets.
fn widgets(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    for widget in items(node, &["widgets"]) {
        let title = word(widget, &["properties", "title"]).unwrap_or_default();
        for query in items(widget, &["properties", "queries"]) {
            let Some(expr) = text(body, query, &["query"]) else {
                continue;
            };
            let role = Role::Panel {
                title: title.to_owned(),
                id: None,
            };
            reader.query(expr, Dialect::Prometheus, role);
        }
    }
}

/// `resource`: block type → name → one block or a list of them.
fn terraform(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    for (kind, named) in node.get("resource").map_or(&[][..], Node::entries) {
        for (_, block) in named.entries() {
            let one = std::slice::from_ref(block);
            let blocks = if block.is_seq() { block.items() } else { one };
            for block in blocks {
                match kind.text() {
                    Some("aws_cloudwatch_metric_alarm") => terraform_alarm(reader, body, block),
                    Some("aws_cloudwatch_dashboard") => {
                        let inner = text(body, block, &["dashboard_body"]);
                        inner.into_iter().for_each(|inner| reader.nested(&inner));
                    }
                    _ => {}
                }
            }
        }
    }
}

fn terraform_alarm(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    let name = word(node, &["alarm_name"]).unwrap_or_default();
    let criteria = node.get("evaluation_criteria").map(first);
    let criteria = criteria.and_then(|c| c.get("promql_criteria")).map(first);
    if let Some(query) = criteria.and_then(|c| text(body, c, &["query"])) {
        let name = name.to_owned();
        reader.query(query, Dialect::Prometheus, Role::Alarm { name });
    }
}

/// Terraform writes a single block as itself or as a list of one.
fn first<'n, 't>(node: &'n Node<'t>) -> &'n Node<'t> {
    node.items().first().unwrap_or(node)
}
