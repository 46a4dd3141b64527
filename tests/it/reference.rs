//! The reference of the spec: every field with its type, its default and one example, from the schema.
//!
//! Examples are complete values of specs that build. A field without a short value in any of them fails the test.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;
use slosmith::source::FileId;

use crate::bundled::text as read;

/// The most characters of an example.
const MOST: usize = 140;

/// Where the generated part of the page begins.
const MARK: &str = "<!-- Generated from the schema by `tools/refresh`. -->\n";

/// What ends a description is the value of a field that is absent: `Look-back. Default: 5m.`
const DEFAULT: &str = " Default: ";

/// Specs that examples are taken from, best first.
const SPECS: [&str; 9] = [
    "tests/fixtures/reference.yaml",
    "tests/fixtures/reference-thanos.yaml",
    "specs/mangaassist.yaml",
    "specs/vllm-production.yaml",
    "specs/vllm-serving.yaml",
    "specs/engine.yaml",
    "specs/inference.yaml",
    "tests/fixtures/slis.yaml",
    "tests/fixtures/conditions.yaml",
];

/// Examples by definition and field.
type Examples = BTreeMap<(String, String), String>;

struct Reference {
    schema: Value,
    examples: Examples,
    /// Fields that no spec has a short value of.
    missing: RefCell<Vec<String>>,
}

impl Reference {
    /// A schema, and the name of the definition that it is.
    fn resolved<'s>(&'s self, schema: &'s Value) -> (&'s Value, Option<&'s str>) {
        let inner = schema["anyOf"].as_array();
        let inner = inner.and_then(|all| all.iter().find(|s| s["type"] != "null"));
        let schema = match inner {
            Some(inner) if schema["properties"].is_null() && inner["enum"].is_null() => inner,
            _ => schema,
        };
        match schema["$ref"]
            .as_str()
            .and_then(|r| r.strip_prefix("#/$defs/"))
        {
            Some(name) => (&self.schema["$defs"][name], Some(name)),
            None => (schema, None),
        }
    }

    /// The parts whose fields stand among those of a definition, by name.
    fn parts<'s>(&'s self, schema: &'s Value) -> impl Iterator<Item = (&'s Value, &'s str)> {
        let parts = schema["allOf"].as_array().into_iter().flatten();
        parts.filter_map(|part| {
            let (part, name) = self.resolved(part);
            Some((part, name?))
        })
    }

    /// A field of a definition or of its parts, and whose it is.
    fn field(&self, schema: &Value, owner: &str, key: &str) -> Option<(Value, String)> {
        match &schema["properties"][key] {
            Value::Null => {
                let mut parts = self.parts(schema);
                parts.find_map(|(part, name)| self.field(part, name, key))
            }
            property => Some((property.clone(), owner.to_owned())),
        }
    }

    /// Takes examples from a part of a spec.
    fn learn(&mut self, schema: &Value, owner: &str, value: &Value) {
        let (schema, name) = {
            let (schema, name) = self.resolved(schema);
            (schema.clone(), name.unwrap_or(owner).to_owned())
        };
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    let Some((property, name)) = self.field(&schema, &name, key) else {
                        self.learn(&schema["additionalProperties"], &name, value);
                        continue;
                    };
                    let field = (name.clone(), key.clone());
                    if !self.examples.contains_key(&field)
                        && let Some(example) = shown(key, value, self.resolved(&property).0)
                    {
                        self.examples.insert(field, example);
                    }
                    self.learn(&property, &format!("{name}.{key}"), value);
                }
            }
            Value::Array(items) => {
                items
                    .iter()
                    .for_each(|item| self.learn(listed(&schema), &name, item));
            }
            _ => {}
        }
    }

    /// `a length of time`, `list of text`, `gauge | counter | histogram`.
    fn kind(&self, schema: &Value) -> String {
        let (found, name) = self.resolved(schema);
        match name {
            Some("Quantity") => return "quantity".into(),
            Some("Duration") => return "duration".into(),
            Some("SignalName") => return "signal".into(),
            Some("RatioSide") => return "signal, or `{signal, where}`".into(),
            Some("Stat") => return "stat".into(),
            Some("Stats") => return "stat, or list of stats".into(),
            Some("Burn") => return format!("`none`, `sre-workbook`, or list of {}", link("Tier")),
            Some(name) if found["properties"].is_object() => return link(name),
            Some("Bound") => return "quantity, or a multiple of an earlier value".into(),
            Some("Severity") => return "name, or `{name, labels, annotations}`".into(),
            Some("Environment") => return "fields of a spec".into(),
            Some("Extends") => return "path, or list of paths".into(),
            Some("MatchValue") => {
                return "text, list of text, `{not: …}`, `{matches: …}` or `{not_matches: …}`"
                    .into();
            }
            _ => {}
        }
        let variants = found["oneOf"].as_array().or(found["enum"].as_array());
        if let Some(variants) = variants {
            let words = variants.iter().flat_map(words);
            let words: Vec<_> = words.map(|word| format!("`{word}`")).collect();
            return words.join(", ");
        }
        let kind = match &found["type"] {
            Value::Array(kinds) => kinds.iter().find(|k| **k != "null").unwrap_or(&Value::Null),
            kind => kind,
        };
        match kind.as_str() {
            Some("string") => "text".into(),
            Some("integer" | "number") => "number".into(),
            Some("boolean") => "`true` or `false`".into(),
            Some("array") => format!("list of {}", self.kind(&found["items"])),
            Some("object") => format!("map of {}", self.kind(&found["additionalProperties"])),
            other => panic!("no words for {other:?}: {found}"),
        }
    }

    /// The definitions below one, in the order of its fields, each once.
    fn below<'s>(&'s self, schema: &'s Value, into: &mut Vec<&'s str>) {
        if !schema.is_object() {
            return;
        }
        let (found, name) = self.resolved(schema);
        if let Some(name) = name.filter(|_| found["properties"].is_object()) {
            if into.contains(&name) {
                return;
            }
            into.push(name);
        }
        let fields = found["properties"].as_object().into_iter().flatten();
        let inner = [listed(found), &found["additionalProperties"]];
        let shared = found["allOf"].as_array().into_iter().flatten();
        let inner = shared.chain(inner);
        for part in fields.map(|(_, part)| part).chain(inner) {
            self.below(part, into);
        }
    }

    fn table(&self, name: &str, schema: &Value, page: &mut String) {
        let parts: Vec<_> = self.parts(schema).map(|(_, part)| link(part)).collect();
        if !parts.is_empty() {
            write!(page, "Also the fields of {}.\n\n", parts.join(" and ")).expect("text");
        }
        page.push_str("| field | type | default | example |\n|---|---|---|---|\n");
        let required = schema["required"].as_array().into_iter().flatten();
        let required: Vec<_> = required.filter_map(Value::as_str).collect();
        for (field, property) in schema["properties"].as_object().expect("fields") {
            let text = property["description"]
                .as_str()
                .unwrap_or_default()
                .replace('\n', " ");
            let (text, default) = text.split_once(DEFAULT).unwrap_or((&text, ""));
            let default = match (required.contains(&field.as_str()), default) {
                (true, _) => "required",
                (false, "") if property["type"] == "boolean" => "`false`",
                (false, "") => "none",
                (false, default) => default.trim_end_matches('.'),
            };
            let example = self.examples.get(&(name.to_owned(), field.clone()));
            let example = match example {
                Some(example) => example,
                None => {
                    self.missing.borrow_mut().push(format!("{name}.{field}"));
                    continue;
                }
            };
            let cell = |text: &str| text.replace('|', "\\|");
            let kind = self.kind(property);
            writeln!(
                page,
                "| `{field}`: {} | {} | {} | `` {} `` |",
                cell(text),
                cell(&kind),
                cell(default),
                cell(example)
            )
            .expect("text");
        }
        page.push('\n');
    }
}

