//! Pyrra: `ServiceLevelObjective` of `pyrra.dev/v1alpha1`.

use super::context::{Cx, comments_above};
use super::document::{self, Part};
use super::fields::{Fields, one_line, start};
use super::indicator::{self, Found};
use super::model::{Alert, Burn, Metadata, Objective, Pairs, Services, Tier, Urgency, plain};
use super::print::{Map, Value};
use super::query;
use super::{kubernetes, names, values};
use slosmith_plan::plan::marker::WINDOW;
use slosmith_promql::ast::{ExprKind, MatchOp, Matcher, Selector};
use slosmith_promql::{self as promql, visit};
use slosmith_spec::naming;
use slosmith_spec::spec::Text;
use slosmith_text::source::Spanned;
use slosmith_text::units::{Duration, Number, decimal};
use slosmith_text::yaml::{self, Body, Node};

/// Labels and annotations of this prefix become those of alerts.
const PREFIX: &str = "pyrra.dev/";

const METRIC_NAME: &str = "__name__";

/// Pyrra's windows for a period of 28 days: how many of each the period has, both windows, and the burn rate.
const WINDOWS: [(u64, u64, i128, bool); 4] = [
    (28 * 24, 28 * 24 * 12, 14, true),
    (28 * 4, 28 * 24 * 2, 7, true),
    (28, 28 * 12, 2, false),
    (7, 28 * 4, 1, false),
];

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
    let description = spec.filled_text(cx, "description");
    let mut indicator = Indicator::default();
    if let Some(fields) = spec.map(cx, "indicator") {
        indicator.read(cx, fields);
    }
    if indicator.found.is_none() {
        comments.push(cx.lost(at, format!("`{name}` has no indicator"), ""));
    }
    comments.append(&mut indicator.comments);
    let (sli, by) = indicator.found.take().unwrap_or_default();
    let mut found = Objective {
        description: description.map(|text| one_line(&text.value)),
        sli,
        by,
        ..Objective::new(name, at, share, window, comments)
    };
    let (metadata, marks) = metadata.split(PREFIX);
    put_marks(cx, marks, &mut found);
    let absent = alerting(cx, &mut spec, &mut found);
    let absent: Vec<Alert> = match absent {
        Some(absent) => indicator
            .absent
            .iter()
            .map(|metric| absent.alert(&found, metric))
            .collect(),
        None => Vec::new(),
    };
    // Results of `absent(…)` have them already.
    put_fixed(cx, &indicator.fixed, &mut found);
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
            "SLO `{}` renamed to `{new}`: another namespace has an SLO with the same name",
            found.name
        );
        found.comments.push(cx.changed(at, what));
        found.name = new;
    }
    kubernetes::add(cx, service, Some(metadata));
    service.alerts.extend(absent);
    service.add(cx, found);
    Some(())
}

/// Labels and annotations of alerts, from those of the resource.
fn put_marks(cx: &mut Cx<'_>, marks: Metadata, objective: &mut Objective) {
    let at = objective.at;
    let placed = |pairs: Pairs| -> Vec<(Text, Text)> {
        let pairs = pairs.into_iter();
        pairs
            .map(|(name, value)| (Text::new(name, at), Text::new(value, at)))
            .collect()
    };
    let mut comments = Vec::new();
    let mut labels = names::labels(cx, placed(marks.labels), &mut comments);
    if let Some(severity) = names::take(&mut labels, naming::SEVERITY) {
        let what =
            format!("label `severity: {severity}`: the alerts use the severities of `alerting`");
        comments.push(cx.lost(at, what, ""));
    }
    let mut labels = plain(&labels);
    objective.owner = names::take_owner(&mut labels);
    let annotations = placed(marks.annotations);
    names::put_annotations(cx, &annotations, &labels, objective, &mut comments);
    objective.labels = labels;
    objective.comments.extend(comments);
}

