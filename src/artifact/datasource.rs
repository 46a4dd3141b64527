//! The language of queries, as their data source says.

use super::Language;
use super::field::{items, word};
use crate::yaml::Node;

/// Words in names of data sources that are not Prometheus.
const OTHERS: [&str; 10] = [
    "clickhouse",
    "cloudwatch",
    "elastic",
    "graphite",
    "influx",
    "loki",
    "mysql",
    "opensearch",
    "postgres",
    "tempo",
];

/// The data source variables of a dashboard: name, and the type that it lists.
#[derive(Default)]
pub(super) struct Sources(Vec<(String, String)>);

impl Sources {
    /// Those of a classic dashboard.
    pub(super) fn of(dashboard: &Node<'_>) -> Self {
        let variables = items(dashboard, &["templating", "list"]).iter();
        let lists = variables.filter(|v| word(v, &["type"]) == Some("datasource"));
        let pair = |v: &Node<'_>| {
            Some((
                word(v, &["name"])?.to_owned(),
                word(v, &["query"])?.to_owned(),
            ))
        };
        Self(lists.filter_map(pair).collect())
    }

    /// Those of a v2 dashboard.
    pub(super) fn of_v2(dashboard: &Node<'_>) -> Self {
        let variables = items(dashboard, &["variables"]).iter();
        let lists = variables.filter(|v| word(v, &["kind"]) == Some("DatasourceVariable"));
        let pair = |v: &Node<'_>| {
            Some((
                word(v, &["spec", "name"])?.to_owned(),
                word(v, &["spec", "pluginId"])?.to_owned(),
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
        if let Some(group) = group.filter(plain) {
            return Some(of_type(group));
        }
        let inside =
            word(query, &["datasource", "name"]).or_else(|| word(query, &["datasource", "uid"]));
        let around = || {
            word(outer, &["spec", "datasource", "uid"])
                .or_else(|| word(outer, &["datasource", "uid"]))
        };
        self.named(inside.or_else(around)?)
    }

    /// The language of what is asked at `node`; none when its data source is not given, or several are mixed.
    pub(super) fn language(&self, node: &Node<'_>) -> Option<Language> {
        let source = node.get("datasource")?;
        let kind = word(source, &["type"]).filter(|kind| !kind.starts_with('$'));
        match kind {
            Some("datasource") => None,
            Some(kind) => Some(of_type(kind)),
            None => self.named(word(source, &["uid"]).or_else(|| source.text())?),
        }
    }

    /// The language behind a name or uid, or a variable that holds one.
    pub(super) fn named(&self, name: &str) -> Option<Language> {
        if let Some(variable) = name.strip_prefix('$') {
            let variable = variable.trim_matches(['{', '}']);
            let listed = self.0.iter().find(|(name, _)| name == variable);
            return listed.map(|(_, kind)| of_type(kind));
        }
        let name = name.to_lowercase();
        let other = !name.contains("prom") && OTHERS.iter().any(|word| name.contains(word));
        other.then_some(Language::Other)
    }
}

fn of_type(kind: &str) -> Language {
    match kind {
        _ if kind.contains("prometheus") => Language::PromQl,
        "victoriametrics-datasource" | "victoriametrics-metrics-datasource" => Language::MetricsQl,
        _ => Language::Other,
    }
}
