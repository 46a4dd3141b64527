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
    match kind.contains("prometheus") {
        true => Language::PromQl,
        false => Language::Other,
    }
}
