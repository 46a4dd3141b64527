//! Pyrra: `ServiceLevelObjective` of `pyrra.dev/v1alpha1`.

use super::context::{Cx, comments_above};
use super::document::{self, Part};
use super::fields::{Fields, start};
use super::indicator::{self, Found};
use super::model::{Alert, Burn, Objective, Pairs, Services, Tier, Urgency};
use super::print::{Map, Value};
use super::query;
use super::{kubernetes, names, values};
use crate::naming;
use crate::plan::marker::WINDOW;
use crate::promql::{self, ast::ExprKind, visit};
use crate::spec::Text;
use crate::units::{Duration, Number};
use crate::yaml::{Body, Node};

/// Labels and annotations of this prefix become those of alerts.
const PREFIX: &str = "pyrra.dev/";

/// Pyrra's windows for a period of 28 days: how many of each the period has, both windows, and the burn rate.
const WINDOWS: [(u64, u64, i128, bool); 4] = [
    (28 * 24, 28 * 24 * 12, 14, true),
    (28 * 4, 28 * 24 * 2, 7, true),
    (28, 28 * 12, 2, false),
    (7, 28 * 4, 1, false),
];

/// Reads a document, if it is one of Pyrra's.
pub(super) fn read(
    cx: &mut Cx<'_>,
    services: &mut Services,
    body: &Body<'_>,
    root: &Node<'_>,
) -> Part {
    let is_pyrra = document::says(root, "apiVersion").is_some_and(|v| v.starts_with(PREFIX));
    if !is_pyrra || document::says(root, "kind") != Some("ServiceLevelObjective") {
        return Part::Other;
    }
    if let Some(fields) = Fields::of(cx, body, root, "") {
        objective(cx, services, fields);
    }
    Part::Read
}

fn objective(cx: &mut Cx<'_>, services: &mut Services, mut fields: Fields<'_>) -> Option<()> {
    let mut comments = comments_above(fields.body.text(), fields.start());
    fields.skip(&["apiVersion", "kind", "status"]);
    let named = fields.required_map(cx, "metadata")?.required(cx, "name")?;
    let metadata = kubernetes::metadata(cx, &mut fields)?;
    let at = named.span;
    let name = names::lower(cx, &named, &mut comments);
    let mut spec = fields.required_map(cx, "spec")?;
    let target = spec.required(cx, "target")?;
    let share = values::share(cx, &target, 100)?;
    let window = spec.required(cx, "window")?;
    let window = values::duration(cx, &window)?;
    let description = spec.text(cx, "description");
    let mut totals = Vec::new();
    let (sli, by) = match spec.map(cx, "indicator") {
        Some(indicator) => sli(cx, indicator, &mut totals, &mut comments),
        None => (None, Vec::new()),
    };
    if sli.is_none() && totals.is_empty() {
        comments.push(cx.lost(at, format!("`{name}` has no indicator"), ""));
    }
    let mut found = Objective {
        description: description.map(|text| one_text(&text.value)),
        sli,
        by,
        ..Objective::new(name, at, share, window, comments)
    };
    let (metadata, marks) = metadata.split(PREFIX);
    found.labels = own_labels(cx, marks.labels, at, &mut found);
    let marks = marks.annotations.into_iter();
    let marks = marks.map(|(name, value)| (Text::new(name, at), Text::new(value, at)));
    let mut comments = Vec::new();
    let fixed = found.labels.clone();
    let marks: Vec<_> = marks.collect();
    names::put_annotations(cx, &marks, &fixed, &mut found, &mut comments);
    found.comments.extend(comments);
    let absent = alerting(cx, &mut spec, &mut found);
    let more = spec.finish(cx);
    found.comments.extend(more);
    let more = fields.finish(cx);
    found.comments.extend(more);
    let service = cx.options.service.clone();
    let service = service.unwrap_or_else(|| found.name.clone());
    let service = services.entry(&service);
    let same = |other: &Objective| other.name == found.name;
    if let Some(namespace) = metadata
        .namespace()
        .filter(|_| service.objectives.iter().any(same))
    {
        let new = names::clean(&format!("{}-{namespace}", found.name), true);
        let what = format!(
            "`{}` is `{new}` here: another namespace has one of its name",
            found.name
        );
        found.comments.push(cx.changed(at, what));
        found.name = new;
    }
    kubernetes::add(cx, service, Some(metadata));
    if let Some(absent) = absent {
        for (number, total) in totals.iter().enumerate() {
            let alert = absent.alert(&found, total, number);
            service.push(cx, alert);
        }
    }
    service.add(cx, found);
    Some(())
}

