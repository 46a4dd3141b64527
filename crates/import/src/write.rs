//! A service as the text of a spec.

use indexmap::{IndexMap, IndexSet};

use super::context::Cx;
use super::model::{Objective, Pairs, Service, Urgency};
use super::print::{Map, Value};
use super::tiers::{self, Severities};
use super::{known, names};
use slosmith_render::template::yaml::comment;
use slosmith_resolve as resolve;
use slosmith_spec::naming;
use slosmith_spec::spec::{self, API_VERSION};
use slosmith_text::source::FileId;
use slosmith_text::units::decimal;

const SCHEMA: &str = "# yaml-language-server: $schema=../schemas/spec.schema.json";

/// Placeholder URLs of links.
const RUNBOOKS: &str = "https://runbooks.example";
const GRAFANA: &str = "https://grafana.example";

#[derive(Default)]
struct Carried {
    labels: Pairs,
    annotations: Pairs,
}

pub(super) fn spec(cx: &mut Cx<'_>, mut service: Service) -> String {
    unique_alerts(cx, &mut service);
    for objective in &mut service.objectives {
        tiers::fit(cx, objective);
        let (used_page, used_ticket) = (used(objective, true), used(objective, false));
        objective.page = objective.page.take().filter(|_| used_page);
        objective.ticket = objective.ticket.take().filter(|_| used_ticket);
        common(objective);
    }
    without_grouped(cx, &mut service);
    let (page, ticket) = (first(&service, true), first(&service, false));
    let all = severities(cx, &mut service);
    let names = Severities {
        page: &page,
        ticket: &ticket,
    };
    let mut spec = Map::default();
    spec.put("apiVersion", API_VERSION);
    head(cx, &service, &mut spec);
    spec.put("severities", written(&service, &names, &all));
    spec.put("prometheus", prometheus(&service));
    metadata(&service, &mut spec);
    refused(cx, &mut service, &spec);
    let mut slos = Map::default();
    for objective in &service.objectives {
        slo(objective, &names, &mut slos);
    }
    put_all(&mut spec, "slos", slos, &service.objectives, |o| {
        o.sli.is_none()
    });
    let mut alerts = Map::default();
    for alert in &service.alerts {
        let (comments, fields) = (alert.comments.clone(), alert.fields.clone());
        alerts.put_or_comment(alert.is_lost, comments, &alert.name, fields);
    }
    put_all(&mut spec, "alerts", alerts, &service.alerts, |a| a.is_lost);
    let mut dashboards = Map::default();
    for dashboard in &service.dashboards {
        let (comments, fields) = (dashboard.comments.clone(), dashboard.fields.clone());
        dashboards.put_or_comment(dashboard.is_lost, comments, &dashboard.name, fields);
    }
    put_all(
        &mut spec,
        "dashboards",
        dashboards,
        &service.dashboards,
        |d| d.is_lost,
    );
    let comments = service.comments.iter();
    let comments = comments.map(|line| format!("# {}", comment(line)).trim_end().to_owned() + "\n");
    format!("{SCHEMA}\n{}{}", comments.collect::<String>(), spec.text(0))
}

/// Turns alerts that do not build into comments, with the reason.
fn refused(cx: &mut Cx<'_>, service: &mut Service, head: &Map) {
    for alert in service.alerts.iter_mut().filter(|alert| !alert.is_lost) {
        let mut spec = head.clone();
        let mut alerts = Map::default();
        alerts.put(&alert.name, alert.fields.clone());
        spec.put("alerts", alerts);
        let document = spec::read(FileId(0), &spec.text(0));
        let plan =
            document.and_then(|document| resolve::resolve(&document, resolve::Options::default()));
        if let Err(first) = plan.map_err(known::first_error) {
            let what = format!("alert `{}`: {}", alert.name, first.message);
            let help = first.help.first().cloned().unwrap_or_default();
            let comment = cx.lost(alert.at, what, &help);
            alert.comments.push(comment);
            alert.is_lost = true;
        }
    }
}

