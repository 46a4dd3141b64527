//! Terraform JSON: arguments of resources as fields of the API.

use serde_json::{Map, Value};

use crate::artifact::field::{text, word};
use crate::artifact::metric;
use crate::artifact::reader::Reader;
use crate::artifact::{Raw, Resource, ResourceKind, Role};
use crate::promql::Dialect;
use crate::yaml::{Body, Node};

/// `resource`: block type → name → one block or a list of them.
pub(super) fn read(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    for (kind, named) in node.get("resource").map_or(&[][..], Node::entries) {
        for (_, block) in named.entries() {
            for block in blocks(block) {
                match kind.text() {
                    Some("aws_cloudwatch_metric_alarm" | "aws_cloudwatch_composite_alarm") => {
                        alarm(reader, body, block);
                    }
                    Some("aws_cloudwatch_dashboard") => {
                        let inner = text(body, block, &["dashboard_body"]);
                        inner.into_iter().for_each(|inner| reader.embed(inner));
                    }
                    _ => {}
                }
            }
        }
    }
}

/// A block may be written as itself or as a list.
fn blocks<'n, 't>(node: &'n Node<'t>) -> &'n [Node<'t>] {
    match node.is_seq() {
        true => node.items(),
        false => std::slice::from_ref(node),
    }
}

fn alarm(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    let name = word(node, &["alarm_name"]).unwrap_or_default().to_owned();
    let criteria = node
        .get("evaluation_criteria")
        .and_then(|c| blocks(c).first());
    let criteria = criteria.and_then(|c| c.get("promql_criteria"));
    let criteria = criteria.and_then(|c| blocks(c).first());
    if let Some(query) = criteria.and_then(|c| text(body, c, &["query"])) {
        let name = name.clone();
        reader.query(query, Dialect::Prometheus, Role::Alarm { name });
    }
    metric::name(reader, body, node.get("metric_name"), &name);
    for query in node.get("metric_query").map_or(&[][..], blocks) {
        for metric in query.get("metric").map_or(&[][..], blocks) {
            metric::name(reader, body, metric.get("metric_name"), &name);
        }
    }
    let raw = Raw::new(body, node);
    let mut made = Converted::default();
    let mut request = made.fields(&raw.value(), "", "");
    super::numbers(&mut request);
    reader.artifact.resources.push(Resource {
        what: ResourceKind::Alarm,
        name,
        request,
        raw,
        pointers: made.pointers,
        unknown: made.unknown,
        lenient: true,
    });
}

/// What comes of a conversion beside the request.
#[derive(Default)]
struct Converted {
    pointers: Vec<(String, String)>,
    unknown: Vec<String>,
}

impl Converted {
    /// Arguments of a block as fields.
    fn fields(&mut self, block: &Value, api: &str, raw: &str) -> Value {
        let mut out = Map::new();
        for (key, value) in block.as_object().into_iter().flatten() {
            let from = format!("{raw}/{key}");
            // What manages the resource is no field of it.
            if [
                "//",
                "depends_on",
                "count",
                "for_each",
                "lifecycle",
                "provider",
                "region",
            ]
            .contains(&key.as_str())
            {
                continue;
            }
            match key.as_str() {
                "metric_query" => {
                    let entries = list(value).into_iter().enumerate().map(|(i, (at, entry))| {
                        self.entry(entry, &format!("{api}/Metrics/{i}"), &format!("{from}{at}"))
                    });
                    let entries = entries.collect();
                    self.put(&mut out, api, "Metrics", &from, entries);
                }
                "evaluation_criteria" => self.criteria(&mut out, value, &from),
                "actions_suppressor" => self.suppressor(&mut out, value, &from),
                "dimensions" => {
                    let pairs = self.pairs(value, "Name", &format!("{api}/Dimensions"), &from);
                    self.put(&mut out, api, "Dimensions", &from, pairs);
                }
                "tags" => {
                    let pairs = self.pairs(value, "Key", &format!("{api}/Tags"), &from);
                    self.put(&mut out, api, "Tags", &from, pairs);
                }
                key => {
                    let name = field(key);
                    let value = self.value(value, &format!("{api}/{name}"));
                    self.put(&mut out, api, &name, &from, value);
                }
            }
        }
        Value::Object(out)
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
            .push((format!("{api}/{name}"), raw.to_owned()));
        out.insert(name.to_owned(), value);
    }