/// Labels of alerts that have one value in all events; Pyrra prefers them to those of the resource.
fn put_fixed(cx: &mut Cx<'_>, fixed: &[(Text, Text)], objective: &mut Objective) {
    let is_free = |(name, _): &&(Text, Text)| !objective.by.contains(&name.value);
    let fixed = fixed.iter().filter(is_free).cloned().collect();
    let mut labels = names::labels(cx, fixed, &mut objective.comments);
    // The alerts have a severity and an owner of their own.
    labels.retain(|(name, _)| ![naming::SEVERITY, naming::OWNER].contains(&name.value.as_str()));
    objective.labels.extend(plain(&labels));
}

struct Metric {
    text: yaml::Text,
    selector: Selector,
}

/// A metric for which Pyrra has an alert on its absence.
struct Watched {
    metric: String,
    /// What its events are, if they are not all.
    part: &'static str,
}

#[derive(Default)]
struct Indicator {
    found: Option<Found>,
    by: Vec<String>,
    fixed: Vec<(Text, Text)>,
    absent: Vec<Watched>,
    comments: Vec<String>,
}

impl Indicator {
    fn read(&mut self, cx: &mut Cx<'_>, mut fields: Fields<'_>) {
        for kind in ["ratio", "latency", "latencyNative", "bool_gauge"] {
            // Pyrra uses one indicator: a second one is reported.
            if self.found.is_some() {
                break;
            }
            let Some(mut indicator) = fields.map(cx, kind) else {
                continue;
            };
            self.by = indicator.texts(cx, "grouping");
            self.found = match kind {
                "ratio" => self.events(cx, &mut indicator, "bad", "errors"),
                "latency" => self.events(cx, &mut indicator, "good", "success"),
                "latencyNative" => self.native(cx, &mut indicator),
                _ => self.gauge(cx, &mut indicator),
            };
            self.comments.extend(indicator.finish(cx));
        }
        self.comments.extend(fields.finish(cx));
    }

    fn events(
        &mut self,
        cx: &mut Cx<'_>,
        fields: &mut Fields<'_>,
        part: &'static str,
        key: &'static str,
    ) -> Option<Found> {
        let [events, total] = [key, "total"].map(|key| metric_in(cx, fields, key));
        let (events, total) = (events?, total?);
        self.fixed = total.fixed();
        self.watch(&total, "");
        if events.name() != total.name() {
            self.watch(&events, key);
        }
        let read = [&events, &total].map(|metric| {
            let query = self.sum("rate", metric);
            query::check(cx, query, &metric.text)
        });
        Some(self.ratio(cx, part, read))
    }

    /// A native histogram, for which Pyrra has no alert on its absence.
    fn native(&mut self, cx: &mut Cx<'_>, fields: &mut Fields<'_>) -> Option<Found> {
        let latency = fields.required(cx, "latency");
        let total = metric_in(cx, fields, "total");
        let (latency, total) = (latency?, total?);
        let Some(length) = promql::ast::Duration::parse(latency.value.trim()) else {
            let message = format!("`{latency}` is not a duration");
            cx.error("wrong-type", latency.span, message);
            return None;
        };
        let seconds = decimal(Number::new(length.millis.into(), 1000));
        self.fixed = total.fixed();
        let rate = self.sum("rate", &total);
        let good = format!("histogram_fraction(0, {seconds}, {rate}) * histogram_count({rate})");
        let all = format!("histogram_count({rate})");
        let read = [good, all].map(|text| query::check(cx, text, &total.text));
        Some(self.ratio(cx, "good", read))
    }

    /// A gauge that is 1 while all is well: each sample is an event.
    fn gauge(&mut self, cx: &mut Cx<'_>, fields: &mut Fields<'_>) -> Option<Found> {
        let metric = metric(cx, fields)?;
        self.fixed = metric.fixed();
        self.watch(&metric, "");
        let read = ["sum_over_time", "count_over_time"].map(|function| {
            let query = self.sum(function, &metric);
            query::check(cx, query, &metric.text)
        });
        Some(self.ratio(cx, "good", read))
    }

    /// `sum by (a) (rate(metric[$window]))`
    fn sum(&self, function: &str, metric: &Metric) -> String {
        let by = match self.by.as_slice() {
            [] => String::new(),
            by => format!(" by ({}) ", by.join(", ")),
        };
        format!("sum{by}({function}({}[{WINDOW}]))", metric.trimmed())
    }

