//! A panel.

use crate::artifact::datasource::Sources;
use crate::artifact::field::{is_true, items, number, spanned, text, word};
use crate::artifact::metric;
use crate::artifact::reader::Reader;
use crate::artifact::{Datasource, Language, Panel, Role, Step, Target, Thresholds};
use slosmith_promql::Dialect;
use slosmith_text::yaml::{Body, Node};

pub(super) fn read(
    reader: &mut Reader,
    body: &Body<'_>,
    sources: &Sources,
    node: &Node<'_>,
    pointer: String,
) -> Panel {
    // What the library holds of a panel may be written beside its name.
    let node = node.at(&["libraryPanel", "model"]).unwrap_or(node);
    let title = text(body, node, &["title"]);
    let id = word(node, &["id"]).map(str::to_owned);
    let role = Role::Panel {
        title: title.as_ref().map(|t| t.value.clone()).unwrap_or_default(),
        id: id.clone(),
    };
    // Logs come from anything but Prometheus.
    let usual = match word(node, &["type"]) {
        Some("logs") => Some(Language::Other),
        _ => None,
    };
    let language = sources.language(node).or(usual);
    let datasource = datasource(body, node);
    let targets = items(node, &["targets"]).iter();
    let targets = targets
        .map(|t| {
            let language = sources.language(t).or(language);
            let target = target(reader, body, t, &role, language);
            if let Some(query) = target.query.filter(|_| reader.hints.language.is_none()) {
                let given = target.datasource.as_ref().or(datasource.as_ref());
                // Without any, it is the one that Grafana has by default.
                let source = given.map_or_else(|| Some(String::new()), own_source);
                reader.artifact.queries[query].source = source;
            }
            target
        })
        .collect();
    let has_targets = node.get("targets").is_some();
    let defaults = ["fieldConfig", "defaults"];
    let at = |key: &'static str| [defaults[0], defaults[1], key];
    Panel {
        title,
        id,
        kind: spanned(body, node, &["type"]),
        unit: text(body, node, &at("unit")).or_else(|| old_unit(body, node)),
        overrides_units: overrides_units(node),
        has_mappings: !items(node, &at("mappings")).is_empty(),
        description: text(body, node, &["description"]),
        datasource,
        thresholds: node
            .at(&["fieldConfig", "defaults"])
            .and_then(|defaults| thresholds(body, defaults)),
        targets,
        from_library: node.get("libraryPanel").is_some() && !has_targets,
        pointer,
        span: body.place(node),
    }
}

fn target(
    reader: &mut Reader,
    body: &Body<'_>,
    node: &Node<'_>,
    role: &Role,
    language: Option<Language>,
) -> Target {
    let expr = text(body, node, &["expr"]).filter(|e| !e.value.trim().is_empty());
    let query = expr.map(|expr| reader.query_in(expr, Dialect::Grafana, role.clone(), language));
    // Google Cloud's data source names metrics in filters and in a language of its own.
    let filters = items(node, &["timeSeriesList", "filters"]).iter();
    for filter in filters.chain(node.at(&["timeSeriesQuery", "query"])) {
        if let Some(name) = body.read(filter) {
            metric::google(reader, &name, &role.to_string());
        }
    }
    let written = text(body, node, &["expr"]);
    Target {
        query,
        is_blank: written.is_some_and(|expr| expr.value.trim().is_empty()),
        datasource: datasource(body, node),
        instant: is_true(node, &["instant"]) && !is_true(node, &["range"]),
        span: body.place(node),
    }
}

/// The name or uid of a data source that is no variable. One that is called after Prometheus may be another one elsewhere.
fn own_source(datasource: &Datasource) -> Option<String> {
    let name = &datasource.uid.as_ref()?.value;
    let is_own = !name.is_empty()
        && !name.starts_with(['$', '-', '[', '{'])
        && !name.to_lowercase().contains("prom");
    is_own.then(|| name.clone())
}

pub(super) fn datasource(body: &Body<'_>, node: &Node<'_>) -> Option<Datasource> {
    let node = node.get("datasource").filter(|node| !node.is_null())?;
    Some(Datasource {
        kind: word(node, &["type"]).map(str::to_owned),
        uid: text(body, node, &["uid"]).or_else(|| body.read(node)),
    })
}

/// Before schema 27 a unit was in `format`, `options.fieldOptions` or on the left axis.
fn old_unit(body: &Body<'_>, node: &Node<'_>) -> Option<slosmith_text::yaml::Text> {
    let axis = items(node, &["yaxes"])
        .first()
        .and_then(|axis| text(body, axis, &["format"]));
    let field = || text(body, node, &["options", "fieldOptions", "defaults", "unit"]);
    let format = || text(body, node, &["format"]);
    let heatmap = || text(body, node, &["yAxis", "format"]);
    let new = || text(body, node, &["options", "yAxis", "unit"]);
    axis.or_else(field)
        .or_else(format)
        .or_else(heatmap)
        .or_else(new)
}

fn overrides_units(node: &Node<'_>) -> bool {
    let properties = items(node, &["fieldConfig", "overrides"]).iter();
    let mut properties = properties.flat_map(|o| items(o, &["properties"]));
    properties.any(|p| word(p, &["id"]) == Some("unit"))
}

/// The thresholds in the `defaults` of a panel's fields, in v2 as well.
pub(in crate::artifact) fn thresholds(body: &Body<'_>, defaults: &Node<'_>) -> Option<Thresholds> {
    let style = word(defaults, &["custom", "thresholdsStyle", "mode"]);
    let node = defaults.get("thresholds")?;
    let steps = items(node, &["steps"]).iter();
    Some(Thresholds {
        mode: word(node, &["mode"]).map(str::to_owned),
        is_drawn: style.is_some_and(|style| style != "off"),
        steps: steps
            .map(|step| Step {
                value: number(body, step, &["value"]),
            })
            .collect(),
    })
}
