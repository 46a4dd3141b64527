//! sloth: files (`version: prometheus/v1`) and resources (`PrometheusServiceLevel`).
//!
//! Both have the same fields, those of resources in camel case.

mod alerting;
mod plugins;
mod windows;

pub(super) use windows::Windows;

use super::context::{Cx, comments_above, comments_on_top};
use super::document::{self, Part};
use super::fields::Fields;
use super::indicator::{self, Found};
use super::model::{Objective, Pairs, Services, plain};
use super::{kubernetes, names, values};
use slosmith_text::yaml::{self, Body, Node};

pub(super) fn read(
    cx: &mut Cx<'_>,
    services: &mut Services,
    body: &Body<'_>,
    root: &Node<'_>,
    windows: &Windows,
) -> Part {
    let is_file = document::says(root, "version") == Some("prometheus/v1");
    let is_resource = document::says(root, "kind") == Some("PrometheusServiceLevel");
    if !is_file && !is_resource {
        return Part::Other;
    }
    let Some(mut fields) = Fields::of(cx, body, root, "") else {
        return Part::Read;
    };
    let mut head = comments_on_top_of(body, root);
    if is_file {
        fields.skip(&["version"]);
        service(cx, services, fields, head, windows);
        return Part::Read;
    }
    fields.skip(&["apiVersion", "kind", "status"]);
    let metadata = kubernetes::metadata(cx, &mut fields);
    if let Some(spec) = fields.required_map(cx, "spec") {
        head.extend(fields.finish(cx));
        if let Some(name) = service(cx, services, spec, head, windows) {
            kubernetes::add(cx, services.entry(&name), metadata);
        }
    }
    Part::Read
}

fn comments_on_top_of(body: &Body<'_>, root: &Node<'_>) -> Vec<String> {
    let above = comments_above(body.text(), root.range().start);
    match above.is_empty() && root.range().start == 0 {
        true => comments_on_top(body.text()),
        false => above,
    }
}

fn service(
    cx: &mut Cx<'_>,
    services: &mut Services,
    mut fields: Fields<'_>,
    head: Vec<String>,
    windows: &Windows,
) -> Option<String> {
    let mut comments = Vec::new();
    let name = fields.required(cx, "service")?;
    let name = names::lower(cx, &name, &mut comments);
    let labels = fields.pairs(cx, "labels");
    let of_all = plain(&labels);
    let mut labels = names::labels(cx, labels, &mut comments);
    let severity = alerting::severity_of(cx, &mut labels, &mut comments);
    for key in ["slo_plugins", "sloPlugins"] {
        comments.extend(plugins::chain(cx, &mut fields, key));
    }
    let slos = fields.maps(cx, "slos");
    comments.extend(fields.finish(cx));
    let service = services.entry(&name);
    service.is_sloth = true;
    service.comments.extend(head);
    service.service_comments.extend(comments);
    service.add_labels(cx, labels);
    for slo in slos {
        if let Some(mut objective) = objective(cx, slo, windows, (&name, &of_all)) {
            for urgency in [&mut objective.page, &mut objective.ticket] {
                if let (Some(urgency), Some(severity)) = (urgency, &severity) {
                    urgency.severity.get_or_insert_with(|| severity.clone());
                }
            }
            service.add(cx, objective);
        }
    }
    Some(name)
}

fn objective(
    cx: &mut Cx<'_>,
    mut fields: Fields<'_>,
    windows: &Windows,
    (service, of_all): (&str, &Pairs),
) -> Option<Objective> {
    let mut comments = comments_above(fields.body.text(), fields.start());
    let name = fields.required(cx, "name")?;
    let at = name.span;
    let target = fields.required(cx, "objective")?;
    let share = values::share(cx, &target, 100)?;
    let description = fields.filled_text(cx, "description");
    let labels = fields.pairs(cx, "labels");
    let mut fixed = of_all.clone();
    fixed.extend(plain(&labels));
    fixed.insert("sloth_id".to_owned(), format!("{service}-{name}"));
    let name = names::lower(cx, &name, &mut comments);
    let (sli, by) = match fields.map(cx, "sli") {
        Some(sli) => sli_of(cx, sli, &mut comments),
        None => {
            comments.push(cx.lost(at, "this SLO has no `sli`", ""));
            (None, Vec::new())
        }
    };
    let mut objective = Objective {
        description: description.map(|text| text.value.trim().to_owned()),
        sli,
        by,
        tiers: windows.tiers.clone(),
        ..Objective::new(name, at, share, windows.period, comments)
    };
    alerting::read(cx, &mut fields, (labels, &fixed), &mut objective);
    let more = plugins::chain(cx, &mut fields, "plugins");
    objective.comments.extend(more);
    let more = fields.finish(cx);
    objective.comments.extend(more);
    Some(objective)
}

fn sli_of(cx: &mut Cx<'_>, mut fields: Fields<'_>, comments: &mut Vec<String>) -> Found {
    let mut found = (None, Vec::new());
    if let Some(plugin) = fields.map(cx, "plugin") {
        comments.push(plugins::indicator(cx, plugin));
    }
    if let Some(mut raw) = fields.map(cx, "raw") {
        let text = query_of(cx, &mut raw, ["error_ratio_query", "errorRatioQuery"]);
        comments.extend(raw.finish(cx));
        found = text.map_or(found, |text| indicator::error_ratio(cx, &text, comments));
    } else if let Some(mut events) = fields.map(cx, "events") {
        let bad = query_of(cx, &mut events, ["error_query", "errorQuery"]);
        let total = query_of(cx, &mut events, ["total_query", "totalQuery"]);
        comments.extend(events.finish(cx));
        if let (Some(bad), Some(total)) = (bad, total) {
            found = indicator::pair(cx, ("bad", &bad), &total, comments);
        }
    }
    comments.extend(fields.finish(cx));
    found
}

fn query_of(
    cx: &mut Cx<'_>,
    fields: &mut Fields<'_>,
    [file, resource]: [&str; 2],
) -> Option<yaml::Text> {
    let is_resource = !fields.has(file) && fields.is_camel();
    fields.required_query(cx, if is_resource { resource } else { file })
}
