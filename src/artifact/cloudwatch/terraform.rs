//! Terraform: arguments of resources as fields of the API.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::arguments::{of_alarm, of_entry};
use super::known::is_filled_in;
use crate::artifact::field::{text, word};
use crate::artifact::metric;
use crate::artifact::reader::Reader;
use crate::artifact::{Raw, Resource, ResourceKind, Role, raw};
use crate::cloudwatch::{Form, unknown};
use crate::promql::Dialect;
use crate::yaml::{Body, Node};

/// `resource`: block type → name → one block or a list of them.
pub(super) fn read(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    let all = node.get("resource").map_or(&[][..], blocks);
    for (kind, named) in all.iter().flat_map(Node::entries) {
        for (_, block) in blocks(named).iter().flat_map(Node::entries) {
            for block in blocks(block) {
                let kind = kind.text().unwrap_or_default();
                resource(reader, body, kind, block, &raw::plain(block));
            }
        }
    }
}

/// Reads one resource, of which `values` are known.
pub(super) fn resource(
    reader: &mut Reader,
    body: &Body<'_>,
    kind: &str,
    node: &Node<'_>,
    values: &Value,
) {
    match kind {
        "aws_cloudwatch_metric_alarm" | "aws_cloudwatch_composite_alarm" => {
            alarm(reader, body, node, values);
        }
        "aws_cloudwatch_dashboard" => dashboard(reader, body, node),
        _ => {}
    }
}

/// A body is a text, or an object that `jsonencode` makes one of.
fn dashboard(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    let Some(inner) = node.get("dashboard_body") else {
        return;
    };
    if inner.is_map() {
        super::dashboard(reader, body, inner);
        return;
    }
    let text = body.read(inner);
    let text = text.filter(|text| text.value.trim_start().starts_with('{'));
    text.into_iter().for_each(|text| reader.embed_board(text));
}

/// A block may be written as itself or as a list.
pub(super) fn blocks<'n, 't>(node: &'n Node<'t>) -> &'n [Node<'t>] {
    match node.is_seq() {
        true => node.items(),
        false => std::slice::from_ref(node),
    }
}

fn alarm(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, values: &Value) {
    let name = word(node, &["alarm_name"]).unwrap_or_default().to_owned();
    let criteria = node
        .get("evaluation_criteria")
        .and_then(|c| blocks(c).first());
    let criteria = criteria.and_then(|c| c.get("promql_criteria"));
    let criteria = criteria.and_then(|c| blocks(c).first());
    let query = criteria.and_then(|c| text(body, c, &["query"]));
    if let Some(query) = query.filter(|query| !is_filled_in(&query.value)) {
        let name = name.clone();
        reader.query(query, Dialect::Prometheus, Role::Alarm { name });
    }
    metric::name(reader, body, node.get("metric_name"), &name);
    for query in node.get("metric_query").map_or(&[][..], blocks) {
        for metric in query.get("metric").map_or(&[][..], blocks) {
            metric::name(reader, body, metric.get("metric_name"), &name);
        }
    }
    let mut made = Converted::default();
    let request = made.alarm(values);
    reader.artifact.resources.push(Resource {
        what: ResourceKind::Alarm,
        name,
        request,
        raw: Raw::new(body, node),
        pointers: made.pointers,
        form: Form::Terraform,
    });
}

/// Whole numbers that the provider leaves out when they are zero.
const NONE_IF_ZERO: [&str; 2] = ["Period", "DatapointsToAlarm"];

/// What comes of a conversion beside the request.
#[derive(Default)]
struct Converted {
    pointers: BTreeMap<String, String>,
}