/// What the items of a list are, also where the value may be something else than a list.
fn listed(schema: &Value) -> &Value {
    let variants = schema["oneOf"].as_array().into_iter().flatten();
    let mut items = variants.map(|variant| &variant["items"]);
    match &schema["items"] {
        Value::Null => items.find(|items| !items.is_null()).unwrap_or(&Value::Null),
        items => items,
    }
}

fn link(name: &str) -> String {
    format!("[{name}](#{})", name.to_lowercase())
}

/// The words of a variant.
fn words(variant: &Value) -> Vec<String> {
    let one = variant["const"].as_str().or(variant.as_str());
    match (one, variant["enum"].as_array()) {
        (Some(word), _) => vec![word.to_owned()],
        (None, Some(all)) => all
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        (None, None) => vec![variant["pattern"].as_str().unwrap_or("…").to_owned()],
    }
}

/// `field: value`. Of a long list or map of names, only the entries that fit; `None` if not even one of them does.
fn shown(field: &str, value: &Value, schema: &Value) -> Option<String> {
    let parts: Vec<Value> = match value {
        Value::Array(items) => {
            let first = (1..=items.len()).rev().map(|n| items[..n].to_vec().into());
            first
                .chain(items.iter().map(|item| vec![item.clone()].into()))
                .collect()
        }
        Value::Object(map) if schema["properties"].is_null() => {
            let some = |from: usize, count: usize| {
                let entries = map.iter().skip(from).take(count);
                Value::Object(entries.map(|(k, v)| (k.clone(), v.clone())).collect())
            };
            let first = (1..=map.len()).rev().map(|n| some(0, n));
            first.chain((0..map.len()).map(|at| some(at, 1))).collect()
        }
        other => vec![other.clone()],
    };
    parts.iter().find_map(|part| {
        let text = format!("{field}: {}", flow(part)).replace('`', "'");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        (text.chars().count() <= MOST).then_some(text)
    })
}

