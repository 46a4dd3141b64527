//! The language of queries, as their data source says.

use super::Language;
use super::field::{items, word};
use slosmith_text::yaml::Node;

/// Words in names of data sources that are not Prometheus. The last is the uid that Grafana makes of the name `Loki`.
const OTHERS: [&str; 24] = [
    "athena",
    "bigquery",
    "clickhouse",
    "cloudwatch",
    "elastic",
    "graphite",
    "influx",
    "jaeger",
    "logs",
    "loki",
    "mssql",
    "mysql",
    "opensearch",
    "postgres",
    "pyroscope",
    "redshift",
    "snowflake",
    "splunk",
    "tempo",
    "timescale",
    "timestream",
    "zabbix",
    "zipkin",
    "p8e80f9aef21f6940",
];

/// Words in names of data sources that are VictoriaMetrics. The last is the uid that Grafana makes of this name.
const VICTORIA: [&str; 6] = [
    "victoria",
    "vmauth",
    "vmcluster",
    "vmselect",
    "vmsingle",
    "p4169e866c3094e38",
];

/// The data source variables of a dashboard: name, and the language of what they list.
#[derive(Default)]
pub(super) struct Sources(Vec<(String, Language)>);

impl Sources {
    /// Those of a classic dashboard; an import asks for those in `__inputs`.
    pub(super) fn of(dashboard: &Node<'_>) -> Self {
        let variables = items(dashboard, &["templating", "list"]).iter();
        let lists = variables.filter(|v| word(v, &["type"]) == Some("datasource"));
        let lists = lists.filter_map(|v| {
            let chosen = word(v, &["current", "text"]).or_else(|| word(v, &["regex"]));
            Some((word(v, &["name"])?, word(v, &["query"])?, chosen))
        });
        let inputs = items(dashboard, &["__inputs"]).iter();
        let inputs = inputs.filter_map(|v| {
            let chosen = word(v, &["label"]);
            Some((word(v, &["name"])?, word(v, &["pluginId"])?, chosen))
        });
        let named = |(name, kind, chosen): (&str, &str, Option<&str>)| {
            (name.to_owned(), of_type(kind, chosen.unwrap_or(name)))
        };
        Self(lists.chain(inputs).map(named).collect())
    }

    pub(super) fn of_v2(dashboard: &Node<'_>) -> Self {
        let variables = items(dashboard, &["variables"]).iter();
        let lists = variables.filter(|v| word(v, &["kind"]) == Some("DatasourceVariable"));
        let pair = |v: &Node<'_>| {
            let chosen = word(v, &["spec", "current", "text"]).unwrap_or_default();
            let kind = word(v, &["spec", "pluginId"])?;
            Some((
                word(v, &["spec", "name"])?.to_owned(),
                of_type(kind, chosen),
            ))
        };
        Self(lists.filter_map(pair).collect())
    }

    /// The language of a v2 query: its `group` is the type of its data source, in v2alpha1 its `kind` is. The
    /// source itself stands inside of it, in v2alpha1 around it.
    pub(super) fn language_v2(&self, outer: &Node<'_>, query: &Node<'_>) -> Option<Language> {
        const NONE: [&str; 3] = ["", "DataQuery", "datasource"];
        let group = word(query, &["group"]).or_else(|| word(query, &["kind"]));
        let plain = |group: &&str| !group.starts_with('$') && !NONE.contains(group);
        let inside =
            word(query, &["datasource", "name"]).or_else(|| word(query, &["datasource", "uid"]));
        let around = || {
            word(outer, &["spec", "datasource", "uid"])
                .or_else(|| word(outer, &["datasource", "uid"]))
        };
        self.either(group.filter(plain), inside.or_else(around))
    }

    /// The language of what is asked at `node`; none when its data source is not given, or several are mixed.
    pub(super) fn language(&self, node: &Node<'_>) -> Option<Language> {
        let source = node.get("datasource")?;
        let kind = word(source, &["type"]).filter(|kind| !kind.starts_with('$'));
        match kind {
            Some("datasource" | "mixed") => None,
            kind => self.either(kind, word(source, &["uid"]).or_else(|| source.text())),
        }
    }

    /// The language of a data source by its type and its name. What is named VictoriaMetrics often has the type of
    /// Prometheus.
    fn either(&self, kind: Option<&str>, name: Option<&str>) -> Option<Language> {
        let named = || name.and_then(|name| self.named(name));
        match kind.filter(|kind| !kind.is_empty()) {
            Some(kind) => match of_type(kind, "") {
                Language::PromQl if named() == Some(Language::MetricsQl) => {
                    Some(Language::MetricsQl)
                }
                language => Some(language),
            },
            None => named(),
        }
    }

    /// The language behind a name or uid, or a variable that holds one.
    pub(super) fn named(&self, name: &str) -> Option<Language> {
        let variable = name.trim_start_matches(['$', '{', '[']);
        if variable.len() < name.len() {
            let variable = variable.trim_end_matches(['}', ']']);
            let listed = self.0.iter().find(|(name, _)| name == variable);
            if let Some((_, language)) = listed {
                return Some(*language);
            }
        }
        let name = name.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
        if name.contains("prom") && !has(&VICTORIA) {
            return None;
        }
        match has(&OTHERS) {
            true => Some(Language::Other),
            false => has(&VICTORIA).then_some(Language::MetricsQl),
        }
    }
}

/// The language of a type of data source; `name` is what people call it.
fn of_type(kind: &str, name: &str) -> Language {
    let is_victoria = |text: &str| text.to_lowercase().contains("victoria");
    match kind {
        _ if kind.contains("prometheus") && is_victoria(name) => Language::MetricsQl,
        _ if kind.contains("prometheus") => Language::PromQl,
        "victoriametrics-datasource" | "victoriametrics-metrics-datasource" => Language::MetricsQl,
        _ => Language::Other,
    }
}