impl Converted {
    fn alarm(&mut self, block: &Value) -> Value {
        let mut out = self.fields(block, "", "", of_alarm);
        if let Some(queries) = block.get("metric_query") {
            let entries = list(queries).into_iter().enumerate();
            let entries = entries.map(|(i, (at, entry))| {
                self.entry(
                    entry,
                    &format!("/Metrics/{i}"),
                    &format!("/metric_query{at}"),
                )
            });
            let entries: Vec<Value> = entries.collect();
            if !entries.is_empty() {
                self.put(
                    &mut out,
                    "",
                    "Metrics",
                    "/metric_query",
                    Value::Array(entries),
                );
            }
        }
        for (argument, nested) in [
            ("evaluation_criteria", "EvaluationCriteria"),
            ("warm_up_configuration", "WarmUpConfiguration"),
        ] {
            out.remove(argument);
            out.remove(nested);
            let found = block.get(argument).map(list).unwrap_or_default();
            if let Some((at, inner)) = found.first() {
                let raw = format!("/{argument}{at}");
                let value = match argument {
                    "evaluation_criteria" => self.criteria(inner, &raw),
                    _ => self.object(inner, &format!("/{nested}"), &raw),
                };
                self.put(&mut out, "", nested, &raw, value);
            }
        }
        out.remove("actions_suppressor");
        if let Some(value) = block.get("actions_suppressor") {
            self.suppressor(&mut out, value);
        }
        dynamic(block, &mut out);
        Value::Object(out)
    }

    /// Arguments of a block as fields.
    fn fields(
        &mut self,
        block: &Value,
        api: &str,
        raw: &str,
        name: fn(&str) -> Option<&str>,
    ) -> Map<String, Value> {
        let mut out = Map::new();
        for (key, value) in block.as_object().into_iter().flatten() {
            let Some(field) = name(key) else { continue };
            let from = format!("{raw}/{key}");
            let value = match field {
                "Dimensions" => self.pairs(value, "Name", &format!("{api}/{field}"), &from),
                "Tags" => self.pairs(value, "Key", &format!("{api}/{field}"), &from),
                _ => self::value(value),
            };
            let none = value == "" || value == 0 && NONE_IF_ZERO.contains(&field);
            if !none {
                self.put(&mut out, api, field, &from, value);
            }
        }
        out
    }

    /// The same of a block that may not be known.
    fn object(&mut self, block: &Value, api: &str, raw: &str) -> Value {
        match block.is_object() {
            true => Value::Object(self.fields(block, api, raw, of_alarm)),
            false => value(block),
        }
    }

    fn put(
        &mut self,
        out: &mut Map<String, Value>,
        api: &str,
        name: &str,
        raw: &str,
        value: Value,
    ) {
        self.pointers
            .insert(format!("{api}/{name}"), raw.to_owned());
        out.insert(name.to_owned(), value);
    }

    /// An entry of metric math. Whether it returns data is `false` where the API says `true`.
    fn entry(&mut self, query: &Value, api: &str, raw: &str) -> Value {
        if !query.is_object() {
            return value(query);
        }
        self.pointers.insert(api.to_owned(), raw.to_owned());
        let mut out = self.fields(query, api, raw, of_entry);
        if out.get("ReturnData").is_none_or(Value::is_null) {
            out.insert("ReturnData".to_owned(), Value::Bool(false));
        }
        out.remove("MetricStat");
        let metric = query.get("metric").map(list).unwrap_or_default();
        if let Some((at, metric)) = metric.first() {
            let metric = self.metric(
                metric,
                &format!("{api}/MetricStat"),
                &format!("{raw}/metric{at}"),
            );
            out.insert("MetricStat".to_owned(), metric);
        }
        if has_dynamic(query, "metric") && !out.contains_key("MetricStat") {
            out.insert("MetricStat".to_owned(), unknown());
        }
        Value::Object(out)
    }

    fn metric(&mut self, metric: &Value, api: &str, raw: &str) -> Value {
        if !metric.is_object() {
            return value(metric);
        }
        let mut inner = self.fields(metric, &format!("{api}/Metric"), raw, of_entry);
        let mut stat = Map::new();
        for key in ["Period", "Stat", "Unit"] {
            if let Some(value) = inner.remove(key) {
                let raw = format!("{raw}/{}", key.to_lowercase());
                self.put(&mut stat, api, key, &raw, value);
            }
        }
        self.pointers
            .insert(format!("{api}/Metric"), raw.to_owned());
        self.pointers.insert(api.to_owned(), raw.to_owned());
        stat.insert("Metric".to_owned(), Value::Object(inner));
        Value::Object(stat)
    }