    /// An entry of metric math. Whether it returns data is `false` where the API says `true`.
    fn entry(&mut self, query: &Value, api: &str, raw: &str) -> Value {
        let mut fields = query.as_object().cloned().unwrap_or_default();
        let metric = fields.remove("metric");
        self.pointers.push((api.to_owned(), raw.to_owned()));
        let mut out = self.fields(&Value::Object(fields), api, raw);
        if out.get("ReturnData").is_none() {
            out["ReturnData"] = Value::Bool(false);
        }
        if let Some(metric) = metric {
            let found = list(&metric);
            let Some((at, metric)) = found.first() else {
                return out;
            };
            let raw = format!("{raw}/metric{at}");
            let api = format!("{api}/MetricStat");
            let mut inner = self.fields(metric, &format!("{api}/Metric"), &raw);
            let mut stat = Map::new();
            for key in ["Period", "Stat", "Unit"] {
                if let Some(value) = inner.as_object_mut().and_then(|m| m.remove(key)) {
                    self.put(
                        &mut stat,
                        &api,
                        key,
                        &format!("{raw}/{}", key.to_lowercase()),
                        value,
                    );
                }
            }
            self.pointers.push((format!("{api}/Metric"), raw.clone()));
            self.pointers.push((api, raw));
            stat.insert("Metric".to_owned(), inner);
            out["MetricStat"] = Value::Object(stat);
        }
        out
    }

    fn criteria(&mut self, out: &mut Map<String, Value>, value: &Value, raw: &str) {
        let outer = list(value);
        let inner = outer.first().map(|(at, c)| (at, &c["promql_criteria"]));
        let mut criteria = Map::new();
        if let Some((at, inner)) = inner
            && let Some((more, inner)) = list(inner).first()
        {
            let raw = format!("{raw}{at}/promql_criteria{more}");
            let api = "/EvaluationCriteria/PromQLCriteria";
            let fields = self.fields(inner, api, &raw);
            criteria.insert("PromQLCriteria".to_owned(), fields);
        }
        self.put(out, "", "EvaluationCriteria", raw, Value::Object(criteria));
    }

    fn suppressor(&mut self, out: &mut Map<String, Value>, value: &Value, raw: &str) {
        let found = list(value);
        let Some((at, block)) = found.first() else {
            return;
        };
        for (ours, theirs) in [
            ("ActionsSuppressor", "alarm"),
            ("ActionsSuppressorWaitPeriod", "wait_period"),
            ("ActionsSuppressorExtensionPeriod", "extension_period"),
        ] {
            if !block[theirs].is_null() {
                let value = self.value(&block[theirs], &format!("/{ours}"));
                self.put(out, "", ours, &format!("{raw}{at}/{theirs}"), value);
            }
        }
    }

    fn pairs(&mut self, map: &Value, name: &str, api: &str, raw: &str) -> Value {
        let Some(map) = map.as_object() else {
            self.unknown.push(api.to_owned());
            return map.clone();
        };
        let pairs = map.iter().enumerate().map(|(i, (key, value))| {
            self.pointers
                .push((format!("{api}/{i}"), format!("{raw}/{key}")));
            let mut pair = Map::new();
            pair.insert(name.to_owned(), Value::String(key.clone()));
            let value = self.value(value, &format!("{api}/{i}/Value"));
            pair.insert("Value".to_owned(), value);
            Value::Object(pair)
        });
        pairs.collect()
    }

    /// A value: a text with an interpolation is only known when it is applied.
    fn value(&mut self, value: &Value, api: &str) -> Value {
        match value {
            Value::String(text) if is_template(text) => {
                self.unknown.push(api.to_owned());
                value.clone()
            }
            Value::String(text) => Value::String(text.replace("$${", "${").replace("%%{", "%{")),
            Value::Array(items) => {
                let items = items.iter().enumerate();
                items
                    .map(|(i, v)| self.value(v, &format!("{api}/{i}")))
                    .collect()
            }
            other => other.clone(),
        }
    }
}

fn is_template(text: &str) -> bool {
    let plain = text.replace("$${", "").replace("%%{", "");
    plain.contains("${") || plain.contains("%{")
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

/// `alarm_name` → `AlarmName`.
fn field(argument: &str) -> String {
    match argument {
        "ok_actions" => "OKActions".to_owned(),
        "evaluate_low_sample_count_percentiles" => "EvaluateLowSampleCountPercentile".to_owned(),
        other => crate::naming::pascal(other),
    }
}
