//! Grafana's classic dashboard JSON.

mod panel;

use super::datasource::Sources;
use super::field::{items, text, word};
use super::raw::Raw;
use super::reader::Reader;
use super::{Dashboard, Form, Kind, Language, Panel, Role, Variable, variable};
pub(super) use panel::thresholds;
use slosmith_promql::Dialect;
use slosmith_text::yaml::{Body, Node};

/// True for a dashboard of Grafana; other products keep `panels` and `rows` under a `title` as well.
pub(super) fn is_dashboard(node: &Node<'_>) -> bool {
    let is_list = |key: &str| node.get(key).is_some_and(Node::is_seq);
    let is_signed = node.get("schemaVersion").is_some()
        || node.at(&["templating", "list"]).is_some()
        || node.at(&["annotations", "list"]).is_some();
    let rows = items(node, &["rows"]).iter();
    let mut inner = rows.flat_map(|row| items(row, &["panels"]));
    let mut panels = items(node, &["panels"]).iter();
    (is_list("panels") || is_list("rows"))
        && (is_signed || panels.any(is_panel) || inner.any(is_panel))
}

/// True for a panel that says where it is, what it asks or how it shows that, as only Grafana's do.
fn is_panel(node: &Node<'_>) -> bool {
    let signs = [
        "datasource",
        "fieldConfig",
        "gridPos",
        "libraryPanel",
        "targets",
    ];
    let mut inner = items(node, &["panels"]).iter();
    signs.iter().any(|key| node.get(key).is_some()) || inner.any(is_panel)
}

/// Reads a dashboard inside of something else, such as the object that Terraform makes a text of.
pub(super) fn part(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, _: &str) -> bool {
    // Others have panels with such keys, too.
    let is_one = node.get("schemaVersion").is_some() && is_dashboard(node);
    if is_one {
        read(reader, body, node);
    }
    is_one
}

pub(super) fn read(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    reader.is(Kind::Grafana);
    let sources = Sources::of(node);
    let mut panels = Vec::new();
    let own = items(node, &["panels"]);
    all(reader, body, &sources, own, "/panels", &mut panels);
    for (r, row) in items(node, &["rows"]).iter().enumerate() {
        let pointer = format!("/rows/{r}/panels");
        let inner = items(row, &["panels"]);
        all(reader, body, &sources, inner, &pointer, &mut panels);
    }
    let variables = items(node, &["templating", "list"]);
    let variables = variables
        .iter()
        .filter_map(|v| variable(reader, body, &sources, v))
        .collect();
    for annotation in items(node, &["annotations", "list"]) {
        annotated(reader, body, &sources, annotation);
    }
    reader.artifact.dashboards.push(Dashboard {
        form: Form::Classic,
        uid: text(body, node, &["uid"]),
        title: text(body, node, &["title"]),
        description: text(body, node, &["description"]),
        variables,
        panels,
        raw: Raw::new(body, node),
        span: body.place(node),
    });
}

/// Reads panels, those inside of rows, and those in the lists that Terraform puts together.
fn all(
    reader: &mut Reader,
    body: &Body<'_>,
    sources: &Sources,
    list: &[Node<'_>],
    pointer: &str,
    panels: &mut Vec<Panel>,
) {
    for (i, item) in list.iter().enumerate() {
        let pointer = format!("{pointer}/{i}");
        let (inner, below) = match item.is_seq() {
            true => (item.items(), pointer),
            false => {
                let below = format!("{pointer}/panels");
                panels.push(panel::read(reader, body, sources, item, pointer));
                (items(item, &["panels"]), below)
            }
        };
        all(reader, body, sources, inner, &below, panels);
    }
}

fn variable(
    reader: &mut Reader,
    body: &Body<'_>,
    sources: &Sources,
    node: &Node<'_>,
) -> Option<Variable> {
    let name = text(body, node, &["name"])?;
    let kind = word(node, &["type"]).unwrap_or_default().to_owned();
    let mut lists = None;
    match kind.as_str() {
        "query" if sources.language(node) != Some(Language::Other) => {
            let query = node.get("query").and_then(|q| body.read(q));
            let query = query.or_else(|| text(body, node, &["query", "query"]));
            if let Some(query) = query {
                variable::read(reader, &name.value, &query, sources.language(node));
            }
        }
        "datasource" => lists = word(node, &["query"]).map(str::to_owned),
        _ => {}
    }
    Some(Variable { name, kind, lists })
}

fn annotated(reader: &mut Reader, body: &Body<'_>, sources: &Sources, node: &Node<'_>) {
    let expr = text(body, node, &["expr"]).or_else(|| text(body, node, &["target", "expr"]));
    let language = sources.language(node);
    if let Some(expr) = expr.filter(|e| !e.value.trim().is_empty()) {
        let name = word(node, &["name"]).unwrap_or_default().to_owned();
        reader.query_in(expr, Dialect::Grafana, Role::Annotation { name }, language);
    }
}
