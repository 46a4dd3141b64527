//! The software that a service runs: `runtime: {vllm: ">=0.20, <0.34"}`, `runtime: {sglang: ">=0.5.12"}`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

use super::{Spec, Text};
use slosmith_catalog::{Embedded, VLLM};
use slosmith_text::source::Spanned;
use slosmith_text::units::Quantity;

/// The software that the service runs.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Runtime {
    /// Range of vLLM releases (PEP 440), such as `>=0.20, <0.34`. Every generated query works on every recorded release in it.
    pub vllm: Option<Text>,
    /// The others.
    #[serde(rename = "<servers>")]
    pub servers: Servers,
    /// vLLM profiles in use besides `default`, such as `lora` or `spec-decode`: sets of server options that add metrics.
    #[serde(default)]
    pub profiles: Vec<Text>,
    /// GPUs of an engine: tensor parallel size × pipeline parallel size. Each data-parallel rank is an engine.
    pub gpus_per_engine: Option<Spanned<u32>>,
    /// Price of one GPU for one hour, with its currency.
    pub gpu_hour: Option<Spanned<Quantity>>,
}

/// Ranges of releases of the servers beside vLLM that a service can run, by the name of the server.
#[derive(Clone, Debug, Default)]
pub struct Servers(pub BTreeMap<&'static str, Text>);

static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let all = Embedded::all().iter();
    let all = all.filter(|server| server.identity.runtime);
    all.map(|server| server.name).collect()
});

impl Spec {
    /// The range of vLLM releases, if the service runs vLLM.
    pub fn vllm(&self) -> Option<&Text> {
        self.runtime.as_ref()?.value.vllm.as_ref()
    }

    /// The servers beside vLLM that the service runs, with their ranges.
    pub fn servers(&self) -> impl Iterator<Item = (&'static Embedded, &Text)> {
        let runtime = self.runtime.iter();
        let all = runtime.flat_map(|runtime| &runtime.value.servers.0);
        all.filter_map(|(name, range)| Some((Embedded::find(name)?, range)))
    }
}

impl Spec {
    /// The engine that `llm.` stands for, by its word: the only one, or the only server of a service without an engine.
    pub fn engine(&self) -> Option<&'static str> {
        let vllm = self.vllm().map(|_| VLLM);
        let engines = self.servers().filter(|(server, _)| server.identity.engine);
        let mut engines = vllm
            .into_iter()
            .chain(engines.map(|(server, _)| server.name));
        let mut all = self.servers().map(|(server, _)| server.name);
        match (engines.next(), engines.next()) {
            (Some(engine), None) => Some(engine),
            (None, _) => all.next().filter(|_| all.next().is_none()),
            (Some(_), Some(_)) => None,
        }
    }

    /// The server that `prometheus.selector` selects: vLLM if the service runs it.
    pub fn own_server(&self) -> Option<&'static str> {
        self.vllm().map(|_| VLLM).or_else(|| self.engine())
    }
}

impl<'de> Deserialize<'de> for Servers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct("Servers", &NAMES, Ranges)
    }
}

struct Ranges;

impl<'de> Visitor<'de> for Ranges {
    type Value = Servers;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("servers with their releases")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Servers, A::Error> {
        let mut ranges = BTreeMap::new();
        while let Some((name, range)) = map.next_entry::<String, Option<Text>>()? {
            let known = NAMES.iter().find(|known| **known == name);
            ranges.extend(known.copied().zip(range));
        }
        Ok(Servers(ranges))
    }
}

impl JsonSchema for Servers {
    fn schema_name() -> Cow<'static, str> {
        "Servers".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let fields = NAMES.iter().filter_map(|name| {
            let title = &Embedded::find(name)?.identity.title;
            let description = format!("Range of {title} releases (PEP 440).");
            let field = serde_json::json!({"description": description, "type": ["string", "null"]});
            Some(((*name).to_owned(), field))
        });
        let fields: serde_json::Map<_, _> = fields.collect();
        json_schema!({
            "description": "Ranges of releases of other servers.",
            "type": "object",
            "properties": fields,
        })
    }
}
