//! Grafana's v2 dashboards: elements by name, and a layout that places them.

use super::classic::thresholds;
use super::datasource::Sources;
use super::field::{items, spanned, text, word};
use super::raw::Raw;
use super::reader::Reader;
use super::{Dashboard, Datasource, Form, Kind, Language, Panel, Role, Target};
use super::{Variable, variable};
use slosmith_promql::Dialect;
use slosmith_text::yaml::{Body, Node, Text};

pub(super) fn read(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, uid: Option<Text>) {
    reader.is(Kind::Grafana);
    let sources = Sources::of_v2(node);
    let mut panels = Vec::new();
    let elements = node.get("elements").map_or(&[][..], Node::entries);
    for (key, element) in elements {
        let name = key.text().unwrap_or_default();
        if let Some(spec) = element.get("spec") {
            let library = word(element, &["kind"]) == Some("LibraryPanel");
            panels.push(panel(reader, body, &sources, spec, name, library));
        }
    }
    let variables = items(node, &["variables"]).iter();
    let variables = variables
        .filter_map(|v| variable(reader, body, &sources, v))
        .collect();
    for annotation in items(node, &["annotations"]) {
        let query = annotation.at(&["spec", "query"]);
        let name = word(annotation, &["spec", "name"])
            .unwrap_or_default()
            .to_owned();
        if let Some(query) = query {
            let role = Role::Annotation { name };
            let language = sources.language_v2(query, query);
            expression(reader, body, query, role, language);
        }
    }
    reader.artifact.dashboards.push(Dashboard {
        form: Form::V2,
        uid,
        title: text(body, node, &["title"]),
        description: text(body, node, &["description"]),
        variables,
        panels,
        raw: Raw::new(body, node),
        span: body.place(node),
    });
}

fn panel(
    reader: &mut Reader,
    body: &Body<'_>,
    sources: &Sources,
    node: &Node<'_>,
    name: &str,
    from_library: bool,
) -> Panel {
    let title = text(body, node, &["title"]);
    let role = Role::Panel {
        title: title.as_ref().map(|t| t.value.clone()).unwrap_or_default(),
        id: word(node, &["id"]).map(str::to_owned),
    };
    let config = node.get("vizConfig");
    let kind =
        config.and_then(|c| spanned(body, c, &["group"]).or_else(|| spanned(body, c, &["kind"])));
    // Logs come from anything but Prometheus.
    let usual = match kind.as_ref().map(|kind| kind.value.as_str()) {
        Some("logs") => Some(Language::Other),
        _ => None,
    };
    let mut targets = Vec::new();
    for query in items(node, &["data", "spec", "queries"]) {
        let inner = query.at(&["spec", "query"]).unwrap_or(query);
        let language = sources.language_v2(query, inner).or(usual);
        targets.push(Target {
            query: expression(reader, body, inner, role.clone(), language),
            is_blank: word(inner, &["spec", "expr"]).is_some_and(|expr| expr.trim().is_empty()),
            datasource: datasource(body, query, inner),
            instant: word(inner, &["spec", "instant"]) == Some("true"),
            span: body.place(query),
        });
    }
    let defaults = config.and_then(|c| c.at(&["spec", "fieldConfig", "defaults"]));
    let overrides = config.map_or(&[][..], |c| items(c, &["spec", "fieldConfig", "overrides"]));
    let mut properties = overrides.iter().flat_map(|o| items(o, &["properties"]));
    Panel {
        title,
        id: word(node, &["id"]).map(str::to_owned),
        kind,
        unit: defaults.and_then(|d| text(body, d, &["unit"])),
        overrides_units: properties.any(|p| word(p, &["id"]) == Some("unit")),
        has_mappings: defaults.is_some_and(|d| !items(d, &["mappings"]).is_empty()),
        description: text(body, node, &["description"]),
        datasource: None,
        thresholds: defaults.and_then(|d| thresholds(body, d)),
        targets,
        from_library,
        pointer: format!("/elements/{name}"),
        span: body.place(node),
    }
}

/// The PromQL of a `DataQuery` (v2) or of a query named after its data source (v2alpha1).
fn expression(
    reader: &mut Reader,
    body: &Body<'_>,
    node: &Node<'_>,
    role: Role,
    language: Option<Language>,
) -> Option<usize> {
    let expr = text(body, node, &["spec", "expr"]).filter(|e| !e.value.trim().is_empty())?;
    Some(reader.query_in(expr, Dialect::Grafana, role, language))
}

fn datasource(body: &Body<'_>, outer: &Node<'_>, inner: &Node<'_>) -> Option<Datasource> {
    let uid = text(body, inner, &["datasource", "name"]);
    let uid = uid.or_else(|| text(body, outer, &["spec", "datasource", "uid"]))?;
    Some(Datasource {
        kind: word(inner, &["group"]).map(str::to_owned),
        uid: Some(uid),
    })
}

fn variable(
    reader: &mut Reader,
    body: &Body<'_>,
    sources: &Sources,
    node: &Node<'_>,
) -> Option<Variable> {
    let spec = node.get("spec")?;
    let name = text(body, spec, &["name"])?;
    let kind = word(node, &["kind"]).unwrap_or_default();
    let mut lists = None;
    match kind {
        "QueryVariable" => {
            let language = spec.get("query").and_then(|q| sources.language_v2(spec, q));
            let query = text(body, spec, &["query", "spec", "query"]);
            let query = query.or_else(|| text(body, spec, &["query", "spec", "expr"]));
            // What Grafana makes of a query that was text.
            let query =
                query.or_else(|| text(body, spec, &["query", "spec", "__legacyStringValue"]));
            query
                .filter(|_| language != Some(Language::Other))
                .into_iter()
                .for_each(|query| variable::read(reader, &name.value, &query, language));
        }
        "DatasourceVariable" => lists = word(spec, &["pluginId"]).map(str::to_owned),
        _ => {}
    }
    let kind = kind.trim_end_matches("Variable").to_lowercase();
    Some(Variable { name, kind, lists })
}