fn one_text(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Labels of alerts, with names that a spec can have.
fn own_labels(
    cx: &mut Cx<'_>,
    labels: Pairs,
    at: crate::source::Span,
    objective: &mut Objective,
) -> Pairs {
    let pairs = labels.into_iter();
    let pairs = pairs.map(|(name, value)| (Text::new(name, at), Text::new(value, at)));
    let mut labels = names::labels(cx, pairs.collect(), &mut objective.comments);
    if let Some(severity) = names::take(&mut labels, naming::SEVERITY) {
        let what = format!("the label `severity: {severity}`: the alerts have those of `alerting`");
        let comment = cx.lost(at, what, "");
        objective.comments.push(comment);
    }
    let mut labels = super::model::plain(&labels);
    objective.owner = names::take_owner(&mut labels);
    labels
}

/// The indicator; the metrics of all events go to `totals`.
fn sli(
    cx: &mut Cx<'_>,
    mut fields: Fields<'_>,
    totals: &mut Vec<String>,
    comments: &mut Vec<String>,
) -> Found {
    let mut found = (None, Vec::new());
    for kind in ["ratio", "latency", "latencyNative", "bool_gauge"] {
        let Some(mut indicator) = fields.map(cx, kind) else {
            continue;
        };
        let grouping: Vec<_> = indicator.list(cx, "grouping").iter().collect();
        let by: Vec<String> = grouping
            .iter()
            .filter_map(|node| Some(node.text()?.to_owned()))
            .collect();
        found = match kind {
            "ratio" => events(cx, &mut indicator, ("bad", "errors"), &by, totals, comments),
            "latency" => events(
                cx,
                &mut indicator,
                ("good", "success"),
                &by,
                totals,
                comments,
            ),
            "latencyNative" => native(cx, &mut indicator, &by, totals, comments),
            _ => gauge(cx, &mut indicator, &by, totals, comments),
        };
        comments.extend(indicator.finish(cx));
    }
    comments.extend(fields.finish(cx));
    found
}

/// The metric in a field: a selector.
fn metric(
    cx: &mut Cx<'_>,
    fields: &mut Fields<'_>,
    key: Option<&str>,
) -> Option<crate::yaml::Text> {
    let text = match key {
        None => fields.query(cx, "metric"),
        Some(key) => {
            let mut inner = fields.map(cx, key)?;
            let text = inner.query(cx, "metric");
            inner.finish(cx);
            text
        }
    }?;
    let expr = match promql::parse(&text.value) {
        Ok(expr) => expr,
        Err(error) => {
            let message = format!("this is not PromQL: {}", error.message);
            cx.error("bad-promql", text.map.span(error.span), message);
            return None;
        }
    };
    if !matches!(visit::bare(&expr).kind, ExprKind::Selector(_)) {
        cx.error(
            "bad-promql",
            text.span(),
            "this must be a selector: a metric, with or without matchers",
        );
        return None;
    }
    Some(text)
}

/// `sum by (a) (rate(metric[$window]))`
fn sum(function: &str, metric: &str, by: &[String]) -> String {
    let by = match by {
        [] => String::new(),
        by => format!(" by ({}) ", by.join(", ")),
    };
    format!("sum{by}({function}({}[{WINDOW}]))", metric.trim())
}

fn events(
    cx: &mut Cx<'_>,
    fields: &mut Fields<'_>,
    (part, key): (&'static str, &str),
    by: &[String],
    totals: &mut Vec<String>,
    comments: &mut Vec<String>,
) -> Found {
    let (events, total) = (
        metric(cx, fields, Some(key)),
        metric(cx, fields, Some("total")),
    );
    let (Some(events), Some(total)) = (events, total) else {
        return (None, Vec::new());
    };
    totals.push(total.value.trim().to_owned());
    let read = [&events, &total].map(|text| query::check(cx, sum("rate", &text.value, by), text));
    ratio(cx, part, read, comments)
}

fn ratio(
    cx: &mut Cx<'_>,
    part: &'static str,
    read: [Result<query::Query, String>; 2],
    comments: &mut Vec<String>,
) -> Found {
    match read {
        [Ok(events), Ok(total)] => indicator::events_of_all(cx, (part, events), total, comments),
        read => {
            comments.extend(read.into_iter().filter_map(Result::err));
            (None, Vec::new())
        }
    }
}

/// A native histogram.
fn native(
    cx: &mut Cx<'_>,
    fields: &mut Fields<'_>,
    by: &[String],
    totals: &mut Vec<String>,
    comments: &mut Vec<String>,
) -> Found {
    let latency = fields.required(cx, "latency");
    let (Some(total), Some(latency)) = (metric(cx, fields, Some("total")), latency) else {
        return (None, Vec::new());
    };
    let quantity: Result<crate::units::Quantity, _> = latency.value.parse();
    let seconds = quantity
        .ok()
        .and_then(|q| q.of(crate::units::Unit::Seconds, false).ok());
    let Some(seconds) = seconds else {
        cx.error(
            "wrong-type",
            latency.span,
            format!("`{latency}` is not a length of time"),
        );
        return (None, Vec::new());
    };
    totals.push(total.value.trim().to_owned());
    let rate = sum("rate", &total.value, by);
    let seconds = crate::units::decimal(seconds);
    let good = format!("histogram_fraction(0, {seconds}, {rate}) * histogram_count({rate})");
    let all = format!("histogram_count({rate})");
    let read = [good, all].map(|text| query::check(cx, text, &total));
    ratio(cx, "good", read, comments)
}

/// A gauge that is 1 while all is well: each sample is an event.
fn gauge(
    cx: &mut Cx<'_>,
    fields: &mut Fields<'_>,
    by: &[String],
    totals: &mut Vec<String>,
    comments: &mut Vec<String>,
) -> Found {
    let Some(text) = metric(cx, fields, None) else {
        return (None, Vec::new());
    };
    totals.push(text.value.trim().to_owned());
    let read = ["sum_over_time", "count_over_time"]
        .map(|function| query::check(cx, sum(function, &text.value, by), &text));
    ratio(cx, "good", read, comments)
}

/// The alert for metrics that are gone.
struct Absent {
    name: Option<String>,
    severity: String,
}

/// Reads `alerting`; gives back the alert for metrics that are gone, unless it is off.
fn alerting(cx: &mut Cx<'_>, spec: &mut Fields<'_>, objective: &mut Objective) -> Option<Absent> {
    let mut absent = Some(Absent {
        name: None,
        severity: "critical".to_owned(),
    });
    let mut has_burn_rates = true;
    let mut severities = ["critical", "critical", "warning", "warning"].map(str::to_owned);
    if let Some(mut alerting) = spec.map(cx, "alerting") {
        let mut comments = Vec::new();
        if alerting.is_true(cx, "disabled") {
            (absent, has_burn_rates) = (None, false);
        }
        has_burn_rates &= alerting.bool(cx, "burnrates").is_none_or(|said| said.value);
        let is_wanted = alerting.bool(cx, "absent").is_none_or(|said| said.value);
        absent = absent.filter(|_| is_wanted);
        if let Some(name) = alerting.text(cx, "name") {
            objective.alert_name = Some(names::alert(cx, &name, &mut comments));
        }
        let name = alerting.text(cx, "absentName");
        if let (Some(name), Some(absent)) = (name, &mut absent) {
            absent.name = Some(names::alert(cx, &name, &mut comments));
        }
        if let Some(mut own) = alerting.map(cx, "severities") {
            let keys = ["fastBurn", "mediumBurn", "slowBurn", "longTermBurn"];
            for (key, severity) in keys.into_iter().zip(&mut severities) {
                if let Some(text) = own.text(cx, key) {
                    *severity = names::severity(cx, &text, &mut comments);
                }
            }
            if let (Some(text), Some(absent)) = (own.text(cx, "absent"), &mut absent) {
                absent.severity = names::severity(cx, &text, &mut comments);
            }
            if severities[0] != severities[1] || severities[2] != severities[3] {
                let what = format!(
                    "four severities: the fast and medium alerts have `{}` here, the slow ones `{}`",
                    severities[0], severities[2]
                );
                comments.push(cx.lost(start(own.span()), what, ""));
            }
            comments.extend(own.finish(cx));
        }
        comments.extend(alerting.finish(cx));
        objective.comments.extend(comments);
    }
    if has_burn_rates {
        objective.tiers = tiers(objective.window);
        let urgency = |severity: &str| {
            Some(Urgency {
                severity: Some(severity.to_owned()),
                ..Urgency::default()
            })
        };
        (objective.page, objective.ticket) = (urgency(&severities[0]), urgency(&severities[2]));
        let what = "burn-rate alerts have no holding time: the short window does its work";
        let comment = cx.changed(objective.at, what);
        objective.comments.push(comment);
    }
    absent
}

/// Pyrra's tiers, which are in proportion to the period, rounded to minutes.
fn tiers(period: Duration) -> Vec<Tier> {
    let part = |parts: u64| {
        let minutes = (period.as_secs() + 30 * parts) / (60 * parts);
        Duration::from_mins(minutes)
    };
    let tier = |(long, short, factor, is_page): (u64, u64, i128, bool)| Tier {
        burn: Burn::Factor(Number::from_integer(factor)),
        long: part(long),
        short: part(short),
        is_page,
        at: None,
    };
    WINDOWS.map(tier).into()
}

/// How long metrics may be gone: as long as the fastest tier would take without a good event, and its holding time.
fn patience(objective: &Objective) -> Duration {
    let [long, hold] = [28 * 24, 28 * 24 * 30].map(|parts| objective.window.as_secs() / parts);
    let budget = Number::from_integer(1) - objective.objective;
    let burnt = (budget * 14 * i128::from(long)).to_integer();
    let seconds = u64::try_from(burnt).unwrap_or_default() + hold;
    Duration::from_mins(((seconds + 30) / 60).max(1))
}

impl Absent {
    /// As an alert of its own, after as long as Pyrra waits.
    fn alert(&self, objective: &Objective, total: &str, number: usize) -> Alert {
        let default = format!("{}MetricAbsent", naming::pascal(&objective.name));
        let name = self
            .name
            .as_ref()
            .map(|name| format!("{name}-{}", objective.name));
        let mut name = name.unwrap_or(default);
        if number > 0 {
            name.push_str(&number.to_string());
        }
        let mut fields = Map::default();
        fields.put("severity", &self.severity);
        let mut when = Map::default();
        when.put("promql", &format!("absent({total})"));
        when.put("above", Value::word(0));
        fields.put("when", when);
        fields.put("for", Value::word(patience(objective)));
        fields.put("summary", &format!("{} has no data", objective.name));
        fields.maybe("owner", objective.owner.as_ref());
        fields.maybe("runbook", objective.runbook.as_ref());
        fields.texts("labels", &objective.labels);
        fields.texts("annotations", &objective.annotations);
        Alert {
            name,
            at: objective.at,
            severity: self.severity.clone(),
            comments: Vec::new(),
            fields,
            is_lost: false,
        }
    }
}