    fn criteria(&mut self, block: &Value, raw: &str) -> Value {
        let inner = block.get("promql_criteria").map(list).unwrap_or_default();
        let Some((at, inner)) = inner.first() else {
            return value(block);
        };
        let raw = format!("{raw}/promql_criteria{at}");
        let fields = self.object(inner, "/EvaluationCriteria/PromQLCriteria", &raw);
        let mut criteria = Map::new();
        criteria.insert("PromQLCriteria".to_owned(), fields);
        Value::Object(criteria)
    }

    fn suppressor(&mut self, out: &mut Map<String, Value>, block: &Value) {
        let found = list(block);
        let Some((at, block)) = found.first() else {
            return;
        };
        for (ours, theirs) in SUPPRESSOR {
            let value = match block.is_object() {
                true => self::value(&block[theirs]),
                false => self::value(block),
            };
            if !value.is_null() {
                self.put(
                    out,
                    "",
                    ours,
                    &format!("/actions_suppressor{at}/{theirs}"),
                    value,
                );
            }
        }
    }

    fn pairs(&mut self, map: &Value, name: &str, api: &str, raw: &str) -> Value {
        let Some(map) = map.as_object() else {
            return value(map);
        };
        let pairs = map.iter().enumerate().map(|(i, (key, inner))| {
            self.pointers
                .insert(format!("{api}/{i}"), format!("{raw}/{key}"));
            let mut pair = Map::new();
            let key = Value::String(key.clone());
            pair.insert(name.to_owned(), value(&key));
            pair.insert("Value".to_owned(), value(inner));
            Value::Object(pair)
        });
        pairs.collect()
    }
}

/// Fields of a block that silences an alarm.
const SUPPRESSOR: [(&str, &str); 3] = [
    ("ActionsSuppressor", "alarm"),
    ("ActionsSuppressorWaitPeriod", "wait_period"),
    ("ActionsSuppressorExtensionPeriod", "extension_period"),
];

/// Blocks that an expression repeats: what they become is unknown.
fn dynamic(block: &Value, out: &mut Map<String, Value>) {
    if has_dynamic(block, "metric_query") {
        match out.get_mut("Metrics") {
            Some(Value::Array(entries)) => entries.push(unknown()),
            _ => drop(out.insert("Metrics".to_owned(), unknown())),
        }
    }
    if has_dynamic(block, "evaluation_criteria") {
        out.insert("EvaluationCriteria".to_owned(), unknown());
    }
    if has_dynamic(block, "actions_suppressor") {
        for (ours, _) in SUPPRESSOR {
            out.insert(ours.to_owned(), unknown());
        }
    }
}

fn has_dynamic(block: &Value, name: &str) -> bool {
    let all = block.get("dynamic").map(list).unwrap_or_default();
    all.iter().any(|(_, one)| one.get(name).is_some())
}

/// A value: a text with an interpolation is only known when it is applied.
fn value(value: &Value) -> Value {
    match value {
        Value::String(text) if is_template(text) => unknown(),
        Value::String(text) => Value::String(text.replace("$${", "${").replace("%%{", "%{")),
        Value::Array(items) => items.iter().map(self::value).collect(),
        Value::Object(map) => {
            let map = map
                .iter()
                .map(|(key, inner)| (key.clone(), self::value(inner)));
            Value::Object(map.collect())
        }
        other => other.clone(),
    }
}

fn is_template(text: &str) -> bool {
    is_filled_in(&text.replace("$${", "").replace("%%{", ""))
}

/// A block, or a list of them, each with its index in the pointer.
fn list(value: &Value) -> Vec<(String, &Value)> {
    match value {
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.map(|(i, item)| (format!("/{i}"), item)).collect()
        }
        Value::Null => Vec::new(),
        one => vec![(String::new(), one)],
    }
}
