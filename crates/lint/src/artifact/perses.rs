//! Perses dashboards, as JSON or YAML.

use super::field::{items, number, spanned, text, word};
use super::raw::Raw;
use super::reader::Reader;
use super::{
    Dashboard, Datasource, Form, Kind, Language, Panel, Role, Step, Target, Thresholds, Variable,
};
use slosmith_promql::Dialect;
use slosmith_text::yaml::{Body, Node};

pub(super) fn read(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    let Some(spec) = node.get("spec") else {
        return;
    };
    reader.is(Kind::Perses);
    let variables = items(spec, &["variables"]).iter();
    let variables = variables
        .filter_map(|v| variable(reader, body, v))
        .collect();
    let entries = spec.get("panels").map_or(&[][..], Node::entries);
    let mut panels = Vec::new();
    for (key, value) in entries {
        if let Some(inner) = value.get("spec") {
            panels.push(panel(reader, body, inner, key.text().unwrap_or_default()));
        }
    }
    reader.artifact.dashboards.push(Dashboard {
        form: Form::Perses,
        uid: text(body, node, &["metadata", "name"]),
        title: text(body, spec, &["display", "name"]),
        description: text(body, spec, &["display", "description"]),
        variables,
        panels,
        raw: Raw::new(body, node),
        span: body.place(node),
    });
}

fn panel(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, name: &str) -> Panel {
    let title = text(body, node, &["display", "name"]);
    let role = Role::Panel {
        title: title.as_ref().map(|t| t.value.clone()).unwrap_or_default(),
        id: Some(name.to_owned()),
    };
    let mut targets = Vec::new();
    for query in items(node, &["queries"]) {
        let Some(plugin) = query.at(&["spec", "plugin"]) else {
            continue;
        };
        let prometheus = word(plugin, &["kind"]).is_some_and(|k| k.starts_with("Prometheus"));
        let language = if prometheus {
            Language::PromQl
        } else {
            Language::Other
        };
        let expr = text(body, plugin, &["spec", "query"]).filter(|e| !e.value.trim().is_empty());
        let uid = text(body, plugin, &["spec", "datasource", "name"]);
        targets.push(Target {
            is_blank: false,
            query: expr.map(|e| reader.query_in(e, Dialect::Grafana, role.clone(), Some(language))),
            datasource: uid.map(|uid| Datasource {
                kind: None,
                uid: Some(uid),
            }),
            instant: false,
            span: body.place(query),
        });
    }
    let plugin = node.at(&["plugin", "spec"]);
    let unit = |path: &[&str]| plugin.and_then(|p| text(body, p, path));
    Panel {
        title,
        id: Some(name.to_owned()),
        kind: spanned(body, node, &["plugin", "kind"]),
        unit: unit(&["format", "unit"]).or_else(|| unit(&["yAxis", "format", "unit"])),
        overrides_units: false,
        has_mappings: plugin.is_some_and(|p| !items(p, &["mappings"]).is_empty()),
        description: text(body, node, &["display", "description"]),
        datasource: None,
        thresholds: plugin
            .and_then(|p| p.get("thresholds"))
            .map(|t| thresholds(body, t)),
        targets,
        from_library: false,
        pointer: format!("/spec/panels/{name}"),
        span: body.place(node),
    }
}

fn thresholds(body: &Body<'_>, node: &Node<'_>) -> Thresholds {
    let steps = items(node, &["steps"]).iter();
    Thresholds {
        mode: word(node, &["mode"]).map(str::to_lowercase),
        is_drawn: true,
        steps: steps
            .map(|step| Step {
                value: number(body, step, &["value"]),
            })
            .collect(),
    }
}

fn variable(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) -> Option<Variable> {
    let spec = node.get("spec")?;
    let name = text(body, spec, &["name"])?;
    let kind = word(spec, &["plugin", "kind"])
        .unwrap_or_default()
        .to_owned();
    // Other sources have variables of the same form.
    let is_ours = kind.starts_with("Prometheus");
    let matchers = items(spec, &["plugin", "spec", "matchers"]).iter();
    let expr = text(body, spec, &["plugin", "spec", "expr"]);
    let queries = matchers.filter_map(|m| body.read(m)).chain(expr);
    for query in queries.filter(|_| is_ours) {
        let role = Role::Variable {
            name: name.value.clone(),
        };
        let index = reader.query(query, Dialect::Grafana, role);
        reader.artifact.queries[index].listed =
            text(body, spec, &["plugin", "spec", "labelName"]).map(Box::new);
    }
    Some(Variable {
        name,
        kind,
        lists: None,
    })
}