/// Adds a mapping of which all entries may be comments; it is then one itself.
fn put_all<T>(spec: &mut Map, key: &str, map: Map, items: &[T], is_lost: impl Fn(&T) -> bool) {
    let is_comment = !items.is_empty() && items.iter().all(is_lost);
    spec.put_or_comment(is_comment, Vec::new(), key, map);
}

/// No two alerts may have one name, be they objectives' or alerts of their own.
fn unique_alerts(cx: &mut Cx<'_>, service: &mut Service) {
    let mut taken = Taken::default();
    for objective in &mut service.objectives {
        let default = naming::burn_alert(&objective.name);
        let name = objective.alert_name.clone().unwrap_or(default);
        if taken.insert(&name) {
            continue;
        }
        let new = naming::pascal(&format!("{name}-{}", objective.name));
        let new = taken.free(&names::clean(&new, false));
        let what = format!(
            "alerts of the SLO `{}` renamed to `{new}`: another SLO uses `{name}`",
            objective.name
        );
        let comment = cx.changed(objective.at, what);
        objective.comments.push(comment);
        objective.alert_name = Some(new);
    }
    for alert in service.alerts.iter_mut().filter(|alert| !alert.is_lost) {
        let new = taken.free(&alert.name);
        if new != alert.name {
            let what = format!(
                "alert `{}` renamed to `{new}`: another alert has the same name",
                alert.name
            );
            alert.comments.push(cx.changed(alert.at, what));
            alert.name = new;
        }
    }
}

#[derive(Default)]
struct Taken(IndexSet<String>);

impl Taken {
    fn insert(&mut self, name: &str) -> bool {
        self.0.insert(naming::kebab(name))
    }

    fn free(&mut self, name: &str) -> String {
        let room = name.len().min(names::LONGEST - 4);
        let numbered = (2..).map(|number| format!("{}{number}", &name[..room]));
        let mut all = std::iter::once(name.to_owned()).chain(numbered);
        all.find(|name| self.insert(name)).unwrap_or_default()
    }
}

fn used(objective: &Objective, is_page: bool) -> bool {
    objective.tiers.iter().any(|tier| tier.is_page == is_page)
}

/// Moves what both urgencies carry to the objective, and what only one of them overrides away from it.
fn common(objective: &mut Objective) {
    let (labels, annotations) = (&mut objective.labels, &mut objective.annotations);
    split(labels, &mut objective.page, &mut objective.ticket, |u| {
        &mut u.labels
    });
    split(
        annotations,
        &mut objective.page,
        &mut objective.ticket,
        |u| &mut u.annotations,
    );
}