/// A text of a flow mapping that needs no quotes.
fn is_plain(text: &str) -> bool {
    !text.contains([':', '#', '{', '[', ',', '&', '*', '?'])
        && !text.starts_with(['>', '|', '!', '%', '@'])
        && text.parse::<f64>().is_err()
}

fn flow(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain(text) => text.clone(),
        Value::String(text) => serde_json::to_string(text).expect("JSON"),
        Value::Array(items) => {
            format!(
                "[{}]",
                items.iter().map(flow).collect::<Vec<_>>().join(", ")
            )
        }
        Value::Object(map) => {
            let pairs = map.iter().map(|(k, v)| format!("{k}: {}", flow(v)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

fn generated() -> String {
    let [schema, beta] = ["spec", "beta"].map(|name| -> Value {
        serde_json::from_str(&read(&format!("schemas/{name}.schema.json"))).expect("JSON")
    });
    let mut both = schema.clone();
    let more = beta["$defs"].as_object().expect("definitions").clone();
    both["$defs"]
        .as_object_mut()
        .expect("definitions")
        .extend(more);
    let mut reference = Reference {
        schema: both,
        examples: Examples::new(),
        missing: RefCell::default(),
    };
    for path in SPECS {
        let text = read(path);
        let (spec, second) = crate::bundled::documents(&text);
        let documents = [(spec, &schema, "spec")].into_iter();
        for (text, schema, name) in documents.chain(second.map(|text| (text, &beta, "beta"))) {
            let document: Value = slosmith::yaml::read(FileId(0), text).expect("YAML");
            reference.learn(schema, name, &document);
        }
    }
    let mut page = String::from(
        "\n## Every field\n\nTypes: a *quantity* is a number with a unit (`500ms`, `95%`, `10/min`), a *duration* a length of time \
         (`5m`, `28d`), a *signal* the name of a signal of the spec or a built-in signal, a *stat* a statistic of a signal (`last`, \
         `avg`, `min`, `max`, `rate`, `increase`, `slope`, `p95`).\n\n### The spec\n\n",
    );
    reference.table("spec", &schema, &mut page);
    let mut definitions = Vec::new();
    reference.below(&schema, &mut definitions);
    let of_spec = definitions.len();
    reference.below(&beta, &mut definitions);
    for (at, name) in definitions.iter().enumerate() {
        if at == of_spec {
            write!(
                page,
                "### The second document\n\n{}\n\n",
                beta["description"].as_str().expect("text")
            )
            .expect("text");
            reference.table("beta", &beta, &mut page);
        }
        let found = &reference.schema["$defs"][*name];
        let what = found["description"]
            .as_str()
            .unwrap_or_default()
            .replace('\n', " ");
        write!(page, "### {name}\n\n{what}\n\n").expect("text");
        reference.table(name, found, &mut page);
    }
    page.push_str(
        "### Renamed fields\n\nFields of before 0.1.0, which `slosmith migrate` rewrites. `*` is any name or place in a list, `**` a \
         condition or one inside of it.\n\n| before | now |\n|---|---|\n",
    );
    for (old, new) in slosmith::spec::RENAMED {
        writeln!(page, "| `{old}` | `{new}` |").expect("text");
    }
    for field in beta["properties"]
        .as_object()
        .expect("fields")
        .keys()
        .skip(1)
    {
        writeln!(
            page,
            "| `{field}` | `{field}` in the [second document](#the-second-document) |"
        )
        .expect("text");
    }
    page.push_str(
        "| `slos/*/sli/percentile`, `slos/*/alert` | an alert with a `target`, which you write: the error shows it |\n",
    );
    let missing = reference.missing.into_inner();
    assert!(
        missing.is_empty(),
        "no spec has a short value of {missing:?}"
    );
    page.trim_end().to_owned() + "\n"
}

#[test]
fn every_field_is_described() {
    let page = read("docs/spec-fields.md");
    let own = page
        .split(MARK)
        .next()
        .expect("a page")
        .trim_end()
        .to_owned();
    crate::update::check(
        "docs/spec-fields.md",
        &format!("{own}\n\n{MARK}{}", generated()),
    );
}