    fn ratio(
        &mut self,
        cx: &mut Cx<'_>,
        part: &'static str,
        read: [Result<query::Query, String>; 2],
    ) -> Found {
        match read {
            [Ok(events), Ok(total)] => {
                indicator::events_of_all(cx, (part, events), total, &mut self.comments)
            }
            read => {
                self.comments
                    .extend(read.into_iter().filter_map(Result::err));
                Found::default()
            }
        }
    }

    fn watch(&mut self, metric: &Metric, part: &'static str) {
        let metric = metric.trimmed().to_owned();
        self.absent.push(Watched { metric, part });
    }
}

fn metric_in(cx: &mut Cx<'_>, fields: &mut Fields<'_>, key: &str) -> Option<Metric> {
    let mut inner = fields.required_map(cx, key)?;
    let found = metric(cx, &mut inner);
    inner.finish(cx);
    found
}

fn metric(cx: &mut Cx<'_>, fields: &mut Fields<'_>) -> Option<Metric> {
    let text = fields.required_query(cx, "metric")?;
    let expr = match promql::parse(&text.value) {
        Ok(expr) => expr,
        Err(error) => {
            let message = format!("invalid PromQL: {}", error.message);
            cx.error("bad-promql", text.map.span(error.span), message);
            return None;
        }
    };
    let ExprKind::Selector(selector) = &visit::bare(&expr).kind else {
        let message = "`metric` must be a selector: a metric name, with or without matchers";
        cx.error("bad-promql", text.span(), message);
        return None;
    };
    let selector = Selector::clone(selector);
    Some(Metric { text, selector })
}

impl Metric {
    fn trimmed(&self) -> &str {
        self.text.value.trim()
    }

    fn name(&self) -> Option<&str> {
        let name = self.selector.metric.as_ref().map(|name| &*name.text);
        let mut matchers = self.selector.matchers.iter();
        name.or_else(|| Some(&*matchers.find(|m| m.label.text == METRIC_NAME)?.value.value))
    }

    fn fixed(&self) -> Vec<(Text, Text)> {
        let at = self.text.span();
        let matchers = self.selector.matchers.iter();
        let equal = matchers.filter(|m| m.op == MatchOp::Equal && m.label.text != METRIC_NAME);
        let pair = |m: &Matcher| {
            (
                Text::new(m.label.text.clone(), at),
                Text::new(m.value.value.clone(), at),
            )
        };
        equal.map(pair).collect()
    }
}

struct Absent {
    name: Option<String>,
    severity: String,
}

/// Reads `alerting`; returns the alert on absent metrics, unless it is off.
fn alerting(cx: &mut Cx<'_>, spec: &mut Fields<'_>, objective: &mut Objective) -> Option<Absent> {
    let mut absent = Absent {
        name: None,
        severity: "critical".to_owned(),
    };
    let (mut has_burn_rates, mut has_absent) = (true, true);
    let mut severities = ["critical", "critical", "warning", "warning"].map(str::to_owned);
    if let Some(mut alerting) = spec.map(cx, "alerting") {
        let mut comments = Vec::new();
        // As in Pyrra, `disabled` is of burn rates alone.
        let is_disabled = alerting.is_true(cx, "disabled");
        let is_wanted = |said: Option<Spanned<bool>>| said.is_none_or(|said| said.value);
        has_burn_rates = is_wanted(alerting.bool(cx, "burnrates")) && !is_disabled;
        has_absent = is_wanted(alerting.bool(cx, "absent"));
        let mut name = |cx: &mut Cx<'_>, key: &str| {
            let name = alerting.filled_text(cx, key)?;
            Some(names::alert(cx, &name, &mut comments))
        };
        objective.alert_name = name(cx, "name");
        absent.name = name(cx, "absentName");
        if let Some(own) = alerting.map(cx, "severities") {
            comments.extend(urgencies(cx, own, &mut severities, &mut absent));
        }
        comments.extend(alerting.finish(cx));
        objective.comments.extend(comments);
    }
    if has_burn_rates {
        objective.tiers = tiers(objective.window);
        let [page, _, ticket, _] = severities;
        let urgency = |severity: String| {
            Some(Urgency {
                severity: Some(severity),
                ..Urgency::default()
            })
        };
        (objective.page, objective.ticket) = (urgency(page), urgency(ticket));
        let what = "no `for` on burn-rate alerts: the short window has this role";
        let comment = cx.changed(objective.at, what);
        objective.comments.push(comment);
        let what = "labels `short`, `long` and `exhaustion` of the burn-rate alerts";
        let comment = cx.lost(
            objective.at,
            what,
            "use the label `tier`, which holds the long window",
        );
        objective.comments.push(comment);
    }
    has_absent.then_some(absent)
}

