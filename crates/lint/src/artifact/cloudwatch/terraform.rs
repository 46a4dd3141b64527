//! Terraform: arguments of resources as fields of the API.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::Names;
use super::arguments::{Argument, of_alarm, of_entry};
use super::known::is_filled_in;
use crate::artifact::field::{text, word};
use crate::artifact::metric;
use crate::artifact::reader::Reader;
use crate::artifact::{Raw, Resource, ResourceKind, Role, raw};
use slosmith_cloudwatch::{Fault, Form, Violation, is_unknown, unknown};
use slosmith_promql::Dialect;
use slosmith_text::diag::did_you_mean;
use slosmith_text::yaml::{Body, Node};

/// `resource`: block type → name → one block or a list of them.
pub(super) fn read(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    let all = node.get("resource").map_or(&[][..], blocks);
    let mut names = Names::default();
    for (kind, named) in all.iter().flat_map(Node::entries) {
        for (name, block) in blocks(named).iter().flat_map(Node::entries) {
            for block in blocks(block) {
                let kind = kind.text().unwrap_or_default();
                resource(reader, body, kind, block, &raw::plain(block));
                let here = ELSEWHERE.iter().all(|key| block.get(key).is_none());
                if here && ALARMS.contains(&kind) {
                    names.take(reader, name.text().unwrap_or_default(), "/alarm_name");
                }
            }
        }
    }
}

const ALARMS: [&str; 2] = [METRIC_ALARM, COMPOSITE_ALARM];
const METRIC_ALARM: &str = "aws_cloudwatch_metric_alarm";
const COMPOSITE_ALARM: &str = "aws_cloudwatch_composite_alarm";

/// Arguments by which two resources of one name are in different places, or only one of them is there.
const ELSEWHERE: [&str; 4] = ["count", "for_each", "provider", "region"];

/// Reads one resource, of which `values` are known.
pub(super) fn resource(
    reader: &mut Reader,
    body: &Body<'_>,
    kind: &str,
    node: &Node<'_>,
    values: &Value,
) {
    match kind {
        METRIC_ALARM => alarm(reader, body, node, values),
        COMPOSITE_ALARM => {
            alarm(reader, body, node, values);
            super::is_composite(reader);
        }
        "aws_cloudwatch_dashboard" => dashboard(reader, body, node, values),
        _ => {}
    }
}

/// A body is a text, or an object that `jsonencode` makes one of.
fn dashboard(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>, values: &Value) {
    let mut request = Map::new();
    let mut pointers = BTreeMap::new();
    for (field, argument) in [
        ("DashboardName", "dashboard_name"),
        ("DashboardBody", "dashboard_body"),
    ] {
        pointers.insert(format!("/{field}"), format!("/{argument}"));
        request.insert(field.to_owned(), value(&values[argument]));
    }
    reader.artifact.resources.push(Resource {
        what: ResourceKind::PutDashboard,
        name: String::new(),
        request: Value::Object(request),
        raw: Raw::new(body, node),
        pointers,
        form: Form::Terraform,
        faults: Vec::new(),
    });
    let Some(inner) = node.get("dashboard_body") else {
        return;
    };
    if inner.is_map() {
        let object = Node::new(inner.range(), inner.kind.clone());
        super::dashboard(reader, body, &object);
        return;
    }
    let text = body.read(inner);
    let text = text.filter(|text| text.value.trim_start().starts_with('{'));
    text.into_iter().for_each(|text| reader.embed_board(text));
}

/// True for the key of an argument, which has a `=` behind it; a block has none.
fn is_argument(body: &Body<'_>, key: &Node<'_>) -> bool {
    let behind = body.text().get(key.range().end..);
    behind.is_some_and(|text| text.trim_start().starts_with('='))
}

/// A block may be written as itself or as a list.
pub(in crate::artifact) fn blocks<'n, 't>(node: &'n Node<'t>) -> &'n [Node<'t>] {
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
    let queries = node.get("metric_query").map_or(&[][..], blocks);
    for query in queries {
        for metric in query.get("metric").map_or(&[][..], blocks) {
            metric::name(reader, body, metric.get("metric_name"), &name);
        }
    }
    let mut made = Converted::default();
    made.blocks(body, node, "", &BLOCKS);
    for (i, query) in queries.iter().enumerate() {
        made.blocks(body, query, &format!("/metric_query/{i}"), &["metric"]);
    }
    let request = made.alarm(values);
    reader.artifact.resources.push(Resource {
        what: ResourceKind::Alarm,
        name,
        request,
        raw: Raw::new(body, node),
        pointers: made.pointers,
        form: Form::Terraform,
        faults: made.faults,
    });
}

/// Blocks of an alarm that no release of the provider takes as arguments.
const BLOCKS: [&str; 2] = ["actions_suppressor", "metric_query"];

/// Characters of an expression that the provider takes; CloudWatch takes twice as many.
const EXPRESSION: std::ops::RangeInclusive<usize> = 1..=1024;

/// Whole numbers that the provider leaves out when they are zero.
const NONE_IF_ZERO: [&str; 2] = ["Period", "DatapointsToAlarm"];

#[derive(Default)]
struct Converted {
    pointers: BTreeMap<String, String>,
    faults: Vec<Violation>,
}

