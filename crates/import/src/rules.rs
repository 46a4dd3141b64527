//! Prometheus's alerting rules, in rule files and `PrometheusRule` resources.

use super::context::{Cx, comments_above};
use super::document::{self, Part};
use super::fields::Fields;
use super::model::{Alert, Services, plain};
use super::names::{self, Annotation};
use super::print::{Map, Value};
use super::{known, kubernetes, query};
use slosmith_promql::{self as promql, Kept, ast::Expr};
use slosmith_spec::naming;
use slosmith_spec::spec::Text;
use slosmith_text::units::Duration;
use slosmith_text::yaml::{Body, Node};

/// Rules are evaluated once a minute: holding times are multiples of it.
const EVALUATION: u64 = 60;

pub(super) fn read(
    cx: &mut Cx<'_>,
    services: &mut Services,
    body: &Body<'_>,
    root: &Node<'_>,
    service: &str,
) -> Part {
    let is_resource = document::says(root, "kind") == Some("PrometheusRule");
    if !is_resource && root.get("groups").is_none() {
        return Part::Other;
    }
    let Some(mut fields) = Fields::of(cx, body, root, "") else {
        return Part::Read;
    };
    if is_resource {
        fields.skip(&["apiVersion", "kind", "status"]);
        let metadata = kubernetes::metadata(cx, &mut fields);
        kubernetes::add(cx, services.entry(service), metadata);
        if let Some(mut spec) = fields.required_map(cx, "spec") {
            groups(cx, services, &mut spec, service);
            spec.finish(cx);
        }
    } else {
        groups(cx, services, &mut fields, service);
    }
    let comments = fields.finish(cx);
    services.entry(service).service_comments.extend(comments);
    Part::Read
}

fn groups(cx: &mut Cx<'_>, services: &mut Services, fields: &mut Fields<'_>, service: &str) {
    for mut group in fields.maps(cx, "groups") {
        let name = group.text(cx, "name");
        let mut above = comments_above(group.body.text(), group.start());
        let shared = group.pairs(cx, "labels");
        let rules = group.maps(cx, "rules");
        above.extend(group.finish(cx));
        let mut is_first = true;
        for rule in rules {
            let Some(mut alert) = rule_of(cx, rule, &shared, &mut above) else {
                continue;
            };
            if std::mem::take(&mut is_first) {
                let name = name.iter().map(|name| format!("rule group {name}"));
                alert.comments.splice(0..0, name);
            }
            services.entry(service).alerts.push(alert);
        }
        services.entry(service).service_comments.append(&mut above);
    }
}

/// An alerting rule, with labels that its group shares; of a recording rule, only that it is lost.
fn rule_of(
    cx: &mut Cx<'_>,
    mut rule: Fields<'_>,
    shared: &[(Text, Text)],
    above: &mut Vec<String>,
) -> Option<Alert> {
    let mut comments = std::mem::take(above);
    comments.extend(comments_above(rule.body.text(), rule.start()));
    if let Some(record) = rule.text(cx, "record") {
        let what = format!("recording rule `{record}`: keep this rule in its file");
        comments.push(cx.lost(record.span, what, ""));
        rule.skip(&["expr", "labels"]);
        comments.extend(rule.finish(cx));
        *above = comments;
        return None;
    }
    let name = rule.required(cx, "alert")?;
    let text = rule.required_query(cx, "expr")?;
    let mut labels = rule.pairs(cx, "labels");
    let is_own = |name: &Text| labels.iter().any(|(own, _)| own.value == name.value);
    let shared = shared.iter().filter(|(name, _)| !is_own(name));
    labels = shared.chain(&labels).cloned().collect();
    let annotations = rule.pairs(cx, "annotations");
    let mut alert = Alert {
        name: names::alert(cx, &name, &mut comments),
        at: name.span,
        severity: String::new(),
        comments,
        fields: Map::default(),
        is_lost: false,
    };
    urgency(cx, &mut alert, &mut labels);
    let query = Query::of(cx, &mut alert, text);
    condition(cx, &mut alert, &query);
    for field in ["for", "keep_firing_for"] {
        if let Some(time) = rule.text(cx, field) {
            holding(cx, &mut alert, field, &time);
        }
    }
    marks(cx, &mut alert, labels, &annotations, &query);
    let more = rule.finish(cx);
    alert.comments.extend(more);
    Some(alert)
}

struct Query {
    text: slosmith_text::yaml::Text,
    /// `None` where it is not PromQL.
    expr: Option<Expr>,
    kept: Option<Kept>,
}

impl Query {
    fn of(cx: &mut Cx<'_>, alert: &mut Alert, text: slosmith_text::yaml::Text) -> Self {
        let parsed = promql::parse(&text.value);
        if let Err(error) = &parsed {
            let what = format!("invalid PromQL: {}", error.message);
            let comment = cx.lost(text.map.span(error.span.clone()), what, "");
            alert.comments.push(comment);
            alert.is_lost = true;
        }
        let expr = parsed.ok();
        let kept = expr.as_ref().map(promql::kept_labels);
        Self { text, expr, kept }
    }

    fn labels(&self) -> Vec<String> {
        let kept = self.kept.as_ref();
        kept.and_then(Kept::names).unwrap_or_default()
    }
}

