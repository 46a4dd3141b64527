//! The PromQL in SLO specs: slosmith's, Sloth's and OpenSLO's.

use super::field::{items, text, word};
use super::reader::Reader;
use super::{Kind, Language, Role};
use slosmith_promql::ast::ExprKind;
use slosmith_promql::{self as promql, Dialect};
use slosmith_text::source::Span;
use slosmith_text::units::{Quantity, Unit, decimal};
use slosmith_text::yaml::{Body, Node};

/// Sloth's queries under `events` and `raw`, in the spelling of files and of resources.
const SLOTH: [&[&str]; 6] = [
    &["sli", "events", "error_query"],
    &["sli", "events", "total_query"],
    &["sli", "raw", "error_ratio_query"],
    &["sli", "events", "errorQuery"],
    &["sli", "events", "totalQuery"],
    &["sli", "raw", "errorRatioQuery"],
];

/// The key of PromQL in a spec of slosmith, and of the queries of an SLI.
const PROMQL: &str = "promql";

/// Sections of a spec with one entry per name.
const SECTIONS: [&str; 5] = ["signals", "slos", "alerts", "dashboards", "runbooks"];

pub(super) fn own(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    reader.is(Kind::Spec);
    for section in SECTIONS {
        let entries = node.get(section).into_iter().flat_map(Node::entries);
        for (name, entry) in entries {
            let name = name.text().unwrap_or_default();
            // It is left out where a release lacks its metric.
            if word(entry, &["optional"]) == Some("true") {
                continue;
            }
            each_own(entry, &mut |part, query, beside| {
                let Some(query) = body.read(query) else {
                    return;
                };
                let query = match threshold(body, beside) {
                    Some((ending, at)) if is_operand(&query.value) => query.ending_in(&ending, at),
                    _ => query,
                };
                let (part, name) = (part.to_owned(), name.to_owned());
                let role = match section {
                    "alerts" => Role::Alert { name },
                    "slos" => Role::Sli { slo: name, part },
                    _ => Role::Part { part, of: name },
                };
                // A dashboard may use the variables of Grafana.
                let dialect = match section {
                    "dashboards" => Dialect::Grafana,
                    _ => Dialect::Template,
                };
                reader.query(query, dialect, role);
            });
        }
    }
}

/// A comparison beside a query, as the end of the query, and where it is.
fn threshold(body: &Body<'_>, beside: &Node<'_>) -> Option<(String, Span)> {
    const OPS: [(&str, &str); 5] = [
        ("above", ">"),
        ("at_least", ">="),
        ("at_most", "<="),
        ("below", "<"),
        ("equals", "=="),
    ];
    OPS.into_iter().find_map(|(key, op)| {
        let node = beside.get(key)?;
        let quantity: Quantity = node.text()?.parse().ok()?;
        let mut units = [Unit::Count, Unit::Ratio, Unit::Seconds].into_iter();
        let value = units.find_map(|unit| quantity.of(unit, false).ok())?;
        Some((format!(" {op} {}", decimal(value)), body.place(node)))
    })
}

/// True for a query to which a comparison can be appended.
fn is_operand(query: &str) -> bool {
    promql::parse_with(query, Dialect::Template).is_ok_and(|expr| match &expr.kind {
        ExprKind::Binary(binary) => !binary.op.is_comparison() && !binary.op.is_set(),
        _ => true,
    })
}

/// All queries in a part of a spec, each with its key and the map that has it.
fn each_own<'n>(node: &'n Node<'_>, found: &mut impl FnMut(&'n str, &'n Node<'_>, &'n Node<'_>)) {
    for (key, value) in node.entries() {
        let key = key.text().unwrap_or_default();
        match key == PROMQL {
            true if value.is_map() => {
                for (part, query) in value.entries() {
                    found(part.text().unwrap_or_default(), query, value);
                }
            }
            true => found(key, value, node),
            false => each_own(value, found),
        }
    }
    node.items().iter().for_each(|item| each_own(item, found));
}

pub(super) fn sloth(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    reader.is(Kind::ForeignSpec);
    let mut plugins = items(node, &["slo_plugins", "chain"]).iter();
    let is_victoria = plugins
        .any(|plugin| word(plugin, &["id"]).is_some_and(|id| id.contains("victoria_metrics")));
    if is_victoria {
        reader.usual = Some(Language::MetricsQl);
    }
    for slo in items(node, &["slos"]) {
        queries(reader, body, slo, &SLOTH);
    }
}

pub(super) fn resource(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    if let Some(spec) = node.get("spec") {
        sloth(reader, body, spec);
    }
}

pub(super) fn open_slo(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    const PARTS: [&[&str]; 4] = [
        &["ratioMetrics", "good", "query"],
        &["ratioMetrics", "bad", "query"],
        &["ratioMetrics", "total", "query"],
        &["ratioMetrics", "raw", "query"],
    ];
    reader.is(Kind::ForeignSpec);
    let objectives = items(node, &["spec", "objectives"]).iter();
    for objective in objectives {
        let source = ["ratioMetrics", "total", "source"];
        if word(objective, &source).is_none_or(|source| source == "prometheus") {
            queries(reader, body, objective, &PARTS);
        }
    }
}

fn queries(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, parts: &[&[&str]]) {
    let slo = word(node, &["name"]).unwrap_or_default().to_owned();
    for path in parts {
        if let Some(query) = text(body, node, path).filter(|q| !q.value.trim().is_empty()) {
            let part = path.last().copied().unwrap_or_default().to_owned();
            let role = Role::Sli {
                slo: slo.clone(),
                part,
            };
            reader.query(query, Dialect::GoTemplate, role);
        }
    }
}