impl Converted {
    fn fault(&mut self, pointer: impl Into<String>, message: impl Into<String>) {
        self.faults.push(Violation {
            pointer: pointer.into(),
            message: message.into(),
            fault: Fault::Limit,
        });
    }

    fn blocks(&mut self, body: &Body<'_>, node: &Node<'_>, raw: &str, names: &[&str]) {
        for name in names {
            if node
                .entry(name)
                .is_some_and(|(key, _)| is_argument(body, key))
            {
                let message = format!("{name} is a block: write `{name} {{ … }}`, without `=`");
                self.fault(format!("{raw}/{name}"), message);
            }
        }
    }

    /// A block that there may be one of, with its pointer.
    fn one<'v>(&mut self, block: &'v Value, name: &str, raw: &str) -> Option<(String, &'v Value)> {
        let found = block.get(name).map(list).unwrap_or_default();
        if let Some((at, _)) = found.get(1) {
            let message = format!("only one block `{name}` is allowed; found {}", found.len());
            self.fault(format!("{raw}/{name}{at}"), message);
        }
        let (at, inner) = found.into_iter().next()?;
        Some((format!("{raw}/{name}{at}"), inner))
    }

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
        if let Some((raw, inner)) = self.one(block, "evaluation_criteria", "") {
            let criteria = self.criteria(inner, &raw);
            self.put(&mut out, "", "EvaluationCriteria", &raw, criteria);
        }
        if let Some((raw, inner)) = self.one(block, "warm_up_configuration", "") {
            let warm_up = self.object(inner, "/WarmUpConfiguration", &raw);
            self.put(&mut out, "", "WarmUpConfiguration", &raw, warm_up);
        }
        if let Some((raw, inner)) = self.one(block, "actions_suppressor", "") {
            self.suppressor(&mut out, inner, &raw);
        }
        dynamic(block, &mut out);
        Value::Object(out)
    }

    fn fields(
        &mut self,
        block: &Value,
        api: &str,
        raw: &str,
        find: fn(&str) -> Argument,
    ) -> Map<String, Value> {
        let mut out = Map::new();
        for (key, value) in block.as_object().into_iter().flatten() {
            let from = format!("{raw}/{key}");
            let field = match find(key) {
                Argument::Field(field) => field,
                Argument::Other => continue,
                Argument::Unknown(known) => {
                    let hint = did_you_mean(key, known);
                    let hint = hint.map(|hint| format!(": {hint}")).unwrap_or_default();
                    self.fault(from, format!("unknown argument {key}{hint}"));
                    continue;
                }
            };
            let value = match field {
                "Dimensions" => self.pairs(value, "Name", &format!("{api}/{field}"), &from),
                "Tags" => self.pairs(value, "Key", &format!("{api}/{field}"), &from),
                _ => self::value(value),
            };
            self.provider(field, &value, &from);
            let none = value == "" || value == 0 && NONE_IF_ZERO.contains(&field);
            if !none {
                self.put(&mut out, api, field, &from, value);
            }
        }
        out
    }

    /// Values that CloudWatch accepts and the Terraform provider rejects.
    fn provider(&mut self, field: &str, value: &Value, raw: &str) {
        let Some(text) = value.as_str() else { return };
        let count = text.chars().count();
        match field {
            "Expression" if !EXPRESSION.contains(&count) => {
                let most = EXPRESSION.end();
                let message = format!(
                    "the expression has {count} characters; the Terraform provider accepts at most {most}"
                );
                self.fault(raw, message);
            }
            "ExtendedStatistic" | "Stat" if has_three_decimals(text) => {
                let message = format!(
                    "the Terraform provider rejects `{text}`: use at most two decimal places"
                );
                self.fault(raw, message);
            }
            _ => {}
        }
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
        if let Some((raw, metric)) = self.one(query, "metric", raw) {
            let metric = self.metric(metric, &format!("{api}/MetricStat"), &raw);
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
        let Some((raw, inner)) = self.one(block, "promql_criteria", raw) else {
            return value(block);
        };
        let fields = self.object(inner, "/EvaluationCriteria/PromQLCriteria", &raw);
        let mut criteria = Map::new();
        criteria.insert("PromQLCriteria".to_owned(), fields);
        Value::Object(criteria)
    }

    fn suppressor(&mut self, out: &mut Map<String, Value>, block: &Value, raw: &str) {
        for (ours, theirs) in SUPPRESSOR {
            let value = match block.is_object() {
                true => self::value(&block[theirs]),
                false => self::value(block),
            };
            if !value.is_null() {
                self.put(out, "", ours, &format!("{raw}/{theirs}"), value);
            }
        }
    }

    fn pairs(&mut self, map: &Value, name: &str, api: &str, raw: &str) -> Value {
        let Some(map) = map.as_object() else {
            let known = value(map);
            if known.is_null() || is_unknown(&known) {
                return known;
            }
            let message = "this argument must be a map: `= { name = \"value\" }`";
            self.fault(raw, message);
            return unknown();
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

/// True for a percentile, or what else is one number, that the provider's pattern has no room for.
fn has_three_decimals(statistic: &str) -> bool {
    let number = statistic.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let decimals = number.split_once('.').map_or("", |(_, decimals)| decimals);
    number.len() < statistic.len()
        && decimals.len() > 2
        && decimals.chars().all(|c| c.is_ascii_digit())
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