fn urgency(cx: &mut Cx<'_>, alert: &mut Alert, labels: &mut Vec<(Text, Text)>) {
    alert.severity = match names::take(labels, naming::SEVERITY) {
        Some(value) if value.value.contains("{{") => {
            let what = format!("severity `{value}`: a spec cannot have a template as severity");
            alert.comments.push(cx.lost(value.span, what, ""));
            alert.is_lost = true;
            "warning".to_owned()
        }
        Some(value) => names::severity(cx, &value, &mut alert.comments),
        None => {
            let what = format!("`{}` has no severity: set to `warning`", alert.name);
            alert.comments.push(cx.changed(alert.at, what));
            "warning".to_owned()
        }
    };
    alert.fields.put("severity", &alert.severity.clone());
}

fn condition(cx: &mut Cx<'_>, alert: &mut Alert, query: &Query) {
    let vllm = cx.options.vllm.as_deref();
    let known = vllm.and_then(|vllm| known::condition(vllm, query.expr.as_ref()?));
    let when = known.unwrap_or_else(|| {
        let mut when = Map::default();
        when.put("promql", &distinct(cx, alert, query));
        when
    });
    alert.fields.put("when", when);
}

/// A query whose series differ without the label `service`, which the rules set on every alert.
fn distinct(cx: &mut Cx<'_>, alert: &mut Alert, query: &Query) -> String {
    let text = query::dedent(&query.text.value);
    let label = naming::SERVICE;
    if !query.labels().iter().any(|name| name == label) {
        return text;
    }
    let new = format!("service_{label}");
    let what = format!(
        "label `{label}` of the series renamed to `{new}`: slosmith sets `{label}` on the alert"
    );
    alert.comments.push(cx.changed(query.text.span(), what));
    let text = text.replace('\n', "\n  ");
    format!("label_replace(\n  {text},\n  \"{new}\", \"$1\", \"{label}\", \"(.*)\"\n)")
}

fn holding(cx: &mut Cx<'_>, alert: &mut Alert, field: &'static str, hold: &Text) {
    let Some(given) = promql::ast::Duration::parse(hold.value.trim()) else {
        let what = format!("`{field}: {hold}`: not a duration");
        alert.comments.push(cx.lost(hold.span, what, ""));
        alert.is_lost = true;
        return;
    };
    let millis = u64::try_from(given.millis).unwrap_or_default();
    let whole = Duration::from_secs(millis.div_ceil(1000 * EVALUATION) * EVALUATION);
    if whole.as_secs() * 1000 != millis {
        let what =
            format!("`{field}: {hold}` rounded up to `{whole}`: rules are evaluated every minute");
        alert.comments.push(cx.changed(hold.span, what));
    }
    if whole.as_secs() > 0 {
        alert.fields.put(field, Value::word(whole));
    }
}

fn marks(
    cx: &mut Cx<'_>,
    alert: &mut Alert,
    labels: Vec<(Text, Text)>,
    annotations: &[(Text, Text)],
    query: &Query,
) {
    let mut own = super::model::Pairs::new();
    let mut taken: Vec<&str> = Vec::new();
    for pair in annotations {
        let (field, text) = match names::of_rule(cx, pair, query.kept.as_ref(), &mut alert.comments)
        {
            Annotation::Summary(text) => ("summary", text),
            Annotation::Description(text) => ("description", text),
            Annotation::Runbook(url) => ("runbook", url),
            Annotation::Own(name, text) => {
                own.insert(name, text);
                continue;
            }
            Annotation::Lost => continue,
        };
        if taken.contains(&field) {
            // `message` beside `description`, `runbook` beside `runbook_url`.
            let name = format!("own_{}", pair.0);
            let what = format!(
                "annotation `{}` renamed to `{name}`: the alert already has a {field}",
                pair.0
            );
            alert.comments.push(cx.changed(pair.0.span, what));
            own.insert(name, text);
            continue;
        }
        taken.push(field);
        alert.fields.put(field, &text);
    }
    if !taken.contains(&"summary") {
        // A condition in PromQL must have one.
        let name = alert.name.clone();
        alert.fields.put("summary", &name);
    }
    let labels = names::labels(cx, labels, &mut alert.comments);
    let mut labels = plain(&labels);
    let owner = names::take_owner(&mut labels);
    alert.fields.maybe("owner", owner.as_ref());
    for label in query.labels() {
        if let Some(value) = labels.shift_remove(&label) {
            let what = format!(
                "label `{label}: {value}`: the alert `{}` is grouped by this label",
                alert.name
            );
            alert.comments.push(cx.lost(alert.at, what, ""));
        }
    }
    alert.fields.texts("labels", &labels);
    alert.fields.texts("annotations", &own);
}

/// The service of a file: its name, without what only says that it has rules.
pub(super) fn service(path: &std::path::Path) -> String {
    let stem = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = stem.split('.').next().unwrap_or_default();
    let name = names::clean(stem, true);
    for ending in ["-rules", "-alerts", "_rules", "_alerts", "-rule"] {
        if let Some(short) = name.strip_suffix(ending).filter(|short| !short.is_empty()) {
            return short.to_owned();
        }
    }
    name
}