fn split(
    both: &mut Pairs,
    page: &mut Option<Urgency>,
    ticket: &mut Option<Urgency>,
    of: impl Fn(&mut Urgency) -> &mut Pairs,
) {
    let mut urgencies: Vec<&mut Pairs> = [page, ticket].into_iter().flatten().map(of).collect();
    let keys: IndexSet<String> = urgencies
        .iter()
        .flat_map(|pairs| pairs.keys().cloned())
        .collect();
    for key in keys {
        if let Some(value) = both.shift_remove(&key) {
            for pairs in &mut urgencies {
                pairs.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
        if let [first, second] = urgencies.as_mut_slice()
            && first.get(&key) == second.get(&key)
        {
            first.shift_remove(&key);
            both.extend(second.shift_remove_entry(&key));
        }
    }
}

/// A label of all alerts cannot be one that an objective is grouped by.
fn without_grouped(cx: &mut Cx<'_>, service: &mut Service) {
    for objective in &mut service.objectives {
        for label in &objective.by {
            let own = objective.labels.shift_remove(label);
            if let Some(value) = own.or_else(|| service.labels.shift_remove(label)) {
                let what = format!(
                    "label `{label}: {value}`: the SLO `{}` is grouped by this label",
                    objective.name
                );
                let comment = cx.lost(objective.at, what, "");
                objective.comments.push(comment);
            }
        }
    }
}

/// The severity of the first objective that has alerts of an urgency.
fn first(service: &Service, is_page: bool) -> String {
    let of = |o: &Objective| match is_page {
        true => o.page.as_ref().map(|u| u.severity.clone()),
        false => o.ticket.as_ref().map(|u| u.severity.clone()),
    };
    let found = service.objectives.iter().find_map(of).flatten();
    let default = if is_page { "critical" } else { "warning" };
    found.unwrap_or_else(|| default.to_owned())
}

fn severities(cx: &mut Cx<'_>, service: &mut Service) -> IndexMap<String, Carried> {
    let mut users: IndexMap<String, Vec<(String, Urgency)>> = IndexMap::new();
    for objective in &service.objectives {
        for (urgency, default) in [
            (&objective.page, "critical"),
            (&objective.ticket, "warning"),
        ] {
            if let Some(urgency) = urgency {
                let name = urgency
                    .severity
                    .clone()
                    .unwrap_or_else(|| default.to_owned());
                let users = users.entry(name).or_default();
                users.push((objective.name.clone(), urgency.clone()));
            }
        }
    }
    let mut out = IndexMap::new();
    for (name, users) in users {
        let is_twice = service.objectives.iter().any(|o| twice(o, &name));
        let mut severity = Carried::default();
        if is_twice {
            one_by_one(cx, service, &name);
        } else {
            severity.labels = joined(&users, |u| &u.labels);
            severity.annotations = joined(&users, |u| &u.annotations);
        }
        out.insert(name, severity);
    }
    out
}

/// True for an objective whose pages and tickets have one severity.
fn twice(objective: &Objective, name: &str) -> bool {
    let is = |urgency: &Option<Urgency>, default: &str| {
        let own = urgency
            .as_ref()
            .map(|u| u.severity.as_deref().unwrap_or(default));
        own == Some(name)
    };
    is(&objective.page, "critical") && is(&objective.ticket, "warning")
}

/// What alerts carry whose severity does not tell pages from tickets: it cannot be told apart, either.
fn one_by_one(cx: &mut Cx<'_>, service: &mut Service, name: &str) {
    for objective in &mut service.objectives {
        let urgencies = [
            (&mut objective.page, "critical"),
            (&mut objective.ticket, "warning"),
        ];
        for (urgency, default) in urgencies {
            let has_it =
                |urgency: &&mut Urgency| urgency.severity.as_deref().unwrap_or(default) == name;
            let Some(urgency) = urgency.as_mut().filter(has_it) else {
                continue;
            };
            let labels = std::mem::take(&mut urgency.labels);
            let annotations = std::mem::take(&mut urgency.annotations);
            for (key, value) in labels.into_iter().chain(annotations) {
                let what = format!(
                    "`{key}: {value}` of some alerts of the SLO `{}`: all its alerts have the severity `{name}`",
                    objective.name
                );
                let comment = cx.lost(
                    objective.at,
                    what,
                    "use different severities for paging and ticket alerts",
                );
                objective.comments.push(comment);
            }
        }
    }
}

/// What all alerts of a severity carry; where objectives differ, a template decides.
fn joined(users: &[(String, Urgency)], of: impl Fn(&Urgency) -> &Pairs) -> Pairs {
    let mut out = Pairs::new();
    let keys: IndexSet<&String> = users
        .iter()
        .flat_map(|(_, urgency)| of(urgency).keys())
        .collect();
    for key in keys {
        let values: Vec<_> = users.iter().map(|(slo, u)| (slo, of(u).get(key))).collect();
        let same = values.windows(2).all(|pair| pair[0].1 == pair[1].1);
        if let (true, Some((_, Some(value)))) = (same, values.first()) {
            out.insert(key.clone(), (*value).clone());
            continue;
        }
        let mut text = String::new();
        for (slo, value) in values {
            if let Some(value) = value {
                let start = if text.is_empty() { "if" } else { "else if" };
                text.push_str(&format!(
                    "{{{{ {start} eq $labels.slo \"{slo}\" }}}}{value}"
                ));
            }
        }
        text.push_str("{{ end }}");
        out.insert(key.clone(), text);
    }
    out
}

fn head(cx: &mut Cx<'_>, service: &Service, spec: &mut Map) {
    let mut map = Map::default();
    map.put("name", &service.name);
    map.maybe("title", service.title.as_ref());
    map.maybe("owner", service.owner.as_ref());
    map.texts("labels", &service.labels);
    spec.put_below(service.service_comments.clone(), "service", map);
    if let Some(vllm) = &service.vllm {
        let mut runtime = Map::default();
        runtime.put("vllm", vllm);
        spec.put("runtime", runtime);
    }
    let has_alerts = !service.alerts.is_empty()
        || service
            .objectives
            .iter()
            .any(|objective| !objective.tiers.is_empty());
    if !has_alerts {
        return;
    }
    let mut links = Map::default();
    let mut comments = Vec::new();
    let given = [
        ("runbooks", &cx.options.runbooks, RUNBOOKS),
        ("grafana", &cx.options.grafana, GRAFANA),
    ];
    for (key, url, default) in given {
        if url.is_none() {
            comments.push(format!(
                "`{key}` is a placeholder: pass `--{key} URL` to the import, or replace it"
            ));
        }
        links.put(key, url.as_deref().unwrap_or(default));
    }
    spec.put_below(comments, "links", links);
}

fn written(service: &Service, names: &Severities<'_>, all: &IndexMap<String, Carried>) -> Map {
    let value = |name: &str| {
        let severity = all.get(name);
        let carries = severity.filter(|s| !s.labels.is_empty() || !s.annotations.is_empty());
        let Some(severity) = carries else {
            return Value::from(name);
        };
        let mut map = Map::default();
        map.put("name", name);
        map.texts("labels", &severity.labels);
        map.texts("annotations", &severity.annotations);
        Value::Map(map)
    };
    let mut map = Map::default();
    let fields = [
        ("page", names.page, "critical"),
        ("ticket", names.ticket, "warning"),
    ];
    for (key, name, default) in fields {
        let value = value(name);
        if value != Value::from(default) {
            map.put(key, value);
        }
    }
    let of_alerts = service.alerts.iter().map(|alert| &alert.severity);
    let more: IndexSet<&String> = all.keys().chain(of_alerts).collect();
    let more = more
        .into_iter()
        .filter(|name| *name != names.page && *name != names.ticket);
    map.put("more", Value::List(more.map(|name| value(name)).collect()));
    map
}

fn prometheus(service: &Service) -> Map {
    let mut map = Map::default();
    map.texts("selector", &service.selector);
    map.put("group_by", Value::texts(&service.group_by));
    if service.is_sloth {
        map.put("compat", "sloth");
    }
    map
}

fn metadata(service: &Service, spec: &mut Map) {
    let mut map = Map::default();
    map.maybe("namespace", service.metadata.namespace.as_ref());
    map.texts("labels", &service.metadata.labels);
    map.texts("annotations", &service.metadata.annotations);
    spec.put_below(service.metadata.comments.clone(), "kubernetes", map);
}

fn slo(objective: &Objective, names: &Severities<'_>, slos: &mut Map) {
    let mut map = Map::default();
    map.maybe("title", objective.title.as_ref());
    map.maybe("description", objective.description.as_ref());
    map.put(
        "objective",
        Value::word(format!("{}%", decimal(objective.objective * 100))),
    );
    map.put("period", Value::word(objective.window));
    if let Some(sli) = &objective.sli {
        map.put("sli", sli.clone());
    }
    map.put("by", Value::texts(&objective.by));
    if let Some(burn) = tiers::burn(objective, names) {
        map.put("burn", burn);
    }
    map.maybe("alert_name", objective.alert_name.as_ref());
    map.maybe("summary", objective.summary.as_ref());
    map.maybe("runbook", objective.runbook.as_ref());
    map.maybe("owner", objective.owner.as_ref());
    map.texts("labels", &objective.labels);
    map.texts("annotations", &objective.annotations);
    let (is_lost, comments) = (objective.sli.is_none(), objective.comments.clone());
    slos.put_or_comment(is_lost, comments, &objective.name, map);
}