fn urgencies(
    cx: &mut Cx<'_>,
    mut fields: Fields<'_>,
    severities: &mut [String; 4],
    absent: &mut Absent,
) -> Vec<String> {
    let mut comments = Vec::new();
    let keys = [
        "fastBurn",
        "mediumBurn",
        "slowBurn",
        "longTermBurn",
        "absent",
    ];
    let places = severities.iter_mut().chain([&mut absent.severity]);
    for (key, severity) in keys.into_iter().zip(places) {
        if let Some(text) = fields.filled_text(cx, key) {
            *severity = names::severity(cx, &text, &mut comments);
        }
    }
    if severities[0] != severities[1] || severities[2] != severities[3] {
        let what = format!(
            "four severities: slosmith has two; fast and medium alerts get `{}`, slow alerts `{}`",
            severities[0], severities[2]
        );
        comments.push(cx.lost(start(fields.span()), what, ""));
    }
    comments.extend(fields.finish(cx));
    comments
}

/// Pyrra's tiers, which are in proportion to the period, rounded to minutes.
fn tiers(period: Duration) -> Vec<Tier> {
    let part = |parts: u64| part(period, parts);
    let tier = |(long, short, factor, is_page): (u64, u64, i128, bool)| Tier {
        burn: Burn::Factor(Number::from_integer(factor)),
        long: part(long),
        short: part(short),
        is_page,
        at: None,
    };
    WINDOWS.map(tier).into()
}

/// One of some parts of a period, rounded to minutes.
fn part(period: Duration, parts: u64) -> Duration {
    Duration::from_mins((period.as_secs() + 30 * parts) / (60 * parts))
}

/// How long metrics may be absent: as long as the fastest tier would take without a good event, and its holding time.
fn patience(objective: &Objective) -> Duration {
    let [long, hold] = [28 * 24, 28 * 24 * 30].map(|parts| part(objective.window, parts).as_secs());
    let budget = Number::from_integer(1) - objective.objective;
    let burnt = (budget * 14 * i128::from(long)).to_integer();
    let seconds = u64::try_from(burnt).unwrap_or_default() + hold;
    Duration::from_mins(((seconds + 30) / 60).max(1))
}

impl Absent {
    /// As an alert of its own, after as long as Pyrra waits.
    fn alert(&self, objective: &Objective, watched: &Watched) -> Alert {
        let name = naming::pascal(&format!("{}-{}", objective.name, watched.part));
        let name = match &self.name {
            Some(own) => format!("{own}-{name}"),
            None => format!("{name}MetricAbsent"),
        };
        let mut fields = Map::default();
        fields.put("severity", &self.severity);
        let mut when = Map::default();
        when.put("promql", &format!("absent({})", watched.metric));
        when.put("above", Value::word(0));
        fields.put("when", when);
        fields.put("for", Value::word(patience(objective)));
        let summary = match watched.part {
            "" => format!("{} has no data", objective.name),
            part => format!("the {part} metric of {} has no data", objective.name),
        };
        fields.put("summary", &summary);
        fields.maybe("owner", objective.owner.as_ref());
        fields.maybe("runbook", objective.runbook.as_ref());
        fields.texts("labels", &objective.labels);
        fields.texts("annotations", &objective.annotations);
        Alert {
            name: names::clean(&name, false),
            at: objective.at,
            severity: self.severity.clone(),
            comments: Vec::new(),
            fields,
            is_lost: false,
        }
    }
}
